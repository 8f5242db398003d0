// Computes the stresses of single cells in double (tet_stress.h).
#define REAL double
#define REAL_SUFFIX f64
#include "sim/report/tet_stress.h"

#include <string.h>

#include "sim/element/element_row.h"
#include "sim/element/stress_measure.h"
#include "sim/settings.h"
#include "sim/stage_choice.h"

// Fills `space` with only one cell, cell e of the mesh, so that the element's functions can evaluate it as cell 0.
// `cell` gets the cell's nodes and `material` the material's parameters. Returns the element's functions.
static const ElementRow *alone(const TetMesh *mesh, int e, const SimulationSettings *settings, int cell[CELL_NODES_MAX],
                               Space *space, double material[MATERIAL_PARAMETERS]) {
  settings_material(settings, material);
  for (int a = 0; a < mesh_cell_nodes(mesh); a++) cell[a] = mesh_cell_node(mesh, e, a);
  *space = (Space){ .shape = mesh_shape(mesh),
                    .cell_nodes = mesh_cell_nodes(mesh),
                    .X = mesh->X,
                    .cell = cell,
                    .stiffness = mesh->stiffness ? mesh->stiffness + e : NULL,
                    .ratio = mesh->ratio ? mesh->ratio + e : NULL };
  return element_row(stages_shape(space), settings->material, DEVICE_CPU, PRECISION_F64);
}

double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, const SimulationSettings *settings,
                         double sigma[6]) {
  int cell[CELL_NODES_MAX];
  double material[MATERIAL_PARAMETERS];
  Space space;
  const ElementRow *row = alone(mesh, e, settings, cell, &space, material);
  return row->stress(&space, u, 0, material, sigma);
}

double tet_cauchy_stress_at(const TetMesh *mesh, const double (*u)[3], int e, const double part[4],
                            const SimulationSettings *settings, double sigma[6]) {
  int cell[CELL_NODES_MAX];
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
