// Products and sums with a fixed rounding on the GPU. Compilers for GPUs fuse a product and a sum into one operation
// without rounding in between, but not in every function in which an expression occurs. So two kernels may round the
// same expression differently. Expressions that must have the same bits in several kernels use these functions.
#pragma once
#include "base/real.h"
#include "device/host_device.h"

// Returns a b + c, on a GPU by one fused operation.
HOST_DEVICE real times_plus(real a, real b, real c) {
#ifdef __CUDA_ARCH__
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

// Returns a b, which is not fused with a sum.
HOST_DEVICE real times_rounded(real a, real b) {
#ifdef __CUDA_ARCH__
  return sizeof(real) == sizeof(float) ? (real)__fmul_rn((float)a, (float)b) : (real)__dmul_rn(a, b);
#else
  return a * b;
#endif
}
