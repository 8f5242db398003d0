// `square` and `cube`: grids of any shape of cells, as `pliant make` and `pliant-lab solve` take them.
#pragma once
#include "base/option.h"
#include "mesh/grid.h"

typedef struct GridOptions {
  double size[3];  // m; 0: 1
  int cells, shape, degree, seed;
  double distort;
} GridOptions;

// The rows of these options, for a struct with a GridOptions at `field`.
#define GRID_SHAPES "auto|triangle|quad|tet|hex"
#define GRID_OPTIONS(type, field)                                                                                     \
  { "shape", OPTION_CHOICE, OPTION_AT(type, field.shape), .choices = GRID_SHAPES,                                     \
    .help = "shape of the cells of a square (auto: quad) or a cube (auto: tet)" },                                    \
      { "degree", OPTION_INTEGER, OPTION_AT(type, field.degree), OPTION_FROM_TO(1, 4), .help = "degree of quads" },   \
      { "distort", OPTION_NUMBER, OPTION_AT(type, field.distort), OPTION_FROM_TO(0, 0.49),                            \
        .help = "corners inside a square or cube move by up to this part of a cell's side" },                         \
  {                                                                                                                   \
    "seed", OPTION_INTEGER, OPTION_AT(type, field.seed), OPTION_FROM_TO(0, 1000000000), .help = "seed of these moves" \
  }

/// Whether sides were asked for: one that is 0 is wrong then.
bool grid_is_sized(const GridOptions *options);

/// Whether this is one of the two names.
bool is_cell_grid(const char *name);

/// The mesh. Fails with the option that is wrong.
bool make_cell_grid(const char *name, const GridOptions *options, CellMesh *mesh, Error *error);
