// The coarse space on the CPU, for cg.c; see coarse.h. Its twin is coarse.cuh.
#pragma once
#include "sim/solver/multigrid/coarse.h"

typedef struct Coarse {
  Aggregates g;
  int dof, modes, n;     // n: coarse_unknowns
  real (*arm)[3];        // [node_count], from the middle of the aggregate; 0 in nodes of none
  double *rest;          // [n], the diagonal of P^T A P
  double *B;             // [n][n]
  double *panel;         // [COARSE_SWEEP][n]
  double *residual, *y;  // [n]; residual = P^T r, y = B residual
  double *dots;          // [count], residual.y by aggregates
} Coarse;

/// Of these aggregates, which it takes, even on failure.
bool REAL_NAME(coarse_create)(Coarse *coarse, Aggregates *aggregates, const Operator *A, Error *error);
void REAL_NAME(coarse_destroy)(Coarse *coarse);

/// B, of the system's matrix and state as they are.
void REAL_NAME(coarse_make)(Coarse *coarse, const SolverSystem *system);

/// y = B P^T r; returns r.P y, which is at least 0: where rounding has it otherwise y is 0.
double REAL_NAME(coarse_solve)(const Coarse *coarse, const real *r);
