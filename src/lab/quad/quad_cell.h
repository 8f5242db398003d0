// Functions for loops over quadrilaterals on the CPU. They return the map of a cell, the tensor T of a Gauss point
// (quad_rule.h), and the contribution of a point to an entry of the element matrix.
#pragma once
#include "lab/quad/quad_cells.h"

static inline QuadMap quad_map_of(const QuadCells *c, int e) {
  real own[QUAD_MAP];
  for (int k = 0; k < QUAD_MAP; k++) own[k] = c->map[(int64_t)k * c->cell_count + e];
  return (QuadMap){ { own[0], own[1] }, { own[2], own[3] }, { own[4], own[5] }, *c->scale * own[6] };
}

// Computes T, the tensor of Gauss point q of a cell: weight times conductivity times |det J| J^-1 J^-T, stored as
// (T_00, T_01, T_11). J is the Jacobian matrix of the cell's map. The point's number is q = qy (degree + 1) + qx, where
// qx and qy count the points along the two directions.
static inline void quad_point(int degree, const QuadRule *rule, const QuadMap *map, int q, real T[3]) {
  const int qx = q % (degree + 1), qy = q / (degree + 1);
  quad_tensor(map, rule->point[qx], rule->point[qy], rule->weight[qx] * rule->weight[qy], T);
}

// Returns the contribution of Gauss point q to entry (i, j) of the element matrix: grad phi_i . T grad phi_j. phi_i is
// the shape function of node i, with gradients on the reference square. T contains the weight and det J of the point.
static inline real quad_entry(int degree, const QuadRule *rule, const real T[3], int q, int i, int j) {
  const int line = degree + 1, qx = q % line, qy = q / line;
  const real *Nx = rule->N[qx], *Dx = rule->D[qx], *Ny = rule->N[qy], *Dy = rule->D[qy];
  const real ix = Dx[i % line] * Ny[i / line], iy = Nx[i % line] * Dy[i / line];
  const real jx = Dx[j % line] * Ny[j / line], jy = Nx[j % line] * Dy[j / line];
  return ix * (T[0] * jx + T[1] * jy) + iy * (T[1] * jx + T[2] * jy);
}
