// A moving body: its state, the forces on it, and the step that Newton's method solves. This module has all parts of a
// step except assembly and linear solve. The arrays of a Motion have the body's precision, so only sources that are
// built for each precision read them (integrator.h); all others call the functions below.
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
struct PressureLoad;

// Norms over the free unknowns, and results of the last assembly.
typedef struct ResidualNorms {
  double residual;                      // ||p - h||
  double momentum, internal, external;  // norms of its terms p, impulse f_internal, impulse f_external
  double rounding;  // ||diagonal(tangent) * nodal data||; times epsilon: the effect of their rounding on the residual
  double min_J;     // smallest det F where forces act, and of the trial state if that was requested
} ResidualNorms;

// Loops over a body on one device in one precision: motion.c and its CUDA version motion.cu. The arithmetic for a node
// or an unknown is in integrator.h, for both. Functions queue their work and do not wait, unless their comment says so.
typedef struct MotionMethod {
  Stage stage;
  size_t (*scratch_bytes)(const Motion *motion);  // size of Iterate.scratch

  /// Computes the velocity of the state with consistent masses; does nothing with lumped masses.
  bool (*find_velocity)(const Motion *motion, Stream stream, Error *error);

  /// Sets u1 to a first guess for Newton's method; held nodes are at the step's end.
  /// FIRST_GUESS_VELOCITY moves nodes by their velocity for the step's duration, FIRST_GUESS_EXTRAPOLATED by their
  /// displacement in the last step, which must have the same duration.
  bool (*guess)(const Motion *motion, const struct TimeStep *step, FirstGuess guess, Stream stream, Error *error);

  /// Moves prescribed nodes to the step's end: u1 of unknowns with HELD_MOVED.
  bool (*move_held)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Sets du of unknowns with HELD_MOVED to the rest of their motion from u1 to the step's end. With
  /// `keep_others` du of other unknowns stays, else it becomes 0.
  bool (*held_rest)(const Motion *motion, const struct TimeStep *step, bool keep_others, Stream stream, Error *error);

  /// residual -= trial: for a product of the tangent that was stored in `trial`.
  bool (*take_product)(const Motion *motion, Stream stream, Error *error);

  /// u1 = from + factor (u1 - from), with displacements `from` [n].
  bool (*shorten)(const Motion *motion, const void *from, double factor, Stream stream, Error *error);

  /// trial = u1 + factor du; also computes the displacements at which forces act, and the nodal data there. With factor
  /// 0 du is not read.
  bool (*set_trial)(const Motion *motion, const struct TimeStep *step, double factor, Stream stream, Error *error);

  /// Computes the residual of the trial state and its norms, copied to Iterate.norms_host. `min_J` [min_J_count] reals
  /// are the assembly's, at the state where forces act, on this device. That state is the middle of the step for the
  /// midpoint rule, and the end may be inverted while the middle is not; `check_trial` also computes J at the end.
  bool (*residual)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                   bool check_trial, Stream stream, Error *error);

  /// Computes all parts of the tangent's diagonal except the stiffness of cells; contact at u1 is included.
  bool (*set_shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Sets the state to the end of the step, including the points at which nodes stick. Pinned nodes lose their
  /// momentum; moved ones have that of their mean velocity in the step.
  bool (*end_step)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// After a step of backward Euler of duration dt, s, from displacements u0 and momenta p0 [n]: corrects the momenta,
  /// so that each free piece keeps its angular momentum (spin.h). MotionArrays.find_pieces must run before.
  bool (*keep_spin)(const Motion *motion, double dt, const void *u0, const void *p0, Stream stream, Error *error);
  /// Sets the state one step earlier to that of a motion at the present velocity for dt, s, with the present momenta.
  bool (*make_before)(const Motion *motion, double dt, Stream stream, Error *error);

  /// Sets u and p of the free unknowns to (4 now - before)/3, for BDF2. Moved unknowns go a third of their
  /// displacement.
  bool (*extrapolate)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Moves the origin to the position that node 0 will have if it moves as in the last step. Displacements at the end
  /// of the next step are then small.
  bool (*move_origin)(const Motion *motion, Stream stream, Error *error);

  /// Resets all friction anchors to the current positions.
  bool (*reset_anchors)(const Motion *motion, Stream stream, Error *error);

  /// Sets the springs of the listed nodes. Arrays on the device: nodes [count], and values [count][SPRING_VALUES].
  bool (*set_springs)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                      Error *error);

  /// Sets the targets of the listed nodes. Arrays on the device: nodes [count] and values [count][3] m.
  bool (*set_targets)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                      Error *error);

  /// Sets the loads of the listed nodes. Arrays on the device: nodes [count] and values [count][3] N.
  bool (*set_load)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                   Error *error);

  /// For a body that is cut or torn. `split`: nodes [count] holds pairs of a node and its original. Nodes from
  /// `first_copy` on are copies and get the state of their originals. Then each node gets its row of values
  /// [count][SPLIT_VALUES]. `change_cells`: corners [corner_count] holds pairs of an index into the cells' nodes and
  /// its new node. All arrays are on the device.
  bool (*split)(const Motion *motion, const int (*nodes)[2], const double *values, int count, int first_copy,
                Stream stream, Error *error);
  bool (*change_cells)(const Motion *motion, const int (*corners)[2], int corner_count, Stream stream,
                       Error *error);  // NULL: the cells are the space's arrays

  /// Adds the product of the operator's term of consistent masses, their part of the tangent between different nodes,
  /// with x to y. The term's context is the motion.
  bool (*apply_masses)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count,
                       Stream stream, Error *error);

  /// See OperatorTerm.entries. NULL on the GPU.
  void (*mass_entries)(const struct OperatorTerm *term, void (*take)(void *user, int a, int b, const double block[9]),
                       void *user);
  /// As apply_masses and mass_entries, for the term of pressures (force/rows/pressure.h).
  bool (*apply_pressure)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count,
                         Stream stream, Error *error);
  void (*pressure_entries)(const struct OperatorTerm *term,
                           void (*take)(void *user, int a, int b, const double block[9]), void *user);

  /// Energies and momenta of the state. Waits.
  bool (*energy)(const Motion *motion, const double *material, Energy *energy, Stream stream, Error *error);

  /// Writes positions [node_count][3] float, in the user's order of nodes, on the device.
  bool (*positions)(const Motion *motion, float *positions, Stream stream, Error *error);

  /// Writes vectors of the state [node_count][3] float, in the user's order of nodes, on the device. Forces include
  /// those of obstacles and floor at the present positions.
  bool (*vectors)(const Motion *motion, VectorKind kind, float *vectors, Stream stream, Error *error);

  /// Computes MOTION_EXTERNAL in the memory of the residual: the external forces of the state without self-contact.
  bool (*external_forces)(const Motion *motion, Stream stream, Error *error);

  const struct MotionRecorded *recorded;  // functions for steps without the host; NULL: there are none

  /// For a body that lost nodes or cells: to[k] = from[list[k]] for k < count, items of `item` bytes; and numbers[k] =
  /// names[numbers[k]]. All arrays are on the device.
  bool (*gather)(void *to, const void *from, size_t item, const int *list, int count, Stream stream, Error *error);
  bool (*rename)(int *numbers, int64_t count, const int *names, Stream stream, Error *error);
} MotionMethod;

// Pieces of work that steps without the host record (step_graph.h). `trial` is the state that was evaluated last; it
// becomes u1 when the next trial is computed.
typedef struct MotionRecorded {
  /// Makes the backup of the state, sets u1 to u0 or to the guess, and computes the trial state there.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, FirstGuess guess, Stream stream, Error *error);

  /// After `begin` with a guess: u1 = u0 + *share (u1 - u0), and the trial state there. `fraction` is on the device.
  bool (*shorten)(const Motion *motion, const struct TimeStep *step, const double *fraction, Stream stream,
                  Error *error);

  /// u1 = trial, then trial = u1 + du (or u1 + *share du, unless `fraction` is NULL), with its nodal data. Does nothing
  /// if *wanted is 0; NULL: always runs. Both are on the device.
  bool (*advance)(const Motion *motion, const struct TimeStep *step, const double *fraction, const int *wanted,
                  Stream stream, Error *error);

  /// trial = u1 + *share du, with its nodal data.
  bool (*try_fraction)(const Motion *motion, const struct TimeStep *step, const double *fraction, Stream stream,
                       Error *error);

  /// As MotionMethod.set_shift, at the state `trial`; does nothing if *wanted is 0. With contact (see StepDecision) it
  /// includes the part of contact, and takes the slip share from the progress.
  bool (*set_shift)(const Motion *motion, const struct TimeStep *step, const int *wanted,
                    const struct StepDecision *decision, Stream stream, Error *error);

  /// As MotionMethod.residual, without copying the norms, followed by the decision.
  bool (*decide)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                 bool check_trial, const struct StepDecision *decision, Stream stream, Error *error);

  /// For a trial that its residual refuses: computes energies, followed by the decision.
  bool (*weigh)(const Motion *motion, const struct TimeStep *step, const double *material,
                const struct StepDecision *decision, Stream stream, Error *error);

  /// If Newton's method has converged: u1 = trial, and as end_step. It changes nothing that the backup cannot restore.
  bool (*finish)(const Motion *motion, const struct TimeStep *step, const struct StepDecision *decision, Stream stream,
                 Error *error);
} MotionRecorded;

// Vectors of a Motion, as doubles on the host.
typedef enum MotionVector {
  MOTION_U,       // [node_count][3] m, displacements from the origin
  MOTION_P,       // [node_count][3] kg m/s, momenta
  MOTION_ORIGIN,  // [3] m
  MOTION_ANCHOR,  // [node_count][2] m, points at which nodes stick to the floor, as displacements from the origin
  MOTION_OBSTACLE_ANCHOR,  // [obstacle_count][node_count][3] m, as MOTION_ANCHOR, for each obstacle
  MOTION_U_BEFORE,         // the state one step earlier
  MOTION_P_BEFORE,
  MOTION_MASS,      // [node_count] kg, lumped
  MOTION_CONTACT,   // [node_count] m: times the modulus of the floor: contact stiffness of a node
  MOTION_LOAD,      // [node_count][3] N
  MOTION_ITERATE,   // [node_count][3] m, last iterate of Newton's method, converged or not, from the origin
  MOTION_INTERNAL,  // [node_count][3] N, the internal force after newton's `forces`
  MOTION_EXTERNAL,  // [node_count][3] N, the external force after `external_forces`
  MOTION_U_START,   // [node_count][3] m and kg m/s, the state at the start of the last step, if Newton.knows_start and
  MOTION_P_START,   // a node is held
  MOTION_VECTORS,
} MotionVector;

// Columns of a row of a split: mass, kg; fraction of the former node's mass; contact stiffness, see MOTION_CONTACT;
// load, N.
enum { SPLIT_MASS, SPLIT_FRACTION, SPLIT_CONTACT, SPLIT_LOAD, SPLIT_VALUES = SPLIT_LOAD + 3 };

// New values of changed and new nodes, for a body that is split (space_split.h).
typedef struct MotionRows {
  const SpaceSplit *split;
  const int (*node)[2];                 // [row_count], each node, and the node that it was before
  const double (*value)[SPLIT_VALUES];  // [row_count]
  const int (*corner)[2];  // [changed_count * nodes of a cell]: an index into the cells' nodes, its new node
  const int *user_node;    // [left_count], the user's numbers of the remaining nodes if some were removed; else NULL
} MotionRows;

// Creation, reading and writing, for both devices: motion_arrays.c.
typedef struct MotionArrays {
  /// Creates a body at rest without held nodes, on the element's device. `mass` [node_count] kg; `user_node`
  /// [node_count]: the user's number of each node. With `nodal_positions` the element's nodal data are positions, else
  /// displacements.
  Motion *(*create)(const ElementRow *element, const Space *space, const double *mass, const int *user_node,
                    bool nodal_positions, const void *supplemental, Error *error);
  void (*destroy)(Motion *motion);  // accepts NULL
  bool (*reset)(Motion *motion, Stream stream, Error *error);

  /// Both wait. `write` fails for a value out of the range of the precision.
  bool (*read)(const Motion *motion, MotionVector vector, double *to, Stream stream, Error *error);
  bool (*write)(Motion *motion, MotionVector vector, const double *from, Stream stream, Error *error);

  /// Reads or writes displacements [node_count][3] m from the reference positions. Writing resets the friction anchors
  /// to the new positions. Both wait.
  bool (*displacements)(const Motion *motion, double (*u)[3], Stream stream, Error *error);
  bool (*set_displacements)(Motion *motion, const double (*u)[3], Stream stream, Error *error);

  /// Reads velocities [node_count][3] m/s; with consistent masses call find_velocity first.
  bool (*velocities)(const Motion *motion, double (*v)[3], Stream stream, Error *error);

  /// Finds the connected pieces of the body for keep_spin, unless they are known. `space` has its present cells. May
  /// wait.
  bool (*find_pieces)(Motion *motion, const Space *space, Stream stream, Error *error);

  /// Reads the bits (held.h) of unknowns [3 node_count]. Waits.
  bool (*held)(const Motion *motion, uint8_t *held, Stream stream, Error *error);

  /// Sets consistent masses: once after `create`, and again after each change. The space must have the body's graph.
  /// Waits.
  bool (*set_mass_matrix)(Motion *motion, const Space *space, const struct MassMatrix *masses, Stream stream,
                          Error *error);

  void (*set_floor)(Motion *motion, const Floor *floor);

  /// Call once, after `create`, for a body at rest.
  bool (*set_obstacles)(Motion *motion, const Obstacle *obstacles, int count, Error *error);

  /// Sets positions of moving obstacles and their velocities in the next step; as many as set_obstacles got. Waits.
  bool (*move_obstacles)(Motion *motion, const Obstacle *obstacles, Stream stream, Error *error);

  /// Replaces the pressures; NULL: none. `node` [count][nodes] are the nodes of the faces. Waits.
  bool (*set_pressure)(Motion *motion, const struct PressureLoad *load, const int *node, Stream stream, Error *error);

  /// Replaces the values of the present pressures, Pa, for as many faces as set_pressure got. Waits.
  bool (*change_pressure)(Motion *motion, const double *value, Stream stream, Error *error);

  /// Sets self-contact, which is borrowed. Call once, after `create`, for a body at rest.
  bool (*set_self_contact)(Motion *motion, struct Contact *contact, Error *error);

  /// For a body that is cut or torn. `reserve` allocates memory for the new nodes. `split` gives copies the state of
  /// their originals, drops removed nodes and cells, and clears all springs. `split` is queued, reads `rows` until the
  /// stream is synchronised, and fails only on errors of the device.
  bool (*reserve)(Motion *motion, const SpaceSplit *split, Error *error);
  bool (*split)(Motion *motion, const MotionRows *rows, Stream stream, Error *error);
} MotionArrays;

extern const MotionArrays motion_arrays_f32, motion_arrays_f64;

#ifdef __cplusplus
}
#endif
