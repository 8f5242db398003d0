// Assembly "cpu": the direct stiffness method (paper 000, Algorithm 1) on all cores. The nodes are divided into parts,
// ranges of consecutive nodes. A thread that processes a part adds only to the matrix rows of the part's nodes, so
// parts run in parallel. A tet with nodes of several parts is evaluated once for each of them. Each row sums its terms
// in the order of the tets, so the bits of the result do not depend on the number of threads.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "sim/assembly/assembly.h"
#include "sim/element/element.h"

typedef struct Data {
  // part_count: number of parts, ranges of consecutive nodes. part_nodes: number of nodes of a part. node_count: number
  // of nodes of the mesh.
  int part_count, part_nodes, node_count;
  int64_t *tet_start;         // [part_count + 1], index in tet_of_part of each part's first tet
  int *tet_of_part;           // for each part, the tets that have one of its nodes, ascending
  int (*tet)[ELEMENT_NODES];  // [tet_count], nodes of each tet
  real *supplemental;         // [tet_count][ELEMENT_SUPPLEMENTAL], S(e), the constants of each tet
  // [tet_count][ELEMENT_NODES][ELEMENT_NODES]: element [e][a][b] is the index of node b of tet e in the sorted list of
  // neighbours of node a (assembly_offsets)
  uint16_t *offset;
} Data;

// Returns the part of a node; a part is a range of part_nodes consecutive nodes.
static int part_of(const Data *d, int node) {
  return node / d->part_nodes;
}

static void destroy_data(Assembly *assembly) {
  Data *d = assembly->data;
  free(d->tet_start);
  free(d->tet_of_part);
  free(d->tet);
  free(d->supplemental);
  free(d->offset);
  free(d);
}

// Finds the parts to which a tet's nodes belong; a part is a range of nodes. Writes the numbers of these parts to
// `part`, each once, and returns their count.
static int parts_of_tet(const Data *d, const int tet[ELEMENT_NODES], int part[ELEMENT_NODES]) {
  int count = 0;
  for (int a = 0; a < ELEMENT_NODES; a++) {
    int known = 0;
    while (known < count && part[known] != part_of(d, tet[a])) known++;
    if (known == count) part[count++] = part_of(d, tet[a]);
  }
  return count;
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = assembly->data = array_new(1, sizeof *d, "assembly data", error);
  if (!d) return false;
  const int tets = space->cell_count;
  d->node_count = space->node_count;
  d->part_nodes = assembly_part_nodes(space->node_count);
  d->part_count = part_of(d, space->node_count - 1) + 1;
  d->tet_start = array_new(d->part_count + 1, sizeof *d->tet_start, "parts", error);
  d->tet = array_new(tets, sizeof *d->tet, "tets", error);
  d->supplemental = array_new((int64_t)tets * ELEMENT_SUPPLEMENTAL, sizeof *d->supplemental, "tets", error);
  d->offset = assembly_offsets(space, error);
  assembly->min_J_count = d->part_count;
  assembly->min_J = device_alloc(DEVICE_CPU, sizeof(real) * (size_t)d->part_count, error);
  if (!d->tet_start || !d->tet || !d->supplemental || !d->offset || !assembly->min_J) return false;
  for (int e = 0; e < tets; e++) {
    for (int a = 0; a < ELEMENT_NODES; a++) d->tet[e][a] = space_cell(space, e)[a];
    element_supplemental(space, e, d->supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL);
  }

  // First count the tets of each part in tet_start, then list them.
  int part[ELEMENT_NODES];
  for (int e = 0; e < tets; e++)
    for (int k = parts_of_tet(d, d->tet[e], part) - 1; k >= 0; k--) d->tet_start[part[k] + 1]++;
  for (int p = 0; p < d->part_count; p++) d->tet_start[p + 1] += d->tet_start[p];
  d->tet_of_part = array_new(d->tet_start[d->part_count], sizeof *d->tet_of_part, "tets", error);
  int64_t *fill = array_new(d->part_count, sizeof *fill, "parts", error);
  const bool ok = d->tet_of_part && fill;
  for (int e = 0; ok && e < tets; e++)
    for (int k = parts_of_tet(d, d->tet[e], part) - 1; k >= 0; k--)
      d->tet_of_part[d->tet_start[part[k]] + fill[part[k]]++] = e;
  free(fill);
  return ok;
}

// Computes the rows of F, the force vector, and of the matrix that belong to a part, a range of nodes. data
// [node_count][ELEMENT_NODE_DATA]: nodal data, for example displacements. values: the matrix values; NULL if the matrix
// is not needed. Returns the smallest J = det F of the part's tets, with F the deformation gradient, or -inf if J of a
// tet is NaN.
static real assemble_part(const Data *d, const Operator *layout, int part, const ElementParameters *parameters,
                          const real *data, real *F, real *values) {
  const int64_t *start = layout->space->graph.start;
  const int first = part * d->part_nodes;
  const int last = first + d->part_nodes < d->node_count ? first + d->part_nodes : d->node_count;
  for (int row = ELEMENT_NODE_DOF * first; row < ELEMENT_NODE_DOF * last; row++) F[row] = 0;
  for (int a = first; values && a < last; a++)
    for (int64_t pair = start[a]; pair < start[a + 1]; pair++)
      for (int i = 0; i < ELEMENT_NODE_DOF && !operator_mirrors(layout, pair); i++)
        for (int k = 0; k < ELEMENT_NODE_DOF; k++) values[operator_slot(layout, a, pair, i, k)] = 0;

  real min_J = INFINITY;
  for (int64_t t = d->tet_start[part]; t < d->tet_start[part + 1]; t++) {
    const int e = d->tet_of_part[t], *node = d->tet[e];
    real nodal[ELEMENT_NODES * ELEMENT_NODE_DATA], F_e[ELEMENT_DOF], A_e[ELEMENT_MATRIX];
    for (int a = 0; a < ELEMENT_NODES; a++)
      for (int i = 0; i < ELEMENT_NODE_DATA; i++)
        nodal[ELEMENT_NODE_DATA * a + i] = data[ELEMENT_NODE_DATA * node[a] + i];
    const real J = element_evaluate(nodal, d->supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL, parameters, F_e,
                                    values ? A_e : NULL);
    if (!(J >= min_J)) min_J = J == J ? J : -(real)INFINITY;
    for (int a = 0; a < ELEMENT_NODES; a++) {
      if (part_of(d, node[a]) != part) continue;
      const uint16_t *offset = d->offset + ((int64_t)e * ELEMENT_NODES + a) * ELEMENT_NODES;
      for (int i = 0; i < ELEMENT_NODE_DOF; i++) F[ELEMENT_NODE_DOF * node[a] + i] += F_e[ELEMENT_NODE_DOF * a + i];
      for (int b = 0; values && b < ELEMENT_NODES; b++) {
        const int64_t pair = start[node[a]] + offset[b];
        for (int i = 0; i < ELEMENT_NODE_DOF && !operator_mirrors(layout, pair); i++)
          for (int k = 0; k < ELEMENT_NODE_DOF; k++)
            values[operator_slot(layout, node[a], pair, i, k)] +=
                A_e[symmetric_index(ELEMENT_DOF, ELEMENT_NODE_DOF * a + i, ELEMENT_NODE_DOF * b + k)];
      }
    }
  }
  return min_J;
}

// Arguments of assemble_parts, the parallel loop over parts. nodal: input, for example the displacement of each node.
// F: output, the force vector. values: output, the values of the matrix; NULL: not computed.
typedef struct Task {
  const Assembly *assembly;
  ElementParameters parameters;
  const real *nodal;
  real *F, *values;
  // Becomes true when the user interrupts the run. The parts that have not begun are then skipped.
  atomic_bool *left;
} Task;

// Returns true if the user has interrupted the run.
static bool leave(const Task *t) {
  if (!atomic_load_explicit(t->left, memory_order_relaxed) && interrupt_requested())
    atomic_store_explicit(t->left, true, memory_order_relaxed);
  return atomic_load_explicit(t->left, memory_order_relaxed);
}

// Assembles the matrix rows of the parts `first` to `last` - 1. A part is a range of nodes.
static void assemble_parts(const void *task, int first, int last) {
  const Task *t = task;
  real *min_J = t->assembly->min_J;
  for (int part = first; part < last && !leave(t); part++)
    min_J[part] =
        assemble_part(t->assembly->data, t->assembly->layout, part, &t->parameters, t->nodal, t->F, t->values);
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  (void)stream;
  atomic_bool left = false;
  const Data *d = assembly->data;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  const Task task = { assembly, parameters, nodal, F, values, &left };
  parallel_for(d->part_count, 1, assemble_parts, &task);
  return !left || interrupt_check(error);
}

// Estimates the bytes of this assembly's arrays, and the bytes that it reads and writes each time it runs. This is the
// function Stage.bytes. A tet is evaluated 1.2 times on average, because a tet with nodes in several parts is evaluated
// for each of them.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double tet = 1.2 * 4 + 4 * ELEMENT_NODES + size->supplemental * sizeof(real);
  const double offsets = 2 * ELEMENT_NODES * ELEMENT_NODES;
  StageBytes bytes = stage_takes(stage, size->cells * (tet + offsets));
  // Bytes that the method reads: tets and nodal data; for the matrix also the indices of blocks.
  const double read = size->cells * tet + size->nodes * ELEMENT_NODE_DATA * sizeof(real);
  const double slot_bytes = size->cells * offsets + sizeof(BlockSlots) * stage_blocks(size);
  const double F = size->nodes * ELEMENT_NODE_DOF * sizeof(real), A = stage_entries(size) * sizeof(real);
  stage_pass(stage, &bytes, WORK_VECTOR, read, F);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, read + slot_bytes, F + A);
  return bytes;
}

extern const AssemblyMethod ELEMENT_ROW(cpu);
const AssemblyMethod ELEMENT_ROW(cpu) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "cpu",
             .summary = "direct stiffness method on all cores",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes_of },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
};
