// 3 x 3 blocks of element matrices of linear elasticity in Bernstein-Bezier form (bernstein.h), and functions that sum
// them into the blocks of the matrix. The functions compile for CPU and GPU, in the precision of the source that
// includes the file.
#pragma once
#include "base/real.h"
#include "lab/simplex/simplex_row.h"

// Geometry and material of a tet. b[v] is the gradient of barycentric coordinate v, 1/m. lambda and mu are Lame's
// constants times the volume of the tet, N m.
typedef struct TetGeometry {
  real b[4][3], lambda, mu;
} TetGeometry;

// Computes the geometry and material of tet e (TetGeometry). Edge vectors are computed in double as differences of
// positions, because in float these differences would lose digits in a body far from the origin.
HOST_DEVICE TetGeometry tet_geometry(const SimplexTopology *t, int e, real lambda, real mu) {
  const int *tet = t->tet + 4 * (int64_t)e;
  real d[3][3];
  for (int v = 0; v < 3; v++)
    for (int i = 0; i < 3; i++) d[v][i] = (real)(t->X[tet[v]][i] - t->X[tet[3]][i]);
  TetGeometry g;
  for (int v = 0; v < 3; v++) {
    const real *p = d[(v + 1) % 3], *q = d[(v + 2) % 3];
    for (int i = 0; i < 3; i++) g.b[v][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
  }
  const real six_volumes = d[0][0] * g.b[0][0] + d[0][1] * g.b[0][1] + d[0][2] * g.b[0][2];
  for (int i = 0; i < 3; i++) {
    for (int v = 0; v < 3; v++) g.b[v][i] /= six_volumes;
    g.b[3][i] = -(g.b[0][i] + g.b[1][i] + g.b[2][i]);
  }
  g.lambda = lambda * six_volumes / 6;
  g.mu = mu * six_volumes / 6;
  return g;
}

HOST_DEVICE int pair_count(int nodes) {
  return nodes * (nodes + 1) / 2;
}

// Returns the number of the pair of nodes (I, J), I <= J. Pairs are numbered row by row in the upper triangle: with 4
// nodes, (0, 3) has the number 3 and (1, 1) the number 4.
HOST_DEVICE int pair_number(int nodes, int I, int J) {
  return I * nodes - I * (I - 1) / 2 + J - I;
}

// Computes the 3 x 3 stiffness block of two nodes I and J of a tet, K_IJ = lambda S + mu S^T + mu tr(S) 1, with the
// identity matrix 1 and S = sum over v and w of weight[(4 v + w) pairs + pair] b_v b_w^T. g->b[v] is b_v, the gradient
// of barycentric coordinate v. `pair` is the number of the pair (I, J), and `pairs` the number of all pairs.
// bernstein_weights computes weight [16][pairs].
HOST_DEVICE void tet_block(const real *weight, int pairs, int pair, const TetGeometry *g, real block[9]) {
  real S[9] = { 0 };
  for (int v = 0; v < 4; v++) {
    real sum[3] = { 0 };
    for (int w = 0; w < 4; w++)
      for (int k = 0; k < 3; k++) sum[k] += weight[(4 * v + w) * pairs + pair] * g->b[w][k];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) S[3 * i + k] += g->b[v][i] * sum[k];
  }
  const real trace = g->mu * (S[0] + S[4] + S[8]);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      block[3 * i + k] = g->lambda * S[3 * i + k] + g->mu * S[3 * k + i] + (i == k ? trace : 0);
}

// Source of the 3 x 3 blocks of element matrices for functions that sum them. If the element matrices are stored,
// record [tets][pairs][9] has the block of each pair of a tet's nodes. Otherwise `record` is NULL, and blocks are
// computed from `weight` (bernstein_weights) and Lame's constants.
typedef struct BlockSource {
  const real *record, *weight;
  real lambda, mu;
} BlockSource;

// Adds the 3 x 3 block of nodes I and J of tet e to `sum`. If `made` is 1, the block is computed from the tet's
// geometry g. If it is 0, the block is read from the stored element matrices. `made` is a compile-time constant.
HOST_DEVICE void add_block(int made, const BlockSource *from, int nodes, int e, int I, int J, const TetGeometry *g,
                           real sum[9]) {
  const int pairs = pair_count(nodes), pair = I <= J ? pair_number(nodes, I, J) : pair_number(nodes, J, I);
  real block[9];
  if (made)
    tet_block(from->weight, pairs, pair, g, block);
  else
    for (int k = 0; k < 9; k++) block[k] = from->record[((int64_t)e * pairs + pair) * 9 + k];
  if (I <= J)
    for (int k = 0; k < 9; k++) sum[k] += block[k];
  else
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) sum[3 * i + k] += block[3 * k + i];
}

// Computes one row of 3 x 3 blocks of the matrix: adds the blocks of the tets at the row's node to `values`, which must
// be 0 before the call. list[0], list[step], list[2 step] and so on are the columns of the row, ascending; a binary
// search finds the column of each block. If diagonal blocks are stored apart, the row's diagonal block is stored in
// diagonal_blocks [nodes][9]. `made` is 1 if the blocks of element matrices are computed here, and 0 if they are read
// from from->record. Tets e with absent[e] = 1 are left out; `absent` may be NULL.
HOST_DEVICE void sum_row(int degree, int made, const SimplexTopology *t, const uint8_t *absent, const SimplexPattern *m,
                         int row, const int *list, int step, const BlockSource *from, real *values,
                         real *diagonal_blocks) {
  const int node = node_of_row(m, row), nodes = simplex_cell_nodes(degree);
  const int count = m->layout.length[node] - m->diagonal_apart;
  const int64_t first = slot_values(m, row_first_slot(m, row));
  const NodeSimplex s = simplex_of_node(degree, t, node);
  const SimplexCells *cells = &t->cells[s.kind];
  const int of_tet = simplices_of_tet(s.kind);
  real diagonal[9] = { 0 };
  for (int k = cells->start[s.number]; k < cells->start[s.number + 1]; k++) {
    const int e = cells->item[k] / of_tet;
    if (absent && absent[e]) continue;
    const int own = simplex_local_node(degree, t, s, e, cells->item[k] % of_tet);
    TetGeometry g;
    if (made) g = tet_geometry(t, e, from->lambda, from->mu);
    for (int local = 0; local < nodes; local++) {
      if (m->diagonal_apart && local == own) {
        add_block(made, from, nodes, e, own, own, &g, diagonal);
        continue;
      }
      const int other = simplex_cell_node(degree, t, e, local);
      real *to = values + first + (int64_t)find_column(list, step, count, other) * 9 * m->bin, sum[9];
      for (int c = 0; c < 9; c++) sum[c] = to[c * m->bin];
      add_block(made, from, nodes, e, own, local, &g, sum);
      for (int c = 0; c < 9; c++) to[c * m->bin] = sum[c];
    }
  }

  if (m->diagonal_apart)
    for (int c = 0; c < 9; c++) diagonal_blocks[(int64_t)node * 9 + c] = diagonal[c];
}

// Computes one 3 x 3 block of the matrix, whose index is `slot`. The block is the sum of the blocks of element matrices
// that `map` lists for this slot (EntryMap in pattern.h).
HOST_DEVICE void sum_slot(int degree, const EntryMap *map, const SimplexPattern *m, int64_t slot,
                          const BlockSource *from, real *values) {
  const int nodes = simplex_cell_nodes(degree);
  real sum[9] = { 0 };
  for (int k = slot ? map->end[slot - 1] : 0; k < map->end[slot]; k++) {
    const int source = map->source[k];
    add_block(0, from, nodes, source / (nodes * nodes), source / nodes % nodes, source % nodes, 0, sum);
  }
  const int64_t to = slot_values(m, slot);
  for (int c = 0; c < 9; c++) values[to + c * m->bin] = sum[c];
}

// Computes the diagonal block of the matrix row of `node`: the sum of the blocks that `from` gives for the tets at the
// node. Stores it in diagonal_blocks [nodes][9]. Used in formats that store diagonal blocks apart.
HOST_DEVICE void sum_diagonal(int degree, const SimplexTopology *t, int node, const BlockSource *from,
                              real *diagonal_blocks) {
  const int nodes = simplex_cell_nodes(degree);
  const NodeSimplex s = simplex_of_node(degree, t, node);
  const SimplexCells *cells = &t->cells[s.kind];
  const int of_tet = simplices_of_tet(s.kind);
  real sum[9] = { 0 };
  for (int k = cells->start[s.number]; k < cells->start[s.number + 1]; k++) {
    const int e = cells->item[k] / of_tet;
    const int own = simplex_local_node(degree, t, s, e, cells->item[k] % of_tet);
    add_block(0, from, nodes, e, own, own, 0, sum);
  }
  for (int c = 0; c < 9; c++) diagonal_blocks[(int64_t)node * 9 + c] = sum[c];
}
