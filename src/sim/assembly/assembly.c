// Functions common to all assembly methods: creation, the check of the memory budget, and the calls of a method's
// functions.
#include "sim/assembly/assembly.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// Fails if the user has set a budget of GPU memory that this method ignores, while another method for this element
// respects it.
static bool check_budget(const AssemblyMethod *method, double budget, Error *error) {
  const Stage *own = &method->stage, *next = NULL;
  if (!(budget > 0) || method->chunks) return true;
  while ((next = stage_next(next, STAGE_ASSEMBLY, own->device, own->precision, own->element)))
    if (((const AssemblyMethod *)next)->chunks)
      return error_set(
          error, "memory_budget has no effect on the chosen assembly; choose --assembly %s, which respects the budget",
          next->name);
  return true;
}

bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const Space *space, const Operator *layout,
                     Partitioner partitioner, double budget, Error *error) {
  *assembly = (Assembly){ .method = method, .layout = layout, .partitioner = partitioner, .budget = budget };
  if (check_budget(method, budget, error) && method->create(assembly, space, error)) return true;
  assembly_destroy(assembly);
  return error_prefix(error, "assembly %s", method->stage.name);
}

void assembly_destroy(Assembly *assembly) {
  if (assembly->data) assembly->method->destroy_data(assembly);
  if (assembly->method) device_free(assembly->method->stage.device, assembly->min_J);
  *assembly = (Assembly){ 0 };
}

bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                  Stream stream, Error *error) {
  return assembly->method->assemble(assembly, parameters, nodal, F, values, stream, error);
}

bool assembly_run_shifted(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                          Operator *A, const AssemblyShift *shift, Stream stream, Error *error) {
  const bool stores = operator_stores(A);
  if (assembly->method->assemble_shifted)
    return assembly->method->assemble_shifted(assembly, parameters, nodal, F, A, shift, stream, error);
  return assembly_run(assembly, parameters, nodal, F, stores ? A->values : NULL, stream, error) &&
         (stores || operator_linearise(A, parameters, nodal, stream, error)) &&
         operator_shift(A, shift->shift, shift->crosses, shift->diagonal, shift->wanted, stream, error);
}

// Arguments of find_offsets, a parallel loop over cells. It fills offset [cells][cell_nodes][cell_nodes]: entry
// [e][a][b] is the index of cell e's node b in the sorted list of neighbours of its node a. CHUNK: number of cells that
// a thread takes at a time.
enum { CHUNK = 1024 };

typedef struct OffsetsTask {
  const Space *space;
  uint16_t *offset;
} OffsetsTask;

static void find_offsets(const void *task, int first, int last) {
  const Space *space = ((const OffsetsTask *)task)->space;
  const Adjacency *graph = &space->graph;
  const int nodes = space->cell_nodes;
  uint16_t *offset = ((const OffsetsTask *)task)->offset + (int64_t)first * nodes * nodes;
  for (int e = first; e < last && !interrupt_requested(); e++) {
    const int *node = space_cell(space, e);
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < nodes; b++)
        *offset++ = (uint16_t)(adjacency_find(graph, node[a], node[b]) - graph->start[node[a]]);
  }
}

uint16_t *assembly_offsets(const Space *space, Error *error) {
  const Adjacency *graph = &space->graph;
  for (int a = 0; a < space->node_count; a++)
    if (graph->start[a + 1] - graph->start[a] > UINT16_MAX) {
      error_set(error,
                "node %lld has more than %d neighbours, the maximum for this assembly method; choose another method "
                "(--assembly)",
                (long long)space->node_tag[a], UINT16_MAX - 1);
      return NULL;
    }
  const int64_t pairs = (int64_t)space->cell_nodes * space->cell_nodes * space->cell_count;
  uint16_t *offset = array_new(pairs, sizeof *offset, "pairs of a cell's nodes", error);
  if (!offset) return NULL;
  parallel_for(space->cell_count, CHUNK, find_offsets, &(OffsetsTask){ space, offset });
  if (interrupt_check(error)) return offset;
  free(offset);
  return NULL;
}

int assembly_part_nodes(int node_count) {
  // A part is a range of nodes that one thread assembles. Parts differ in cost. Each thread gets PARTS_PER_THREAD
  // parts, so that all threads end at about the same time. Cells with nodes in two parts are evaluated twice. In small
  // parts this costs too much, so a part has at least NODES_MIN nodes.
  enum { PARTS_PER_THREAD = 4, NODES_MIN = 256 };
  const int share = node_count / (PARTS_PER_THREAD * parallel_threads()) + 1;
  return share > NODES_MIN ? share : NODES_MIN;
}
