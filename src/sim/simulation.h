// The public interface of the simulation library (libpliant_engine). A Simulation has one mesh of tetrahedra or
// hexahedra, which may contain several bodies. It moves the mesh by an implicit time integrator, such as the midpoint
// rule (paper 000, section 16.4.1). Its assembly, matrix format and solver are interchangeable; they are called stages
// and are selected by name. simulation_stage() lists them.
//
// All quantities are in SI units. Nodal arrays are in the order of the caller's mesh. A simulation stores nodes and
// tets in another order, the internal order. A function uses its arguments only during the call, unless a comment says
// otherwise. A function that returns bool returns false on failure and sets `error`. Only one thread at a time may use
// a Simulation.
#pragma once
#include <stdio.h>

#include "base/bytes.h"
#include "base/field_kind.h"
#include "base/obstacle.h"
#include "base/phases.h"
#include "base/option.h"
#include "device/device.h"
#include "device/graph.h"
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
  // the entry of nodes a and b, kg, is the integral over the body of density * N_a * N_b, with shape functions N
  MASS_CONSISTENT,
} MassKind;

// Device of the matrix and the linear solver. SOLVER_DEVICE_SAME: settings.device, the device that stores the state of
// the body.
typedef enum SolverDevice { SOLVER_DEVICE_SAME, SOLVER_DEVICE_CPU, SOLVER_DEVICE_CUDA } SolverDevice;

// Constants that an element stores for the rest shape of each tet. Three edges of the tet at rest are the columns of a
// 3 x 3 matrix Dm. FULL: the nine numbers of Dm^-1. QR: the six numbers of R^-1, with Dm = Q R, Q orthogonal and R
// triangular.
typedef enum Supplemental { SUPPLEMENTAL_FULL, SUPPLEMENTAL_QR } Supplemental;

enum { SIMULATION_NAME = 24 };  // bytes of a stage's name, with its terminating zero

// Settings of a simulation. The macros below make one member from each row of settings_list.h. The members after them
// have no key, so users cannot set them.
typedef struct SimulationSettings {
#define NUMBER(key, ...) double key;
#define MODULUS(key, ...) double key;
#define INTEGER(key, ...) int key;
#define CHOICE(key, type, ...) type key;
#define FLAG(key, ...) bool key;
#define CHOSEN_FLAG(key, ...) bool key;
#define VECTOR(key, ...) double key[3];
#define OPTIONAL(key, has, field, ...) \
  bool has;                            \
  double field;
#define NUMBER_OR(word, key, ...) double key;
#define STAGE(key, ...) char key[SIMULATION_NAME];
#define MATERIAL(key, ...) char key[SIMULATION_NAME];
#define DEVICE(key) Device key;
#include "sim/settings_list.h"
  int gpu;                            // number of the GPU, for settings with DEVICE_CUDA; see scene_use_gpu
  bool hexes;                         // true: the cells are hexahedra; simulation_create sets it from the mesh
  int obstacle_count;                 // number of entries of `obstacles`; constant after simulation_create
  Obstacle obstacles[OBSTACLES_MAX];  // rigid surfaces that stand still or move along a path
  // true: self_contact accepts a mesh that intersects itself, because the caller will set a state without intersections
  bool crosses_at_rest;
  // true: the body will be cut. If the user named no stages, they are chosen so that simulation_split, which changes
  // the mesh in place, works.
  bool cuts;
  // true: only equilibria are computed. A slender body gets a direct solver if the user named no solver and no matrix.
  bool statics;
  // true: simulation_set_pressure will be called. Stages that the user did not name are chosen so that they support the
  // tangent of pressures.
  bool presses;
  // true: simulation_find_torn will be called. The memory estimate then includes the arrays of this function.
  bool tears;
  bool chosen;  // true: the program chose the names of the stages, not the user
  // m, radius of the ball of simulation_push; needs self_contact; 0: no ball; constant after creation
  double pusher;
  // processes among which the nodes of the body are divided (base/ranks.h); NULL: this process has the whole body
  const struct Ranks *ranks;
  // The division of the mesh among these processes (mesh/distribute.h); NULL if `ranks` is NULL. Borrowed. The
  // mesh then has all nodes of the body, but may lack cells.
  const struct MeshDivision *division;
} SimulationSettings;

/// Table of the settings, one row for each: key, offset in SimulationSettings, range, unit, help, and the time at which
/// a change takes effect. The last row has a NULL key.
extern const Option simulation_options[];

/// Returns the default settings: Young's modulus 1e5 Pa, Poisson's ratio 0.3, density 1000 kg/m^3, dt 1/60 s.
/// Tolerances are relative, so that they suit every mesh and system of units.
SimulationSettings simulation_defaults(void);

typedef struct Simulation Simulation;

/// Creates a simulation of a body at rest. The caller releases it by simulation_destroy. The mesh is copied. pinned
/// [node_count]: the directions in which each node is held, as bits (pins.h); 0: the node is free. If `pinned` is NULL,
/// all nodes are free. The corners of a cell may be in the order of TetMesh or in the mirrored order of VTK and Gmsh.
/// If a mesh mixes both orders, a notice is written.
///
/// Fails if a setting is invalid, an array is missing, an index is out of range or a cell has no volume
/// (mesh/mesh_check.h). The message has the key, the value and the expected range. Also fails if memory or a device is
/// missing.
///
/// Functions of this header treat denormal floating-point numbers as zero while they compute, and then restore the mode
/// of the calling thread. Several threads may create simulations at once (mesh/divide.h has the limits).
bool simulation_create(Simulation **simulation, const TetMesh *mesh, const SimulationSettings *settings,
                       const uint8_t *pinned, Error *error);
void simulation_destroy(Simulation *simulation);  // accepts NULL

// The internal order of a simulation's nodes and tets. After a cut or tear, the simulation of the changed mesh is
// created with the order of the old simulation, so that results and memory layout stay similar. The struct owns its
// arrays.
typedef struct NodeNumbering {
  int *order;  // [node_count], the mesh's node at each internal index; NULL: settings.order determines the order
  // [node_count], the part (group of neighbouring nodes) of each node, for matrix formats that divide the nodes into
  // parts; part_count: number of parts. NULL: the format chooses the parts.
  int *part, part_count;
  // [node_count], a sorting key of each node. Tets are sorted by the smallest key of their nodes (mesh_renumber). A
  // node and its copies by a cut have equal keys. NULL: tets are sorted by internal node numbers.
  int *rank;
  // [tet_count], 64 * (batch of the tet) + (thread of the tet). A batch is the 64 tets that some GPU code gives to one
  // thread block; thread 5 of batch 2 has the number 133. A tet keeps its number when other tets are removed. NULL: the
  // GPU code chooses.
  int *batch;
} NodeNumbering;

void node_numbering_destroy(NodeNumbering *numbering);

/// Returns a number larger than all values in NodeNumbering.batch, for a mesh that had `tets` tets before all removals.
int simulation_batch_slots(int tets);

/// Creates a simulation as simulation_create does, with a given internal order of nodes and tets. `numbering` NULL:
/// settings.order determines the order. Members of *numbering that the chosen stages do not use are ignored. Also fails
/// if an index in *numbering is invalid.
bool simulation_create_numbered(Simulation **simulation, const TetMesh *mesh, const NodeNumbering *numbering,
                                const SimulationSettings *settings, const uint8_t *pinned, Error *error);

/// Copies the internal order to `numbering`; the caller frees its arrays by node_numbering_destroy. numbering->batch is
/// set only if the simulation can remove tets in place, and if `batches` is true or tets were removed before. Fails if
/// memory runs out.
bool simulation_numbering(const Simulation *simulation, bool batches, NodeNumbering *numbering, Error *error);

/// Copies the state of `from_simulation`, with the mesh before a cut, to this simulation with the mesh after the cut.
/// `from` [node_count] is the original of each node, its number in from_simulation; a node and its copies have the same
/// original. Each node gets from its original: displacement, velocity, the state before the last step, and friction
/// anchors (points to which friction springs hold the node). Time and step count are copied too. Settings, loads and
/// pins of this simulation do not change.
///
/// A grab's spring at a node is divided among the node's copies in proportion to mass. A grab without remaining nodes
/// is released. The state is copied through the host.
bool simulation_carry(Simulation *simulation, Simulation *from_simulation, const int *from, Error *error);

/// Returns true if simulation_split works for cuts that remove no tets. All stages must support these cuts and be on
/// one device. Cells must be tets, masses must be lumped, and self-contact and pressure must be off.
bool simulation_splits(const Simulation *simulation);

/// Returns true if simulation_split works for cuts and also for the removal of tets.
bool simulation_tears(const Simulation *simulation);

/// Replaces the mesh of this simulation by `mesh`, the mesh after a cut, and keeps the state. A new simulation, made by
/// simulation_create_numbered and then simulation_carry, would have equal results if copies of nodes were last in its
/// internal order. But this function computes only data near the copies again. All other data cost at most one pass
/// over their arrays.
///
/// Three arrays describe the split. `from` [mesh->node_count]: former number of each node; the last `copies` nodes are
/// copies. `changed` [count]: the tets that have copies among their nodes, in ascending order. tet_from
/// [mesh->tet_count]: former index of each tet if some tets are removed, else NULL. Copies inherit the pins of their
/// originals, but not the loads of simulation_set_load. `phases` gets the durations of the function's phases.
///
/// Fails, and changes nothing, if the arrays do not describe a split of this mesh, if memory runs out, or if a number
/// leaves the precision's range.
bool simulation_split(Simulation *simulation, const TetMesh *mesh, const int *from, const int *tet_from, int copies,
                      const int *changed, int count, Phases *phases, Error *error);

/// Reserves memory for an eighth more nodes and cells, so that the first calls of simulation_split reallocate nothing.
/// Does nothing if simulation_splits is false. Fails if memory runs out.
bool simulation_reserve(Simulation *simulation, Error *error);

/// Writes the lumped masses of the nodes, mass [node_count], kg.
void simulation_masses(const Simulation *simulation, double *mass);

/// Returns true if a grab with this id exists.
bool simulation_grabs(const Simulation *simulation, int id);

/// Resets the body to its rest positions, without velocity, at time 0. Loads, grabs and settings do not change; the
/// ball of simulation_push is removed.
bool simulation_reset(Simulation *simulation, Error *error);

/// The two parts of simulation_reset. simulation_begin_reset resets time, friction, obstacles and ball;
/// simulation_end_reset sets the state to zero.
bool simulation_begin_reset(Simulation *simulation, Error *error);
bool simulation_end_reset(Simulation *simulation, Error *error);

enum { SIMULATION_RANGES_MAX = 6 };  // maximum number of arrays of simulation_state_ranges

/// Lists the arrays that simulation_end_reset sets to zero, so that a caller can do this for many simulations together
/// by device_zero_ranges. Returns their number.
int simulation_state_ranges(const Simulation *simulation, MemoryRange ranges[SIMULATION_RANGES_MAX]);

/// Sets the constant external forces, force [node_count][3] N, which act in addition to gravity; NULL: none. They act
/// until the next call. Fails if a load exceeds the precision's range.
bool simulation_set_load(Simulation *simulation, const double (*force)[3], Error *error);

/// Sets the constant external forces, N, on the nodes listed in nodes [count]; all other nodes keep their loads. force
/// [node_count][3] needs values only for the listed nodes. For few nodes this is faster than simulation_set_load.
bool simulation_change_load(Simulation *simulation, const double (*force)[3], const int *nodes, int count,
                            Error *error);

/// Adds loads to those of simulation_set_load, until the next call or cut. values [nodes of the user's mesh][3], N, are
/// in the memory of the simulation's device, floats (PRECISION_F32) or doubles; they are not checked. NULL: removes the
/// added loads. The work is queued on simulation_stream; `values` must not change before it is done.
bool simulation_give_load(Simulation *simulation, const void *values, Precision precision, Error *error);
bool simulation_has_given_load(const Simulation *simulation);  // returns true if such loads act

/// Makes the GPU run the work of `prelude` at the start of each step. The graph must exist until the next call. NULL:
/// no work. Steps of simulations_take do not run it.
void simulation_set_prelude(Simulation *simulation, const Graph *prelude);

/// Copies these loads, which must act, to force [nodes of the user's mesh][3], N.
bool simulation_given_load(Simulation *simulation, double (*force)[3], Error *error);

/// Sets the pressures on faces of the mesh, in place of all earlier ones; NULL: none. The pressures follow the
/// deforming faces. A cut cannot change a body under pressure in place (simulation_splits).
bool simulation_set_pressure(Simulation *simulation, const PressureLoad *load, Error *error);

/// Replaces the values of the present pressures, Pa: one for each face, in the order of simulation_set_pressure.
bool simulation_change_pressure(Simulation *simulation, const double *pressure, Error *error);

/// Applies those values of `settings` that can change during a simulation (APPLIES_LIVE in simulation_options), and
/// ignores all others, without a change of the state. If a value is invalid, fails, names it and changes nothing.
bool simulation_adjust(Simulation *simulation, const SimulationSettings *settings, Error *error);

/// Replaces the pins: pinned [node_count] has the constrained directions of each node as bits (pins.h); NULL: no pins.
/// Pinned nodes are held at their present positions.
bool simulation_set_pins(Simulation *simulation, const uint8_t *pinned, Error *error);

/// Lets pinned nodes follow prescribed rigid motions, motions [count]. support [node_count][3] chooses the motion of
/// each coordinate of a node: 1 is motions[0], 2 is motions[1], and so on; 0: no motion. A coordinate follows its
/// motion while the node's pin has the bit PIN_FOLLOWS. At the end of each step, the node is exactly at its undeformed
/// position, moved by the motion at that time; simulation_equilibrium uses the present time.
///
/// Replaces all earlier motions, and sets the pins as simulation_set_pins does. Arrays are copied. simulation_split
/// keeps the motions; simulation_save does not write them.
bool simulation_set_supports(Simulation *simulation, const RigidMotion *motions, int count,
                             const uint16_t (*support)[3], const uint8_t *pinned, Error *error);

/// Grabs the node that is nearest to the point X in the undeformed state, and all nodes of the same body that are
/// closer to X than `radius`, m. A spring pulls each of them to its position at this call plus the offset that
/// simulation_drag sets. `stiffness`, N/m, is divided among the springs by weights, which depend on a node's lumped
/// mass and its distance from X. A damper parallel to each spring gives the grabbed nodes critical damping in sum.
/// Springs and dampers are integrated implicitly. *id gets the grab's number, from 1.
bool simulation_grab(Simulation *simulation, const double X[3], double radius, double stiffness, int *id, Error *error);

/// Grabs nodes as simulation_grab does, with `node` in place of the nearest node. A path of edges within the radius
/// must connect `node` with each grabbed node. So a grab near a cut takes nodes on only one side of the cut. Fails if
/// several processes divide the body, as do simulation_drag_nodes and simulation_grab_start.
bool simulation_grab_part(Simulation *simulation, int node, const double X[3], double radius, double stiffness, int *id,
                          Error *error);

/// Grabs the nodes marked in `inside` [node_count]. Springs and dampers pull them as in simulation_grab; a node's part
/// of `stiffness`, N/m, is proportional to its lumped mass. With stiffness 0 the nodes are constrained instead: at the
/// end of each step they are exactly at the target of simulation_drag, and after a release they keep the velocity of
/// their last step. Fails if no node is marked.
bool simulation_grab_nodes(Simulation *simulation, const uint8_t *inside, double stiffness, int *id, Error *error);

/// Sets the targets of a grab at the end of the next step: each node's position when it was grabbed plus `offset`, m.
/// An unknown id is ignored.
bool simulation_drag(Simulation *simulation, int id, const double offset[3], Error *error);

/// Sets the targets of some nodes of a grab with stiffness 0 at the end of the next step: node nodes[k] moves to the
/// position x[k], m, for k < count. A later simulation_drag moves all targets of the grab. Fails, and changes nothing,
/// if the grab has springs or lacks one of the nodes.
bool simulation_drag_nodes(Simulation *simulation, int id, const int *nodes, int count, const double (*x)[3],
                           Error *error);
bool simulation_release(Simulation *simulation, int id, Error *error);  // releases the grab with this id; 0: all grabs

/// Moves the pushing ball, whose radius is settings.pusher. In the next step its centre moves on a straight line from
/// `from` to `to`, m; then it stops. If the ball is already present, it starts from its present centre and `from` is
/// ignored. `from` NULL removes the ball, as do simulation_reset and simulation_restore. A new simulation has no ball.
/// Fails if settings.pusher is 0, if a number exceeds the precision's range, or if the body's surface intersects the
/// ball at `from`; the ball is then absent.
bool simulation_push(Simulation *simulation, const double from[3], const double to[3], Error *error);

/// Moves obstacle k of the settings in the next step, from its present position to `centre`, m, and turns its axes to
/// the unit vectors axis [3] (Obstacle.axis). Afterwards the obstacle stays there; it no longer follows its path. Fails
/// if there is no such obstacle, if a number exceeds the precision's range, or if the obstacle would turn by more than
/// OBSTACLE_TURN_MAX (settings.h) degrees. Also fails with the midpoint rule, unless the obstacle is a surface of
/// self-contact.
bool simulation_move_obstacle(Simulation *simulation, int k, const double centre[3], const double axis[3][3],
                              Error *error);

/// Replaces centre, axes and motion of all obstacles by the values in list [settings.obstacle_count]; other members of
/// the list's entries are ignored. To return to an earlier state of the simulation, call this function first, and then
/// the function that sets the state. Fails, and changes nothing, if a value is out of range.
bool simulation_set_obstacles(Simulation *simulation, const Obstacle *list, Error *error);

/// Releases all grabs except those in ids [count]. An id without a grab is set to 0.
void simulation_keep_grabs(Simulation *simulation, int *ids, int count);

/// simulation_grab_save writes one grab to a file, or nothing for an unknown id. simulation_grab_again reads the
/// written bytes, and restores the released grab with its springs and targets in a simulation of the same mesh. *id
/// becomes the former id of this grab, or a new id if another grab has the former one.
void simulation_grab_save(const Simulation *simulation, int id, FILE *file);
bool simulation_grab_again(Simulation *simulation, Bytes *bytes, int *id, Error *error);

/// Writes x, m, the position of a node when grab `id` took hold of it. After simulation_drag_nodes, x is instead the
/// node's target minus the grab's offset. If the grab does not hold this node, x is the rest position. Fails if the
/// node does not exist.
bool simulation_grab_start(const Simulation *simulation, int id, int node, double x[3], Error *error);

// Forces of pins and other constraints on the nodes at the end of the last step, N. The total reaction is force +
// inertia. Arrays are [node_count][3], with 0 along free directions.
typedef struct Reactions {
  double (*force)[3];    // internal forces minus loads, springs, contact and damping
  double (*inertia)[3];  // change of momentum in the last step divided by this step's duration; 0 before the first step
  // m, positions at the start of the last step. The moment of the force `inertia` about a fixed point, if it acts at
  // these positions, is the rate of change of angular momentum.
  double (*from)[3];
} Reactions;

/// Allocates and computes the reactions of all pins and of grabs with stiffness 0, which prescribe the positions of
/// their nodes. The caller releases them by reactions_destroy. Waits for the device. Fails if memory runs out.
bool simulation_reactions(Simulation *simulation, Reactions *reactions, Error *error);
void reactions_destroy(Reactions *reactions);  // accepts a zeroed one

// Angular momentum about the centre of mass of all bodies, and the part of its change in the last step that no force
// explains. This part is the change minus the angular impulses of loads, gravity, damping, contact, pins and grabs. It
// is an error of the time integrator, or of Newton's method if Newton's method stops early.
typedef struct SpinBalance {
  bool known;  // false: not computed, because the last step was divided, the state was changed after it, or can_balance
               // (simulation_reactions.c) excludes the simulation
  double spin[3];    // kg m^2/s, angular momentum at present
  double change[3];  // kg m^2/s, the part of the change of `spin` in the last step that no force explains
} SpinBalance;

/// Computes the balance of angular momentum in the last step. Costs about as much as an assembly of forces and, with
/// self_contact, a search for contact on the host. Waits for the device. Fails if memory runs out.
bool simulation_spin_balance(Simulation *simulation, SpinBalance *balance, Error *error);

/// Computes force [node_count][3], the present forces of a grab on the nodes, N. A grab with springs has the forces
/// of these springs and, if `dampers` is true, of its dampers. Work along the path of the grab is that of the springs
/// alone, since dampers do not move with it. A grab with stiffness 0 has the sum of the members `force` and `inertia`
/// of simulation_reactions. All forces are 0 for an unknown id. Waits for the device.
bool simulation_grab_forces(Simulation *simulation, int id, bool dampers, double (*force)[3], Error *error);

/// Computes force [3], the total force of a grab on the body, N: the sum of simulation_grab_forces over all nodes.
bool simulation_grab_force(Simulation *simulation, int id, bool dampers, double force[3], Error *error);

/// Returns a stiffness, N/m, for the springs of a grab by the mouse: stiff enough to follow the hand, and soft enough
/// that cells do not invert. The value depends on size and material of body number `body`, counted from 0. If `body` is
/// -1, the value depends on the whole mesh and the settings' material.
double simulation_mouse_stiffness(const Simulation *simulation, int body);

/// Returns the largest speed, m/s, at which the mouse should move a grab: half the speed of shear waves in the body.
/// `body` is the number of the body, or -1 for the whole mesh.
double simulation_mouse_speed(const Simulation *simulation, int body);

/// Advances by one time step, settings.dt. If Newton's method does not converge and is NEWTON_ROBUST, the step is taken
/// by backward Euler instead. If this fails too, it is taken in shorter steps. If these do not converge either, the
/// result is accepted, and report->converged is false. But if the residual is not finite or the body blocks obstacles,
/// the function fails: the state before the step is restored, and the message names the cause and the cell. If
/// interrupt_requested (base/interrupt.h) becomes true, the function fails within a few iterations, with report->cause
/// NEWTON_STOPPED and the state unchanged.
bool simulation_step(Simulation *simulation, StepReport *report, Error *error);

/// The two parts of simulation_step, for steps of many simulations. simulation_begin_step moves grabs and obstacles,
/// and simulation_end_step solves and completes the step. In between, simulations_take may solve the steps of
/// simulations that fit (simulations_fit) together on the GPU; simulation_end_step then only completes each step.
/// Results have the same bits as those of simulation_step.
bool simulation_begin_step(Simulation *simulation, Error *error);
bool simulation_end_step(Simulation *simulation, StepReport *report, Error *error);

/// Returns true if simulations_take can solve the present steps of two simulations together; `first` and `other` may be
/// one. Both need the solver "block", an assembly with AssemblyMethod.many, no self-contact and no pressures. They must
/// have equal numbers of nodes and cells and equal methods (fit in worlds/worlds.c has all conditions).
bool simulations_fit(const Simulation *first, const Simulation *other);

/// Solves the present steps of all simulations in list [count] together on the GPU, and waits for the results. All
/// pairs of them must fit (simulations_fit). Work that was queued on their streams, such as changes of grabs, must have
/// ended, because the steps are solved on another stream. Fails only with CUDA's message.
bool simulations_take(Simulation *const *list, int count, Error *error);

/// Solves for static equilibrium under load, gravity and grabs, from the present state, without inertia; momenta become
/// 0. Pins or grabs must prevent rigid motions. If Newton's method does not converge, the state is unchanged and
/// report->converged is false; the caller can then apply the load in smaller increments. report->residual and
/// report->tolerance are in N. Surfaces of self_contact touch without friction; see static_friction.h.
bool simulation_equilibrium(Simulation *simulation, StepReport *report, Error *error);

/// Computes force [node_count][3], N, the internal forces of the present state. In equilibrium they balance loads and
/// reactions of pins.
bool simulation_internal_force(Simulation *simulation, double (*force)[3], Error *error);

double simulation_time(const Simulation *simulation);       // present time, s
double simulation_next_time(const Simulation *simulation);  // time at the end of the next step, s
int64_t simulation_step_count(const Simulation *simulation);

/// Returns a counter of all changes by which the user may do work on the body: changes of loads, pins, grabs, targets,
/// settings or state. If two calls return equal values, there was no such change between them.
int64_t simulation_touched(const Simulation *simulation);

/// Returns the settings, with the names of the chosen stages.
const SimulationSettings *simulation_settings(const Simulation *simulation);
Stream simulation_stream(const Simulation *simulation);

/// If the body is divided among processes, returns the cells of the user's mesh that this process counts in sums, each
/// of which no other process counts. Sets *count to their number. Otherwise returns NULL.
const int *simulation_own_cells(const Simulation *simulation, int *count);

/// Writes the state: positions [node_count][3] m and momenta [node_count][3] kg m/s; either may be NULL. Waits for the
/// device.
bool simulation_state(Simulation *simulation, double (*positions)[3], double (*momenta)[3], Error *error);

/// Writes displacements [node_count][3] from the rest positions, m. Unlike positions, they resolve motions smaller than
/// the rounding error of a position.
bool simulation_displacements(Simulation *simulation, double (*displacements)[3], Error *error);

/// Sets positions, m, and momenta, kg m/s, [node_count][3] each, also of pinned nodes; NULL: no change. Time and grabs
/// do not change; friction starts without force. Fails if a number exceeds the precision's range, or if self-contact is
/// on and the surface intersects itself.
bool simulation_set_state(Simulation *simulation, const double (*positions)[3], const double (*momenta)[3],
                          Error *error);

/// simulation_velocities writes the velocities of all nodes, [node_count][3], m/s; they are 0 for held unknowns.
/// simulation_set_velocities sets the momenta to mass times velocity. Each call waits for the device.
bool simulation_velocities(Simulation *simulation, double (*velocities)[3], Error *error);
bool simulation_set_velocities(Simulation *simulation, const double (*velocities)[3], Error *error);

/// simulation_save writes all data on which the next steps depend, except mesh, settings, pins and loads: step count,
/// displacements and momenta now and before the last step, friction and grabs, without rounding. simulation_restore
/// reads them. A simulation that was created in the same way then continues with the same bits. Write errors appear
/// when the caller closes the file. simulation_restore fails if data are missing; the state is then undefined.
bool simulation_save(Simulation *simulation, FILE *file, Error *error);

/// Writes the data of simulation_save, but renumbers the nodes: node a is written as node number[a]. The array number
/// [node_count] is a permutation.
bool simulation_save_numbered(Simulation *simulation, const int *number, FILE *file, Error *error);
bool simulation_restore(Simulation *simulation, Bytes *bytes, Error *error);

/// Queues a copy of positions [node_count][3] float, m, into memory on the simulation's device. Does not wait.
bool simulation_write_positions(Simulation *simulation, float *positions, Error *error);

/// Queues a copy of a vector field [node_count][3] float into memory on the simulation's device, for display.
/// VECTORS_VELOCITY: velocities, m/s. VECTORS_FORCE: external forces, N, at the present positions of the nodes.
/// VECTORS_CONTACT, VECTORS_CONTACT_LINES: contact forces, N, which are computed on the host; the function then waits
/// for the device.
bool simulation_write_vectors(Simulation *simulation, VectorKind kind, float *vectors, Error *error);

/// Queues a copy of a scalar field [node_count + FIELD_EXTRA] float into memory on the simulation's device
/// (sim/field/nodal_field.h). Does not wait, except in the first call, which allocates memory on the device, and for
/// FIELD_PRESSURE, which is computed on the host.
bool simulation_write_field(Simulation *simulation, FieldKind kind, float *values, Error *error);

/// Computes the energies of the present state, J (step_report.h).
bool simulation_energy(Simulation *simulation, Energy *energy, Error *error);

// Totals of one body: numbers of nodes and cells, mass, energy and momentum. The energies do not include potential
// energies of load, gravity and contact.
typedef struct BodyMotion {
  int nodes, tets;               // numbers of nodes and cells of the body
  double mass, centre[3];        // mass, kg, and centre of mass, m
  double kinetic, elastic;       // kinetic energy and elastic energy, J
  double linear[3], angular[3];  // linear momentum, kg m/s, and angular momentum about the origin, kg m^2/s
} BodyMotion;

/// simulation_body_count returns the number of bodies, 1 for a mesh without body numbers. simulation_bodies fills
/// motion [simulation_body_count]; it computes the sums in double on the host, and waits for the device.
int simulation_body_count(const Simulation *simulation);
bool simulation_bodies(Simulation *simulation, BodyMotion *motion, Error *error);

// Times and counts, summed over all steps since simulation_profile_start.
typedef struct Profile {
  double ms[TIMED_STAGES], total_ms;  // milliseconds. ms: time of each TimedStage; total_ms: time of all steps
  double contact_ms[TIMED_CONTACTS];  // times of the parts of contact, which ms[TIMED_REST] includes
  // numbers of steps, of Newton iterations, of CG iterations, of assemblies of the tangent together with the forces
  // (`assemblies`), and of assemblies of the forces only (`vectors`)
  int64_t steps, newton_iterations, cg_iterations, assemblies, vectors;
  int64_t searches;  // number of searches for contact pairs, such as a point and a triangle near each other
} Profile;

/// Starts to measure the times of the stages of steps. Measured steps are slightly slower, because two events are
/// recorded around every stage.
bool simulation_profile_start(Simulation *simulation, Error *error);
void simulation_profile_stop(Simulation *simulation, Profile *profile);

/// Moves the running measurement of the simulation `from` to this simulation, which continues the measurement. A
/// program calls this function when it replaces `from` by this simulation.
void simulation_carry_profile(Simulation *simulation, Simulation *from);

/// Estimates memory traffic, kernel launches and waits of one piece of work, such as an assembly, on each device:
/// on[DEVICE_CPU] and on[DEVICE_CUDA]. The figures are lower bounds, summed over all stages.
void simulation_traffic(const Simulation *simulation, StageWork work, StageTraffic on[2]);

/// Returns how often the measured steps of a profile performed this kind of work. The result is a lower bound if steps
/// were repeated or line searches tested several states.
int64_t simulation_work_count(const Simulation *simulation, const Profile *profile, StageWork work);

/// Repeats one piece of work (WORK_ASSEMBLY, WORK_VECTOR or WORK_PRODUCT) many times, at the final state of the last
/// step. *each_us is its mean time, microseconds; 0 for other work, and for WORK_ASSEMBLY if the operator stores no
/// matrix. Afterwards the matrix lacks the terms of mass and springs, so the next call must be simulation_step, which
/// assembles it again. Waits for the device.
bool simulation_time_in_a_row(Simulation *simulation, StageWork work, double *each_us, Error *error);

// Sizes of the linear system and of the assembly. `pliant info`, benchmarks and the window print them.
typedef struct SimulationSize {
  // dof: number of unknowns. nnz: number of structural nonzeros of the matrix. slots: number of values that the matrix
  // format stores, padding included
  int64_t dof, nnz, slots;
  // These are 0 unless the assembly divides the mesh into parts, groups of nodes. parts: number of parts. part_tets:
  // number of tets that a part evaluates, summed over all parts. part_nodes: number of nodes that a part reads, summed
  // over all parts. Tets and nodes at a border count once for each of their parts.
  int64_t parts, part_tets, part_nodes;
  // number of chunks of cells that the assembly processes one after the other, so that it needs no more memory than
  // memory_budget; 0: the assembly does not use chunks
  int64_t chunks;
} SimulationSize;
SimulationSize simulation_size(const Simulation *simulation);

/// Returns the reason for the choice of the assembly (STAGE_ASSEMBLY), or of the solver and its matrix (STAGE_SOLVER),
/// as one clause, with the solver's description of itself if it has one. The simulation owns the text.
const char *simulation_reason(const Simulation *simulation, StageKind kind);

/// Returns the integrator of the settings; for "auto" the integrator that it selects. Never returns INTEGRATOR_AUTO.
Integrator simulation_integrator(const SimulationSettings *settings);

/// Returns the device of matrix and solver for these settings.
Device simulation_solver_device(const SimulationSettings *settings);

/// Returns the cell shape of a body with these settings: "tet4", "tet10", "tet20" or "hex8". stages_shape
/// (stage_choice.h) also returns variants for several materials.
const char *simulation_shape(const SimulationSettings *settings);

/// Returns stage (interchangeable method) number `index` of a kind, for cells of a shape, over all devices and
/// precisions; NULL after the last.
const Stage *simulation_stage(StageKind kind, const char *shape, int index);

/// Returns true if an operator stores its matrix. False: it is matrix-free, and each product evaluates the tangent.
bool simulation_stores(const Stage *matrix);

/// Returns true if `stage` is a special solver or assembly: one that is faster than the general one, but supports only
/// some bodies. The general one supports all bodies; its Stage.preferred is true.
///
/// The program tries special solvers first if the user names neither solver nor matrix. It tries special assemblies
/// first if the user names no assembly and they work with the chosen matrix. If the special one does not support the
/// body, the program takes the general one.
bool simulation_is_default(const Stage *stage);

/// Returns true if the solver of this name supports self_contact. Also returns true if the name is empty or unknown.
bool simulation_solver_takes_contact(const char *name);

/// Returns true if the solver (`kind` STAGE_SOLVER) or the assembly (STAGE_ASSEMBLY) of the settings works with the
/// matrix of the settings. If the settings name no method of this kind, tests the general method, whose Stage.preferred
/// is true. Also returns true if the settings name no matrix.
bool simulation_fits(const SimulationSettings *settings, StageKind kind);

/// Returns true if the assembly that the settings name exists for their material, on the CPU or on the GPU. Also
/// returns true if the material itself does not exist; another check reports that.
bool simulation_assembles(const SimulationSettings *settings);

/// Returns the name of the element with this shape and the default material; NULL if this build has none. Lists of
/// methods for the user show the methods of this element.
const char *simulation_element(const char *shape);

#ifdef __cplusplus
}
#endif
