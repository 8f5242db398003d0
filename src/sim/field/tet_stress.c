// Stresses: see tet_stress.h.
#define REAL double
#define REAL_SUFFIX f64
#include "sim/field/tet_stress.h"

#include <string.h>

#include "sim/element/element_row.h"
#include "sim/field/stress_measure.h"
#include "sim/settings.h"

double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, const SimulationSettings *settings,
                         double sigma[6]) {
  const char *shape = mesh->middle ? "tet10" : mesh->ratio ? "tet4_mixed" : mesh->stiffness ? "tet4_graded" : "tet4";
  int cell[10];
  double material[MATERIAL_PARAMETERS];
  settings_material(settings, material);
  // a space of this tet alone
  memcpy(cell, mesh->tet[e], sizeof *mesh->tet);
  if (mesh->middle) memcpy(cell + 4, mesh->middle[e], sizeof *mesh->middle);
  const Space space = { .cell_nodes = mesh->middle ? 10 : 4,
                        .X = mesh->X,
                        .cell = cell,
                        .stiffness = mesh->stiffness ? mesh->stiffness + e : NULL,
                        .ratio = mesh->ratio ? mesh->ratio + e : NULL };
  return element_row(shape, settings->material, DEVICE_CPU, PRECISION_F64)->stress(&space, u, 0, material, sigma);
}

double von_mises(const double sigma[6]) {
  return von_mises_stress(sigma);
}

double largest_principal(const double sigma[6]) {
  return largest_principal_stress(sigma);
}
