// The options of the command `pliant-lab solve`.
#pragma once
#include "lab/stationary/show_stationary.h"
#include "lab/stationary/stationary.h"
#include "mesh/cell_grid.h"
#include "scene/options.h"

// Quantities that the user gives as formulas in the coordinates x, y and z, such as the source of a problem.
typedef enum StationaryFormulaName {
  STATIONARY_SOURCE,
  STATIONARY_FACTOR,
  STATIONARY_BOUNDARY,
  STATIONARY_HELD,
  STATIONARY_FLUX,
  STATIONARY_EXACT,
  STATIONARY_SLOPE_X,  // STATIONARY_SLOPE_X to STATIONARY_MOMENT: only for plates
  STATIONARY_SLOPE_Y,
  STATIONARY_SHEAR,
  STATIONARY_MOMENT,
  STATIONARY_TRACTION_X,  // STATIONARY_TRACTION_X to STATIONARY_EXACT_Z: only for bodies
  STATIONARY_TRACTION_Y,
  STATIONARY_TRACTION_Z,
  STATIONARY_PRESSURE,
  STATIONARY_HELD_X,
  STATIONARY_HELD_Y,
  STATIONARY_HELD_Z,
  STATIONARY_MOVE_X,
  STATIONARY_MOVE_Y,
  STATIONARY_MOVE_Z,
  STATIONARY_FORCE_X,
  STATIONARY_FORCE_Y,
  STATIONARY_FORCE_Z,
  STATIONARY_EXACT_X,
  STATIONARY_EXACT_Y,
  STATIONARY_EXACT_Z,
  STATIONARY_FORMULAS
} StationaryFormulaName;

typedef enum StationaryKind { STATIONARY_POISSON, STATIONARY_PLATE, STATIONARY_ELASTICITY } StationaryKind;

// Methods to compute the load vector of a source f; its exact entry at a node is the integral of f times the node's
// shape function. NODES: f is interpolated from its values at nodes. POINTS: f is evaluated at integration points.
// LUMPED: the integral is replaced by f at the node times the part of the area or volume that belongs to the node.
typedef enum StationaryLoad { STATIONARY_LOAD_NODES, STATIONARY_LOAD_POINTS, STATIONARY_LOAD_LUMPED } StationaryLoad;

typedef struct StationaryOptions {
  int problem;  // Poisson's equation, a plate or elasticity: a StationaryKind
  GridOptions grid;
  int load, support;  // load: a StationaryLoad; support of a plate's edges: 0 simply supported, 1 clamped
  // conductivity: k of Poisson's equation; rigidity: bending rigidity D of a plate, N m; young: Young's modulus, Pa;
  // ratio: Poisson's ratio
  double conductivity, rigidity, young, ratio;
  double force[3];  // force per volume of a body, N/m^3
  // false: the user did not give --force; a body then gets 1000 N/m^3 downward, or 0 if the user gave other loads
  bool has_force;
  int plane;       // for plane bodies; 0: plane strain, 1: plane stress
  bool has_plane;  // true: the user gave the option --plane
  // factors on sources (source_times), on prescribed values (boundary_times) and on loads of the boundary (edge_times),
  // which the user can change in the window
  double source_times, boundary_times, edge_times;
  StationarySettings settings;
  // text of each formula, indexed by StationaryFormulaName; empty: not given
  char formula[STATIONARY_FORMULAS][400];
  char element[64], field[1024], output[1024], json[1024];
  ShowOptions show;
} StationaryOptions;
