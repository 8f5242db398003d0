// The assembly method `chunked` for hexahedra. It fills the format `lcsr`, a lower triangle, group by group
// (lab/lower/chunked.h). The CPU stores the matrix and sums the element matrices into it. A GPU computes the element
// matrices if there is one and the user gives a budget of GPU memory (memory_budget); otherwise the CPU does. The load
// vector needs no groups: the CPU computes the element vectors of all cells, and then sums their entries at each node.
#include "lab/lower/chunked.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"
#include "sim/assembly/assembly.h"
#include "sim/element/element.h"

enum { CELL_CHUNK = 4096, ROW_CHUNK = 4096 };

typedef struct Data {
  const Space *space;
  LowerCorners corners;
  LowerPattern pattern;
  Chunked chunked;
  real *vectors;  // [cell_count][ELEMENT_DOF], the element vector of each cell: its load on each of its nodes
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = assembly->data;
  chunked_destroy(&d->chunked);
  lower_pattern_destroy(&d->pattern);
  lower_corners_destroy(&d->corners);
  free(d->vectors);
  free(d);
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = assembly->data = array_new(1, sizeof *d, "assembly data", error);
  if (!d) return false;
  const double budget = assembly->budget;
  const Device device = budget > 0 && device_present(DEVICE_CUDA) ? DEVICE_CUDA : DEVICE_CPU;
  const ChunkedSettings settings = { .device = device, .precision = REAL_PRECISION, .budget = budget };
  d->space = space;
  d->vectors = array_new((int64_t)space->cell_count * ELEMENT_DOF, sizeof *d->vectors, "element vectors", error);
  assembly->min_J_count = space->cell_count / CELL_CHUNK + 1;
  assembly->min_J = device_alloc(DEVICE_CPU, sizeof(real) * (size_t)assembly->min_J_count, error);
  return d->vectors && assembly->min_J && lower_corners_create(&d->corners, space, error) &&
         lower_pattern_connect(&d->pattern, space, &d->corners, error) &&
         chunked_create(&d->chunked, space, &d->pattern, &d->corners, &settings, error);
}

// Arguments of the parallel loops over cells and over nodes. nodal [node_count][ELEMENT_NODE_DATA] is the input of the
// element formulas at each node, such as its position. F [node_count] gets the load vector. min_J gets the smallest det
// J in each chunk of CELL_CHUNK cells.
typedef struct Task {
  const Data *d;
  ElementParameters parameters;
  const real *nodal;
  real *F, *min_J;
} Task;

static void evaluate_cells(const void *task, int first, int last) {
  const Task *t = task;
  real min_J = INFINITY;
  for (int e = first; e < last; e++) {
    const int *node = space_cell(t->d->space, e);
    real nodal[ELEMENT_NODES * ELEMENT_NODE_DATA], S[ELEMENT_SUPPLEMENTAL_CAPACITY];
    for (int a = 0; a < ELEMENT_NODES; a++)
      for (int i = 0; i < ELEMENT_NODE_DATA; i++)
        nodal[ELEMENT_NODE_DATA * a + i] = t->nodal[(int64_t)ELEMENT_NODE_DATA * node[a] + i];
    element_supplemental(t->d->space, e, S);
    const real J = element_evaluate(nodal, S, &t->parameters, t->d->vectors + (int64_t)e * ELEMENT_DOF, NULL);
    if (!(J >= min_J)) min_J = J == J ? J : -(real)INFINITY;
  }
  t->min_J[first / CELL_CHUNK] = min_J;
}

// Computes the loads F_a of the nodes `first` to `last` - 1: sums the element vectors of the cells at node a. Corner
// number e * ELEMENT_NODES + i is node i of cell e; this number is also the index of this node's entry in `vectors`.
static void add_vectors(const void *task, int first, int last) {
  const Task *t = task;
  const LowerCorners *corners = &t->d->corners;
  for (int a = first; a < last; a++) {
    real sum = 0;
    for (int64_t k = corners->start[a]; k < corners->start[a + 1]; k++) sum += t->d->vectors[corners->corner[k]];
    t->F[a] = sum;
  }
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  (void)stream;
  Data *d = assembly->data;
  ChunkedTimes times;
  const Task task = { d, element_parameters(p->material, p->vector_scale, p->matrix_scale), nodal, F, assembly->min_J };
  task.min_J[assembly->min_J_count - 1] = INFINITY;
  parallel_for(d->space->cell_count, CELL_CHUNK, evaluate_cells, &task);
  parallel_for(d->space->node_count, ROW_CHUNK, add_vectors, &task);
  return !values || chunked_run(&d->chunked, p->material[0] * p->matrix_scale, values, &times, error);
}

static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double entries = (stage_entries(size) + size->nodes) / 2, cells = size->cells;
  const double data = cells * (4 * ELEMENT_NODES + sizeof(real) * ELEMENT_DOF), index = 4 * entries + 8 * size->nodes;
  // Element matrices are not counted, because only those of two groups are in memory at a time.
  StageBytes bytes = stage_takes(stage, data + index + 4 * ELEMENT_NODES * cells);
  const double vector = size->nodes * sizeof(real), nodal = vector * ELEMENT_NODE_DATA;
  stage_pass(stage, &bytes, WORK_VECTOR, data + nodal, data + vector);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, 2 * data + nodal + index, data + vector + entries * sizeof(real));
  return bytes;
}

extern const AssemblyMethod ELEMENT_ROW(chunked);
const AssemblyMethod ELEMENT_ROW(chunked) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "chunked",
             .summary =
                 "computes element matrices of one group of cells after another, on a GPU if memory_budget is set",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes_of },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
  .matrix = "lcsr",
  .chunks = true,
};
