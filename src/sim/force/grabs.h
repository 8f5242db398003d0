// A grab is a patch of nodes that a user moves, for example with the mouse. Each node of the patch has a target: its
// position when it was grabbed, plus an offset. A grab with a stiffness above 0 pulls each node to its target by a
// spring. A grab with stiffness 0 holds its nodes exactly at their targets (constraint.h). Grabs are stored on the
// host. If springs change, they are copied to the device before the next step.
#pragma once
#include <stdio.h>

#include "base/bytes.h"
#include "device/device.h"
#include "sim/element/space.h"
#include "sim/force/node_list.h"
#include "sim/force/springs.h"

enum { GRABS_MAX = 64 };

typedef struct Grab {
  int id;              // number by which callers name the grab, 1 or more; 0: this element of Grabs.grab is free
  int count;           // number of nodes of the grab
  int *node;           // [count], the nodes that the grab pulls or holds
  double *weight;      // [count], the fraction of the grab's stiffness that each node's spring gets; the sum is 1
  double (*start)[3];  // [count] m, displacements of the nodes when they were grabbed
  double stiffness;    // N/m, sum over all springs; 0: the grab holds its nodes
  double damping;      // N s/m, sum of the coefficients of all dampers of the grab
  // m, offset of the targets from `start`. offset_before: at the start of the next step; offset: at its end
  double offset_before[3], offset[3];
} Grab;

// A zeroed Grabs is empty.
typedef struct Grabs {
  Device device;                   // device to which springs are copied
  int node_count, next_id;         // number of nodes of the body, and id of the next new grab
  Grab grab[GRABS_MAX];            // the grabs; an element with id 0 is free
  bool changed;                    // grabs have changed since the last grabs_list
  bool holds_changed;              // a grab with stiffness 0 was added or removed; the owner of the struct sets the
                                   // flag to false
  double (*value)[SPRING_VALUES];  // [node_count], for each node the sums over all grabs: stiffness of the spring, N/m,
                                   // of the damper, N s/m, and pull [3], N, which is stiffness times target (springs.h)
  int *node;                       // [node_count], the first `listed` elements are the nodes whose springs grabs_list
                                   // copies in its next call. After a call they are the nodes that it has copied
  int listed;
  uint8_t *is_listed;  // [node_count], 1: the node is among the first `listed` elements of `node`
  double *damper;      // [node_count] N s/m, dampers of nodes in addition to those of grabs; NULL: none
  NodeList list;       // copies of the springs on the device
} Grabs;

bool grabs_create(Grabs *grabs, Device device, int node_count, Error *error);
void grabs_destroy(Grabs *grabs);

/// Adds a grab of the nodes closer than `radius`, m, to the point X of the undeformed mesh. If no node is so close, it
/// grabs the nearest node. mass [node_count] are the lumped masses, kg, and u [node_count][3] the present
/// displacements, m.
///
/// `stiffness`, N/m, is divided among the nodes in proportion to weights. The weight of a node at distance d from X is
/// its mass times (1 - d^2/radius^2)^2. Dampers give critical damping for the mass of the patch. If `seed` is a node,
/// only nodes are grabbed that cells within the radius connect to it; nodes on the other side of a cut are not grabbed.
/// With `seed` -1, all nodes within the radius are grabbed. *id gets the new grab's id. Fails if memory runs out or
/// there are GRABS_MAX grabs.
bool grabs_add(Grabs *grabs, const Space *space, const double *mass, const double (*u)[3], const double X[3],
               double radius, int seed, double stiffness, int *id, Error *error);

/// Adds a grab of nodes [count], whose springs are proportional to the lumped masses. With stiffness 0 the grab holds
/// the nodes exactly at their targets.
bool grabs_add_nodes(Grabs *grabs, const double *mass, const double (*u)[3], const int *nodes, int count,
                     double stiffness, int *id, Error *error);
void grabs_move(Grabs *grabs, int id, const double offset[3]);

/// Sets the targets of nodes [count] of a grab with stiffness 0: their displacements u [count][3], m, at the end of the
/// next step. A later grabs_move moves all nodes relative to these targets. Fails if there is no such grab, or if it
/// does not hold one of the nodes. *missing then is the index of that node in `nodes`, or -1.
bool grabs_put(Grabs *grabs, int id, const int *nodes, int count, const double (*u)[3], int *missing, Error *error);
void grabs_release(Grabs *grabs, int id);  // id 0: all grabs
void grabs_step_done(Grabs *grabs);        // must be called after a step: sets offset_before = offset

/// Sets dampers of nodes in addition to those of grabs: damper [node_count], N s/m. They are used from the next call of
/// grabs_list on. Negative values reduce the body's damping.
bool grabs_set_dampers(Grabs *grabs, const double *damper, Error *error);

/// Releases all grabs except those in ids [count]. An id to which no grab belongs is set to 0.
void grabs_keep(Grabs *grabs, int *ids, int count);

/// Returns true if a grab with this id exists.
bool grabs_has(const Grabs *grabs, int id);

/// Copies the grabs `old` to a body that was changed by a cut. from [node_count] is the former number of each node. A
/// cut may divide a node into copies: fraction [node_count] is the part of the former node's mass, and so of its
/// spring, that a node gets. A grab without remaining nodes is not copied. `grabs` must be empty.
bool grabs_carry(Grabs *grabs, const Grabs *old, const int *from, const double *fraction, Error *error);

/// Moves the device memory of old->list to `grabs`. No queued work may use this memory.
void grabs_take_list(Grabs *grabs, Grabs *old);

/// Writes to `start`, m, the displacement that a node had when it was grabbed. Writes 0 if the grab does not exist or
/// does not contain the node.
void grabs_start(const Grabs *grabs, int id, int node, double start[3]);

/// Returns true if the grab holds its nodes exactly, without springs.
static inline bool grab_holds(const Grab *grab) {
  return grab->id && grab->stiffness == 0;
}

/// Returns the grab with this id, or NULL.
const Grab *grabs_find(const Grabs *grabs, int id);

/// Computes target [3], the displacement to which the grab moves its k-th node, m. `theta` is the time as a fraction of
/// the next step, 0 to 1.
void grab_target(const Grab *grab, int k, double theta, double target[3]);

/// Computes the force, N, of a grab's spring on its k-th node. u is the node's displacement, m.
void grab_spring_force(const Grab *grab, int k, const double u[3], double force[3]);

/// If grabs have changed, copies the springs of changed nodes to grabs->list on the device; *count is the number of
/// these nodes. Copies are queued on `stream`. `theta`, 0 to 1, is the fraction of the step at which the integrator
/// evaluates forces. Targets are computed for this time. Otherwise moving targets would reduce the order of the
/// integrator in the time step.
bool grabs_list(Grabs *grabs, double theta, Stream stream, int *count, Error *error);

/// grabs_save writes all grabs, and grabs_restore replaces all present grabs by saved ones. user_node [node_count] is
/// the user's number of each node. `inside` is the inverse permutation: the node of each user's number. grabs_restore
/// fails if the data do not fit this body.
void grabs_save(const Grabs *grabs, const int *user_node, FILE *file);
bool grabs_restore(Grabs *grabs, const int *inside, Bytes *bytes, Error *error);

/// grabs_save_one writes one grab, or nothing if the id is unknown. grabs_restore_one adds the written grab, with its
/// former springs and targets. *id gets its id: the former id, or a new id if another grab has the former one.
void grabs_save_one(const Grabs *grabs, int id, const int *user_node, FILE *file);
bool grabs_restore_one(Grabs *grabs, const int *inside, Bytes *bytes, int *id, Error *error);
