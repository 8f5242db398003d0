// Creates the meshes "square" and "cube": see cell_grid.h.
#include "mesh/cell_grid.h"

#include <math.h>
#include <string.h>

bool is_cell_grid(const char *name) {
  return strcmp(name, "square") == 0 || strcmp(name, "cube") == 0;
}

bool grid_is_sized(const GridOptions *options) {
  return options->size[0] > 0 || options->size[1] > 0 || options->size[2] > 0;
}

enum { AUTO, TRIANGLE, QUAD, TET, HEX };

static int dimension_of(const char *name) {
  return strcmp(name, "square") == 0 ? 2 : 3;
}

static int shape_of(const char *name, const GridOptions *options) {
  return options->shape != AUTO ? options->shape : dimension_of(name) == 2 ? QUAD : TET;
}

bool cell_grid_check(const char *name, const GridOptions *options, Error *error) {
  const int dimension = dimension_of(name), shape = shape_of(name, options);
  if ((shape == TRIANGLE || shape == QUAD) != (dimension == 2))
    return error_set(error, "shape: a %s can consist only of %s cells", name,
                     dimension == 2 ? "triangle or quad" : "tet or hex");
  return options->degree <= 1 || shape == QUAD ||
         error_set(error, "degree is %d, but only grids of quads can have a degree above 1", options->degree);
}

bool make_cell_grid(const char *name, const GridOptions *options, CellMesh *mesh, Error *error) {
  const int dimension = dimension_of(name), shape = shape_of(name, options);
  if (!cell_grid_check(name, options, error)) return false;
  Grid grid = { .shape = cell_shape_find(dimension, shape == TRIANGLE || shape == TET, options->degree),
                .distort = options->distort,
                .seed = (uint64_t)options->seed };
  const bool sized = grid_is_sized(options);
  double thinnest = HUGE_VAL;
  for (int i = 0; i < 3; i++) grid.size[i] = sized ? options->size[i] : 1;
  for (int i = 0; i < dimension; i++) {
    if (!(grid.size[i] > 0))
      return error_set(error, "size: the length along %c is %g m, expected more than 0", 'x' + i, grid.size[i]);
    if (!(grid.size[i] <= 1e30))
      return error_set(error, "size: the length along %c is %g m, expected at most 1e+30", 'x' + i, grid.size[i]);
    thinnest = fmin(thinnest, grid.size[i]);
  }

  for (int i = 0; i < 3; i++) {
    const double cells = grid.size[i] / thinnest * options->cells;
    if (i < dimension && !(cells < 1e8))
      return error_set(error, "size: %g cells along %c are too many, expected less than 1e+08; use fewer cells", cells,
                       'x' + i);
    grid.cells[i] = i < dimension ? (int)fmax(1, round(cells)) : 1;
  }
  return grid_make(&grid, mesh, error);
}
