// Operator "partial" on the GPU (CUDA version of partial.c). A product y = A x is two kernels. In the first, a thread
// block processes a batch of BATCH_CELLS cells, one thread per cell. Each thread multiplies the matrix of its cell by
// the x of the cell's nodes. The thread block sums these products at each node of the batch, and writes the sums to
// device memory. A slot is the index of one such sum (cell_batches.h). A node has one slot for each batch that contains
// it. In the second kernel, a thread adds up the sums of all slots of one node of the body.
//
// Memory bandwidth limits both kernels. The first reads, for each cell, the data of its integration points (40 numbers
// for a neo-Hookean cell of ten nodes), its constants and its lists. A thread issues all these loads, and the loads of
// x, before it waits for the first result. With many batches of small cells, a thread block processes several batches,
// and loads data of the next batch while it computes.
#include "device/overlap.cuh"
#include "sim/operator/partial/partial.cuh"

namespace partial_operator {

enum {
  AT_ONCE = 4,  // nodes, or products of cells at a node, that a thread loads at once
  // numbers per node in shared memory, and per slot (sum of a batch's cells at a node) in device memory: three are
  // used, and one load reads all four
  PAD = SLOT_PAD,
  // number of 32-bit words of the list `corner` of a batch (group of cells); each word has two 16-bit numbers
  LIST_WORDS = BATCH_NODES / 2,
  SUM_BLOCK = 128,       // threads per block of sum_kernel
  CELL_THREADS = CELLS,  // threads per block of multiply_kernel
  // min number of thread blocks of multiply_kernel that a multiprocessor must be able to run at once; this number
  // limits the registers of a thread
  PRODUCT_BLOCKS = (sizeof(real) == 4 && ELEMENT_NODES < 20 ? 512 : 256) / CELLS,
  // multiply_through_kernel, whose thread blocks process several batches of cells, runs if there are at least
  // THROUGH_TURNS batches for each thread block. THROUGH_BLOCKS: thread blocks of this kernel per multiprocessor.
  THROUGH_BLOCKS = sizeof(real) == 4 ? 768 / CELLS : 448 / CELLS,
  THROUGH_TURNS = 4
};
static_assert(BATCH_NODES % 2 == 0, "lists of 16-bit numbers are copied as 32-bit words");

// COUNT numbers in consecutive memory, which one load instruction reads. They are the numbers of one node, or the k-th
// stored number of each of COUNT integration points.
template <int COUNT>
struct alignas(COUNT == 1 ? sizeof(real) : 16) Numbers {
  real at[COUNT];
};

// Shared memory of a thread block with one batch of CELLS cells. First, `x` has x at each node of the batch. Then
// `values` overwrites it with the product of each cell's matrix with x: row r has unknown r of all cells, and rows are
// ROW_STRIDE apart. A slot is the index of a node of the batch, at which the products of its cells are summed. The list
// of these cells is the 16-bit numbers corner[list_start[slot]] to corner[list_start[slot + 1] - 1]. The number a *
// CELLS + t means node a of the cell of thread t.
typedef struct ProductBuffer {
  union {
    Numbers<PAD> x[BATCH_NODES];
    real values[ROWS * ROW_STRIDE];
  };
  uint32_t corner[LIST_WORDS];
  uint16_t list_start[BATCH_NODES + 1];
} ProductBuffer;

// Each integration point has KEPT_REALS stored numbers. PointNumbers holds number k, for some k, of LANES integration
// points of a cell, side by side. points_of_cell returns the address of the PointNumbers with k = 0 for a cell of a
// batch of CELLS cells. The one for number k is k * CELLS elements further.
typedef Numbers<LANES> PointNumbers;
static __device__ __forceinline__ const PointNumbers *points_of_cell(const PartialLayout &l, size_t batch, int cell) {
  return (const PointNumbers *)((const real *)l.points + batch * KEPT_REALS * CELLS * SHAPE_POINTS) + cell;
}

static __device__ __forceinline__ KeptPoint read_point(const PointNumbers *__restrict__ points, int q) {
  real own[KEPT_REALS];
  KeptPoint point;
  points += q / LANES * KEPT_REALS * CELLS;
#pragma unroll
  for (int k = 0; k < KEPT_REALS; k++) own[k] = points[k * CELLS].at[q % LANES];
  memcpy(&point, own, sizeof point);
  return point;
}

// Reads the stored data of a cell's integration points, KEPT_REALS numbers per point. `begin` starts the loads, and
// point(q) returns the data of point q. The enum says when points are loaded. POINTS_AT_ONCE: `begin` loads all points
// to registers. POINTS_ONE_BY_ONE: point(q) loads point q. POINTS_IN_TURN: point(q) returns point q and loads point q +
// 1. The data of the points are more than half of all bytes that a product reads. Loads have a hint to evict the data
// from the L2 cache first, so that vectors, lists and sums stay there.
enum PointsHeld { POINTS_AT_ONCE, POINTS_ONE_BY_ONE, POINTS_IN_TURN };
template <PointsHeld HELD>
struct CellPoints {
  PointNumbers kept[KEPT_REALS];
  static __device__ __forceinline__ PointNumbers stream(const PointNumbers *from) {
    enum { WORDS = sizeof(PointNumbers) / sizeof(uint4) };
    PointNumbers numbers;
    if constexpr (WORDS > 0) {
      uint4 words[WORDS > 0 ? (int)WORDS : 1];
#pragma unroll
      for (int k = 0; k < WORDS; k++) words[k] = __ldcs((const uint4 *)from + k);
      memcpy(&numbers, words, sizeof numbers);
    } else {
#pragma unroll
      for (int q = 0; q < SHAPE_POINTS; q++) numbers.at[q] = __ldcs(&from->at[q]);
    }
    return numbers;
  }
  __device__ __forceinline__ void begin(const PointNumbers *__restrict__ points) {
#pragma unroll
    for (int k = 0; k < KEPT_REALS; k++) kept[k] = stream(points + k * CELLS);
  }
  __device__ __forceinline__ KeptPoint point(int q) const {
    real own[KEPT_REALS];
    KeptPoint point;
#pragma unroll
    for (int k = 0; k < KEPT_REALS; k++) own[k] = kept[k].at[q];
    memcpy(&point, own, sizeof point);
    return point;
  }
};
template <>
struct CellPoints<POINTS_ONE_BY_ONE> {
  const PointNumbers *points;
  __device__ __forceinline__ void begin(const PointNumbers *all) {
    points = all;
  }
  __device__ __forceinline__ KeptPoint point(int q) const {
    return read_point(points, q);
  }
};
// For cells with more than four integration points: loads point q + 1 while point q is used.
template <>
struct CellPoints<POINTS_IN_TURN> {
  const real *points;
  real next[KEPT_REALS];
  __device__ __forceinline__ void fetch(int q) {
#pragma unroll
    for (int k = 0; k < KEPT_REALS; k++) next[k] = __ldcs(points + (q * KEPT_REALS + k) * CELLS);
  }
  __device__ __forceinline__ void begin(const PointNumbers *all) {
    points = (const real *)all;
    fetch(0);
  }
  __device__ __forceinline__ KeptPoint point(int q) {
    KeptPoint point;
    memcpy(&point, next, sizeof point);
    if (q + 1 < SHAPE_POINTS) fetch(q + 1);
    return point;
  }
};
typedef CellPoints<IN_TURN ? POINTS_IN_TURN : KEPT_REALS <= 12 ? POINTS_AT_ONCE : POINTS_ONE_BY_ONE> Points;

// Data of one cell for the product y = A_e x, with the cell's matrix A_e and the values x at its nodes. cell
// [READ_REALS] has the cell's shape at rest, and its factor on the body's elastic moduli.
typedef struct CellProduct {
  const real *cell;
  const ElementParameters *parameters;
#ifdef SHAPE_AXES
  ShapeAxes axes;
#endif
#ifdef POINTS_BY_AXES
  AxisTangent tangent;
#endif
} CellProduct;

// Adds the contribution of integration point q to y = A_e x, the matrix of a cell times the x of its nodes.
static __device__ __forceinline__ void multiply_point(CellProduct *product, const KeptPoint *point, int q,
                                                      const real x[ELEMENT_DOF], real y[ELEMENT_DOF]) {
#ifdef POINTS_BY_AXES
  real a[3][3], dP_b[3][3];
  shape_axes_at(x, &product->axes, q, a);
  const real share = shape_axes_share(q);
#pragma unroll
  for (int k = 0; k < 9; k++) a[k / 3][k % 3] *= share;
  axis_product(point, &product->tangent, a, dP_b);
  shape_axes_take(dP_b, q, &product->axes, y);
#elif defined SHAPE_AXES
  real H[3][3], dP[3][3];
  const real volume = shape_axes_gradient(x, product->cell, &product->axes, q, H);
  const MaterialTangent t = volume_tangent(product->cell, product->parameters, volume, point);
  material_product(point, &t, H, dP);
  shape_axes_add(dP, product->cell, q, &product->axes, y);
#else
  real share[ELEMENT_DOF];
  point_share(product->cell, product->parameters, q, point, x, share);
#pragma unroll
  for (int k = 0; k < ELEMENT_DOF; k++) y[k] = q == 0 ? share[k] : y[k] + share[k];
#endif
}

// Computes y = A_e x, the matrix of a cell times the x of its nodes, as a sum over its integration points. cell
// [READ_REALS] has the cell's shape at rest, and the factor by which the cell multiplies the moduli. Overwrites x.
static __device__ __forceinline__ void multiply_cell(const real *cell, const ElementParameters *parameters,
                                                     Points &points, real x[ELEMENT_DOF], real y[ELEMENT_DOF]) {
  CellProduct product;
  product.cell = cell;
  product.parameters = parameters;
#ifdef SHAPE_AXES
  shape_axes_begin(x, &product.axes);
#endif
#ifdef POINTS_BY_AXES
  product.tangent = axis_tangent(cell, parameters);
#endif
  if constexpr (IN_TURN) {
#pragma unroll 1
    for (int q = 0; q < SHAPE_POINTS; q++) {
      const KeptPoint point = points.point(q);
      multiply_point(&product, &point, q, x, y);
    }
  } else {
#pragma unroll
    for (int q = 0; q < SHAPE_POINTS; q++) {
      const KeptPoint point = points.point(q);
      multiply_point(&product, &point, q, x, y);
    }
  }
#ifdef SHAPE_AXES
  shape_axes_end(&product.axes, y);
#endif
}

// Adds up the products of a batch, the cells of one thread block, at each node of the batch. For each cell,
// buffer->values has the product of the cell's matrix with x at the cell's nodes. Writes one sum per node of the batch
// to sums [slots]; `slots` is the number of these nodes.
static __device__ __forceinline__ void add_up_lists(const ProductBuffer *buffer, int slots, Numbers<PAD> *sums) {
  const uint16_t *corner = (const uint16_t *)buffer->corner;
  for (int slot = threadIdx.x; slot < slots; slot += CELL_THREADS) {
    const int end = buffer->list_start[slot + 1];
    real sum[3] = {};
    for (int k = buffer->list_start[slot]; k < end; k += AT_ONCE) {
      real value[AT_ONCE][3];
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++) {
        const int c = k + j < end ? corner[k + j] : 0, at = c / CELLS * (3 * ROW_STRIDE) + c % CELLS;
#pragma unroll
        for (int i = 0; i < 3; i++) value[j][i] = k + j < end ? buffer->values[at + i * ROW_STRIDE] : (real)0;
      }
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++)
#pragma unroll
        for (int i = 0; i < 3; i++) sum[i] += value[j][i];
    }
    sums[slot] = { { sum[0], sum[1], sum[2] } };
  }
}

// Sums `value`, the contribution of each thread to x.y, over the thread block in a fixed order, and writes the sum to
// dots[blockIdx.x] unless dots is NULL. All threads must call this function.
static __device__ __forceinline__ void leave_dot(double value, double *__restrict__ dots) {
  __shared__ double warps[SUM_BLOCK / 32];
  if (!dots) return;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < SUM_BLOCK / 32; w++) value += warps[w];
  dots[blockIdx.x] = value;
}

// Second kernel of a product y = A x: each thread computes y of one node. The first kernel has summed the contributions
// of each batch of cells at each of its nodes; a slot is the index of one such sum. y is the total of the sums in the
// node's slots, plus the shift (a symmetric matrix per node) times x. dots gets a partial sum of x.y per thread block,
// or is NULL. If *idle is not 0, y stays as it is (Operator.idle).
static __global__ void __launch_bounds__(SUM_BLOCK)
    sum_kernel(PartialLayout l, size_t n, const real *x, real *y, double *dots, const int *idle) {
  const int node = blockIdx.x * SUM_BLOCK + threadIdx.x;
  const CellBatches &b = l.batches;
  const bool here = node < b.node_count;
  const Numbers<PAD> *sums = (const Numbers<PAD> *)l.partial;
  const int4 slots = here ? ((const int4 *)b.node)[node] : int4{};
  static_assert(sizeof(NodeSlots) == sizeof(int4) && SLOTS_AT_HAND == 3,
                "a count and three slots are read by one load of 16 bytes");
  const bool crossed = *l.crossed;
  real own[3] = {}, cross[3] = {}, x_a[3] = {};
  if (here) {
    const real *added = (const real *)l.shift + 3 * (size_t)node;
#pragma unroll
    for (int i = 0; i < 3; i++) own[i] = added[i];
    if (crossed)
#pragma unroll
      for (int i = 0; i < 3; i++) cross[i] = added[n + i];
  }

  wait_for_last();
  let_next_begin();
  double dot = 0;

  // This load is issued here, so that it overlaps with the loads of the sums below.
  const int stops = idle ? *idle : 0;
  if (here) {
    const Numbers<PAD> none = {}, first = slots.x > 0 ? sums[slots.y] : none,
                       second = slots.x > 1 ? sums[slots.z] : none, third = slots.x > 2 ? sums[slots.w] : none;
    real sum[3];
#pragma unroll
    for (int i = 0; i < 3; i++) x_a[i] = x[3 * (size_t)node + i];
#pragma unroll
    for (int i = 0; i < 3; i++) sum[i] = first.at[i] + second.at[i] + third.at[i];
    if (slots.x > SLOTS_AT_HAND) {
      const int *__restrict__ slot = b.node_slot + b.node_start[node];
      for (int j = SLOTS_AT_HAND; j < slots.x; j++) {
        const Numbers<PAD> more = sums[slot[j]];
#pragma unroll
        for (int i = 0; i < 3; i++) sum[i] += more.at[i];
      }
    }
    sum[0] += own[0] * x_a[0] + cross[0] * x_a[1] + cross[1] * x_a[2];
    sum[1] += own[1] * x_a[1] + cross[0] * x_a[0] + cross[2] * x_a[2];
    sum[2] += own[2] * x_a[2] + cross[1] * x_a[0] + cross[2] * x_a[1];
#pragma unroll
    for (int i = 0; i < 3; i++) {
      if (!stops) y[3 * (size_t)node + i] = sum[i];
      dot += (double)x_a[i] * sum[i];
    }
  }
  leave_dot(dot, dots);
}

// Returns the node at index `position` in the ascending list of a batch's nodes, or -1 if `position` is not less than
// the length of this list. The lists of all batches are stored one after the other in b.batch_node. The list of this
// batch begins at index `first` and has `slots` nodes.
static __device__ __forceinline__ int node_of(const CellBatches &b, int first, int slots, int position) {
  return position < slots ? b.batch_node[first + position] : -1;
}

// Multiplies the matrix of this thread's cell by the x of its nodes. On entry, buffer->x has x at the nodes of a batch
// of cells, and node a of this thread's cell has the index local[a] there. Writes the product to buffer->values, which
// overwrites buffer->x. Every thread must call this function.
static __device__ __forceinline__ void multiply_batch(ProductBuffer *buffer, Points *points, const real *cell,
                                                      const ElementParameters *parameters,
                                                      const int local[ELEMENT_NODES]) {
  real x[ELEMENT_DOF], y[ELEMENT_DOF];

  // A thread without a cell computes with the first node of its batch of cells; its result is not used.
  const bool here = local[0] != BATCH_NO_CELL;
#pragma unroll
  for (int a = 0; a < ELEMENT_NODES; a++) {
    const Numbers<PAD> own = buffer->x[here ? local[a] : 0];
#pragma unroll
    for (int i = 0; i < 3; i++) x[3 * a + i] = own.at[i];
  }
  __syncthreads();  // all threads have read buffer->x
  multiply_cell(cell, parameters, *points, x, y);
#pragma unroll
  for (int k = 0; k < ELEMENT_DOF; k++) buffer->values[k * ROW_STRIDE + threadIdx.x] = y[k];
  __syncthreads();
}

// First kernel of a product y = A x: each thread block processes one batch of CELLS cells. It multiplies the matrix of
// each cell by the x of its nodes, sums the products at each node of the batch, and writes the sums to l.partial.
static __global__ void __launch_bounds__(CELL_THREADS, PRODUCT_BLOCKS)
    multiply_kernel(PartialLayout l, const real *x, const int *idle) {
  __shared__ ProductBuffer buffer;
  const int t = threadIdx.x;
  const size_t batch = blockIdx.x;
  const CellBatches &b = l.batches;
  const int first = b.slot_start[batch], slots = b.slot_start[batch + 1] - first;

  // Load the data of this thread's cell: integration points, constants, and indices of its nodes in the batch's list of
  // nodes.
  Points points;
  points.begin(points_of_cell(l, batch, t));
  int local[ELEMENT_NODES];
#pragma unroll
  for (int a = 0; a < ELEMENT_NODES; a++) local[a] = b.local[batch * BATCH_NODES + a * CELLS + t];
  real cell[READ_REALS];
  load_cell<READ_REALS>((const real *)(l.cells ? l.cells : l.supplemental), t, cell);
  const ElementParameters parameters = *(const ElementParameters *)l.parameters;

  // Load the lists of the batch of cells, and the numbers of its nodes. Each thread loads AT_ONCE node numbers.
  const uint32_t *__restrict__ corner = (const uint32_t *)(b.corner + batch * BATCH_NODES);
  const uint16_t *__restrict__ start = b.list_start + first + batch;
  int node[AT_ONCE];
#pragma unroll
  for (int j = 0; j < AT_ONCE; j++) node[j] = node_of(b, first, slots, t + j * CELL_THREADS);
#pragma unroll
  for (int k = t; k < LIST_WORDS; k += CELL_THREADS) buffer.corner[k] = corner[k];
  for (int k = t; k <= slots; k += CELL_THREADS) buffer.list_start[k] = start[k];
  wait_for_last();
  let_next_begin();
  const int stops = idle ? *idle : 0;  // loaded together with x
  for (int begin = t; begin < slots; begin += AT_ONCE * CELL_THREADS) {
    real value[AT_ONCE][3];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
#pragma unroll
      for (int i = 0; i < 3; i++) value[j][i] = node[j] >= 0 ? x[3 * (size_t)node[j] + i] : (real)0;
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
      const int position = begin + j * CELL_THREADS;
      const Numbers<PAD> own = { { value[j][0], value[j][1], value[j][2] } };
      if (node[j] >= 0) buffer.x[position] = own;
      node[j] = node_of(b, first, slots, position + AT_ONCE * CELL_THREADS);
    }
  }

  if (stops) return;
  __syncthreads();
  multiply_batch(&buffer, &points, cell, &parameters, local);
  add_up_lists(&buffer, slots, (Numbers<PAD> *)l.partial + first);
}

#ifndef SHAPE_CORNERS  // only for shapes with one integration point
// Data that a thread loads for the next batch of cells while it computes the current one: points and constants of its
// cell, some words of the batch's lists, and x at one node of the batch. first: first slot (index of a sum at a node)
// of the batch, numbered through all batches. slots: the batch's number of nodes.
typedef struct Ahead {
  Points points;
  real cell[READ_REALS], x[3];
  int local[ELEMENT_NODES], first, slots, node;
  uint32_t corner[LIST_WORDS / CELL_THREADS];
  uint16_t start;
} Ahead;
static_assert(LIST_WORDS % CELL_THREADS == 0, "each thread must copy the same number of words of the lists");

static __device__ __forceinline__ void ahead_slots(const CellBatches &b, int batch, Ahead *next) {
  next->first = b.slot_start[batch];
  next->slots = b.slot_start[batch + 1] - next->first;
}

static __device__ __forceinline__ void ahead_node(const CellBatches &b, Ahead *next) {
  next->node = node_of(b, next->first, next->slots, threadIdx.x);
}

// Loads the data of the thread's cell in a batch of CELLS cells, and those words of the batch's lists that the thread
// copies to shared memory.
static __device__ __forceinline__ void ahead_cells(const PartialLayout &l, int batch, Ahead *next) {
  const CellBatches &b = l.batches;
  const int t = threadIdx.x;
  const size_t corners = (size_t)batch * BATCH_NODES;
  const real *cell = (const real *)(l.cells ? l.cells : l.supplemental) + (size_t)batch * READ_REALS * CELLS + t;
  const uint32_t *corner = (const uint32_t *)(b.corner + corners);
  next->points.begin(points_of_cell(l, batch, t));
#pragma unroll
  for (int a = 0; a < ELEMENT_NODES; a++) next->local[a] = b.local[corners + a * CELLS + t];
#pragma unroll
  for (int k = 0; k < READ_REALS; k++) next->cell[k] = __ldcs(cell + k * CELLS);
#pragma unroll
  for (int k = 0; k < LIST_WORDS / CELL_THREADS; k++) next->corner[k] = corner[k * CELL_THREADS + t];
  next->start = t <= next->slots ? b.list_start[next->first + batch + t] : 0;
}

static __device__ __forceinline__ void ahead_x(const real *x, Ahead *next) {
#pragma unroll
  for (int i = 0; i < 3; i++) next->x[i] = next->node >= 0 ? x[3 * (size_t)next->node + i] : (real)0;
}

// First kernel of a product y = A x if there are many batches: each thread block processes several batches of CELLS
// cells, one after the other. Each thread loads data of the next batch while it computes with the current one. The sums
// at the nodes of each batch are written to l.partial.
static __global__ void __launch_bounds__(CELL_THREADS, THROUGH_BLOCKS)
    multiply_through_kernel(PartialLayout l, const real *x, const int *idle) {
  __shared__ ProductBuffer buffer;
  const int t = threadIdx.x, count = l.batches.batch_count, stride = gridDim.x;
  const CellBatches &b = l.batches;
  const ElementParameters parameters = *(const ElementParameters *)l.parameters;
  int batch = blockIdx.x;
  Ahead now, next;
  next.first = next.slots = 0;
  ahead_slots(b, batch, &now);
  if (batch + stride < count) ahead_slots(b, batch + stride, &next);
  ahead_cells(l, batch, &now);
  ahead_node(b, &now);
  ahead_node(b, &next);
  wait_for_last();
  let_next_begin();
  if (idle && *idle) return;
  ahead_x(x, &now);
  for (; batch < count; batch += stride) {
    if (now.node >= 0) buffer.x[t] = { { now.x[0], now.x[1], now.x[2] } };
    for (int position = t + CELL_THREADS; position < now.slots; position += CELL_THREADS) {
      const real *own = x + 3 * (size_t)b.batch_node[now.first + position];
      buffer.x[position] = { { own[0], own[1], own[2] } };
    }
#pragma unroll
    for (int k = 0; k < LIST_WORDS / CELL_THREADS; k++) buffer.corner[k * CELL_THREADS + t] = now.corner[k];
    if (t <= now.slots) buffer.list_start[t] = now.start;
    for (int k = t + CELL_THREADS; k <= now.slots; k += CELL_THREADS)
      buffer.list_start[k] = b.list_start[now.first + batch + k];
    __syncthreads();
    if (batch + stride < count) {
      ahead_cells(l, batch + stride, &next);
      ahead_x(x, &next);
    }
    const int slots = now.slots, first = now.first;
    Ahead after;
    after.first = after.slots = 0;
    if (batch + 2 * stride < count) ahead_slots(b, batch + 2 * stride, &after);
    multiply_batch(&buffer, &now.points, now.cell, &parameters, now.local);
    now = next;
    next.first = after.first;
    next.slots = after.slots;
    ahead_node(b, &next);  // next.first was loaded before multiply_batch, so no wait
    add_up_lists(&buffer, slots, (Numbers<PAD> *)l.partial + first);
    __syncthreads();  // all threads have read `buffer`, which the next batch overwrites
  }
}
#endif

static int sum_blocks(const PartialLayout *l) {
  return (l->batches.node_count - 1) / SUM_BLOCK + 1;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const PartialLayout *l = (const PartialLayout *)A->layout;
  cudaStream_t s = (cudaStream_t)stream.handle;
  const bool overlaps = l->overlaps;
#ifndef SHAPE_CORNERS
  const int through = THROUGH_BLOCKS * device_multiprocessors(DEVICE_CUDA);
  if (l->batches.batch_count >= THROUGH_TURNS * through)
    CUDA_TRY(overlap_launch(overlaps, multiply_through_kernel, through, CELL_THREADS, s, *l, (const real *)x, A->idle));
  else
#endif
    CUDA_TRY(overlap_launch(overlaps, multiply_kernel, l->batches.batch_count, CELL_THREADS, s, *l, (const real *)x,
                            A->idle));
  CUDA_TRY(overlap_launch(overlaps, sum_kernel, sum_blocks(l), SUM_BLOCK, s, *l, (size_t)A->n, (const real *)x,
                          (real *)y, dots, A->idle));
  return true;
}

static bool linearise(Operator *A, const AssemblyParameters *p, const void *nodal, Stream stream, Error *error) {
  const PartialLayout *l = (const PartialLayout *)A->layout;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  state_kernel<true, false><<<l->batches.batch_count, BATCH_THREADS, 0, (cudaStream_t)stream.handle>>>(
      *l, (const real *)nodal, parameters, true, NULL);
  CUDA_TRY(cudaGetLastError());
  return device_zero(stream, l->shift, sizeof(real) * ((size_t)A->n + 3 * (size_t)l->batches.node_count), error);
}

static bool shift_diagonal(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                           Stream stream, Error *error) {
  node_kernel<false, false, true><<<(A->n - 1) / NODE_BLOCK + 1, NODE_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->n, *(const PartialLayout *)A->layout, NULL, (const real *)shift, crosses, (real *)A->blocks, (real *)diagonal,
      wanted);
  CUDA_TRY(cudaGetLastError());
  return true;
}

#ifdef SHAPE_LEVELS  // only for shapes with corners, whose mesh contains linear cells
// Computes P^T A P, where A is the matrix of this operator, and P interpolates from the corners of the cells to all
// nodes (corner_matrix.h). One thread per 3 x 3 block loops over the cells that have both corners of the block. n is
// the number of unknowns of all nodes of the mesh.
static __global__ void __launch_bounds__(APPLY_BLOCK)
    project_kernel(int n, CornerMatrix m, PartialLayout l, real *__restrict__ values) {
  const int pair = blockIdx.x * APPLY_BLOCK + threadIdx.x;
  if (pair >= m.pair_count) return;
  const ElementParameters parameters = *(const ElementParameters *)l.parameters;
  real block[9] = {};
  for (int64_t k = m.start[pair]; k < m.start[pair + 1]; k++) {
    const int term = m.term[k], at = l.batches.at[term / 16], j = term / 4 % 4, i = term % 4;
    const size_t batch = (size_t)(at / CELLS);
    const real *__restrict__ s = (const real *)l.supplemental + batch * ELEMENT_SUPPLEMENTAL * CELLS + at % CELLS;
    const PointNumbers *__restrict__ points = points_of_cell(l, batch, at % CELLS);
    real S[ELEMENT_SUPPLEMENTAL], b[4][3], b_j[3], b_i[3];
#pragma unroll
    for (int v = 0; v < ELEMENT_SUPPLEMENTAL; v++) S[v] = s[v * CELLS];
    shape_corner_gradients(S, b);
#pragma unroll
    for (int v = 0; v < 3; v++) {
      b_j[v] = j == 0 ? b[0][v] : j == 1 ? b[1][v] : j == 2 ? b[2][v] : b[3][v];
      b_i[v] = i == 0 ? b[0][v] : i == 1 ? b[1][v] : i == 2 ? b[2][v] : b[3][v];
    }
#ifdef POINTS_BY_AXES
    const real factor = parameters.matrix_scale * shape_stiffness(S) * shape_volume(S, 0);
    for (int q = 0; q < SHAPE_POINTS; q++) {
      const AxisPoint point = read_point(points, q);
      axis_add_corners(&point, &parameters, factor, b_j, b_i, j, i, block);
    }
#else
    for (int q = 0; q < SHAPE_POINTS; q++) {
      const MaterialPoint point = read_point(points, q);
      corner_add_point(S, &parameters, q, &point, b_j, b_i, block);
    }
#endif
  }

  corner_add_shift(&m, pair, (const real *)l.shift, n, block);
#pragma unroll
  for (int v = 0; v < 9; v++) values[corner_slot(&m, pair, v / 3, v % 3)] = block[v];
}

static bool project(const Operator *A, const CornerMatrix *corners, void *values, Stream stream, Error *error) {
  project_kernel<<<(corners->pair_count - 1) / APPLY_BLOCK + 1, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->n, *corners, *(const PartialLayout *)A->layout, (real *)values);
  CUDA_TRY(cudaGetLastError());
  return true;
}
#else
static bool (*const project)(const Operator *, const CornerMatrix *, void *, Stream, Error *) = NULL;
#endif

static int count_dots(const Operator *A) {
  return sum_blocks(&((const PartialOperator *)A->layout)->layout);
}

static bool create(Operator *A, Error *error) {
  PartialOperator *own = (PartialOperator *)array_new(1, sizeof *own, "layout of the matrix", error);
  PartialLayout *l = own ? &own->layout : NULL;
  A->layout = own;
  if (!l || !partial_create(l, A->space, error)) return false;
  l->overlaps = overlap_is_there((const void *)multiply_kernel);
  const size_t cells = (size_t)l->batches.batch_count * CELLS, nodes = (size_t)A->space->node_count;
  l->points = device_alloc(DEVICE_CUDA, sizeof(real) * SHAPE_POINTS * KEPT_REALS * cells, error);
  l->diagonal = device_alloc(DEVICE_CUDA, sizeof(real) * DIAGONAL_REALS * (size_t)l->batches.slot_count, error);
  l->parameters = device_alloc(DEVICE_CUDA, sizeof(ElementParameters), error);
  l->crossed = (int *)device_alloc(DEVICE_CUDA, sizeof *l->crossed, error);
  l->shift = device_alloc(DEVICE_CUDA, sizeof(real) * ((size_t)A->n + 3 * nodes), error);
  return l->points && l->diagonal && l->parameters && l->crossed && l->shift;
}

static void destroy_layout(Operator *A) {
  PartialOperator *own = (PartialOperator *)A->layout;
  partial_destroy(&own->layout);
  batch_split_destroy(&own->split);
  free(own);
}

// 1 if the operator can be updated after a cut of the body, 0 if it must be created again. It is 1 for cells with at
// most four integration points, such as tets of four or ten nodes.
enum { TAKEN_APART = !IN_TURN };

// Implements OperatorMethod.reserve: enlarges arrays before a cut, which adds nodes and slots. It adds no cells, so the
// array of data of integration points, with which products apply the tangent, keeps its size.
static bool reserve(Operator *A, const SpaceSplit *split, Error *error) {
  static_assert(!TAKEN_APART || (int)BATCH_NODES <= (int)BATCH_SPLIT_CORNERS,
                "the GPU must be able to build the lists of a batch again after a cut");
  PartialOperator *own = (PartialOperator *)A->layout;
  PartialLayout *l = &own->layout;
  const size_t shift = 6 * sizeof(real), before = (size_t)split->node_before, now = (size_t)split->node_capacity;
  if (!cell_batches_reserve(&l->batches, &own->split, A->space, split, error)) return false;
  const size_t slots_before = (size_t)own->split.slots_before, slots = (size_t)own->split.slots_after;
  const size_t diagonal_slot_bytes = sizeof(real) * DIAGONAL_REALS, partial_slot = sizeof(real) * SLOT_PAD;
  if (!device_grow(DEVICE_CUDA, &l->diagonal, diagonal_slot_bytes * slots_before, diagonal_slot_bytes * slots, error) ||
      !device_grow(DEVICE_CUDA, &l->partial, partial_slot * slots_before, partial_slot * slots, error) ||
      !device_grow(DEVICE_CUDA, &l->shift, shift * before, shift * now, error))
    return false;
  own->split.slots = own->split.slots_after;
  return true;
}

static bool split_cells(Operator *A, const SpaceSplit *split, Stream stream, Error *error) {
  PartialOperator *own = (PartialOperator *)A->layout;
  return cell_batches_split(&own->layout.batches, &own->split, ELEMENT_NODES, split, stream, error);
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes, slots = cell_batches_slots(T, ELEMENT_NODES);
  const double points = T * SHAPE_POINTS * KEPT_REALS * sizeof(real), S = T * ELEMENT_SUPPLEMENTAL * sizeof(real);
  const double vector = 3 * V * sizeof(real), shift = 6 * V * sizeof(real), lists = T * 4 * ELEMENT_NODES;
  const double batches = cell_batches_bytes(T, V, ELEMENT_NODES) + S + SLOT_PAD * slots * sizeof(real);
  const double own = slots * DIAGONAL_REALS * sizeof(real) + 3 * vector, cells = T * READ_REALS * sizeof(real);
  StageBytes taken = stage_takes(stage, batches + points + own + shift + BY_AXES * cells);
  taken.on[DEVICE_CPU] = T * (28 + 6 * ELEMENT_NODES) + 10 * slots;  // host memory that is used only during creation
  stage_pass(stage, &taken, WORK_PRODUCT, points + cells + lists + vector, 0);

  // The second kernel reads x and the diagonal of the shift, a symmetric matrix per node that is added to A. The other
  // numbers of the shift are usually 0 and not read.
  stage_pass(stage, &taken, WORK_PRODUCT, 2 * vector, vector);
  taken.work[WORK_PRODUCT].flops = T * SHAPE_POINTS * (36.0 * ELEMENT_NODES + 130);

  // The kernels of the assembly "partial" also write the data of the integration points (WORK_ASSEMBLY) and add the
  // shift (WORK_SHIFT). The estimate of that assembly counts the bytes that these kernels read, as WORK_VECTOR.
  taken.work[WORK_ASSEMBLY].written += points;
  taken.work[WORK_SHIFT].read += vector;
  taken.work[WORK_SHIFT].written += shift + 4 * vector;
  return taken;
}

extern "C" {
extern const OperatorMethod ELEMENT_ROW(partial_cuda);
const OperatorMethod ELEMENT_ROW(partial_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "partial",
             .summary = "matrix-free: each product reads stored data of all integration points",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .preferred = ELEMENT_NODES > 4,
             .bytes = bytes },
  .create = create,
  .destroy_layout = destroy_layout,
  .apply = apply,
  .count_dots = count_dots,
  .linearise = linearise,
  .shift = shift_diagonal,
  .project = project,
  .reserve = TAKEN_APART ? reserve : nullptr,
  .split = TAKEN_APART ? split_cells : nullptr,
  .idles = true,
};
}

}  // namespace partial_operator
