// `pliant make`: see run_make.h.
#include "app/run_make.h"

#include <math.h>
#include <stdio.h>

#include "mesh/mesh_write.h"
#include "mesh/quality.h"
#include "mesh/shapes.h"

#define AT(field) OPTION_AT(MakeOptions, field)
const Option make_options[] = {
  { "output", OPTION_TEXT, AT(output), .unit = "FILE", .help = "the mesh, in any format by its ending (also -o)" },
  { "size", OPTION_VECTOR, AT(size), OPTION_AT_LEAST(0), .unit = "X,Y,Z",
    .help = "sides of the bounding box, m [1,1,1; beam 4,1,1; torus 1,1,0.25]" },
  { "cells", OPTION_INTEGER, AT(cells), OPTION_FROM_TO(1, 1000), .help = "edges over the thinnest part" },
  { 0 },
};

bool run_make(const char *shape, const MakeOptions *options, Error *error) {
  TetMesh mesh = { 0 };
  MeshQuality quality;
  if (!options->output[0]) return error_set(error, "pliant make: give the file to write, -o FILE");
  if (!mesh_write_check(options->output, error)) return false;
  const double *size = options->size[0] > 0 ? options->size : mesh_shape_size(shape);
  const bool ok = mesh_make_shape(shape, size, options->cells, &mesh, error) && mesh_quality(&mesh, &quality, error) &&
                  mesh_write(options->output, &mesh, NULL, error);
  if (ok)
    printf("%s: %d nodes, %d tets, dihedral angles %.1f to %.1f degrees, volume %.6g m^3\n", options->output,
           mesh.node_count, mesh.tet_count, quality.min_dihedral, quality.max_dihedral, quality.volume);
  mesh_destroy(&mesh);
  return ok;
}
