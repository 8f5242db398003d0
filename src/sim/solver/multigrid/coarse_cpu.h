// The coarse space on the CPU: rigid motions of groups of nodes as part of a preconditioner (coarse.h).
#pragma once
#include "sim/solver/multigrid/coarse.h"

// The coarse space. The columns of P are the rigid motions of all aggregates (groups of nodes).
typedef struct Coarse {
  Aggregates g;       // aggregates: the groups of nodes that move rigidly
  int dof, modes, n;  // unknowns per node; rigid motions per aggregate; rows of P^T A P
  // [node_count], m, deformed position of each node from the centre of its aggregate; 0 for nodes without an aggregate
  real (*arm)[3];
  double *rest;          // [n], the diagonal of P^T A P, with which pivots are compared
  double *B;             // [n][n], inverse of P^T A P, the matrix of the rigid motions
  double *panel;         // [COARSE_SWEEP][n], copy of the rows that the present sweep eliminates
  double *residual, *y;  // [n]: P^T r for the residual r of all nodes; y = B P^T r
  double *dots;          // [aggregates], contribution of each aggregate to r.P y
} Coarse;

/// Creates the coarse space of these aggregates (groups of nodes). Moves *aggregates into the coarse space: *aggregates
/// is empty afterwards, even after a failure. Fails if memory runs out.
bool REAL_NAME(coarse_create)(Coarse *coarse, Aggregates *aggregates, const Operator *A, Error *error);
void REAL_NAME(coarse_destroy)(Coarse *coarse);

/// Computes `arm`, the nodes' positions from the centres of their aggregates, and B, the inverse of P^T A P (columns of
/// P: rigid motions), from the present matrix and system->u.
void REAL_NAME(coarse_make)(Coarse *coarse, const SolverSystem *system);

/// Computes y = B P^T r, the amplitudes of the rigid motions, and returns r.P y. If this is negative by rounding, sets
/// y to 0 and returns 0. B is the inverse of P^T A P.
double REAL_NAME(coarse_solve)(const Coarse *coarse, const real *r);
