// Grabs: patches of nodes that follow an offset from the positions they had when grabbed. A grab with a stiffness pulls
// each node by a spring; one without holds its nodes exactly there (constraint.h). Grabs are kept on the host; only
// their nodes travel to the device, and only when something changed.
#pragma once
#include <stdio.h>

#include "base/bytes.h"
#include "device/device.h"
#include "sim/element/space.h"
#include "sim/force/node_list.h"
#include "sim/force/springs.h"

enum { GRABS_MAX = 64 };

typedef struct Grab {
  int id;  // 0: free place
  int count;
  int *node;           // [count]
  double *weight;      // [count], adding up to 1
  double (*start)[3];  // [count], displacement when grabbed, m
  double stiffness;    // N/m, of all springs together; 0: the grab holds its nodes
  double damping;      // N s/m, likewise
  // m, where the springs pull to, as everywhere an offset from where the patch was when grabbed: at the beginning of
  // the next step and at its end
  double offset_before[3], offset[3];
} Grab;

// A zeroed Grabs is empty.
typedef struct Grabs {
  Device device;
  int node_count, next_id;
  Grab grab[GRABS_MAX];
  bool changed;                    // since the last grabs_list
  bool holds_changed;              // a grab that holds its nodes was added or removed; the owner resets it
  double (*value)[SPRING_VALUES];  // [node_count]: spring N/m, damper N s/m, pull [3] N
  int *node;                       // [node_count], those listed last and now
  int listed;
  uint8_t *is_listed;  // [node_count]
  double *damper;      // [node_count] N s/m, what nodes have without being grabbed; NULL: nothing
  NodeList list;       // springs on their way to the device
} Grabs;

bool grabs_create(Grabs *grabs, Device device, int node_count, Error *error);
void grabs_destroy(Grabs *grabs);

/// Adds a grab of the nodes closer than `radius` to X in the undeformed mesh, at least the nearest one, weighted by
/// lumped mass and (1 - d^2/r^2)^2. `u` [node_count][3] are the displacements now, m. Dampers go with the springs, as
/// strong as lets the patch's own mass come to rest without swinging.
/// `seed`: a node from which the patch is reached through nodes of it, where others lie at the same place on the other
/// side of a cut; -1: all of them are.
bool grabs_add(Grabs *grabs, const Space *space, const double *mass, const double (*u)[3], const double X[3],
               double radius, int seed, double stiffness, int *id, Error *error);

/// Adds a grab of listed nodes [count], weighted by lumped mass alone. Stiffness 0: it holds them.
bool grabs_add_nodes(Grabs *grabs, const double *mass, const double (*u)[3], const int *nodes, int count,
                     double stiffness, int *id, Error *error);
void grabs_move(Grabs *grabs, int id, const double offset[3]);
void grabs_release(Grabs *grabs, int id);  // 0: all
void grabs_step_done(Grabs *grabs);        // targets that moved have arrived

/// Dampers [node_count], N s/m, that nodes have whether grabbed or not, from the next list on. They may be negative,
/// where the body's damping is more.
bool grabs_set_dampers(Grabs *grabs, const double *damper, Error *error);

/// Releases all but these `count` ids, and makes 0 of an id that is no grab's.
void grabs_keep(Grabs *grabs, int *ids, int count);

/// Whether there is a grab of that id.
bool grabs_has(const Grabs *grabs, int id);

/// Takes the grabs of another body, whose nodes `from` [node_count] these nodes were, each with a `share` [node_count]
/// of that one's mass, and so of its spring. A grab none of whose nodes is left is let go. The grabs must be empty.
bool grabs_carry(Grabs *grabs, const Grabs *old, const int *from, const double *share, Error *error);

/// And the room that the other has for lists on the device, where nothing is under way.
void grabs_take_room(Grabs *grabs, Grabs *old);

/// The displacement that a node of a grab's patch had when it was grabbed, m; zero where there is none.
void grabs_start(const Grabs *grabs, int id, int node, double start[3]);

/// Returns true if the grab holds its nodes exactly, without springs.
static inline bool grab_holds(const Grab *grab) {
  return grab->id && grab->stiffness == 0;
}

/// Returns the grab of that id, or NULL.
const Grab *grabs_find(const Grabs *grabs, int id);

/// Computes the displacement, m, to which the grab moves its k-th node, at fraction theta of the next step.
void grab_target(const Grab *grab, int k, double theta, double target[3]);

/// The force of a grab's springs on the body at displacements u [node_count][3] m, N; zero for an unknown id.
void grabs_force(const Grabs *grabs, int id, const double (*u)[3], double force[3]);

/// Brings the list on the device up to date: the nodes whose spring and pull changed, in grabs->list.
/// The copies are queued on `stream`; the host does not wait for them.
/// Targets are where they are `theta` of the way through the step: where its forces are taken, so that they are of the
/// integrator's order in dt.
bool grabs_list(Grabs *grabs, double theta, Stream stream, int *count, Error *error);

/// Writes all grabs, and reads them again in place of those there are; `user_node` [node_count] has the user's numbers
/// of nodes, `inside` the other way round. Fails where what is read is no set of grabs for this body.
void grabs_save(const Grabs *grabs, const int *user_node, FILE *file);
bool grabs_restore(Grabs *grabs, const int *inside, Bytes *bytes, Error *error);

/// The same for one grab, as it is now; nothing is written for an unknown id. It comes back with its id, or where
/// that is in use with a new one, and pulls as it did, to where it did.
void grabs_save_one(const Grabs *grabs, int id, const int *user_node, FILE *file);
bool grabs_restore_one(Grabs *grabs, const int *inside, Bytes *bytes, int *id, Error *error);
