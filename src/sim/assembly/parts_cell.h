// Evaluation of one tet in the assembly "parts" (part_batches.h), for its CPU and CUDA versions. The results are a
// vector h_a and a force f_a for each corner a, and one number r for the tet. The block of the corners a and b of the
// tet's matrix is r h_b h_a^T + lambda h_a h_b^T plus a constant times the identity. This is the compact form of the
// material's tangent (element/material/neo_hookean.h). lambda is Lame's constant.
#pragma once
#include <math.h>

#include "sim/assembly/part_batches.h"
#include "sim/element/element.h"

#ifndef MATERIAL_COMPACT
#error "assembly parts is built only for materials whose tangent has a compact form"
#endif

enum {
  // number of constants of a tet: those that the element stores for a cell, and the square root of volume times
  // stiffness
  CELL_REALS = ELEMENT_SUPPLEMENTAL + 1,
  CORNER_REALS = 4,  // numbers for each corner from which blocks follow: the three of h_a, and r
  // numbers for each tet in shared memory: h_a, r and f_a of its 4 corners
  TET_REALS = BATCH_CORNERS * (CORNER_REALS + 3),
  // numbers for each node: its three nodal data, such as displacements, padded to a multiple of 16 bytes
  NODE_REALS = 4
};

// Implements BatchCell.fill: computes S [CELL_REALS], the constants of cell e. Returns its volume, m^3, times its
// stiffness factor.
static inline double cell_fill(const Space *space, int e, void *memory) {
  real *S = (real *)memory;
  element_supplemental(space, e, S);
  const double volume = (double)shape_stiffness(S) * space_cell_volume(space, e);
  S[ELEMENT_SUPPLEMENTAL] = (real)sqrt(volume);
  return volume;
}

// Results of one tet: for each corner a the vector h_a and the force f_a, and for the tet the number r. f_a is in N,
// multiplied by ElementParameters.vector_scale. The block of corners a and b of the tet's matrix follows from h_a, h_b
// and r: see the head of this file.
typedef struct BatchCellData {
  real h[BATCH_CORNERS][3], r, f[BATCH_CORNERS][3];
} BatchCellData;

/// Returns the material with which matrix blocks are computed: the moduli mu and lambda of `parameters` times
/// matrix_scale, the factor of the matrix. If the cells of a mesh differ in lambda (SHAPE_MIXED), the result has lambda
/// = mu, and cell_evaluate adapts h and r of each cell.
HOST_DEVICE Material batch_material(const ElementParameters *parameters) {
  Material scaled = material_times(&parameters->material, parameters->matrix_scale);
#ifdef SHAPE_MIXED
  scaled.lambda = scaled.mu;
#endif
  return scaled;
}

// Returns the ratio lambda / mu of a cell, but at least a tiny positive number, since cell_evaluate divides by it. The
// effect on the tangent is smaller than rounding.
HOST_DEVICE real positive_ratio(const Material *material) {
  const real ratio = material->lambda / material->mu, least = sizeof(real) == sizeof(float) ? (real)1e-7 : (real)1e-15;
  return ratio > least ? ratio : least;
}

/// Evaluates a tet with four nodes and one integration point, from its nodal data [4][3] and its constants S
/// [CELL_REALS]. Computes the forces f and, if with_matrix is true, h and r. `scaled` is the result of batch_material.
/// Returns J = det F. The gradients of the four shape functions sum to zero. So h and f of the last corner are minus
/// the sum of those of the other corners.
///
/// A matrix block is r h_b h_a^T + lambda h_a h_b^T, with one lambda for all cells. If a cell has a different constant,
/// lambda', the function returns h' = sqrt(lambda' / lambda) h and r' = r lambda / lambda' instead. The formula then
/// gives r h_b h_a^T + lambda' h_a h_b^T, as it should. lambda' must not be negative.
HOST_DEVICE real cell_evaluate(const real *nodal, const real *S, const ElementParameters *parameters,
                               const Material *scaled, bool with_matrix, BatchCellData *cell) {
  enum { LAST = BATCH_CORNERS - 1 };
  real B[BATCH_CORNERS][3], G[3][3], P[3][3];
  MaterialPoint point;
  MATERIAL_OF_CELL(material, S, parameters);
  const real root = S[ELEMENT_SUPPLEMENTAL], factor = parameters->vector_scale * root * root;
#ifdef SHAPE_MIXED
  const real ratio = positive_ratio(material), root_of_h = root * (real)sqrt(ratio);
  const Material own = { scaled->mu, ratio * scaled->mu };
#else
  const real root_of_h = root;
#endif
  shape_gradients(S, 0, B);
  shape_displacement_gradient(nodal, S, B, G);
  const real J = compact_stress(G, material, factor, root_of_h, P, &point);
  for (int i = 0; i < 3; i++) cell->f[LAST][i] = cell->h[LAST][i] = 0;
  for (int a = 0; a < LAST; a++) {
    matrix_times(P, B[a], cell->f[a]);
    for (int i = 0; i < 3; i++) cell->f[LAST][i] -= cell->f[a][i];
    if (!with_matrix) continue;
    const MaterialNode node = material_node(&point, B[a]);
    for (int i = 0; i < 3; i++) {
      cell->h[a][i] = node.g[i];
      cell->h[LAST][i] -= cell->h[a][i];
    }
  }
#ifdef SHAPE_MIXED
  if (with_matrix) cell->r = compact_number(&point, &own) / ratio;
#else
  if (with_matrix) cell->r = compact_number(&point, scaled);
#endif
  return J;
}
