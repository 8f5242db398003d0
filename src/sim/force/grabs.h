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
  int id;  // 0: free slot
  int count;
  int *node;           // [count]
  double *weight;      // [count], their sum is 1
  double (*start)[3];  // [count], displacement when grabbed, m
  double stiffness;    // N/m, of all springs together; 0: the grab holds its nodes
  double damping;      // N s/m, of all dampers together
  // m, offsets of the targets from the displacements when grabbed: at the start and at the end of the next step
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
  int *node;                       // [node_count], nodes of the last and the next list
  int listed;
  uint8_t *is_listed;  // [node_count]
  double *damper;      // [node_count] N s/m, dampers without grabs; NULL: none
  NodeList list;       // springs on their way to the device
} Grabs;

bool grabs_create(Grabs *grabs, Device device, int node_count, Error *error);
void grabs_destroy(Grabs *grabs);

/// Adds a grab of the nodes closer than `radius` to X in the undeformed mesh, and at least of the nearest node. Weights
/// are lumped mass times (1 - d^2/r^2)^2. `u` [node_count][3] are the present displacements, m. Dampers are critical
/// for the mass of the patch. `seed`: only nodes connected to this node within the patch are grabbed, which excludes
/// nodes on the other side of a cut; -1: all nodes in the radius. Fails if memory or slots for grabs run out.
bool grabs_add(Grabs *grabs, const Space *space, const double *mass, const double (*u)[3], const double X[3],
               double radius, int seed, double stiffness, int *id, Error *error);

/// Adds a grab of the listed nodes [count], with weights by lumped mass. With stiffness 0 it holds them.
bool grabs_add_nodes(Grabs *grabs, const double *mass, const double (*u)[3], const int *nodes, int count,
                     double stiffness, int *id, Error *error);
void grabs_move(Grabs *grabs, int id, const double offset[3]);
void grabs_release(Grabs *grabs, int id);  // 0: all
void grabs_step_done(Grabs *grabs);        // call after a step: offset_before = offset

/// Sets the dampers [node_count], N s/m, that nodes have without grabs, from the next list on. Negative values reduce
/// the body's damping.
bool grabs_set_dampers(Grabs *grabs, const double *damper, Error *error);

/// Releases all grabs except these `count` ids; an id without a grab is set to 0.
void grabs_keep(Grabs *grabs, int *ids, int count);

/// Returns true if a grab with this id exists.
bool grabs_has(const Grabs *grabs, int id);

/// Copies the grabs of a body that was changed. from [node_count]: the former number of each node; share [node_count]:
/// its fraction of the former node's mass, and so of the spring. A grab without remaining nodes is released. `grabs`
/// must be empty.
bool grabs_carry(Grabs *grabs, const Grabs *old, const int *from, const double *fraction, Error *error);

/// Takes over the memory of the other's lists on the device, which must not be in use.
void grabs_take_list(Grabs *grabs, Grabs *old);

/// Returns in `start` the displacement of a node when it was grabbed, m; 0 if the grab or the node in it does not
/// exist.
void grabs_start(const Grabs *grabs, int id, int node, double start[3]);

/// Returns true if the grab holds its nodes exactly, without springs.
static inline bool grab_holds(const Grab *grab) {
  return grab->id && grab->stiffness == 0;
}

/// Returns the grab of that id, or NULL.
const Grab *grabs_find(const Grabs *grabs, int id);

/// Computes the displacement, m, to which the grab moves its k-th node, at fraction theta of the next step.
void grab_target(const Grab *grab, int k, double theta, double target[3]);

/// Computes the force of a grab's springs on its k-th node at displacement u m, N.
void grab_spring_force(const Grab *grab, int k, const double u[3], double force[3]);

/// Updates the list of changed nodes on the device, grabs->list, with *count nodes. Copies are queued on `stream`.
/// Targets are those at the fraction `theta` of the step, at which its forces act, so that they have the integrator's
/// order in dt.
bool grabs_list(Grabs *grabs, double theta, Stream stream, int *count, Error *error);

/// Write all grabs, and read them again in place of the present ones. `user_node` [node_count] holds the user's number
/// of each node, `inside` is the inverse. grabs_restore fails if the data are not grabs of this body.
void grabs_save(const Grabs *grabs, const int *user_node, FILE *file);
bool grabs_restore(Grabs *grabs, const int *inside, Bytes *bytes, Error *error);

/// Write and restore one grab; nothing is written for an unknown id. A restored grab gets its former id, or a new one
/// if that is in use, and has its former springs and targets.
void grabs_save_one(const Grabs *grabs, int id, const int *user_node, FILE *file);
bool grabs_restore_one(Grabs *grabs, const int *inside, Bytes *bytes, int *id, Error *error);
