// Nodes and pairs of nodes: see node_pairs.h.
#include "sim/assembly/node_pairs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { NODE_CHUNK = 1024 };

void node_slots(const Matrix *layout, int node, int *slot) {
  const int dof = layout->pattern->node_dof;
  for (int i = 0; i < dof; i++) {
    const int there = pattern_find(layout->pattern, dof * node + i, dof * node);
    for (int k = 0; k < dof; k++) slot[i * dof + k] = layout->slot[there + k];
  }
}

void pair_slots(const Matrix *layout, int low, int high, bool one_way, int *slot) {
  const Pattern *p = layout->pattern;
  const int dof = p->node_dof;
  for (int i = 0; i < dof; i++) {
    const int there = pattern_find(p, dof * low + i, dof * high);
    for (int k = 0; k < dof; k++) slot[i * dof + k] = layout->slot[there + k];
  }
  for (int k = 0; k < dof; k++) {
    const int back = one_way ? -1 : pattern_find(p, dof * high + k, dof * low);
    for (int i = 0; i < dof; i++) slot[dof * dof + i * dof + k] = one_way ? -1 : layout->slot[back + i];
  }
}

// The list that tet e's local nodes a and b belong to, or -1 where b is not the high node.
static int pair_of(const NodePairs *pairs, const TetMesh *mesh, const uint16_t (*offset)[4][4], int e, int a, int b) {
  const int low = mesh->tet[e][a], high = mesh->tet[e][b];
  return high > low ? pairs->start[low] + (offset[e][a][b] - offset[e][a][a]) / pairs->node_dof - 1 : -1;
}

static bool list_node_sources(NodePairs *pairs, const TetMesh *mesh, Error *error) {
  const int nodes = mesh->node_count;
  pairs->node_start = array_new((int64_t)nodes + 2, sizeof *pairs->node_start, "nodes", error);
  pairs->node_source = array_new(4 * (int64_t)mesh->tet_count, sizeof *pairs->node_source, "nodes", error);
  if (!pairs->node_start || !pairs->node_source) return false;
  // node_start[a + 2] counts; then node_start[a + 1] is where node a's next source goes, and in the end where they end
  for (int e = 0; e < mesh->tet_count && !interrupt_signal(); e++)
    for (int a = 0; a < 4; a++) pairs->node_start[mesh->tet[e][a] + 2]++;
  for (int a = 0; a < nodes; a++) pairs->node_start[a + 2] += pairs->node_start[a + 1];
  for (int e = 0; e < mesh->tet_count && !interrupt_signal(); e++)
    for (int a = 0; a < 4; a++) pairs->node_source[pairs->node_start[mesh->tet[e][a] + 1]++] = node_source(e, a);
  return interrupt_check(error);
}

// counts, then fills: the tets of each pair
static bool list_pair_sources(NodePairs *pairs, const TetMesh *mesh, const uint16_t (*offset)[4][4], Error *error) {
  const int count = pairs->start[pairs->node_count];
  pairs->tet_start = array_new((int64_t)count + 1, sizeof *pairs->tet_start, "node pairs", error);
  int64_t *fill = array_new(count, sizeof *fill, "node pairs", error);
  if (!pairs->tet_start || !fill) goto done;
  for (int e = 0; e < mesh->tet_count && !interrupt_signal(); e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        const int pair = pair_of(pairs, mesh, offset, e, a, b);
        if (pair >= 0) pairs->tet_start[pair + 1]++;
      }
  if (!interrupt_check(error)) goto done;
  for (int pair = 0; pair < count; pair++) {
    pairs->tet_start[pair + 1] += pairs->tet_start[pair];
    fill[pair] = pairs->tet_start[pair];
  }
  pairs->source = array_new(pairs->tet_start[count], sizeof *pairs->source, "node pairs", error);
  if (!pairs->source) goto done;
  for (int e = 0; e < mesh->tet_count && !interrupt_signal(); e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        const int pair = pair_of(pairs, mesh, offset, e, a, b);
        if (pair >= 0) pairs->source[fill[pair]++] = pair_source(e, a, b);
      }
done:
  free(fill);
  return pairs->source;
}

typedef struct SlotsTask {
  const Matrix *layout;
  NodePairs *pairs;
} SlotsTask;

static void find_slots(const void *task, int first, int last) {
  const Matrix *layout = ((const SlotsTask *)task)->layout;
  NodePairs *pairs = ((const SlotsTask *)task)->pairs;
  const Pattern *p = layout->pattern;
  const int dof = p->node_dof;
  for (int a = first; a < last && !interrupt_signal(); a++) {
    const int behind = pattern_find(p, dof * a, dof * a) + dof;
    node_slots(layout, a, pairs->node_slot + (int64_t)a * dof * dof);
    for (int pair = pairs->start[a]; pair < pairs->start[a + 1]; pair++)
      pair_slots(layout, a, p->col[behind + dof * (pair - pairs->start[a])] / dof, false,
                 pairs->slot + (int64_t)pair * 2 * dof * dof);
  }
}

bool node_pairs_create(NodePairs *pairs, const TetMesh *mesh, const Matrix *layout, Error *error) {
  const Pattern *p = layout->pattern;
  const int dof = p->node_dof, nodes = mesh->node_count;
  NodePairs made = { .node_count = nodes, .node_dof = dof };
  bool ok = false;
  uint16_t(*offset)[4][4] = assembly_offsets(mesh, p, error);
  made.start = array_new((int64_t)nodes + 1, sizeof *made.start, "node pairs", error);
  if (mesh->tet_count > INT32_MAX / 16) {
    error_set(error, "%d tets are too many, at most %d fit", mesh->tet_count, INT32_MAX / 16);
    goto done;
  }
  if (!offset || !made.start) goto done;
  // a node's neighbours ascend, so those behind itself are its pairs
  for (int a = 0; a < nodes; a++) {
    const int row = dof * a, own = pattern_find(p, row, row);
    made.start[a + 1] = made.start[a] + (p->row_start[row + 1] - own) / dof - 1;
  }
  made.node_slot = array_new((int64_t)nodes * dof * dof, sizeof *made.node_slot, "nodes", error);
  made.slot = array_new((int64_t)made.start[nodes] * 2 * dof * dof, sizeof *made.slot, "node pairs", error);
  if (!made.node_slot || !made.slot || !list_node_sources(&made, mesh, error) ||
      !list_pair_sources(&made, mesh, (const uint16_t(*)[4][4])offset, error))
    goto done;
  parallel_for(nodes, NODE_CHUNK, find_slots, &(SlotsTask){ layout, &made });
  ok = interrupt_check(error);
done:
  free(offset);
  if (ok)
    *pairs = made;
  else
    node_pairs_destroy(&made);
  return ok;
}

void node_pairs_destroy(NodePairs *pairs) {
  free(pairs->node_start);
  free(pairs->node_source);
  free(pairs->node_slot);
  free(pairs->start);
  free(pairs->tet_start);
  free(pairs->source);
  free(pairs->slot);
  *pairs = (NodePairs){ 0 };
}
