// Operator "partial" on the CPU: computes y = A x without a stored matrix, from some numbers that are stored for each
// integration point (element/solid_points.h). A neo-Hookean cell of ten nodes stores 40 numbers in total; the upper
// triangle of its 30 x 30 matrix would have 465. A product has two loops. The first loop computes the vector of each
// cell: the cell's matrix times the x of its nodes. The second loop sums these vectors at each node in the order of the
// cells, so any number of threads gives the same bits.
#include "sim/operator/partial/cell_sum.h"

#include "sim/operator/corner_block.h"

// Returns the data of cell e from which products compute the tangent: one MaterialPoint per integration point.
static MaterialPoint *points_of(const CellLayout *l, int e) {
  return (MaterialPoint *)l->state + (int64_t)e * SHAPE_POINTS;
}

// Returns S(e), the constants that the element stores for cell e, such as gradients and volume.
static const real *supplemental_of(const CellLayout *l, int e) {
  return (const real *)l->supplemental + (int64_t)e * ELEMENT_SUPPLEMENTAL;
}

// Copies the values at the nodes of cell e from all [node_count][3] to own [ELEMENT_DOF].
static void gather_nodes(const CellLayout *l, int e, const real *all, real *own) {
  const int *node = l->cell + (int64_t)e * ELEMENT_NODES;
  for (int a = 0; a < ELEMENT_NODES; a++) memcpy(own + 3 * a, all + 3 * (int64_t)node[a], 3 * sizeof *own);
}

// Writes the products A_e x_e for the cells [first, last), as sums over the integration points q of each cell. A_e is
// the matrix of cell e, and x_e the x of its nodes.
static void multiply_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const CellLayout *l = t->A->layout;
  real *vectors = l->vectors;
  for (int e = first; e < last; e++) {
    real x[ELEMENT_DOF], y[ELEMENT_DOF], share[ELEMENT_DOF];
    gather_nodes(l, e, t->x, x);
    for (int q = 0; q < SHAPE_POINTS; q++) {
      point_share(supplemental_of(l, e), l->parameters, q, points_of(l, e) + q, x, share);
      for (int row = 0; row < ELEMENT_DOF; row++) y[row] = q == 0 ? share[row] : y[row] + share[row];
    }
    for (int row = 0; row < ELEMENT_DOF; row++) vectors[(int64_t)row * l->cell_count + e] = y[row];
  }
}

// Computes the data of each integration point of the cells [first, last), from which products compute the tangent. The
// displacements are the member `x` of the Task.
static void point_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const CellLayout *l = t->A->layout;
  for (int e = first; e < last; e++) {
    real nodal[ELEMENT_DOF];
    gather_nodes(l, e, t->x, nodal);
    for (int q = 0; q < SHAPE_POINTS; q++)
      point_linearise(nodal, supplemental_of(l, e), l->parameters, q, points_of(l, e) + q);
  }
}

// Computes the diagonal blocks of A at the nodes [first, last), without the shift (inertia, damping, springs), which
// operator_shift adds to them later.
static void block_chunk(const void *task, int first, int last) {
  const Operator *A = ((const Task *)task)->A;
  const CellLayout *l = A->layout;
  for (int a = first; a < last; a++) {
    real *block = (real *)A->blocks + (int64_t)a * BLOCK, sum[DIAGONAL_REALS] = { 0 };
    for (int64_t c = l->start[a]; c < l->start[a + 1]; c++) {
      const int e = l->corner[c] / ELEMENT_NODES, local = l->corner[c] % ELEMENT_NODES;
      const real *S = supplemental_of(l, e);
      real diagonal[DIAGONAL_REALS] = { 0 };
      for (int q = 0; q < SHAPE_POINTS; q++) {
        const MaterialPoint *point = points_of(l, e) + q;
        const MaterialTangent t = point_tangent(S, l->parameters, q, point);
        real B[SHAPE_NODES][3], share[DIAGONAL_REALS];
        shape_gradients(S, q, B);
        point_diagonal(point, &t, B[local], share);
        for (int v = 0; v < DIAGONAL_REALS; v++) diagonal[v] = q == 0 ? share[v] : diagonal[v] + share[v];
      }
      for (int v = 0; v < DIAGONAL_REALS; v++) sum[v] += diagonal[v];
    }
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) block[3 * i + k] = sum[symmetric_index(3, i, k)];
  }
}

static bool linearise(Operator *A, const AssemblyParameters *p, const void *nodal, Stream stream, Error *error) {
  (void)stream, (void)error;
  const CellLayout *l = A->layout;
  begin_state(A, p);
  parallel_for(l->cell_count, CELL_CHUNK, point_chunk, &(Task){ .A = A, .x = nodal });
  parallel_for(l->node_count, CELL_CHUNK, block_chunk, &(Task){ .A = A });
  return true;
}

static bool create(Operator *A, Error *error) {
  return create_layout(A, (double)CELL_POINT_REALS * A->space->cell_count, error);
}

#ifdef SHAPE_LEVELS  // only for shapes with corners, whose mesh contains linear cells
// Arguments of the parallel loop that computes the blocks of P^T A P. A is the matrix of the operator, and P
// interpolates from the corners of the cells to all nodes (corner_matrix.h).
typedef struct Projection {
  const Operator *A;
  const CornerMatrix *corners;
  real *values;
} Projection;

static void project_chunk(const void *task, int first, int last) {
  const Projection *t = task;
  const CellLayout *l = t->A->layout;
  const CornerMatrix *m = t->corners;
  for (int pair = first; pair < last; pair++) {
    real block[9] = { 0 };
    for (int64_t k = m->start[pair]; k < m->start[pair + 1]; k++) {
      const int e = m->term[k] / 16;
      real b[4][3];
      shape_corner_gradients(supplemental_of(l, e), b);
      for (int q = 0; q < SHAPE_POINTS; q++)
        corner_add_point(supplemental_of(l, e), l->parameters, q, points_of(l, e) + q, b[m->term[k] / 4 % 4],
                         b[m->term[k] % 4], block);
    }
    corner_add_shift(m, pair, l->shift, t->A->n, block);
    for (int v = 0; v < 9; v++) t->values[corner_slot(m, pair, v / 3, v % 3)] = block[v];
  }
}

static bool project(const Operator *A, const CornerMatrix *corners, void *values, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(corners->pair_count, CELL_CHUNK, project_chunk, &(Projection){ A, corners, values });
  return true;
}
#endif

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return cell_layout_bytes(stage, size, ELEMENT_NODES, CELL_POINT_REALS * size->cells, 3 * size->nodes);
}

extern const OperatorMethod ELEMENT_ROW(partial_cpu);
const OperatorMethod ELEMENT_ROW(partial_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "partial",
             .summary = "matrix-free: each product reads stored data of all integration points",
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
#ifdef SHAPE_LEVELS
  .project = project,
#endif
};
