// Computes volumes of meshes with curved edges: see curved_volume.h.
#include "mesh/curved_volume.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"

enum { RULE_MAX = 5, POINTS = RULE_MAX * RULE_MAX * RULE_MAX, CHUNK = 256 };

// Derivatives of the shape functions at the points of an integration rule, and the weights of the points. sum: [chunks
// of CHUNK cells], m^3, volumes of the chunks.
typedef struct Integral {
  const TetMesh *mesh;
  int nodes, points;
  double dN[POINTS][CELL_NODES_MAX][3], weight[POINTS];
  double *sum;
} Integral;

// Returns the integral of det dx/dxi over cell e.
static double integrate(const Integral *s, int e) {
  double x[CELL_NODES_MAX][3], sum = 0;
  for (int a = 0; a < s->nodes; a++)
    for (int i = 0; i < 3; i++) x[a][i] = s->mesh->X[mesh_cell_node(s->mesh, e, a)][i];

  for (int q = 0; q < s->points; q++) {
    double J[3][3] = { 0 };
    for (int a = 0; a < s->nodes; a++)
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) J[i][k] += x[a][i] * s->dN[q][a][k];
    sum += s->weight[q] *
           (J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) + J[0][1] * (J[1][2] * J[2][0] - J[1][0] * J[2][2]) +
            J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]));
  }
  return sum;
}

static void add_chunk(const void *context, int first, int last) {
  const Integral *s = context;
  for (int e = first; e < last; e++) s->sum[first / CHUNK] += integrate(s, e);
}

bool mesh_curved_volume(const TetMesh *mesh, double *volume, Error *error) {
  // det dx/dxi has degree 3 in a quadratic tet and 6 in a cubic one
  const CellShape shape = mesh_shape(mesh);
  const int rule = shape == CELL_TET20 ? 5 : 3, chunks = (mesh->tet_count + CHUNK - 1) / CHUNK;
  double xi[POINTS][3];
  Integral *s = array_new(1, sizeof *s, "volumes", error);
  double *sum = array_new(chunks, sizeof *sum, "volumes", error);
  if (s && sum) {
    s->mesh = mesh;
    s->nodes = mesh_cell_nodes(mesh);
    s->sum = sum;
    s->points = cell_shape_rule(shape, rule, xi, s->weight);
    for (int q = 0; q < s->points; q++) cell_shape_at(shape, xi[q], NULL, s->dN[q]);
    parallel_for(mesh->tet_count, CHUNK, add_chunk, s);
    *volume = 0;
    for (int k = 0; k < chunks; k++) *volume += sum[k];
  }
  const bool ok = s && sum;
  free(s);
  free(sum);
  return ok;
}
