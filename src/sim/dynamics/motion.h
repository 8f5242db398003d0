// A body in motion: its state, the forces on it, and the step that Newton is solving. Everything of a time step that is
// neither assembly nor linear solve. Its arrays are of its precision, so only what is built for each precision looks
// into a Motion (integrator.h); all else goes through the functions here.
#pragma once
#include "base/field_kind.h"
#include "base/obstacle.h"
#include "sim/dynamics/newton_settings.h"
#include "sim/dynamics/step_report.h"
#include "sim/element/element_row.h"
#include "sim/element/space_split.h"
#include "sim/element/stage.h"
#include "sim/force/floor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Motion Motion;
struct TimeStep;
struct Contact;
struct StepDecision;
struct MassMatrix;
struct OperatorTerm;

// Norms over the free unknowns, and what the last assembly saw.
typedef struct ResidualNorms {
  double residual;                      // ||p - h||
  double momentum, internal, external;  // norms of its terms p, impulse f_internal, impulse f_external
  double rounding;  // ||diagonal(tangent) * nodal data||: times epsilon, what rounding those does to the residual
  double min_J;     // smallest det F: where forces act, and of the trial state where that was asked for
} ResidualNorms;

// The loops over a body on one device in one precision: motion.c and its twin motion.cu. What they do with each node or
// unknown stands once, in integrator.h. They queue their work and do not wait, unless they say so.
typedef struct MotionMethod {
  Stage stage;
  size_t (*scratch_bytes)(const Motion *motion);  // that Iterate.scratch must have

  /// The velocity of the state for those who ask for it, with consistent masses; nothing with lumped ones.
  bool (*find_velocity)(const Motion *motion, Stream stream, Error *error);

  /// u1 = where Newton may begin in place of u0, which held nodes keep: FIRST_GUESS_VELOCITY moves nodes on for the
  /// step's duration, FIRST_GUESS_EXTRAPOLATED by as much as in the last step, for a step as long as that one.
  bool (*guess)(const Motion *motion, const struct TimeStep *step, FirstGuess guess, Stream stream, Error *error);

  /// u1 = from + factor (u1 - from), of displacements `from` [n].
  bool (*shorten)(const Motion *motion, const void *from, double factor, Stream stream, Error *error);

  /// trial = u1 + factor du, and what follows from it: where forces act, and the nodal data there. A factor of zero
  /// does not read du.
  bool (*set_trial)(const Motion *motion, const struct TimeStep *step, double factor, Stream stream, Error *error);

  /// The residual of the trial state, and its norms, copied to Iterate.norms_host. `min_J` [min_J_count] reals are the
  /// assembly's, of where forces act, on this device. The middle of two good states may be good and the second inverted
  /// all the same (x1 = 2 middle - x0), so `check_trial` looks at J there too.
  bool (*residual)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                   bool check_trial, Stream stream, Error *error);

  /// What is not stiffness of cells on the tangent's diagonal, contact's share where u1 touches something included.
  bool (*set_shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// The state becomes that at the end of the step, where nodes stick included. Held nodes keep no momentum.
  bool (*end_step)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// u and p of the free unknowns become (4 now - before)/3: BDF2.
  bool (*extrapolate)(const Motion *motion, Stream stream, Error *error);

  /// Moves the origin to where node 0 will be if it moves on as in the last step, so that forces at the end of the next
  /// one are those of small displacements.
  bool (*move_origin)(const Motion *motion, Stream stream, Error *error);

  /// All nodes stick to what they touch where they stand.
  bool (*reset_anchors)(const Motion *motion, Stream stream, Error *error);

  /// Sets the springs of the listed nodes. Arrays on the device: nodes [count], and values [count][SPRING_VALUES].
  bool (*set_springs)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                      Error *error);

  /// Sets the loads of the listed nodes, on the device as well: nodes [count] and values [count][3] N.
  bool (*set_load)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                   Error *error);

  /// Of a body that is taken apart: nodes [count], each with the one that it was, those from `first_copy` on copies,
  /// which get all that those have; then momenta are multiplied by shares, and masses, loads and contact are those of
  /// values [count][SPLIT_VALUES]; and the places [corner_count] in the cells' nodes have these nodes. On the device.
  bool (*split)(const Motion *motion, const int (*nodes)[2], const double *values, int count, int first_copy,
                Stream stream, Error *error);
  bool (*change_cells)(const Motion *motion, const int (*corners)[2], int corner_count, Stream stream,
                       Error *error);  // NULL: they are the space's own

  /// The operator's term that consistent masses are: what the tangent has of them between different nodes. Its context
  /// is the motion.
  bool (*apply_masses)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count,
                       Stream stream, Error *error);

  /// Energies and momenta of the state. Waits.
  bool (*energy)(const Motion *motion, const double *material, Energy *energy, Stream stream, Error *error);

  /// positions [node_count][3] float, in the user's order of nodes, on the device.
  bool (*positions)(const Motion *motion, float *positions, Stream stream, Error *error);

  /// Vectors of the state [node_count][3] float, likewise. Forces are those that obstacles have, and floor, where nodes
  /// are now.
  bool (*vectors)(const Motion *motion, VectorKind kind, float *vectors, Stream stream, Error *error);

  const struct MotionRecorded *recorded;  // what a step without the host takes besides; NULL: there is none

  /// Where nodes or cells are gone: to[k] = from[list[k]] for k < count, items of `item` bytes, and numbers[k] =
  /// names[numbers[k]]. All on the device.
  bool (*gather)(void *to, const void *from, size_t item, const int *list, int count, Stream stream, Error *error);
  bool (*rename)(int *numbers, int64_t count, const int *names, Stream stream, Error *error);
} MotionMethod;

// What only a step without the host has (step_graph.h): pieces of work to be recorded. `trial` is the state that was
// evaluated last, and becomes u1 when the next one is made.
typedef struct MotionRecorded {
  /// The state's backup, u1 = u0 or the guess, and the trial state there.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, FirstGuess guess, Stream stream, Error *error);

  /// After `begin` with a guess: u1 = u0 + *share (u1 - u0), which is on the device, and the trial state there.
  bool (*shorten)(const Motion *motion, const struct TimeStep *step, const double *share, Stream stream, Error *error);

  /// u1 = trial, trial = u1 + du, or *share du where that is not NULL, and what follows from it; nothing where *wanted
  /// is 0 (NULL: always). Both are on the device.
  bool (*advance)(const Motion *motion, const struct TimeStep *step, const double *share, const int *wanted,
                  Stream stream, Error *error);

  /// trial = u1 + *share du, and what follows from it.
  bool (*try_share)(const Motion *motion, const struct TimeStep *step, const double *share, Stream stream,
                    Error *error);

  /// What set_shift does, of the state `trial`; likewise. Where anything touches, see StepDecision, with its part, and
  /// with the slip share of the progress in place of the step's.
  bool (*set_shift)(const Motion *motion, const struct TimeStep *step, const int *wanted,
                    const struct StepDecision *decision, Stream stream, Error *error);

  /// What `residual` does, without copying its sums, and the decision.
  bool (*decide)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                 bool check_trial, const struct StepDecision *decision, Stream stream, Error *error);

  /// Where a trial's residual refuses it: energies, and the decision that follows.
  bool (*weigh)(const Motion *motion, const struct TimeStep *step, const double *material,
                const struct StepDecision *decision, Stream stream, Error *error);

  /// Where Newton has converged: u1 = trial, and what end_step does. No more, so that the backup brings all back.
  bool (*finish)(const Motion *motion, const struct TimeStep *step, const struct StepDecision *decision, Stream stream,
                 Error *error);
} MotionRecorded;

// Vectors of a Motion, as doubles on the host.
typedef enum MotionVector {
  MOTION_U,                // [node_count][3] m, displacements from the origin
  MOTION_P,                // [node_count][3] kg m/s, momenta
  MOTION_ORIGIN,           // [3] m
  MOTION_ANCHOR,           // [node_count][2] m, where nodes stick to the floor, as displacements from the origin
  MOTION_OBSTACLE_ANCHOR,  // [obstacle_count][node_count][3] m, the same for each obstacle
  MOTION_U_BEFORE,         // the state one step earlier
  MOTION_P_BEFORE,
  MOTION_MASS,      // [node_count] kg, lumped
  MOTION_CONTACT,   // [node_count] m: times the floor's modulus a node's stiffness against what it touches
  MOTION_LOAD,      // [node_count][3] N
  MOTION_ITERATE,   // [node_count][3] m, what Newton ended with, converged or not, from the origin
  MOTION_INTERNAL,  // [node_count][3] N, the internal force after newton's `forces`
  MOTION_VECTORS,
} MotionVector;

// What a row of a split has: mass, kg; its share of the mass of the node that it was; its stiffness against what it
// touches, see MOTION_CONTACT; load, N.
enum { SPLIT_MASS, SPLIT_SHARE, SPLIT_CONTACT, SPLIT_LOAD, SPLIT_VALUES = SPLIT_LOAD + 3 };

// What nodes have from now on that are other ones, or new, where a body is taken apart (space_split.h).
typedef struct MotionRows {
  const SpaceSplit *split;
  const int (*node)[2];                 // [row_count], and the node that each was
  const double (*value)[SPLIT_VALUES];  // [row_count]
  const int (*corner)[2];               // [changed_count * nodes of a cell]: a place in the cells' nodes, its node
  const int *user_node;                 // [left_count], the user's numbers of nodes where some are gone; else NULL
} MotionRows;

// Made and read the same way on both devices: motion_arrays.c.
typedef struct MotionArrays {
  /// At rest and free, on the element's device. `mass` [node_count] kg; `user_node` [node_count]: the user's number of
  /// each node. With `nodal_positions` the element's nodal data are positions, else displacements.
  Motion *(*create)(const ElementRow *element, const Space *space, const double *mass, const int *user_node,
                    bool nodal_positions, const void *supplemental, Error *error);
  void (*destroy)(Motion *motion);  // takes NULL
  bool (*reset)(Motion *motion, Stream stream, Error *error);

  /// All of them wait. Writing a value that the precision has no room for fails.
  bool (*read)(const Motion *motion, MotionVector vector, double *to, Stream stream, Error *error);
  bool (*write)(Motion *motion, MotionVector vector, const double *from, Stream stream, Error *error);

  /// Displacements [node_count][3] m from the reference positions, and the other way: then nodes stick to the floor
  /// where they are put. Both wait.
  bool (*displacements)(const Motion *motion, double (*u)[3], Stream stream, Error *error);
  bool (*set_displacements)(Motion *motion, const double (*u)[3], Stream stream, Error *error);

  /// The same of velocities [node_count][3] m/s, which find_velocity has left where masses are consistent.
  bool (*velocities)(const Motion *motion, double (*v)[3], Stream stream, Error *error);

  /// Which unknowns [3 node_count] are held, 1 or 0. Waits.
  bool (*held)(const Motion *motion, uint8_t *held, Stream stream, Error *error);

  /// Consistent masses, once after `create`, and again where they change; the space's graph is that of the body. Waits.
  bool (*set_mass_matrix)(Motion *motion, const Space *space, const struct MassMatrix *masses, Stream stream,
                          Error *error);

  void (*set_floor)(Motion *motion, const Floor *floor);

  /// Once, after `create`, of a body at rest.
  bool (*set_obstacles)(Motion *motion, const Obstacle *obstacles, int count, Error *error);

  /// Puts obstacles that move where they are, with their velocities in the next step; as many as were set. Waits.
  bool (*move_obstacles)(Motion *motion, const Obstacle *obstacles, Stream stream, Error *error);

  /// Replaces the pressures: triangles [count] of nodes, counter-clockwise seen from outside, and a value for each, Pa.
  /// Waits.
  bool (*set_pressure)(Motion *motion, const int (*triangle)[3], const double *value, int count, Stream stream,
                       Error *error);

  /// The same as set_obstacles of contact of the surface with itself, which is borrowed.
  bool (*set_self_contact)(Motion *motion, struct Contact *contact, Error *error);

  /// Of a body that is taken apart: room for what is new; then copies of nodes are where those are, with their
  /// velocities, nodes and cells that are gone are no more, and all springs are gone. The latter is queued, reads
  /// `rows` until the stream has been synchronised, and fails only with the device.
  bool (*reserve)(Motion *motion, const SpaceSplit *split, Error *error);
  bool (*split)(Motion *motion, const MotionRows *rows, Stream stream, Error *error);
} MotionArrays;

extern const MotionArrays motion_arrays_f32, motion_arrays_f64;

#ifdef __cplusplus
}
#endif
