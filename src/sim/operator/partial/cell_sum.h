// Functions common to the matrix-free operators on the CPU, matrixfree.c and partial.c. Both files are compiled once
// per element. Both include this file and define the function multiply_chunk, which writes the vector of each cell: the
// cell's matrix times the x of its nodes, one number per unknown. The functions below sum these vectors at the nodes.
// They also store and multiply the shift, a symmetric matrix per node that operator_shift adds to the node's diagonal
// block.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/real.h"
#include "sim/element/element.h"
#include "sim/operator/partial/cell_layout.h"

// CELL_CHUNK: cells that a thread processes at once. NODE_CHUNK: nodes that a thread processes at once. BLOCK: entries
// of a node's diagonal block.
enum { CELL_CHUNK = 256, NODE_CHUNK = 1024, BLOCK = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF };

// Arguments of the parallel loops over cells and over nodes. Each loop uses only some of the members. In a product, x
// and y are [n], and dots gets a partial sum of x.y for each range of NODE_CHUNK nodes. In a shift, diagonal [n] gets
// the diagonal of A.
typedef struct Task {
  const Operator *A;
  const real *x;
  real *y, *diagonal;
  double *dots;
  // off-diagonal entries per diagonal block that a shift changes: 0, 1 for xy, or 3 for xy, xz and yz
  int crosses;
} Task;

// Returns component i at node a of the product of the shift with x. The shift is a symmetric matrix per node, which is
// added to the node's diagonal block of A. CellLayout.shift has n numbers for the diagonals, then the entries xy, xz
// and yz of each node's matrix.
static real shifted(const Operator *A, const real *x, int a, int i) {
  const real *shift = ((const CellLayout *)A->layout)->shift, *own = x + (int64_t)a * ELEMENT_NODE_DOF;
  real sum = shift[(int64_t)a * ELEMENT_NODE_DOF + i] * own[i];
  for (int k = 0; k < ELEMENT_NODE_DOF; k++)
    if (k != i) sum += shift[A->n + 3 * (int64_t)a + i + k - 1] * own[k];
  return sum;
}

// Computes y = A x at the nodes [first, last): the shift (a matrix per node) times x, plus the entries of the cells'
// vectors. A cell's vector is the matrix of the cell times the x of its nodes.
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

// First step of operator_linearise: stores the element's parameters, such as material constants, and sets the shift to
// zero, the numbers that operator_shift has added to the diagonal blocks.
static void begin_state(const Operator *A, const AssemblyParameters *p) {
  const CellLayout *l = A->layout;
  *(ElementParameters *)l->parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  memset(l->shift, 0, sizeof(real) * ((size_t)A->n + 3 * (size_t)l->node_count));
}

// Writes the vectors of the cells [first, last). The vector of a cell is its matrix times the x of its nodes.
// matrixfree.c and partial.c each define this function.
static void multiply_chunk(const void *task, int first, int last);

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  const CellLayout *l = A->layout;
  const Task task = { .A = A, .x = x, .y = y, .dots = dots };
  parallel_for(l->cell_count, CELL_CHUNK, multiply_chunk, &task);
  parallel_for(l->node_count, NODE_CHUNK, gather_chunk, &task);
  return true;
}

// Adds given numbers, called the shift, to CellLayout.shift and to the diagonal blocks A->blocks, for the nodes [first,
// last). The member x [n] of the Task is added to the diagonal, and its member y [nodes][crosses] to off-diagonal
// entries of the diagonal blocks.
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

static bool shift_diagonal(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                           Stream stream, Error *error) {
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

static int count_dots(const Operator *A) {
  return A->space->node_count / NODE_CHUNK + (A->space->node_count % NODE_CHUNK > 0);
}

// Creates A->layout: the cells, their constants S(e), and the list of each node's cells. state_reals is the number of
// reals in CellLayout.state, the data from which products compute the tangent.
static bool create_layout(Operator *A, double state_reals, Error *error) {
  const Space *space = A->space;
  const size_t buffer = sizeof(real) * ELEMENT_SUPPLEMENTAL * (size_t)space->cell_count;
  real *S = malloc(buffer + 1);
  if (!S) return error_set(error, "out of memory for %d cells", space->cell_count);
  for (int e = 0; e < space->cell_count; e++) element_supplemental(space, e, S + (int64_t)e * ELEMENT_SUPPLEMENTAL);
  const CellData data = { S, buffer, sizeof(real) * (size_t)state_reals, sizeof(ElementParameters) };
  const bool ok = cell_layout_create(A, &data, error);
  free(S);
  return ok;
}
