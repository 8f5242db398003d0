// Functions that run the loops of quad_cells.h on the device of the cells: on the CPU or on a GPU.
#pragma once
#include "lab/quad/quad_cells.h"

static inline bool quad_assemble(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Stream stream,
                                 Error *error) {
#ifdef PLIANT_CUDA
  if (cells->device == DEVICE_CUDA) return REAL_NAME(quad_assemble_cuda)(cells, target, loop, stream, error);
#endif
  (void)stream;
  return REAL_NAME(quad_assemble_cpu)(cells, target, loop, error);
}

static inline bool quad_product(const QuadCells *cells, const QuadFactors *factors, Stream stream, Error *error) {
#ifdef PLIANT_CUDA
  if (cells->device == DEVICE_CUDA) return REAL_NAME(quad_product_cuda)(cells, factors, stream, error);
#endif
  (void)stream;
  return REAL_NAME(quad_product_cpu)(cells, factors, error);
}

static inline int quad_dots(const QuadCells *cells, QuadSum summation) {
#ifdef PLIANT_CUDA
  if (cells->device == DEVICE_CUDA) return REAL_NAME(quad_dots_cuda)(cells, summation);
#endif
  return REAL_NAME(quad_dots_cpu)(cells, summation);
}

static inline bool quad_shift(const QuadCells *cells, const real *shift, real *kept, int *shifted, real *blocks,
                              real *diagonal, const int *wanted, Stream stream, Error *error) {
#ifdef PLIANT_CUDA
  if (cells->device == DEVICE_CUDA)
    return REAL_NAME(quad_shift_cuda)(cells->node_count, shift, kept, shifted, blocks, diagonal, wanted, stream, error);
#endif
  (void)stream, (void)error;
  REAL_NAME(quad_shift_cpu)(cells->node_count, shift, kept, shifted, blocks, diagonal, wanted);
  return true;
}

/// Sets *cells->scale. The conductivity of a cell is this scale times the cell's factor, which is the last number of
/// its map (QuadMap).
static inline bool quad_set_scale(const QuadCells *cells, double scale, Stream stream, Error *error) {
#ifdef PLIANT_CUDA
  if (cells->device == DEVICE_CUDA) return REAL_NAME(quad_set_cuda)(cells->scale, (real)scale, stream, error);
#endif
  (void)stream, (void)error;
  *cells->scale = (real)scale;
  return true;
}
