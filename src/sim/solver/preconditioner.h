// Block-diagonal preconditioners M of conjugate gradients (CG), on CPU and GPU. M^-1 consists of the inverses of the
// diagonal blocks of the matrix, each with `width` rows.
//
// CG needs a positive definite M. But the matrix of a compressed body can be indefinite. So in M, a diagonal block that
// is indefinite or nearly singular is replaced by a diagonal matrix: the absolute values of its diagonal.
#pragma once
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/symmetric.h"

// PRECONDITIONER_WIDTH_MAX: max number of rows of a diagonal block. INVERSE_VALUES_MAX: number of entries in the upper
// triangle of a block with this number of rows.
enum { PRECONDITIONER_WIDTH_MAX = 3, INVERSE_VALUES_MAX = 6 };

// M^-1, the inverses of the diagonal blocks. inverse [width (width + 1) / 2][block_count] holds their upper triangles,
// row by row: entry v of the triangle of block k is inverse[v * block_count + k].
typedef struct Preconditioner {
  int width;        // unknowns per diagonal block; 0: no preconditioner
  int block_count;  // number of diagonal blocks
  real *inverse;    // [width (width + 1) / 2][block_count], upper triangles of the inverse blocks
} Preconditioner;

// Returns the number of unknowns of a unit: those of a diagonal block, or 1 without a preconditioner. Example: with
// width 3, unit 5 is the unknowns 15, 16 and 17.
HOST_DEVICE int preconditioner_unit(int width) {
  return width > 0 ? width : 1;
}

// Returns the number that replaces a diagonal entry in M: its absolute value, or 1 if the entry is zero or NaN.
HOST_DEVICE real size_of_entry(real entry) {
  const real size = entry < 0 ? -entry : entry;
  return size > 0 ? size : (real)1;
}

HOST_DEVICE real inverse_of_entry(real entry) {
  return 1 / size_of_entry(entry);
}

// Computes the upper triangle of the inverse of a diagonal block [width][width], width at most 3, by cofactors in
// double. This is done if the leading principal minors of the block, scaled to a diagonal of 1, exceed DISTINCT. The
// condition number of the scaled block is then below 7 / DISTINCT. Otherwise the block is nearly singular or
// indefinite, and the result is the inverse of the absolute values of its diagonal.
HOST_DEVICE void invert_block(int width, const real *block, real inverse[INVERSE_VALUES_MAX]) {
  const double DISTINCT = 1e-3;
  const double a = block[0], b = width > 1 ? block[width + 1] : 0, c = width > 2 ? block[2 * width + 2] : 0;
  const double d = width > 1 ? block[1] : 0, e = width > 2 ? block[2] : 0, f = width > 2 ? block[width + 2] : 0;
  const double minor = a * b - d * d;  // determinant of the first two rows and columns
  const double det = width > 2 ? c * minor - a * f * f - b * e * e + 2 * d * e * f : minor;
  const bool distinct = width > 1 && a > 0 && b > 0 && minor > DISTINCT * (a * b) &&
                        (width == 2 || (c > 0 && det > DISTINCT * (a * b * c)));
  if (!distinct) {
    for (int i = 0; i < width; i++)
      for (int k = i; k < width; k++)
        inverse[symmetric_index(width, i, k)] = i == k ? inverse_of_entry(block[i * width + i]) : (real)0;
  } else if (width == 2) {
    inverse[0] = (real)(b / det);
    inverse[1] = (real)(-d / det);
    inverse[2] = (real)(a / det);
  } else {
    inverse[0] = (real)((b * c - f * f) / det);
    inverse[1] = (real)((e * f - c * d) / det);
    inverse[2] = (real)((d * f - b * e) / det);
    inverse[3] = (real)((a * c - e * e) / det);
    inverse[4] = (real)((d * e - a * f) / det);
    inverse[5] = (real)(minor / det);
  }
}

// Computes z = M^-1 r for one unit, the unknowns of one diagonal block. `inverse` is the upper triangle, row by row, of
// the block of M^-1. If width is 0, sets z = r for one unknown.
HOST_DEVICE void precondition(int width, const real *inverse, const real *r, real *z) {
  if (width == 0) z[0] = r[0];
  if (width == 1) z[0] = inverse[0] * r[0];
  for (int i = 0; width > 1 && i < width; i++) {
    real sum = 0;
    for (int k = 0; k < width; k++) sum += inverse[symmetric_index(width, i, k)] * r[k];
    z[i] = sum;
  }
}

// Computes the upper triangle of M^-1 for unit number `unit`, the unknowns of one diagonal block, from the operator's
// diagonal blocks [nodes][dof][dof]. `width` is 1 or dof.
HOST_DEVICE void invert_unit(int width, int dof, const real *blocks, int unit, real inverse[INVERSE_VALUES_MAX]) {
  if (width == 1)
    inverse[0] = inverse_of_entry(blocks[((long long)(unit / dof) * dof + unit % dof) * dof + unit % dof]);
  if (width > 1) invert_block(width, blocks + (long long)unit * width * width, inverse);
}
