// The SSOR preconditioner, symmetric successive over-relaxation with omega = 1 (paper 001, Eq. 24 and Alg. 3):
//   M = (L + D) D^-1 (L + D)^T,
// where D has the absolute values of the diagonal of A, and L is the part of A below its diagonal. z = M^-1 r is
// computed by a forward and a backward sweep over the nodes. Unknowns are ordered by the colours of their nodes
// (node_colours.h), then by node. Nodes of one colour share no cell, so a sweep updates them in parallel. M is positive
// definite, because D is.
//
// A pair is a matrix block that couples a node with another node. Each node has two lists of pairs. The forward sweep
// reads the pairs with nodes that are earlier in the order, the backward sweep reads those with later nodes. The
// operator must store its matrix: the blocks of A, or a small matrix for each cell. With cell matrices, two nodes have
// a pair for each common cell.
//
// Instead of the order by colours, ssor_create can choose the natural order: nodes are updated one by one in the order
// of their numbers. CG then needs fewer iterations than with colours, but the sweeps run on one thread.
#pragma once
#include "base/real.h"
#include "sim/element/node_colours.h"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lists of matrix blocks that the sweeps read, on the operator's device. A row is a node in the order of the sweep:
// row 0 is the first node of colour 0. A pair is a matrix block that couples the row's node with another node.
typedef struct SsorView {
  int dof;          // unknowns per node
  const int *node;  // [nodes], node of each row; rows are sorted by colour
  // start [nodes + 1], middle [nodes]: pairs start[row] to middle[row] - 1 couple the row's node with earlier nodes,
  // pairs middle[row] to start[row + 1] - 1 couple it with later nodes.
  const int *start, *middle;
  const int *other;  // [pairs], node of the column of each pair's matrix block
  // [pairs], index of the pair's entry in `values`, if there is one unknown per node; else NULL
  const int *at;
  // [pairs], position in `values` of each pair's matrix block, if there are several unknowns per node; else NULL
  const BlockSlots *slots;
  const real *values, *blocks;  // stored values and diagonal blocks of A; borrowed
  const uint8_t *fixed;         // [n], 1: the unknown is fixed, and z is 0
} SsorView;

// The SSOR (symmetric Gauss-Seidel) preconditioner of a linear system: its lists of blocks, and its colours.
typedef struct Ssor {
  Device device;  // device of the arrays of `view`
  SsorView view;  // lists of the matrix blocks
  // on the host: the rows of each colour; in natural order each row has a colour of its own
  NodeColours colours;
} Ssor;

/// Builds the lists of matrix blocks for a system, in natural order (by node numbers) or by colours. Returns NULL if
/// memory runs out, if the user interrupts, or if the operator stores no entries, or not all blocks (BlockSlots.at).
Ssor *REAL_NAME(ssor_create)(const SolverSystem *system, bool natural, Error *error);

/// Functions of AppliedPreconditioner, for a Ssor: z = M^-1 r is computed by a forward and a backward sweep.
void REAL_NAME(ssor_destroy)(void *ssor);
bool REAL_NAME(ssor_apply_cpu)(const void *ssor, const void *r, void *z, Stream stream, Error *error);
bool REAL_NAME(ssor_apply_cuda)(const void *ssor, const void *r, void *z, Stream stream, Error *error);

extern const AppliedPreconditioner REAL_NAME(ssor_applied_cpu), REAL_NAME(ssor_applied_cuda);  // order by colours

#ifdef __cplusplus
}
#endif

// Multiplies the pairs `from`, `from` + `step`, ... below `to` of a row by z, and adds the products to sum [dof]. A
// pair is a matrix block that couples the row's node with another node. Threads that share a row have different `from`.
HOST_DEVICE void ssor_pairs(const SsorView *v, int dof, int from, int to, int step, const real *z, real *sum) {
  for (int i = 0; i < dof; i++) sum[i] = 0;
  for (int k = from; k < to; k += step) {
    const real *other = z + (long long)dof * v->other[k];
    if (dof == 1) {
      sum[0] += v->values[v->at[k]] * other[0];
    } else {
      const BlockSlots p = v->slots[k];
      for (int i = 0; i < dof; i++)
        for (int j = 0; j < dof; j++) sum[i] += v->values[block_slot(p, i, j)] * other[j];
    }
  }
}

// Updates z at one node. sum [dof] is the product of the node's pairs (matrix blocks) with z at the other nodes. The
// forward sweep computes z from r, the backward sweep changes z.
HOST_DEVICE void ssor_node(const SsorView *v, int dof, int node, int backward, const real *sum, const real *r,
                           real *z) {
  const real *block = v->blocks + (long long)node * dof * dof;
  const long long first = (long long)node * dof;
  for (int step = 0; step < dof; step++) {
    const int i = backward ? dof - 1 - step : step;
    real own = sum[i];
    for (int k = backward ? i + 1 : 0; k < (backward ? dof : i); k++) own += block[i * dof + k] * z[first + k];
    const real D = size_of_entry(block[i * dof + i]);
    if (v->fixed[first + i])
      z[first + i] = 0;
    else
      z[first + i] = backward ? z[first + i] - own / D : (r[first + i] - own) / D;
  }
}
