// The options of `pliant-lab solve`.
#pragma once
#include "lab/stationary/show_stationary.h"
#include "lab/stationary/stationary.h"
#include "mesh/cell_grid.h"
#include "scene/options.h"

// Quantities that the user gives as formulas in x, y, z.
typedef enum StationaryFormulaName {
  STATIONARY_SOURCE,
  STATIONARY_FACTOR,
  STATIONARY_BOUNDARY,
  STATIONARY_HELD,
  STATIONARY_FLUX,
  STATIONARY_EXACT,
  STATIONARY_SLOPE_X,  // only plates
  STATIONARY_SLOPE_Y,
  STATIONARY_SHEAR,
  STATIONARY_MOMENT,
  STATIONARY_TRACTION_X,  // only bodies
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

// Method by which a source becomes a load vector: interpolated between nodes, integrated by points, or lumped at nodes.
typedef enum StationaryLoad { STATIONARY_LOAD_NODES, STATIONARY_LOAD_POINTS, STATIONARY_LOAD_LUMPED } StationaryLoad;

typedef struct StationaryOptions {
  int problem;  // a StationaryKind
  GridOptions grid;
  int load, support;  // load: a StationaryLoad
  double conductivity, rigidity, young, ratio;
  double force[3];  // body force, N/m^3
  bool has_force;   // false: 1000 N/m^3 downward
  int plane;        // plane bodies: 0 strain, 1 stress
  bool has_plane;   // the user gave `plane`
  // Factors that the window's panel sets: source_times on sources, boundary_times on prescribed values, edge_times on
  // fluxes and other loads of the boundary.
  double source_times, boundary_times, edge_times;
  StationarySettings settings;
  char formula[STATIONARY_FORMULAS][400];  // empty: not given
  char element[64], field[1024], output[1024], json[1024];
  ShowOptions show;
} StationaryOptions;
