// Assembly "partial" on the GPU, for the operator "partial", which stores no matrix (operator/partial/partial.cuh). A
// first kernel, over batches of cells, computes the data of integration points, from which the operator later computes
// products with vectors. This kernel also sums the forces and the diagonal blocks of the batch's cells at each node of
// the batch, and writes the sums to memory. For each node of the body, a second kernel adds the sums of all batches
// that contain this node, in a fixed order.
//
// Each sum has 9 numbers: 3 of the force and 6 of the symmetric diagonal block. A mesh of tets of 10 nodes has about 3
// sums, 27 numbers, for each cell. The whole vector and matrix of each cell would be 495 numbers.
#include "sim/assembly/assembly.h"
#include "sim/operator/partial/partial.cuh"

namespace partial_assembly {

// Tables of the operator "partial": batches of cells, and for each node the list of its sums, one for each batch with
// the node. layout: the tables that this assembly uses. If the operator is on the GPU, these are the operator's tables,
// which the operator updates when the user cuts the body. Otherwise they are `own`, tables that the assembly creates.
typedef struct Data {
  PartialLayout own;
  const PartialLayout *layout;
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  partial_destroy(&d->own);
  free(d);
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  const Operator *A = assembly->layout;
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  if (!d) return false;
  const bool shared = A->method->stage.device == DEVICE_CUDA;
  d->layout = shared ? (const PartialLayout *)A->layout : &d->own;
  if (!shared && !partial_create(&d->own, space, error)) return false;
  assembly->min_J_count = d->layout->batches.batch_count;
  assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)assembly->min_J_count, error);
  return assembly->min_J;
}

// Implements AssemblyMethod.assemble: computes only the vector F. The operator stores no matrix values, so `values` is
// NULL.
static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  (void)values;
  const PartialLayout *l = ((const Data *)assembly->data)->layout;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  const int n = 3 * l->batches.node_count;
  cudaStream_t s = (cudaStream_t)stream.handle;
  state_kernel<ONE_KERNEL, true><<<l->batches.batch_count, BATCH_THREADS, 0, s>>>(*l, (const real *)nodal, parameters,
                                                                                  false, (real *)assembly->min_J);
  CUDA_TRY(cudaGetLastError());
  node_kernel<true, false, false>
      <<<(n - 1) / NODE_BLOCK + 1, NODE_BLOCK, 0, s>>>(n, *l, (real *)F, NULL, 0, NULL, NULL, NULL);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Implements AssemblyMethod.assemble_shifted: computes the vector F, the data for products with the matrix, and the
// diagonal blocks. Adds the terms of `shift`, such as masses, to these blocks.
static bool assemble_shifted(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, Operator *A,
                             const AssemblyShift *shift, Stream stream, Error *error) {
  const PartialLayout *l = (const PartialLayout *)A->layout;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  cudaStream_t s = (cudaStream_t)stream.handle;
  state_kernel<true, true><<<l->batches.batch_count, BATCH_THREADS, 0, s>>>(*l, (const real *)nodal, parameters, true,
                                                                            (real *)assembly->min_J);
  CUDA_TRY(cudaGetLastError());
  node_kernel<true, true, true><<<(A->n - 1) / NODE_BLOCK + 1, NODE_BLOCK, 0, s>>>(
      A->n, *l, (real *)F, (const real *)shift->shift, shift->crosses, (real *)A->blocks, (real *)shift->diagonal,
      shift->wanted);
  CUDA_TRY(cudaGetLastError());
  return operator_settle(A, stream, error);
}

// Implements AssemblyMethod.reserve. Does nothing: all arrays that change in a cut of the body belong to the operator.
static bool reserve(Assembly *, const Space *, const SpaceSplit *, Error *) {
  return true;
}

static void split(Assembly *, const Space *, const SpaceSplit *) {
}

// Estimates the bytes of this assembly's arrays, and the bytes that it reads and writes each time it runs. This is the
// function Stage.bytes. Most arrays belong to the operator "partial", whose estimate counts them.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes;
  const double read = T * (ELEMENT_SUPPLEMENTAL * sizeof(real) + 4 * ELEMENT_NODES), vector = 3 * V * sizeof(real);
  StageBytes taken = stage_takes(stage, T / CELLS * sizeof(real));  // min_J; the operator counts the other arrays
  stage_pass(stage, &taken, WORK_VECTOR, read + vector, 0);
  stage_pass(stage, &taken, WORK_VECTOR, 0, vector);
  return taken;
}

extern "C" {
extern const AssemblyMethod ELEMENT_ROW(partial);
const AssemblyMethod ELEMENT_ROW(partial) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "partial",
             .summary = "computes forces and the data of matrix \"partial\" in one loop over the cells",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
  .matrix = "partial",
  .is_default = true,
  .assemble_shifted = assemble_shifted,
  .reserve = reserve,
  .split = split,
};
}

}  // namespace partial_assembly
