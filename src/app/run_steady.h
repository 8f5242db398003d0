// `pliant solve --problem`: a problem without time, on a grid or a mesh.
#pragma once
#include "app/cell_grid.h"
#include "app/show_steady.h"
#include "scene/options.h"
#include "sim/steady.h"

typedef struct SteadyOptions {
  int problem;
  GridOptions grid;
  int load, support;
  double conductivity, rigidity, young, ratio;
  double force[3];  // of a body, N/m^3
  SteadySettings settings;
  char source[400], boundary[400], held[400], flux[400], exact[400];  // formulas; the last empty: not known
  char element[64], output[1024], json[1024];
  ShowOptions show;
} SteadyOptions;

extern const Option steady_options[];

SteadyOptions steady_option_defaults(void);

/// Solves, prints what it took, and writes the result where asked to. Fails where the solver does not converge.
bool run_steady(const char *mesh, const SteadyOptions *options, Error *error);
