// Finds patches of a body's surface, and computes means over them: see patch.h.
#include "scene/patch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scene/session_forces.h"
#include "scene/session_script.h"
#include "sim/report/tet_stress.h"

bool patch_find(Patch *p, const Scene *scene, const TetMesh *mesh, const Region *region, Error *error) {
  *p = (Patch){ .share = array_new(mesh->node_count, sizeof *p->share, "areas", error),
                .on = array_new(mesh->node_count, 1, "nodes", error) };
  if (!p->share || !p->on) return false;
  scene_region(scene, mesh, region, p->on);  // for region_faces; the loop below then marks nodes of faces only
  if (!region_faces(&p->faces, mesh, region, p->on, error) || !boundary_faces_areas(&p->faces, mesh, p->share, error))
    return false;
  memset(p->on, 0, (size_t)mesh->node_count);
  for (int a = 0; a < mesh->node_count; a++) p->area += p->share[a];
  for (int64_t k = 0; k < (int64_t)p->faces.count * p->faces.nodes; k++) p->on[p->faces.node[k]] = 1;
  return true;
}

void patch_destroy(Patch *p) {
  boundary_faces_destroy(&p->faces);
  free(p->share);
  free(p->on);
  *p = (Patch){ 0 };
}

void patch_mean(const Patch *p, const TetMesh *mesh, const double (*value)[3], double mean[3]) {
  double sum[3] = { 0 };
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) sum[i] += p->share[a] * (p->on[a] ? value[a][i] : 0);
  for (int i = 0; i < 3; i++) mean[i] = sum[i] / p->area;
}

// Returns the value of a field at the point xi of cell e, in reference coordinates. u [node_count][3]: displacements.
static double field_at(const TetMesh *mesh, const double (*u)[3], int e, const double xi[3],
                       const SimulationSettings *settings, FieldKind field) {
  double part[CELL_NODES_MAX], sigma[6];
  if (mesh->hex)
    memcpy(part, xi, 3 * sizeof *xi);
  else
    cell_shape_at(CELL_TET4, xi, part, NULL);
  const double J = tet_cauchy_stress_at(mesh, u, e, part, settings, sigma);
  return field == FIELD_J ? J : field == FIELD_VON_MISES ? von_mises(sigma) : largest_principal(sigma);
}

// Returns the area, m^2, that belongs to an integration point of a face with the weight `weight`. J: Jacobian of the
// cell at this point; direction: directions along the face in reference coordinates.
static double area_at(const double J[3][3], const double direction[2][3], double weight) {
  double side[2][3] = { { 0 } }, square = 0;
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) side[s][i] += J[i][j] * direction[s][j];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double normal = side[0][j] * side[1][k] - side[0][k] * side[1][j];
    square += normal * normal;
  }
  return weight * sqrt(square);
}

bool patch_mean_field(const Patch *p, const TetMesh *mesh, const double (*x)[3], const SimulationSettings *settings,
                      FieldKind field, double *mean, Error *error) {
  const int nodes = mesh_cell_nodes(mesh), n = mesh_shape(mesh) == CELL_TET4 ? 1 : 2;  // n^2 points on each face
  double(*u)[3] = array_new(mesh->node_count, sizeof *u, "displacements", error), sum = 0, area = 0;
  if (!u) return false;
  for (int k = 0; k < p->faces.count; k++) {
    const int e = p->faces.cell[k];
    double xi[FACE_POINTS_MAX][3], weight[FACE_POINTS_MAX], direction[2][3], X[CELL_NODES_MAX][3];
    for (int a = 0; a < nodes; a++) {
      const int node = mesh_cell_node(mesh, e, a);
      for (int i = 0; i < 3; i++) {
        X[a][i] = mesh->X[node][i];
        u[node][i] = x[node][i] - mesh->X[node][i];
      }
    }
    const int points = cell_shape_facet_rule(p->faces.shape, p->faces.facet[k], n, xi, weight, direction);
    for (int q = 0; q < points; q++) {
      double at[3], J[3][3];
      cell_shape_map(p->faces.shape, (const double(*)[3])X, xi[q], at, J);
      const double part = area_at((const double(*)[3])J, (const double(*)[3])direction, weight[q]);
      sum += part * field_at(mesh, (const double(*)[3])u, e, xi[q], settings, field);
      area += part;
    }
  }

  free(u);
  *mean = sum / area;
  return true;
}
