// Evaluates one tet in the assembly "parts" (part_batches.h), on CPU and GPU. The result is a vector h_a and a force
// f_a for each corner a, and one number r. The 3 x 3 block of the tet's matrix for the corners a and b is r h_b h_a^T +
// lambda h_a h_b^T plus a constant times the identity; lambda is Lame's constant. This is the compact form of the
// material's tangent (element/material/neo_hookean.h).
#pragma once
#include <math.h>

#include "sim/assembly/part_batches.h"
#include "sim/element/element.h"

#ifndef MATERIAL_COMPACT
#error "assembly parts is built only for materials whose tangent has a compact form"
#endif

enum {
  // number of constants of a tet: those that the element stores for a cell, and sqrt(volume * stiffness factor)
  CELL_REALS = ELEMENT_SUPPLEMENTAL + 1,
  CORNER_REALS = 4,  // numbers of a corner for the blocks of the tet's matrix: the vector h_a, and r
  // numbers for each tet in shared memory: h_a, r and f_a of its 4 corners
  TET_REALS = BATCH_CORNERS * (CORNER_REALS + 3),
  // numbers for each node: its three nodal data (its displacement), padded to a multiple of 16 bytes
  NODE_REALS = 4
};

// Computes S [CELL_REALS], the constants that are stored for cell e. Returns the cell's volume, m^3, times its
// stiffness factor. This is the function BatchCell.fill of the assembly.
static inline double cell_fill(const Space *space, int e, void *memory) {
  real *S = (real *)memory;
  element_supplemental(space, e, S);
  const double volume = (double)shape_stiffness(S) * space_cell_volume(space, e);
  S[ELEMENT_SUPPLEMENTAL] = (real)sqrt(volume);
  return volume;
}

// Results of one tet: for each corner a the vector h_a and the force f_a, and the number r. The blocks of the tet's
// matrix follow from h and r (head of this file). Forces are in N, times ElementParameters.vector_scale.
typedef struct BatchCellData {
  real h[BATCH_CORNERS][3], r, f[BATCH_CORNERS][3];
} BatchCellData;

/// Returns the material for matrix blocks: the moduli mu and lambda of `parameters`, multiplied by matrix_scale. If the
/// cells of a mesh differ in lambda (SHAPE_MIXED), the result has lambda = mu. cell_evaluate then scales h and r such
/// that each cell gets its lambda.
HOST_DEVICE Material batch_material(const ElementParameters *parameters) {
  Material scaled = material_times(&parameters->material, parameters->matrix_scale);
#ifdef SHAPE_MIXED
  scaled.lambda = scaled.mu;
#endif
  return scaled;
}

// Returns lambda / mu of a cell, but at least 1e-7 in float and 1e-15 in double, because cell_evaluate divides by it.
// This changes the tangent by less than its rounding error.
HOST_DEVICE real positive_ratio(const Material *material) {
  const real ratio = material->lambda / material->mu, least = sizeof(real) == sizeof(float) ? (real)1e-7 : (real)1e-15;
  return ratio > least ? ratio : least;
}

/// Evaluates a tet with four nodes from its nodal data [4][3] and its constants S [CELL_REALS]. Computes the forces f
/// and, if with_matrix is true, the vectors h and the number r of the tet's matrix (see the top of this file). `scaled`
/// has mu and lambda for the matrix blocks, from batch_material. Returns J = det F. The gradients of the four shape
/// functions sum to zero, so h and f of the last corner are minus the sums over the other corners.
///
/// All cells use the lambda of `scaled`. For a cell with another constant lambda' >= 0, h is multiplied by sqrt(lambda'
/// / lambda) and r by lambda / lambda'. Then r h_b h_a^T + lambda h_a h_b^T is the block with lambda'.
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
