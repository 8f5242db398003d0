// Contact of a surface with itself, and so between bodies, and with obstacles. Each pair of a point and a triangle, of
// two edges, or of a point and a half space, that is closer than `reach` pushes by a barrier, which no state of finite
// energy can pass (barrier.h). Steps are shortened so that no pair collides during the motion (advance.h). Friction is
// Coulomb's, lagged: normal forces and directions are those at the start of the step. It is smoothed (IPC, section 5)
// or, if pairs stick, a spring with return mapping (sliding.h).
//
// A checkpoint holds the anchors of sticking pairs and the pairs that slid in the last step; all else follows from
// positions. Contact computes in double, and its sums run in the order of pairs: neither the number of threads nor
// earlier lists of pairs change a bit.
#pragma once
#include "sim/contact/anchors.h"
#include "sim/contact/nearby.h"

// Modulus of the barrier over Young's modulus: bodies pressed together by a tenth of Young's modulus keep half of the
// reach.
#define CONTACT_MODULUS 0.1
// Speed below which friction is smoothed, over the extent of the body, 1/s; as in IPC.
#define CONTACT_STILL_SPEED 1e-3

// In mean edge lengths: see contact_tested_fraction.
#define CONTACT_TESTED_EDGES 8

// See Contact.moved: a mouse pauses now and then, and recorded steps should stay usable meanwhile.
#define CONTACT_MOVED 32

// Touching pairs of one state.
typedef struct TouchList {
  Touch *touch;  // [count]
  int64_t count, capacity;
  double energy;  // J, of the barriers
} TouchList;

// Contribution of a pair to the tangent: block w_i w_j B for its nodes i and j.
typedef struct Coupling {
  int node[4];
  double weight[4];
  double B[6];    // N/m: xx, yy, zz, xy, xz, yz
  double sum[3];  // work array of a product: B sum w_j x_j
  double led[3];  // m/s: sum w_j v_j over obstacles' nodes
} Coupling;

// Energies of contact and cells in a state, as far as they are known.
typedef struct ContactEnergies {
  double pairs, cells;  // J: energy of barriers and friction; elastic energy, valid if cells_known
  bool touches, cells_known;
} ContactEnergies;

typedef struct Contact {
  Skin skin;
  Nearby nearby;
  double modulus;                                // Pa, of the barrier
  double friction;                               // coefficient
  double still_speed;                            // m/s: below it friction is smoothed
  double (*x)[3], (*to)[3], (*displacement)[3];  // [node_count], m: work arrays of callers, in double
  // obstacles' nodes [skin.node_count - skin.body_nodes]: positions at the start of the step, m, relative to the origin
  // of coordinates, and velocities during the step, m/s
  double (*rigid)[3], (*rigid_velocity)[3];
  bool rigid_moves;
  double elapsed, ahead;  // s: time since the start of the step; and the time of the motion that the next contact_bound
                          // tests
  const double *times;    // both times, on the GPU, for work that is being recorded; else NULL
  int moved;              // number of recorded steps that still treat obstacles as moving after their last motion
  double (*force)[3];     // [node_count], N, result of contact_forces
  // listed pairs that may touch in any state covered by the last contact_settle or contact_bound
  int *may;  // [may_count], ascending
  int64_t may_count, may_capacity;
  TouchList now, tangent;  // pairs of the last evaluated state, and of the tangent's state
  int64_t *part_count;     // [parts], for either list
  int64_t part_capacity;
  // friction in this step
  double (*start)[3];  // [node_count], m, positions at its start
  Sliding *sliding;    // [sliding_count]
  int64_t sliding_count, sliding_capacity;
  double still;            // m, displacement at still_speed in the step
  double friction_energy;  // J, of the last evaluated state, for the line search
  bool sticks;             // pairs stick when they stop sliding
  Anchors anchors;         // sticking pairs; on the GPU if `cuda` is set
  // energies for the line search: of the last evaluated state, and of the state in which its direction was bounded
  ContactEnergies energies, before;
  // couplings of the tangent; a row holds the entries (coupling * 4 + corner) of a node that has some
  Coupling *coupling;  // [coupling_count]
  int64_t coupling_count, coupling_capacity;
  int *row_node, *row_start, *entry;  // [row_count], [row_count + 1], [4 coupling_count]
  int row_count;
  int64_t entry_capacity;
  int *row_of;   // [node_count]: the node's row, or -1
  double *dot;   // [row_count], work array of a product
  double scale;  // s, factor of the tangent
  // a step has ended on the displacements that were bounded last, and nothing has changed since: the list of pairs is
  // valid for the state that begins the next step
  bool settled;
  bool timed;                // waits for searches on the GPU, to measure their time
  struct StageClock *clock;  // timer of the stages of contact; borrowed
  struct ContactCuda *cuda;  // set if the body is on the GPU: replaces the functions of the CPU (contact_cuda.h); owned
} Contact;

#ifdef __cplusplus
extern "C" {
#endif

/// Creates contact for the surface of triangles [count] of the space's nodes, and of obstacles (NULL: none). Fails if
/// memory runs out.
bool contact_create(Contact **contact, const Space *space, const int (*triangle)[3], int count,
                    const RigidSurface *rigid, Error *error);
void contact_destroy(Contact *contact);  // accepts NULL

/// Writes the current positions of obstacles' nodes, relative to `origin` (NULL: the origin of coordinates), after the
/// body's nodes into x [node_count][3].
void contact_place_rigid(const Contact *contact, const double *origin, double (*x)[3]);

/// Fails if the surface at x [node_count][3] intersects itself or is not above all planes; the message names nodes by
/// their tags.
bool contact_check(Contact *contact, const double (*x)[3], const int64_t *tag, Error *error);

/// Tests if any pair can have friction.
static inline bool contact_rubs(const Contact *contact) {
  return contact->friction > 0 || contact->skin.rubs;
}

/// Makes the list of pairs valid at x [node_count][3]: keeps it or searches again.
bool contact_settle(Contact *contact, const double (*x)[3], Error *error);

/// Begins a step of `duration` s at x: lists the sliding pairs. An infinite duration has no friction. Here, and in
/// contact_forces and contact_tangent, x must be the state of the last contact_settle, or lie on the displacements of
/// the last contact_bound.
bool contact_begin(Contact *contact, const double (*x)[3], double duration, Error *error);

/// Computes the largest fraction of the displacements `displacement` in which no pair collides; `rounding`, m, is that
/// of positions. The list of pairs is then valid for this fraction. Displacements longer than the body are scaled down
/// in `displacement`; *share still refers to the original ones. Only surface nodes of x and `displacement` are read.
bool contact_bound(Contact *contact, const double (*x)[3], double (*displacement)[3], double rounding, double *fraction,
                   Error *error);

/// Fraction of displacements, the longest of which has this length, m, that is tested first if a new list of pairs is
/// needed. Displacements of more than CONTACT_TESTED_EDGES edges belong to directions far from the solution, which are
/// nearly always stopped early. 1: all.
static inline double contact_tested_fraction(const Contact *contact, double longest) {
  return fmin(CONTACT_TESTED_EDGES * contact->skin.mean_edge / longest, 1);
}

/// Returns the number of searches for pairs, and their total time, s.
void contact_searches(const Contact *contact, int64_t *count, double *seconds);

/// Tests if no pair pushes or rubs in these states: forces and tangent are then zero and need not be computed.
static inline bool contact_idle(const Contact *contact) {
  return contact->may_count == 0 && contact->sliding_count == 0;
}

/// Computes contact->force, now.energy and friction_energy at x. Inner nodes get no force.
bool contact_forces(Contact *contact, const double (*x)[3], Error *error);

/// Ends a step or substep at x: pairs that slid stick from there, if `sticks` is set.
bool contact_stick(Contact *contact, const double (*x)[3], Error *error);

/// Sets the modulus of the barrier, Pa; the energy stored in anchors is kept.
void contact_set_modulus(Contact *contact, double modulus);

/// Call after another state is set: no pair slides until the next step begins, and none sticks.
void contact_forget_friction(Contact *contact);

/// Computes the friction at x of a sliding pair, N; node j gets its weight times `force`.
void contact_friction(const Contact *contact, const Sliding *sliding, const double (*x)[3], double force[3]);

/// Computes the tangent at x: couplings, times `scale`.
bool contact_tangent(Contact *contact, const double (*x)[3], double scale, Error *error);

#ifdef __cplusplus
}
#endif
