// Lists the faces around each node and integrates shape functions over faces, for pressures (pressure_lists.h).
#include "sim/force/pressure_lists.h"

#include <stdlib.h>

#include "base/array.h"

void pressure_lists_destroy(PressureLists *l) {
  free(l->row);
  free(l->start);
  free(l->entry);
  free(l->table);
  free(l->weight);
  *l = (PressureLists){ 0 };
}

// Computes the weights w_abc of rows/pressure.h. With the shape functions N of the face, w_abc is the integral of N_a
// (dN_b/d1 dN_c/d2 - dN_b/d2 dN_c/d1) over the reference face with coordinates 1 and 2. weight [nodes][pairs] has an
// entry for each node a and each pair b < c. `points` [rule->points] are factors of the pressure at the integration
// points; NULL: all factors are 1.
static void integrate(const FaceRule *rule, const double *points, double *weight) {
  const int n = rule->nodes;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int c = b + 1; c < n; c++) {
        double sum = 0;
        for (int q = 0; q < rule->points; q++) {
          const double *d1 = rule->d[0][q], *d2 = rule->d[1][q];
          sum += rule->weight[q] * (points ? points[q] : 1) * rule->N[q][a] * (d1[b] * d2[c] - d2[b] * d1[c]);
        }
        *weight++ = sum;
      }
}

// Creates the tables of weights w_abc, integrals over a face (rows/pressure.h). load->points are factors of the
// pressure at integration points. Without load->points, faces with the same index within their cells have equal
// weights, so there is one table for each facet of the reference cell. With load->points there is one table for each
// face.
static bool make_tables(PressureLists *l, const PressureLoad *load, Error *error) {
  const BoundaryFaces *faces = load->faces;
  const int facets = cell_shape_info(faces->shape)->facets, n = faces->nodes, size = n * (n * (n - 1) / 2);
  l->table_count = load->points ? faces->count : facets;
  l->table = array_new(faces->count, sizeof *l->table, "pressures", error);
  l->weight = array_new((int64_t)l->table_count * size, sizeof *l->weight, "pressures", error);
  FaceRule *rules = face_rules(faces->shape, error);
  if (l->table && l->weight && rules) {
    for (int k = 0; k < faces->count; k++) l->table[k] = load->points ? k : faces->facet[k];
    for (int t = 0; t < l->table_count; t++) {
      const FaceRule *rule = &rules[load->points ? faces->facet[t] : t];
      integrate(rule, load->points ? load->points + (int64_t)t * rule->points : NULL, l->weight + (int64_t)t * size);
    }
  }
  free(rules);
  return l->table && l->weight && rules;
}

bool pressure_lists_create(PressureLists *l, const PressureLoad *load, const int *node, int node_count, Error *error) {
  const int64_t entries = (int64_t)load->faces->count * load->faces->nodes;
  *l = (PressureLists){ 0 };
  if (entries > INT32_MAX / CELL_FACET_NODES_MAX)
    return error_set(error, "%d faces under pressure are too many for 32-bit indices; use a coarser mesh",
                     load->faces->count);
  if (!(l->start = array_new((int64_t)node_count + 1, sizeof *l->start, "pressures", error))) return false;
  if (!(l->row = array_new(entries, sizeof *l->row, "pressures", error))) return false;
  if (!(l->entry = array_new(entries, sizeof *l->entry, "pressures", error))) return false;
  if (!make_tables(l, load, error)) return false;
  for (int64_t k = 0; k < entries; k++) l->start[node[k] + 1]++;
  for (int a = 0; a < node_count; a++) {
    if (l->start[a + 1] > 0) l->row[l->row_count++] = a;
    l->start[a + 1] += l->start[a];
  }

  // Counting sort of the entries by node. Before the first loop, start[a] is the index of node a's first entry. The
  // loop increments start[a] for each entry of node a, so that start[a] then is the first index of node a + 1. The
  // second loop therefore shifts the array by one element.
  for (int64_t k = 0; k < entries; k++) l->entry[l->start[node[k]]++] = (int)k;
  for (int a = node_count; a > 0; a--) l->start[a] = l->start[a - 1];
  l->start[0] = 0;
  return true;
}
