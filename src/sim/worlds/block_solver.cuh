// Conjugate gradients in one thread block, for small bodies on the GPU. The thread block keeps all vectors in the
// shared memory of its multiprocessor, so one kernel does all iterations. Thread blocks do not exchange data, so one
// launch can solve the systems of many bodies, one in each thread block (worlds.h).
//
// The matrix A has the format "bcsr", which stores one 3 x 3 block for each pair of nodes with a common cell. The
// preconditioner M^-1 is the inverse of the diagonal blocks of A. A product with A has two phases. First, each thread
// multiplies BLOCK_HELD consecutive blocks of A; it writes a partial sum at the end of each row and after its last
// block. Then the thread of each node adds the partial sums of the node's row. In float, A stays in registers during
// the solve if it is small enough (HOLDS); otherwise, each product reads A from memory.
//
// All sums have a fixed order, so the solution does not depend on the number of systems in a launch.
#pragma once
#include "base/real.h"
#include "device/clock.cuh"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"

// BLOCK_THREADS, BLOCK_WARPS: numbers of threads and of warps in the thread block. BLOCK_HELD: number of matrix blocks
// that a thread multiplies at a time. BLOCK_POLL_PERIOD: number of iterations between two reads of the stop flag, which
// is in host memory.
enum { BLOCK_THREADS = 512, BLOCK_WARPS = BLOCK_THREADS / 32, BLOCK_HELD = 8, BLOCK_POLL_PERIOD = 128 };

// Largest number of nodes, and largest number of matrix blocks, of a body whose matrix stays in registers.
enum { BLOCK_NODES_HELD = BLOCK_THREADS, BLOCK_BLOCKS_HELD = BLOCK_THREADS * BLOCK_HELD };

// Number of reals in shared memory for each node: the vectors p, Ap, r, z and x, and the node's block of M^-1.
enum { BLOCK_VECTORS = 5, BLOCK_NODE_REALS = 3 * BLOCK_VECTORS + INVERSE_VALUES_MAX };

// One word stores the data of a node. From the lowest bit on, its bits are: NODE_START_BITS for the index of the first
// block of the node's row, NODE_LENGTH_BITS for the number of blocks in this row, and a bit for each fixed unknown.
enum {
  NODE_START_BITS = 20,
  NODE_LENGTH_BITS = 9,
  NODE_START_MAX = 1 << NODE_START_BITS,
  NODE_LENGTH_MAX = 1 << NODE_LENGTH_BITS
};

// A linear system A x = b, for one thread block. Arrays are on the GPU.
typedef struct BlockSystem {
  int nodes, blocks, iterations_max;  // numbers of nodes, and of 3 x 3 blocks of A; maximum number of iterations
  bool timed;                         // true: the time of the products with A is measured
  const int *start, *length;          // [nodes], index of the first block of each row of A, and number of its blocks
  const int *column;                  // [blocks], the column of each block, a node
  const int *row;                     // [blocks], the row of each block, a node
  const real *values;                 // [blocks][9], the blocks of A
  const real *diagonal;               // [nodes][9], the diagonal blocks of A
  const real *b;                      // [3 nodes], right-hand side
  const uint8_t *fixed;               // [3 nodes], not 0: the unknown is fixed, and its x is 0
  real *x;                            // [3 nodes], output: the solution
  const volatile double *relative;    // the solve has converged if ||r|| <= *relative ||b||
  const int *wanted;                  // if *wanted is 0, the solve is skipped; NULL: it is never skipped
  const volatile int *stop;           // in host memory; 1: the host requests the end of the solve
  SolverReport *report;               // output
} BlockSystem;

// Returns the bytes of shared memory that the solve of a system needs: for its vectors and its blocks of M^-1, for a
// partial sum of three numbers per matrix block, and for a word per node.
static inline size_t block_shared_bytes(int nodes, int64_t blocks) {
  return sizeof(real) * (BLOCK_NODE_REALS * (size_t)nodes + 3 * (size_t)blocks) + sizeof(unsigned) * (size_t)nodes;
}

static inline bool block_holds(int nodes, int64_t blocks) {
  return sizeof(real) == sizeof(float) && nodes <= BLOCK_NODES_HELD && blocks <= BLOCK_BLOCKS_HELD;
}

// Arrays of a solve in shared memory. The vectors p to x are [nodes][3].
typedef struct BlockVectors {
  real *p, *Ap, *r, *z, *x;
  real *inverse;  // [6][nodes], upper triangles of the blocks of M^-1
  // [blocks][3]. A partial sum adds the products of a thread's blocks in one row. It is stored at the index of the last
  // of these blocks; values at other indices are not read
  real *partial;
  unsigned *node;  // [nodes], row and fixed unknowns of each node (NODE_START_BITS)
} BlockVectors;

static __device__ __forceinline__ BlockVectors block_vectors(const BlockSystem &s, real *shared) {
  const int n = 3 * s.nodes;
  real *partial = shared + BLOCK_NODE_REALS * s.nodes;
  const BlockVectors v = { shared,         shared + n,     shared + 2 * n, shared + 3 * n,
                           shared + 4 * n, shared + 5 * n, partial,        (unsigned *)(partial + 3 * s.blocks) };
  return v;
}

// A thread's blocks of A. Bit k of `ends` is set if block k is the last one of its row or of the thread.
typedef struct BlockPiece {
  real value[BLOCK_HELD][9];
  uint16_t column[BLOCK_HELD];
  unsigned ends;
} BlockPiece;

// Returns true if block `block` is the last one of its row, or of the `count` blocks from block `first` on.
static __device__ __forceinline__ bool block_ends(const BlockSystem &s, int first, int count, int block) {
  return block + 1 == first + count || s.row[block + 1] != s.row[block];
}

// Returns the number of matrix blocks of the thread whose first block has the index `first`.
static __device__ __forceinline__ int block_count(const BlockSystem &s, int first) {
  return min(BLOCK_HELD, max(0, s.blocks - first));
}

// Loads a thread's blocks of A, from block `first` on, into registers. Reads four floats at a time.
static __device__ __forceinline__ void block_load(const BlockSystem &s, int first, BlockPiece *piece) {
  enum { WIDE = 4 };
  static_assert(9 * BLOCK_HELD % WIDE == 0, "a thread's blocks are read four numbers at a time");
  const int count = block_count(s, first);
  const real *from = s.values + 9 * (size_t)first;
  real *value = &piece->value[0][0];
  piece->ends = 0;
#pragma unroll
  for (int k = 0; k < 9 * BLOCK_HELD; k += WIDE) {
    if (k + WIDE <= 9 * count) {
      const float4 four = *(const float4 *)(from + k);
      value[k] = four.x;
      value[k + 1] = four.y;
      value[k + 2] = four.z;
      value[k + 3] = four.w;
    } else {
#pragma unroll
      for (int i = k; i < k + WIDE; i++) value[i] = i < 9 * count ? from[i] : (real)0;
    }
  }
#pragma unroll
  for (int k = 0; k < BLOCK_HELD; k++) {
    const bool inside = k < count;
    piece->column[k] = inside ? (uint16_t)s.column[first + k] : (uint16_t)0;
    if (inside && block_ends(s, first, count, first + k)) piece->ends |= 1u << k;
  }
}

// Adds the product of a matrix block a [9] with a vector p [3] to sum [3].
static __device__ __forceinline__ void block_add(const real *a, const real *p, real sum[3]) {
  const real x = p[0], y = p[1], z = p[2];
#pragma unroll
  for (int i = 0; i < 3; i++) sum[i] += a[3 * i] * x + a[3 * i + 1] * y + a[3 * i + 2] * z;
}

// Writes the partial sum of block `block`, and sets `sum` to 0 for the next one.
static __device__ __forceinline__ void block_write(const BlockVectors &v, int block, real sum[3]) {
#pragma unroll
  for (int i = 0; i < 3; i++) {
    v.partial[3 * block + i] = sum[i];
    sum[i] = 0;
  }
}

// Multiplies a thread's blocks in registers by p, and writes partial sums.
static __device__ __forceinline__ void block_multiply(const BlockVectors &v, int first, const BlockPiece &piece) {
  real sum[3] = { 0, 0, 0 };
#pragma unroll
  for (int k = 0; k < BLOCK_HELD; k++) {
    block_add(piece.value[k], v.p + 3 * piece.column[k], sum);
    if (piece.ends >> k & 1) block_write(v, first + k, sum);
  }
}

// As block_multiply, but for all blocks of A, which are read from memory. Adds in the same order as block_multiply.
static __device__ __forceinline__ void block_multiply_all(const BlockSystem &s, const BlockVectors &v) {
  for (int first = threadIdx.x * BLOCK_HELD; first < s.blocks; first += BLOCK_THREADS * BLOCK_HELD) {
    const int count = block_count(s, first);
    real sum[3] = { 0, 0, 0 };
#pragma unroll 2
    for (int block = first; block < first + count; block++) {
      block_add(s.values + 9 * block, v.p + 3 * s.column[block], sum);
      if (block_ends(s, first, count, block)) block_write(v, block, sum);
    }
  }
}

// Computes the product of a node's row of A with p, from the partial sums of the threads. `node` is the word of the
// node (NODE_START_BITS).
static __device__ __forceinline__ void block_row(const BlockVectors &v, unsigned node, real sum[3]) {
  const int start = node & (NODE_START_MAX - 1), length = node >> NODE_START_BITS & (NODE_LENGTH_MAX - 1);
  const int last = start + length - 1;
  sum[0] = sum[1] = sum[2] = 0;
  for (int block = start | (BLOCK_HELD - 1); block < last; block += BLOCK_HELD)
    for (int i = 0; i < 3; i++) sum[i] += v.partial[3 * block + i];
  for (int i = 0; i < 3; i++) sum[i] += v.partial[3 * last + i];
}

static __device__ __forceinline__ bool block_is_fixed(unsigned node, int i) {
  return node >> (NODE_START_BITS + NODE_LENGTH_BITS + i) & 1;
}

// Returns true if the thread's warp has nodes. The other warps take no part in sums: block_add_up collects the sums of
// warps in the array `board`, in which the entries of warps without nodes stay 0.
static __device__ __forceinline__ bool block_has_nodes(const BlockSystem &s) {
  return (int)(threadIdx.x / 32 * 32) < s.nodes;
}

// Adds two values over the threads of the block, in a fixed order; every thread gets both sums. Half of the lanes add
// the first value, and the others the second. `board` is shared memory that the previous call did not use.
static __device__ __forceinline__ void block_add_up(const BlockSystem &s, double value[2],
                                                    double (*board)[BLOCK_WARPS]) {
  static_assert(BLOCK_WARPS == 16, "half a warp adds the sums of all warps");
  const int lane = threadIdx.x % 32, half = lane / 16;
  double mine;
  if (block_has_nodes(s)) {
    mine = half ? value[1] : value[0];
    mine += __shfl_xor_sync(0xffffffff, half ? value[0] : value[1], 16);
    for (int step = 8; step > 0; step /= 2) mine += __shfl_xor_sync(0xffffffff, mine, step);
    if (lane % 16 == 0) board[half][threadIdx.x / 32] = mine;
  }
  __syncthreads();
  mine = board[half][lane % 16];
  for (int step = 8; step > 0; step /= 2) mine += __shfl_xor_sync(0xffffffff, mine, step);
  value[0] = __shfl_sync(0xffffffff, mine, 0);
  value[1] = __shfl_sync(0xffffffff, mine, 16);
}

// Adds one value over the threads of the block, in a fixed order; every thread gets the sum.
static __device__ __forceinline__ double block_add_up(const BlockSystem &s, double value, double *board) {
  if (block_has_nodes(s)) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0) board[threadIdx.x / 32] = value;
  }
  __syncthreads();
  value = board[threadIdx.x % BLOCK_WARPS];
  for (int step = BLOCK_WARPS / 2; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

// Stores r and z = M^-1 r at a node, with z = 0 at fixed unknowns. Adds r.z and r.r to sums [2].
static __device__ __forceinline__ void block_precondition(const BlockSystem &s, const BlockVectors &v, int node,
                                                          unsigned word, const real r[3], double sums[2]) {
  real inverse[INVERSE_VALUES_MAX], z[3];
  for (int k = 0; k < INVERSE_VALUES_MAX; k++) inverse[k] = v.inverse[k * s.nodes + node];
  precondition(3, inverse, r, z);
  for (int i = 0; i < 3; i++) {
    if (block_is_fixed(word, i)) z[i] = 0;
    v.r[3 * node + i] = r[i];
    v.z[3 * node + i] = z[i];
    sums[0] += (double)r[i] * z[i];
    sums[1] += (double)r[i] * r[i];
  }
}

// Sets x = 0, r = b and p = M^-1 r. Adds r.p and r.r to sums [2].
static __device__ __forceinline__ void block_start(const BlockSystem &s, const BlockVectors &v, double sums[2]) {
  for (int node = threadIdx.x; node < s.nodes; node += BLOCK_THREADS) {
    real inverse[INVERSE_VALUES_MAX], r[3];
    unsigned word = (unsigned)s.start[node] | (unsigned)s.length[node] << NODE_START_BITS;
    for (int i = 0; i < 3; i++)
      if (s.fixed[3 * node + i]) word |= 1u << (NODE_START_BITS + NODE_LENGTH_BITS + i);
    v.node[node] = word;
    invert_unit(3, 3, s.diagonal, node, inverse);
    for (int k = 0; k < INVERSE_VALUES_MAX; k++) v.inverse[k * s.nodes + node] = inverse[k];
    for (int i = 0; i < 3; i++) r[i] = block_is_fixed(word, i) ? (real)0 : s.b[3 * node + i];
    block_precondition(s, v, node, word, r, sums);
    for (int i = 0; i < 3; i++) {
      v.x[3 * node + i] = 0;
      v.p[3 * node + i] = v.z[3 * node + i];
    }
  }
}

// Computes Ap. Returns this thread's part of p.Ap.
static __device__ __forceinline__ double block_curvature(const BlockSystem &s, const BlockVectors &v) {
  double dot = 0;
  for (int node = threadIdx.x; node < s.nodes; node += BLOCK_THREADS) {
    real Ap[3];
    block_row(v, v.node[node], Ap);
    for (int i = 0; i < 3; i++) {
      v.Ap[3 * node + i] = Ap[i];
      dot += (double)v.p[3 * node + i] * Ap[i];  // p is 0 at fixed unknowns
    }
  }
  return dot;
}

// Computes x += alpha p, r -= alpha Ap, and z = M^-1 r. Adds r.z and r.r to sums [2]. `stops`: the solve ends because
// p.Ap is not positive, and r does not change. `finite`: p.Ap is finite; if not, x does not change.
static __device__ __forceinline__ void block_advance(const BlockSystem &s, const BlockVectors &v, real alpha,
                                                     bool stops, bool finite, double sums[2]) {
  for (int node = threadIdx.x; node < s.nodes; node += BLOCK_THREADS) {
    const unsigned word = v.node[node];
    real r[3];
    for (int i = 0; i < 3; i++) {
      const int at = 3 * node + i;
      r[i] = stops || block_is_fixed(word, i) ? v.r[at] : v.r[at] - alpha * v.Ap[at];
      if (finite) v.x[at] += alpha * v.p[at];
    }
    block_precondition(s, v, node, word, r, sums);
  }
}

// Solves a system; all threads of the thread block call this function. `shared` is shared memory of at least
// block_shared_bytes(s.nodes, s.blocks) bytes.
template <bool HOLDS>
static __device__ __forceinline__ void block_solve(const BlockSystem &s, real *shared) {
  __shared__ double board[2][2][BLOCK_WARPS];  // sums of an iteration: p.Ap in board[0]; r.z and r.r in board[1]
  const BlockVectors v = block_vectors(s, shared);
  const double relative = *s.relative;
  SolverReport report = { 0, SOLVER_OUT_OF_ITERATIONS, 1, 0 };
  double sums[2] = { 0, 0 };
  BlockPiece held;
  if constexpr (HOLDS) block_load(s, threadIdx.x * BLOCK_HELD, &held);
  for (int k = threadIdx.x; k < 4 * BLOCK_WARPS; k += BLOCK_THREADS) (&board[0][0][0])[k] = 0;
  __syncthreads();
  block_start(s, v, sums);
  block_add_up(s, sums, board[1]);
  double rz = sums[0];
  const double rr0 = sums[1], bound = relative * relative * rr0;
  if (rr0 == 0) {
    report.end = SOLVER_CONVERGED;
    report.relative_residual = 0;
  }
  if (!isfinite(rr0)) report.end = SOLVER_BROKEN;

  while (report.end == SOLVER_OUT_OF_ITERATIONS && report.iterations < s.iterations_max) {
    const unsigned long long began = s.timed ? now_ns() : 0;
    if constexpr (HOLDS)
      block_multiply(v, threadIdx.x * BLOCK_HELD, held);
    else
      block_multiply_all(s, v);
    __syncthreads();
    const double pAp = block_add_up(s, block_curvature(s, v), board[0][0]);
    if (s.timed) report.product_ms += 1e-6 * (double)(now_ns() - began);

    // If A is not positive definite, x is not changed, except in the first iteration: there x becomes M^-1 b, a descent
    // direction.
    const bool finite = isfinite(pAp), stops = !(pAp > 0) || !finite, first = report.iterations == 0;
    const real alpha = stops ? (real)(first && finite ? 1 : 0) : (real)(rz / pAp);
    sums[0] = sums[1] = 0;
    block_advance(s, v, alpha, stops, finite, sums);
    block_add_up(s, sums, board[1]);
    report.relative_residual = sqrt(sums[1] / rr0);
    if (stops) {
      report.end = finite ? SOLVER_INDEFINITE : SOLVER_BROKEN;
      break;
    }

    report.iterations++;
    if (sums[1] <= bound) report.end = SOLVER_CONVERGED;
    if (sums[1] != sums[1]) break;
    if (report.iterations % BLOCK_POLL_PERIOD == 0 && __syncthreads_or(*s.stop)) report.end = SOLVER_STOPPED;
    const real beta = (real)(sums[0] / rz);
    rz = sums[0];
    for (int i = threadIdx.x; i < 3 * s.nodes; i += BLOCK_THREADS) v.p[i] = v.z[i] + beta * v.p[i];
    __syncthreads();
  }

  __syncthreads();
  for (int i = threadIdx.x; i < 3 * s.nodes; i += BLOCK_THREADS) s.x[i] = v.x[i];
  if (threadIdx.x == 0) *s.report = report;
}
