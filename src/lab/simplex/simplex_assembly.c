// The assembly `simplices` of linear elasticity in tets of degree 1 to 3, for `pliant-lab solve` (paper 004). A row of
// the matrix belongs to a node, which lies on a vertex, edge or face of the mesh. The row is summed over the tets at
// this simplex, and the blocks of element matrices are computed when they are added: the summation `inline` of
// simplex_matrix.h, but into any matrix format, and with values at nodes in place of Bernstein coefficients as
// unknowns. So the matrix equals that of other elements of the same shape, up to rounding.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "lab/simplex/bernstein.h"
#include "lab/simplex/simplex_block.h"
#include "sim/assembly/assembly.h"

enum { CHUNK = 64 };

// Data of one assembly. topology: vertices, edges and faces of the mesh; its vertices are the corners of tets, numbered
// without gaps. node [nodes]: number in the space of each node of the topology. weight [16][pairs]: numbers from which
// the element matrix of any tet is computed (lagrange_weights).
typedef struct Data {
  SimplexTopology topology;
  int *node;
  real *weight;
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = assembly->data;
  simplex_topology_close(&d->topology);
  free(d->node);
  free(d->weight);
  free(d);
}

// Fails if a node is not at its place in a tet with straight edges. Example: nodes of a quadratic tet that are not
// corners must be in the middles of edges. place [nodes][4]: barycentric coordinates of each node.
static bool check_places(const Space *space, int e, double (*place)[4], Error *error) {
  const int *node = space_cell(space, e);
  double size = 0;
  for (int i = 0; i < 3; i++) size = fmax(size, fabs(space->X[node[0]][i] - space->X[node[1]][i]));
  for (int a = 4; a < space->cell_nodes; a++)
    for (int i = 0; i < 3; i++) {
      double x = 0;
      for (int v = 0; v < 4; v++) x += place[a][v] * space->X[node[v]][i];
      if (!(fabs(x - space->X[node[a]][i]) <= 1e-6 * (size + fabs(x))))
        return error_set(error, "cell %d, counted from 0, has curved edges; assembly \"simplices\" needs straight ones",
                         e);
    }
  return true;
}

// Finds the vertices, edges and faces of the mesh of corners. number [node_count] gets the number of each corner among
// the vertices.
static bool find_topology(Data *d, const Space *space, int degree, int *number, Error *error) {
  TetMesh mesh = { .tet_count = space->cell_count };
  mesh.tet = array_capacity(space->cell_count, sizeof *mesh.tet, "tets", error);
  mesh.X = array_capacity(space->node_count, sizeof *mesh.X, "nodes", error);
  bool ok = mesh.tet && mesh.X;
  for (int a = 0; ok && a < space->node_count; a++) number[a] = -1;
  for (int e = 0; ok && e < space->cell_count; e++)
    for (int v = 0; v < 4; v++) number[space_cell(space, e)[v]] = 0;
  for (int a = 0; ok && a < space->node_count; a++) {
    if (number[a] < 0) continue;
    memcpy(mesh.X[mesh.node_count], space->X[a], sizeof *mesh.X);
    number[a] = mesh.node_count++;
  }
  for (int e = 0; ok && e < space->cell_count; e++)
    for (int v = 0; v < 4; v++) mesh.tet[e][v] = number[space_cell(space, e)[v]];
  ok = ok && simplex_topology_open(&d->topology, &mesh, degree, (SimplexMemory){ 0 }, error) &&
       simplex_topology_find(&d->topology, error);
  free(mesh.tet);
  free(mesh.X);
  return ok;
}

// Sets d->node, and stores the smallest six-fold volume of a tet, or 1 if all are positive, in *least.
static bool find_nodes(Data *d, const Space *space, int degree, double *least, Error *error) {
  double place[SIMPLEX_CELL_NODES_MAX][4];
  for (int a = 0; a < space->cell_nodes; a++) {
    int index[4];
    bernstein_index(degree, a, index);
    for (int v = 0; v < 4; v++) place[a][v] = (double)index[v] / degree;
  }
  *least = 1;
  for (int e = 0; e < space->cell_count; e++) {
    if (!check_places(space, e, place, error)) return false;
    for (int a = 0; a < space->cell_nodes; a++)
      d->node[simplex_cell_node(degree, &d->topology, e, a)] = space_cell(space, e)[a];
    const double volume = space_cell_volume(space, e);
    if (!(volume > 0)) *least = fmin(*least, volume == volume ? volume : -INFINITY);
  }
  return true;
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = assembly->data = array_new(1, sizeof *d, "assembly data", error);
  const int nodes = space->cell_nodes, degree = nodes == 4 ? 1 : nodes == 10 ? 2 : 3, count = 16 * pair_count(nodes);
  if (!d) return false;
  double least = 1, *weight = array_new(count, sizeof *weight, "weights", error);
  int *number = array_capacity(space->node_count, sizeof *number, "nodes", error);
  d->weight = array_new(count, sizeof *d->weight, "weights", error);
  bool ok = weight && number && d->weight && find_topology(d, space, degree, number, error);
  free(number);
  if (ok) {
    lagrange_weights(degree, weight);
    for (int k = 0; k < count; k++) d->weight[k] = (real)weight[k];
    d->node = array_new(simplex_node_count(&d->topology), sizeof *d->node, "nodes", error);
    ok = d->node && find_nodes(d, space, degree, &least, error);
  }
  free(weight);
  const real J = (real)least;
  assembly->min_J_count = 1;
  assembly->min_J = ok ? device_clone(DEVICE_CPU, &J, sizeof J, error) : NULL;
  return assembly->min_J;
}

// Arguments of the loop over the nodes of the topology. lambda and mu are Lame's constants, times the factor of the
// assembly; values: the matrix that is filled.
typedef struct RowsTask {
  const Data *d;
  const Operator *layout;
  real lambda, mu, *values;
} RowsTask;

// Adds a 3 x 3 block to the block of `pair` in the row of node a or, if `block` is NULL, sets the latter to 0.
static inline void add_to(const RowsTask *t, int a, int64_t pair, const real *block) {
  if (operator_mirrors(t->layout, pair)) return;
  const bool diagonal = t->layout->space->graph.neighbour[pair] == a;
  const BlockSlots slots = t->layout->slots[pair];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real *value = t->values + (diagonal ? operator_slot(t->layout, a, pair, i, k) : block_slot(slots, i, k));
      *value = block ? *value + block[3 * i + k] : 0;
    }
}

// Computes the row of node number `n` of the topology.
static inline void sum_row_of(const RowsTask *t, int degree, int n) {
  const SimplexTopology *topology = &t->d->topology;
  const Space *space = t->layout->space;
  const Adjacency *graph = &space->graph;
  const int a = t->d->node[n], nodes = simplex_cell_nodes(degree), pairs = pair_count(nodes);
  const NodeSimplex s = simplex_of_node(degree, topology, n);
  const SimplexCells *cells = &topology->cells[s.kind];
  const int of_tet = simplices_of_tet(s.kind);
  for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) add_to(t, a, pair, NULL);
  for (int k = cells->start[s.number]; k < cells->start[s.number + 1]; k++) {
    const int e = cells->item[k] / of_tet;
    const int own = simplex_local_node(degree, topology, s, e, cells->item[k] % of_tet);
    const real factor = (real)(space->stiffness ? space->stiffness[e] : 1);
    const TetGeometry g = tet_geometry(topology, e, factor * t->lambda, factor * t->mu);
    for (int local = 0; local < nodes; local++) {
      const int64_t pair = adjacency_find(graph, a, space_cell(space, e)[local]);
      const bool turned = own > local;
      real block[9], transposed[9];
      tet_block(t->d->weight, pairs, turned ? pair_number(nodes, local, own) : pair_number(nodes, own, local), &g,
                block);
      for (int v = 0; turned && v < 9; v++) transposed[v] = block[v % 3 * 3 + v / 3];
      add_to(t, a, pair, turned ? transposed : block);
    }
  }
}

static void sum_rows(const void *task, int first, int last) {
  const RowsTask *t = task;
  const int degree = t->d->topology.degree;
  for (int n = first; n < last && !interrupt_requested(); n++)
    degree == 1 ? sum_row_of(t, 1, n) : degree == 2 ? sum_row_of(t, 2, n) : sum_row_of(t, 3, n);
}

// The load vector is 0: the displacements at which the matrix is computed are 0, and loads are given at nodes.
static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  (void)nodal, (void)stream;
  const Data *d = assembly->data;
  const double mu = p->material[0] * p->matrix_scale, lambda = p->material[1] * p->matrix_scale;
  memset(F, 0, sizeof(real) * 3 * (size_t)assembly->layout->space->node_count);
  if (values)
    parallel_for(simplex_node_count(&d->topology), CHUNK, sum_rows,
                 &(RowsTask){ d, assembly->layout, (real)lambda, (real)mu, values });
  return interrupt_check(error);
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double corners = 4 * 4 * size->cells, lists = 2 * 4 * 14 * size->cells + 4 * size->nodes;
  StageBytes bytes = stage_takes(stage, corners + lists);
  stage_pass(stage, &bytes, WORK_VECTOR, 0, 3 * sizeof(real) * size->nodes);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, corners + lists, sizeof(real) * stage_entries(size));
  return bytes;
}

#define ROW(row, label)                                                                                          \
  static const AssemblyMethod row = {                                                                            \
    .stage = { .kind = STAGE_ASSEMBLY,                                                                           \
               .name = "simplices",                                                                              \
               .summary = "a row of the matrix is summed over the tets at the vertex, edge or face of its node", \
               .element = label,                                                                                 \
               .device = DEVICE_CPU,                                                                             \
               .precision = REAL_PRECISION,                                                                      \
               .bytes = bytes },                                                                                 \
    .create = create,                                                                                            \
    .destroy_data = destroy_data,                                                                                \
    .assemble = assemble,                                                                                        \
    .needs_values = true,                                                                                        \
  };
ROW(of_tet4, "simplex_tet4")
ROW(of_tet10, "simplex_tet10")
ROW(of_tet20, "simplex_tet20")

extern const Stage *const REAL_NAME(simplices_rows)[];
const Stage *const REAL_NAME(simplices_rows)[] = { &of_tet4.stage, &of_tet10.stage, &of_tet20.stage, NULL };
