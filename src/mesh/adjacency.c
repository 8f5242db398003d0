// Which nodes share a tet: see adjacency.h. Nobody sorts: node b is appended to the lists of all its neighbours, for b
// in ascending order, so every list ends up ascending. Linear in the tets around all nodes.
#include "mesh/adjacency.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

// The tets around each node.
typedef struct Around {
  int *start;  // [node_count + 1], into tet
  int *tet;    // [4 * tet_count]
  int *seen;   // [node_count], b + 1 for the nodes found around b
} Around;

static bool around_create(Around *around, const TetMesh *mesh, Error *error) {
  int n = mesh->node_count;
  around->start = array_new((int64_t)n + 2, sizeof *around->start, "tets of nodes", error);
  around->tet = array_new(4 * (int64_t)mesh->tet_count, sizeof *around->tet, "tets of nodes", error);
  around->seen = array_new(n, sizeof *around->seen, "nodes", error);
  if (!around->start || !around->tet || !around->seen) return false;
  // counted two places on, so that filling moves each start to where it belongs
  for (int e = 0; e < mesh->tet_count && !interrupt_signal(); e++)
    for (int c = 0; c < 4; c++) around->start[mesh->tet[e][c] + 2]++;
  for (int a = 0; a < n; a++) around->start[a + 2] += around->start[a + 1];
  for (int e = 0; e < mesh->tet_count && !interrupt_signal(); e++)
    for (int c = 0; c < 4; c++) around->tet[around->start[mesh->tet[e][c] + 1]++] = e;
  return interrupt_check(error);
}

static void around_destroy(Around *around) {
  free(around->start);
  free(around->tet);
  free(around->seen);
}

// Visits every neighbour a of b once, b itself included: counts them in entries[a], or appends b to a's list.
static void visit(const TetMesh *mesh, Around *around, int b, int mark, int64_t *entries, int *neighbour) {
  around->seen[b] = mark;
  if (neighbour) neighbour[entries[b]] = b;
  entries[b]++;
  for (int s = around->start[b]; s < around->start[b + 1]; s++)
    for (int c = 0; c < 4; c++) {
      int a = mesh->tet[around->tet[s]][c];
      if (around->seen[a] == mark) continue;
      around->seen[a] = mark;
      if (neighbour) neighbour[entries[a]] = b;
      entries[a]++;
    }
}

bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error) {
  bool ok = false;
  int n = mesh->node_count;
  Adjacency made = { .node_count = n };
  Around around = { 0 };
  assert(mesh->tet_count <= MESH_MAX_TETS);
  int64_t *entries = array_new(n, sizeof *entries, "neighbour counts", error);  // first counts, then where to append
  if (!entries || !around_create(&around, mesh, error)) goto done;
  made.start = array_new((int64_t)n + 1, sizeof *made.start, "starts of neighbours", error);
  if (!made.start) goto done;

  for (int b = 0; b < n && !interrupt_signal(); b++) visit(mesh, &around, b, b + 1, entries, NULL);
  if (!interrupt_check(error)) goto done;
  int64_t total = 0;
  for (int a = 0; a < n; a++) {
    int64_t count = entries[a];
    made.start[a] = (int)total;
    entries[a] = total;
    total += count;
    if (total > INT32_MAX) {
      error_set(error, "the mesh has more than %d pairs of neighbouring nodes", INT32_MAX);
      goto done;
    }
  }
  made.start[n] = (int)total;
  made.neighbour = array_new(total, sizeof *made.neighbour, "neighbours", error);
  if (!made.neighbour) goto done;
  for (int b = 0; b < n && !interrupt_signal(); b++) visit(mesh, &around, b, -b - 1, entries, made.neighbour);
  if (!interrupt_check(error)) goto done;
  *adjacency = made, made = (Adjacency){ 0 };  // handed over
  ok = true;
done:
  adjacency_destroy(&made);
  around_destroy(&around);
  free(entries);
  return ok;
}

void adjacency_destroy(Adjacency *adjacency) {
  free(adjacency->start);
  free(adjacency->neighbour);
  *adjacency = (Adjacency){ 0 };
}
