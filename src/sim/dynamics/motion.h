// A moving body: its state, the forces on it, and the data of the step that Newton's method solves. This module does
// all work of a step except assembly and linear solve. The arrays of a Motion are of type real, which is float or
// double. Only sources that are compiled for each precision access these arrays (integrator.h). All others call the
// functions of this header.
//
// Symbols, as in integrator.h: u and p are displacements and momenta; u0 and p0 are their values at the start of the
// step. u1 is Newton's present iterate for the end of the step, du Newton's direction, and `trial` the candidate for
// the next iterate. n is the number of unknowns, 3 per node. An obstacle is a rigid body with a prescribed motion. A
// friction anchor is the position at which a node sticks to the floor or an obstacle.
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

// Results of an evaluation of a state: L2 norms over the free unknowns, kg m/s, and the smallest det F over all cells,
// with F the deformation gradient.
typedef struct ResidualNorms {
  double residual;                      // norm of the residual p0 - h (time_step.h)
  double momentum, internal, external;  // norms of the residual's terms: momenta p0, internal forces times
                                        // TimeStep.impulse, and external forces times TimeStep.impulse
  double rounding;  // norm of diagonal(tangent) * nodal data; nodal data are the displacements or positions that the
                    // assembly reads. Times the machine epsilon, it estimates the change of the residual by rounding of
                    // the nodal data
  double min_J;     // smallest det F in the state at which forces act; with `check_trial` also at the step's end
} ResidualNorms;

// Functions on a body for one device and one precision: motion.c and its CUDA version motion.cu. They are loops over
// nodes or unknowns, with the arithmetic of integrator.h. On the GPU, functions queue their work and do not wait,
// except those with "Waits." in their comments.
typedef struct MotionMethod {
  Stage stage;
  size_t (*scratch_bytes)(const Motion *motion);  // bytes of Iterate.scratch, the work memory for partial sums

  /// With consistent masses, computes the velocities of the body's state; with lumped masses it does nothing.
  bool (*find_velocity)(const Motion *motion, Stream stream, Error *error);

  /// Sets u1 to a first guess for Newton's method. Held unknowns get their prescribed displacement at the step's end.
  /// FIRST_GUESS_VELOCITY moves nodes by their velocity for the duration of the step. FIRST_GUESS_EXTRAPOLATED moves
  /// nodes by their displacement in the last step, which must be as long as this step.
  bool (*guess)(const Motion *motion, const struct TimeStep *step, FirstGuess guess, Stream stream, Error *error);

  /// Sets u1 of unknowns with a prescribed motion (HELD_MOVED) to their position at the step's end.
  bool (*move_held)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Sets du of unknowns with a prescribed motion (HELD_MOVED) to the rest of this motion, which leads from u1 to the
  /// step's end. If `keep_others` is true, du of other unknowns does not change, else it becomes 0.
  bool (*held_rest)(const Motion *motion, const struct TimeStep *step, bool keep_others, Stream stream, Error *error);

  /// Computes residual -= trial. Before, the caller has stored the product of the tangent with du in the array `trial`.
  bool (*take_product)(const Motion *motion, Stream stream, Error *error);

  /// Moves u1 towards the displacements `from` [n]: u1 = from + factor (u1 - from).
  bool (*shorten)(const Motion *motion, const void *from, double factor, Stream stream, Error *error);

  /// Sets trial = u1 + factor * du. Also computes u_theta, the displacements at which forces act, and the nodal data
  /// that the assembly reads for u_theta. If `factor` is 0, du is not read.
  bool (*set_trial)(const Motion *motion, const struct TimeStep *step, double factor, Stream stream, Error *error);

  /// Computes the residual of the trial state and its norms, which are copied to Iterate.norms_host. `min_J`
  /// [min_J_count], reals on this device, are values of det F from the assembly; their minimum becomes
  /// ResidualNorms.min_J. These values belong to the state at which forces act. For the midpoint rule this is the
  /// middle of the step, but a cell may be inverted only at the end. Therefore, with `check_trial`, det F is also
  /// computed at the step's end.
  bool (*residual)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                   bool check_trial, Stream stream, Error *error);

  /// Computes Iterate.shift: the diagonal blocks of the tangent without the stiffness of cells. Contact is evaluated at
  /// u1.
  bool (*set_shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Sets the body's state to the end of the step, u1, and updates the friction anchors. Pinned unknowns get the
  /// momentum 0. Unknowns with a prescribed motion get the momentum of their mean velocity in the step.
  bool (*end_step)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Corrects the momenta after a step of backward Euler, so that rotating pieces of the body keep their angular
  /// momentum (spin.h). A piece is a connected part of the body; pieces with held nodes are not corrected. The step
  /// began with displacements u0 and momenta p0 [n] and had the duration dt, s. spin_find_pieces must have run.
  bool (*keep_spin)(const Motion *motion, double dt, const void *u0, const void *p0, Stream stream, Error *error);

  /// After a step or part of the midpoint rule from displacements u0 and momenta p0 [n]: corrects the momenta so that
  /// the step gains no energy and, if possible, loses none (energy_keep.h). *gained is true if it still gains more than
  /// is allowed. `material` [MATERIAL_PARAMETERS]. spin_find_pieces must have run. Waits.
  bool (*keep_energy)(const Motion *motion, const struct TimeStep *step, const double *material, const void *u0,
                      const void *p0, bool *gained, Stream stream, Error *error);

  /// Computes an earlier state for a first step by BDF2, which needs the state one step before: the body is assumed to
  /// have moved at its present velocity for dt, s.
  bool (*make_before)(const Motion *motion, double dt, Stream stream, Error *error);

  /// For BDF2: replaces u and p of the free unknowns by (4 now - before)/3. `now` is the present value, and `before`
  /// the value one step earlier. Unknowns with a prescribed motion move by a third of their displacement in this step.
  bool (*extrapolate)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Moves the origin of displacements to the position that node 0 will have after the next step, if it moves as in the
  /// last step. Displacements at the end of the next step, and their rounding errors, are then small.
  bool (*move_origin)(const Motion *motion, Stream stream, Error *error);

  /// Sets all friction anchors, on the floor and on obstacles, to the present positions of the nodes.
  bool (*reset_anchors)(const Motion *motion, Stream stream, Error *error);

  /// Sets the springs (springs.h) of the nodes in nodes [count] to values [count][SPRING_VALUES]. Both arrays are on
  /// the device.
  bool (*set_springs)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                      Error *error);

  /// Sets the prescribed displacements at the step's end (targets) of the nodes in nodes [count] to values [count][3],
  /// m. Both arrays are on the device.
  bool (*set_targets)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                      Error *error);

  /// Sets the loads on the nodes in nodes [count] to values [count][3], N. Both arrays are on the device.
  bool (*set_load)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                   Error *error);

  /// Two functions for a body that is cut or torn. Each node at the cut is duplicated, and the cells on one side use
  /// the copy. All arrays are on the device.
  ///
  /// `split` sets new values of nodes. An element of nodes [count] is a pair: a node, and its original. Nodes whose
  /// number is at least `first_copy` are copies, and first get the state of their originals. Then each node in the list
  /// gets its row of values [count][SPLIT_VALUES].
  ///
  /// `change_cells` replaces nodes of cells. An element of corners [corner_count] is a pair: an index into the array of
  /// the cells' nodes, and the new node at this index.
  bool (*split)(const Motion *motion, const int (*nodes)[2], const double *values, int count, int first_copy,
                Stream stream, Error *error);
  bool (*change_cells)(const Motion *motion, const int (*corners)[2], int corner_count, Stream stream,
                       Error *error);  // change_cells is NULL on the CPU, on which body and mesh have one array of
                                       // cells

  /// Adds T x to y. T is the contribution of consistent masses to the tangent, without its diagonal. Implements
  /// OperatorTerm.apply (operator.h); the context of the term is the Motion.
  bool (*apply_masses)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count,
                       Stream stream, Error *error);

  /// Calls `take` for each 3x3 block of T (see apply_masses), as OperatorTerm.entries. NULL on the GPU.
  void (*mass_entries)(const struct OperatorTerm *term, void (*take)(void *user, int a, int b, const double block[9]),
                       void *user);
  /// As apply_masses and mass_entries, for the contribution of pressures on faces (force/rows/pressure.h).
  bool (*apply_pressure)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count,
                         Stream stream, Error *error);
  void (*pressure_entries)(const struct OperatorTerm *term,
                           void (*take)(void *user, int a, int b, const double block[9]), void *user);

  /// Computes the energies and momenta of the body in its present state. Waits.
  bool (*energy)(const Motion *motion, const double *material, Energy *energy, Stream stream, Error *error);

  /// Writes positions [node_count][3], floats in m, in the user's order of nodes, to memory on the device.
  bool (*positions)(const Motion *motion, float *positions, Stream stream, Error *error);

  /// Writes a vector field of the state, vectors [node_count][3] float, in the user's order of nodes, to memory on the
  /// device. Forces include those of obstacles and the floor at the present positions.
  bool (*vectors)(const Motion *motion, VectorKind kind, float *vectors, Stream stream, Error *error);

  /// Computes the external forces, N, without self-contact, in the present state of the body. Stores them in the array
  /// of the residual, from which MOTION_EXTERNAL reads them.
  bool (*external_forces)(const Motion *motion, Stream stream, Error *error);

  const struct MotionRecorded *recorded;  // functions for steps that run as CUDA graphs; NULL on the CPU

  /// Two functions for a body whose remaining nodes or cells are renumbered, since others were removed. `gather` copies
  /// to[k] = from[list[k]] for k < count; an element has `item` bytes. `rename` replaces numbers[k] by
  /// names[numbers[k]] for k < count. All arrays are on the device.
  bool (*gather)(void *to, const void *from, size_t item, const int *list, int count, Stream stream, Error *error);
  bool (*rename)(int *numbers, int64_t count, const int *names, Stream stream, Error *error);
} MotionMethod;

// Functions that are called while the CUDA graph of a step is recorded (step_graph.h). Their work runs at each launch
// of the graph, without the host. `trial` is the state that was evaluated last; the functions `advance` and `finish`
// make it the new u1. Arguments such as *fraction are on the device.
typedef struct MotionRecorded {
  /// Backs up the body's state, sets u1 to the first guess, and sets the trial state to u1.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, FirstGuess guess, Stream stream, Error *error);

  /// Shortens the first guess of `begin`: u1 = u0 + *fraction * (u1 - u0). Then sets the trial state to u1.
  bool (*shorten)(const Motion *motion, const struct TimeStep *step, const double *fraction, Stream stream,
                  Error *error);

  /// Sets u1 = trial, then trial = u1 + *fraction * du (`fraction` NULL: u1 + du), and computes the nodal data of the
  /// trial. Does nothing if `wanted` is not NULL and *wanted is 0.
  bool (*advance)(const Motion *motion, const struct TimeStep *step, const double *fraction, const int *wanted,
                  Stream stream, Error *error);

  /// Sets trial = u1 + *fraction * du, and computes its nodal data.
  bool (*try_fraction)(const Motion *motion, const struct TimeStep *step, const double *fraction, Stream stream,
                       Error *error);

  /// As MotionMethod.set_shift, but with contact evaluated at `trial`. Does nothing if *wanted is 0. If decision->sums
  /// is not NULL, contact pairs may touch: the shift then includes self-contact, and decision->progress has the value
  /// of slip_fraction (TimeStep).
  bool (*set_shift)(const Motion *motion, const struct TimeStep *step, const int *wanted,
                    const struct StepDecision *decision, Stream stream, Error *error);

  /// Computes the residual as MotionMethod.residual, but does not copy its norms to the host. Then calls newton_decide.
  bool (*decide)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                 bool check_trial, const struct StepDecision *decision, Stream stream, Error *error);

  /// For a trial whose residual is too large: computes the change of the step's potential from u1 to the trial. Then
  /// calls newton_decide_weighed, which accepts the trial if the potential has decreased.
  bool (*weigh)(const Motion *motion, const struct TimeStep *step, const double *material,
                const struct StepDecision *decision, Stream stream, Error *error);

  /// If Newton's method has converged: sets u1 = trial, and does the work of MotionMethod.end_step. The backup still
  /// has the state at the start of the step.
  bool (*finish)(const Motion *motion, const struct TimeStep *step, const struct StepDecision *decision, Stream stream,
                 Error *error);
} MotionRecorded;

// Vectors of a Motion that MotionArrays.read and write convert to doubles on the host.
typedef enum MotionVector {
  MOTION_U,       // [node_count][3] m, displacements from the origin
  MOTION_P,       // [node_count][3] kg m/s, momenta
  MOTION_ORIGIN,  // [3] m, origin of displacements: position = X + origin + u
  MOTION_ANCHOR,  // [node_count][2] m, friction anchors on the floor: the horizontal displacement, from the origin, at
                  // which a node sticks
  MOTION_OBSTACLE_ANCHOR,  // [obstacle_count][node_count][3] m, as MOTION_ANCHOR, for each obstacle
  MOTION_U_BEFORE,         // [node_count][3] m, displacements one step earlier; MOTION_P_BEFORE: [node_count][3] kg
                           // m/s, momenta one step earlier
  MOTION_P_BEFORE,
  MOTION_MASS,      // [node_count] kg, lumped
  MOTION_CONTACT,   // [node_count] m, stiffness of contact at a node (N/m) divided by Floor.modulus (Pa), so a length
  MOTION_LOAD,      // [node_count][3] N
  MOTION_ITERATE,   // [node_count][3] m, displacements in the last iterate of Newton's method, converged or not
  MOTION_INTERNAL,  // [node_count][3] N, internal forces; NewtonFunctions.forces must have computed them
  MOTION_EXTERNAL,  // [node_count][3] N, external forces; MotionMethod.external_forces must have computed them
  MOTION_U_START,   // [node_count][3] m, displacements at the start of the last step; valid if Newton.knows_start and
                    // an unknown is held
  MOTION_P_START,   // [node_count][3] kg m/s, momenta at the start of the last step; valid under the same condition
  MOTION_VECTORS,
} MotionVector;

// Columns of MotionRows.value, the new values of a node after a cut. Mass: kg. Fraction: mass divided by that of the
// original node. Contact: m, as MOTION_CONTACT. Load: [3], N.
enum { SPLIT_MASS, SPLIT_FRACTION, SPLIT_CONTACT, SPLIT_LOAD, SPLIT_VALUES = SPLIT_LOAD + 3 };

// New values of changed and new nodes, for a body that is cut or torn (space_split.h).
typedef struct MotionRows {
  const SpaceSplit *split;
  const int (*node)[2];                 // [row_count], each node and its original
  const double (*value)[SPLIT_VALUES];  // [row_count]
  const int (*corner)[2];  // [changed_count * nodes of a cell]: index into the array of the cells' nodes, and the new
                           // node at this index
  const int *user_node;    // [left_count], the user's numbers of the remaining nodes if some were removed; else NULL
} MotionRows;

// Functions that create, read and write a Motion on either device: motion_arrays.c.
typedef struct MotionArrays {
  /// Creates a body at rest without held nodes, on the element's device. mass [node_count] are lumped masses, kg, and
  /// user_node [node_count] is the user's number of each node. If `nodal_positions` is true, the assembly reads
  /// positions of nodes, else displacements. `supplemental` are constants that the element stores for each undeformed
  /// cell. The body uses those that the assembly has created; NULL: the body creates its own.
  Motion *(*create)(const ElementRow *element, const Space *space, const double *mass, const int *user_node,
                    bool nodal_positions, const void *supplemental, Error *error);
  void (*destroy)(Motion *motion);  // accepts NULL

  /// Sets the body to rest in its undeformed state: displacements, their origin, momenta and friction anchors become 0.
  bool (*reset)(Motion *motion, Stream stream, Error *error);

  /// `read` copies a vector to doubles on the host, and `write` copies doubles on the host to a vector. Both wait.
  /// `write` fails if a value is outside the range of the precision.
  bool (*read)(const Motion *motion, MotionVector vector, double *to, Stream stream, Error *error);
  bool (*write)(Motion *motion, MotionVector vector, const double *from, Stream stream, Error *error);

  /// These two functions read and set displacements [node_count][3], m, from the reference positions. The body stores
  /// displacements relative to a moving origin; `displacements` adds this origin, and set_displacements subtracts it.
  /// set_displacements also sets the friction anchors to the new positions. Both wait.
  bool (*displacements)(const Motion *motion, double (*u)[3], Stream stream, Error *error);
  bool (*set_displacements)(Motion *motion, const double (*u)[3], Stream stream, Error *error);

  /// Reads velocities [node_count][3] m/s. With consistent masses, MotionMethod.find_velocity must run before.
  bool (*velocities)(const Motion *motion, double (*v)[3], Stream stream, Error *error);

  /// Reads Body.held, the bits of held.h for each unknown [3 node_count]. Waits.
  bool (*held)(const Motion *motion, uint8_t *held, Stream stream, Error *error);

  /// Sets consistent masses. Called once after `create`, and again when the masses have changed. `space` must have the
  /// graph of the body's nodes. Waits.
  bool (*set_mass_matrix)(Motion *motion, const Space *space, const struct MassMatrix *masses, Stream stream,
                          Error *error);

  void (*set_floor)(Motion *motion, const Floor *floor);

  /// Sets the obstacles that push single nodes (force/obstacle.h). Obstacles that act through self-contact are not in
  /// the list. Called once after `create`, for a body at rest.
  bool (*set_obstacles)(Motion *motion, const Obstacle *obstacles, int count, Error *error);

  /// Sets the obstacles' positions, and their velocities in the next step. Their number must be that of set_obstacles.
  /// Waits.
  bool (*move_obstacles)(Motion *motion, const Obstacle *obstacles, Stream stream, Error *error);

  /// Replaces the pressures on faces; `load` NULL: none. `node` are the nodes of load->faces in internal order. Waits.
  bool (*set_pressure)(Motion *motion, const struct PressureLoad *load, const int *node, Stream stream, Error *error);

  /// Replaces the values of the present pressures, Pa, one for each face of set_pressure. Waits.
  bool (*change_pressure)(Motion *motion, const double *value, Stream stream, Error *error);

  /// Connects the body to the data of self-contact, which are borrowed. Called once after `create`, for a body at rest.
  bool (*set_self_contact)(Motion *motion, struct Contact *contact, Error *error);

  /// Two functions for a body that is cut or torn. `reserve` allocates memory for the new nodes. `split` copies the
  /// state of original nodes to their copies, removes nodes and cells, and removes all springs. Its work is queued, so
  /// `rows` must stay valid until the stream is synchronised. It fails only on errors of the device.
  bool (*reserve)(Motion *motion, const SpaceSplit *split, Error *error);
  bool (*split)(Motion *motion, const MotionRows *rows, Stream stream, Error *error);
} MotionArrays;

extern const MotionArrays motion_arrays_f32, motion_arrays_f64;

#ifdef __cplusplus
}
#endif
