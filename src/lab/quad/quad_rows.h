// Macros that define the table rows (Stage) of the methods for quadrilaterals: one row for each degree, device and
// precision.
#pragma once
#include "base/real.h"
#include "sim/element/precision.h"

#ifdef PLIANT_CUDA
#define QUAD_DEVICES(X, word, ...) X(word, cpu, DEVICE_CPU, __VA_ARGS__) X(word, cuda, DEVICE_CUDA, __VA_ARGS__)
#else
#define QUAD_DEVICES(X, word, ...) X(word, cpu, DEVICE_CPU, __VA_ARGS__)
#endif

// QUAD_DEGREES_OF expands X(name of the row, name of the element, device, ...) once for each degree 1 to 4. For
// example, X(lma_cpu_scalar_quad9_f64, "scalar_quad9", DEVICE_CPU, ...) is for the table row (Stage) of the method lma
// for degree 2. QUAD_ROWS does so for each device.
#define QUAD_DEGREES_OF(word, device_word, device, X, ...)                                 \
  X(REAL_NAME(word##_##device_word##_scalar_quad4), "scalar_quad4", device, __VA_ARGS__)   \
  X(REAL_NAME(word##_##device_word##_scalar_quad9), "scalar_quad9", device, __VA_ARGS__)   \
  X(REAL_NAME(word##_##device_word##_scalar_quad16), "scalar_quad16", device, __VA_ARGS__) \
  X(REAL_NAME(word##_##device_word##_scalar_quad25), "scalar_quad25", device, __VA_ARGS__)
#define QUAD_ROWS(X, word, ...) QUAD_DEVICES(QUAD_DEGREES_OF, word, X, __VA_ARGS__)
// QUAD_CUDA_ROWS: expands X for methods that exist only on GPUs. QUAD_ON_CUDA: expands to its arguments. Both are empty
// in builds without CUDA.
#ifdef PLIANT_CUDA
#define QUAD_CUDA_ROWS(X, word, ...) QUAD_DEGREES_OF(word, cuda, DEVICE_CUDA, X, __VA_ARGS__)
#define QUAD_ON_CUDA(...) __VA_ARGS__
#else
#define QUAD_CUDA_ROWS(X, word, ...)
#define QUAD_ON_CUDA(...)
#endif

// Expands to the address of the member `stage` of a table row, for the array that lists all rows.
#define QUAD_LISTED(row, element, device, unused) &(row).stage,
