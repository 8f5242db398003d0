// Stresses: see tet_stress.h.
#define REAL double
#define REAL_SUFFIX f64
#include "sim/field/tet_stress.h"

#include <string.h>

#include "mesh/quadratic.h"
#include "sim/element/element_row.h"
#include "sim/field/stress_measure.h"
#include "sim/settings.h"

// A space of tet e alone, whose nodes are in `cell`, its element and the material's numbers.
static const ElementRow *alone(const TetMesh *mesh, int e, const SimulationSettings *settings, int cell[10],
                               Space *space, double material[MATERIAL_PARAMETERS]) {
  const char *shape = mesh->middle ? "tet10" : mesh->ratio ? "tet4_mixed" : mesh->stiffness ? "tet4_graded" : "tet4";
  settings_material(settings, material);
  memcpy(cell, mesh->tet[e], sizeof *mesh->tet);
  if (mesh->middle) memcpy(cell + 4, mesh->middle[e], sizeof *mesh->middle);
  *space = (Space){ .cell_nodes = mesh_cell_nodes(mesh),
                    .X = mesh->X,
                    .cell = cell,
                    .stiffness = mesh->stiffness ? mesh->stiffness + e : NULL,
                    .ratio = mesh->ratio ? mesh->ratio + e : NULL };
  return element_row(shape, settings->material, DEVICE_CPU, PRECISION_F64);
}

double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, const SimulationSettings *settings,
                         double sigma[6]) {
  int cell[10];
  double material[MATERIAL_PARAMETERS];
  Space space;
  const ElementRow *row = alone(mesh, e, settings, cell, &space, material);
  return row->stress(&space, u, 0, material, sigma);
}

double tet_cauchy_stress_at(const TetMesh *mesh, const double (*u)[3], int e, const double part[4],
                            const SimulationSettings *settings, double sigma[6]) {
  int cell[10];
  double material[MATERIAL_PARAMETERS];
  Space space;
  const ElementRow *row = alone(mesh, e, settings, cell, &space, material);
  return row->stress_at(&space, u, 0, material, part, sigma);
}

double von_mises(const double sigma[6]) {
  return von_mises_stress(sigma);
}

double largest_principal(const double sigma[6]) {
  return largest_principal_stress(sigma);
}
