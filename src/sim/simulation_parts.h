// What a simulation owns, for the files that it is made of: simulation_create.c builds it, simulation.c moves it,
// simulation_state.c reads and writes what it is in, simulation_profile.c times it.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/field/nodal_field.h"
#include "sim/force/grabs.h"
#include "sim/force/loads.h"
#include "sim/krylov/solver.h"
#include "sim/newton/newton.h"
#include "sim/newton/self_contact.h"
#include "sim/range.h"
#include "sim/simulation.h"

struct Simulation {
  SimulationSettings settings;
  // From here on nodes are numbered in the order inside. It is undone at the doors: pins, loads, states, positions.
  Space space;     // of the mesh
  StageSize size;  // what its stages' needs depend on
  char assembly_reason[ERROR_LENGTH], solver_reason[ERROR_LENGTH];
  int *user_node;  // [node_count]: the user's number of each node
  double *mass;    // [node_count], kg
  double *weight;  // [node_count], each node's share of it under gravity, kg: see mesh_weight
  double extent;   // of the mesh: the diagonal of its bounding box, m
  BodyRange range;
  Operator A;  // the tangent of a step
  Assembly assembly;
  Solver solver;
  const MotionMethod *loops;  // over the body, on its device in its precision; the next two are of that precision
  const MotionArrays *arrays;
  const NewtonFunctions *newton_functions;
  Motion *motion;  // the body
  Newton newton;
  Grabs grabs;
  Contact *contact;  // of the body with itself; NULL: there is none
  NodalField field;  // made when first asked for
  StageClock clock;
  Stream streams[2];  // by device; a GPU's only where a stage runs on it
  Loads loads;        // as last set: gravity comes on top
  int64_t step_count, touched;
  double time_then;  // s, and steps, when dt was last changed
  int64_t steps_then;
  Profile profile;  // counts since profile_start; times are the clock's
  int64_t assemblies_before, vectors_before;
};

/// The floor as the settings have it.
void simulation_set_floor(Simulation *simulation);

/// Self-contact's modulus and friction as the settings have them.
void simulation_set_contact(Simulation *simulation);
