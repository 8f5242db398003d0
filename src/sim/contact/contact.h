// Contact of bodies with themselves, with other bodies and with obstacles (rigid surfaces with a prescribed motion). A
// pair consists of two primitives: a point and a triangle, two edges, or a point and a half space. A pair touches if
// its distance is below the length `reach`. A barrier then pushes its two primitives apart. The energy of the barrier
// is infinite at distance 0 (barrier.h). Newton's steps are shortened so that no pair collides (advance.h). Friction
// follows Coulomb's law, with normal forces and directions from the start of the time step. The friction force either
// grows smoothly from 0 with the sliding speed, or is the force of a spring, which lets pairs stick (sliding.h).
//
// A state is a set of positions of all nodes. A list contains all pairs that may touch in coming states (nearby.h). The
// list is valid for a state if no pair outside the list can touch in this state. Otherwise a search makes a new list.
//
// A checkpoint file contains the stretches of the springs of sticking pairs (anchors.h), and the pairs that had
// friction in the last time step. All other data of contact follow from positions. Contact computes in double and adds
// pairs in a fixed order, so results are bit-identical for any number of threads. Pairs in the list that do not touch
// do not change the results.
#pragma once
#include "sim/contact/anchors.h"
#include "sim/contact/nearby.h"

// Default of the barrier's modulus, divided by Young's modulus. The barrier pushes bodies apart that are closer than
// the reach. At a distance of about half the reach, the barrier's pressure is a tenth of Young's modulus.
#define CONTACT_MODULUS 0.1
// Default of the sliding speed below which friction is smoothed, divided by the extent of the body, 1/s (as in Li et
// al., Incremental Potential Contact, 2020). The extent is the diagonal of the bounding box.
#define CONTACT_STILL_SPEED 1e-3

/// Returns the default of the reach, m, the distance below which a pair pushes. mean_edge: mean edge length of the
/// surface, m. extent: diagonal of the body's bounding box, m. The reach is small compared with the body, and large
/// compared with rounding errors.
static inline double contact_default_reach(double mean_edge, double extent) {
  const double by_edge = 0.1 * mean_edge, by_extent = 2e-3 * extent;
  return by_edge < by_extent ? by_edge : by_extent;
}

// Longest displacement, in mean edge lengths, for all of which a search makes a list of pairs at once. If a
// displacement is longer and the present list does not cover it, contact_bound first tests only its beginning
// (contact_tested_fraction).
#define CONTACT_TESTED_EDGES 8

// A CUDA graph of a time step is recorded either for moving obstacles or for obstacles at rest. After obstacles have
// stopped, the next CONTACT_MOVED time steps still use the graph for moving obstacles. The reason: a user who moves an
// obstacle with the mouse often stops only for a moment, and another graph would have to be recorded.
#define CONTACT_MOVED 32

// The pairs that touch in one state (their distance is below their reach), with their forces.
typedef struct TouchList {
  Touch *touch;             // [count], one for each pair that touches, with its forces
  int64_t count, capacity;  // number of pairs that touch, and allocated length of `touch`
  double energy;            // J, energy of the barriers
} TouchList;

// The terms that one pair adds to the tangent: for nodes i and j of the pair, w_i w_j B is added to their 3x3 block,
// with w_i and w_j the weights of the nodes.
typedef struct Coupling {
  int node[4];       // the four nodes of the pair; a node of the body replaces each node of an obstacle
  double weight[4];  // weights w of the nearest points (nearest.h); 0 for nodes that replace nodes of obstacles
  // N/m times argument `scale` of contact_tangent: symmetric 3x3 stiffness of the pair as xx, yy, zz, xy, xz, yz
  double B[6];
  double sum[3];  // work array of a product of the tangent with x: the sum of w_j x_j over the four nodes
  // m/s, the part of the pair's relative velocity that is due to moving obstacles: the sum of w_j v_j over its nodes j
  // on obstacles, with velocities v_j
  double led[3];
} Coupling;

// Energies of one state (positions of all nodes). The line search compares two states by these energies.
typedef struct ContactEnergies {
  // pairs: energy of the barriers plus potential of friction, J. cells: elastic energy of the body, J; defined only if
  // cells_known.
  double pairs, cells;
  bool touches, cells_known;  // touches: a pair touches in this state; cells_known: `cells` was computed
} ContactEnergies;

// Kinds of steps, which differ in their friction: time steps, and load increments of static problems. In a part of a
// divided time step, further passes find the friction that belongs to the normal forces at the end of the part
// (sim/newton/part_friction.h). In a load increment of a static problem (sim/statics/static_friction.h), springs always
// hold pairs that stick, and the caller sets Contact.start, the positions from which sliding is measured. In a time
// step, the setting friction_sticks decides if there are springs, and contact_begin sets Contact.start. One load
// increment consists of several passes. Each pass finds an equilibrium with the normal forces of the pass before.
typedef enum ContactLoading {
  LOADING_NONE,   // a time step, or an equilibrium without friction
  LOADING_FIRST,  // first pass: all pairs stick, since their normal forces are not known yet
  LOADING_AGAIN,  // further passes
  LOADING_LAST,   // last pass: at its end, the friction anchors of the equilibrium are stored
  LOADING_PART,   // a further pass of a part of a divided time step
} ContactLoading;

typedef struct Contact {
  Skin skin;       // the surfaces of bodies and obstacles: nodes, edges, triangles and planes
  Nearby nearby;   // the list of pairs that may touch
  double modulus;  // Pa, modulus of the barrier, which scales the forces of contact (barrier.h)
  // coefficient of friction of all pairs, except pairs with an obstacle that has its own coefficient
  double friction;
  double still_speed;  // m/s, sliding speed below which friction is smoothed
  // [node_count], m: work arrays for callers of this module. contact_settle overwrites `displacement`, contact_bound
  // overwrites `to`.
  double (*x)[3], (*to)[3], (*displacement)[3];
  // Data of nodes of obstacles, [skin.node_count - skin.body_nodes]. rigid: positions at the start of the time step, m.
  // rigid_velocity: velocities during the time step, m/s.
  double (*rigid)[3], (*rigid_velocity)[3];
  bool rigid_moves;  // true: an obstacle moves in this time step
  // Times, s. elapsed: time, counted from the start of the time step, for which contact_place_rigid computes the
  // obstacles' positions. ahead: the next test for collisions includes the obstacles' motion of this duration.
  double elapsed, ahead;
  // while a CUDA graph for touching pairs is recorded (newton/touching_graph.h): address on the GPU of two numbers,
  // which replace `elapsed` and `ahead`; else NULL
  const double *times;
  int moved;           // number of coming time steps that use the CUDA graph for moving obstacles (CONTACT_MOVED)
  double (*force)[3];  // [node_count], N, result of contact_forces
  // [may_count], ascending indices into nearby.pair: the listed pairs that may touch. contact_settle selects them for
  // one state, contact_bound for all states on a path. Other listed pairs are skipped when forces are computed.
  int *may;
  int64_t may_count, may_capacity;  // number of indices in `may`, and allocated length of `may`
  // Touching pairs with their forces. now: at the positions for which contact_forces or contact_begin was called last.
  // tangent: at the positions for which contact_tangent was called last.
  TouchList now, tangent;
  // work array of a parallel loop over `may`: the number of touching pairs that each piece of the loop has found
  int64_t *part_count;
  int64_t part_capacity;                    // allocated length of part_count
  double (*start)[3];                       // [node_count], m, positions from which sliding is measured
  Sliding *sliding;                         // [sliding_count], the pairs that have friction in this step
  int64_t sliding_count, sliding_capacity;  // number of sliding pairs, and allocated length of `sliding`
  // sliding distance in this time step, m, below which friction is smoothed: still_speed times the step's duration
  double still;
  // s, duration of the last time step, or of the last part of a divided time step; 0: not known
  double last_duration;
  double friction_energy;  // J, potential of friction, computed by the last call of contact_forces
  // The setting friction_sticks. true: springs hold pairs that stick (static friction). false: friction is smoothed, so
  // pairs creep.
  bool sticks;
  ContactLoading loading;
  Anchors anchors;  // anchors of sticking pairs; in the GPU's memory if `cuda` is set
  // Energies for the line search. energies: at the positions at which forces were evaluated last. before: at the
  // positions from which the line search began; the collision test at its start copies `energies` to `before`.
  ContactEnergies energies, before;
  // The tangent is a list of couplings, one for each pair; a coupling has four nodes. A product with the tangent runs
  // over rows, one for each node that has couplings. If the node is node j of coupling k, its row lists the number 4 *
  // k + j. Example: 14 means node 2 of coupling 3, with both counted from 0.
  Coupling *coupling;                         // [coupling_count], contributions of pairs to the tangent
  int64_t coupling_count, coupling_capacity;  // number of couplings, and allocated length of `coupling`
  // row_node [row_count]: the node of each row. entry [4 * coupling_count]: the numbers 4 * k + j of all rows, one row
  // after the other. row_start [row_count + 1]: index in `entry` of each row's first number.
  int *row_node, *row_start, *entry;
  int row_count;           // number of rows: nodes that have couplings
  int64_t entry_capacity;  // allocated length of `entry`
  int *row_of;             // [node_count], the node's row, or -1
  double *dot;             // [row_count], work array: one number per row for products with the tangent
  // true: the list of pairs contains all pairs that touch at the start of the next time step, so contact_settle can be
  // skipped. This holds if the last time step ended on a path that contact_bound had tested, and the positions have not
  // been changed since.
  bool settled;
  bool timed;                // true: the program measures times, so the host waits for each search on the GPU
  struct StageClock *clock;  // timer of the stages of contact; borrowed
  struct ContactCuda *cuda;  // contact on the GPU (contact_cuda.h) if the body is there, else NULL; owned
} Contact;

#ifdef __cplusplus
extern "C" {
#endif

/// Creates contact for a body and for the obstacles `rigid` (NULL: none). triangle [count]: the surface triangles of
/// the body, with node numbers of `space`. Fails if memory runs out.
bool contact_create(Contact **contact, const Space *space, const int (*triangle)[3], int count,
                    const RigidSurface *rigid, Error *error);
void contact_destroy(Contact *contact);  // accepts NULL

/// Writes the present positions of obstacles' nodes, minus `origin` [3] unless it is NULL, into x [node_count][3], m.
/// The positions of the body's nodes, which come first in x, stay unchanged.
void contact_place_rigid(const Contact *contact, const double *origin, double (*x)[3]);

/// Fails if the surface at x [node_count][3], m, intersects itself or an obstacle, or is not completely above all
/// planes. The message names nodes by tag [node_count], their numbers in the user's file.
bool contact_check(Contact *contact, const double (*x)[3], const int64_t *tag, Error *error);

/// Returns true if any pair can have friction: a coefficient of friction is above 0.
static inline bool contact_rubs(const Contact *contact) {
  return contact->friction > 0 || contact->skin.rubs;
}

/// Returns true in a time step, and false in a load increment of a static problem.
static inline bool contact_moves_in_time(const Contact *contact) {
  return contact->loading == LOADING_NONE || contact->loading == LOADING_PART;
}

/// Returns true if springs hold pairs that stick in this step (static friction, law 2 in sliding.h), and false if
/// friction is smoothed (law 1).
static inline bool contact_has_springs(const Contact *contact) {
  return contact->sticks || !contact_moves_in_time(contact);
}

/// Returns true if the stretches of friction springs at the end of this step (anchors) are stored for the next step.
static inline bool contact_stores_anchors(const Contact *contact) {
  return contact_moves_in_time(contact) ? contact->sticks : contact->loading == LOADING_LAST;
}

/// Ensures that the list of pairs contains all pairs that touch for nodes at x [node_count][3], m. Keeps the present
/// list if it is valid for x, else searches for a new one. Also stores in contact->may the listed pairs that may touch
/// at x.
bool contact_settle(Contact *contact, const double (*x)[3], Error *error);

/// Begins a time step of `duration`, s, or a load increment (ContactLoading), at the positions x. Stores the pairs that
/// touch at x; only these can have friction in this step. In a time step of infinite duration there is no friction.
/// Before contact_begin, contact_forces or contact_tangent, the list of pairs must contain all pairs that touch at x.
/// To ensure this, call contact_settle for x, or reach x on a path that contact_bound has tested.
bool contact_begin(Contact *contact, const double (*x)[3], double duration, Error *error);

/// Computes the safe fraction, 0 to 1, of the displacements: nodes can move from x by this fraction without a
/// collision of any pair. `rounding`, m, is the rounding error of displacements. Afterwards the list of pairs
/// contains all pairs that touch at any positions up to this fraction. If a displacement is longer than the body, all
/// displacements are scaled down in the array; *fraction still refers to the original ones. Only the values of nodes
/// on the surface are read.
bool contact_bound(Contact *contact, const double (*x)[3], double (*displacement)[3], double rounding, double *fraction,
                   Error *error);

/// Returns the fraction of the displacements that contact_bound tests first if it needs a new list of pairs. `longest`
/// is the length of the longest displacement, m. The fraction is below 1 if `longest` exceeds CONTACT_TESTED_EDGES mean
/// edge lengths. Such displacements occur far from the solution, and usually a collision stops them early. A list for
/// the whole motion would then be needlessly long.
static inline double contact_tested_fraction(const Contact *contact, double longest) {
  return fmin(CONTACT_TESTED_EDGES * contact->skin.mean_edge / longest, 1);
}

/// Stores in *count the number of searches for pairs so far, and in *seconds their total time, s.
void contact_searches(const Contact *contact, int64_t *count, double *seconds);

/// Adds number and time of the searches of `old` to those of this contact, which replaces `old`. Does nothing if `old`
/// is NULL.
void contact_add_searches(Contact *contact, const Contact *old);

/// Returns true if contact has no forces and no tangent: no pair has friction in this step, and contact->may is empty,
/// so no pair can touch. This holds for the positions for which contact_settle was called last. If contact_bound was
/// called later, it holds for all positions on the path that was tested.
static inline bool contact_idle(const Contact *contact) {
  return contact->may_count == 0 && contact->sliding_count == 0;
}

/// Computes the forces of contact and friction for nodes at x: contact->force, N; the touching pairs, contact->now; and
/// the potential of friction, contact->friction_energy, J. The force on inner nodes is 0.
bool contact_forces(Contact *contact, const double (*x)[3], Error *error);

/// Ends a time step, a part of a divided time step, or a load increment, at the positions x. If contact_stores_anchors
/// returns true, stores the stretches of the friction springs of sticking pairs (anchors.h). The next step begins with
/// these stretches.
bool contact_stick(Contact *contact, const double (*x)[3], Error *error);

/// Sets the modulus of the barrier, Pa. Scales the stretches of friction springs such that their energy does not
/// change.
void contact_set_modulus(Contact *contact, double modulus);

/// Removes all friction: the pairs that have friction in this time step, and all anchors (stretches of friction
/// springs). In a load increment (ContactLoading), the anchors are not removed. Must be called after positions have
/// been replaced, for example by a saved state.
void contact_forget_friction(Contact *contact);

/// Returns the sum of the largest friction forces of all sliding pairs (Sliding.limit), N.
static inline double contact_friction_limit(const Contact *contact) {
  double limit = 0;
  for (int64_t k = 0; k < contact->sliding_count; k++) limit += contact->sliding[k].limit;
  return limit;
}

/// Computes the friction force of a sliding pair, force [3], N, for nodes at x [node_count][3], m. Node j of the pair
/// gets the force sliding->weight[j] * force.
void contact_friction(const Contact *contact, const Sliding *sliding, const double (*x)[3], double force[3]);

/// Computes `scale` times the tangent of contact for nodes at x: the terms of each pair, contact->coupling, and for
/// each node the list of its couplings (contact->row_start, contact->entry). slip_fraction, 0 to 1: pairs that slip on
/// a moving obstacle get this fraction of their secant stiffness (sliding_tangent).
bool contact_tangent(Contact *contact, const double (*x)[3], double scale, double slip_fraction, Error *error);

#ifdef __cplusplus
}
#endif
