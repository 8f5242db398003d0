// `pliant make SHAPE -o FILE`: makes a mesh of a simple shape.
#include "app/command_line.h"
#include "mesh/cell_grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/mesh_write.h"
#include "mesh/quality.h"
#include "mesh/shapes.h"

typedef struct MakeOptions {
  char output[1024];
  GridOptions grid;  // options of the grids `square` and `cube`; other shapes use only size and cells
} MakeOptions;

#define AT(field) OPTION_AT(MakeOptions, field)
static const Option make_options[] = {
  { "output", OPTION_TEXT, AT(output), .unit = "FILE", .help = "mesh file; its ending chooses the format (also -o)" },
  { "size", OPTION_VECTOR, AT(grid.size), OPTION_AT_LEAST(0), .unit = "X,Y,Z",
    .help = "sides of the bounding box, m [1,1,1; beam 4,1,1; torus 1,1,0.25]" },
  { "cells", OPTION_INTEGER, AT(grid.cells), OPTION_FROM_TO(1, 100000),
    .help = "number of cells across the thinnest part of the shape; more than 1,000 only for square and cube" },
  GRID_OPTIONS(MakeOptions, grid),
  { 0 },
};

static const OptionTerm make_terms[] = { { "seed", .needs = "distort" }, { 0 } };

// Makes a grid (square or cube) and writes it to the output file.
static bool make_grid(const char *shape, const MakeOptions *options, Error *error) {
  CellMesh mesh = { 0 };
  const bool ok =
      make_cell_grid(shape, &options->grid, &mesh, error) && cell_mesh_write(options->output, &mesh, NULL, 0, error);
  if (ok)
    printf("%s: %d nodes, %d cells of shape %s\n", options->output, mesh.node_count, mesh.cell_count,
           cell_shape_info(mesh.shape)->name);
  cell_mesh_destroy(&mesh);
  return ok;
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(MakeOptions *)options = (MakeOptions){ .grid = { .cells = 8, .degree = 1 } };
}

static bool is_shape(const char *name) {
  for (int k = 0; mesh_shape_name(k); k++)
    if (strcmp(mesh_shape_name(k), name) == 0) return true;
  return false;
}

static bool check(const CommandInput *input, Error *error) {
  const MakeOptions *options = input->options;
  const char *shape = input->paths[0];
  if (!options->output[0]) return error_set(error, "pliant make: no output file; give -o FILE");
  if (is_cell_grid(shape)) return cell_grid_check(shape, &options->grid, error);
  if (!is_shape(shape))
    return error_set(error, "unknown shape \"%s\", expected box, beam, sphere, cylinder, torus, square or cube", shape);
  if (options->grid.cells > SHAPE_CELLS_MAX)
    return error_set(error,
                     "pliant make: --cells is %d, expected at most %d for a %s; only square and cube can have more",
                     options->grid.cells, SHAPE_CELLS_MAX, shape);
  static const char *const of_grids[] = { "shape", "degree", "distort", "seed" };
  for (size_t k = 0; k < sizeof of_grids / sizeof *of_grids; k++)
    if (option_given(make_options, input->command_given, of_grids[k]))
      return error_set(error, "pliant make: --%s has no effect on a %s; it applies to %s", of_grids[k], shape,
                       strcmp(of_grids[k], "degree") == 0 ? "a square of quads" : "square and cube");
  return true;
}

static bool run_make(const CommandInput *input, Error *error) {
  const MakeOptions *options = input->options;
  const char *shape = input->paths[0];
  TetMesh mesh = { 0 };
  MeshQuality quality;
  if (is_cell_grid(shape)) return make_grid(shape, options, error);
  if (!mesh_write_check(options->output, error)) return false;
  const double *size = grid_is_sized(&options->grid) ? options->grid.size : mesh_shape_size(shape);
  const bool ok = mesh_make_shape(shape, size, options->grid.cells, &mesh, error) &&
                  mesh_quality(&mesh, &quality, error) && mesh_write(options->output, &mesh, NULL, error);
  if (ok)
    printf("%s: %d nodes, %d tets, dihedral angles %.1f to %.1f degrees, volume %.6g m^3\n", options->output,
           mesh.node_count, mesh.tet_count, quality.min_dihedral, quality.max_dihedral, quality.volume);
  mesh_destroy(&mesh);
  return ok;
}

extern const CommandRow make_command;
const CommandRow make_command = {
  .name = "make",
  .usage = "[OPTION]... box|beam|sphere|cylinder|torus|square|cube -o FILE",
  .summary =
      "Makes a tetrahedral mesh of a simple shape with its base on z = 0. A square or a cube can have cells of other "
      "shapes (--shape), and has a corner at the origin.",
  .options = make_options,
  .options_size = sizeof(MakeOptions),
  .terms = make_terms,
  .takes = TAKES_PATHS,
  .path_count = 1,
  .prepare = prepare,
  .check = check,
  .run = run_make,
};
