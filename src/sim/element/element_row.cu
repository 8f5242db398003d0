// The loops over cells of an element on the GPU: the CUDA version of element_row.c. A thread processes the cells e, e +
// t, e + 2 t and so on, with t the number of all threads. In smallest_J and energy, each thread block writes one
// result.
#include "sim/element/element_row.h"

#include <string.h>

#include "base/real.h"
#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/element/cell_value.h"
#include "sim/element/element.h"

namespace element_loops {

// BLOCK: threads of a thread block. BLOCKS_MAX: largest number of thread blocks in smallest_J and energy.
enum { BLOCK = 256, BLOCKS_MAX = ELEMENT_PARTS_MAX };

static int blocks_for(int count) {
  return (count + BLOCK - 1) / BLOCK;
}

static int parts(int cell_count) {
  return blocks_for(cell_count) < BLOCKS_MAX ? blocks_for(cell_count) : BLOCKS_MAX;
}

// Writes the smallest det F of the cells that this thread block processes to smallest[blockIdx.x].
static __device__ __forceinline__ void find_smallest_J(int count, const int *__restrict__ cell,
                                                       const real *__restrict__ supplemental,
                                                       const real *__restrict__ all, double *__restrict__ smallest) {
  double low = INFINITY;
  for (int e = blockIdx.x * BLOCK + threadIdx.x; e < count; e += gridDim.x * BLOCK) {
    real nodal[ELEMENT_DOF];
    gather_cell(cell, all, e, nodal);
    const double J = element_smallest_J(nodal, supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL);
    low = J >= low ? low : J == J ? J : -INFINITY;
  }
  low = block_combine<BLOCK, double, keep_smaller>(low);
  if (threadIdx.x == 0) smallest[blockIdx.x] = low;
}

static __global__ void __launch_bounds__(BLOCK)
    smallest_J_kernel(int count, const int *__restrict__ cell, const real *__restrict__ supplemental,
                      const real *__restrict__ all, double *__restrict__ smallest) {
  find_smallest_J(count, cell, supplemental, all, smallest);
}

// blockIdx.y is the number of the body whose cells a thread block processes.
static __global__ void __launch_bounds__(BLOCK) smallest_J_many_kernel(const ElementLoop *loops) {
  const ElementLoop &l = loops[blockIdx.y];
  if (l.wanted && !*l.wanted) return;
  find_smallest_J(l.cells.count, l.cells.cell, (const real *)l.cells.supplemental, (const real *)l.nodal, l.result);
}

static bool smallest_J(const ElementCells *cells, const void *nodal, double *smallest, Stream stream, Error *error) {
  smallest_J_kernel<<<parts(cells->count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      cells->count, cells->cell, (const real *)cells->supplemental, (const real *)nodal, smallest);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool smallest_J_many(const ElementLoop *loops, int bodies, int cell_count, Stream stream, Error *error) {
  const dim3 grid(parts(cell_count), bodies);
  smallest_J_many_kernel<<<grid, BLOCK, 0, (cudaStream_t)stream.handle>>>(loops);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static void set_material(ElementLoop *loop, const double *material) {
  static_assert(sizeof(ElementParameters) <= sizeof loop->parameters, "the parameters fit");
  const ElementParameters parameters = element_parameters(material, 1, 1);
  memcpy(loop->parameters, &parameters, sizeof parameters);
}

// Writes the strain energy of the cells that this thread block processes to partial[blockIdx.x].
static __device__ __forceinline__ void add_energy(int count, const int *__restrict__ cell,
                                                  const real *__restrict__ supplemental, const real *__restrict__ all,
                                                  const ElementParameters &parameters, double *__restrict__ partial) {
  double sum = 0;
  for (int e = blockIdx.x * BLOCK + threadIdx.x; e < count; e += gridDim.x * BLOCK) {
    real nodal[ELEMENT_DOF];
    gather_cell(cell, all, e, nodal);
    sum += element_energy(nodal, supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL, &parameters);
  }
  sum = block_combine<BLOCK, double, add>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(BLOCK)
    energy_kernel(int count, const int *__restrict__ cell, const real *__restrict__ supplemental,
                  const real *__restrict__ all, ElementParameters parameters, double *__restrict__ partial) {
  add_energy(count, cell, supplemental, all, parameters, partial);
}

// blockIdx.y is the number of the body whose cells a thread block processes.
static __global__ void __launch_bounds__(BLOCK) energy_many_kernel(const ElementLoop *loops) {
  const ElementLoop &l = loops[blockIdx.y];
  if (l.wanted && !*l.wanted) return;
  add_energy(l.cells.count, l.cells.cell, (const real *)l.cells.supplemental, (const real *)l.nodal,
             *(const ElementParameters *)l.parameters, l.result);
}

static bool energy_many(const ElementLoop *loops, int bodies, int cell_count, Stream stream, Error *error) {
  const dim3 grid(parts(cell_count), bodies);
  energy_many_kernel<<<grid, BLOCK, 0, (cudaStream_t)stream.handle>>>(loops);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool energy(const ElementCells *cells, const void *nodal, const double *material, double *sum, Stream stream,
                   Error *error) {
  energy_kernel<<<parts(cells->count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      cells->count, cells->cell, (const real *)cells->supplemental, (const real *)nodal,
      element_parameters(material, 1, 1), sum);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static __global__ void __launch_bounds__(BLOCK)
    field_kernel(int count, FieldKind kind, const int *__restrict__ cell, const real *__restrict__ supplemental,
                 const real *__restrict__ all, ElementParameters parameters, real *__restrict__ value) {
  const int e = blockIdx.x * BLOCK + threadIdx.x;
  if (e >= count) return;
  real nodal[ELEMENT_DOF];
  gather_cell(cell, all, e, nodal);
  cell_value(kind, nodal, supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL, &parameters, value + 2 * (size_t)e);
}

static bool field(const ElementCells *cells, const void *nodal, FieldKind kind, const double *material, void *value,
                  Stream stream, Error *error) {
  field_kernel<<<blocks_for(cells->count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      cells->count, kind, cells->cell, (const real *)cells->supplemental, (const real *)nodal,
      element_parameters(material, 1, 1), (real *)value);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const ElementRow ELEMENT_ROW(element_cuda);
const ElementRow ELEMENT_ROW(element_cuda) = {
  .stage = { .kind = STAGE_ELEMENT,
             .name = ELEMENT_TEXT(MATERIAL_NAME),
             .summary = MATERIAL_SUMMARY,
             .element = ELEMENT_TEXT(SHAPE_NAME),
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION },
  .element = ELEMENT_LABEL,
  .nodes = ELEMENT_NODES,
  .supplemental = ELEMENT_SUPPLEMENTAL,
  .positions = SHAPE_POSITIONS,
  .parts = parts,
  .smallest_J = smallest_J,
  .energy = energy,
  .smallest_J_many = smallest_J_many,
  .energy_many = energy_many,
  .set_material = set_material,
  .field = field,
};
}

}  // namespace element_loops
