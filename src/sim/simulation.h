// The engine's public interface. A Simulation has one mesh of linear or quadratic tetrahedra or of hexahedra, which may
// hold several bodies, and moves it by an implicit integrator (midpoint rule: paper 000, section 16.4.1). Stages are
// selected by name; simulation_stage() lists them.
//
// All quantities are in SI units. Arrays by nodes are in the order of the caller's mesh. Arrays are borrowed for the
// call, unless a comment says otherwise. A function that returns bool returns false on failure and then sets `error`.
// Only one thread at a time may use a Simulation.
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
#include "sim/dynamics/timed_stage.h"
#include "sim/element/stage.h"
#include "sim/force/pressure_lists.h"

#ifdef __cplusplus
extern "C" {
#endif

// Mass matrix of the body.
typedef enum MassKind {
  MASS_LUMPED,      // diagonal, one mass per node: see mesh_lumped_mass
  MASS_CONSISTENT,  // integrals of density times products of shape functions: see mass_matrix.h
} MassKind;

// Device of the matrix and the linear solver; SAME: that of the body.
typedef enum SolverDevice { SOLVER_DEVICE_SAME, SOLVER_DEVICE_CPU, SOLVER_DEVICE_CUDA } SolverDevice;

// Data that the element stores of an undeformed tet: nine numbers of Dm^-1, or six of R^-1 from Dm = Q R.
typedef enum Supplemental { SUPPLEMENTAL_FULL, SUPPLEMENTAL_QR } Supplemental;

enum { SIMULATION_NAME = 24 };  // bytes of a stage's name, with its terminating zero

// Settings: one field for each row of settings_list.h, and members without a row.
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
#define NUMBER_OR(word, key, has, ...) \
  bool has;                            \
  double key;
#define STAGE(key, ...) char key[SIMULATION_NAME];
#define MATERIAL(key, ...) char key[SIMULATION_NAME];
#define DEVICE(key) Device key;
#include "sim/settings_list.h"
  bool hexes;          // cells are hexahedra; set from the mesh, so it has no row
  int obstacle_count;  // constant after simulation_create; no row
  Obstacle obstacles[OBSTACLES_MAX];
  bool crosses_at_rest;  // self_contact accepts an initial mesh that intersects itself, since the caller then sets a
                         // state that does not
  bool cuts;             // the body will be cut: stages that are not named are chosen so that they can be split in
                         // place
  bool statics;          // only equilibria are computed: a slender body gets a direct solver unless one is named
  bool presses;          // simulation_set_pressure will be called: stages that are not named are chosen so that their
                         // products include its tangent
  bool tears;            // simulation_find_torn will be called: the memory estimate includes it
  bool chosen;           // the stages' names were chosen from device, body and `cuts`, not by the user
  double pusher;  // m, radius of the ball of simulation_push, for self_contact; 0: no ball. Constant after creation
} SimulationSettings;

/// Table of the settings: key, offset in SimulationSettings, range, unit, help, and when a change applies. The last row
/// has a NULL key.
extern const Option simulation_options[];

/// Returns the default settings: E 1e5 Pa, nu 0.3, 1000 kg/m^3, dt 1/60 s, and relative tolerances, which work for
/// every mesh and unit.
SimulationSettings simulation_defaults(void);

typedef struct Simulation Simulation;

/// Creates a simulation at rest in the mesh's positions. The caller releases it by simulation_destroy. `pinned`
/// [node_count] holds the constrained directions of each node (pins.h), 0: none; NULL: a free body. The mesh is copied
/// and may be destroyed afterwards. Cells may have the orientation of TetMesh or that of VTK and Gmsh. If a mesh has
/// both, a notice reports it.
///
/// Fails if a setting is invalid, an array is missing, an index is out of range or a cell has no volume
/// (mesh/mesh_check.h). The message has the key, the value and the expected range. Also fails if memory or a device is
/// missing.
///
/// Functions of this header that compute set the thread's floating-point mode so that denormal numbers are zero, and
/// restore it. Several threads may create simulations at once (mesh/divide.h has the limits).
bool simulation_create(Simulation **simulation, const TetMesh *mesh, const SimulationSettings *settings,
                       const uint8_t *pinned, Error *error);
void simulation_destroy(Simulation *simulation);  // accepts NULL

// Internal order of nodes and tets, of one simulation for another one. All arrays are owned.
typedef struct NodeNumbering {
  int *order;             // [node_count], the mesh's node at each internal index; NULL: by the settings
  int *part, part_count;  // [node_count], part of each node for a matrix in parts; NULL: free choice
  int *rank;              // [node_count], see mesh_renumber; a copy has the rank of its original; NULL: none
  int *batch;             // [tet_count], see Space.batch; kept if tets are removed; NULL: free choice
} NodeNumbering;

void node_numbering_destroy(NodeNumbering *numbering);

/// Returns the upper bound (exclusive) of the values in NodeNumbering.batch, for a mesh of `tets` tets.
int simulation_batch_slots(int tets);

/// As simulation_create, with a given internal order, as far as the chosen stages use it. `numbering` is borrowed;
/// NULL: the order follows from the settings. Fails also if an index in `numbering` is invalid.
bool simulation_create_numbered(Simulation **simulation, const TetMesh *mesh, const NodeNumbering *numbering,
                                const SimulationSettings *settings, const uint8_t *pinned, Error *error);

/// Writes the internal order into `places`. `batch` is set only if the simulation can remove tets in place, and either
/// `batches` is true or it already keeps its batches. The caller releases the arrays by node_numbering_destroy. Fails
/// if memory runs out.
bool simulation_numbering(const Simulation *simulation, bool batches, NodeNumbering *numbering, Error *error);

/// Copies the state of another simulation, whose mesh was separated into this one's. `from` [node_count] is the node of
/// the other simulation from which each node originates. All copies of a node get its displacement, velocity, previous
/// step and anchors on the floor and on obstacles. Time and step count are copied too. A grab's springs are divided by
/// the copies' fractions of the mass; a grab without nodes is released. Settings, loads and pins of this simulation
/// stay. Reads and writes the state once, through the host.
bool simulation_carry(Simulation *simulation, Simulation *from_simulation, const int *from, Error *error);

/// Returns true if simulation_split works without removal of tets. All stages must support it and be on one device,
/// with lumped masses, tets, no self-contact and no pressure.
bool simulation_splits(const Simulation *simulation);

/// Returns true if simulation_split can also remove tets.
bool simulation_tears(const Simulation *simulation);

/// Continues in place on a mesh that was separated by a cut. The result is that of simulation_create_numbered, with the
/// internal order of this simulation and copies at its end, and of simulation_carry. Only data near the copies are
/// computed anew; the rest costs at most one pass over arrays.
///
/// `from` [mesh->node_count]: the former node of each node; the last `copies` nodes are copies. `changed` [count]: tets
/// with copies among their nodes, ascending. `tet_from` [mesh->tet_count]: the former index of each tet if some are
/// removed, else NULL. Copies inherit pins, but not the loads of simulation_set_load. The durations of the parts are
/// added to `phases`.
///
/// Fails if the arrays do not describe a split of this mesh, memory runs out or a number leaves the precision's range;
/// the simulation is then unchanged.
bool simulation_split(Simulation *simulation, const TetMesh *mesh, const int *from, const int *tet_from, int copies,
                      const int *changed, int count, Phases *phases, Error *error);

/// Enlarges the capacities of arrays by an eighth, so that the first cuts need not. Does nothing if simulation_splits
/// is false. Fails if memory runs out.
bool simulation_reserve(Simulation *simulation, Error *error);

/// Writes the lumped masses of the nodes, mass [node_count], kg.
void simulation_masses(const Simulation *simulation, double *mass);

/// Returns true if a grab with this id exists.
bool simulation_grabs(const Simulation *simulation, int id);

/// Returns to rest at time 0. Load, grabs and settings stay; the pushing ball is removed.
bool simulation_reset(Simulation *simulation, Error *error);

/// Sets the constant external forces, force [node_count][3] N, which act in addition to gravity until the next call.
/// NULL: none. Fails if a load exceeds the precision's range.
bool simulation_set_load(Simulation *simulation, const double (*force)[3], Error *error);

/// As simulation_set_load, if only the loads of the listed nodes [count] may have changed. It is faster for few nodes.
bool simulation_change_load(Simulation *simulation, const double (*force)[3], const int *nodes, int count,
                            Error *error);

/// Sets the pressures on faces of the mesh, in place of all earlier ones; NULL: none. They follow the deforming faces.
/// A body under pressure cannot be split in place (simulation_splits).
bool simulation_set_pressure(Simulation *simulation, const PressureLoad *load, Error *error);

/// Replaces the values of the present pressures, Pa, one for each face of simulation_set_pressure.
bool simulation_change_pressure(Simulation *simulation, const double *pressure, Error *error);

/// Applies those values of `settings` that can change during a simulation (APPLIES_LIVE in simulation_options) and
/// ignores the others. The state stays. Invalid values fail as in simulation_create, and nothing changes.
bool simulation_adjust(Simulation *simulation, const SimulationSettings *settings, Error *error);

/// Replaces the pins; `pinned` is as in simulation_create. Nodes are held at their present positions until they are
/// released.
bool simulation_set_pins(Simulation *simulation, const uint8_t *pinned, Error *error);

/// Lets pinned nodes follow rigid motions, motions [count]: direction i of node a follows motion support[a][i] - 1, of
/// support [node_count][3], while its pin has the bit PIN_FOLLOWS; 0: it stays. Each step ends exactly at the motion's
/// displacement from the undeformed position at that time. simulation_equilibrium uses the present time. Replaces all
/// earlier motions; both arrays are copied. Also sets the pins, as simulation_set_pins does. simulation_split carries
/// the motions; states of simulation_save do not contain them.
bool simulation_set_supports(Simulation *simulation, const RigidMotion *motions, int count,
                             const uint16_t (*support)[3], const uint8_t *pinned, Error *error);

/// Attaches springs of `stiffness` N/m in total to the nodes closer than `radius` m to the point X of the undeformed
/// body, at least to the nearest node. Weights follow from lumped mass and distance. The springs pull the nodes to
/// their present positions plus the offset of simulation_drag, with critical dampers. Springs and dampers are implicit.
/// *id gets the grab's number, 1 or more.
bool simulation_grab(Simulation *simulation, const double X[3], double radius, double stiffness, int *id, Error *error);

/// As simulation_grab, but only for the nodes within the radius that are connected to `node` there: one side of a cut.
bool simulation_grab_part(Simulation *simulation, int node, const double X[3], double radius, double stiffness, int *id,
                          Error *error);

/// Grabs the nodes marked in `inside` [node_count], with springs of `stiffness` N/m in total, weighted by lumped mass.
/// With stiffness 0 the nodes are constrained instead: each step ends with them exactly at the target of
/// simulation_drag. Released nodes keep the velocity of their last step. Fails if no node is marked.
bool simulation_grab_nodes(Simulation *simulation, const uint8_t *inside, double stiffness, int *id, Error *error);

/// Sets the target of a grab at the end of the next step: the nodes' positions when grabbed plus `offset`, m. Unknown
/// ids are ignored.
bool simulation_drag(Simulation *simulation, int id, const double offset[3], Error *error);
bool simulation_release(Simulation *simulation, int id, Error *error);  // id 0: all grabs

/// Moves the pushing ball of settings.pusher. In the next step its centre moves on a straight line from `from` to `to`,
/// m; afterwards it stops. A ball that is already present starts from its present centre, and `from` is ignored. `from`
/// NULL removes the ball; so do simulation_reset and simulation_restore, and initially there is none. Fails if there is
/// no such ball in the settings, or if the surface intersects the ball at `from`; the ball is then absent.
bool simulation_push(Simulation *simulation, const double from[3], const double to[3], Error *error);

/// Moves obstacle k of the settings in the next step from its present position to `centre`, m, and axes [3] of unit
/// length (Obstacle.axis); afterwards it stays there. This replaces its path. Fails if there is no such obstacle, if a
/// number is not finite, or if the obstacle would turn by more than a step allows.
bool simulation_move_obstacle(Simulation *simulation, int k, const double centre[3], const double axis[3][3],
                              Error *error);

/// Replaces positions, axes and motions of all obstacles, list [settings.obstacle_count], by those of a copy of
/// settings.obstacles. Kinds and sizes must be equal. For a return to an earlier state, before the state is set.
void simulation_set_obstacles(Simulation *simulation, const Obstacle *list);

/// Releases all grabs except those in ids [count]. An id without a grab is set to 0.
void simulation_keep_grabs(Simulation *simulation, int *ids, int count);

/// Write one grab into a file, and restore a released one. A restored grab has its former springs, targets and id, or a
/// new id if that is in use. They are for simulations of one mesh. Nothing is written for an unknown id.
void simulation_grab_save(const Simulation *simulation, int id, FILE *file);
bool simulation_grab_again(Simulation *simulation, Bytes *bytes, int *id, Error *error);

/// Writes the position of a node when the grab began, x in m; its rest position if the node belongs to no such grab.
/// Fails if the node does not exist.
bool simulation_grab_start(const Simulation *simulation, int id, int node, double x[3], Error *error);

// Forces that hold the constrained nodes of a body exactly, at the end of the last step. Arrays are
// [node_count][3], 0 along free directions.
typedef struct Reactions {
  double (*force)[3];    // N: internal forces minus loads, springs, contact and damping
  double (*inertia)[3];  // N: change of momentum in the last step over its duration; 0 if there was no step
  double (*from)[3];     // m, positions at the start of that step, where `inertia` acts: its moments about a fixed
                         // point are then the change of angular momentum
} Reactions;

/// Creates and computes the reactions of all pins and of grabs without springs. The caller releases them by
/// reactions_destroy. Waits for the device. Fails if memory runs out.
bool simulation_reactions(Simulation *simulation, Reactions *reactions, Error *error);
void reactions_destroy(Reactions *reactions);  // accepts a zeroed one

/// Computes the present forces of a grab on the nodes, force [node_count][3] N: of its springs, or the sum of both
/// Reactions of constrained nodes. They are 0 for an unknown id. Waits for the device.
bool simulation_grab_forces(Simulation *simulation, int id, double (*force)[3], Error *error);

/// As simulation_grab_forces, summed over the nodes.
bool simulation_grab_force(Simulation *simulation, int id, double force[3], Error *error);

/// Returns a grab stiffness, N/m, for a mouse: stiff enough to follow the hand, soft enough to keep cells from
/// inverting. `body` counts from 0; -1: by the scene's material and size.
double simulation_mouse_stiffness(const Simulation *simulation, int body);

/// Returns the speed limit, m/s, for motion by hand: half the speed of the body's shear waves. `body` as above.
double simulation_mouse_speed(const Simulation *simulation, int body);

/// Advances by one time step, settings.dt. Fails if no shorter step works either (state not finite or inverted): the
/// state is then that before the step, and the message names cause and cell. A step that did not converge is accepted
/// if its det F stay positive and the residual decreased; report->converged is then false. If interrupt_requested
/// (base/interrupt.h) returns true, the step fails within a few iterations with the cause NEWTON_STOPPED, and nothing
/// changes.
bool simulation_step(Simulation *simulation, StepReport *report, Error *error);

/// Solves for static equilibrium under load, gravity and grabs, from the present state, without inertia; momenta become
/// 0. Pins or grabs must hold the body. If Newton's method does not converge, the state is unchanged and
/// report->converged is false; then try smaller load increments. report->residual and tolerance are in N.
bool simulation_equilibrium(Simulation *simulation, StepReport *report, Error *error);

/// Computes the internal forces of the present state, force [node_count][3] N: in equilibrium they balance loads and
/// pins.
bool simulation_internal_force(Simulation *simulation, double (*force)[3], Error *error);

double simulation_time(const Simulation *simulation);       // s
double simulation_next_time(const Simulation *simulation);  // s, at the end of the next step
int64_t simulation_step_count(const Simulation *simulation);

/// Returns a counter of changes that may do work on the body: of loads, pins, grabs, targets, settings or state. Equal
/// values mean that there was no change between.
int64_t simulation_touched(const Simulation *simulation);
const SimulationSettings *simulation_settings(const Simulation *simulation);  // includes the chosen stages' names
Stream simulation_stream(const Simulation *simulation);

/// Write the state: positions [node_count][3] m and momenta [node_count][3] kg m/s; either may be NULL. Waits for the
/// device.
bool simulation_state(Simulation *simulation, double (*positions)[3], double (*momenta)[3], Error *error);

/// Writes displacements from the rest positions, [node_count][3] m. They resolve motions below the rounding error of
/// positions.
bool simulation_displacements(Simulation *simulation, double (*displacements)[3], Error *error);

/// Sets positions, m, and momenta, kg m/s, [node_count][3] each, also of pinned nodes; a NULL array keeps its values.
/// Time and grabs stay, friction anchors are reset. Fails if a number exceeds the precision's range, or if self-contact
/// is on and the surface intersects itself.
bool simulation_set_state(Simulation *simulation, const double (*positions)[3], const double (*momenta)[3],
                          Error *error);

/// Read and set velocities [node_count][3] m/s. Held unknowns have velocity 0. Setting replaces momenta by mass times
/// velocity. Both wait for the device.
bool simulation_velocities(Simulation *simulation, double (*velocities)[3], Error *error);
bool simulation_set_velocities(Simulation *simulation, const double (*velocities)[3], Error *error);

/// Writes all data on which the next steps depend, except mesh, settings, pins and loads: step count, displacements,
/// momenta, friction and grabs, without rounding. A simulation that is created in the same way continues with the same
/// bits after simulation_restore. Write errors appear when the caller closes the file. simulation_restore fails if the
/// data are incomplete; the state is then undefined.
bool simulation_save(Simulation *simulation, FILE *file, Error *error);

/// As simulation_save, but with other numbers of nodes: node a is written as number[a], [node_count], a permutation.
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

bool simulation_energy(Simulation *simulation, Energy *energy, Error *error);

// State of one body. Momenta are about the origin; energies exclude load, gravity and contact.
typedef struct BodyMotion {
  int nodes, tets;
  double mass, centre[3];        // kg; centre of mass, m
  double kinetic, elastic;       // J
  double linear[3], angular[3];  // kg m/s, kg m^2/s
} BodyMotion;

/// simulation_body_count returns the number of bodies, 1 for a mesh without body numbers. simulation_bodies fills
/// motion [simulation_body_count] by sums in double on the host. Waits for the device.
int simulation_body_count(const Simulation *simulation);
bool simulation_bodies(Simulation *simulation, BodyMotion *motion, Error *error);

// Times and counts of the steps since the last simulation_profile_start, in total.
typedef struct Profile {
  double ms[TIMED_STAGES], total_ms;
  double contact_ms[TIMED_CONTACTS];  // parts of ms[TIMED_REST]
  int64_t steps, newton_iterations, cg_iterations, assemblies, vectors;
  int64_t searches;  // searches for contact pairs
} Profile;

/// Starts the measurement. It costs an event record around every stage; the linear solver times its products itself.
bool simulation_profile_start(Simulation *simulation, Error *error);
void simulation_profile_stop(Simulation *simulation, Profile *profile);

/// Moves the measurement of another simulation, and its clock, to this one, which continues it.
void simulation_carry_profile(Simulation *simulation, Simulation *from);

/// Estimates the traffic and waits of one piece of work by device, on[Device], from the stages' rows (StageTraffic:
/// lower bounds).
void simulation_traffic(const Simulation *simulation, StageWork work, StageTraffic on[2]);

/// Returns how often the steps of a profile performed this piece of work. It is a lower bound if steps were halved or
/// line searches tested several states.
int64_t simulation_work_count(const Simulation *simulation, const Profile *profile, StageWork work);

/// Measures the time, us, of one WORK_ASSEMBLY, WORK_VECTOR or WORK_PRODUCT in a sequence of equal ones without other
/// work between, at the final state of the last step. *each_us is 0 for other works, and for an assembly whose operator
/// stores no values. Afterwards the matrix lacks its shift, so the next call must be a whole step. Waits for the
/// device.
bool simulation_time_in_a_row(Simulation *simulation, StageWork work, double *each_us, Error *error);

// Sizes of the linear system, for `pliant info`, benchmark and window.
typedef struct SimulationSize {
  int64_t dof, nnz, slots;  // unknowns, structural nonzeros, values that the matrix format stores
  // for an assembly by parts, else 0: parts, tets evaluated per part together, nodes read per part together
  int64_t parts, part_tets, part_nodes;
  int64_t chunks;  // chunks of cells processed in sequence under memory_budget; 0: the assembly has none
} SimulationSize;
SimulationSize simulation_size(const Simulation *simulation);

/// Returns a clause with the reason for the choice of the assembly (STAGE_ASSEMBLY), or of the solver and its matrix
/// (STAGE_SOLVER). For solvers that describe themselves it includes the description. Owned by the simulation.
const char *simulation_reason(const Simulation *simulation, StageKind kind);

/// Returns the integrator of the settings with "auto" resolved; never INTEGRATOR_AUTO.
Integrator simulation_integrator(const SimulationSettings *settings);

/// Returns the device of matrix and solver for these settings.
Device simulation_solver_device(const SimulationSettings *settings);

/// Returns the cell shape of a body with these settings, without variants for several materials: "tet4", "tet10",
/// "tet20", "hex8".
const char *simulation_shape(const SimulationSettings *settings);

/// Returns the index-th stage of a kind for cells of a shape, over all devices and precisions, or NULL after the last.
const Stage *simulation_stage(StageKind kind, const char *shape, int index);

/// Returns true if an operator stores values, which assemblies fill. Other operators evaluate the tangent in each
/// product.
bool simulation_stores(const Stage *matrix);

/// Returns true if a method has priority over the preferred one. A solver has it if the user names neither solver nor
/// matrix. An assembly has it if the user names none and it works with the chosen matrix. Both must support the body.
bool simulation_is_default(const Stage *stage);

/// Returns true if the settings' solver (STAGE_SOLVER) or assembly (STAGE_ASSEMBLY), or else the preferred one, works
/// with the matrix that the settings name.
bool simulation_fits(const SimulationSettings *settings, StageKind kind);

/// Returns true if the settings' assembly exists for their material on some device. If the material does not exist, it
/// also returns true.
bool simulation_assembles(const SimulationSettings *settings);

/// Returns the name of the element of this shape in the default material, whose rows lists of methods show; NULL if
/// this build has none.
const char *simulation_element(const char *shape);

#ifdef __cplusplus
}
#endif
