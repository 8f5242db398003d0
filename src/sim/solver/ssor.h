// The preconditioner of symmetric successive over-relaxation with omega 1 (paper 001, Eq. 24 and Alg. 3),
//   M = (L + D) D^-1 (L + D)^T,
// where L is what of the matrix stands before the diagonal, unknowns being ordered by colours of their nodes, of which
// no two of one colour share a cell, then by nodes and components. One colour after the other is solved for, all its
// nodes side by side: forward, then backward. Works on any operator that stores values by places, or keeps element
// matrices, whose entries of a pair are then several; it has lists of its own of which entries come before and behind
// each node, so that each is read once. Or, as a CPU had it before there were colours, nodes are taken one after the
// other as they are numbered: fewer iterations, and nothing goes side by side. Where the diagonal is negative its size
// takes its place, so that M is always positive definite (preconditioner.h).
#pragma once
#include "base/real.h"
#include "sim/solver/node_colours.h"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// On the operator's device. Rows are nodes by colours.
typedef struct SsorView {
  int dof;
  const int *node;              // [nodes], of each row
  const int *start, *middle;    // [nodes + 1] and [nodes]: pairs before a row's node are start to middle, others behind
  const int *other;             // [pairs], the other node
  const int *at;                // [pairs], of one unknown a node: where the entry stands
  const BlockPlace *place;      // [pairs], of more
  const real *values, *blocks;  // the operator's
  const uint8_t *fixed;         // [n]
} SsorView;

// A zeroed Ssor is empty.
typedef struct Ssor {
  Device device;
  SsorView view;
  NodeColours colours;  // on the host: rows of each colour, or, in natural order, a row each
} Ssor;

/// natural: nodes in their own order.
bool REAL_NAME(ssor_create)(Ssor *ssor, const SolverSystem *system, bool natural, Error *error);
void REAL_NAME(ssor_destroy)(Ssor *ssor);

/// z = M^-1 r on the free unknowns, 0 on the others; both [n].
void REAL_NAME(ssor_apply_cpu)(const Ssor *ssor, const real *r, real *z);

/// The same in a stream, `s` being a cudaStream_t; nothing where `done` is not NULL and *done is not 0.
bool REAL_NAME(ssor_apply_cuda)(const Ssor *ssor, const real *r, real *z, const int *done, void *s, Error *error);

#ifdef __cplusplus
}
#endif

// What pairs [from, to) of a row add up to, with z as it is: sum [DOF], in steps.
HOST_DEVICE void ssor_pairs(const SsorView *v, int dof, int from, int to, int step, const real *z, real *sum) {
  for (int i = 0; i < dof; i++) sum[i] = 0;
  for (int k = from; k < to; k += step) {
    const real *other = z + (long long)dof * v->other[k];
    if (dof == 1) {
      sum[0] += v->values[v->at[k]] * other[0];
    } else {
      const BlockPlace p = v->place[k];
      for (int i = 0; i < dof; i++)
        for (int j = 0; j < dof; j++) sum[i] += v->values[block_slot(p, i, j)] * other[j];
    }
  }
}

// One node's unknowns, from what the others make `sum`: forward from r, backward from z itself.
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
