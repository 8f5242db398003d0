// The members of a simulation, and functions shared by its files. simulation_create.c creates it, simulation.c steps
// it, and simulation_state.c reads and writes its state. simulation_carry.c copies the state of another one, and
// simulation_split.c continues in place after a cut. simulation_tear.c finds torn tets, simulation_bodies.c sums over
// bodies, and simulation_profile.c measures times.
#pragma once
#include "mesh/surface.h"
#include "sim/assembly/assembly.h"
#include "sim/dynamics/newton.h"
#include "sim/dynamics/self_contact.h"
#include "sim/element/mass_matrix.h"
#include "sim/field/nodal_field.h"
#include "sim/field/stress_search.h"
#include "sim/force/constraint.h"
#include "sim/force/loads.h"
#include "sim/memory.h"
#include "sim/range.h"
#include "sim/simulation.h"
#include "sim/solver/solver.h"

// Size and material of one body.
typedef struct BodyTraits {
  double extent;     // m, diagonal of the bounding box
  double stiffness;  // largest factor on the settings' mu over its cells
  double ratio;      // lambda / mu; NAN: as in the settings
  double density;    // kg/m^3; NAN: as in the settings
} BodyTraits;

struct Simulation {
  SimulationSettings settings;
  NewtonSettings newton_settings;  // derived from `settings`; updated with them
  // All members below use the internal order of nodes. The public functions convert: pins, loads, states, positions.
  Space space;     // discretised mesh, in the internal order
  StageSize size;  // sizes that determine the stages' memory
  MemoryEstimate need;
  char assembly_reason[ERROR_LENGTH], solver_reason[ERROR_LENGTH];
  int *user_node;         // [node_count], the user's number of each node
  int *rank;              // [node_count], by user's node: tets are sorted by smallest rank; NULL: by internal index
  int node_capacity;      // capacities in nodes and in pairs after a split in place; 0: arrays have the
  int64_t pair_capacity;  // present sizes
  int *cell_index;        // [cell_count], internal index of each of the user's tets; NULL for hexes
  bool keeps_batches;     // tets were removed; the others keep their batches
  double *mass;           // [node_count], kg
  MassMatrix masses;      // consistent mass matrix, or empty
  double *weight;         // [node_count] kg: weight over gravity, see mesh_weight
  double extent;          // m, diagonal of the mesh's bounding box
  int body_count;
  BodyTraits *body_traits;  // [body_count]
  BodyRange range;
  Operator A;  // tangent of a step
  Assembly assembly;
  Solver solver, alone;       // `alone` as in Newton, or empty
  const MotionMethod *loops;  // functions for the body's device and precision; the next two are for its precision
  const MotionArrays *arrays;
  const NewtonFunctions *newton_functions;
  Motion *motion;  // the body
  Newton newton;
  Grabs grabs;
  Constraints constraints;
  Supports supports;
  Contact *contact;                     // self-contact; NULL: none
  Surface surface;                      // surface of the mesh, in the mesh's order; empty after creation
  double edge;                          // m, mean edge length of that surface
  RigidSurface rigid;                   // obstacles of self-contact
  bool obstacles_jumped;                // simulation_set_obstacles was called since obstacles were placed
  bool pushes;                          // the pushing ball is present
  double push_from[3], push_motion[3];  // m, its centre, and its displacement in the next step
  NodalField field;                     // created at first use
  StressSearch search;                  // created at first use
  StageClock clock;
  Stream streams[2];  // by device; the GPU's only if a stage uses it
  Loads loads;        // loads of simulation_set_load, without gravity
  int pressures;      // number of faces under pressure
  int64_t step_count, touched;
  double time_then;  // s, and step count, at the last change of dt
  int64_t steps_then;
  Profile profile;  // counts since simulation_profile_start; times are in `clock`
  int64_t assemblies_before, vectors_before, searches_before;
  double search_s_before;
};

/// Fails if the settings are invalid, by themselves or for one of the bodies' materials, or if a number of the body
/// leaves the precision's range.
bool simulation_check(const Simulation *simulation, const SimulationSettings *settings, Error *error);

/// Computes the consistent mass matrix for the present density and connects it to the operator. Does nothing for lumped
/// masses.
bool simulation_set_masses(Simulation *simulation, Error *error);

/// As simulation_velocities and simulation_set_velocities, in the internal order of nodes.
bool simulation_inside_velocities(Simulation *simulation, double (*v)[3], Error *error);
bool simulation_set_inside_velocities(Simulation *simulation, const double (*v)[3], Error *error);

/// Fills body_count and body_traits.
bool simulation_find_bodies(Simulation *simulation, Error *error);

/// Update values that depend on live settings: the nodes' contact stiffness against floor and obstacles, and the
/// dampers of bodies with another damping coefficient. The dampers are copied to the device by the next step.
bool simulation_set_floor_stiffness(Simulation *simulation, Error *error);
bool simulation_set_dampers(Simulation *simulation, Error *error);

/// Copies the floor of the settings to the body.
void simulation_set_floor(Simulation *simulation);

/// Writes the obstacles against which single nodes are tested, which are not surfaces of self-contact, into `solid`.
/// Returns their number.
int simulation_solid_obstacles(const SimulationSettings *settings, Obstacle solid[OBSTACLES_MAX]);

/// Moves obstacles to their positions at `time`, s, with the velocities that bring them to their positions at `next`
/// after one step. If next == time, the velocities are 0.
bool simulation_place_obstacles(Simulation *simulation, double time, double next, Error *error);

/// Fails if the surface at x [node_count][3], in the internal order, intersects itself or is inside an obstacle. The
/// message names bodies, and nodes by their tags.
bool simulation_check_contact(Simulation *simulation, const double (*x)[3], Error *error);

/// As simulation_check_contact, for the present state.
bool simulation_check_state(Simulation *simulation, Error *error);

/// Memory of the search for torn tets. simulation_expect_searches allocates it for the present body.
/// simulation_reserve_search enlarges it for a split, if it was allocated. simulation_split_search queues the removal
/// of data of removed tets on the stream.
bool simulation_expect_searches(Simulation *simulation, Error *error);
bool simulation_reserve_search(Simulation *simulation, const SpaceSplit *split, Error *error);
bool simulation_split_search(Simulation *simulation, const SpaceSplit *split, Error *error);
void stress_search_destroy(StressSearch *search, Device device);

/// Copies the modulus and friction of self-contact from the settings.
void simulation_set_barrier(Simulation *simulation);
