// Computes products y = K x over quadrilaterals without a global matrix, on the CPU: see quad_cells.h.
#include "base/parallel.h"
#include "lab/quad/quad_cell.h"
#include "sim/element/symmetric.h"

enum { NODE_CHUNK = 2048 };

// Arguments of the two parallel loops of a product: over nodes, and over blocks. A block is a number of successive
// cells.
typedef struct Task {
  const QuadCells *cells;
  const QuadFactors *f;
  // index of the first block to process in CellColours.block_of, which lists the blocks sorted by colour; blocks of one
  // colour share no node
  int first_block;
} Task;

static int node_chunks(const QuadCells *cells) {
  return cells->node_count / NODE_CHUNK + (cells->node_count % NODE_CHUNK > 0);
}

// Computes y = K_e x from the stored upper triangle of cell e. x and y have one number per node of the cell. Each
// stored entry is used for both of its positions, (i, j) and (j, i).
static inline void multiply_kept(const Task *t, int nodes, int e, const real *x, real *y) {
  const real *values = t->f->values + quad_value(nodes * (nodes + 1) / 2, 0, e);
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++, values += QUAD_TILE) {
      const real K = *values;
      y[i] += K * x[j];
      if (j > i) y[j] += K * x[i];
    }
}

static inline void multiply_recomputed(const Task *t, int degree, int e, const real *x, real *y) {
  const int nodes = (degree + 1) * (degree + 1);
  const QuadMap map = quad_map_of(t->cells, e);
  real T[QUAD_NODES_MAX][3];
  for (int q = 0; q < nodes; q++) quad_point(degree, &t->cells->rule, &map, q, T[q]);
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++) {
      real K = 0;
      for (int q = 0; q < nodes; q++) K += quad_entry(degree, &t->cells->rule, T[q], q, i, j);
      y[i] += K * x[j];
      if (j > i) y[j] += K * x[i];
    }
}

// Multiplies each row of a cell's (p+1)^2 grid of numbers, `from`, by a small matrix factor[q][a], with Gauss point q
// and node a of a line. If to_points is true, a row holds values at nodes and becomes values at Gauss points: at q, the
// sum over a of factor[q][a] times the value at node a. Otherwise a row holds values at points, and the transposed
// matrix computes values at nodes. The grid is written to `to` transposed, so that a second call works along the other
// direction. If `adds` is true, it is added to `to`.
static inline void contract(int line, const real factor[QUAD_LINE_MAX][QUAD_LINE_MAX], bool to_points, const real *from,
                            bool adds, real *to) {
  for (int row = 0; row < line; row++)
    for (int q = 0; q < line; q++) {
      real sum = 0;
      for (int a = 0; a < line; a++) sum += (to_points ? factor[q][a] : factor[a][q]) * from[row * line + a];
      to[q * line + row] = adds ? to[q * line + row] + sum : sum;
    }
}

static inline void multiply_points(const Task *t, int degree, int e, const real *x, real *y) {
  const int line = degree + 1;
  const QuadRule *rule = &t->cells->rule;
  const QuadMap map = quad_map_of(t->cells, e);

  // u and v: derivatives by xi and by eta, at the Gauss points, of the field with the nodal values x. Two calls of
  // `contract` compute each of them, one for each direction; `a` is the result of the first call.
  real a[QUAD_NODES_MAX], u[QUAD_NODES_MAX], v[QUAD_NODES_MAX];
  contract(line, rule->D, true, x, false, a);
  contract(line, rule->N, true, a, false, u);
  contract(line, rule->N, true, x, false, a);
  contract(line, rule->D, true, a, false, v);
  for (int q = 0; q < line * line; q++) {
    real T[3];
    quad_point(degree, rule, &map, q, T);
    const real ux = u[q], vy = v[q];
    u[q] = T[0] * ux + T[1] * vy;
    v[q] = T[1] * ux + T[2] * vy;
  }
  contract(line, rule->D, false, u, false, a);
  contract(line, rule->N, false, a, false, y);
  contract(line, rule->N, false, v, false, a);
  contract(line, rule->D, false, a, true, y);
}

// Adds `factor` (QuadFactors.factor) times the cell's mass matrix times x to y: x is interpolated to the Gauss points,
// multiplied by factor, weight and |det J|, and distributed to the nodes.
static inline void multiply_mass(const Task *t, int degree, int e, const real *x, real *y) {
  const int line = degree + 1;
  const QuadRule *rule = &t->cells->rule;
  const QuadMap map = quad_map_of(t->cells, e);
  real a[QUAD_NODES_MAX], u[QUAD_NODES_MAX];
  contract(line, rule->N, true, x, false, a);
  contract(line, rule->N, true, a, false, u);
  for (int q = 0; q < line * line; q++) {
    const int qx = q % line, qy = q / line;
    u[q] *= t->f->factor * quad_area(&map, rule->point[qx], rule->point[qy], rule->weight[qx] * rule->weight[qy]);
  }
  contract(line, rule->N, false, u, false, a);
  contract(line, rule->N, false, a, false, y);
}

static bool only_diagonal(const Task *t) {
  return t->f->product == QUAD_DIAGONAL_KEPT || t->f->product == QUAD_DIAGONAL_MADE;
}

static inline void take_diagonal(const Task *t, int degree, int e, real *y) {
  const int nodes = (degree + 1) * (degree + 1);
  const QuadMap map = quad_map_of(t->cells, e);
  for (int i = 0; i < nodes; i++) {
    if (t->f->product == QUAD_DIAGONAL_KEPT)
      y[i] = t->f->values[quad_value(nodes * (nodes + 1) / 2, symmetric_index(nodes, i, i), e)];
    for (int q = 0; q < nodes && t->f->product == QUAD_DIAGONAL_MADE; q++) {
      real T[3];
      quad_point(degree, &t->cells->rule, &map, q, T);
      y[i] += quad_entry(degree, &t->cells->rule, T, q, i, i);
    }
  }
}

// Computes K_e x_e for cell e, where K_e is its matrix and x_e holds x at its nodes. QUAD_MASS uses the mass matrix
// instead, and QUAD_DIAGONAL_* take the diagonal of K_e. For QUAD_GATHERED stores the result in QuadCells.vectors;
// otherwise adds it to y. Returns x_e . K_e x_e, the cell's part of x . y.
static inline double multiply_cell(const Task *t, int degree, int e) {
  const QuadCells *c = t->cells;
  const int nodes = (degree + 1) * (degree + 1);
  real x[QUAD_NODES_MAX], y[QUAD_NODES_MAX] = { 0 };
  const int64_t step = t->f->x_step ? t->f->x_step : 1;
  for (int i = 0; i < nodes; i++) x[i] = only_diagonal(t) ? 0 : t->f->x[step * c->node[(int64_t)i * c->cell_count + e]];
  if (only_diagonal(t))
    take_diagonal(t, degree, e, y);
  else if (t->f->product == QUAD_KEPT)
    multiply_kept(t, nodes, e, x, y);
  else if (t->f->product == QUAD_RECOMPUTED)
    multiply_recomputed(t, degree, e, x, y);
  else if (t->f->product == QUAD_POINTS)
    multiply_points(t, degree, e, x, y);
  else
    multiply_mass(t, degree, e, x, y);
  double dot = 0;
  for (int i = 0; i < nodes; i++) {
    if (t->f->summation == QUAD_GATHERED)
      c->vectors[(int64_t)i * c->cell_count + e] = y[i];
    else
      t->f->y[c->node[(int64_t)i * c->cell_count + e]] += y[i];
    dot += (double)x[i] * y[i];
  }
  return dot;
}

static inline void multiply_block(const Task *t, int degree, int block) {
  const CellColours *colours = &t->cells->colours;
  const int first = block * colours->block, left = t->cells->cell_count - first;
  const int last = first + (left < colours->block ? left : colours->block);
  const bool coloured = t->f->summation == QUAD_COLOURED;
  double dot = 0;
  for (int turn = 0; turn < (coloured ? colours->turns : 1); turn++)
    for (int e = first; e < last; e++)
      if (!coloured || colours->turn[e] == turn) dot += multiply_cell(t, degree, e);
  if (coloured && t->f->dots) t->f->dots[node_chunks(t->cells) + block] = dot;
}

static void multiply_blocks(const void *task, int first, int last) {
  const Task *t = task;
  for (int k = first; k < last; k++) {
    const int block = t->f->summation == QUAD_COLOURED ? t->cells->colours.block_of[t->first_block + k] : k;
#define MULTIPLY(degree) multiply_block(t, degree, block)
    QUAD_BY_DEGREE(t->cells->degree, MULTIPLY);
#undef MULTIPLY
  }
}

static bool shifted(const QuadFactors *f) {
  return f->shifted && *f->shifted;
}

// Returns entry a of shift x, where `shift` is the diagonal matrix that is added to K; 0 without a shift.
static real shift_of(const QuadFactors *f, int a) {
  return shifted(f) ? f->shift[a] * f->x[a] : 0;
}

// Sets y at the nodes `first` to `last` - 1 to shift x, where `shift` is the diagonal matrix that is added to K. For
// QUAD_GATHERED, also adds the stored results of the cells at each node. With other methods of summation, cells add to
// y later.
static void begin_nodes(const void *task, int first, int last) {
  const Task *t = task;
  const QuadCells *c = t->cells;
  const bool gathers = t->f->summation == QUAD_GATHERED;
  double dot = 0;
  for (int a = first; a < last; a++) {
    real sum = shift_of(t->f, a);
    for (int k = gathers ? c->start[a] : 0; k < (gathers ? c->start[a + 1] : 0); k++) sum += c->vectors[c->corner[k]];
    t->f->y[a] = sum;
    if (t->f->dots) dot += (double)t->f->x[a] * sum;
  }
  if (t->f->dots) t->f->dots[first / NODE_CHUNK] = dot;
}

int REAL_NAME(quad_dots_cpu)(const QuadCells *cells, QuadSum summation) {
  return node_chunks(cells) + (summation == QUAD_GATHERED ? 0 : cells->colours.block_count);
}

bool REAL_NAME(quad_product_cpu)(const QuadCells *cells, const QuadFactors *factors, Error *error) {
  (void)error;
  const CellColours *colours = &cells->colours;
  Task task = { cells, factors, 0 };
  if (factors->summation == QUAD_GATHERED) {
    parallel_for(colours->block_count, 1, multiply_blocks, &task);
    parallel_for(cells->node_count, NODE_CHUNK, begin_nodes, &task);
    return true;
  }
  parallel_for(cells->node_count, NODE_CHUNK, begin_nodes, &task);
  for (int colour = 0; colour < colours->count; colour++) {
    task.first_block = colours->start[colour];
    parallel_for(colours->start[colour + 1] - task.first_block, 1, multiply_blocks, &task);
  }
  return true;
}

void REAL_NAME(quad_shift_cpu)(int n, const real *shift, real *kept, int *shifted_by, real *blocks, real *diagonal,
                               const int *wanted) {
  for (int a = 0; a < n && !(wanted && !*wanted); a++) {
    kept[a] = (*shifted_by ? kept[a] : 0) + shift[a];
    blocks[a] += kept[a];
    if (diagonal) diagonal[a] = blocks[a];
  }
  for (int a = 0; a < n && !(wanted && !*wanted); a++)
    if (kept[a] != 0) *shifted_by = 1;
}
