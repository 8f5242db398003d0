// The preconditioner of symmetric successive over-relaxation with omega 1 (paper 001, Eq. 24 and Alg. 3),
//   M = (L + D) D^-1 (L + D)^T,
// with D the diagonal and L the entries below it. Unknowns are ordered by the colours of their nodes, then by nodes and
// components. Two nodes of one colour share no cell, so a sweep updates all nodes of a colour in parallel, forward,
// then backward.
//
// The operator must store values with `slots`, or keep element matrices, with several entries per pair. Lists give the
// entries before and after each node in the order, so that each entry is read once. In natural order nodes are updated
// one by one in the order of their numbers, as in CPU codes without colouring. This needs fewer iterations but nothing
// runs in parallel. Negative diagonal entries are replaced by their absolute values, so M is always positive definite
// (preconditioner.h).
#pragma once
#include "base/real.h"
#include "sim/solver/node_colours.h"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays on the operator's device. Rows are nodes, sorted by colour.
typedef struct SsorView {
  int dof;
  const int *node;  // [nodes], node of each row
  // start [nodes + 1], middle [nodes]: pairs with an earlier node are start to middle, those with a later node follow.
  const int *start, *middle;
  const int *other;             // [pairs], other node of each pair
  const int *at;                // [pairs], slot of the entry; used if node_dof is 1
  const BlockSlots *slots;      // [pairs], position of the block; used if node_dof is larger
  const real *values, *blocks;  // values and diagonal blocks of the operator; borrowed
  const uint8_t *fixed;         // [n]
} SsorView;

// A zeroed Ssor is empty.
typedef struct Ssor {
  Device device;
  SsorView view;
  NodeColours colours;  // on the host: rows of each colour; in natural order one row per colour
} Ssor;

/// Builds the lists for a system. natural: nodes in the order of their numbers, without colours. Fails if memory runs
/// out, if the user interrupts, or if the operator stores no entries or only a triangle.
bool REAL_NAME(ssor_create)(Ssor *ssor, const SolverSystem *system, bool natural, Error *error);
void REAL_NAME(ssor_destroy)(Ssor *ssor);

/// Computes z = M^-1 r on the free unknowns, 0 on the fixed ones; r and z are [n].
void REAL_NAME(ssor_apply_cpu)(const Ssor *ssor, const real *r, real *z);

/// Queues z = M^-1 r; `s` is a cudaStream_t. The kernels do nothing if `done` is not NULL and *done is nonzero when
/// they run.
bool REAL_NAME(ssor_apply_cuda)(const Ssor *ssor, const real *r, real *z, const int *done, void *s, Error *error);

#ifdef __cplusplus
}
#endif

// Sums the products of the entries of pairs from, from + step, ... below `to` with z into sum [dof].
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

// Updates the unknowns of one node, with the sum over other nodes: forward from r, backward from z.
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
