// Rotation about an axis, for code on the CPU and on the GPU.
#pragma once
#include <math.h>

/// Rotates the vector v [3] by `angle`, radians, about the unit vector axis [3] (Rodrigues). The result, turned [3],
/// must not be v.
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline void
    turn_about(const double *axis, double angle, const double *v, double *turned) {
  const double c = cos(angle), s = sin(angle), along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    turned[i] = c * v[i] + s * (axis[j] * v[k] - axis[k] * v[j]) + (1 - c) * along * axis[i];
  }
}
