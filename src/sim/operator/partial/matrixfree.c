// Operator "matrixfree" on the CPU: computes y = A x without a stored matrix. Each product computes the matrix of each
// cell again, at the displacements that operator_linearise has stored, and multiplies it by the x of the cell's nodes.
// The result is the vector of the cell. Then each node sums the entries of its cells' vectors in the order of the
// cells, so any number of threads gives the same bits. This operator needs less memory than any stored matrix, but more
// time per product.
#include "sim/operator/partial/cell_sum.h"

// Computes A_e, the matrix of cell e at the stored displacements. Only its upper triangle is stored, row by row.
static void evaluate(const CellLayout *l, int e, real A_e[ELEMENT_MATRIX]) {
  const real *nodal = l->state, *S = l->supplemental;
  real data[ELEMENT_NODES * ELEMENT_NODE_DATA], F_e[ELEMENT_DOF];
  for (int a = 0; a < ELEMENT_NODES; a++)
    memcpy(data + a * ELEMENT_NODE_DATA, nodal + (int64_t)l->cell[(int64_t)e * ELEMENT_NODES + a] * ELEMENT_NODE_DATA,
           sizeof(real) * ELEMENT_NODE_DATA);
  element_evaluate(data, S + (int64_t)e * ELEMENT_SUPPLEMENTAL, l->parameters, F_e, A_e);
}

// Writes the products A_e x_e for the cells [first, last). A_e is the matrix of cell e, and x_e the x of its nodes.
// Entry `row` of the product of cell e is vectors[row * cell_count + e].
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

// Computes the diagonal blocks of A at the nodes [first, last), without the shift (inertia, damping, springs), which
// operator_shift adds to them later. l->corner codes each cell of a node as cell * ELEMENT_NODES + (number of the node
// within the cell).
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
  begin_state(A, p);
  memcpy(l->state, nodal, sizeof(real) * ELEMENT_NODE_DATA * (size_t)l->node_count);
  parallel_for(l->node_count, CELL_CHUNK, block_chunk, &(Task){ .A = A });
  return true;
}

static bool create(Operator *A, Error *error) {
  return create_layout(A, (double)ELEMENT_NODE_DATA * A->space->node_count, error);
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double nodal = ELEMENT_NODE_DATA * size->nodes;
  return cell_layout_bytes(stage, size, ELEMENT_NODES, nodal, nodal);
}

extern const OperatorMethod ELEMENT_ROW(matrixfree_cpu);
const OperatorMethod ELEMENT_ROW(matrixfree_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "matrixfree",
             .summary = "matrix-free: each product evaluates all cells",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = cell_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
  .linearise = linearise,
  .shift = shift_diagonal,
};
