// Creates, changes and destroys operators, and forwards each call to the functions of the operator's method. An
// operator is the matrix A of a linear system, stored in some format or matrix-free (operator.h).
#include "sim/operator/operator.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"

extern const ShiftOperations shift_cpu_f32, shift_cpu_f64;
#ifdef PLIANT_CUDA
extern const ShiftOperations shift_cuda_f32, shift_cuda_f64;
#endif

static const ShiftOperations *const shift_operations[] = {
  &shift_cpu_f32,
  &shift_cpu_f64,
#ifdef PLIANT_CUDA
  &shift_cuda_f32,
  &shift_cuda_f64,
#endif
};

bool operator_check_dof(const Operator *A, Error *error) {
  const int dof = A->space->node_dof;
  return dof <= OPERATOR_DOF_MAX ||
         error_set(error, "a node has %d unknowns, expected 1 to %d; choose another --matrix", dof, OPERATOR_DOF_MAX);
}

bool operator_set_value_count(Operator *A, int64_t count, Error *error) {
  A->value_count = count;
  if (count <= INT32_MAX) return true;
  return error_set(error, "the mesh is too large: the matrix has %lld values, the limit is %d; use a coarser mesh",
                   (long long)count, INT32_MAX);
}

typedef struct DiagonalTask {
  const Operator *A;
  BlockSlots *diagonal;
} DiagonalTask;

static void find_diagonal(const void *task, int first, int last) {
  const Operator *A = ((const DiagonalTask *)task)->A;
  for (int a = first; a < last; a++) {
    const int64_t pair = adjacency_find(&A->space->graph, a, a);
    ((const DiagonalTask *)task)->diagonal[a] = pair >= 0 ? A->slots[pair] : (BlockSlots){ -1, 0, 0 };
  }
}

// Finds the position in A->values of each node's diagonal block, and copies all positions to A->diagonal_slots on the
// device. If a node has no diagonal block, the member `at` of its position is -1.
static bool find_diagonal_slots(Operator *A, Error *error) {
  enum { CHUNK = 8192 };
  BlockSlots *diagonal = array_new(A->space->node_count, sizeof *diagonal, "diagonal blocks", error);
  if (!diagonal) return false;
  parallel_for(A->space->node_count, CHUNK, find_diagonal, &(DiagonalTask){ A, diagonal });
  A->diagonal_slots =
      device_clone(A->method->stage.device, diagonal, sizeof *diagonal * (size_t)A->space->node_count, error);
  free(diagonal);
  return A->diagonal_slots;
}

bool operator_create(Operator *A, const OperatorMethod *method, const Space *space, Error *error) {
  const Device device = method->stage.device;
  const size_t real_size = precision_size(method->stage.precision);
  *A = (Operator){ .method = method, .space = space, .n = space_dof(space), .tuning = method->tuned };
  const bool stores = operator_stores(A);
  if (stores) A->slots = array_new(space_pairs(space), sizeof *A->slots, "blocks of the matrix", error);
  if ((A->slots || !stores) && method->create(A, error) &&
      (!stores || A->diagonal_last || find_diagonal_slots(A, error))) {
    const size_t blocks = (size_t)space->node_count * (size_t)(space->node_dof * space->node_dof);
    if (stores) A->values = device_alloc(device, (size_t)A->value_count * real_size, error);
    if (!A->diagonal_last)
      A->blocks = device_alloc(device, blocks * real_size, error);
    else if (A->values)
      A->blocks = (char *)A->values + ((size_t)A->value_count - blocks) * real_size;
  }
  if ((A->values || !stores) && A->blocks) {
    A->dot_count = method->count_dots(A);
    return true;
  }
  operator_destroy(A);
  return error_prefix(error, "matrix %s", method->stage.name);
}

void operator_destroy(Operator *A) {
  if (A->layout) A->method->destroy_layout(A);
  if (A->method) {
    device_free(A->method->stage.device, A->values);
    if (!A->diagonal_last) device_free(A->method->stage.device, A->blocks);
    device_free(A->method->stage.device, A->diagonal_slots);
  }
  free(A->slots);
  *A = (Operator){ 0 };
}

// Enlarges A->values, A->slots and A->diagonal_slots for the nodes and blocks that a cut of the body will add.
static bool reserve_values(Operator *A, const SpaceSplit *s, Error *error) {
  const Device device = A->method->stage.device;
  const size_t real_size = precision_size(A->method->stage.precision), slots = sizeof *A->diagonal_slots;
  const int64_t values_before = A->method->count_values(A, s->pair_before);
  const int64_t value_capacity = A->method->count_values(A, s->pair_capacity);
  if (!operator_set_value_count(&(Operator){ 0 }, A->method->count_values(A, s->pairs), error)) return false;
  if (!array_grow(&A->slots, s->pair_before, s->pair_capacity, sizeof *A->slots, "blocks of the matrix", error))
    return false;
  if (!device_grow(device, &A->diagonal_slots, (size_t)s->node_before * slots, (size_t)s->node_capacity * slots, error))
    return false;
  return device_grow(device, &A->values, (size_t)values_before * real_size, (size_t)value_capacity * real_size, error);
}

bool operator_split_reserve(Operator *A, const SpaceSplit *s, Error *error) {
  const size_t block = (size_t)(A->space->node_dof * A->space->node_dof) * precision_size(A->method->stage.precision);
  return A->method->reserve(A, s, error) && (!operator_stores(A) || reserve_values(A, s, error)) &&
         device_grow(A->method->stage.device, &A->blocks, (size_t)s->node_before * block,
                     (size_t)s->node_capacity * block, error);
}

bool operator_split_apply(Operator *A, const SpaceSplit *split, Stream stream, Error *error) {
  A->n = space_dof(A->space);
  if (operator_stores(A)) A->value_count = A->method->count_values(A, split->pairs);
  if (!A->method->split(A, split, stream, error)) return false;
  A->dot_count = A->method->count_dots(A);
  return true;
}

bool operator_tune(Operator *A, int tuning, Error *error) {
  char known[80] = "none";
  const int *t = A->method->tunings;
  for (size_t length = 0; t && *t; t++) {
    if (*t == tuning) {
      A->tuning = tuning;
      if (A->method->tune && !A->method->tune(A, error)) return false;
      A->dot_count = A->method->count_dots(A);
      return true;
    }
    length += (size_t)snprintf(known + length, sizeof known - length, "%s%d", length ? ", " : "", *t);
  }
  return error_set(error, "matrix format %s: the tuning number (for example, threads per row) is %d; accepted: %s",
                   A->method->stage.name, tuning, known);
}

bool operator_apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  if (!A->method->apply(A, x, y, dots, stream, error)) return false;
  const OperatorTerm *terms[] = { &A->term, &A->load_term };
  for (int k = 0; k < 2; k++)
    if (terms[k]->apply && !terms[k]->apply(terms[k], x, y, dots, A->dot_count, stream, error)) return false;
  return true;
}

bool operator_linearise(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream,
                        Error *error) {
  return A->method->linearise(A, parameters, nodal, stream, error);
}

static bool shift_values(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                         Error *error) {
  int k = 0;
  while (shift_operations[k]->device != A->method->stage.device ||
         shift_operations[k]->precision != A->method->stage.precision)
    k++;
  return shift_operations[k]->shift(A, shift, crosses, diagonal, wanted, stream, error);
}

bool operator_settle(Operator *A, Stream stream, Error *error) {
  return !A->method->settle || A->method->settle(A, stream, error);
}

bool operator_shift(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                    Error *error) {
  return (A->method->shift ? A->method->shift : shift_values)(A, shift, crosses, diagonal, wanted, stream, error) &&
         operator_settle(A, stream, error);
}

StageBytes operator_format_bytes(const Stage *stage, const StageSize *size, double values, double index_bytes,
                                 double making_bytes) {
  const double real = (double)precision_size(stage->precision),
               diagonal = size->node_dof * size->node_dof * size->nodes;
  const double n = size->node_dof * size->nodes, unpadded = stage_entries(size) / values;
  StageBytes bytes = { 0 };
  bytes.on[stage->device] += (values + diagonal) * real + index_bytes + sizeof(BlockSlots) * size->nodes;
  bytes.on[DEVICE_CPU] += sizeof(BlockSlots) * stage_blocks(size) + making_bytes;
  stage_pass(stage, &bytes, WORK_PRODUCT, unpadded * (values * real + index_bytes) + n * real, n * real);
  bytes.work[WORK_PRODUCT].flops = 2 * stage_entries(size);

  // operator_shift changes the diagonal blocks in `values`, and writes copies of these blocks and of the diagonal.
  stage_light_pass(stage, &bytes, WORK_SHIFT, sizeof(BlockSlots) * size->nodes + (diagonal + n) * real,
                   (diagonal + 2 * n) * real);
  return bytes;
}
