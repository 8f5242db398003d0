// The meshes "square" and "cube": uniform grids of cells of any shape, for `pliant make` and `pliant-lab solve`.
#pragma once
#include "base/option.h"
#include "mesh/grid.h"

// Options that describe a grid. cells: number of cells along the shortest side. shape: index of a name in GRID_SHAPES.
// degree: polynomial degree of quads. distort: largest random shift of inner corners, as a fraction of a cell's side.
// seed: seed of the random shifts.
typedef struct GridOptions {
  double size[3];  // sides of the grid, m; all 0: each side is 1 m
  int cells, shape, degree, seed;
  double distort;
} GridOptions;

// GRID_SHAPES: names of the cell shapes, separated by "|". GRID_OPTIONS: rows of an option table (base/option.h). The
// options set the member `field`, a GridOptions, of the struct `type`.
#define GRID_SHAPES "auto|triangle|quad|tet|hex"
#define GRID_OPTIONS(type, field)                                                               \
  { "shape", OPTION_CHOICE, OPTION_AT(type, field.shape), .choices = GRID_SHAPES,               \
    .help = "shape of the cells of a square (auto: quad) or a cube (auto: tet)" },              \
      { "degree", OPTION_INTEGER, OPTION_AT(type, field.degree), OPTION_FROM_TO(1, 4),          \
        .help = "polynomial degree of quads, or of tets with `pliant-lab solve elasticity`" },  \
      { "distort", OPTION_NUMBER, OPTION_AT(type, field.distort), OPTION_FROM_TO(0, 0.49),      \
        .help = "largest random shift of inner grid corners, as a fraction of a cell's side" }, \
  {                                                                                             \
    "seed", OPTION_INTEGER, OPTION_AT(type, field.seed), OPTION_FROM_TO(0, 1000000000),         \
        .help = "seed of the random shifts by --distort"                                        \
  }

/// Returns true if the user gave at least one side of the grid. Then all sides must be given: a side of 0 is an error.
bool grid_is_sized(const GridOptions *options);

/// Returns true if `name` is "square" or "cube".
bool is_cell_grid(const char *name);

/// Fails if a grid with this name cannot have the shape of cells or the degree.
bool cell_grid_check(const char *name, const GridOptions *options, Error *error);

/// Creates the mesh with this name, "square" or "cube". Fails if an option is invalid; the message begins with the
/// option's name.
bool make_cell_grid(const char *name, const GridOptions *options, CellMesh *mesh, Error *error);
