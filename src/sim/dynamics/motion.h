// A moving body: its state, the forces on it, and the data of the time step that Newton's method solves. The module
// does all work of a time step except assembly and linear solve. Arrays are of type real, float or double, so only
// sources that are compiled for each precision access them (integrator.h). All other sources call the functions of this
// header.
//
// Symbols: u, p are displacements, m, and momenta, kg m/s; u0, p0 their values at the start of the step; u1 the
// displacements at the end of the step in the present iterate of Newton's method; du Newton's direction; `trial` the
// candidate for the next iterate; n the number of unknowns, 3 per node. An obstacle is a rigid body with a prescribed
// motion. A friction anchor is the position at which a node sticks to the floor or an obstacle.
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

// Results of an evaluation of a state: Euclidean norms of vectors of the free unknowns, kg m/s, each unknown times the
// weight of its node (Body.weight). F is the deformation gradient.
typedef struct ResidualNorms {
  double residual;                      // norm of the residual p0 - h (time_step.h)
  double momentum, internal, external;  // norms of the residual's terms: of the momenta p0, and of the internal and
                                        // external forces, both times TimeStep.impulse
  double rounding;  // norm of D q, with the tangent's diagonal D and the nodal data q (displacements or positions).
                    // This norm times the machine epsilon estimates the error of the residual that rounding of q causes
  double min_J;     // smallest det F over all cells, for the displacements at which forces are evaluated and, if
                    // `check_trial` is true (MotionMethod.residual), also for those at the step's end
} ResidualNorms;

// Functions on a body for one device and one precision (motion.c; CUDA: motion.cu): loops over nodes or unknowns, with
// the arithmetic of integrator.h. On the GPU they queue work, and wait for the device only if their comment says so.
typedef struct MotionMethod {
  Stage stage;
  size_t (*scratch_bytes)(const Motion *motion);  // bytes of Iterate.scratch, work memory for partial sums

  /// Computes velocities from momenta if the mass matrix is consistent. Does nothing if masses are lumped.
  bool (*find_velocity)(const Motion *motion, Stream stream, Error *error);

  /// Sets u1 to a first guess for Newton's method, and held unknowns to their prescribed displacement at the step's
  /// end. FIRST_GUESS_VELOCITY moves nodes by their velocity during the step. FIRST_GUESS_EXTRAPOLATED repeats their
  /// displacement in the last step, which must be as long as this one. rigid_guess.h explains FIRST_GUESS_RIGID.
  bool (*guess)(const Motion *motion, const struct TimeStep *step, FirstGuess guess, Stream stream, Error *error);

  /// Sets u1 of unknowns with a prescribed motion (HELD_MOVED) to their displacement at the step's end.
  bool (*move_held)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Sets du of unknowns with a prescribed motion (HELD_MOVED) to their remaining displacement, from u1 to the step's
  /// end. Keeps du of other unknowns if `keep_others`, else sets it to 0.
  bool (*held_rest)(const Motion *motion, const struct TimeStep *step, bool keep_others, Stream stream, Error *error);

  /// Subtracts from the residual the product of the tangent with du, which the caller has stored in `trial`.
  bool (*take_product)(const Motion *motion, Stream stream, Error *error);

  /// Moves u1 towards the displacements `from` [n]: u1 = u + factor (u1 - u) with u = `from`.
  bool (*shorten)(const Motion *motion, const void *from, double factor, Stream stream, Error *error);

  /// Sets trial = u1 + factor * du. Also computes u_theta, the displacements at which forces are evaluated, and the
  /// nodal data that the assembly reads. If `factor` is 0, du is not read.
  bool (*set_trial)(const Motion *motion, const struct TimeStep *step, double factor, Stream stream, Error *error);

  /// Computes the residual of the trial state and its norms, in Iterate.norms_host. min_J [min_J_count], reals on the
  /// body's device: the smallest det F of each group of cells. The assembly has computed min_J at u_theta, the
  /// displacements at which forces are evaluated. For the midpoint rule they belong to the middle of the step, and a
  /// cell that is not inverted there may be inverted at the step's end. If `check_trial` is true, det F is also
  /// computed at the step's end.
  bool (*residual)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                   bool check_trial, Stream stream, Error *error);

  /// Computes Iterate.shift at u1: the diagonal 3x3 blocks of the tangent without the stiffness of cells. These blocks
  /// contain inertia, springs, dampers and contact. Also computes the terms besides the operator's matrix: the
  /// off-diagonal blocks of self-contact and the tangent of pressures.
  bool (*set_shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Sets the body's state to u1, the end of the step, and updates the friction anchors. Momenta of pinned unknowns
  /// become 0. Momenta of unknowns with a prescribed motion become mass times mean velocity in the step.
  bool (*end_step)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Computes Iterate.back for a step with TimeStep.turns_back: the changes of momenta that turn the velocities of
  /// rotating pieces (connected parts of the body) back by half of their rotation in the step (turn_back.h). The pieces
  /// must have been found (spin_find_pieces).
  bool (*turn_back)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Corrects the momenta after a step, or part of a step, so that the linear and angular momentum of each free piece
  /// (connected part of the body without held nodes) follow from the impulses of the forces on it (spin.h). The step
  /// lasted dt seconds and began with displacements u0 [n] and momenta p0 [n]. The pieces must have been found
  /// (spin_find_pieces).
  bool (*keep_momenta)(const Motion *motion, const struct TimeStep *step, double dt, const void *u0, const void *p0,
                       Stream stream, Error *error);

  /// Corrects the momenta after a step, or part of a step, of the midpoint rule that began with displacements u0 and
  /// momenta p0 [n]. The aim of the correction is that the step neither gains nor loses energy (energy_keep.h).
  /// *energy_error receives the error that remains, divided by kinetic plus strain energy; positive: a gain. Before the
  /// call, it is the error that earlier parts of a divided step have left, or 0; the correction removes this error too.
  /// material [MATERIAL_PARAMETERS]: the material's parameters. The pieces must have been found (spin_find_pieces).
  /// Waits for the device.
  bool (*keep_energy)(const Motion *motion, const struct TimeStep *step, const double *material, const void *u0,
                      const void *p0, double *energy_error, Stream stream, Error *error);

  /// Computes the state one step (dt, s) earlier, for the first BDF2 step, as if the body had moved at its present
  /// velocity.
  bool (*make_before)(const Motion *motion, double dt, Stream stream, Error *error);

  /// For BDF2: replaces u and p of free unknowns by (4 now - before)/3, where `now` is the present value and `before`
  /// the value one step earlier. Moves unknowns with a prescribed motion by a third of their displacement in this step.
  bool (*extrapolate)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Moves the origin from which displacements are measured, so that they and their rounding errors stay small. The new
  /// origin is where node 0 will be after the next step, if it moves as in the last step.
  bool (*move_origin)(const Motion *motion, Stream stream, Error *error);

  /// Sets all friction anchors (positions at which nodes stick to the floor and to obstacles) to the present positions.
  bool (*reset_anchors)(const Motion *motion, Stream stream, Error *error);

  /// Sets the springs (springs.h) of nodes [count] to values [count][SPRING_VALUES]. Both arrays are on the device.
  bool (*set_springs)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                      Error *error);

  /// Sets the prescribed displacements of nodes [count] at the step's end to values [count][3], m. Both arrays are on
  /// the device.
  bool (*set_targets)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                      Error *error);

  /// Sets the loads on nodes [count] to values [count][3], N. Both arrays are on the device.
  bool (*set_load)(const Motion *motion, const int *nodes, const double *values, int count, Stream stream,
                   Error *error);

  /// Replaces Forces.given by values [nodes of the user's mesh][3], N, and sets Forces.load to base + given. The array
  /// is on the device, and has floats (PRECISION_F32) or doubles. NULL: Forces.given stays, and only Forces.load is
  /// computed, after a change of Forces.base.
  bool (*give_load)(const Motion *motion, const void *values, Precision precision, Stream stream, Error *error);

  /// `split` and `change_cells` are for a body that is cut or torn: nodes at the cut are duplicated, and the cells on
  /// one side use the copies. All arrays are on the device.
  ///
  /// `split` sets new values of nodes. nodes [count] are pairs of a node and its original. The pairs from index
  /// `first_copy` on are copies, which first get the state of their originals. Then each node in the list gets its row
  /// of values [count][SPLIT_VALUES].
  ///
  /// `change_cells` replaces nodes of cells. corners [corner_count] are pairs: an index into the array of the cells'
  /// nodes, and the new node at this index. change_cells is NULL on the CPU, on which body and mesh share this array.
  bool (*split)(const Motion *motion, const int (*nodes)[2], const double *values, int count, int first_copy,
                Stream stream, Error *error);
  bool (*change_cells)(const Motion *motion, const int (*corners)[2], int corner_count, Stream stream, Error *error);

  /// Computes y += T x. T is the consistent mass matrix without its diagonal, times *MassRows.factor. Implements
  /// OperatorTerm.apply (operator.h); the context of the term is the Motion.
  bool (*apply_masses)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count,
                       Stream stream, Error *error);

  /// Calls `take` for each 3x3 block below the diagonal of the matrix T of apply_masses. Implements
  /// OperatorTerm.entries; NULL on the GPU.
  void (*mass_entries)(const struct OperatorTerm *term, void (*take)(void *user, int a, int b, const double block[9]),
                       void *user);
  /// apply_pressure: computes y += T x, with T the symmetric part of the tangent of pressures on faces
  /// (force/rows/pressure.h). pressure_entries: calls `take` for each 3x3 block of T below the diagonal.
  /// pressure_antisymmetric: adds the product of the antisymmetric part with x to y. The last two are NULL on the GPU.
  bool (*apply_pressure)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count,
                         Stream stream, Error *error);
  void (*pressure_entries)(const struct OperatorTerm *term,
                           void (*take)(void *user, int a, int b, const double block[9]), void *user);
  void (*pressure_antisymmetric)(const struct OperatorTerm *term, const double *x, double *y);

  /// Computes the energies and momenta of the body in its present state. Waits for the device.
  bool (*energy)(const Motion *motion, const double *material, Energy *energy, Stream stream, Error *error);

  /// Writes positions [node_count][3], m, in the user's order of nodes, to memory on the device.
  bool (*positions)(const Motion *motion, float *positions, Stream stream, Error *error);

  /// Writes a vector field of the state, vectors [node_count][3], in the user's order of nodes, to memory on the
  /// device. A field of forces includes the forces of obstacles and of the floor.
  bool (*vectors)(const Motion *motion, VectorKind kind, float *vectors, Stream stream, Error *error);

  /// Computes the external forces in the present state, N, without self-contact. Stores them in Iterate.residual, which
  /// MotionArrays.read returns as the vector MOTION_EXTERNAL.
  bool (*external_forces)(const Motion *motion, Stream stream, Error *error);

  const struct MotionRecorded *recorded;  // functions for steps that run as CUDA graphs; NULL on the CPU

  /// Used after a removal of nodes or cells, when the remaining ones get new indices. `gather` copies elements of
  /// `item` bytes: `to[k] = from[list[k]]` for k < count. `rename` replaces old indices by new ones: `numbers[k] =
  /// names[numbers[k]]` for k < count. All arrays are on the device.
  bool (*gather)(void *to, const void *from, size_t item, const int *list, int count, Stream stream, Error *error);
  bool (*rename)(int *numbers, int64_t count, const int *names, Stream stream, Error *error);
} MotionMethod;

// Functions that queue work while the CUDA graph of a step is recorded (step_graph.h); the work runs at each launch of
// the graph, without the host. `trial` is the last evaluated state. Values such as *fraction are on the device.
typedef struct MotionRecorded {
  /// Backs up the body's state, and sets u1 and the trial state to the first guess `guess`.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, FirstGuess guess, Stream stream, Error *error);

  /// Shortens the first guess, u1 = u0 + *fraction * (u1 - u0), and sets the trial state to u1.
  bool (*shorten)(const Motion *motion, const struct TimeStep *step, const double *fraction, Stream stream,
                  Error *error);

  /// Sets u1 = trial, then trial = u1 + *fraction * du (`fraction` NULL: u1 + du), with the nodal data that the
  /// assembly reads. Does nothing if `wanted` is not NULL and *wanted is 0.
  bool (*advance)(const Motion *motion, const struct TimeStep *step, const double *fraction, const int *wanted,
                  Stream stream, Error *error);

  /// Sets trial = u1 + *fraction * du, and computes the nodal data of this state, which the assembly reads.
  bool (*try_fraction)(const Motion *motion, const struct TimeStep *step, const double *fraction, Stream stream,
                       Error *error);

  /// Computes Iterate.shift, the diagonal 3x3 blocks of the tangent without the stiffness of cells, with contact at
  /// `trial`. Does nothing if *wanted is 0. If decision->sums is not NULL, contact pairs may touch: the shift includes
  /// self-contact, and TimeStep.slip_fraction comes from decision->progress.
  bool (*set_shift)(const Motion *motion, const struct TimeStep *step, const int *wanted,
                    const struct StepDecision *decision, Stream stream, Error *error);

  /// Computes the residual of the trial state and its norms. The norms stay on the GPU, which then decides about
  /// Newton's next action (newton_decide).
  bool (*decide)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                 bool check_trial, const struct StepDecision *decision, Stream stream, Error *error);

  /// For a trial state whose residual is too large: computes the change of the step's potential from u1 to this trial.
  /// If the potential decreases, accepts the trial (newton_decide_weighed).
  bool (*weigh)(const Motion *motion, const struct TimeStep *step, const double *material,
                const struct StepDecision *decision, Stream stream, Error *error);

  /// If Newton's method has converged: sets u1 = trial, and stores displacements u1, the new momenta and the friction
  /// anchors as the body's state. Does not change the backup, which is the state at the start of the step.
  bool (*finish)(const Motion *motion, const struct TimeStep *step, const struct StepDecision *decision, Stream stream,
                 Error *error);
} MotionRecorded;

// Vectors of a Motion that MotionArrays.read copies to doubles on the host, and that MotionArrays.write copies back.
typedef enum MotionVector {
  MOTION_U,       // [node_count][3] m, displacements from the moving origin (MOTION_ORIGIN)
  MOTION_P,       // [node_count][3] kg m/s, momenta
  MOTION_ORIGIN,  // [3] m, origin of displacements: position = X + origin + u
  MOTION_ANCHOR,  // [node_count][2] m, friction anchors on the floor: the horizontal displacement at which each node
                  // sticks
  MOTION_OBSTACLE_ANCHOR,  // [obstacle_count][node_count][3] m, friction anchors on each obstacle
  MOTION_U_BEFORE,         // [node_count][3] m, displacements one step before the present state (Iterate.u_before)
  MOTION_P_BEFORE,         // [node_count][3] kg m/s, momenta one step before the present state (Iterate.p_before)
  MOTION_MASS,             // [node_count] kg, lumped masses
  MOTION_CONTACT,          // [node_count] m, stiffness of contact at a node (N/m) divided by Floor.modulus (Pa)
  MOTION_LOAD,             // [node_count][3] N, loads on nodes, without given loads
  MOTION_GIVEN,            // [node_count][3] N, given loads (Forces.given); valid only if Forces.has_given
  MOTION_ITERATE,   // [node_count][3] m, displacements in the last iterate of Newton's method, also if it did not
                    // converge
  MOTION_INTERNAL,  // [node_count][3] N, internal forces; valid directly after NewtonFunctions.forces, which computes
                    // them
  MOTION_EXTERNAL,  // [node_count][3] N, external forces; valid directly after MotionMethod.external_forces, which
                    // computes them
  MOTION_U_START,   // [node_count][3] m, displacements at the start of the last step; defined only if
                    // Newton.knows_start is true and an unknown is held
  MOTION_P_START,   // [node_count][3] kg m/s, momenta at the start of the last step; defined only if Newton.knows_start
                    // is true and an unknown is held
  MOTION_VECTORS,
} MotionVector;

// Columns of MotionRows.value, a node's new values after a cut. SPLIT_MASS: mass, kg. SPLIT_FRACTION: mass divided by
// the mass of the original node before the cut. SPLIT_CONTACT: contact stiffness as in MOTION_CONTACT, m. SPLIT_LOAD:
// [3], load, N.
enum { SPLIT_MASS, SPLIT_FRACTION, SPLIT_CONTACT, SPLIT_LOAD, SPLIT_VALUES = SPLIT_LOAD + 3 };

// New values of changed and new nodes of a body that is cut or torn (space_split.h).
typedef struct MotionRows {
  const SpaceSplit *split;
  const int (*node)[2];                 // [row_count], pairs of a node and its original
  const double (*value)[SPLIT_VALUES];  // [row_count], new values of each node
  const int (*corner)[2];  // [changed_count * nodes of a cell], pairs: index into the array of the cells' nodes, and
                           // the new node at this index
  const int *user_node;    // [left_count], the user's numbers of the remaining nodes; NULL if no cells were removed
} MotionRows;

enum { MOTION_RANGES_MAX = 6 };  // maximum number of arrays of MotionArrays.zero_at_rest

// Functions that create, read and write a Motion, on the CPU or the GPU. motion_arrays.c defines them.
typedef struct MotionArrays {
  /// Creates a body at rest without held nodes, on the element's device. mass [node_count]: lumped masses, kg.
  /// user_node [node_count]: the user's number of each node. nodal_positions: true if the assembly reads positions of
  /// nodes, false if it reads displacements. supplemental: the assembly's constants of each undeformed cell, which the
  /// body then also reads; NULL: the body computes its own copy.
  Motion *(*create)(const ElementRow *element, const Space *space, const double *mass, const int *user_node,
                    bool nodal_positions, const void *supplemental, Error *error);
  void (*destroy)(Motion *motion);  // accepts NULL

  /// Lists the arrays that are zero while the body is at rest in its undeformed state: displacements, origin, momenta
  /// and friction anchors. Returns their number.
  int (*zero_at_rest)(const Motion *motion, MemoryRange ranges[MOTION_RANGES_MAX]);

  /// `read` copies a vector from the device to doubles on the host. `write` copies it from the host to the device, and
  /// fails if a value overflows real. Both wait for the device.
  bool (*read)(const Motion *motion, MotionVector vector, double *to, Stream stream, Error *error);
  bool (*write)(Motion *motion, MotionVector vector, const double *from, Stream stream, Error *error);

  /// `displacements` reads and `set_displacements` sets u [node_count][3], m: displacements from the positions at rest.
  /// The body stores displacements from a moving origin (Body.origin). `displacements` adds this origin, and
  /// `set_displacements` sets it to 0. `set_displacements` also sets the friction anchors to the new positions. Waits
  /// for the device.
  bool (*displacements)(const Motion *motion, double (*u)[3], Stream stream, Error *error);
  bool (*set_displacements)(Motion *motion, const double (*u)[3], Stream stream, Error *error);

  /// Reads velocities into v [node_count][3], m/s; with consistent masses only after MotionMethod.find_velocity. Waits
  /// for the device.
  bool (*velocities)(const Motion *motion, double (*v)[3], Stream stream, Error *error);

  /// Reads Body.held [3 node_count]: how each unknown is held (bits in held.h), 0 if it is free. Waits for the device.
  bool (*held)(const Motion *motion, uint8_t *held, Stream stream, Error *error);

  /// Sets the consistent mass matrix, once after `create` and again when it has changed. `space` must have the graph of
  /// the body's nodes. Waits for the device.
  bool (*set_mass_matrix)(Motion *motion, const Space *space, const struct MassMatrix *masses, Stream stream,
                          Error *error);

  /// Sets Forces.given, the loads that act in addition to MOTION_LOAD. values [nodes of the user's mesh][3], N, are on
  /// the device, floats (PRECISION_F32) or doubles. NULL: no given loads. Queues its work on the stream.
  bool (*give_load)(Motion *motion, const void *values, Precision precision, Stream stream, Error *error);
  bool (*has_given)(const Motion *motion);  // returns true if given loads act

  void (*set_floor)(Motion *motion, const Floor *floor);

  /// Sets the obstacles that push single nodes (force/obstacle.h). Obstacles that are surfaces of self-contact are not
  /// among them. Called once after `create`, for a body at rest.
  bool (*set_obstacles)(Motion *motion, const Obstacle *obstacles, int count, Error *error);

  /// Sets the positions and velocities of all obstacles of set_obstacles for the next step. Waits for the device.
  bool (*move_obstacles)(Motion *motion, const Obstacle *obstacles, Stream stream, Error *error);

  /// Replaces the pressures on faces (`load` NULL: none). node: indices of face nodes in the body's arrays. Waits for
  /// the device.
  bool (*set_pressure)(Motion *motion, const struct PressureLoad *load, const int *node, Stream stream, Error *error);

  /// Replaces the values of the present pressures, Pa, one for each face. Waits for the device.
  bool (*change_pressure)(Motion *motion, const double *value, Stream stream, Error *error);

  /// Connects the body to the data of self-contact, which are borrowed. Called once after `create`, for a body at rest.
  bool (*set_self_contact)(Motion *motion, struct Contact *contact, Error *error);

  /// For a body that is cut or torn. `reserve` allocates memory for the new nodes. `split` copies the state of original
  /// nodes to their copies, and removes torn-out nodes and cells, and all springs. `split` queues its work, so `rows`
  /// must stay valid until the stream is synchronised. `split` fails only on errors of the device.
  bool (*reserve)(Motion *motion, const SpaceSplit *split, Error *error);
  bool (*split)(Motion *motion, const MotionRows *rows, Stream stream, Error *error);
} MotionArrays;

extern const MotionArrays motion_arrays_f32, motion_arrays_f64;

#ifdef __cplusplus
}
#endif
