// Device functions for kernels that process one quadrilateral per thread: the list of cells (QuadView), the map of a
// cell, and the entries of its element matrix.
#pragma once
#include "lab/quad/quad_cells.h"

enum { QUAD_THREADS_MAX = 256 };

// The cells that a kernel processes. Kernels take this struct by value, so the GPU keeps it in constant memory.
//   node    [cell_nodes][cell_count], the nodes of each cell
//   map     [QUAD_MAP][cell_count], the seven numbers of each cell's map (QuadMap)
//   scale   the conductivity, by which the last number of each map is multiplied
//   rule    shape functions at the Gauss points
// Cells of one colour are processed by one launch, so that sums have a fixed order (cell_colours.h). A block is a
// number of successive cells. block_of lists the blocks sorted by colour; those of the present launch begin at index
// first_block. Cells of a block may share nodes, so they add their results in turns: cell e in turn number turn[e],
// from 0 to turns - 1.
typedef struct QuadView {
  int cell_count, turns, first_block;
  const int *node, *block_of;
  const real *map, *scale;
  const uint8_t *turn;
  QuadRule rule;
} QuadView;

static inline QuadView quad_view(const QuadCells *c) {
  const CellColours *colours = &c->colours;
  return QuadView{ c->cell_count, colours->turns, 0,      c->node, colours->block_of, c->map,
                   c->scale,      colours->turn,  c->rule };
}

static __device__ __forceinline__ int quad_cell(const QuadView &v, bool coloured) {
  const int block = coloured ? v.block_of[v.first_block + blockIdx.x] : blockIdx.x;
  return block * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ QuadMap quad_map_of(const QuadView &v, int e) {
  real own[QUAD_MAP];
#pragma unroll
  for (int k = 0; k < QUAD_MAP; k++) own[k] = v.map[(size_t)k * v.cell_count + e];
  return QuadMap{ { own[0], own[1] }, { own[2], own[3] }, { own[4], own[5] }, *v.scale * own[6] };
}

// Computes the tensor T[q] of each Gauss point q of a cell: weight times conductivity times |det J| J^-1 J^-T, stored
// as (T_00, T_01, T_11). J is the Jacobian matrix of the cell's map (quad_rule.h). The caller must unroll its loops
// over the points of T. Otherwise the compiler stores T in local memory, not in registers.
template <int P>
static __device__ __forceinline__ void quad_tensors(const QuadView &v, const QuadMap &map, real T[][3]) {
#pragma unroll
  for (int qy = 0; qy <= P; qy++)
#pragma unroll
    for (int qx = 0; qx <= P; qx++)
      quad_tensor(&map, v.rule.point[qx], v.rule.point[qy], v.rule.weight[qx] * v.rule.weight[qy],
                  T[qy * (P + 1) + qx]);
}

// The shape function of a node, which is a product N_x(x) N_y(y) of two factors on the reference square. Nx and Ny are
// the values of the factors at the P + 1 Gauss points of a line, and Dx and Dy their derivatives there.
template <int P>
struct QuadNode {
  real Nx[P + 1], Dx[P + 1], Ny[P + 1], Dy[P + 1];
};

template <int P>
static __device__ __forceinline__ QuadNode<P> quad_node(const QuadView &v, int i) {
  QuadNode<P> n;
  const int x = i % (P + 1), y = i / (P + 1);
#pragma unroll
  for (int q = 0; q <= P; q++) {
    n.Nx[q] = v.rule.N[q][x];
    n.Dx[q] = v.rule.D[q][x];
    n.Ny[q] = v.rule.N[q][y];
    n.Dy[q] = v.rule.D[q][y];
  }
  return n;
}

// Returns grad phi_i . T grad phi_j, the contribution of one Gauss point to the entry K_ij. (ix, iy) and (jx, jy) are
// the gradients of the shape functions phi_i and phi_j on the reference square. T = (T_00, T_01, T_11) is the tensor of
// the point (quad_rule.h), which contains weight and det J.
static __device__ __forceinline__ real quad_share(const real T[3], real ix, real iy, real jx, real jy) {
  return ix * (T[0] * jx + T[1] * jy) + iy * (T[1] * jx + T[2] * jy);
}

// Returns the entry K_ij of the element matrix, summed over the Gauss points q. `i` and `j` hold the shape functions of
// the two nodes. T[q] is the tensor of point q, which contains weight and det J (quad_rule.h).
template <int P>
static __device__ __forceinline__ real quad_sum(const real T[][3], const QuadNode<P> &i, const QuadNode<P> &j) {
  real sum = 0;
#pragma unroll
  for (int qy = 0; qy <= P; qy++)
#pragma unroll
    for (int qx = 0; qx <= P; qx++)
      sum += quad_share(T[qy * (P + 1) + qx], i.Dx[qx] * i.Ny[qy], i.Nx[qx] * i.Dy[qy], j.Dx[qx] * j.Ny[qy],
                        j.Nx[qx] * j.Dy[qy]);
  return sum;
}
