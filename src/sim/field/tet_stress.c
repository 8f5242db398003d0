// Stresses: see tet_stress.h.
#define REAL double
#define REAL_SUFFIX f64
#include "sim/field/tet_stress.h"

#include "sim/element/element_row.h"
#include "sim/field/stress_measure.h"
#include "sim/settings.h"

double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, const SimulationSettings *settings,
                         double sigma[6]) {
  const char *shape = mesh->stiffness ? "tet4_graded" : "tet4";
  double material[MATERIAL_PARAMETERS];
  settings_material(settings, material);
  const Space space = {
    .cell_nodes = 4, .X = mesh->X, .cell = &mesh->tet[0][0], .stiffness = mesh->stiffness
  };
  return element_row(shape, settings->material, DEVICE_CPU, PRECISION_F64)->stress(&space, u, e, material, sigma);
}

double von_mises(const double sigma[6]) {
  return von_mises_stress(sigma);
}

double largest_principal(const double sigma[6]) {
  return largest_principal_stress(sigma);
}
