// Functions for one row of 3 x 3 blocks of the matrix, which belongs to one node of a tet mesh. They list the columns
// of the row, and the sources of each block of the row. A source is a block of an element matrix that is added to a
// block of the row. The struct EntryMap (pattern.h) stores the lists of sources. The functions compile for CPU and GPU.
#pragma once
#include "lab/simplex/pattern.h"
#include "lab/simplex/simplex_nodes.h"

HOST_DEVICE int64_t row_first_slot(const SimplexPattern *m, int row) {
  return (int64_t)m->layout.start[row / m->bin] * m->bin + row % m->bin;
}

// Returns the index in `values` of the first number of a 3 x 3 block. `slot` is the index of the block. Numbers 1 to 8
// of the block follow at distances of m->bin, since the blocks of the m->bin rows of a bin are interleaved.
HOST_DEVICE int64_t slot_values(const SimplexPattern *m, int64_t slot) {
  return slot / m->bin * 9 * m->bin + slot % m->bin;
}

HOST_DEVICE int node_of_row(const SimplexPattern *m, int row) {
  return m->layout.node ? m->layout.node[row] : row;
}

// Returns the number of entries of an ascending list that are less than `node`, by binary search. The list has `count`
// entries, list[0], list[step], list[2 step] and so on.
HOST_DEVICE int find_column(const int *list, int step, int count, int node) {
  int first = 0;
  while (count > 0) {
    const int half = count / 2;
    if (list[(first + half) * step] < node) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

// Lists the columns of the row of `node`: the nodes that share a tet with it, ascending. The node itself is listed only
// if `own` is 1. Returns the number of columns. Column k is stored at far[k * far_step]. While the list has at most
// `capacity` entries, it is built in the array `near`, in faster memory, and then copied to `far`; entry k is at near[k
// * near_step]. Tets e with absent[e] = 1 are left out; `absent` may be NULL.
HOST_DEVICE int row_columns(int degree, const SimplexTopology *t, const uint8_t *absent, int node, int own, int *near,
                            int near_step, int capacity, int *far, int far_step) {
  const NodeSimplex s = simplex_of_node(degree, t, node);
  const SimplexCells *cells = &t->cells[s.kind];
  const int of_tet = simplices_of_tet(s.kind), nodes = simplex_cell_nodes(degree);
  int *list = near, step = near_step, count = 0;
  for (int k = cells->start[s.number]; k < cells->start[s.number + 1]; k++) {
    const int e = cells->item[k] / of_tet;
    if (absent && absent[e]) continue;
    for (int local = 0; local < nodes; local++) {
      const int other = simplex_cell_node(degree, t, e, local);
      if (!own && other == node) continue;
      const int at = find_column(list, step, count, other);
      if (at < count && list[at * step] == other) continue;
      if (count == capacity && step == near_step && list == near) {
        for (int c = 0; c < count; c++) far[c * far_step] = near[c * near_step];
        list = far;
        step = far_step;
      }
      for (int c = count; c > at; c--) list[c * step] = list[(c - 1) * step];
      list[at * step] = other;
      count++;
    }
  }

  for (int c = 0; list == near && c < count; c++) far[c * far_step] = near[c * near_step];
  return count;
}

// Counts or stores the sources of all slots of a row. A slot is the index of one block of the matrix; its sources are
// the blocks of element matrices that are added to it. If `source` is NULL, sources are counted: end[slot] grows by 1
// for each. Otherwise end[slot] must be the index in `source` where the slot's list begins; sources are stored at
// source[end[slot]++], in the order of the tets. list[0], list[step], list[2 step] and so on are the columns of the
// row.
HOST_DEVICE void row_sources(int degree, const SimplexTopology *t, const SimplexPattern *m, int node, const int *list,
                             int step, int64_t first_slot, int *end, int *source) {
  const NodeSimplex s = simplex_of_node(degree, t, node);
  const SimplexCells *cells = &t->cells[s.kind];
  const int of_tet = simplices_of_tet(s.kind), nodes = simplex_cell_nodes(degree);
  const int count = m->layout.length[node] - m->diagonal_apart;
  for (int k = cells->start[s.number]; k < cells->start[s.number + 1]; k++) {
    const int e = cells->item[k] / of_tet;
    const int own = simplex_local_node(degree, t, s, e, cells->item[k] % of_tet);
    for (int local = 0; local < nodes; local++) {
      if (local == own && m->diagonal_apart) continue;
      const int other = simplex_cell_node(degree, t, e, local);
      int *at = end + first_slot + (int64_t)find_column(list, step, count, other) * m->bin;
      if (source) source[*at] = (e * nodes + own) * nodes + local;
      ++*at;
    }
  }
}
