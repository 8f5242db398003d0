// What a simulation owns, for the files that it is made of: simulation_create.c builds it, simulation.c moves it,
// simulation_state.c reads and writes what it is in, simulation_carry.c takes it from another one, simulation_split.c
// goes on in place where the mesh is taken apart, simulation_tear.c finds tets that tear, simulation_profile.c times
// it.
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

// What one of several bodies is made of, against the settings.
typedef struct BodyTraits {
  double extent;     // m, the diagonal of its bounding box
  double stiffness;  // the largest factor on mu of its cells
  double ratio;      // lambda over mu; NAN: the settings'
  double density;    // kg/m^3, likewise
} BodyTraits;

struct Simulation {
  SimulationSettings settings;
  NewtonSettings newton_settings;  // derived from `settings`, again after each change of those
  // From here on nodes are numbered in the order inside. It is undone at the doors: pins, loads, states, positions.
  Space space;     // of the mesh
  StageSize size;  // what its stages' needs depend on
  MemoryEstimate need;
  char assembly_reason[ERROR_LENGTH], solver_reason[ERROR_LENGTH];
  int *user_node;     // [node_count]: the user's number of each node
  int *rank;          // [node_count], of the user's nodes, that tets are sorted by; NULL: their places inside
  int node_room;      // for how many nodes, and pairs, arrays have room where the mesh was taken apart in place; 0: for
  int64_t pair_room;  // those that there are
  int *cell_place;    // [cell_count], where each of the user's tets is; NULL of hexes
  bool keeps_batches;  // tets were removed: those that are left keep their places in batches
  double *mass;        // [node_count], kg
  MassMatrix masses;   // consistent ones, or empty
  double *weight;      // [node_count], each node's share of it under gravity, kg: see mesh_weight
  double extent;       // of the mesh: the diagonal of its bounding box, m
  int body_count;
  BodyTraits *body_traits;  // [body_count]
  BodyRange range;
  Operator A;  // the tangent of a step
  Assembly assembly;
  Solver solver, alone;       // the second as of Newton, or empty
  const MotionMethod *loops;  // over the body, on its device in its precision; the next two are of that precision
  const MotionArrays *arrays;
  const NewtonFunctions *newton_functions;
  Motion *motion;  // the body
  Newton newton;
  Grabs grabs;
  Constraints constraints;
  Contact *contact;                  // of the body with itself; NULL: there is none
  Surface surface;                   // what that is made of, until it is; in the order of the mesh
  double edge;                       // of that, m: the mean length
  RigidSurface rigid;                // the obstacles that it meets
  bool pushes;                       // the pusher is there,
  double push_from[3], push_way[3];  // m: where its middle is, and how far it goes in the next step
  NodalField field;                  // made when first asked for
  StressSearch search;               // likewise
  StageClock clock;
  Stream streams[2];  // by device; a GPU's only where a stage runs on it
  Loads loads;        // as last set: gravity comes on top
  int pressures;      // triangles under pressure
  int64_t step_count, touched;
  double time_then;  // s, and steps, when dt was last changed
  int64_t steps_then;
  Profile profile;  // counts since profile_start; times are the clock's
  int64_t assemblies_before, vectors_before, searches_before;
  double search_s_before;
};

/// Whether the body can have these settings: they by themselves, what its bodies have of their own, and its numbers in
/// their precision.
bool simulation_check(const Simulation *simulation, const SimulationSettings *settings, Error *error);

/// Makes consistent masses where the settings have them, in the operator too: of the density as it is now.
bool simulation_set_masses(Simulation *simulation, Error *error);

/// simulation_velocities and simulation_set_velocities, nodes in the order inside.
bool simulation_inside_velocities(Simulation *simulation, double (*v)[3], Error *error);
bool simulation_set_inside_velocities(Simulation *simulation, const double (*v)[3], Error *error);

/// Fills body_count and body_traits.
bool simulation_find_bodies(Simulation *simulation, Error *error);

/// How stiff nodes are against floor and obstacles, and the dampers of bodies that have a damping of their own: what
/// follows from settings that change live. The latter come to the device with the next step.
bool simulation_set_floor_stiffness(Simulation *simulation, Error *error);
bool simulation_set_dampers(Simulation *simulation, Error *error);

/// The floor as the settings have it.
void simulation_set_floor(Simulation *simulation);

/// The obstacles of settings that are no surfaces of self-contact, whose number it returns: those that nodes are held
/// against.
int simulation_solid_obstacles(const SimulationSettings *settings, Obstacle solid[OBSTACLES_MAX]);

/// Puts obstacles that move where they are at a time, s, with the velocity that has them at `next` after the step
/// between; at rest where `next` is the same.
bool simulation_place_obstacles(Simulation *simulation, double time, double next, Error *error);

/// Fails where the surface goes through itself at x [node_count][3], nodes in the order inside; the message names
/// bodies, and nodes by their tags.
bool simulation_check_contact(Simulation *simulation, const double (*x)[3], Error *error);

/// The same of the present state.
bool simulation_check_state(Simulation *simulation, Error *error);

/// What a search for tets that tear needs; and of a body that was searched and is taken apart in place: room for what
/// is new, and what is left then, queued on the stream.
bool simulation_expect_searches(Simulation *simulation, Error *error);
bool simulation_reserve_search(Simulation *simulation, const SpaceSplit *split, Error *error);
bool simulation_split_search(Simulation *simulation, const SpaceSplit *split, Error *error);
void stress_search_destroy(StressSearch *search, Device device);

/// The barrier of self-contact as the settings have it: its reach, modulus and friction.
void simulation_set_barrier(Simulation *simulation);
