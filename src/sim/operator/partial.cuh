// Kernels that operator `partial` and the assembly of that name share, and the making of their arrays. A block of
// threads takes a batch of cells (cell_batches.h), a thread a cell; then a thread adds up each unknown.
#pragma once
#include <math_constants.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "base/array.h"
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/element/solid_points.h"
#include "sim/operator/apply.cuh"
#include "sim/operator/operator.h"
#include "sim/operator/partial.h"

enum {
  CELLS = BATCH_CELLS,
  BATCH_NODES = CELLS * ELEMENT_NODES,  // of a batch at the most
  NODE_BLOCK = 192                      // threads of node_kernel: those of a node are in one block
};

// the numbers [3] of a batch's nodes, each once, to shared memory; every thread must call it
static __device__ __forceinline__ void load_nodes(const CellBatches &b, const real *__restrict__ all, real *room) {
  const int first = b.slot_start[blockIdx.x], values = 3 * (b.slot_start[blockIdx.x + 1] - first);
  for (int v = threadIdx.x; v < values; v += CELLS) room[v] = all[3 * (size_t)b.slot_node[first + v / 3] + v % 3];
  __syncthreads();
}

static __device__ __forceinline__ bool has_cell(const CellBatches &b) {
  return b.local[(size_t)blockIdx.x * BATCH_NODES + threadIdx.x] != BATCH_NO_CELL;
}

// the numbers of this thread's cell
static __device__ __forceinline__ void gather_nodes(const CellBatches &b, const real *room, real own[ELEMENT_DOF]) {
  const uint16_t *__restrict__ local = b.local + (size_t)blockIdx.x * BATCH_NODES + threadIdx.x;
#pragma unroll
  for (int a = 0; a < ELEMENT_NODES; a++) {
    const int at = 3 * local[a * CELLS];
#pragma unroll
    for (int i = 0; i < 3; i++) own[3 * a + i] = room[at + i];
  }
}

static __device__ __forceinline__ void load_supplemental(const real *__restrict__ all, real S[ELEMENT_SUPPLEMENTAL]) {
  const real *s = all + (size_t)blockIdx.x * ELEMENT_SUPPLEMENTAL * CELLS + threadIdx.x;
#pragma unroll
  for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) S[k] = s[k * CELLS];
}

// what a batch's cells have left in room [ELEMENT_NODES][STRIDE][CELLS] from row `first_row` of each node on, VALUES
// for a node, added up for each slot: to [slot_count][VALUES]
template <int VALUES, int STRIDE>
static __device__ __forceinline__ void add_up_slots(const CellBatches &b, const real *room, int first_row,
                                                    real *__restrict__ sums) {
  const int first = b.slot_start[blockIdx.x], values = VALUES * (b.slot_start[blockIdx.x + 1] - first);
  const uint16_t *__restrict__ start = b.list_start + first + blockIdx.x;
  const uint16_t *__restrict__ corner = b.corner + (size_t)blockIdx.x * BATCH_NODES;
  for (int v = threadIdx.x; v < values; v += CELLS) {
    const int slot = v / VALUES, row = first_row + v % VALUES, last = start[slot + 1];
    real sum = 0;
    for (int k = start[slot]; k < last; k++) {
      const int c = corner[k];
      sum += room[(c / CELLS * STRIDE + row) * CELLS + c % CELLS];
    }
    sums[(size_t)first * VALUES + v] = sum;
  }
}

// value v of a node: what its slots have, added up in their order
template <int VALUES>
static __device__ __forceinline__ real add_up_node(const CellBatches &b, const real *__restrict__ sums, int node,
                                                   int v) {
  real sum = 0;
  const int last = b.node_start[node + 1];
  for (int k = b.node_start[node]; k < last; k++) sum += sums[(size_t)b.node_slot[k] * VALUES + v];
  return sum;
}

static __device__ __forceinline__ real *points_of(const PartialLayout &l) {
  return (real *)l.points + (size_t)blockIdx.x * CELL_POINT_REALS * CELLS + threadIdx.x;
}

// The state of a body at nodal data [node_count][3]: what is kept of its cells' points, and own blocks by slots; or the
// vector by slots, and the smallest J of each batch in min_J [batch_count]; or all of it.
template <bool TANGENT, bool VECTOR>
static __global__ void __launch_bounds__(CELLS) state_kernel(PartialLayout l, const real *__restrict__ nodal,
                                                             ElementParameters parameters, real *__restrict__ min_J) {
  enum { STRIDE = (TANGENT ? OWN_REALS : 0) + (VECTOR ? 3 : 0) };  // rows of a node: its own block, then its vector
  __shared__ real room[ELEMENT_NODES * STRIDE * CELLS];            // nodal data first
  __shared__ real warp_min[CELLS / 32];
  const int thread = threadIdx.x;
  const bool here = has_cell(l.batches);
  real u[ELEMENT_DOF], J = CUDART_INF_F;
  if (TANGENT && blockIdx.x == 0 && thread == 0) *(ElementParameters *)l.parameters = parameters;
  load_nodes(l.batches, nodal, room);
  if (here) gather_nodes(l.batches, room, u);
  __syncthreads();  // all have read

  if (here) {
    real S[ELEMENT_SUPPLEMENTAL], F[ELEMENT_DOF], *points = points_of(l);
    load_supplemental((const real *)l.supplemental, S);
#pragma unroll 1  // else a thread has all points' numbers at once, 255 registers
    for (int q = 0; q < SHAPE_POINTS; q++) {
      MaterialPoint point;
      const real J_q = point_linearise(u, S, &parameters, q, &point, VECTOR ? F : (real *)NULL);
      J = q == 0 ? J_q : real_smaller(J_q, J);
      if (TANGENT) {
        real kept[POINT_REALS], B[SHAPE_NODES][3];
        memcpy(kept, &point, sizeof point);
#pragma unroll
        for (int k = 0; k < POINT_REALS; k++) points[(q * POINT_REALS + k) * CELLS] = kept[k];
        const MaterialTangent t = material_tangent(&point, &parameters.material,
                                                   parameters.matrix_scale * shape_stiffness(S) * shape_volume(S, q));
        shape_gradients(S, q, B);
#pragma unroll
        for (int a = 0; a < ELEMENT_NODES; a++) {
          real own[OWN_REALS], *column = room + a * STRIDE * CELLS + thread;
          if (q > 0)
#pragma unroll
            for (int v = 0; v < OWN_REALS; v++) own[v] = column[v * CELLS];
          point_own(&point, &t, B[a], q, own);
#pragma unroll
          for (int v = 0; v < OWN_REALS; v++) column[v * CELLS] = own[v];
        }
      }
    }
    if (VECTOR) {
      J = smallest_with_corners(u, S, J);
      if (J != J) J = -CUDART_INF_F;
#pragma unroll
      for (int a = 0; a < ELEMENT_NODES; a++)
#pragma unroll
        for (int i = 0; i < 3; i++) room[(a * STRIDE + STRIDE - 3 + i) * CELLS + thread] = F[3 * a + i];
    }
  }
  if (VECTOR) {  // minima have no rounding, so any order will do
    for (int step = 16; step > 0; step /= 2) J = min(J, __shfl_xor_sync(0xffffffff, J, step));
    if (thread % 32 == 0) warp_min[thread / 32] = J;
  }
  __syncthreads();
  if (VECTOR && thread == 0) {
    for (int w = 1; w < CELLS / 32; w++) J = min(J, warp_min[w]);
    min_J[blockIdx.x] = J;
  }
  if (TANGENT) add_up_slots<OWN_REALS, STRIDE>(l.batches, room, 0, (real *)l.own);
  if (VECTOR) add_up_slots<3, STRIDE>(l.batches, room, STRIDE - 3, (real *)l.partial);
}

// A node's unknowns, a thread each. VECTOR: F [n] from the slots. BEGIN: no shift is left of the state before.
// SHIFT: it is added, as operator_shift says, and own blocks are those of the slots with all that was.
template <bool VECTOR, bool BEGIN, bool SHIFT>
static __global__ void __launch_bounds__(NODE_BLOCK)
    node_kernel(int n, PartialLayout l, real *__restrict__ F, const real *__restrict__ shift, int crosses,
                real *__restrict__ blocks, real *__restrict__ diagonal, const int *wanted) {
  const int row = blockIdx.x * NODE_BLOCK + threadIdx.x, a = row / 3, i = row % 3;
  const bool adds = SHIFT && (!wanted || *wanted);
  real *kept = (real *)l.shift, *crossed = kept + n + 3 * (size_t)a;
  // (i, k) and (k, i) of an own block have one number, at i + k - 1
  real own = 0, cross[3] = { 0, 0, 0 };
  if (!BEGIN && row < n) {
    own = kept[row];
    for (int k = 0; k < 3; k++) cross[k] = crossed[k];
  }
  __syncthreads();  // all three threads of a node have read
  if (row >= n) return;
  if (VECTOR) F[row] = add_up_node<3>(l.batches, (const real *)l.partial, a, i);
  if (adds) {
    own += shift[row];
#pragma unroll
    for (int k = 0; k < 3; k++)
      if (k < crosses) cross[k] += shift[(size_t)n + (size_t)crosses * a + k];
    real block[3];
    for (int k = 0; k < 3; k++) {
      block[k] = add_up_node<OWN_REALS>(l.batches, (const real *)l.own, a, symmetric_index(3, i, k));
      block[k] += k == i ? own : i + k == 1 ? cross[0] : i + k == 2 ? cross[1] : cross[2];
      blocks[9 * (size_t)a + 3 * i + k] = block[k];
    }
    diagonal[row] = i == 0 ? block[0] : i == 1 ? block[1] : block[2];
  }
  if (!BEGIN && !adds) return;
  kept[row] = own;
  crossed[i] = i == 0 ? cross[0] : i == 1 ? cross[1] : cross[2];
}

// of a space: batches and S(e), and room for what sums leave; the rest is the operator's
static bool partial_create(PartialLayout *l, const Space *space, Error *error) {
  if (!cell_batches_create(&l->batches, space, DEVICE_CUDA, error)) return false;
  const CellBatches &b = l->batches;
  std::vector<real> S((size_t)b.batch_count * ELEMENT_SUPPLEMENTAL * CELLS, 0);
  for (int at = 0; at < b.batch_count * CELLS; at++) {
    real own[ELEMENT_SUPPLEMENTAL];
    if (b.cell[at] < 0) continue;
    element_supplemental(space, b.cell[at], own);
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++)
      S[((size_t)(at / CELLS) * ELEMENT_SUPPLEMENTAL + k) * CELLS + at % CELLS] = own[k];
  }
  l->supplemental = device_clone(DEVICE_CUDA, S.data(), S.size() * sizeof(real), error);
  l->partial = device_alloc(DEVICE_CUDA, sizeof(real) * 3 * (size_t)b.slot_count, error);
  return l->supplemental && l->partial;
}

static void partial_destroy(PartialLayout *l) {
  void *arrays[] = { l->supplemental, l->points, l->own, l->parameters, l->shift, l->partial };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  cell_batches_destroy(&l->batches, DEVICE_CUDA);
}
