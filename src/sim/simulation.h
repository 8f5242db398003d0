// The simulation as the rest of the program sees it: an elastic body of linear or quadratic tetrahedra or of hexahedra,
// as its mesh has them, that moves by the implicit midpoint rule (paper 000, section 16.4.1). Stages are chosen by
// name; what exists is listed by simulation_stage().
// One thread at a time may use a Simulation. SI units throughout.
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

#ifdef __cplusplus
extern "C" {
#endif

// How a body's mass is spread over its nodes.
typedef enum MassKind {
  MASS_LUMPED,      // each has its own: see mesh_lumped_mass
  MASS_CONSISTENT,  // the integrals of density times products of shape functions: see mass_matrix.h
} MassKind;

// Where matrix and linear solver are.
typedef enum SolverDevice { SOLVER_DEVICE_SAME, SOLVER_DEVICE_CPU, SOLVER_DEVICE_CUDA } SolverDevice;

// What the element keeps of the undeformed tet: nine numbers of Dm^-1, or six of R^-1 from Dm = Q R.
typedef enum Supplemental { SUPPLEMENTAL_FULL, SUPPLEMENTAL_QR } Supplemental;

enum { SIMULATION_NAME = 24 };  // bytes of a stage's name

// What settings_list.h lists, a field for each of its rows; obstacles; and what a mesh says.
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
  bool hexes;          // the body's cells are hexahedra: as its mesh has them, so it has no row
  int obstacle_count;  // these have no rows, and stay as the body is made
  Obstacle obstacles[OBSTACLES_MAX];
  bool crosses_at_rest;  // self_contact takes the mesh though it goes through itself: a state that does not comes at
                         // once
  bool cuts;             // where no stage is named, those that go on in place where the body is cut are taken
  bool tears;            // simulation_find_torn will be asked: what that takes counts in what is needed
  bool chosen;           // nobody has named the stages that are named here: they are those of device, body and `cuts`
  double pusher;  // m, the radius of the ball that simulation_push leads, of self_contact; 0: there is none; likewise
} SimulationSettings;

/// A row for each: key, place in SimulationSettings, range, unit, help and when a change of it applies.
extern const Option simulation_options[];

/// Settings that work for any mesh and unit: E 1e5 Pa, nu 0.3, 1000 kg/m^3, dt 1/60 s, relative tolerances.
SimulationSettings simulation_defaults(void);

typedef struct Simulation Simulation;

/// A body at rest in the mesh's positions. `pinned` [node_count] is 0 or what of a node never moves, NULL for a free
/// body. The mesh is copied where needed and may be destroyed afterwards. Its cells may have either orientation, that
/// of TetMesh or that of VTK and Gmsh; where they differ a notice says so. Fails with the key, the value and what would
/// be right, also where an array is missing, an index does not exist, or a cell has no volume (mesh/mesh_check.h).
///
/// Every function here leaves the thread's floating-point mode as it was, and sets it within, so that denormal numbers
/// are zero. Simulations may be made in several threads at once (mesh/divide.h has the limits).
bool simulation_create(Simulation **simulation, const TetMesh *mesh, const SimulationSettings *settings,
                       const uint8_t *pinned, Error *error);
void simulation_destroy(Simulation *simulation);  // takes NULL

// How a simulation keeps its nodes.
typedef struct NodePlaces {
  int *order;             // [node_count], which node comes k-th; NULL: as settings say
  int *part, part_count;  // [node_count], the part each is in where its matrix is laid out in so many; NULL: any
  int *rank;              // [node_count], see mesh_renumber: of copies that of the nodes that they are of; NULL: none
  int *batch;             // [tet_count], see Space.batch: what a mesh without some tets keeps of that one; NULL: any
} NodePlaces;

void node_places_destroy(NodePlaces *places);

/// Places of tets in batches are below this, in a mesh of so many tets.
int simulation_batch_places(int tets);

/// The same with its nodes kept so, as far as its stages ask for that. `places` is borrowed; NULL: as settings say.
bool simulation_create_placed(Simulation **simulation, const TetMesh *mesh, const NodePlaces *places,
                              const SimulationSettings *settings, const uint8_t *pinned, Error *error);

/// How a simulation keeps its nodes; with `batches`, and where it was made so, its tets too. node_places_destroy
/// releases the arrays.
bool simulation_places(const Simulation *simulation, bool batches, NodePlaces *places, Error *error);

/// Goes on from where another simulation is, whose mesh was taken apart into this one's: `from` [node_count] is the
/// node there that each node was. Time, displacements, velocities, the step before and where nodes stick go to all
/// copies of a node; grabs do by the copies' shares of its mass, and one without nodes is let go. Settings, loads and
/// pins are this one's own. Costs reading and writing the state once.
bool simulation_carry(Simulation *simulation, Simulation *from_simulation, const int *from, Error *error);

/// Whether the simulation can go on in place where its mesh is taken apart and no tet removed: its stages do, all on
/// one device, with lumped masses, without contact of the body with itself and without pressure.
bool simulation_splits(const Simulation *simulation);

/// Whether it can with tets removed, too.
bool simulation_tears(const Simulation *simulation);

/// Then it does, as by simulation_create_placed with its places and the copies behind, and simulation_carry: what
/// stands near the copies is made anew, and for the rest there is a pass over arrays at most. `changed` [count], tets
/// some of whose nodes are copies now, ascending. `tet_from` [mesh->tet_count], which each tet was, where some are
/// removed, else NULL; the last `copies` nodes are copies. Pins go to copies, loads as simulation_set_load has set them
/// do not. Where it fails nothing has changed. `phases`: where its time goes.
bool simulation_split(Simulation *simulation, const TetMesh *mesh, const int *from, const int *tet_from, int copies,
                      const int *changed, int count, Phases *phases, Error *error);

/// Makes room for what some cuts add, an eighth of all, so that the first one need not; nothing where it would not
/// help. Fails for lack of memory.
bool simulation_make_room(Simulation *simulation, Error *error);

/// Lumped masses of the nodes [node_count], kg.
void simulation_masses(const Simulation *simulation, double *mass);

/// Whether there is a grab of that id.
bool simulation_grabs(const Simulation *simulation, int id);

/// Back to rest at time 0. Load, grabs and settings stay.
bool simulation_reset(Simulation *simulation, Error *error);

/// The constant external force on every node from now on, [node_count][3] N, besides gravity. NULL: none.
bool simulation_set_load(Simulation *simulation, const double (*force)[3], Error *error);

/// The same, where only the loads of the listed nodes [count] differ from those set before: quicker if they are few.
bool simulation_change_load(Simulation *simulation, const double (*force)[3], const int *nodes, int count,
                            Error *error);

/// Puts the triangles [count] of the surface under pressure from now on, Pa each, in place of those set before. A
/// triangle has three nodes of the surface, counter-clockwise seen from outside; a positive pressure pushes inward, and
/// follows the faces as they move and turn. A body under pressure is not taken apart in place (simulation_splits).
bool simulation_set_pressure(Simulation *simulation, const int (*triangle)[3], const double *pressure, int count,
                             Error *error);

/// Takes from `settings` what applies live (simulation_options) while the body moves; everything else in it is left
/// out. The state stays. Fails as simulation_create does, and then changes nothing.
bool simulation_adjust(Simulation *simulation, const SimulationSettings *settings, Error *error);

/// Holds other nodes from now on, as simulation_create's `pinned` does: where they are, until they are let go.
bool simulation_set_pins(Simulation *simulation, const uint8_t *pinned, Error *error);

/// Grabs the body: springs of `stiffness` N/m in total on the nodes closer than `radius` m to the point `X` of the
/// undeformed body (at least the nearest node), shared by lumped mass and distance. They pull the patch as it is now,
/// moved by what simulation_drag says; dampers keep them from swinging. Both are part of the implicit step, force and
/// stiffness. `id` counts from 1.
bool simulation_grab(Simulation *simulation, const double X[3], double radius, double stiffness, int *id, Error *error);

/// The same of that part of them which hangs together with `node`: of a body that was cut, one side of the cut.
bool simulation_grab_part(Simulation *simulation, int node, const double X[3], double radius, double stiffness, int *id,
                          Error *error);

/// Grabs the nodes marked in `inside` [node_count], with springs of `stiffness` N/m in total, weighted by lumped mass.
/// With stiffness 0 the nodes are held instead: each step ends with them exactly where simulation_drag moves them. When
/// released they keep the velocity of their last step.
bool simulation_grab_nodes(Simulation *simulation, const uint8_t *inside, double stiffness, int *id, Error *error);

/// Moves the grab's target: at the end of the next step it is where the patch was when grabbed, plus `offset` m.
/// Unknown ids are ignored.
bool simulation_drag(Simulation *simulation, int id, const double offset[3], Error *error);
bool simulation_release(Simulation *simulation, int id, Error *error);  // 0: all of them

/// In the next step the ball of the settings' `pusher` goes straight from `from` to `to`, where its middle is, m, and
/// pushes what is in its way; after that it stands. NULL: it is away, as it is at first and after simulation_reset and
/// simulation_restore. Fails where the surface would go through it at `from`, and it is away then. Once it is there it
/// begins where it was, whatever `from` says.
bool simulation_push(Simulation *simulation, const double from[3], const double to[3], Error *error);

/// Releases every grab but these, and makes 0 of an id that is no grab's.
void simulation_keep_grabs(Simulation *simulation, int *ids, int count);

/// Writes a grab into a stream, and takes hold again with one that was let go of since, by its id, or where that is in
/// use by a new one, with the same springs to the same place. For simulations of one body.
void simulation_grab_save(const Simulation *simulation, int id, FILE *file);
bool simulation_grab_again(Simulation *simulation, Bytes *bytes, int *id, Error *error);

/// The place of a node of a grab's patch when it was grabbed, m; at rest if it belongs to none. Fails if there is no
/// such node.
bool simulation_grab_start(const Simulation *simulation, int id, int node, double x[3], Error *error);

/// The force with which a grab acts on the body now, N: its springs, or if it holds its nodes, their internal forces
/// less their loads, without inertia and contact. Zero for an unknown id. Waits for the device.
bool simulation_grab_force(Simulation *simulation, int id, double force[3], Error *error);

/// A stiffness, N/m, with which a mouse moves a body well: it follows the hand and does not burst. `body` counts from
/// 0; -1: by the scene's material and size.
double simulation_mouse_stiffness(const Simulation *simulation, int body);

/// How fast, m/s, a hand may move a body without bursting it: half the speed of its shear waves.
double simulation_mouse_speed(const Simulation *simulation, int body);

/// One time step. Where it can be taken in no way (its state would not be finite, or inverted) it fails, the state is
/// that before the step, and the message names cause and element. A step whose last part did not converge while J > 0
/// and the residual fell is kept and reported as not converged. Where interrupt_requested (base/interrupt.h) it fails
/// within some iterations, the cause is NEWTON_STOPPED, and all is as before the step.
bool simulation_step(Simulation *simulation, StepReport *report, Error *error);

/// Static equilibrium under load, gravity and grabs, from the present state: inertia is left out and momenta end as
/// zero. Something must hold the body, pins or grabs. Where Newton does not converge the state stays as it was and
/// report->converged is false: come there in smaller increments of load. residual and tolerance are in N.
bool simulation_equilibrium(Simulation *simulation, StepReport *report, Error *error);

/// The internal force on every node in the present state, [node_count][3] N: what holds against load and pins.
bool simulation_internal_force(Simulation *simulation, double (*force)[3], Error *error);

double simulation_time(const Simulation *simulation);       // s
double simulation_next_time(const Simulation *simulation);  // s, after the next step
int64_t simulation_step_count(const Simulation *simulation);

/// How often something was changed that may work on the body: loads, pins, grabs and their targets, settings, the
/// state.
int64_t simulation_touched(const Simulation *simulation);
const SimulationSettings *simulation_settings(const Simulation *simulation);  // with the stage names filled in
Stream simulation_stream(const Simulation *simulation);

/// The state, [node_count][3] each; either may be NULL. Waits for the device. m and kg m/s.
bool simulation_state(Simulation *simulation, double (*positions)[3], double (*momenta)[3], Error *error);

/// How far the nodes are from their places at rest, [node_count][3] m: what is too small to show in positions, too.
bool simulation_displacements(Simulation *simulation, double (*displacements)[3], Error *error);

/// Puts the body into a state, pinned nodes too; either may be NULL and is then kept. Time and grabs stay.
bool simulation_set_state(Simulation *simulation, const double (*positions)[3], const double (*momenta)[3],
                          Error *error);

/// Velocities of the present state [node_count][3] m/s, those of held unknowns 0, and the other way: momenta are then
/// masses times velocities. Both wait.
bool simulation_velocities(Simulation *simulation, double (*velocities)[3], Error *error);
bool simulation_set_velocities(Simulation *simulation, const double (*velocities)[3], Error *error);

/// Everything that the next steps depend on besides mesh, settings, pins and load: step count, displacements and
/// momenta to the last bit, grabs. simulation_restore into a simulation made alike continues bit for bit. Errors of
/// writing show when the file is closed; what is read must be whole, or it fails and the state is undefined.
bool simulation_save(Simulation *simulation, FILE *file, Error *error);

/// As simulation_save, for a mesh in which each node a has the number number[a], [node_count], each number once.
bool simulation_save_numbered(Simulation *simulation, const int *number, FILE *file, Error *error);
bool simulation_restore(Simulation *simulation, Bytes *bytes, Error *error);

/// Queues the writing of positions, [node_count][3] float, into memory on the simulation's own device. Does not wait.
bool simulation_write_positions(Simulation *simulation, float *positions, Error *error);

/// Likewise vectors, [node_count][3] float: of VECTORS_FORCE, N, those that act from outside where nodes are now.
bool simulation_write_vectors(Simulation *simulation, VectorKind kind, float *vectors, Error *error);

/// Likewise a field, [node_count + FIELD_EXTRA] float in the user's order: see sim/field/nodal_field.h. The first call
/// makes room for it on the device, and waits for that.
bool simulation_write_field(Simulation *simulation, FieldKind kind, float *values, Error *error);

bool simulation_energy(Simulation *simulation, Energy *energy, Error *error);

// One body in its present state: momenta about the origin, energies without what it has of load, gravity and contact.
typedef struct BodyMotion {
  int nodes, tets;
  double mass, centre[3];        // kg; m, of mass
  double kinetic, elastic;       // J
  double linear[3], angular[3];  // kg m/s, kg m^2/s
} BodyMotion;

/// How many bodies there are, and all of them, [simulation_body_count]: sums in double, on the host. Waits.
int simulation_body_count(const Simulation *simulation);
bool simulation_bodies(Simulation *simulation, BodyMotion *motion, Error *error);

// Where the time of the steps since the last simulation_profile_start went, in all.
typedef struct Profile {
  double ms[TIMED_STAGES], total_ms;
  double contact_ms[TIMED_CONTACTS];  // shares of TIMED_REST
  int64_t steps, newton_iterations, cg_iterations, assemblies, vectors;
  int64_t searches;  // for pairs that may touch
} Profile;

/// Starts collecting; costs an event record around every stage. The linear solver times its products itself.
bool simulation_profile_start(Simulation *simulation, Error *error);
void simulation_profile_stop(Simulation *simulation, Profile *profile);

/// What was collected of a simulation is this one's, which goes on collecting where that one did.
void simulation_carry_profile(Simulation *simulation, Simulation *from);

/// What one piece of the work moves and waits for at the least, by device, as the stages' rows say.
void simulation_traffic(const Simulation *simulation, StageWork work, StageTraffic on[2]);

/// How often the steps of a profile did such a piece; at least, where steps were halved or looked at twice.
int64_t simulation_work_count(const Simulation *simulation, const Profile *profile, StageWork work);

/// What one WORK_ASSEMBLY, WORK_VECTOR or WORK_PRODUCT takes where many follow each other with nothing between, us, at
/// the state that the last step ended in; 0: another work, or an assembly whose operator stores no values. The matrix
/// is without its shift afterwards, and no part of a step may follow before the next step. Waits.
bool simulation_time_in_a_row(Simulation *simulation, StageWork work, double *each_us, Error *error);

// Figures about the system, for `info`, the bench and the HUD.
typedef struct SimulationSize {
  int64_t dof, nnz, slots;  // degrees of freedom, structural non-zeros, values the matrix format stores
  // of an assembly that works by parts, else 0: parts, tets that they evaluate together, nodes that they read together
  int64_t parts, part_tets, part_nodes;
  int64_t chunks;  // of an assembly that works on chunks of cells one after another, under memory_budget; else 0
} SimulationSize;
SimulationSize simulation_size(const Simulation *simulation);

/// Why it has its assembly (STAGE_ASSEMBLY), or its solver with its matrix (STAGE_SOLVER): a clause, with how the
/// solver works on this body where there is more to say.
const char *simulation_reason(const Simulation *simulation, StageKind kind);

/// The integrator that these settings mean: never INTEGRATOR_AUTO.
Integrator simulation_integrator(const SimulationSettings *settings);

/// Where matrix and solver are with these settings.
Device simulation_solver_device(const SimulationSettings *settings);

/// The shape of cells that a body with these settings has where nothing special is asked of it: "tet4", "tet10",
/// "hex8".
const char *simulation_shape(const SimulationSettings *settings);

/// The index-th stage of a kind for bodies of a shape, in all devices and precisions, or NULL past the last.
const Stage *simulation_stage(StageKind kind, const char *shape, int index);

/// Whether a matrix stores values, so that assemblies fill it; others evaluate the tangent in each product.
bool simulation_stores(const Stage *matrix);

/// Whether a solver or an assembly is taken before the one that is preferred: a solver where nobody names solver or
/// matrix, an assembly where nobody names one and its matrix is taken; and if it can take the body.
bool simulation_leads(const Stage *stage);

/// Whether the solver, or the assembly, that settings name, or that is taken without, works with the matrix that they
/// name.
bool simulation_fits(const SimulationSettings *settings, StageKind kind);

/// Whether the assembly that settings name, if they do, is there for their material.
bool simulation_assembles(const SimulationSettings *settings);

/// The element of a shape in the usual material: people are shown the rows built for it. NULL where this build has
/// none.
const char *simulation_element(const char *shape);

#ifdef __cplusplus
}
#endif
