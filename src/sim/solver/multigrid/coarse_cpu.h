// The coarse space on the CPU, the rigid motions of groups of nodes; see coarse.h. The GPU version is coarse.cuh.
#pragma once
#include "sim/solver/multigrid/coarse.h"

// An aggregate is a group of nodes. The columns of P are the rigid motions of all aggregates.
typedef struct Coarse {
  Aggregates g;       // the groups of nodes that move rigidly
  int dof, modes, n;  // unknowns per node; rigid motions per group; rows of P^T A P
  // [node_count], m, deformed position of each node relative to the centre of its aggregate; 0 without an aggregate
  real (*arm)[3];
  double *rest;          // [n], the diagonal of P^T A P before the elimination, with which pivots are compared
  double *B;             // [n][n], inverse of P^T A P
  double *panel;         // [COARSE_SWEEP][n], copy of the rows that an elimination sweep eliminates
  double *residual, *y;  // [n]: residual = P^T r for the residual r of all nodes, and y = B residual
  double *dots;          // [count], the part of residual.y of each aggregate (group of nodes)
} Coarse;

/// Creates the coarse space, the rigid motions of these aggregates (groups of nodes). *aggregates is moved into it and
/// is empty afterwards, even after a failure. Fails if memory runs out.
bool REAL_NAME(coarse_create)(Coarse *coarse, Aggregates *aggregates, const Operator *A, Error *error);
void REAL_NAME(coarse_destroy)(Coarse *coarse);

/// Computes `arm`, the nodes' positions relative to the centre of their aggregate (group of nodes), and B, the inverse
/// of the matrix P^T A P of rigid motions, from the present matrix and displacements.
void REAL_NAME(coarse_make)(Coarse *coarse, const SolverSystem *system);

/// Computes y = B P^T r, the amplitudes of the rigid motions (columns of P), with the inverse B of P^T A P. Returns r.P
/// y. If rounding makes it negative, sets y to 0 and returns 0.
double REAL_NAME(coarse_solve)(const Coarse *coarse, const real *r);
