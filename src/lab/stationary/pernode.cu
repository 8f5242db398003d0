// The assembly method `pernode`. One thread per node evaluates all cells at its node. From them it computes the row of
// the matrix and the entry of the load vector that belong to the node. No element matrices are stored, but every cell
// is evaluated once for each of its nodes. This pays if evaluating an element costs less than writing and reading its
// matrix and vector. Example: for a triangle with one unknown per node, three evaluations take some 100 operations, and
// matrix and vector take 88 bytes.
//
// A thread sums at most ROOM entries of its row at a time, in shared memory. If the row is longer, all cells are
// evaluated again for each further ROOM entries. Cells are added in ascending order.
#include <math_constants.h>
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/packed_lists.cuh"
#include "sim/element/element.h"

namespace pernode_assembly {

enum {
  ROWS = 128,  // number of threads of a thread block, one per node
  ROOM = 16,   // number of entries of a row that a thread sums at a time
};
static_assert(ELEMENT_NODE_DOF == 1, "a thread sums one row, so a node must have one unknown");

// Arrays on the device. Each node has a list of its cells and a list of the entries of its matrix row. The lists of the
// ROWS nodes of a thread block are padded to the longest one and interleaved, so that the loads of a warp are
// contiguous. Entry k of thread t of block B is cell[cell_start[B] + k * ROWS + t] or slot[slot_start[B] + k * ROWS +
// t].
typedef struct Data {
  int node_count, cell_count, blocks;
  int *node;            // [ELEMENT_NODES][cell_count], nodes of each cell
  real *supplemental;   // [ELEMENT_SUPPLEMENTAL][cell_count], S(e), the constants of each cell
  int64_t *cell_start;  // [blocks + 1], index in `cell` of each thread block's first entry
  int *cell;            // the cells at each node, ascending; padded with -1
  // For each entry of `cell`, ELEMENT_NODES numbers. If the entry is cell e in the list of node a, number b is the
  // position of node b of cell e among the columns of the matrix row of node a. For entry k of thread t of block B,
  // number b is at[(cell_start[B] + k * ROWS) * ELEMENT_NODES + b * ROWS + t].
  uint16_t *at;
  int64_t *slot_start;  // [blocks + 1], index in `slot` of each thread block's first entry
  int *slot;            // for each entry of a row, its index in the values of the matrix; -1: the entry is not stored
} Data;

// Computes load vector and matrix with one thread per node. The thread evaluates the cells at its node, and sums the
// node's part of the results. Input: data [nodes][ELEMENT_NODE_DATA], the nodal data. Results: vector [nodes], the load
// vector; with WITH_MATRIX, `matrix`, the values of the matrix; min_J [thread blocks], the smallest det J in the cells
// of each thread block.
template <bool WITH_MATRIX>
static __global__ void __launch_bounds__(ROWS)
    node_kernel(Data d, const real *__restrict__ data, ElementParameters parameters, real *__restrict__ vector,
                real *__restrict__ matrix, real *__restrict__ min_J) {
  __shared__ real sums[WITH_MATRIX ? ROOM * ROWS : 1];
  __shared__ real warp_min[ROWS / 32];
  const int thread = threadIdx.x, a = blockIdx.x * ROWS + thread;
  const int64_t first = d.cell_start[blockIdx.x], slots = WITH_MATRIX ? d.slot_start[blockIdx.x] : 0;
  const int cells = (int)(d.cell_start[blockIdx.x + 1] - first) / ROWS;
  const int entries = WITH_MATRIX ? (int)(d.slot_start[blockIdx.x + 1] - slots) / ROWS : 1;
  const int *__restrict__ cell = d.cell + first + thread;
  const uint16_t *__restrict__ at = d.at + first * ELEMENT_NODES + thread;
  real *own = sums + thread, smallest = CUDART_INF_F, F = 0;
  for (int begin = 0; begin < entries; begin += ROOM) {
    if (WITH_MATRIX)
#pragma unroll
      for (int k = 0; k < ROOM; k++) own[k * ROWS] = 0;
    F = 0;
    for (int k = 0; k < cells; k++) {
      const int e = cell[k * ROWS];
      if (e < 0) break;
      real data_e[ELEMENT_NODES * ELEMENT_NODE_DATA], S[ELEMENT_SUPPLEMENTAL_CAPACITY], F_e[ELEMENT_DOF];
      real A_e[ELEMENT_MATRIX];
      int node[ELEMENT_NODES], entry[ELEMENT_NODES];
#pragma unroll
      for (int i = 0; i < ELEMENT_NODES; i++) node[i] = d.node[(size_t)i * d.cell_count + e];
#pragma unroll
      for (int i = 0; i < ELEMENT_NODES; i++) entry[i] = at[(k * ELEMENT_NODES + i) * ROWS] - begin;
#pragma unroll
      for (int i = 0; i < ELEMENT_NODES; i++)
#pragma unroll
        for (int j = 0; j < ELEMENT_NODE_DATA; j++)
          data_e[i * ELEMENT_NODE_DATA + j] = data[node[i] * ELEMENT_NODE_DATA + j];
#pragma unroll
      for (int j = 0; j < ELEMENT_SUPPLEMENTAL; j++) S[j] = d.supplemental[(size_t)j * d.cell_count + e];
      real J = element_evaluate(data_e, S, &parameters, F_e, WITH_MATRIX ? A_e : NULL);
      if (J != J) J = -CUDART_INF_F;
      smallest = min(smallest, J);
#pragma unroll
      for (int i = 0; i < ELEMENT_NODES; i++) {
        if (node[i] != a) continue;
        F += F_e[i];
        if (WITH_MATRIX)
#pragma unroll
          for (int j = 0; j < ELEMENT_NODES; j++)
            if ((unsigned)entry[j] < ROOM)
              own[entry[j] * ROWS] += A_e[symmetric_index(ELEMENT_DOF, i < j ? i : j, i < j ? j : i)];
      }
    }
    if (WITH_MATRIX)
      for (int k = begin; k < entries && k < begin + ROOM; k++) {
        const int slot = d.slot[slots + (int64_t)k * ROWS + thread];
        if (slot >= 0) matrix[slot] = own[(k - begin) * ROWS];
      }
  }

  if (a < d.node_count) vector[a] = F;

  // Find the smallest det J of the thread block's cells. The result does not depend on the order of comparisons.
  for (int step = 16; step > 0; step /= 2) smallest = min(smallest, __shfl_xor_sync(0xffffffff, smallest, step));
  if (thread % 32 == 0) warp_min[thread / 32] = smallest;
  __syncthreads();
  if (thread != 0) return;
  for (int w = 1; w < ROWS / 32; w++) smallest = min(smallest, warp_min[w]);
  min_J[blockIdx.x] = smallest;
}

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  void *arrays[] = { d->node, d->supplemental, d->cell_start, d->cell, d->at, d->slot_start, d->slot };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free(d);
}

// Copies nodes and constants S(e) of all cells to the device. Number k of cell e (its k-th node or constant) is stored
// at index k * cell_count + e, so that threads of neighbouring cells read neighbouring addresses.
static bool put_cells(Data *d, const Space *space, Error *error) {
  const size_t cells = (size_t)d->cell_count;
  std::vector<int> node(cells * ELEMENT_NODES);
  std::vector<real> supplemental(cells * ELEMENT_SUPPLEMENTAL);
  for (size_t e = 0; e < cells; e++) {
    real S[ELEMENT_SUPPLEMENTAL_CAPACITY];
    for (int i = 0; i < ELEMENT_NODES; i++) node[(size_t)i * cells + e] = space_cell(space, (int)e)[i];
    element_supplemental(space, (int)e, S);
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) supplemental[(size_t)k * cells + e] = S[k];
  }
  return put(&d->node, node, error) && put(&d->supplemental, supplemental, error);
}

// Lists of nodes are stored one after the other: the list of node a has the entries start[a] to start[a + 1] - 1.
// Returns the length of the longest list among the ROWS nodes of thread block `block`.
static int longest_list(const Data *d, const int64_t *start, int block) {
  int64_t longest = 0;
  for (int a = block * ROWS; a < d->node_count && a < (block + 1) * ROWS; a++)
    if (start[a + 1] - start[a] > longest) longest = start[a + 1] - start[a];
  return (int)longest;
}

// Copies two lists to the device: the cells at each node a, and for each of these cells, the positions of its nodes
// among the columns of the matrix row of node a.
static bool put_lists(Data *d, const Space *space, Error *error) {
  NodeCells at = {};
  uint16_t *offset = assembly_offsets(space, error);
  const bool ok = offset && node_cells_create(&at, space, error);
  std::vector<int64_t> start(1, 0);
  std::vector<int> cell;
  std::vector<uint16_t> entry;
  for (int block = 0; ok && block < d->blocks; block++) {
    const int64_t first = start.back();
    start.push_back(first + (int64_t)longest_list(d, at.start, block) * ROWS);
    cell.resize((size_t)start.back(), -1);
    entry.resize((size_t)start.back() * ELEMENT_NODES, 0);
    for (int a = block * ROWS; a < d->node_count && a < (block + 1) * ROWS; a++)
      for (int64_t t = at.start[a]; t < at.start[a + 1]; t++) {
        const int64_t k = t - at.start[a];
        const int e = at.cell[t], *node = space_cell(space, e), thread = a % ROWS;
        int i = 0;
        while (node[i] != a) i++;
        cell[(size_t)(first + k * ROWS + thread)] = e;
        for (int j = 0; j < ELEMENT_NODES; j++)
          entry[(size_t)((first + k * ROWS) * ELEMENT_NODES + j * ROWS + thread)] =
              offset[((int64_t)e * ELEMENT_NODES + i) * ELEMENT_NODES + j];
      }
  }

  node_cells_destroy(&at);
  free(offset);
  return ok && put(&d->cell_start, start, error) && put(&d->cell, cell, error) && put(&d->at, entry, error);
}

// Computes d->slot and copies it to the device: for each entry of the matrix row of each node, its index in the values
// of the matrix.
static bool put_slots(Data *d, const Space *space, const Operator *layout, Error *error) {
  const Adjacency *graph = &space->graph;
  std::vector<int64_t> start(1, 0);
  std::vector<int> slot;
  for (int block = 0; block < d->blocks; block++) {
    const int64_t first = start.back();
    start.push_back(first + (int64_t)longest_list(d, graph->start, block) * ROWS);
    slot.resize((size_t)start.back(), -1);
    for (int a = block * ROWS; a < d->node_count && a < (block + 1) * ROWS; a++)
      for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
        slot[(size_t)(first + (pair - graph->start[a]) * ROWS + a % ROWS)] =
            operator_mirrors(layout, pair) ? -1 : operator_slot(layout, a, pair, 0, 0);
  }
  return put(&d->slot_start, start, error) && put(&d->slot, slot, error);
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  if (!d) return false;
  d->node_count = space->node_count;
  d->cell_count = space->cell_count;
  d->blocks = d->node_count / ROWS + (d->node_count % ROWS > 0);
  assembly->min_J_count = d->blocks;
  assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)d->blocks, error);
  return assembly->min_J && put_cells(d, space, error) && put_lists(d, space, error) &&
         (!assembly->layout->slots || put_slots(d, space, assembly->layout, error));
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  const Data *d = (const Data *)assembly->data;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  const auto kernel = values ? node_kernel<true> : node_kernel<false>;
  kernel<<<d->blocks, ROWS, 0, (cudaStream_t)stream.handle>>>(*d, (const real *)nodal, parameters, (real *)F,
                                                              (real *)values, (real *)assembly->min_J);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Estimates how many bytes of memory the assembly uses, and how many bytes a run reads and writes. For each cell,
// counts its nodes and constants. For each node, counts its cells, and the positions of each cell's nodes in the node's
// matrix row. Also counts the nodal data, the load vector, and the rows of the matrix with the indices of their values.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes, entries = stage_entries(size), data = V * ELEMENT_NODE_DATA;
  const double cells = T * (4 * ELEMENT_NODES + size->supplemental * sizeof(real));
  const double lists = T * ELEMENT_NODES * (4 + 2 * ELEMENT_NODES), F = V * sizeof(real);
  StageBytes bytes = stage_takes(stage, cells + lists + 4 * entries);
  stage_pass(stage, &bytes, WORK_VECTOR, cells + 4 * T * ELEMENT_NODES + data * sizeof(real), F);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, cells + lists + data * sizeof(real) + 4 * entries,
             F + entries * sizeof(real));
  return bytes;
}

extern "C" {
extern const AssemblyMethod ELEMENT_ROW(pernode);
const AssemblyMethod ELEMENT_ROW(pernode) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "pernode",
             .summary = "one thread per node computes all cells at its node, so each cell is computed once for each of "
                        "its nodes",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
};
}

}  // namespace pernode_assembly
