// Contact of a surface with itself, and so of bodies with each other: every pair of a point and a triangle and of two
// edges that is closer than `reach` pushes, by a barrier that no state of finite energy can pass (barrier.h), and steps
// are as long as no pair meets on the way (advance.h). Friction is Coulomb's, lagged: normal forces and directions
// are those at the step's beginning, smoothed (IPC, section 5) or, where pairs stick, a spring with return mapping
// (sliding.h).
//
// A checkpoint has the anchors of pairs that stick and the pairs that slid in the last step; the rest follows from
// positions. Contact works in double precision, and its sums run in the pairs' order: neither the number of threads nor
// earlier lists of pairs change a bit.
#pragma once
#include "sim/contact/anchors.h"
#include "sim/contact/nearby.h"

// The barrier's modulus over Young's: bodies that press on each other with a tenth of that keep half of the reach.
#define CONTACT_MODULUS 0.1
// The speed below which friction falls off over the extent, 1/s: as in IPC.
#define CONTACT_STILL_SPEED 1e-3

// Of mean edges: see contact_looked.
#define CONTACT_LOOKED 8

// See Contact.moved: a mouse stands still now and then, and what is recorded is to serve for a while.
#define CONTACT_MOVED 32

// What touches in one state.
typedef struct TouchList {
  Touch *touch;  // [count]
  int64_t count, room;
  double energy;  // J, of the barriers
} TouchList;

// What a pair adds to the tangent: w_i w_j B for its nodes i and j.
typedef struct Coupling {
  int node[4];
  double weight[4];
  double B[6];    // N/m: xx, yy, zz, xy, xz, yz
  double sum[3];  // in a product, B sum w_j x_j
  double led[3];  // m/s: sum w_j v_j of obstacles' nodes
} Coupling;

// What contact and cells have in a state, as far as it is known.
typedef struct ContactEnergies {
  double pairs, cells;  // J: barriers and friction; elastic, where cells_known
  bool touches, cells_known;
} ContactEnergies;

typedef struct Contact {
  Skin skin;
  Nearby nearby;
  double modulus;                       // Pa, of the barrier
  double friction;                      // coefficient
  double still_speed;                   // m/s: below it friction falls off, since it is smooth
  double (*x)[3], (*to)[3], (*way)[3];  // [node_count], m: for callers whose numbers are others
  // obstacles' nodes [skin.node_count - skin.body_nodes]: where they are when the step begins, m, from the origin of
  // coordinates, and how fast they move in it, m/s
  double (*rigid)[3], (*rigid_velocity)[3];
  bool rigid_moves;
  double elapsed, ahead;  // s: of the step, where they are now; and how much further the next contact_bound takes them
  const double *times;    // both, on the GPU, for work that is being recorded; else NULL
  int moved;              // recorded steps have obstacles move for so many more, be it nowhere, once they have moved
  double (*force)[3];     // [node_count] N, of contact_forces
  // pairs of the list that may touch in any of the states that contact_settle or contact_bound were last of
  int *may;  // [may_count], ascending
  int64_t may_count, may_room;
  TouchList now, tangent;  // of the last state looked at, and of that of the tangent
  int64_t *part_count;     // [parts] of either
  int64_t part_room;
  // friction in this step
  double (*start)[3];  // [node_count], m, where it began
  Sliding *sliding;    // [sliding_count]
  int64_t sliding_count, sliding_room;
  double still;            // m, how far still_speed goes in the step
  double friction_energy;  // J, of the last state looked at: what a line search sees of friction
  bool sticks;             // pairs stick where they slide no more,
  Anchors anchors;         // here; where `cuda` works, on the GPU
  // what a line search compares: of the state looked at last, and of that where its direction was bounded
  ContactEnergies energies, before;
  // the tangent's couplings, and for every node that has some the places of those: coupling * 4 + corner
  Coupling *coupling;  // [coupling_count]
  int64_t coupling_count, coupling_room;
  int *row_node, *row_start, *entry;  // [row_count], [row_count + 1], [4 coupling_count]
  int row_count;
  int64_t entry_room;
  int *row_of;   // [node_count]: the node's row, or -1
  double *dot;   // [row_count], of a product
  double scale;  // s, of the tangent: the step's impulse
  // a step has ended on the way that was looked at last, and nothing has changed since, so the list of pairs serves
  // what begins there
  bool settled;
  bool timed;                // a GPU's searches are waited for, so that their time is known
  struct StageClock *clock;  // who times what contact takes; borrowed
  struct ContactCuda *cuda;  // what works in its place where the body is on the GPU (contact_cuda.h); else NULL; owned
} Contact;

#ifdef __cplusplus
extern "C" {
#endif

/// Of the surface that triangles [count] of nodes inside make, and of obstacles (NULL: none). Fails for lack of memory.
bool contact_create(Contact **contact, const Space *space, const int (*triangle)[3], int count,
                    const RigidSurface *rigid, Error *error);
void contact_destroy(Contact *contact);  // takes NULL

/// Writes where obstacles' nodes are now, seen from `origin` (NULL: that of coordinates), behind the body's into x
/// [node_count][3].
void contact_place_rigid(const Contact *contact, const double *origin, double (*x)[3]);

/// Fails where the surface at x [node_count][3] goes through itself; the message names nodes by their tags.
bool contact_check(Contact *contact, const double (*x)[3], const int64_t *tag, Error *error);

/// Whether anything has friction.
static inline bool contact_rubs(const Contact *contact) {
  return contact->friction > 0 || contact->skin.rubs;
}

/// The list of pairs serves x [node_count][3] from now on: an old one, or one that is found there.
bool contact_settle(Contact *contact, const double (*x)[3], Error *error);

/// A step of this duration, s, begins at x: what slides in it. An infinite one has no friction. x here, and of forces
/// and the tangent, is the state that was settled last, or is on the way that contact_bound was last of.
bool contact_begin(Contact *contact, const double (*x)[3], double duration, Error *error);

/// The largest share of the ways `way` that brings no pair together; `rounding`, m, is that of positions. The list of
/// pairs then serves all of it. Of x and `way` nodes of the surface alone count.
bool contact_bound(Contact *contact, const double (*x)[3], double (*way)[3], double rounding, double *share,
                   Error *error);

/// How much of ways of which the longest has this length, m, is looked at first, where that takes another list of
/// pairs: more edges than CONTACT_LOOKED are those of a direction from far off, which is nearly always stopped before.
/// 1: all.
static inline double contact_looked(const Contact *contact, double longest) {
  return fmin(CONTACT_LOOKED * contact->skin.mean_edge / longest, 1);
}

/// How often pairs were looked for, and how long that took, s.
void contact_searches(const Contact *contact, int64_t *count, double *seconds);

/// Whether nothing pushes or rubs in any such state: then forces and tangent are zero, and need not be asked for.
static inline bool contact_idle(const Contact *contact) {
  return contact->may_count == 0 && contact->sliding_count == 0;
}

/// contact->force, now.energy and friction_energy at x. Nothing pushes a node that is not on the surface.
bool contact_forces(Contact *contact, const double (*x)[3], Error *error);

/// A step, or a part of one, has ended at x: what has slid in it sticks from there, where pairs stick.
bool contact_stick(Contact *contact, const double (*x)[3], Error *error);

/// The barrier has this modulus, Pa, from now on; what anchors have stored stays.
void contact_set_modulus(Contact *contact, double modulus);

/// Another state is set: nothing slides until the next step begins, and nothing sticks.
void contact_forget_friction(Contact *contact);

/// The friction at x of a pair that slides, N: on its nodes by their weights.
void contact_friction(const Contact *contact, const Sliding *sliding, const double (*x)[3], double force[3]);

/// The tangent at x: couplings, times `scale`.
bool contact_tangent(Contact *contact, const double (*x)[3], double scale, Error *error);

#ifdef __cplusplus
}
#endif
