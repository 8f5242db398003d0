// Kernels of the operator and the assembly "partial". A thread block processes a batch of BATCH_CELLS cells
// (cell_batches.h). Each cell contributes to forces, to products y = A x and to diagonal blocks at its nodes. The
// thread block sums these contributions in shared memory at each node of the batch. A slot is the index of one of these
// sums in device memory. A second kernel sums, for each unknown of the body, the slots of its node, one from each batch
// with the node.
//
// Cells with one or four integration points have one thread per point. Their thread blocks mostly wait for memory, so
// they load all lists and points at the beginning. Cells with eight or more points have one thread, which processes the
// points in turn. Such a thread has enough arithmetic to hide the waits for memory.
#pragma once
#include <math_constants.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/element/axis_points.h"
#include "sim/operator/corner_block.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/operator.h"
#include "sim/operator/partial/partial.h"

#ifdef MATERIAL_COMPACT
enum { COMPACT = 1 };
#else
enum { COMPACT = 0 };
#endif
enum {
  CELLS = BATCH_CELLS,                  // cells per batch (group of cells of a thread block)
  BATCH_NODES = CELLS * ELEMENT_NODES,  // max nodes of a batch (group of CELLS cells)
  // 1: one thread processes a cell's integration points in turn; 0: one thread per point
  IN_TURN = SHAPE_POINTS > 4,
  // 1 if the same kernel computes the forces alone, and the forces with the tangent. A separate kernel for the forces
  // alone would round its sums differently.
  ONE_KERNEL = IN_TURN || SHAPE_POSITIONS || !COMPACT,
  // Threads per cell. If there are several, thread q of a cell processes its integration point q; a single thread
  // processes all points.
  LANES = IN_TURN ? 1 : (int)SHAPE_POINTS,
  BATCH_THREADS = CELLS * LANES,
  // SHARE: number of a cell's unknowns that each of its LANES threads sums over the integration points. In shared
  // memory, row r holds unknown r of all cells of the batch. Rows are ROW_STRIDE apart, so that the threads of a warp
  // write to different memory banks.
  SHARE = (ELEMENT_DOF + LANES - 1) / LANES,
  ROW_STRIDE = CELLS + 1,
  ROWS = ELEMENT_DOF,
  // Numbers per slot (sum of a batch's cells at a node) that a product stores. Three are used; one load reads all four.
  SLOT_PAD = 4,
  NODE_BLOCK = 192  // threads per block of node_kernel, a multiple of 3 so that the threads of a node are in one block
};
// KeptPoint: data stored per integration point, KEPT_REALS numbers. READ_REALS: number of constants per cell that a
// product also reads.
#ifdef POINTS_BY_AXES
typedef AxisPoint KeptPoint;
enum { BY_AXES = 1, READ_REALS = AXIS_CELL_REALS };
#else
typedef MaterialPoint KeptPoint;
enum { BY_AXES = 0, READ_REALS = ELEMENT_SUPPLEMENTAL };
#endif
enum { KEPT_REALS = sizeof(KeptPoint) / sizeof(real) };
static_assert(LANES == 1 || LANES == 4, "a cell is processed by 1 thread or by 4 threads");

// Shared memory of a thread block with one batch of cells. First, `values` has three values, for example displacements,
// for each node of the batch in ascending order. Later `values` has the results of the cells, such as forces: row r has
// unknown r of each cell. `local` has, for each node of each cell, its index among the nodes of the batch. The results
// are summed at each node of the batch; a slot is the index of one of these sums. The sum of a slot adds the results
// listed by corner[list_start[slot]] to corner[list_start[slot + 1] - 1], each of which is one node of one cell.
typedef struct BatchBuffer {
  real values[ROWS * ROW_STRIDE > 3 * BATCH_NODES ? ROWS *ROW_STRIDE : 3 * BATCH_NODES];
  uint16_t local[BATCH_NODES], corner[BATCH_NODES], list_start[BATCH_NODES + 1];
} BatchBuffer;

// Loads the lists of the thread block's batch of cells, and the three values of `all` [node_count][3] at each node of
// the batch, to `buffer`. Every thread must call this function.
static __device__ __forceinline__ void load_batch(const CellBatches &b, const real *__restrict__ all,
                                                  BatchBuffer *buffer) {
  const int first = b.slot_start[blockIdx.x], slots = b.slot_start[blockIdx.x + 1] - first;
  const size_t lists = (size_t)blockIdx.x * BATCH_NODES;
  for (int k = threadIdx.x; k < BATCH_NODES; k += BATCH_THREADS) {
    buffer->local[k] = b.local[lists + k];
    buffer->corner[k] = b.corner[lists + k];
  }
  for (int k = threadIdx.x; k <= slots; k += BATCH_THREADS)
    buffer->list_start[k] = b.list_start[first + blockIdx.x + k];
  for (int v = threadIdx.x; v < 3 * slots; v += BATCH_THREADS)
    buffer->values[v] = all[3 * (size_t)b.batch_node[first + v / 3] + v % 3];
  __syncthreads();
}

// Returns true if this thread has a cell; a batch may have fewer than CELLS cells. Threads without a cell compute with
// the values of the batch's first node, and their results are not used.
static __device__ __forceinline__ bool has_cell(const BatchBuffer *buffer) {
  return buffer->local[threadIdx.x / LANES] != BATCH_NO_CELL;
}

// Reads the values at the nodes of this thread's cell from buffer->values to own [ELEMENT_DOF]. `here` is true if the
// thread has a cell.
static __device__ __forceinline__ void gather_nodes(const BatchBuffer *buffer, bool here, real own[ELEMENT_DOF]) {
#pragma unroll
  for (int a = 0; a < ELEMENT_NODES; a++) {
    const int at = here ? 3 * buffer->local[a * CELLS + threadIdx.x / LANES] : 0;
#pragma unroll
    for (int i = 0; i < 3; i++) own[3 * a + i] = buffer->values[at + i];
  }
}

// Loads COUNT numbers of one cell of the thread block's batch, such as its constants S(e), from an array of the shape
// [batch][COUNT][CELLS]. `cell` is the index of the cell in its batch.
template <int COUNT>
static __device__ __forceinline__ void load_cell(const real *__restrict__ all, int cell, real own[COUNT]) {
  const real *from = all + (size_t)blockIdx.x * COUNT * CELLS + cell;
#pragma unroll
  for (int k = 0; k < COUNT; k++) own[k] = from[k * CELLS];
}

// Sums value [ELEMENT_DOF], one number per unknown of a cell, such as forces: first over the threads of each cell, and
// then over the cells of the batch, at each node of the batch. A slot is the index of the sum at a node, numbered
// through all batches. The sums for x, y and z of slot s are written to sums[s * STRIDE] and the two elements after it.
//
// Four threads of a cell sum by halves: two threads exchange halves of their values, and each keeps the sum of one
// half. A second exchange leaves each thread with a quarter. Every thread must call this function. It overwrites
// buffer->values.
template <int STRIDE>
static __device__ __forceinline__ void add_up_slots(const CellBatches &b, BatchBuffer *buffer, const real *value,
                                                    real *__restrict__ sums) {
  const int cell = threadIdx.x / LANES;
  __syncthreads();  // all threads have read buffer->values
  if constexpr (LANES == 4) {
    enum { HALF = 2 * SHARE };
    const bool second = threadIdx.x & 1, last = threadIdx.x & 2;
    real half[HALF];
#pragma unroll
    for (int k = 0; k < HALF; k++) {
      const real high = k + HALF < ELEMENT_DOF ? value[k + HALF] : (real)0;
      const real sent = second ? value[k] : high, kept = second ? high : value[k];
      half[k] = kept + __shfl_xor_sync(0xffffffff, sent, 1);
    }
    const int row = (second ? HALF : 0) + (last ? SHARE : 0);
#pragma unroll
    for (int k = 0; k < SHARE; k++) {
      const real sent = last ? half[k] : half[k + SHARE], kept = last ? half[k + SHARE] : half[k];
      const real sum = kept + __shfl_xor_sync(0xffffffff, sent, 2);
      if (row + k < ELEMENT_DOF) buffer->values[(row + k) * ROW_STRIDE + cell] = sum;
    }
  } else {
#pragma unroll
    for (int k = 0; k < ELEMENT_DOF; k++) buffer->values[k * ROW_STRIDE + cell] = value[k];
  }
  __syncthreads();
  const int first = b.slot_start[blockIdx.x], values = 3 * (b.slot_start[blockIdx.x + 1] - first);
  for (int v = threadIdx.x; v < values; v += BATCH_THREADS) {
    const int slot = v / 3, i = v % 3, end = buffer->list_start[slot + 1];
    real sum = 0;
    for (int k = buffer->list_start[slot]; k < end; k++) {
      const int c = buffer->corner[k];
      sum += buffer->values[(c / CELLS * 3 + i) * ROW_STRIDE + c % CELLS];
    }
    sums[((size_t)first + slot) * STRIDE + i] = sum;
  }
}

// Returns number v of a node, 0 <= v < VALUES, as a sum over its slots in ascending order. Each slot has VALUES numbers
// in `sums`, for example forces, which one batch of cells has summed at this node.
template <int VALUES>
static __device__ __forceinline__ real add_up_node(const CellBatches &b, const real *__restrict__ sums, int node,
                                                   int v) {
  const int4 slots = ((const int4 *)b.node)[node];
  static_assert(sizeof(NodeSlots) == sizeof(int4) && SLOTS_AT_HAND == 3,
                "a count and three slots are read by one load of 16 bytes");
  const real first = slots.x > 0 ? sums[(size_t)slots.y * VALUES + v] : (real)0;
  const real second = slots.x > 1 ? sums[(size_t)slots.z * VALUES + v] : (real)0;
  const real third = slots.x > 2 ? sums[(size_t)slots.w * VALUES + v] : (real)0;
  real sum = first + second + third;
  if (slots.x > SLOTS_AT_HAND) {
    const int *__restrict__ slot = b.node_slot + b.node_start[node];
    for (int k = SLOTS_AT_HAND; k < slots.x; k++) sum += sums[(size_t)slot[k] * VALUES + v];
  }
  return sum;
}

// Stores the data of one integration point, from which products compute the tangent. l.points has the shape
// [batch][points of a thread][KEPT_REALS][BATCH_THREADS]. `q` counts the points of this thread.
static __device__ __forceinline__ void keep_point(const PartialLayout &l, const real *S,
                                                  const ElementParameters *parameters, const MaterialPoint *point,
                                                  int q) {
  real kept[KEPT_REALS];
  real *points = (real *)l.points + ((size_t)blockIdx.x * (SHAPE_POINTS / LANES) + q) * KEPT_REALS * BATCH_THREADS;
#ifdef POINTS_BY_AXES
  const AxisPoint left = axis_point(S, &parameters->material, point);
  memcpy(kept, &left, sizeof left);
#else
  memcpy(kept, point, sizeof *point);
#endif
#pragma unroll
  for (int k = 0; k < KEPT_REALS; k++) points[k * BATCH_THREADS + threadIdx.x] = kept[k];
}

// Writes the minimum of J = det F over the thread block's batch of cells to min_J[batch]; NaN counts as -infinity.
static __device__ __forceinline__ void leave_smallest(real J, real *__restrict__ min_J) {
  __shared__ real warp_min[BATCH_THREADS / 32];
  if (J != J) J = -CUDART_INF_F;
  for (int step = 16; step > 0; step /= 2) J = min(J, __shfl_xor_sync(0xffffffff, J, step));
  if (threadIdx.x % 32 == 0) warp_min[threadIdx.x / 32] = J;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < BATCH_THREADS / 32; w++) J = min(J, warp_min[w]);
  min_J[blockIdx.x] = J;
}

// Evaluates one integration point per thread at the displacements nodal [node_count][3], for cells with one or four
// points. With VECTOR, writes forces to l.partial, and the smallest det F of each batch to min_J. With TANGENT, writes
// the diagonal blocks, and the data of the points, from which products compute the tangent. If ONE_KERNEL is 1, TANGENT
// has this effect only if the argument `tangent` is true. Forces and diagonal blocks are summed at each node of the
// batch of cells.
template <bool TANGENT, bool VECTOR>
static __device__ __forceinline__ void take_point(const PartialLayout &l, const real *__restrict__ nodal,
                                                  const ElementParameters *parameters, bool tangent,
                                                  BatchBuffer *buffer, real *__restrict__ min_J) {
  const int q = threadIdx.x % LANES;
  real u[ELEMENT_DOF], S[ELEMENT_SUPPLEMENTAL], J = CUDART_INF_F, value[ELEMENT_DOF], B[SHAPE_NODES][3];
  MaterialPoint point;
  load_cell<ELEMENT_SUPPLEMENTAL>((const real *)l.supplemental, threadIdx.x / LANES, S);
  load_batch(l.batches, nodal, buffer);
  const bool here = has_cell(buffer);
  gather_nodes(buffer, here, u);
  {
    real G[3][3], P[3][3];
    shape_gradients(S, q, B);
    shape_displacement_gradient(u, S, B, G);
    MATERIAL_OF_CELL(material, S, parameters);
    const real J_q = material_stress(G, material, P, &point);
    if (here) J = J_q;
#ifdef SHAPE_CORNERS
    static_assert(!VECTOR || IN_TURN || SHAPE_CORNERS == LANES, "each thread of a cell also computes one corner");
    if (VECTOR && here) {
      real corner[3][3] = {};
#pragma unroll  // c is known at compile time, so displacements stay in registers
      for (int c = 0; c < SHAPE_CORNERS; c++)
        if (c == q) shape_corner_gradient(u, S, c, corner);
      J = real_smaller(1 + strain_of(corner).j, J);
    }
#endif
    if (VECTOR) {
      const real factor = parameters->vector_scale * shape_stiffness(S) * shape_volume(S, q);
#pragma unroll
      for (int a = 0; a < ELEMENT_NODES; a++)
#pragma unroll
        for (int i = 0; i < 3; i++) value[3 * a + i] = factor * dot_of(P[i], B[a]);
      add_up_slots<3>(l.batches, buffer, value, (real *)l.partial);
    }
  }

  if (VECTOR) leave_smallest(J, min_J);
  if (TANGENT && (!ONE_KERNEL || tangent)) {
    keep_point(l, S, parameters, &point, 0);

    // The diagonal block of each node is symmetric and has six numbers. They are summed over the cells in two passes of
    // three numbers.
    const MaterialTangent t = point_tangent(S, parameters, q, &point);
    shape_gradients(S, q, B);
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
      for (int a = 0; a < ELEMENT_NODES; a++) {
        real own[DIAGONAL_REALS];
        point_diagonal(&point, &t, B[a], own);
#pragma unroll
        for (int i = 0; i < 3; i++) value[3 * a + i] = own[3 * half + i];
      }
      add_up_slots<DIAGONAL_REALS>(l.batches, buffer, value, (real *)l.diagonal + 3 * half);
    }
  }
}

// Evaluates one cell per thread at the displacements nodal [node_count][3]. Each thread evaluates all integration
// points of its cell, one after the other. With VECTOR, writes forces to l.partial, and the smallest det F of each
// batch to min_J. If TANGENT and the argument `tangent` are both true, writes the diagonal blocks, and the data of the
// integration points from which products compute the tangent. Forces and diagonal blocks are summed at each node of the
// batch of cells.
template <bool TANGENT, bool VECTOR>
static __device__ __forceinline__ void take_cell(const PartialLayout &l, const real *__restrict__ nodal,
                                                 const ElementParameters *parameters, bool tangent, BatchBuffer *buffer,
                                                 real *__restrict__ min_J) {
  // pass 0 computes forces; passes 1 and 2 each compute three of the six numbers of every diagonal block
  enum { FIRST = VECTOR ? 0 : 1 };
  const int end = tangent ? 3 : 1;
  real u[ELEMENT_DOF], S[ELEMENT_SUPPLEMENTAL], J = CUDART_INF_F;
  load_cell<ELEMENT_SUPPLEMENTAL>((const real *)l.supplemental, threadIdx.x, S);
  load_batch(l.batches, nodal, buffer);
  const bool here = has_cell(buffer);
  gather_nodes(buffer, here, u);

  // Each pass of this loop evaluates the integration points again, because the registers of a thread cannot hold forces
  // and diagonal blocks at the same time.
#pragma unroll 1
  for (int part = FIRST; part < end; part++) {
    real value[ELEMENT_DOF];
#pragma unroll
    for (int k = 0; k < ELEMENT_DOF; k++) value[k] = 0;
#pragma unroll 1
    for (int q = 0; q < SHAPE_POINTS; q++) {
      real B[SHAPE_NODES][3], G[3][3], P[3][3];
      MaterialPoint point;
      MATERIAL_OF_CELL(material, S, parameters);
      shape_gradients(S, q, B);
      shape_displacement_gradient(u, S, B, G);
      const real J_q = material_stress(G, material, P, &point);
      if (here) J = real_smaller(J_q, J);
      if (TANGENT && tangent && part == FIRST) keep_point(l, S, parameters, &point, q);
      if (VECTOR && part == 0) {
        const real factor = parameters->vector_scale * shape_stiffness(S) * shape_volume(S, q);
#pragma unroll
        for (int a = 0; a < ELEMENT_NODES; a++)
#pragma unroll
          for (int i = 0; i < 3; i++) value[3 * a + i] += factor * dot_of(P[i], B[a]);
      } else if (TANGENT) {
        const MaterialTangent t = point_tangent(S, parameters, q, &point);
#pragma unroll
        for (int a = 0; a < ELEMENT_NODES; a++) {
          real own[DIAGONAL_REALS];
          point_diagonal(&point, &t, B[a], own);
#pragma unroll
          for (int i = 0; i < 3; i++) value[3 * a + i] += part == 1 ? own[i] : own[3 + i];
        }
      }
    }
    if (VECTOR && part == 0)
      add_up_slots<3>(l.batches, buffer, value, (real *)l.partial);
    else
      add_up_slots<DIAGONAL_REALS>(l.batches, buffer, value, (real *)l.diagonal + 3 * (part - 1));
  }
  if (VECTOR) leave_smallest(here ? smallest_with_corners(u, S, J) : J, min_J);
}

// Evaluates a body at the displacements nodal [node_count][3], one batch of cells per thread block. A slot is the index
// of a batch's sum at one of its nodes. With TANGENT the kernel stores the data of the integration points for products
// y = A x, and the sum of diagonal blocks per slot. With VECTOR the kernel writes the sum of forces per slot, and the
// smallest det F of each batch to min_J [batch_count]. With TANGENT and VECTOR, but `tangent` false, the kernel
// computes only forces and min_J.
template <bool TANGENT, bool VECTOR>
static __global__ void __launch_bounds__(BATCH_THREADS)
    state_kernel(PartialLayout l, const real *__restrict__ nodal, ElementParameters parameters, bool tangent,
                 real *__restrict__ min_J) {
  __shared__ BatchBuffer buffer;
  if (TANGENT && (!ONE_KERNEL || tangent) && blockIdx.x == 0 && threadIdx.x == 0) {
    *(ElementParameters *)l.parameters = parameters;
    *l.crossed = 0;
  }
  if constexpr (IN_TURN)
    take_cell<TANGENT, VECTOR>(l, nodal, &parameters, tangent, &buffer, min_J);
  else
    take_point<TANGENT, VECTOR>(l, nodal, &parameters, tangent, &buffer, min_J);
}

// Sums at each node the results of state_kernel, of which there is one for each batch of cells with the node. One
// thread per unknown. A slot is the index of one such result. VECTOR: computes the forces F [n]. BEGIN: sets l.shift, a
// symmetric matrix per node, to zero. SHIFT: adds the given shift to l.shift, and writes each diagonal block, the sum
// of the node's slots in l.diagonal plus l.shift. SHIFT has no effect if `wanted` is not NULL and *wanted is 0.
template <bool VECTOR, bool BEGIN, bool SHIFT>
static __global__ void __launch_bounds__(NODE_BLOCK)
    node_kernel(int n, PartialLayout l, real *__restrict__ F, const real *__restrict__ shift, int crosses,
                real *__restrict__ blocks, real *__restrict__ diagonal, const int *wanted) {
  const int row = blockIdx.x * NODE_BLOCK + threadIdx.x, a = row / 3, i = row % 3;
  const bool adds = SHIFT && (!wanted || *wanted);
  real *kept = (real *)l.shift, *crossed = kept + n + 3 * (size_t)a;

  // Entries (i, k) and (k, i) of a diagonal block share cross[i + k - 1].
  real own = 0, cross[3] = { 0, 0, 0 };
  if (adds && crosses > 0 && row == 0) *l.crossed = 1;
  if (!BEGIN && row < n) {
    own = kept[row];
    for (int k = 0; k < 3; k++) cross[k] = crossed[k];
  }
  __syncthreads();  // all three threads of a node have read the previous shift
  if (row >= n) return;
  if (VECTOR) F[row] = add_up_node<3>(l.batches, (const real *)l.partial, a, i);
  if (adds) {
    own += shift[row];
#pragma unroll
    for (int k = 0; k < 3; k++)
      if (k < crosses) cross[k] += shift[(size_t)n + (size_t)crosses * a + k];
    real block[3];
    for (int k = 0; k < 3; k++) {
      block[k] = add_up_node<DIAGONAL_REALS>(l.batches, (const real *)l.diagonal, a, symmetric_index(3, i, k));
      block[k] += k == i ? own : i + k == 1 ? cross[0] : i + k == 2 ? cross[1] : cross[2];
      blocks[9 * (size_t)a + 3 * i + k] = block[k];
    }
    if (diagonal) diagonal[row] = i == 0 ? block[0] : i == 1 ? block[1] : block[2];
  }

  if (!BEGIN && !adds) return;
  kept[row] = own;
  crossed[i] = i == 0 ? cross[0] : i == 1 ? cross[1] : cross[2];
}

// Arguments of a parallel loop over batches of cells, which computes the constants of each cell on the host.
typedef struct CellNumbers {
  const Space *space;  // mesh, and positions of its nodes
  const int *cell;     // CellBatches.cell: cell of each thread of each batch of cells; -1: none
  // Outputs: PartialLayout.supplemental and PartialLayout.cells on the host. S are the constants that the element
  // stores for each cell. `cells` is NULL if products read S.
  real *S, *cells;
} CellNumbers;

static void number_batches(const void *numbers, int first, int last) {
  const CellNumbers *n = (const CellNumbers *)numbers;
  for (int at = first * CELLS; at < last * CELLS; at++) {
    const size_t batch = (size_t)(at / CELLS), cell = (size_t)(at % CELLS);
    real own[ELEMENT_SUPPLEMENTAL];
    if (n->cell[at] < 0) continue;
    element_supplemental(n->space, n->cell[at], own);
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) n->S[(batch * ELEMENT_SUPPLEMENTAL + k) * CELLS + cell] = own[k];
#ifdef POINTS_BY_AXES
    real by_axes[READ_REALS];
    axis_cell(own, by_axes);
    for (int k = 0; k < READ_REALS; k++) n->cells[(batch * READ_REALS + k) * CELLS + cell] = by_axes[k];
#endif
  }
}

// Creates the batches of cells, the constants of each cell, and l->partial, the sums of each batch at its nodes. The
// caller allocates the other arrays.
static bool partial_create(PartialLayout *l, const Space *space, Error *error) {
  if (!cell_batches_create(&l->batches, space, DEVICE_CUDA, error)) return false;
  const CellBatches &b = l->batches;
  const int64_t cell_slots = (int64_t)b.batch_count * CELLS;
  CellNumbers n = { space, b.cell, NULL, NULL };
  n.S = (real *)array_new(cell_slots * ELEMENT_SUPPLEMENTAL, sizeof *n.S, "cells", error);
  if (BY_AXES) n.cells = (real *)array_new(cell_slots * READ_REALS, sizeof *n.cells, "cells", error);
  bool ok = n.S && (n.cells || !BY_AXES);
  if (ok) parallel_for(b.batch_count, 64, number_batches, &n);
  ok = ok &&
       (!BY_AXES || (l->cells = device_clone(DEVICE_CUDA, n.cells, sizeof(real) * READ_REALS * cell_slots, error))) &&
       (l->supplemental = device_clone(DEVICE_CUDA, n.S, sizeof(real) * ELEMENT_SUPPLEMENTAL * cell_slots, error)) &&
       (l->partial = device_alloc(DEVICE_CUDA, sizeof(real) * SLOT_PAD * (size_t)b.slot_count, error));
  free(n.S);
  free(n.cells);
  return ok;
}

static void partial_destroy(PartialLayout *l) {
  void *arrays[] = {
    l->supplemental, l->cells, l->points, l->diagonal, l->parameters, l->crossed, l->shift, l->partial
  };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  cell_batches_destroy(&l->batches, DEVICE_CUDA);
}
