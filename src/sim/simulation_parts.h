// The members of struct Simulation, and functions that several of its source files use. The source files are:
//   simulation_create.c     creates and destroys a simulation
//   simulation.c            computes steps; changes settings
//   simulation_grabs.c      sets pins, supports and grabs
//   simulation_loads.c      sets loads and pressures
//   simulation_obstacles.c  sets and moves the floor, obstacles and the pushing ball
//   simulation_state.c      reads and writes the state
//   simulation_carry.c      copies the state of another simulation, after a cut
//   simulation_split.c      changes the mesh in place after a cut
//   simulation_tear.c       finds torn tets, whose stress exceeds a limit
//   simulation_bodies.c     computes size, material, mass, energy and momentum of each body
//   simulation_reactions.c  computes forces of pins and grabs
//   simulation_profile.c    measures the times of the stages
//   simulation_ranks.c      divides a simulation among processes
//   simulation_many.c       solves the steps of many simulations together on the GPU
#pragma once
#include "base/work_arrays.h"
#include "mesh/surface.h"
#include "sim/assembly/assembly.h"
#include "sim/newton/newton.h"
#include "sim/dynamics/self_contact.h"
#include "sim/element/halo.h"
#include "sim/element/mass_matrix.h"
#include "sim/field/nodal_field.h"
#include "sim/field/stress_search.h"
#include "sim/force/constraint.h"
#include "sim/force/loads.h"
#include "sim/memory.h"
#include "sim/range.h"
#include "sim/simulation.h"
#include "sim/solver/solver.h"
#include "sim/worlds/worlds.h"

// Size and material of one body of the mesh.
typedef struct BodyTraits {
  double extent;     // m, diagonal of the body's bounding box
  double stiffness;  // largest factor by which a cell of the body multiplies the settings' mu
  double ratio;      // ratio of Lame's constants lambda / mu; NAN: as in the settings
  double density;    // density, kg/m^3; NAN: as in the settings
} BodyTraits;

// A simulation. Nodes and tets have two orders: the user's order, which is that of the caller's mesh, and the internal
// order, chosen for fast access to memory.
struct Simulation {
  SimulationSettings settings;     // the settings of the user, with the names of the chosen stages
  NewtonSettings newton_settings;  // derived from `settings`; updated with them
  // All members below use the internal order of nodes. Public functions convert arrays (pins, loads, states) from and
  // to the user's order.
  Space space;          // nodes, cells and graph of neighbours of the mesh
  StageSize size;       // numbers of nodes, cells and so on, from which the memory of the stages is estimated
  MemoryEstimate need;  // bytes that the simulation needs, as estimated at creation
  // texts for the user: the reason why this assembly was chosen, and the reason for the solver and its matrix
  char assembly_reason[ERROR_LENGTH], solver_reason[ERROR_LENGTH];
  // Number of nodes of the user's mesh, the length of the user's arrays. It is space.node_count, unless the body is
  // divided among processes.
  int user_count;
  Halo *halo;      // division of the body among processes (settings.ranks); NULL: this process has the whole body
  int *user_node;  // [node_count], the user's number of each node
  // [node_count], a sorting key of each node (NodeNumbering.rank); tets are sorted by the smallest key of their nodes.
  // NULL: tets are sorted by the smallest internal node number.
  int *rank;
  // capacity of the arrays with one entry per node, in nodes. 0: simulation_split has not enlarged these arrays, so
  // their capacity is node_count
  int node_capacity;
  // capacity of the arrays with one entry per pair of neighbouring nodes, in pairs. 0: simulation_split has not
  // enlarged these arrays, so their capacity is the number of pairs
  int64_t pair_capacity;
  int *cell_index;     // [cell_count], internal index of each tet, in the user's order of tets; NULL for hexes
  bool keeps_batches;  // true after tets were removed: the others keep their batches (Space.batch)
  double *mass;        // [node_count], lumped mass of each node, kg
  MassMatrix masses;   // consistent mass matrix; empty if masses are lumped
  // [node_count], kg: integral of density times the node's shape function (mesh_weight). Multiplied by g, it is the
  // node's weight.
  double *weight;
  double extent;            // m, diagonal of the mesh's bounding box
  int body_count;           // number of bodies of the mesh; 1 for a mesh without body numbers
  BodyTraits *body_traits;  // [body_count], size and material of each body
  // smallest and largest values over the mesh, such as volumes, for checks of the precision's range
  BodyRange range;
  Operator A;         // the tangent matrix, or an operator that computes products with it
  Assembly assembly;  // computes the force vector and the values of the matrix
  // `solver` solves the linear systems of Newton's method. With self-contact there may be a second solver, `alone`. It
  // is faster, but does not support all terms of the systems, such as contact (newton_choose_solver in
  // newton/newton_loop.h). Without a second solver, `alone` is zeroed.
  Solver solver, alone;
  const MotionMethod *loops;                // functions that loop over the body's state, for its device and precision
  const MotionArrays *arrays;               // functions that allocate, read and write the arrays of `motion`
  const NewtonFunctions *newton_functions;  // functions of Newton's method for the precision
  Motion *motion;                           // state and forces of the body
  Newton newton;                            // state of Newton's method
  WorkArrays work;                          // arrays of functions that read or write the state or the pins
  Worlds worlds;  // memory for steps that simulations_take solves together, if this simulation is first in its list
  Grabs grabs;    // patches of nodes that the user pulls by springs or holds
  Constraints constraints;  // prescribed displacements of nodes in the next step
  Supports supports;        // prescribed rigid motions of pinned nodes
  Contact *contact;         // state of self-contact; NULL: self-contact is off
  Surface surface;          // surface of the mesh, in the user's order; empty after creation
  double edge;              // m, mean edge length of `surface`; 0 without self-contact
  RigidSurface rigid;       // surfaces of obstacles in self-contact
  bool obstacles_jumped;    // true: simulation_place_obstacles must apply a change of simulation_set_obstacles
  bool pushes;              // true: the pushing ball is present
  double push_from[3], push_motion[3];  // m, the ball's centre, and its displacement in the next step
  NodalField field;                     // work arrays of displayed fields (field/nodal_field.h); created at first use
  StressSearch search;  // work arrays of the search for torn tets (field/stress_search.h); created at first use
  StageClock clock;     // timer of the stages
  // one stream for each Device; the GPU's stream exists only if a stage (assembly, matrix, solver, body) runs there
  Stream streams[2];
  Loads loads;                     // loads of simulation_set_load, without gravity
  int pressures;                   // number of faces on which simulation_set_pressure acts
  int *local_face, local_faces;    // [local_faces], faces under pressure in this process; NULL if `halo` is NULL
  int64_t step_count, touched;     // number of steps so far; counter of simulation_touched
  int last_substeps, last_damped;  // StepReport.substeps and damped of the last step
  // s, time at the last change of dt; steps_then is the step count at that change, so that time = time_then +
  // (step_count - steps_then) * dt
  double time_then;
  int64_t steps_then;  // number of steps at the last change of dt
  // Counts since simulation_profile_start; `clock` has the times.
  Profile profile;
  // values of three counters at simulation_profile_start, which are subtracted from the present values: assemblies of
  // tangent and forces, of forces only, and searches for contact pairs
  int64_t assemblies_before, vectors_before, searches_before;
  double search_s_before;  // s, total time of searches for contact pairs before simulation_profile_start
};

/// Fails if the settings are invalid for their material or for the material of one of the bodies. Also fails if a
/// quantity of the body, such as a mass, is too large or too small for the precision.
bool simulation_check(const Simulation *simulation, const SimulationSettings *settings, Error *error);

/// Fails if settings.ranks is set together with settings that a run on several processes does not support.
bool simulation_check_ranks(const SimulationSettings *settings, Error *error);

/// Creates simulation->space, user_node and halo for a body that is divided among processes. `mesh` has all nodes of
/// the body, and at least the cells at the nodes of this process. The space has the nodes of this process, all cells at
/// these nodes, and ghosts: the cells' nodes that other processes own.
bool simulation_create_local_space(Simulation *simulation, const TetMesh *mesh, Error *error);

/// If the body is divided among processes, these functions complete an array [user_count][width] over the user's nodes:
/// simulation_complete for doubles, simulation_complete_floats for floats. Before the call each process has written the
/// values of the nodes that it owns. Afterwards all processes have the values of all nodes.
bool simulation_complete(const Simulation *simulation, double *values, int width, Error *error);
bool simulation_complete_floats(const Simulation *simulation, float *values, int width, Error *error);

/// Writes all grabs to the file. If the body is divided among processes, each grab is written with its nodes of all
/// processes.
bool simulation_save_grabs(const Simulation *simulation, FILE *file, Error *error);

/// Computes the consistent mass matrix for the present density, and adds it as a term to the operator, the matrix of
/// the linear systems. Does nothing for lumped masses.
bool simulation_set_masses(Simulation *simulation, Error *error);

/// Velocities v [node_count][3], m/s, in the internal order of nodes. simulation_inside_velocities computes them from
/// the state's momenta, which are the mass matrix times v. simulation_set_inside_velocities sets the momenta.
bool simulation_inside_velocities(Simulation *simulation, double (*v)[3], Error *error);
bool simulation_set_inside_velocities(Simulation *simulation, const double (*v)[3], Error *error);

/// Fills body_count and body_traits: the number of bodies, and size and material of each.
bool simulation_find_bodies(Simulation *simulation, Error *error);

/// Two functions that must be called after changes of settings. simulation_set_floor_stiffness computes each node's
/// contact stiffness against floor and obstacles, divided by lambda + 2 mu. simulation_set_dampers computes dampers for
/// bodies whose damping differs from the settings; the next step copies them to the device.
bool simulation_set_floor_stiffness(Simulation *simulation, Error *error);
bool simulation_set_dampers(Simulation *simulation, Error *error);

/// Copies the springs and dampers of nodes to the device if they have changed. The target of a spring moves during a
/// step. The function copies the target at the fraction `theta` of the step.
bool simulation_copy_springs(Simulation *simulation, double theta, Error *error);

/// Copies the prescribed positions of constrained nodes at `time`, s, to the device if they may have changed.
bool simulation_update_constraints(Simulation *simulation, double time, Error *error);

/// Copies the total load of each node, its force plus its weight, to the body's state on the device. Must be called
/// after changes of loads or gravity.
bool simulation_apply_load(Simulation *simulation, Error *error);

/// Changes the floor to the floor of the settings `changed`, if the floor is a surface of self-contact. Fails, and
/// changes nothing, if a body is not completely above the new floor. Does nothing without self-contact.
bool simulation_change_floor(Simulation *simulation, const SimulationSettings *changed, Error *error);

/// Copies the floor of the settings (height, friction and modulus) to simulation->motion, which computes the floor's
/// springs on nodes. With self-contact, simulation->motion gets no floor, because self-contact then treats the floor as
/// a surface.
void simulation_set_floor(Simulation *simulation);

/// Writes to `solid` the obstacles that push single nodes by springs, and returns their number. All other obstacles are
/// surfaces of self-contact.
int simulation_solid_obstacles(const SimulationSettings *settings, Obstacle solid[OBSTACLES_MAX]);

/// Moves obstacles to their positions at `time`, s, and sets their velocities so that one step brings them to their
/// positions at `next`. If next == time, the velocities are 0.
bool simulation_place_obstacles(Simulation *simulation, double time, double next, Error *error);

/// Fails if the surface at x [node_count][3], m, in the internal order, intersects itself or is inside an obstacle. The
/// message names bodies, and nodes by their numbers in the user's mesh.
bool simulation_check_contact(Simulation *simulation, const double (*x)[3], Error *error);

/// Fails if the surface of the present state intersects itself or is inside an obstacle.
bool simulation_check_state(Simulation *simulation, Error *error);

/// Four functions for the memory of the search for torn tets (simulation_tear.h). simulation_expect_searches allocates
/// it for the present body. simulation_reserve_search enlarges it, if it exists, before a split.
/// simulation_split_search removes the data of removed tets, by work that is queued on the stream.
/// stress_search_destroy frees it.
bool simulation_expect_searches(Simulation *simulation, Error *error);
bool simulation_reserve_search(Simulation *simulation, const SpaceSplit *split, Error *error);
bool simulation_split_search(Simulation *simulation, const SpaceSplit *split, Error *error);
void stress_search_destroy(StressSearch *search, Device device);

/// Sets the stiffness (modulus, Pa) of the contact barrier, which keeps surfaces apart, and the constants of friction
/// from the settings. Does nothing without self-contact.
void simulation_set_barrier(Simulation *simulation);
