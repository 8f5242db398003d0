// Assembly "cpu_opt": the optimised assembly of paper 000 (Fig. 16.12) on all cores. The first pass evaluates each tet
// once and stores its vector and matrix, the tet's record. The second pass sums the records for each node and each pair
// of nodes, along lists that were built in advance (node_pairs.h). A list names its terms in the order of the tets, so
// the bits of the result do not depend on the number of threads.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/node_pairs.h"
#include "sim/element/element.h"

// CHUNK: number of tets that a thread takes at a time. NODE_CHUNK: number of nodes that a thread takes at a time.
// BLOCK: number of entries of the submatrix of two nodes, 9 for a solid.
enum { CHUNK = 1024, NODE_CHUNK = 256, BLOCK = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF };

typedef struct Data {
  int tet_count, chunk_count;
  int (*tet)[ELEMENT_NODES];  // [tet_count], nodes of each tet
  real *supplemental;         // [tet_count][ELEMENT_SUPPLEMENTAL], S(e), the constants of each tet
  NodePairs pairs;
  // the force vector and the matrix of each tet, as the element computes them
  real *vectors, *matrices;  // [tet_count][ELEMENT_DOF], [tet_count][ELEMENT_MATRIX]
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = assembly->data;
  node_pairs_destroy(&d->pairs);
  free(d->tet);
  free(d->supplemental);
  free(d->vectors);
  free(d->matrices);
  free(d);
}

// Arguments of take_cells, a parallel loop over tets that stores their nodes and constants.
typedef struct CreateTask {
  const Space *space;
  Data *d;
} CreateTask;

static void take_cells(const void *task, int first, int last) {
  const CreateTask *t = task;
  for (int e = first; e < last && !interrupt_requested(); e++) {
    for (int a = 0; a < ELEMENT_NODES; a++) t->d->tet[e][a] = space_cell(t->space, e)[a];
    element_supplemental(t->space, e, t->d->supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL);
  }
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = assembly->data = array_new(1, sizeof *d, "assembly data", error);
  if (!d) return false;
  const int64_t tets = space->cell_count;
  d->tet_count = space->cell_count;
  d->chunk_count = (d->tet_count + CHUNK - 1) / CHUNK;
  d->tet = array_new(tets, sizeof *d->tet, "tets", error);
  d->supplemental = array_new(tets * ELEMENT_SUPPLEMENTAL, sizeof(real), "tets", error);
  d->vectors = array_new(tets * ELEMENT_DOF, sizeof(real), "element vectors", error);
  d->matrices = array_new(tets * ELEMENT_MATRIX, sizeof(real), "element matrices", error);
  assembly->min_J_count = d->chunk_count;
  assembly->min_J = device_alloc(DEVICE_CPU, sizeof(real) * (size_t)d->chunk_count, error);
  if (!d->tet || !d->supplemental || !d->vectors || !d->matrices || !assembly->min_J) return false;
  parallel_for(d->tet_count, CHUNK, take_cells, &(CreateTask){ space, d });
  return interrupt_check(error) && node_pairs_create(&d->pairs, space, assembly->layout, error);
}

// Arguments of two parallel loops: evaluate_chunk over tets, reduce_chunk over nodes. nodal: input, for example the
// displacement of each node. F: output, the force vector. values: output, the values of the matrix; NULL: not computed.
// min_J [chunk_count]: the smallest determinant of the deformation gradient in each chunk of CHUNK tets.
// diagonal_first: true if the matrix stores its diagonal entries before all others.
typedef struct Task {
  const Data *d;
  ElementParameters parameters;
  const real *nodal;
  real *F, *values, *min_J;
  bool diagonal_first;
  // Becomes true when the user interrupts the run. The chunks that have not begun are then skipped.
  atomic_bool *left;
} Task;

// Returns true if the user has interrupted the run.
static bool leave(const Task *t) {
  if (!atomic_load_explicit(t->left, memory_order_relaxed) && interrupt_requested())
    atomic_store_explicit(t->left, true, memory_order_relaxed);
  return atomic_load_explicit(t->left, memory_order_relaxed);
}

// Evaluates the tets [first, last) and stores the vector and matrix of each. Stores in t->min_J the smallest J = det F
// of these tets, or -inf if a J is NaN.
static void evaluate_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const Data *d = t->d;
  const real *data = t->nodal;
  real min_J = INFINITY;
  if (leave(t)) return;
  for (int e = first; e < last; e++) {
    real nodal[ELEMENT_NODES * ELEMENT_NODE_DATA];
    for (int a = 0; a < ELEMENT_NODES; a++)
      for (int i = 0; i < ELEMENT_NODE_DATA; i++)
        nodal[ELEMENT_NODE_DATA * a + i] = data[ELEMENT_NODE_DATA * d->tet[e][a] + i];
    const real J = element_evaluate(nodal, d->supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL, &t->parameters,
                                    d->vectors + (size_t)e * ELEMENT_DOF,
                                    t->values ? d->matrices + (size_t)e * ELEMENT_MATRIX : NULL);
    if (!(J >= min_J)) min_J = J == J ? J : -(real)INFINITY;
  }
  t->min_J[first / CHUNK] = min_J;
}

// Computes a node's force and diagonal block, as sums over the stored vectors and matrices of the node's tets. Each
// item of the node's list is a number tet * ELEMENT_NODES + a: the node is number a of this tet.
static void reduce_node(const Data *d, int node, bool diagonal_first, real *F, real *values) {
  real f[ELEMENT_NODE_DOF] = { 0 }, sum[BLOCK] = { 0 };
  for (int64_t t = d->pairs.node_start[node]; t < d->pairs.node_start[node + 1]; t++) {
    const int source = d->pairs.node_source[t], a = source % ELEMENT_NODES;
    const real *A_e = d->matrices + (size_t)(source / ELEMENT_NODES) * ELEMENT_MATRIX;
    for (int i = 0; i < ELEMENT_NODE_DOF; i++) {
      f[i] += d->vectors[(size_t)source * ELEMENT_NODE_DOF + i];
      for (int k = 0; values && k < ELEMENT_NODE_DOF; k++)
        sum[i * ELEMENT_NODE_DOF + k] +=
            A_e[symmetric_index(ELEMENT_DOF, ELEMENT_NODE_DOF * a + i, ELEMENT_NODE_DOF * a + k)];
    }
  }
  for (int i = 0; i < ELEMENT_NODE_DOF; i++) F[ELEMENT_NODE_DOF * node + i] = f[i];
  for (int i = 0; values && i < ELEMENT_NODE_DOF; i++)
    for (int k = 0; k < ELEMENT_NODE_DOF; k++)
      values[diagonal_block_slot(d->pairs.diagonal_slots[node], diagonal_first, ELEMENT_NODE_DOF, node, i, k)] =
          sum[i * ELEMENT_NODE_DOF + k];
}

// Computes the block of a pair of nodes: sums it over the stored matrices of the tets that have both nodes. Stores the
// block and its transpose. Each item of the pair's list is a number (tet * ELEMENT_NODES + a) * ELEMENT_NODES + b:
// nodes number a and b of this tet are the two nodes of the pair.
static void reduce_pair(const Data *d, int pair, real *values) {
  real sum[BLOCK] = { 0 };
  for (int64_t t = d->pairs.tet_start[pair]; t < d->pairs.tet_start[pair + 1]; t++) {
    const int source = d->pairs.source[t], a = source / ELEMENT_NODES % ELEMENT_NODES, b = source % ELEMENT_NODES;
    const real *A_e = d->matrices + (size_t)(source / (ELEMENT_NODES * ELEMENT_NODES)) * ELEMENT_MATRIX;
    for (int i = 0; i < ELEMENT_NODE_DOF; i++)
      for (int k = 0; k < ELEMENT_NODE_DOF; k++)
        sum[i * ELEMENT_NODE_DOF + k] +=
            A_e[symmetric_index(ELEMENT_DOF, ELEMENT_NODE_DOF * a + i, ELEMENT_NODE_DOF * b + k)];
  }
  const BlockSlots *slots = d->pairs.slots[pair];
  for (int i = 0; i < ELEMENT_NODE_DOF; i++)
    for (int k = 0; k < ELEMENT_NODE_DOF; k++) {
      if (slots[0].at >= 0) values[block_slot(slots[0], i, k)] = sum[i * ELEMENT_NODE_DOF + k];
      if (slots[1].at >= 0) values[block_slot(slots[1], k, i)] = sum[i * ELEMENT_NODE_DOF + k];
    }
}

// Computes the forces and diagonal blocks of the nodes [first, last), and the off-diagonal blocks of the pairs
// whose lower node is in this range.
static void reduce_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const Data *d = t->d;
  if (leave(t)) return;
  for (int node = first; node < last; node++) {
    reduce_node(d, node, t->diagonal_first, t->F, t->values);
    for (int pair = d->pairs.start[node]; t->values && pair < d->pairs.start[node + 1]; pair++)
      reduce_pair(d, pair, t->values);
  }
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  (void)stream;
  atomic_bool left = false;
  const Data *d = assembly->data;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  const Task task = {
    d, parameters, nodal, F, values, assembly->min_J, assembly->layout->method->diagonal_first, &left
  };
  parallel_for(d->tet_count, CHUNK, evaluate_chunk, &task);
  parallel_for(d->pairs.node_count, NODE_CHUNK, reduce_chunk, &task);
  return !left || interrupt_check(error);
}

// Estimates the bytes of this assembly's arrays, and the bytes that it reads and writes each time it runs. This is the
// function Stage.bytes.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes, P = size->pairs;
  const double sources = ELEMENT_NODES * (ELEMENT_NODES + 1) / 2;
  const double tet = 4 * (ELEMENT_NODES + sources) + (size->supplemental + ELEMENT_DOF + ELEMENT_MATRIX) * sizeof(real);
  StageBytes bytes = stage_takes(stage, T * tet + 24 * P + 12 * V);

  // First pass: reads tets and nodal data, and writes the vectors and matrices of tets. Second pass: reads these
  // vectors and matrices in the order of the lists, and writes the system's vector and matrix.
  const double read =
      T * (4 * ELEMENT_NODES + size->supplemental * sizeof(real)) + V * ELEMENT_NODE_DATA * sizeof(real);
  const double vectors = T * ELEMENT_DOF * sizeof(real), matrices = T * ELEMENT_MATRIX * sizeof(real);
  const double F = V * ELEMENT_NODE_DOF * sizeof(real), A = stage_entries(size) * sizeof(real);
  stage_pass(stage, &bytes, WORK_VECTOR, read, vectors);
  stage_pass(stage, &bytes, WORK_VECTOR, vectors + 4 * ELEMENT_NODES * T + 8 * V, F);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, read, vectors + matrices);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, vectors + matrices + 4 * sources * T + 20 * V + (24 + 8) * P, F + A);
  return bytes;
}

extern const AssemblyMethod ELEMENT_ROW(cpu_opt);
const AssemblyMethod ELEMENT_ROW(cpu_opt) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "cpu_opt",
             .summary = "computes each tet once, then sums the results of all tets by precomputed lists of node pairs",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes_of },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
};
