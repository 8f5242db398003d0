// Computes the element matrices of quadrilaterals on the GPU and sums them into a matrix, with one thread per cell; the
// CUDA version of quad_assemble.c. There are three methods to compute an element matrix (the enum QuadLoop; paper 001,
// Alg. 2). T is the tensor of a Gauss point, which contains weight and det J (quad_rule.h).
//   QUAD_LOCAL_REUSE   keeps T of all points in registers
//   QUAD_REDUNDANT     computes T again for each entry and each point
//   QUAD_GLOBAL_REUSE  computes T of one point and adds this point to all entries in memory, then takes the next point
// Loops over pairs of nodes are unrolled only for degrees 1 and 2. Loops over points are unrolled only in
// QUAD_LOCAL_REUSE, since registers can be indexed by the point only in unrolled loops.
#include "device/cuda_try.h"
#include "lab/quad/quad.cuh"
#include "sim/element/symmetric.h"

// number of successive matrix rows whose entries are interleaved in memory in format lazy ELLPACK (lazy_rows.h)
enum { SLICE = 64 };

// Writes the entries of the matrix of cell e to the target t. slot: the cell's index among the stored element matrices,
// for QUAD_LOCAL. node: the cell's nodes. base: for each node, the index of the first entry that is reserved for the
// cell in the node's row, for QUAD_LAZY.
template <int P>
struct Writer {
  enum { NODES = (P + 1) * (P + 1) };
  const QuadTarget &t;
  size_t cells;
  int e, slot, node[NODES], base[NODES];

  __device__ __forceinline__ Writer(const QuadTarget &target, const QuadView &v, int cell)
      : t(target),
        cells((size_t)v.cell_count),
        e(cell),
        slot(target.storage == QUAD_LOCAL && target.cell_slot && cell < v.cell_count ? target.cell_slot[cell] : cell) {
  }

  __device__ __forceinline__ void add(int i, int j, real value) const {
    const int at = t.slot[(size_t)(i * NODES + j) * cells + e];
    if (at < 0) return;
    if (t.atomic)
      atomicAdd(t.values + at, value);
    else
      t.values[at] += value;
  }

  __device__ __forceinline__ void append(int i, int j, real value, bool first) const {
    const size_t at = (size_t)base[i] + (size_t)SLICE * j;
    t.values[at] = first ? value : t.values[at] + value;
    if (first) t.column[at] = node[j];
  }

  // Adds `value` to entry (i, j), i <= j, of the cell's matrix and to its transpose. If `first` is true, `value`
  // replaces the old content of stored element matrices (QUAD_LOCAL) and of appended entries (QUAD_LAZY).
  __device__ __forceinline__ void put(int i, int j, real value, bool first) const {
    if (t.storage == QUAD_LOCAL) {
      const size_t at = quad_value(NODES * (NODES + 1) / 2, symmetric_index(NODES, i, j), slot);
      t.values[at] = first ? value : t.values[at] + value;
    } else if (t.storage == QUAD_SLOTS) {
      add(i, j, value);
      if (i != j) add(j, i, value);
    } else {
      append(i, j, value, first);
      if (i != j) append(j, i, value, first);
    }
  }
};

// For QUAD_LAZY: reserves NODES entries for the cell at the end of the matrix row of each of its nodes. Without
// atomics, cells of a thread block that share a node must not reserve at the same time. So they take turns; `mine` is
// the number of this cell's turn.
template <int P>
static __device__ __forceinline__ void reserve(Writer<P> &w, const QuadView &v, bool inside, int mine) {
  const QuadTarget &t = w.t;
#pragma unroll
  for (int i = 0; i < Writer<P>::NODES; i++) w.node[i] = inside ? v.node[(size_t)i * v.cell_count + w.e] : 0;
  for (int turn = 0; turn < (t.atomic ? 1 : v.turns); turn++) {
    if (inside && (t.atomic || mine == turn))
#pragma unroll
      for (int i = 0; i < Writer<P>::NODES; i++) {
        int *length = t.length + w.node[i];
        const int before = t.atomic ? atomicAdd(length, (int)Writer<P>::NODES) : *length;
        if (!t.atomic) *length = before + Writer<P>::NODES;
        w.base[i] = (t.start[w.node[i] / SLICE] + before) * SLICE + w.node[i] % SLICE;
      }
    if (!t.atomic) __syncthreads();
  }
}

template <int P, int LOOP>
static __global__ void __launch_bounds__(QUAD_THREADS_MAX)
    assemble_kernel(const __grid_constant__ QuadView v, const __grid_constant__ QuadTarget t) {
  constexpr int LINE = P + 1, NODES = LINE * LINE, UNROLL = P <= 2 ? NODES : 1;
  const bool coloured = !t.atomic && t.storage != QUAD_LOCAL, turns = coloured && t.storage == QUAD_SLOTS;
  const int e = quad_cell(v, coloured);

  // no thread returns early, because all threads of a block must reach __syncthreads
  const bool inside = e < v.cell_count;
  const int mine = inside && coloured ? v.turn[e] : -1;
  Writer<P> w(t, v, e);
  QuadMap map = {};
  if (inside) map = quad_map_of(v, e);
  if (t.storage == QUAD_LAZY) reserve<P>(w, v, inside, mine);

  if (LOOP == QUAD_GLOBAL_REUSE) {
    for (int turn = 0; turn < (turns ? v.turns : 1); turn++) {
      if (inside && (!turns || mine == turn))
#pragma unroll 1
        for (int q = 0; q < NODES; q++) {
          const int qx = q % LINE, qy = q / LINE;
          real T[3];
          quad_tensor(&map, v.rule.point[qx], v.rule.point[qy], v.rule.weight[qx] * v.rule.weight[qy], T);
#pragma unroll UNROLL
          for (int i = 0; i < NODES; i++) {
            const real ix = v.rule.D[qx][i % LINE] * v.rule.N[qy][i / LINE];
            const real iy = v.rule.N[qx][i % LINE] * v.rule.D[qy][i / LINE];
#pragma unroll UNROLL
            for (int j = i; j < NODES; j++)
              w.put(i, j,
                    quad_share(T, ix, iy, v.rule.D[qx][j % LINE] * v.rule.N[qy][j / LINE],
                               v.rule.N[qx][j % LINE] * v.rule.D[qy][j / LINE]),
                    q == 0);
          }
        }
      if (turns) __syncthreads();
    }
    return;
  }

  real T[LOOP == QUAD_LOCAL_REUSE ? NODES : 1][3], row[NODES];
  if (LOOP == QUAD_LOCAL_REUSE) quad_tensors<P>(v, map, T);
#pragma unroll UNROLL
  for (int i = 0; i < NODES; i++) {
    const QuadNode<P> node_i = quad_node<P>(v, i);
#pragma unroll UNROLL
    for (int j = i; j < NODES; j++) {
      real sum = 0;
      if (LOOP == QUAD_LOCAL_REUSE) {
        sum = quad_sum<P>(T, node_i, quad_node<P>(v, j));
      } else {
#pragma unroll 1
        for (int q = 0; q < NODES; q++) {
          const int qx = q % LINE, qy = q / LINE;
          quad_tensor(&map, v.rule.point[qx], v.rule.point[qy], v.rule.weight[qx] * v.rule.weight[qy], T[0]);
          sum += quad_share(
              T[0], v.rule.D[qx][i % LINE] * v.rule.N[qy][i / LINE], v.rule.N[qx][i % LINE] * v.rule.D[qy][i / LINE],
              v.rule.D[qx][j % LINE] * v.rule.N[qy][j / LINE], v.rule.N[qx][j % LINE] * v.rule.D[qy][j / LINE]);
        }
      }
      if (turns)
        row[j] = sum;
      else if (inside)
        w.put(i, j, sum, true);
    }
    for (int turn = 0; turns && turn < v.turns; turn++) {
      if (mine == turn)
#pragma unroll UNROLL
        for (int j = i; j < NODES; j++) w.put(i, j, row[j], true);
      __syncthreads();
    }
  }
}

typedef void (*Kernel)(const QuadView v, const QuadTarget t);

static Kernel kernel_of(int degree, QuadLoop loop) {
#define LOOPS(P) \
  { assemble_kernel<P, QUAD_LOCAL_REUSE>, assemble_kernel<P, QUAD_REDUNDANT>, assemble_kernel<P, QUAD_GLOBAL_REUSE> }
  static const Kernel kernels[][QUAD_LOOPS] = { LOOPS(1), LOOPS(2), LOOPS(3), LOOPS(4) };
#undef LOOPS
  return kernels[degree - 1][loop];
}

extern "C" bool REAL_NAME(quad_assemble_cuda)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop,
                                              Stream stream, Error *error) {
  const CellColours *colours = &cells->colours;
  const Kernel kernel = kernel_of(cells->degree, loop);
  cudaStream_t s = (cudaStream_t)stream.handle;
  QuadView v = quad_view(cells);
  if (target->shifted && !device_zero(stream, target->shifted, sizeof *target->shifted, error)) return false;
  if (target->storage == QUAD_LAZY &&
      !device_zero(stream, target->length, sizeof *target->length * (size_t)cells->node_count, error))
    return false;
  if (target->storage == QUAD_SLOTS &&
      !device_zero(stream, target->values, sizeof *target->values * target->value_count, error))
    return false;
  if (target->atomic || target->storage == QUAD_LOCAL) {
    // colours->block_count is not used here: with strips it is the number of thread blocks that process the strips
    kernel<<<(cells->cell_count - 1) / colours->block + 1, colours->block, 0, s>>>(v, *target);
    CUDA_TRY(cudaGetLastError());
    return true;
  }

  for (int colour = 0; colour < colours->count; colour++) {
    v.first_block = colours->start[colour];
    kernel<<<colours->start[colour + 1] - v.first_block, colours->block, 0, s>>>(v, *target);
    CUDA_TRY(cudaGetLastError());
  }
  return true;
}
