// Preconditioners as data: M^-1, the inverses of blocks of `width` unknowns on the diagonal. 0: none, M is 1. 1: the
// diagonal (Jacobi). As many as a node has: its own block. M is always symmetric and positive definite, as conjugate
// gradients need it: where compression makes the matrix itself indefinite, or an own block all but singular, sizes of
// the diagonal take its place. Both twins of CG call what is here.
#pragma once
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/symmetric.h"

enum { PRECONDITIONER_WIDTH_MAX = 3, INVERSE_VALUES_MAX = 6 };

// upper triangles by values: [width (width + 1) / 2][block_count], so that neighbouring threads read side by side
typedef struct Preconditioner {
  int width;
  int block_count;
  real *inverse;
} Preconditioner;

// The unknowns that are preconditioned together.
HOST_DEVICE int preconditioner_unit(int width) {
  return width > 0 ? width : 1;
}

// |entry| of the diagonal, or 1
HOST_DEVICE real size_of_entry(real entry) {
  const real size = entry < 0 ? -entry : entry;
  return size > 0 ? size : (real)1;
}

HOST_DEVICE real inverse_of_entry(real entry) {
  return 1 / size_of_entry(entry);
}

// The inverse of a block [width][width] as an upper triangle. Own blocks of up to 3 unknowns are inverted by cofactors,
// in double. Scaled to a diagonal of 1, they must be well away from singular: their condition number is then below 7
// over DISTINCT, so that rounding the inverse to float leaves it positive definite.
HOST_DEVICE void invert_block(int width, const real *block, real inverse[INVERSE_VALUES_MAX]) {
  const double DISTINCT = 1e-3;
  const double a = block[0], b = width > 1 ? block[width + 1] : 0, c = width > 2 ? block[2 * width + 2] : 0;
  const double d = width > 1 ? block[1] : 0, e = width > 2 ? block[2] : 0, f = width > 2 ? block[width + 2] : 0;
  const double minor = a * b - d * d;  // of the first two
  const double det = width > 2 ? c * minor - a * f * f - b * e * e + 2 * d * e * f : minor;
  const bool distinct = width > 1 && a > 0 && b > 0 && minor > DISTINCT * (a * b) &&
                        (width == 2 || (c > 0 && det > DISTINCT * (a * b * c)));
  if (!distinct) {
    for (int i = 0; i < width; i++)
      for (int k = i; k < width; k++)
        inverse[symmetric_index(width, i, k)] = i == k ? inverse_of_entry(block[i * width + i]) : (real)0;
  } else if (width == 2) {
    inverse[0] = (real)(b / det), inverse[1] = (real)(-d / det), inverse[2] = (real)(a / det);
  } else {
    inverse[0] = (real)((b * c - f * f) / det), inverse[1] = (real)((e * f - c * d) / det);
    inverse[2] = (real)((d * f - b * e) / det), inverse[3] = (real)((a * c - e * e) / det);
    inverse[4] = (real)((d * e - a * f) / det), inverse[5] = (real)(minor / det);
  }
}

// z = M^-1 r on one unit's unknowns; `inverse` holds the unit's upper triangle
HOST_DEVICE void precondition(int width, const real *inverse, const real *r, real *z) {
  if (width == 0) z[0] = r[0];
  if (width == 1) z[0] = inverse[0] * r[0];
  for (int i = 0; width > 1 && i < width; i++) {
    real sum = 0;
    for (int k = 0; k < width; k++) sum += inverse[symmetric_index(width, i, k)] * r[k];
    z[i] = sum;
  }
}

// The inverse of a unit from the own blocks of an operator [nodes][dof][dof], width being 1 or dof.
HOST_DEVICE void invert_unit(int width, int dof, const real *blocks, int unit, real inverse[INVERSE_VALUES_MAX]) {
  if (width == 1)
    inverse[0] = inverse_of_entry(blocks[((long long)(unit / dof) * dof + unit % dof) * dof + unit % dof]);
  if (width > 1) invert_block(width, blocks + (long long)unit * width * width, inverse);
}
