// The coarse space of a two-level preconditioner M of the matrix A (additive Schwarz; Dryja and Widlund, 1990):
//   M^-1 = D^-1 + P B P^T.
// D is the diagonal of A, with absolute values. The columns of P are the rigid motions of aggregates, connected groups
// of nodes (aggregates.h). B is the inverse of P^T A P. With M = D, an iteration of CG passes a change only from a node
// to its neighbours, so bending of a long body takes many iterations. Rigid motions of aggregates represent bending at
// once.
//
// An iteration computes the coarse residual P^T r of the residual r, the amplitudes y = B P^T r of the motions, and the
// new search direction D^-1 r + P y + beta p. The motions start from the deformed state at which A is the tangent. A
// node at the position `arm` from the centre of its aggregate moves by t + w x arm, with a translation t and a rotation
// w. The components of t and w give six motions, called modes. With two unknowns per node there are three modes, with
// one unknown there is one mode. Fixed unknowns do not move.
//
// B is computed in double by symmetric Gauss-Jordan elimination of P^T A P, COARSE_SWEEP rows at a time. A row belongs
// to one motion of one aggregate. A motion whose pivot is mostly rounding error is not used: its row and column of B
// are set to zero. So B is positive semidefinite even if A is indefinite, and M^-1 is positive definite. If rounding
// still gives r.P y < 0, the present iteration uses only D^-1.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/solver/multigrid/aggregates.h"
#include "sim/solver/solver.h"

// COARSE_MODES: max number of rigid motions of a group of nodes. COARSE_SWEEP: number of rows of the coarse matrix P^T
// A P that are eliminated at once.
enum { COARSE_MODES = 6, COARSE_SWEEP = 24 };

// Returns true if a rigid motion is used, because its pivot in the elimination exceeds LEFT times `entry`, its diagonal
// entry of P^T A P. A smaller pivot is mostly rounding error.
HOST_DEVICE bool coarse_takes(double pivot, double entry) {
  const double LEFT = 1e-8;
  return pivot > LEFT * entry && pivot < INFINITY;
}

// Number of rigid motions of one aggregate (group of nodes): 1, 3 or 6 with 1, 2 or 3 unknowns per node.
#define COARSE_MODES_OF(dof) ((dof) * ((dof) + 1) / 2)
HOST_DEVICE int coarse_modes(int dof) {
  return COARSE_MODES_OF(dof);
}

// Adds the contribution of one node to P^T r: sums [modes], one number per rigid motion of its aggregate (group of
// nodes). r [dof] is the residual at the node, and `arm` its position from the aggregate's centre.
HOST_DEVICE void coarse_restrict(int dof, const real arm[3], const real *r, double *sums) {
  for (int i = 0; i < dof; i++) sums[i] += r[i];
  if (dof == 2) sums[2] += (double)arm[0] * r[1] - (double)arm[1] * r[0];
  if (dof != 3) return;
  sums[3] += (double)arm[1] * r[2] - (double)arm[2] * r[1];
  sums[4] += (double)arm[2] * r[0] - (double)arm[0] * r[2];
  sums[5] += (double)arm[0] * r[1] - (double)arm[1] * r[0];
}

// Returns component i of P y at one node: the node's displacement if its aggregate (group of nodes) moves rigidly with
// the amplitudes y [modes]. `arm` is the node's position from the aggregate's centre.
HOST_DEVICE double coarse_prolong(int dof, int i, const real arm[3], const double *y) {
  if (dof == 2) return y[i] + (i == 0 ? -y[2] * arm[1] : y[2] * arm[0]);
  if (dof != 3) return y[i];
  const int next = i < 2 ? i + 1 : 0, last = i > 0 ? i - 1 : 2;
  return y[i] + (y[3 + next] * arm[last] - y[3 + last] * arm[next]);
}

// Adds the contribution of a matrix block [dof][dof] of two nodes to sums [modes][modes], the block of P^T A P for the
// aggregates (groups) of these nodes. row_arm and column_arm are the positions of the nodes from the centres of their
// aggregates. Rows and columns of fixed unknowns must be zero in the matrix block.
HOST_DEVICE void coarse_add_block(int dof, const double *block, const real row_arm[3], const real column_arm[3],
                                  double *sums) {
  const int modes = coarse_modes(dof);
  if (dof == 1) {
    sums[0] += block[0];
    return;
  }
  if (dof == 2) {
    for (int k = 0; k < 3; k++) {
      double f[2];  // block times the displacement of the column's node in motion k
      for (int i = 0; i < 2; i++)
        f[i] = k < 2 ? block[2 * i + k] : block[2 * i + 1] * column_arm[0] - block[2 * i] * column_arm[1];
      sums[k] += f[0];
      sums[3 + k] += f[1];
      sums[6 + k] += row_arm[0] * f[1] - row_arm[1] * f[0];
    }
    return;
  }

  const double x[3] = { (double)row_arm[0], (double)row_arm[1], (double)row_arm[2] };
  const double y[3] = { (double)column_arm[0], (double)column_arm[1], (double)column_arm[2] };

  // Multiply the block by the six motions of the column's node, at y from its aggregate's centre. Rotation w moves this
  // node by w x y = (w1 y2 - w2 y1, ...).
  double moved[3][COARSE_MODES];
  for (int i = 0; i < 3; i++) {
    const double *b = block + 3 * i;
    moved[i][0] = b[0];
    moved[i][1] = b[1];
    moved[i][2] = b[2];
    moved[i][3] = b[2] * y[1] - b[1] * y[2];
    moved[i][4] = b[0] * y[2] - b[2] * y[0];
    moved[i][5] = b[1] * y[0] - b[0] * y[1];
  }

  for (int k = 0; k < COARSE_MODES; k++) {
    const double f[3] = { moved[0][k], moved[1][k], moved[2][k] };
    sums[k] += f[0];
    sums[modes + k] += f[1];
    sums[2 * modes + k] += f[2];
    sums[3 * modes + k] += x[1] * f[2] - x[2] * f[1];
    sums[4 * modes + k] += x[2] * f[0] - x[0] * f[2];
    sums[5 * modes + k] += x[0] * f[1] - x[1] * f[0];
  }
}

// Returns the entry in row i and column k of the matrix block of the nodes item->row and item->column; 0 for a fixed
// unknown. `values` and `blocks` are the operator's values and diagonal blocks.
HOST_DEVICE double coarse_entry(int dof, const AggregateItem *item, int i, int k, const uint8_t *fixed,
                                const real *values, const real *blocks) {
  const bool is_diagonal = item->row == item->column;
  if (fixed[(int64_t)item->row * dof + i] || fixed[(int64_t)item->column * dof + k]) return 0;
  return is_diagonal ? (double)blocks[((int64_t)item->row * dof + i) * dof + k]
                     : (double)values[block_slot(item->slots, i, k)];
}

// Returns the number of rows of the coarse matrix P^T A P: the number of rigid motions of all groups of nodes, rounded
// up to a multiple of COARSE_SWEEP. The rows added by rounding up are zero.
static inline int coarse_unknowns(int aggregates, int dof) {
  const int unknowns = aggregates * coarse_modes(dof);
  return (unknowns + COARSE_SWEEP - 1) / COARSE_SWEEP * COARSE_SWEEP;
}
