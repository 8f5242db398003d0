// Macros for the table rows (Stage) of methods for quadrilaterals. There is one row for each degree, device and
// precision. All degrees are compiled from one source, since the loops are templates over the degree and compile
// slowly.
#pragma once
#include "base/real.h"
#include "sim/element/precision.h"

#ifdef PLIANT_CUDA
#define QUAD_DEVICES(X, word, ...) X(word, cpu, DEVICE_CPU, __VA_ARGS__) X(word, cuda, DEVICE_CUDA, __VA_ARGS__)
#else
#define QUAD_DEVICES(X, word, ...) X(word, cpu, DEVICE_CPU, __VA_ARGS__)
#endif

// expands X(name of the row, element, device, ...) for all degrees
#define QUAD_DEGREES_OF(word, device_word, device, X, ...)                                 \
  X(REAL_NAME(word##_##device_word##_scalar_quad4), "scalar_quad4", device, __VA_ARGS__)   \
  X(REAL_NAME(word##_##device_word##_scalar_quad9), "scalar_quad9", device, __VA_ARGS__)   \
  X(REAL_NAME(word##_##device_word##_scalar_quad16), "scalar_quad16", device, __VA_ARGS__) \
  X(REAL_NAME(word##_##device_word##_scalar_quad25), "scalar_quad25", device, __VA_ARGS__)
#define QUAD_ROWS(X, word, ...) QUAD_DEVICES(QUAD_DEGREES_OF, word, X, __VA_ARGS__)
// rows for GPUs only
#ifdef PLIANT_CUDA
#define QUAD_CUDA_ROWS(X, word, ...) QUAD_DEGREES_OF(word, cuda, DEVICE_CUDA, X, __VA_ARGS__)
#define QUAD_ON_CUDA(...) __VA_ARGS__
#else
#define QUAD_CUDA_ROWS(X, word, ...)
#define QUAD_ON_CUDA(...)
#endif

// one entry of an array of rows
#define QUAD_LISTED(row, element, device, unused) &(row).stage,
