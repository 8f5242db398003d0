// Finds cells whose stress exceeds a bound, on the GPU: the CUDA version of stress_search.c. Each thread evaluates one
// cell. Threads count the found cells by atomic addition; a sum of integers does not depend on the order of additions.
#include "sim/field/stress_search.h"

#include "device/cuda_try.h"
#include "sim/element/cell_stress.h"
#include "sim/element/cell_value.h"

enum { BLOCK = 128 };

static __global__ void __launch_bounds__(BLOCK)
    search_kernel(int count, const int *__restrict__ cell, const real *__restrict__ supplemental,
                  const real *__restrict__ u, FieldKind measure, real bound, ElementParameters parameters,
                  uint8_t *__restrict__ beyond, int *found) {
  const int e = blockIdx.x * BLOCK + threadIdx.x;
  bool is = false;
  if (e < count) {
    real S[ELEMENT_SUPPLEMENTAL], nodal[ELEMENT_DOF], sigma[6];
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) S[k] = supplemental[(size_t)e * ELEMENT_SUPPLEMENTAL + k];
    gather_cell(cell, u, e, nodal);
    cell_stress(nodal, S, &parameters, sigma);
    is = (measure == FIELD_VON_MISES ? von_mises_stress(sigma) : largest_principal_stress(sigma)) > bound;
    beyond[e] = is;
  }
  const int own = __syncthreads_count(is);
  if (threadIdx.x == 0 && own > 0) atomicAdd(found, own);
}

static bool find(const StressSearch *search, const Space *space, const int *cell, FieldKind measure, double bound,
                 const double *material, Stream stream, Error *error) {
  const int count = space->cell_count;
  if (!device_zero(stream, search->found, sizeof *search->found, error)) return false;
  search_kernel<<<(count - 1) / BLOCK + 1, BLOCK, 0, (cudaStream_t)stream.handle>>>(
      count, cell, search->S, &search->u[0][0], measure, bound, element_parameters(material, 1, 1), search->beyond,
      search->found);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const StressSearchMethod ELEMENT_ROW(stress_search_cuda);
const StressSearchMethod ELEMENT_ROW(stress_search_cuda) = {
  .stage = { .kind = STAGE_FIELD,
             .name = "stress_search",
             .summary = "finds the cells whose stress exceeds a limit",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION },
  .supplemental = ELEMENT_SUPPLEMENTAL,
  .find = find,
};
}
