// Builds the lists of cells and nodes that contribute to each block of P^T A P, the matrix of the corners
// (operator/corner_matrix.h).
#include "sim/operator/corner_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/solver/multigrid/corner_space.h"

enum { CORNERS = 4, TERMS = CORNERS * CORNERS };

// The lists of a CornerMatrix on the host, before they are copied to the device. The members are described, under the
// same names, in operator/corner_matrix.h. A pair is one block of the corners' matrix.
typedef struct Lists {
  int (*pair)[2], *middle, *term;
  int64_t *start;
  BlockSlots *slots;
} Lists;

// Returns the node at the middle of the edge between corners j and k (0 to 3) of cell e; -1 if j = k.
static int middle_of(const Space *whole, int e, int j, int k) {
  for (int m = 0; m < whole->cell_nodes - CORNERS; m++) {
    const int *ends = tet_edge_corners[m];
    if ((ends[0] == j && ends[1] == k) || (ends[0] == k && ends[1] == j)) return space_cell(whole, e)[CORNERS + m];
  }
  return -1;
}

// Returns the index, in the corners' matrix, of the block that couples the corners j and k (0 to 3) of cell e.
static int64_t pair_of(const CornerSpace *c, int e, int j, int k) {
  const int *node = space_cell(&c->space, e);
  return adjacency_find(&c->space.graph, node[j], node[k]);
}

static bool make_lists(const CornerSpace *c, const Space *whole, const Operator *low, Lists *l, Error *error) {
  const int cells = c->space.cell_count, corners = c->space.node_count;
  const int64_t pairs = space_pairs(&c->space);
  if (pairs > INT32_MAX || cells > INT32_MAX / TERMS)
    return error_set(error, "the mesh is too large for solver pmg: %d cells, the limit is %d; choose another --solver",
                     cells, INT32_MAX / TERMS);
  l->pair = array_new(pairs, sizeof *l->pair, "matrix of the corners", error);
  l->middle = array_new(pairs, sizeof *l->middle, "matrix of the corners", error);
  l->slots = array_new(pairs, sizeof *l->slots, "matrix of the corners", error);

  // The final `start` has pairs + 1 elements. The loops below need one more: they count in next = l->start + 1.
  l->start = array_new(pairs + 2, sizeof *l->start, "matrix of the corners", error);
  l->term = array_new((int64_t)cells * TERMS, sizeof *l->term, "matrix of the corners", error);
  if (!l->pair || !l->middle || !l->slots || !l->start || !l->term) return false;

  // Copy the blocks' positions in the array of values, and set the two corners of each block.
  memcpy(l->slots, low->slots, sizeof *l->slots * (size_t)pairs);
  for (int p = 0; p < corners; p++)
    for (int64_t k = c->space.graph.start[p]; k < c->space.graph.start[p + 1]; k++) {
      l->pair[k][0] = p;
      l->pair[k][1] = c->space.graph.neighbour[k];
      l->middle[k] = -1;
    }

  // Count the contributions of cells to each block, then list them. 16 e + 4 j + k: corners j and k of cell e.
  int64_t *next = l->start + 1;
  for (int e = 0; e < cells && !interrupt_requested(); e++)
    for (int t = 0; t < TERMS; t++) next[pair_of(c, e, t / CORNERS, t % CORNERS) + 1]++;
  for (int64_t k = 0; k < pairs; k++) next[k + 1] += next[k];
  for (int e = 0; e < cells && !interrupt_requested(); e++)
    for (int t = 0; t < TERMS; t++) {
      const int64_t k = pair_of(c, e, t / CORNERS, t % CORNERS);
      l->term[next[k]++] = TERMS * e + t;
      if (t / CORNERS != t % CORNERS) l->middle[k] = middle_of(whole, e, t / CORNERS, t % CORNERS);
    }
  return interrupt_check(error);
}

bool corner_matrix_create(CornerMatrix *m, const CornerSpace *c, const Space *whole, const Operator *low,
                          Error *error) {
  const Device device = low->method->stage.device;
  const size_t corners = (size_t)c->space.node_count, cells = (size_t)c->space.cell_count;
  Lists l = { 0 };
  *m = (CornerMatrix){ .diagonal_first = low->method->diagonal_first };
  bool ok = make_lists(c, whole, low, &l, error);
  if (ok) {
    const size_t pairs = (size_t)space_pairs(&c->space);
    m->pair_count = (int)pairs;
    m->slots = device_clone(device, l.slots, sizeof *m->slots * pairs, error);
    m->pair = device_clone(device, l.pair, sizeof *m->pair * pairs, error);
    m->middle = device_clone(device, l.middle, sizeof *m->middle * pairs, error);
    m->start = device_clone(device, l.start, sizeof *m->start * (pairs + 1), error);
    m->term = device_clone(device, l.term, sizeof *m->term * TERMS * cells, error);
    m->node = device_clone(device, c->node, sizeof *m->node * corners, error);
    m->child_start = device_clone(device, c->start, sizeof *m->child_start * (corners + 1), error);
    m->child = device_clone(device, c->child, sizeof *m->child * (size_t)c->start[corners], error);
    ok = m->slots && m->pair && m->middle && m->start && m->term && m->node && m->child_start && m->child;
  }

  free(l.pair);
  free(l.middle);
  free(l.term);
  free(l.start);
  free(l.slots);
  if (!ok) corner_matrix_destroy(m, device);
  return ok;
}

void corner_matrix_destroy(CornerMatrix *m, Device device) {
  void *arrays[] = { m->slots, m->pair, m->middle, m->start, m->term, m->node, m->child_start, m->child };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(device, arrays[k]);
  *m = (CornerMatrix){ 0 };
}

// Estimates the bytes of the lists by which the matrix of the corners (nodes at corners of cells) is assembled. A
// corner has on average 13 edges, so its row of the matrix has 14 blocks.
double corner_matrix_bytes(double corners, double cells) {
  return 14 * corners * (sizeof(BlockSlots) + 2 * sizeof(int) + sizeof(int) + sizeof(int64_t)) +
         TERMS * sizeof(int) * cells + corners * 16 * sizeof(int);
}
