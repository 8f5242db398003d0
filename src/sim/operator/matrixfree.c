// Operator `matrixfree` on the CPU: y = A x without a matrix. Every product evaluates each cell's matrix at the nodal
// data that it was linearised at, multiplies, and leaves the cell's vector; then each node adds up what its cells left,
// in their order: the same bits whatever the number of threads. It takes little memory and much time.
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/real.h"
#include "sim/element/element.h"
#include "sim/operator/cell_layout.h"

enum { CELL_CHUNK = 256, NODE_CHUNK = 1024, BLOCK = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF };

// What the loops work on; each takes what it needs.
typedef struct Task {
  const Operator *A;
  const real *x;
  real *y, *diagonal;
  double *dots;
  int crosses;
} Task;

// the matrix of cell e
static void evaluate(const CellLayout *l, int e, real A_e[ELEMENT_MATRIX]) {
  const real *nodal = l->nodal, *S = l->supplemental;
  real data[ELEMENT_NODES * ELEMENT_NODE_DATA], F_e[ELEMENT_DOF];
  for (int a = 0; a < ELEMENT_NODES; a++)
    memcpy(data + a * ELEMENT_NODE_DATA, nodal + (int64_t)l->cell[(int64_t)e * ELEMENT_NODES + a] * ELEMENT_NODE_DATA,
           sizeof(real) * ELEMENT_NODE_DATA);
  element_evaluate(data, S + (int64_t)e * ELEMENT_SUPPLEMENTAL, l->parameters, F_e, A_e);
}

// the cells' vectors A_e x_e
static void multiply_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const CellLayout *l = t->A->layout;
  real *vectors = l->vectors;
  for (int e = first; e < last; e++) {
    const int *node = l->cell + (int64_t)e * ELEMENT_NODES;
    real A_e[ELEMENT_MATRIX];
    evaluate(l, e, A_e);
    for (int row = 0; row < ELEMENT_DOF; row++) {
      real sum = 0;
      for (int b = 0; b < ELEMENT_NODES; b++)
        for (int k = 0; k < ELEMENT_NODE_DOF; k++)
          sum += A_e[symmetric_index(ELEMENT_DOF, row, b * ELEMENT_NODE_DOF + k)] *
                 t->x[(int64_t)node[b] * ELEMENT_NODE_DOF + k];
      vectors[(int64_t)row * l->cell_count + e] = sum;
    }
  }
}

// what the shift adds to unknown i of node a
static real shifted(const Operator *A, const real *x, int a, int i) {
  const real *shift = ((const CellLayout *)A->layout)->shift, *own = x + (int64_t)a * ELEMENT_NODE_DOF;
  real sum = shift[(int64_t)a * ELEMENT_NODE_DOF + i] * own[i];
  for (int k = 0; k < ELEMENT_NODE_DOF; k++)
    if (k != i) sum += shift[A->n + 3 * (int64_t)a + i + k - 1] * own[k];
  return sum;
}

static void gather_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const CellLayout *l = t->A->layout;
  const real *vectors = l->vectors;
  double dot = 0;
  for (int a = first; a < last; a++)
    for (int i = 0; i < ELEMENT_NODE_DOF; i++) {
      const int64_t row = (int64_t)a * ELEMENT_NODE_DOF + i;
      real sum = shifted(t->A, t->x, a, i);
      for (int64_t c = l->start[a]; c < l->start[a + 1]; c++) {
        const int e = l->corner[c] / ELEMENT_NODES, local = l->corner[c] % ELEMENT_NODES;
        sum += vectors[(int64_t)(local * ELEMENT_NODE_DOF + i) * l->cell_count + e];
      }
      t->y[row] = sum;
      dot += (double)t->x[row] * sum;
    }
  if (t->dots) t->dots[first / NODE_CHUNK] = dot;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  const CellLayout *l = A->layout;
  const Task task = { .A = A, .x = x, .y = y, .dots = dots };
  parallel_for(l->cell_count, CELL_CHUNK, multiply_chunk, &task);
  parallel_for(l->node_count, NODE_CHUNK, gather_chunk, &task);
  return true;
}

// own blocks, without a shift
static void block_chunk(const void *task, int first, int last) {
  const Operator *A = ((const Task *)task)->A;
  const CellLayout *l = A->layout;
  for (int a = first; a < last; a++) {
    real *block = (real *)A->blocks + (int64_t)a * BLOCK, A_e[ELEMENT_MATRIX];
    memset(block, 0, sizeof(real) * BLOCK);
    for (int64_t c = l->start[a]; c < l->start[a + 1]; c++) {
      const int row = l->corner[c] % ELEMENT_NODES * ELEMENT_NODE_DOF;
      evaluate(l, l->corner[c] / ELEMENT_NODES, A_e);
      for (int i = 0; i < ELEMENT_NODE_DOF; i++)
        for (int k = 0; k < ELEMENT_NODE_DOF; k++)
          block[i * ELEMENT_NODE_DOF + k] += A_e[symmetric_index(ELEMENT_DOF, row + i, row + k)];
    }
  }
}

static bool linearise(Operator *A, const AssemblyParameters *p, const void *nodal, Stream stream, Error *error) {
  (void)stream, (void)error;
  const CellLayout *l = A->layout;
  *(ElementParameters *)l->parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  memcpy(l->nodal, nodal, sizeof(real) * ELEMENT_NODE_DATA * (size_t)l->node_count);
  memset(l->shift, 0, sizeof(real) * ((size_t)A->n + 3 * (size_t)l->node_count));
  parallel_for(l->node_count, CELL_CHUNK, block_chunk, &(Task){ .A = A });
  return true;
}

// `x` is the shift, `y` its part off the diagonal, `crosses` numbers a node
static void shift_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const CellLayout *l = t->A->layout;
  real *shift = l->shift;
  for (int a = first; a < last; a++) {
    real *block = (real *)t->A->blocks + (int64_t)a * BLOCK;
    for (int i = 0; i < ELEMENT_NODE_DOF; i++) {
      const int64_t row = (int64_t)a * ELEMENT_NODE_DOF + i;
      shift[row] += t->x[row];
      block[i * ELEMENT_NODE_DOF + i] += t->x[row];
      if (t->diagonal) t->diagonal[row] = block[i * ELEMENT_NODE_DOF + i];
    }
    for (int i = 0; i < ELEMENT_NODE_DOF; i++)
      for (int k = 0; k < ELEMENT_NODE_DOF; k++) {
        if (k == i || i + k > t->crosses) continue;
        const real cross = t->y[(int64_t)t->crosses * a + i + k - 1];
        if (i < k) shift[t->A->n + 3 * (int64_t)a + i + k - 1] += cross;
        block[i * ELEMENT_NODE_DOF + k] += cross;
      }
  }
}

static bool shift_own(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                      Error *error) {
  (void)stream, (void)error;
  if (wanted && !*wanted) return true;
  const Task task = {
    .A = A,
    .x = shift,
    .y = (real *)shift + A->n,
    .crosses = crosses,
    .diagonal = diagonal,
  };
  parallel_for_light(A->space->node_count, NODE_CHUNK, shift_chunk, &task);
  return true;
}

static bool create(Operator *A, Error *error) {
  const Space *space = A->space;
  const size_t room = sizeof(real) * ELEMENT_SUPPLEMENTAL * (size_t)space->cell_count;
  real *S = malloc(room + 1);
  if (!S) return error_set(error, "out of memory for %d cells", space->cell_count);
  for (int e = 0; e < space->cell_count; e++) element_supplemental(space, e, S + (int64_t)e * ELEMENT_SUPPLEMENTAL);
  const CellData data = { S, room, sizeof(real) * ELEMENT_NODE_DATA * (size_t)space->node_count,
                          sizeof(ElementParameters) };
  A->dot_count = space->node_count / NODE_CHUNK + (space->node_count % NODE_CHUNK > 0);
  const bool ok = cell_layout_create(A, &data, error);
  free(S);
  return ok;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return cell_layout_bytes(stage, size, ELEMENT_NODES, ELEMENT_NODE_DATA);
}

extern const OperatorMethod ELEMENT_ROW(matrixfree_cpu);
const OperatorMethod ELEMENT_ROW(matrixfree_cpu) = {
  .stage = { STAGE_OPERATOR, "matrixfree", "no matrix: cells are evaluated in each product", ELEMENT_LABEL, DEVICE_CPU,
             REAL_PRECISION, false, bytes },
  .create = create,
  .destroy_layout = cell_layout_destroy,
  .apply = apply,
  .linearise = linearise,
  .shift = shift_own,
};
