// The options of `pliant-lab solve`.
#pragma once
#include "lab/steady/show_steady.h"
#include "lab/steady/steady.h"
#include "mesh/cell_grid.h"
#include "scene/options.h"

// Quantities given by formulas in x, y, z.
typedef enum SteadyFormulaName {
  STEADY_SOURCE,
  STEADY_FACTOR,
  STEADY_BOUNDARY,
  STEADY_HELD,
  STEADY_FLUX,
  STEADY_EXACT,
  STEADY_SLOPE_X,  // only plates
  STEADY_SLOPE_Y,
  STEADY_SHEAR,
  STEADY_MOMENT,
  STEADY_TRACTION_X,  // only bodies
  STEADY_TRACTION_Y,
  STEADY_TRACTION_Z,
  STEADY_PRESSURE,
  STEADY_HELD_X,
  STEADY_HELD_Y,
  STEADY_HELD_Z,
  STEADY_MOVE_X,
  STEADY_MOVE_Y,
  STEADY_MOVE_Z,
  STEADY_FORCE_X,
  STEADY_FORCE_Y,
  STEADY_FORCE_Z,
  STEADY_EXACT_X,
  STEADY_EXACT_Y,
  STEADY_EXACT_Z,
  STEADY_FORMULAS
} SteadyFormulaName;

typedef enum SteadyKind { STEADY_POISSON, STEADY_PLATE, STEADY_ELASTICITY } SteadyKind;

// Method to turn a source into a load.
typedef enum SteadyLoad { STEADY_LOAD_NODES, STEADY_LOAD_POINTS, STEADY_LOAD_LUMPED } SteadyLoad;

typedef struct SteadyOptions {
  int problem;  // a SteadyKind
  GridOptions grid;
  int load, support;  // load: a SteadyLoad
  double conductivity, rigidity, young, ratio;
  double force[3];                                  // body force, N/m^3
  bool has_force;                                   // false: 1000 N/m^3 downward
  int plane;                                        // plane bodies: 0 strain, 1 stress
  bool has_plane;                                   // given
  double source_times, boundary_times, edge_times;  // factors of the window on sources, on held values, and on fluxes
                                                    // and other loads of the boundary
  SteadySettings settings;
  char formula[STEADY_FORMULAS][400];  // empty: not given
  char element[64], field[1024], output[1024], json[1024];
  ShowOptions show;
} SteadyOptions;
