// The coarse space on the CPU, for cg.c; see coarse.h. The GPU version is coarse.cuh.
#pragma once
#include "sim/solver/multigrid/coarse.h"

typedef struct Coarse {
  Aggregates g;
  int dof, modes, n;     // n: result of coarse_unknowns
  real (*arm)[3];        // [node_count], position relative to the aggregate's centre; 0 without aggregate
  double *rest;          // [n], the diagonal of P^T A P
  double *B;             // [n][n]
  double *panel;         // [COARSE_SWEEP][n]
  double *residual, *y;  // [n]; residual = P^T r, y = B residual
  double *dots;          // [count], residual.y of each aggregate
} Coarse;

/// Creates the coarse space of these aggregates. Takes ownership of them, even on failure. Fails if memory runs out.
bool REAL_NAME(coarse_create)(Coarse *coarse, Aggregates *aggregates, const Operator *A, Error *error);
void REAL_NAME(coarse_destroy)(Coarse *coarse);

/// Computes B from the present matrix and state of the system.
void REAL_NAME(coarse_make)(Coarse *coarse, const SolverSystem *system);

/// Computes y = B P^T r and returns r.P y, at least 0: if rounding makes it negative, y is set to 0.
double REAL_NAME(coarse_solve)(const Coarse *coarse, const real *r);
