// The public interface of the simulation library (libpliant_engine). A Simulation has one mesh of tetrahedra or
// hexahedra, which may contain several bodies. It moves the mesh by an implicit time integrator (midpoint rule: paper
// 000, section 16.4.1). Its interchangeable parts (assembly, matrix format, solver) are called stages and are selected
// by name; simulation_stage() lists them.
//
// All quantities are in SI units. Arrays with a value for each node are in the order of the caller's mesh. Inside, a
// simulation uses another order of nodes and tets, the internal order. A function uses the arrays of its arguments only
// during the call, unless a comment says otherwise. A function that returns bool returns false on failure and then sets
// `error`. Only one thread at a time may use a Simulation.
#pragma once
#include <stdio.h>

#include "base/bytes.h"
#include "base/field_kind.h"
#include "base/obstacle.h"
#include "base/phases.h"
#include "base/option.h"
#include "device/device.h"
#include "mesh/order.h"
#include "mesh/tet_mesh.h"
#include "sim/assembly/partitioner.h"
#include "sim/dynamics/newton_settings.h"
#include "sim/dynamics/pins.h"
#include "sim/dynamics/step_report.h"
#include "device/timed_stage.h"
#include "sim/element/stage.h"
#include "sim/force/pressure_lists.h"

#ifdef __cplusplus
extern "C" {
#endif

// Kind of the body's mass matrix.
typedef enum MassKind {
  MASS_LUMPED,  // a diagonal matrix: each node has one mass, kg
  // the entry of nodes a and b is the integral of density * N_a * N_b over the body, kg; N_a is the shape function of
  // node a
  MASS_CONSISTENT,
} MassKind;

// Device of the matrix and the linear solver. SAME: settings.device, on which the state of the body is stored.
typedef enum SolverDevice { SOLVER_DEVICE_SAME, SOLVER_DEVICE_CPU, SOLVER_DEVICE_CUDA } SolverDevice;

// Constants that an element stores for an undeformed tet. Three of its edges are the columns of the 3 x 3 matrix Dm.
// FULL: the nine numbers of Dm^-1. QR: the six numbers of R^-1, with Dm = Q R, Q orthogonal and R triangular.
typedef enum Supplemental { SUPPLEMENTAL_FULL, SUPPLEMENTAL_QR } Supplemental;

enum { SIMULATION_NAME = 24 };  // bytes of a stage's name, with its terminating zero

// Settings: one member for each row of settings_list.h, and members below that users cannot set by a key.
typedef struct SimulationSettings {
#define NUMBER(key, ...) double key;
#define MODULUS(key, ...) double key;
#define INTEGER(key, ...) int key;
#define CHOICE(key, type, ...) type key;
#define FLAG(key, ...) bool key;
#define VECTOR(key, ...) double key[3];
#define OPTIONAL(key, has, field, ...) \
  bool has;                            \
  double field;
#define NUMBER_OR(word, key, ...) double key;
#define STAGE(key, ...) char key[SIMULATION_NAME];
#define MATERIAL(key, ...) char key[SIMULATION_NAME];
#define DEVICE(key) Device key;
#include "sim/settings_list.h"
  bool hexes;                         // true: the cells are hexahedra; simulation_create sets it from the mesh
  int obstacle_count;                 // number of entries of `obstacles`; constant after simulation_create
  Obstacle obstacles[OBSTACLES_MAX];  // rigid surfaces that stand still or move along a path
  // true: self_contact accepts an initial mesh that intersects itself, since the caller then sets a state without
  // intersections
  bool crosses_at_rest;
  // true: the body will be cut. Stages that the user did not name are chosen so that simulation_split works.
  bool cuts;
  // true: only equilibria are computed. A slender body gets a direct solver, unless the user named a solver.
  bool statics;
  // true: simulation_set_pressure will be called. Stages that the user did not name are chosen so that they support the
  // tangent of pressures.
  bool presses;
  // true: simulation_find_torn will be called. The memory estimate then includes the arrays of this function.
  bool tears;
  bool chosen;    // true: the program chose the names of the stages, not the user
  double pusher;  // m, radius of the ball of simulation_push, which needs self_contact; 0: no ball. Constant after
                  // creation
} SimulationSettings;

/// Table of the settings, one row for each: key, offset in SimulationSettings, range, unit, help, and when a change
/// applies. The last row has a NULL key.
extern const Option simulation_options[];

/// Returns the default settings: E 1e5 Pa, nu 0.3, 1000 kg/m^3, dt 1/60 s, and tolerances that are relative, so that
/// they suit every mesh and system of units.
SimulationSettings simulation_defaults(void);

typedef struct Simulation Simulation;

/// Creates a simulation of a body that is at rest in the positions of the mesh. The caller releases it by
/// simulation_destroy. pinned [node_count] has the constrained directions of each node as bits (pins.h), 0: none; NULL:
/// a free body. The mesh is copied and may be destroyed afterwards. The corners of a cell may be in the order of
/// TetMesh or in the mirrored order of VTK and Gmsh. If a mesh mixes both orders, a notice is written.
///
/// Fails if a setting is invalid, an array is missing, an index is out of range or a cell has no volume
/// (mesh/mesh_check.h). The message has the key, the value and the expected range. Also fails if memory or a device is
/// missing.
///
/// Functions of this header that compute treat denormal floating-point numbers as zero. They set this mode of the
/// calling thread and restore it at the end. Several threads may create simulations at once (mesh/divide.h has the
/// limits).
bool simulation_create(Simulation **simulation, const TetMesh *mesh, const SimulationSettings *settings,
                       const uint8_t *pinned, Error *error);
void simulation_destroy(Simulation *simulation);  // accepts NULL

// The internal order of a simulation's nodes and tets, in which it stores them. After a cut or tear, the simulation of
// the changed mesh is created with the order of the old one, so that results and memory layout stay similar. The struct
// owns all arrays.
typedef struct NodeNumbering {
  int *order;  // [node_count], the mesh's node at each internal index; NULL: the order follows from settings.order
  // [node_count], the part of each node, for matrix formats that divide the nodes into parts, groups of neighbouring
  // nodes; NULL: the format chooses the parts
  int *part, part_count;
  // [node_count], a rank of each node. mesh_renumber sorts tets by the smallest rank of their nodes. A node that a cut
  // has copied and its copy have one rank. NULL: tets are sorted by internal node numbers
  int *rank;
  // [tet_count], the batch and thread of each tet as one number, for code that gives each thread block of a GPU a batch
  // of tets (Space.batch). A tet keeps its batch when others are removed. NULL: that code chooses
  int *batch;
} NodeNumbering;

void node_numbering_destroy(NodeNumbering *numbering);

/// Returns a number that is larger than all values in NodeNumbering.batch, for a mesh of `tets` tets.
int simulation_batch_slots(int tets);

/// As simulation_create, with a given internal order of nodes and tets. Members that the chosen stages do not use are
/// ignored. `numbering` is borrowed; NULL: the order follows from the settings. Also fails if an index in `numbering`
/// is invalid.
bool simulation_create_numbered(Simulation **simulation, const TetMesh *mesh, const NodeNumbering *numbering,
                                const SimulationSettings *settings, const uint8_t *pinned, Error *error);

/// Writes the internal order into `numbering`. Its member `batch` is set only if the simulation can remove tets in
/// place, and if `batches` is true or tets were removed before. The caller releases the arrays by
/// node_numbering_destroy. Fails if memory runs out.
bool simulation_numbering(const Simulation *simulation, bool batches, NodeNumbering *numbering, Error *error);

/// Copies the state of `from_simulation`, a simulation of the mesh before a cut, to this simulation of the mesh after
/// the cut. A cut makes copies of nodes. `from` [node_count] is the original of each node: its number in
/// from_simulation, which is equal for a node and its copies. Each node gets the displacement, velocity, previous step
/// and friction anchors (on the floor and on obstacles) of its original. Time and step count are copied too. A grab's
/// spring at a node is divided among its copies in proportion to mass. A grab that has no nodes left is released.
/// Settings, loads and pins of this simulation stay. The state is copied through the host once.
bool simulation_carry(Simulation *simulation, Simulation *from_simulation, const int *from, Error *error);

/// Returns true if simulation_split works, as long as it removes no tets. This requires that all stages support it and
/// are on one device, that cells are tets and masses lumped, and that there is neither self-contact nor pressure.
bool simulation_splits(const Simulation *simulation);

/// Returns true if simulation_split can also remove tets.
bool simulation_tears(const Simulation *simulation);

/// Changes this simulation to a mesh that was separated by a cut, and keeps its state. The result equals that of two
/// calls: simulation_create_numbered with the internal order of this simulation, copies of nodes at its end, and
/// simulation_carry. But only data near the copies are computed again. All other data cost at most one pass over their
/// arrays.
///
/// from [mesh->node_count] is the former number of each node; the last `copies` nodes are copies. changed [count] lists
/// the tets that have copies among their nodes, ascending. tet_from [mesh->tet_count] is the former index of each tet
/// if some are removed, else NULL. Copies inherit pins, but not the loads of simulation_set_load. `phases` gets the
/// durations of the function's parts.
///
/// Fails if the arrays do not describe a split of this mesh, memory runs out or a number leaves the precision's range.
/// The simulation is then unchanged.
bool simulation_split(Simulation *simulation, const TetMesh *mesh, const int *from, const int *tet_from, int copies,
                      const int *changed, int count, Phases *phases, Error *error);

/// Reserves memory for an eighth more nodes and cells, so that the first calls of simulation_split need not reallocate
/// arrays. Does nothing if simulation_splits is false. Fails if memory runs out.
bool simulation_reserve(Simulation *simulation, Error *error);

/// Writes the lumped masses of the nodes, mass [node_count], kg.
void simulation_masses(const Simulation *simulation, double *mass);

/// Returns true if a grab with this id exists.
bool simulation_grabs(const Simulation *simulation, int id);

/// Resets the body to its rest positions, without velocity, at time 0. Load, grabs and settings stay; the ball of
/// simulation_push is removed.
bool simulation_reset(Simulation *simulation, Error *error);

/// Sets the constant external forces, force [node_count][3] N, which act in addition to gravity until the next call.
/// NULL: none. Fails if a load exceeds the precision's range.
bool simulation_set_load(Simulation *simulation, const double (*force)[3], Error *error);

/// Sets the constant external forces of the listed nodes [count] only, from force [node_count][3] N; the other nodes
/// keep their loads. This is faster than simulation_set_load if there are few nodes.
bool simulation_change_load(Simulation *simulation, const double (*force)[3], const int *nodes, int count,
                            Error *error);

/// Sets the pressures on faces of the mesh, in place of all earlier ones; NULL: none. They follow the deforming faces.
/// A body under pressure cannot be split in place (simulation_splits).
bool simulation_set_pressure(Simulation *simulation, const PressureLoad *load, Error *error);

/// Replaces the values of the present pressures, Pa, one for each face of simulation_set_pressure.
bool simulation_change_pressure(Simulation *simulation, const double *pressure, Error *error);

/// Applies those values of `settings` that can change during a simulation (APPLIES_LIVE in simulation_options) and
/// ignores the others. The state stays. If a value is invalid, the function fails with a message that names it, and
/// nothing changes.
bool simulation_adjust(Simulation *simulation, const SimulationSettings *settings, Error *error);

/// Replaces the pins: pinned [node_count] has the constrained directions of each node as bits (pins.h); NULL: no pins.
/// Pinned nodes are held at their present positions.
bool simulation_set_pins(Simulation *simulation, const uint8_t *pinned, Error *error);

/// Lets pinned nodes follow prescribed rigid motions, motions [count]. support [node_count][3] chooses the motion of
/// each coordinate of a node: 1 is motions[0], 2 is motions[1], and 0 means that it stays. A coordinate follows its
/// motion while the node's pin has the bit PIN_FOLLOWS. At the end of each step, the node is exactly at its undeformed
/// position, moved by the motion at that time. simulation_equilibrium uses the present time. Replaces all earlier
/// motions; both arrays are copied. Also sets the pins, as simulation_set_pins does. simulation_split keeps the
/// motions; simulation_save does not write them.
bool simulation_set_supports(Simulation *simulation, const RigidMotion *motions, int count,
                             const uint16_t (*support)[3], const uint8_t *pinned, Error *error);

/// Grabs the nodes closer than `radius`, m, to the point X of the undeformed body, at least the nearest node. A spring
/// at each of them pulls it to its present position plus the offset of simulation_drag. The stiffnesses of all springs
/// add up to `stiffness`, N/m; each is weighted by lumped mass and distance. Each spring has a parallel damper with
/// critical damping. Both are integrated implicitly. *id gets the grab's number, 1 or more.
bool simulation_grab(Simulation *simulation, const double X[3], double radius, double stiffness, int *id, Error *error);

/// As simulation_grab, but only for nodes that are connected to `node` by cells within the radius. So a grab near a cut
/// takes nodes on only one side of the cut.
bool simulation_grab_part(Simulation *simulation, int node, const double X[3], double radius, double stiffness, int *id,
                          Error *error);

/// Grabs the nodes marked in `inside` [node_count], with springs of `stiffness` N/m in total, weighted by lumped mass.
/// With stiffness 0 the nodes are constrained instead: at the end of each step they are exactly at the target of
/// simulation_drag. After a release, constrained nodes keep the velocity of their last step. Fails if no node is
/// marked.
bool simulation_grab_nodes(Simulation *simulation, const uint8_t *inside, double stiffness, int *id, Error *error);

/// Sets the target of a grab at the end of the next step. A node's target is its position when it was grabbed plus
/// `offset`, m. An unknown id is ignored.
bool simulation_drag(Simulation *simulation, int id, const double offset[3], Error *error);

/// Sets the targets of single nodes of a grab with stiffness 0 at the end of the next step: the positions x [count][3],
/// m, of nodes [count]. simulation_drag later moves all targets of the grab. Fails, and changes no target, if the grab
/// has springs or does not hold one of the nodes.
bool simulation_drag_nodes(Simulation *simulation, int id, const int *nodes, int count, const double (*x)[3],
                           Error *error);
bool simulation_release(Simulation *simulation, int id, Error *error);  // releases the grab with this id; 0: all grabs

/// Moves the pushing ball of settings.pusher. In the next step its centre moves on a straight line from `from` to `to`,
/// m; afterwards it stops. A ball that is already present starts from its present centre, and `from` is ignored. `from`
/// NULL removes the ball; so do simulation_reset and simulation_restore, and initially there is none. Fails if there is
/// no such ball in the settings, or if the surface intersects the ball at `from`; the ball is then absent.
bool simulation_push(Simulation *simulation, const double from[3], const double to[3], Error *error);

/// Moves obstacle k of the settings in the next step. It moves from its present position to `centre`, m, and to axes
/// [3] of unit length (Obstacle.axis); afterwards it stays there. This replaces its path. Fails if there is no such
/// obstacle, if a number is not finite, or if the obstacle would turn by more than a step allows.
bool simulation_move_obstacle(Simulation *simulation, int k, const double centre[3], const double axis[3][3],
                              Error *error);

/// Replaces centre, axes and motion of all obstacles by those in list [settings.obstacle_count]; other members of the
/// list's entries are ignored. To return to an earlier state, call this function before the state is set. Fails,
/// without a change, if a value is out of range.
bool simulation_set_obstacles(Simulation *simulation, const Obstacle *list, Error *error);

/// Releases all grabs except those in ids [count]. An id without a grab is set to 0.
void simulation_keep_grabs(Simulation *simulation, int *ids, int count);

/// simulation_grab_save writes one grab into a file; it writes nothing for an unknown id. simulation_grab_again
/// restores the grab after its release, with its former springs and targets, in a simulation of the same mesh. *id is
/// the former id, or a new one if another grab has it now.
void simulation_grab_save(const Simulation *simulation, int id, FILE *file);
bool simulation_grab_again(Simulation *simulation, Bytes *bytes, int *id, Error *error);

/// Writes x, the position at which the grab `id` took hold of a node, m. For a node that this grab does not hold, it is
/// the rest position. Fails if the node does not exist.
bool simulation_grab_start(const Simulation *simulation, int id, int node, double x[3], Error *error);

// Forces of pins and other constraints on the nodes at the end of the last step, N. The total reaction is force +
// inertia. Arrays are [node_count][3]; along free directions they are 0.
typedef struct Reactions {
  double (*force)[3];    // internal forces minus loads, springs, contact and damping
  double (*inertia)[3];  // change of momentum in the last step divided by its duration; 0 if there was no step
  double (*from)[3];     // m, positions at the start of that step. If `inertia` acts at these positions, its moment
                         // about a fixed point is the rate of change of angular momentum
} Reactions;

/// Allocates and computes the reactions of all pins and of grabs with stiffness 0. The caller releases them by
/// reactions_destroy. Waits for the device. Fails if memory runs out.
bool simulation_reactions(Simulation *simulation, Reactions *reactions, Error *error);
void reactions_destroy(Reactions *reactions);  // accepts a zeroed one

// Angular momentum about the centre of mass of all bodies, and the part of its change in the last step that no force
// explains: the change minus the impulse moments of loads, gravity, damping, contact, pins and grabs. This part is an
// error of the time integrator, or of Newton's method if that stops early.
typedef struct SpinBalance {
  bool known;        // false: the last step was divided into parts, or the state was changed after it
  double spin[3];    // kg m^2/s, angular momentum at present
  double change[3];  // kg m^2/s, the part of its change in the last step
} SpinBalance;

/// Computes the balance of the last step. Costs about as much as an assembly of forces and, with self_contact, a search
/// for contact on the host. Waits for the device. Fails if memory runs out.
bool simulation_spin_balance(Simulation *simulation, SpinBalance *balance, Error *error);

/// Computes force [node_count][3], the present forces of a grab on the nodes, N. They are those of its springs. If the
/// grab has stiffness 0, they are force + inertia of simulation_reactions. They are 0 for an unknown id. Waits for the
/// device.
bool simulation_grab_forces(Simulation *simulation, int id, double (*force)[3], Error *error);

/// Computes force [3], the total force of a grab on the body, N: the sum of simulation_grab_forces over all nodes.
bool simulation_grab_force(Simulation *simulation, int id, double force[3], Error *error);

/// Returns a stiffness, N/m, for grabs by the mouse. It is stiff enough to follow the hand, and soft enough that cells
/// do not invert. It depends on the size and material of a body. `body` is its number from 0, or -1 for the whole mesh
/// with the settings' material.
double simulation_mouse_stiffness(const Simulation *simulation, int body);

/// Returns the largest speed, m/s, at which the mouse should move a grab: half the speed of shear waves in the body.
/// `body` is as in simulation_mouse_stiffness.
double simulation_mouse_speed(const Simulation *simulation, int body);

/// Advances by one time step, settings.dt. A step whose result is not finite or has an inverted cell is repeated with
/// shorter steps. If these fail too, the function fails: it restores the state before the step, and the message names
/// the cause and the cell. If Newton's method does not converge, the step is accepted if all det F are positive and the
/// residual decreased; report->converged is then false. If interrupt_requested (base/interrupt.h) returns true during
/// the step, the function fails within a few iterations, with report->cause NEWTON_STOPPED and the state unchanged.
bool simulation_step(Simulation *simulation, StepReport *report, Error *error);

/// Solves for static equilibrium under load, gravity and grabs, from the present state, without inertia; momenta become
/// 0. Pins or grabs must prevent rigid motions. If Newton's method does not converge, the state is unchanged and
/// report->converged is false; the caller can then apply the load in smaller increments. report->residual and tolerance
/// are in N. Surfaces of self_contact touch without friction; see static_friction.h.
bool simulation_equilibrium(Simulation *simulation, StepReport *report, Error *error);

/// Computes the internal forces of the present state, force [node_count][3] N: in equilibrium they balance loads and
/// pins.
bool simulation_internal_force(Simulation *simulation, double (*force)[3], Error *error);

double simulation_time(const Simulation *simulation);       // present time, s
double simulation_next_time(const Simulation *simulation);  // time at the end of the next step, s
int64_t simulation_step_count(const Simulation *simulation);

/// Returns a counter that increases with each change by which the user may do work on the body: a change of loads,
/// pins, grabs, targets, settings or state. If two calls return equal values, there was no such change between them.
int64_t simulation_touched(const Simulation *simulation);
const SimulationSettings *simulation_settings(const Simulation *simulation);  // with the names of the chosen stages
Stream simulation_stream(const Simulation *simulation);

/// Writes the state: positions [node_count][3] m and momenta [node_count][3] kg m/s; either may be NULL. Waits for the
/// device.
bool simulation_state(Simulation *simulation, double (*positions)[3], double (*momenta)[3], Error *error);

/// Writes displacements [node_count][3] from the rest positions, m. They are exact even for motions that are smaller
/// than the rounding error of positions.
bool simulation_displacements(Simulation *simulation, double (*displacements)[3], Error *error);

/// Sets positions, m, and momenta, kg m/s, [node_count][3] each, also of pinned nodes. If an array is NULL, those
/// values stay. Time and grabs stay; friction starts anew at the new positions. Fails if a number exceeds the
/// precision's range, or if self-contact is on and the surface intersects itself.
bool simulation_set_state(Simulation *simulation, const double (*positions)[3], const double (*momenta)[3],
                          Error *error);

/// simulation_velocities writes the velocities [node_count][3], m/s. Those of held unknowns are 0.
/// simulation_set_velocities replaces the momenta by mass times velocity. Both wait for the device.
bool simulation_velocities(Simulation *simulation, double (*velocities)[3], Error *error);
bool simulation_set_velocities(Simulation *simulation, const double (*velocities)[3], Error *error);

/// Writes all data on which the next steps depend, except mesh, settings, pins and loads. These data are step count,
/// displacements, momenta, friction and grabs, without rounding. simulation_restore reads them. A simulation that was
/// created in the same way then continues with exactly the same results. Write errors appear when the caller closes the
/// file. simulation_restore fails if the data are incomplete; the state is then undefined.
bool simulation_save(Simulation *simulation, FILE *file, Error *error);

/// As simulation_save, but with other numbers of nodes: node a is written as node number[a]. number [node_count] is a
/// permutation.
bool simulation_save_numbered(Simulation *simulation, const int *number, FILE *file, Error *error);
bool simulation_restore(Simulation *simulation, Bytes *bytes, Error *error);

/// Queues a copy of positions [node_count][3] float, m, into memory on the simulation's device. Does not wait.
bool simulation_write_positions(Simulation *simulation, float *positions, Error *error);

/// As simulation_write_positions, for a vector field [node_count][3] float. VECTORS_FORCE: external forces at the
/// nodes' present positions, N. VECTORS_CONTACT is computed on the host and waits.
bool simulation_write_vectors(Simulation *simulation, VectorKind kind, float *vectors, Error *error);

/// As simulation_write_positions, for a scalar field [node_count + FIELD_EXTRA] float: see sim/field/nodal_field.h. The
/// first call allocates memory on the device and waits. FIELD_PRESSURE is computed on the host and waits.
bool simulation_write_field(Simulation *simulation, FieldKind kind, float *values, Error *error);

/// Computes the energies of the present state, J (step_report.h).
bool simulation_energy(Simulation *simulation, Energy *energy, Error *error);

// Totals of one body: its numbers of nodes and cells, mass, energy and momentum. Angular momentum is about the origin.
// Energies do not include load, gravity and contact.
typedef struct BodyMotion {
  int nodes, tets;               // numbers of nodes and cells of the body
  double mass, centre[3];        // mass, kg, and centre of mass, m
  double kinetic, elastic;       // kinetic energy and elastic energy, J
  double linear[3], angular[3];  // linear momentum, kg m/s, and angular momentum about the origin, kg m^2/s
} BodyMotion;

/// simulation_body_count returns the number of bodies; it is 1 for a mesh without body numbers. simulation_bodies fills
/// motion [simulation_body_count] by sums in double on the host. Waits for the device.
int simulation_body_count(const Simulation *simulation);
bool simulation_bodies(Simulation *simulation, BodyMotion *motion, Error *error);

// Total times and counts of all steps since simulation_profile_start. `assemblies` counts computations of the tangent
// and the force vector, `vectors` those of the force vector only.
typedef struct Profile {
  double ms[TIMED_STAGES], total_ms;  // milliseconds: time of each stage, and of all steps
  double contact_ms[TIMED_CONTACTS];  // the times of contact, which are parts of ms[TIMED_REST]
  // numbers of steps, of Newton and CG iterations, of computations of vector and tangent, and of the vector only
  int64_t steps, newton_iterations, cg_iterations, assemblies, vectors;
  int64_t searches;  // number of searches for contact pairs, surface parts near each other
} Profile;

/// Starts the measurement of times. It slows steps slightly, since two events are recorded around every stage.
bool simulation_profile_start(Simulation *simulation, Error *error);
void simulation_profile_stop(Simulation *simulation, Profile *profile);

/// Moves the running measurement of `from` to this simulation, which continues it. The program calls this when it
/// replaces the simulation `from` by this one.
void simulation_carry_profile(Simulation *simulation, Simulation *from);

/// Estimates the least memory traffic, kernel launches and waits of one piece of work, such as an assembly, for each
/// device: on[DEVICE_CPU] and on[DEVICE_CUDA]. The figures are sums of the estimates of all stages.
void simulation_traffic(const Simulation *simulation, StageWork work, StageTraffic on[2]);

/// Returns how often the steps of a profile performed this piece of work. It is a lower bound if steps were halved or
/// line searches tested several states.
int64_t simulation_work_count(const Simulation *simulation, const Profile *profile, StageWork work);

/// Repeats one piece of work (WORK_ASSEMBLY, WORK_VECTOR or WORK_PRODUCT) many times, at the final state of the last
/// step. *each_us is its mean time, microseconds. It is 0 for other works, and for WORK_ASSEMBLY if the operator stores
/// no values. Afterwards the matrix contains only the assembled tangent, without the terms of mass and springs. So the
/// next call must be simulation_step, which assembles the matrix again. Waits for the device.
bool simulation_time_in_a_row(Simulation *simulation, StageWork work, double *each_us, Error *error);

// Sizes of the linear system, for `pliant info`, benchmark and window.
typedef struct SimulationSize {
  // numbers of unknowns, of structural nonzeros of the matrix, and of values that the matrix format stores
  int64_t dof, nnz, slots;
  // For an assembly that divides the mesh into parts, groups of nodes that are assembled together; else 0. part_tets is
  // the number of tets that a part evaluates, summed over all parts. part_nodes is the number of nodes that it reads,
  // summed over all parts. A tet or node at a border counts once for each of its parts.
  int64_t parts, part_tets, part_nodes;
  // number of chunks of cells that the assembly processes one after the other under memory_budget; 0: it has none
  int64_t chunks;
} SimulationSize;
SimulationSize simulation_size(const Simulation *simulation);

/// Returns the reason for the choice of the assembly (STAGE_ASSEMBLY), or of the solver and its matrix (STAGE_SOLVER),
/// as one clause. It includes the solver's description if it has one. The simulation owns the text.
const char *simulation_reason(const Simulation *simulation, StageKind kind);

/// Returns the integrator of the settings. If it is "auto", returns the integrator that "auto" selects; never
/// INTEGRATOR_AUTO.
Integrator simulation_integrator(const SimulationSettings *settings);

/// Returns the device of matrix and solver for these settings.
Device simulation_solver_device(const SimulationSettings *settings);

/// Returns the cell shape of a body with these settings: "tet4", "tet10", "tet20" or "hex8". stages_shape
/// (stage_choice.h) also distinguishes variants for several materials; this function does not.
const char *simulation_shape(const SimulationSettings *settings);

/// Returns the index-th stage of a kind for cells of a shape, over all devices and precisions, or NULL after the last.
const Stage *simulation_stage(StageKind kind, const char *shape, int index);

/// Returns true if an operator stores values, which assemblies fill. Other operators evaluate the tangent in each
/// product.
bool simulation_stores(const Stage *matrix);

/// Returns true if `stage` is a special solver or assembly. A special one is faster than the general one, but supports
/// only some bodies. The program tries it first. If it does not support the body, the program takes the general one,
/// whose Stage.preferred is true. Special solvers are tried if the user names neither solver nor matrix. Special
/// assemblies are tried if the user names no assembly and they work with the chosen matrix.
bool simulation_is_default(const Stage *stage);

/// Tests the solver of the settings if `kind` is STAGE_SOLVER, or the assembly if it is STAGE_ASSEMBLY. Returns true if
/// it works with the matrix that the settings name. If they name none, the test is of the row of this kind whose
/// Stage.preferred is true.
bool simulation_fits(const SimulationSettings *settings, StageKind kind);

/// Returns true if the assembly that the settings name exists for their material, on the CPU or on the GPU. Also
/// returns true if the material itself does not exist, since another check reports that.
bool simulation_assembles(const SimulationSettings *settings);

/// Returns the name of the element with this shape and the default material, or NULL if this build has none. Lists of
/// methods for the user show the methods of this element.
const char *simulation_element(const char *shape);

#ifdef __cplusplus
}
#endif
