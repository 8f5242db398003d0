// Adds given numbers, called the shift, to the diagonal blocks of a stored matrix on the GPU. Two kernels use this
// device function: one for a single matrix (shift.cu), and one for many (sim/worlds/worlds.cu).
#pragma once
#include "base/real.h"
#include "sim/operator/operator.h"

// Arguments for one matrix. Arrays are on the GPU.
typedef struct ShiftWork {
  int nodes, dof, crosses;  // numbers of nodes, and of unknowns per node; crosses of operator_shift: 0, 1 or 3
  bool diagonal_first;
  const BlockSlots *own;      // [nodes], positions of diagonal blocks in `values`; NULL: `blocks` is part of `values`
  const real *shift, *cross;  // [nodes * dof]: added to the diagonal; [nodes][crosses]: added to off-diagonal entries
  real *values, *blocks;      // entries of the matrix; copies of its diagonal blocks, [nodes][dof^2], which are output
  real *diagonal;             // [nodes * dof], output: the diagonal of the matrix after the addition; NULL: not wanted
  const int *wanted;          // if *wanted is 0, the kernel does nothing; NULL: it always runs
} ShiftWork;

/// Converts the arguments of operator_shift to the arguments of the kernel.
static inline ShiftWork shift_work(const Operator *A, const void *shift, int crosses, void *diagonal,
                                   const int *wanted) {
  const ShiftWork work = { A->space->node_count,
                           A->space->node_dof,
                           crosses,
                           A->method->diagonal_first,
                           A->diagonal_last ? NULL : A->diagonal_slots,
                           (const real *)shift,
                           (const real *)shift + A->n,
                           (real *)A->values,
                           (real *)A->blocks,
                           (real *)diagonal,
                           wanted };
  return work;
}

// Processes entry number `entry` of the diagonal blocks of all nodes, counted block by block and row by row. So
// neighbouring threads write neighbouring numbers of `blocks`.
static __device__ __forceinline__ void shift_entry(const ShiftWork &w, unsigned entry) {
  // 32 bits suffice for `entry`: all diagonal blocks are in `values`, whose length fits an int.
  const unsigned dofs = (unsigned)w.dof;
  const int node = (int)(entry / (dofs * dofs)), i = (int)(entry / dofs % dofs), k = (int)(entry % dofs);
  if (w.wanted && !*w.wanted) return;
  if (node >= w.nodes) return;
  const int row = node * w.dof + i;
  real *at =
           w.own ? w.values + diagonal_block_slot(w.own[node], w.diagonal_first, w.dof, node, i, k) : w.blocks + entry,
       value = *at;
  if (i == k) *at = value += w.shift[row];
  if (i == k && w.diagonal) w.diagonal[row] = value;
  if (i != k && i + k <= w.crosses) *at = value += w.cross[(size_t)w.crosses * node + i + k - 1];
  if (w.own) w.blocks[entry] = value;
}
