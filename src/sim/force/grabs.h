// A grab is a patch of nodes that a user moves, for example with the mouse. Each node has a target: its position when
// it was grabbed, plus an offset. A grab with a stiffness above 0 pulls each node to its target by a spring. A grab
// with stiffness 0 holds its nodes exactly at their targets (constraint.h). Grabs are stored on the host. Changed
// springs are copied to the device before the next time step.
#pragma once
#include <stdio.h>

#include "base/bytes.h"
#include "device/device.h"
#include "sim/element/space.h"
#include "sim/force/node_list.h"
#include "sim/force/springs.h"

enum { GRABS_MAX = 64 };

// One grab: a group of nodes that a user moves, for example with the mouse, and the springs that pull these nodes.
typedef struct Grab {
  int id;              // number by which callers name the grab, 1 or more; 0: this element of Grabs.grab is free
  int count;           // number of nodes of the grab
  int capacity;        // number of elements of the arrays below, which a released grab keeps for the next grab
  int *node;           // [count], the nodes that the grab pulls or holds
  double *weight;      // [count], the fraction of the grab's stiffness that each node's spring gets; the sum is 1
  double (*start)[3];  // [count] m, displacements of the nodes when they were grabbed
  double stiffness;    // N/m, sum over all springs; 0: the grab holds its nodes
  double damping;      // N s/m, sum of the coefficients of all dampers of the grab
  // The target of node k is start[k] plus an offset, m. offset_before: the offset at the start of the next time step;
  // offset: the offset at the end of that time step.
  double offset_before[3], offset[3];
} Grab;

// All grabs of a body. A grab is a group of nodes that a user moves. A zeroed Grabs is empty.
typedef struct Grabs {
  Device device;            // device to which springs are copied
  int node_count, next_id;  // number of nodes of the body, and id of the next new grab
  int user_count;           // if processes divide the body: number of nodes of the user's mesh; else 0
  int slots;                // all grabs are in the first `slots` elements of `grab`; loops over grabs end there
  Grab grab[GRABS_MAX];     // the grabs; an element with id 0 is free
  bool changed;             // true: grabs have changed since the last call of grabs_list
  // true: a grab with stiffness 0, which holds its nodes exactly at their targets, was added or removed. The module
  // that reads this flag resets it.
  bool holds_changed;
  // [node_count]: three sums over all grabs for each node. They are the stiffness of its springs, N/m; the coefficient
  // of its dampers, N s/m; and pull [3], N, the sum of stiffness times target displacement (springs.h)
  double (*value)[SPRING_VALUES];
  // [node_count]. Its first `listed` elements are the nodes whose springs the next call of grabs_list copies to the
  // device. After a copy, nodes without springs are removed.
  int *node;
  int listed;
  uint8_t *is_listed;  // [node_count], 1: the node is among the first `listed` elements of `node`
  double *damper;      // [node_count] N s/m, dampers of nodes in addition to the dampers of grabs; NULL: none
  NodeList list;       // copies of the springs on the device
} Grabs;

bool grabs_create(Grabs *grabs, Device device, int node_count, Error *error);
void grabs_destroy(Grabs *grabs);

/// Adds a grab: nodes that a user moves, for example with the mouse. The grab contains node `seed` and those nodes of
/// the same body that are closer than `radius`, m, to the point X of the undeformed mesh. A path of edges within the
/// radius must lead from `seed` to each node, so no node on the other side of a cut is grabbed. If `seed` is -1, the
/// node nearest to X is taken instead, and no path is required. mass [node_count] are the lumped masses, kg, and u
/// [node_count][3] the present displacements, m. *id becomes the id of the new grab. Fails if memory runs out or there
/// are GRABS_MAX grabs.
///
/// `stiffness`, N/m, is divided among the nodes in proportion to weights. The weight of a node at distance d from X is
/// its mass times (1 - d^2/radius^2)^2. For `seed` or the nearest node, the weight is at least 0.001 times the node's
/// mass. Dampers give critical damping for the mass of all grabbed nodes.
bool grabs_add(Grabs *grabs, const Space *space, const double *mass, const double (*u)[3], const double X[3],
               double radius, int seed, double stiffness, int *id, Error *error);

/// Adds a grab: the user moves `nodes` [count] together. `stiffness`, N/m, is divided among their springs in proportion
/// to the lumped masses. If `stiffness` is 0, the grab holds the nodes exactly at their targets.
bool grabs_add_nodes(Grabs *grabs, const Space *space, const double *mass, const double (*u)[3], const int *nodes,
                     int count, double stiffness, int *id, Error *error);

/// Sets `offset`, m: the displacement by which the user moves a grab (group of nodes) until the end of the next time
/// step. The target of each node is its displacement when it was grabbed, plus this offset.
void grabs_move(Grabs *grabs, int id, const double offset[3]);

/// Sets targets of single nodes of a grab (group of nodes that the user moves). The grab must have stiffness 0, so that
/// it holds its nodes exactly at their targets. u [count][3], m, are the displacements that `nodes` [count] are to have
/// at the end of the next time step. A later grabs_move moves all nodes relative to these targets. Fails with *missing
/// = -1 if there is no such grab or if springs pull it. Also fails if the grab lacks one of the nodes; *missing is then
/// the index of this node in `nodes`.
bool grabs_put(Grabs *grabs, int id, const int *nodes, int count, const double (*u)[3], int *missing, Error *error);
void grabs_release(Grabs *grabs, int id);  // releases the grab with this id; 0: all grabs
void grabs_step_done(Grabs *grabs);        // must be called after a time step: the present offset becomes offset_before

/// Sets damping coefficients damper [node_count], N s/m. These dampers act in addition to the dampers of grabs (groups
/// of nodes that the user moves). Negative values reduce the body's damping. The next call of grabs_list copies the
/// coefficients to the device.
bool grabs_set_dampers(Grabs *grabs, const double *damper, Error *error);

/// Releases all grabs (groups of nodes that the user moves) except those whose id is in ids [count]. If no grab has the
/// id ids[k], sets ids[k] to 0.
void grabs_keep(Grabs *grabs, int *ids, int count);

/// Returns true if a grab (group of nodes that the user moves) with this id exists.
bool grabs_has(const Grabs *grabs, int id);

/// Copies the grabs `old`, groups of nodes that the user moves, to a body that was cut. from [node_count] is the number
/// of each node before the cut. If the cut has divided a node into copies, fraction[a] is the mass of copy a divided by
/// the mass of the whole node. The stiffness of the node's spring is divided among the copies in proportion to their
/// masses. A grab without remaining nodes is left out. `grabs` must be empty.
bool grabs_carry(Grabs *grabs, const Grabs *old, const int *from, const double *fraction, Error *error);

/// After a cut: moves the device memory for the springs of all nodes from `old`, the grabs before the cut, to `grabs`.
/// So a cut needs no new allocation. No queued copy or kernel may still use this memory.
void grabs_take_list(Grabs *grabs, Grabs *old);

/// Sets start [3], m, to the displacement that a node had when it was added to the grab `id` (a group of nodes that the
/// user moves). Sets `start` to 0 if there is no such grab, or if the grab does not contain the node.
void grabs_start(const Grabs *grabs, int id, int node, double start[3]);

/// Returns true if a grab (group of nodes that the user moves) holds its nodes exactly at their targets, without
/// springs.
static inline bool grab_holds(const Grab *grab) {
  return grab->id && grab->stiffness == 0;
}

/// Returns the grab (group of nodes that the user moves) with this id, or NULL.
const Grab *grabs_find(const Grabs *grabs, int id);

/// Computes target [3], m: the displacement to which a grab (group of nodes that the user moves) moves its k-th node at
/// a time within the next time step. `theta`, 0 to 1, is this time as a fraction of the time step.
void grab_target(const Grab *grab, int k, double theta, double target[3]);

/// Computes force [3], N, of the spring by which a grab (group of nodes that the user moves) pulls its k-th node at the
/// end of the time step. u [3] is the node's displacement, m.
void grab_spring_force(const Grab *grab, int k, const double u[3], double force[3]);

/// If grabs (groups of nodes that the user moves) have changed, queues a copy of springs to the device (grabs->list):
/// of all nodes that a spring pulls, and of nodes with a spring released or a damper set since the last copy. *count
/// becomes the number of these nodes; it is 0 without a change. `theta`, 0 to 1, is the fraction of the time step at
/// which the integrator evaluates forces. Targets are computed for this time, because moving grabs would otherwise
/// reduce the integrator's order of convergence.
bool grabs_list(Grabs *grabs, double theta, Stream stream, int *count, Error *error);

/// Save and restore grabs (groups of nodes that the user moves). grabs_save writes all grabs to a file; user_node
/// [node_count] is the user's number of each node. grabs_restore replaces all grabs by those that grabs_save wrote.
/// inside[k] is the node with the user's number k, or -1 if another process has this node. grabs_restore fails if the
/// data do not fit this body.
void grabs_save(const Grabs *grabs, const int *user_node, FILE *file);
bool grabs_restore(Grabs *grabs, const int *inside, Bytes *bytes, Error *error);

/// Save and restore one grab (group of nodes that the user moves). grabs_save_one writes the grab with this id, or
/// nothing if there is none. grabs_restore_one adds a grab that grabs_save_one wrote, with its springs and targets. *id
/// becomes the id that the grab had, or a new id if another grab has this id.
void grabs_save_one(const Grabs *grabs, int id, const int *user_node, FILE *file);
bool grabs_restore_one(Grabs *grabs, const int *inside, Bytes *bytes, int *id, Error *error);
