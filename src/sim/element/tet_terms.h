// What a linear tetrahedron of a neo-Hookean solid adds to the system, from stress and shape gradients. The two forms
// of the element, neo_hookean_tet.h and neo_hookean_tet_qr.h, differ only in how they come by these.
#pragma once
#include "base/real.h"
#include "sim/element/symmetric.h"

/// f_a = factor P B_a [4][3], with B_a the reference gradients of the shape functions, and the factor V times a scale.
HOST_DEVICE void tet_force(const real P[3][3], const real B[4][3], real factor, real *F) {
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) F[3 * a + i] = factor * (P[i][0] * B[a][0] + P[i][1] * B[a][1] + P[i][2] * B[a][2]);
}

/// With g = F^-T B (paper 000, Eq. 7 with its last term's indices put right), the upper triangle of the 12 x 12 matrix
/// K_ab = factor (mu (B_a.B_b) I + (mu - lambda ln J) g_b g_a^T + lambda g_a g_b^T).
HOST_DEVICE void tet_stiffness(const real F_inverse_T[3][3], const real B[4][3], real log_J, real mu, real lambda,
                               real factor, real *A) {
  real g[4][3];
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++)
      g[a][i] = F_inverse_T[i][0] * B[a][0] + F_inverse_T[i][1] * B[a][1] + F_inverse_T[i][2] * B[a][2];
  const real crossed = factor * (mu - lambda * log_J), straight = factor * lambda;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int a = 0; a < 4; a++)
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int b = a; b < 4; b++) {
      const real dot = factor * mu * (B[a][0] * B[b][0] + B[a][1] * B[b][1] + B[a][2] * B[b][2]);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
      for (int i = 0; i < 3; i++)
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int k = a == b ? i : 0; k < 3; k++)
          A[symmetric_index(12, 3 * a + i, 3 * b + k)] =
              crossed * g[b][i] * g[a][k] + straight * g[a][i] * g[b][k] + (i == k ? dot : (real)0);
    }
}
