// Evaluation of one tet in the assembly "parts" (part_batches.h), for its CPU and CUDA versions. The results are a
// vector h_a and a force f_a for each corner a, and a number r for the tet. From h_a, h_b and r follows the matrix
// block of corners a and b, by the compact form of the material's tangent (element/material/neo_hookean.h).
#pragma once
#include <math.h>

#include "sim/assembly/part_batches.h"
#include "sim/element/element.h"

#ifndef MATERIAL_COMPACT
#error "assembly parts is built only for materials whose tangent has a compact form"
#endif

enum {
  // constants of a tet: the data that the element stores for a cell, and the square root of volume times stiffness
  CELL_REALS = ELEMENT_SUPPLEMENTAL + 1,
  CORNER_REALS = 4,  // numbers per corner from which blocks follow: h_a and r
  // numbers per tet in shared memory: h_a, r and f_a of each corner
  TET_REALS = BATCH_CORNERS * (CORNER_REALS + 3),
  NODE_REALS = 4  // a node's data, padded to a multiple of 16 bytes
};

// Implements BatchCell.fill: computes S, the constants of cell e, and returns volume times stiffness.
static inline double cell_fill(const Space *space, int e, void *memory) {
  real *S = (real *)memory;
  element_supplemental(space, e, S);
  const double volume = (double)shape_stiffness(S) * space_cell_volume(space, e);
  S[ELEMENT_SUPPLEMENTAL] = (real)sqrt(volume);
  return volume;
}

// Results of one tet.
typedef struct BatchCellData {
  real h[BATCH_CORNERS][3], r, f[BATCH_CORNERS][3];
} BatchCellData;

/// Returns the material with which the matrix blocks are computed: the moduli of `parameters` times matrix_scale, the
/// factor of the matrix. If cells differ in lambda (SHAPE_MIXED), its lambda is replaced by mu, and cell_evaluate
/// corrects the result of each cell.
HOST_DEVICE Material batch_material(const ElementParameters *parameters) {
  Material scaled = material_times(&parameters->material, parameters->matrix_scale);
#ifdef SHAPE_MIXED
  scaled.lambda = scaled.mu;
#endif
  return scaled;
}

// Returns the ratio lambda / mu of a cell, but at least a tiny positive number, since the caller divides by it. The
// effect on the tangent is below rounding.
HOST_DEVICE real positive_ratio(const Material *material) {
  const real ratio = material->lambda / material->mu, least = sizeof(real) == sizeof(float) ? (real)1e-7 : (real)1e-15;
  return ratio > least ? ratio : least;
}

/// Evaluates a tet with four nodes and one integration point, from its nodal data [4][3] and its constants S
/// [CELL_REALS]. Computes the forces and, if with_matrix is true, h and r. `scaled` is the result of batch_material.
/// Returns J = det F. The gradients of the four shape functions sum to zero, so the values of the last corner are minus
/// the sum of the others.
///
/// A block is r h_b h_a^T + lambda h_a h_b^T, with one lambda for all cells. For a cell with a different constant,
/// lambda', the function returns h' = sqrt(lambda' / lambda) h and r' = r lambda / lambda' instead. The block is then r
/// h_b h_a^T + lambda' h_a h_b^T. lambda' must not be negative.
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
