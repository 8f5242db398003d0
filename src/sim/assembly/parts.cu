// Assembly "parts" on the GPU, for a matrix in the format "parts". Each thread block of its kernel processes a batch: a
// group of matrix rows, with all tets at the nodes of these rows. The words of part_batches.h in short:
//   slot    index of a 3 x 3 block of the matrix: 32 * step + lane
//   entry   16 bits: a tet of the batch and two of its corners, the row and the column of a block
//   unit    the work of a warp: 32 lists of entries, one for each lane (thread). A step unit sums 32 off-diagonal
//           blocks, a row unit the diagonal blocks and forces of 8 rows
// The kernel has three phases:
//   read      loads the nodes of the batch's tets and, for the next two phases, each thread's first tet and each warp's
//             first lists
//   evaluate  one thread per tet computes h, r and forces (parts_cell.h), and writes them to shared memory
//   gather    one warp per unit sums along the lists of entries, and writes the blocks and forces to global memory
// Lists have a fixed order and no sum is made in global memory, so a run repeats bit for bit. The phase `gather` takes
// most of the time. Its instructions and its loads from shared memory limit its speed.
#include <math_constants.h>
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/parts_cell.h"

namespace parts_assembly {

// Number of threads that run on a multiprocessor at the same time. In double, a thread needs twice as many registers as
// in float, so only half as many threads fit.
enum { THREADS_MAX = sizeof(real) == sizeof(float) ? 1024 : 512 };
enum {
  ROUNDS = 1,  // number of tets that each thread loads before the phase `evaluate` begins
  // number of words of a lane's list, with two entries each, that the lane loads in advance, while its warp still sums
  // the lists of another unit
  AHEAD = 4,
  UNITS_NEAR = 192,     // number of units of a batch that are copied to shared memory; a unit is the work of a warp
  DIAGONAL_VALUES = 6,  // values of the upper triangle of a row's diagonal block, which is symmetric and 3 x 3
  // number of values that are summed for a row: those of the upper triangle, and the three components of the force
  ROW_VALUES = DIAGONAL_VALUES + 3
};

// Arguments of batch_kernel. `b` has the tables of all batches (part_batches.h).
typedef struct View {
  PartBatches b;
  int node_count;
  const real *nodal;  // [node_count][3], nodal data such as displacements
  ElementParameters parameters;
  Material scaled;  // material for the matrix blocks: mu and lambda times the matrix's scale factor
  // Outputs. F [node_count][3]: the forces. values: all values of the matrix. diagonal_block [node_count][3][3]: the
  // diagonal blocks, at the end of `values`.
  real *F, *values, *diagonal_block;
  real *min_J;  // [batch_count], smallest J = det F of the tets of each batch
  // Terms that are added to the diagonal blocks, as in operator_shift; pointers may be NULL. shift [node_count][3]:
  // added to the diagonal. cross [node_count][crosses]: added to the entries (x, y), (x, z), (y, z) of the block and
  // their mirror images. wanted: if it points to 0, nothing is added. diagonal [node_count][3]: output, the diagonal
  // after the addition.
  const real *shift, *cross;
  int crosses;
  const int *wanted;
  real *diagonal;
} View;

// ---- vectors of four numbers in shared memory
//
// Shared memory is divided into pieces of 16 bytes. A vector of four numbers is one piece in float and two in double.
// An array of vectors has the first pieces of all vectors, then the second pieces. So threads that read neighbouring
// vectors read neighbouring pieces, without bank conflicts.

// A piece: 16 bytes of shared memory, 4 floats or 2 doubles, loaded at once.
union Piece {
  int4 whole;
  real value[16 / sizeof(real)];
};
// PIECES: number of pieces of a vector of four numbers, 1 or 2. PIECE_VALUES: number of values of a piece, 4 or 2.
enum { PIECES = 4 * sizeof(real) / sizeof(Piece), PIECE_VALUES = 4 / PIECES };

// An array of `count` vectors of four numbers in shared memory.
struct Vectors {
  Piece *piece;  // [PIECES][count]: the first pieces of all vectors, then the second pieces; a piece has 16 bytes
  int count;
};

static __device__ __forceinline__ void get(const Vectors &from, int at, real value[4]) {
#pragma unroll
  for (int p = 0; p < PIECES; p++) {
    Piece piece;
    piece.whole = from.piece[p * from.count + at].whole;
#pragma unroll
    for (int k = 0; k < PIECE_VALUES; k++) value[p * PIECE_VALUES + k] = piece.value[k];
  }
}

static __device__ __forceinline__ void put(const Vectors &to, int at, const real value[4]) {
#pragma unroll
  for (int p = 0; p < PIECES; p++) {
    Piece piece;
#pragma unroll
    for (int k = 0; k < PIECE_VALUES; k++) piece.value[k] = value[p * PIECE_VALUES + k];
    to.piece[p * to.count + at].whole = piece.whole;
  }
}

// ---- shared memory of a batch
//
// Tables hold the results of the batch's tets as [corner][column]; column x belongs to tet x. At least BATCH_PHASE
// columns of zeros follow; entries that only pad a list name one of them. The table of the vectors h_a begins at
// address 0 of shared memory. So the index of a vector, corner * stride + column, is also its address, counted in
// pieces of 16 bytes.

// The tables of a batch in shared memory. stride: number of columns of the tables h and f.
struct Buffer {
  // [corners][stride]: the vector h_a and the number r of each corner, from which the blocks of a tet's matrix follow
  Vectors h;
  real *f;  // [3][corners][stride]: components x, y, z of the forces of the tets on their corners
  // [nodes of the batch]: the three nodal data of each node (its displacement); the fourth number holds the node's
  // index in the mesh
  Vectors node;
  int stride;
};

template <bool WITH_MATRIX>
static __device__ __forceinline__ Buffer capacity_of(unsigned char *memory, const Batch &batch) {
  Buffer buffer;
  buffer.stride = batch_stride(batch.tet_count);
  buffer.h = { (Piece *)memory, BATCH_CORNERS * buffer.stride };
  buffer.f = (real *)(buffer.h.piece + (WITH_MATRIX ? PIECES * BATCH_CORNERS * buffer.stride : 0));
  buffer.node = { (Piece *)(buffer.f + 3 * BATCH_CORNERS * buffer.stride), batch.node_count };
  return buffer;
}

template <bool WITH_MATRIX>
static __device__ __forceinline__ void put_cell(const Buffer &buffer, int x, const BatchCellData &cell) {
#pragma unroll
  for (int a = 0; a < BATCH_CORNERS; a++) {
    const real h[4] = { cell.h[a][0], cell.h[a][1], cell.h[a][2], cell.r };
    if (WITH_MATRIX) put(buffer.h, a * buffer.stride + x, h);
#pragma unroll
    for (int i = 0; i < 3; i++) buffer.f[(i * BATCH_CORNERS + a) * buffer.stride + x] = cell.f[a][i];
  }
}

static __device__ __forceinline__ Batch read_batch(const View &v) {
  const int4 *__restrict__ from = (const int4 *)(v.b.batch + blockIdx.x);
  const int4 a = from[0], b = from[1];
  return { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };
}

// Loads the three nodal data of a node into value[0] to value[2]. Stores the node's index in the mesh, an int, in the
// first bytes of value[3], where number_of_row finds it.
static __device__ __forceinline__ void read_node(const View &v, int node, real value[4]) {
  const real *__restrict__ from = v.nodal + (size_t)node * 3;
#pragma unroll
  for (int i = 0; i < 3; i++) value[i] = from[i];
  value[3] = 0;
  memcpy(&value[3], &node, sizeof node);
}

// Returns the index in the mesh of the node to which a row of the batch belongs. The index is in the fourth number of
// the node's vector (read_node).
static __device__ __forceinline__ int number_of_row(const Buffer &buffer, int row) {
  int node;
  memcpy(&node, &buffer.node.piece[(PIECES - 1) * buffer.node.count + row].value[PIECE_VALUES - 1], sizeof node);
  return node;
}

// ---- evaluation of tets

// A tet that a thread has loaded: its four nodes, as indices into the batch's nodes, and its constants S.
struct CellRead {
  ushort4 node;
  real S[CELL_REALS];
};

// Loads tet number x of the batch, a group of tets that one thread block evaluates, from global memory.
static __device__ __forceinline__ CellRead read_cell(const View &v, const Batch &batch, int x) {
  const real *__restrict__ S = (const real *)v.b.supplemental + (size_t)batch.tet * CELL_REALS + x;
  CellRead read;
  read.node = ((const ushort4 *)v.b.tet)[batch.tet + x];
#pragma unroll
  for (int k = 0; k < CELL_REALS; k++) read.S[k] = S[(size_t)k * batch.tet_count];
  return read;
}

// Evaluates tet number x of the batch and stores its results in column x of the tables. Returns J = det F, or -inf if J
// is NaN.
template <bool WITH_MATRIX>
static __device__ __forceinline__ real evaluate(const View &v, const Buffer &buffer, int x, const CellRead &read) {
  const int node[BATCH_CORNERS] = { read.node.x, read.node.y, read.node.z, read.node.w };
  real nodal[ELEMENT_DOF];
  BatchCellData cell;
#pragma unroll
  for (int a = 0; a < BATCH_CORNERS; a++) {
    real value[4];
    get(buffer.node, node[a], value);
#pragma unroll
    for (int i = 0; i < 3; i++) nodal[3 * a + i] = value[i];
  }
  const real J = cell_evaluate(nodal, read.S, &v.parameters, &v.scaled, WITH_MATRIX, &cell);
  put_cell<WITH_MATRIX>(buffer, x, cell);
  return J == J ? J : -CUDART_INF_F;
}

// ---- sums along the lists of units; a unit is the work of a warp, 32 lists of entries

// The next unit of a warp (32 lists of entries), loaded while the warp still sums the present unit. word: the first
// AHEAD words of this lane's list; a word has two entries.
struct UnitRead {
  BatchUnit unit;
  unsigned word[AHEAD];
};

template <bool WITH_MATRIX>
static __device__ __forceinline__ int unit_count(const Batch &batch) {
  return WITH_MATRIX ? batch.unit_count : batch.row_units;
}

// Loads unit u of the batch: the work of a warp, one list of entries for each lane. Also loads the first AHEAD words of
// this lane's list; a word has two entries. units [UNITS_NEAR]: copies of the batch's first units in shared memory;
// later units are loaded from global memory.
template <bool WITH_MATRIX>
static __device__ __forceinline__ void read_unit(const View &v, const Batch &batch, const int4 *units, int u, int lane,
                                                 UnitRead *read) {
  if (u >= unit_count<WITH_MATRIX>(batch)) return;
  const int4 unit = u < UNITS_NEAR ? units[u] : ((const int4 *)v.b.unit)[batch.unit + u];
  read->unit = { unit.x, unit.y, unit.z, unit.w };
#pragma unroll
  for (int w = 0; w < AHEAD; w++)
    read->word[w] = 2 * w < unit.y ? v.b.list[((size_t)unit.x + w) * PART_LANES + lane] : 0;
}

// Takes the number of the batch's next unit; a unit is the work of a warp. Lane 0 increments the counter *next and
// returns its old value; the other lanes return 0. They get the number later by a shuffle, so that no lane waits here.
// A unit's sums do not depend on the warp that takes it.
static __device__ __forceinline__ int take_unit(int *next, int lane) {
  return lane == 0 ? atomicAdd(next, 1) : 0;
}

// Calls add(entry) for each entry of this lane's list. An entry is 16 bits that name a tet and two of its corners.
template <typename Add>
static __device__ __forceinline__ void walk(const View &v, const UnitRead &read, int lane, const Add &add) {
  const uint32_t *__restrict__ list = v.b.list + (size_t)read.unit.list * PART_LANES + lane;
  const int depth = read.unit.depth;
#pragma unroll
  for (int w = 0; w < AHEAD; w++) {
    if (2 * w < depth) add(read.word[w] & 0xffff);
    if (2 * w + 1 < depth) add(read.word[w] >> 16);
  }
  for (int w = AHEAD; 2 * w < depth; w++) {
    const unsigned word = list[w * PART_LANES];
    add(word & 0xffff);
    if (2 * w + 1 < depth) add(word >> 16);
  }
}

// Computes 32 off-diagonal blocks of the matrix, one 3 x 3 block for each lane of a warp. Each lane sums the terms that
// its list of entries names. The blocks are stored as [row][column][lane].
static __device__ __forceinline__ void gather_step(const View &v, const Buffer &buffer, const UnitRead &read,
                                                   int lane) {
  const real sum = ((const real *)v.b.slot_constant)[(size_t)read.unit.at * PART_LANES + lane];
  real K[9] = {};
  walk(v, read, lane, [&](unsigned entry) {
    real a[4], b[4];
    get(buffer.h, entry_row(entry) * buffer.stride + entry_tet(entry), a);
    get(buffer.h, entry_column(entry) * buffer.stride + entry_tet(entry), b);
    compact_add(&v.scaled, a[3], a, b, K);
  });
  const real constant = compact_constant(&v.scaled) * sum;
  real *out = v.values + (size_t)read.unit.at * 9 * PART_LANES + lane;
#pragma unroll
  for (int k = 0; k < 9; k++) out[k * PART_LANES] = K[k] + (k % 4 == 0 ? constant : (real)0);
}

// Returns a, b, c or d, if `which` is 0, 1, 2 or 3.
static __device__ __forceinline__ real chosen(int which, real a, real b, real c, real d) {
  return which < 2 ? (which == 0 ? a : b) : which == 2 ? c : d;
}

// Computes the diagonal blocks and forces of a row unit, the work of a warp for 8 matrix rows. Adds the shift, such as
// masses, to the diagonal blocks. Each row has ROW_LANES = 4 lanes; each lane sums a quarter of the row's list of
// terms. Then the four sums are added. Each lane writes some of the row's results.
template <bool WITH_MATRIX>
static __device__ __forceinline__ void gather_rows(const View &v, const Batch &batch, const Buffer &buffer,
                                                   const UnitRead &read, int lane, bool shifted) {
  static_assert(ROW_LANES == 4, "gather_rows is written for 4 lanes per row");
  const int row = read.unit.at + lane / ROW_LANES, share = lane % ROW_LANES;
  const bool inside = row < batch.row_count;
  const size_t node = inside ? (size_t)number_of_row(buffer, row) : 0;
  const real constant = WITH_MATRIX ? ((const real *)v.b.diagonal_constant)[node] : (real)0;
  real shift[3] = {}, cross[3] = {};  // cross: terms for the entries (x, y), (x, z), (y, z) of the block
  if (shifted) {
#pragma unroll
    for (int i = 0; i < 3; i++) shift[i] = v.shift[node * 3 + i];
#pragma unroll
    for (int k = 0; k < 3; k++)
      if (k < v.crosses) cross[k] = v.cross[node * v.crosses + k];
  }

  real sum[ROW_VALUES] = {};
  walk(v, read, lane, [&](unsigned entry) {
    const int at = entry_row(entry) * buffer.stride + entry_tet(entry);
    if (WITH_MATRIX) {
      real h[4];
      get(buffer.h, at, h);
      compact_add_diagonal(&v.scaled, h[3], h, sum);
    }
#pragma unroll
    for (int i = 0; i < 3; i++) sum[DIAGONAL_VALUES + i] += buffer.f[i * BATCH_CORNERS * buffer.stride + at];
  });
#pragma unroll
  for (int k = WITH_MATRIX ? 0 : DIAGONAL_VALUES; k < ROW_VALUES; k++) {
    sum[k] += __shfl_xor_sync(0xffffffff, sum[k], 1);
    sum[k] += __shfl_xor_sync(0xffffffff, sum[k], 2);
  }
  if (!inside) return;
  if (share < 3)
    v.F[node * 3 + share] = chosen(share, sum[DIAGONAL_VALUES], sum[DIAGONAL_VALUES + 1], sum[DIAGONAL_VALUES + 2], 0);
  if (!WITH_MATRIX) return;
  const real more = compact_constant(&v.scaled) * constant;
  const real xx = sum[0] + more + shift[0], yy = sum[3] + more + shift[1], zz = sum[5] + more + shift[2];
  const real xy = sum[1] + cross[0], xz = sum[2] + cross[1], yz = sum[4] + cross[2];
  real *diagonal_block = v.diagonal_block + node * 9 + share;
  diagonal_block[0] = chosen(share, xx, xy, xz, xy);
  diagonal_block[4] = chosen(share, yy, yz, xz, yz);
  if (share == 0) diagonal_block[8] = zz;
  if (shifted && v.diagonal && share < 3) v.diagonal[node * 3 + share] = chosen(share, xx, yy, zz, 0);
}

// The kernel of the assembly; each thread block assembles one batch. SHARING: number of thread blocks that run on a
// multiprocessor at the same time. With 2, one thread block can load while the other computes.
template <bool WITH_MATRIX, int SHARING>
static __global__ void __launch_bounds__(THREADS_MAX / SHARING, SHARING) batch_kernel(const __grid_constant__ View v) {
  enum { THREADS = THREADS_MAX / SHARING, WARPS = THREADS / 32 };
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ real warp_min[WARPS];
  __shared__ int next_unit;
  __shared__ int4 units[UNITS_NEAR];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;

  // Load each thread's first node at the same time as the batch's tables, not after them. This is possible because the
  // nodes of batch k begin at index k * nodes_max.
  const int *__restrict__ nodes = v.b.node + (size_t)blockIdx.x * v.b.nodes_max;
  const int node = nodes[min(thread, v.b.nodes_max - 1)];
  const bool shifted = WITH_MATRIX && v.shift && (!v.wanted || *v.wanted);
  const Batch batch = read_batch(v);
  const Buffer buffer = capacity_of<WITH_MATRIX>(memory, batch);
  const int tets = batch.tet_count;
  real value[4];
  read_node(v, node, value);

  CellRead ahead[ROUNDS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++)
    if (thread + k * THREADS < tets) ahead[k] = read_cell(v, batch, thread + k * THREADS);
  for (int u = thread; u < UNITS_NEAR && u < batch.unit_count; u += THREADS)
    units[u] = ((const int4 *)v.b.unit)[batch.unit + u];
  if (thread < batch.node_count) put(buffer.node, thread, value);
  for (int l = thread + THREADS; l < batch.node_count; l += THREADS) {
    read_node(v, nodes[l], value);
    put(buffer.node, l, value);
  }
  if (thread < BATCH_PHASE) put_cell<WITH_MATRIX>(buffer, tets + thread, BatchCellData{});
  if (thread == 0) next_unit = 2 * WARPS;
  __syncthreads();

  // A unit is the work of a warp in the sums over tets that follow: one list of terms for each of its 32 lanes. Load
  // the lists of the warp's first unit before the tets are evaluated, so that these sums need not wait. Warp w begins
  // with the units w and w + WARPS of the batch; take_unit gives the following ones.
  UnitRead unit, next;
  int u = warp, then = warp + WARPS;
  read_unit<WITH_MATRIX>(v, batch, units, u, lane, &unit);

  real low = CUDART_INF_F;
#pragma unroll
  for (int k = 0; k < ROUNDS; k++)
    if (thread + k * THREADS < tets) low = min(low, evaluate<WITH_MATRIX>(v, buffer, thread + k * THREADS, ahead[k]));
  for (int x = thread + ROUNDS * THREADS; x < tets; x += THREADS)
    low = min(low, evaluate<WITH_MATRIX>(v, buffer, x, read_cell(v, batch, x)));
  for (int step = 16; step > 0; step /= 2) low = min(low, __shfl_xor_sync(0xffffffff, low, step));
  if (lane == 0) warp_min[warp] = low;
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < WARPS; w++) low = min(low, warp_min[w]);
    v.min_J[blockIdx.x] = low;
  }

  while (u < unit_count<WITH_MATRIX>(batch)) {
    const int taken = take_unit(&next_unit, lane);
    read_unit<WITH_MATRIX>(v, batch, units, then, lane, &next);
    if (u < batch.row_units)
      gather_rows<WITH_MATRIX>(v, batch, buffer, unit, lane, shifted);
    else if (WITH_MATRIX)
      gather_step(v, buffer, unit, lane);
    unit = next;
    u = then;
    then = __shfl_sync(0xffffffff, taken, 0);
  }
}

typedef struct Data {
  PartBatches batches;  // the tables of all batches (part_batches.h): rows, tets and lists of entries
  // number of bytes of shared memory that a thread block needs if it computes only the force vector, not the matrix
  size_t vector_bytes;
  // true: when only the force vector is computed, two thread blocks run on a multiprocessor at the same time
  bool shares;
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  part_batches_destroy(&d->batches, DEVICE_CUDA);
  free(d);
}

// Sets the limits of a batch's shared memory, for the kernel that computes the matrix: one thread block uses all shared
// memory of a multiprocessor. Also sets CUDA's limit of shared memory for all three instances of batch_kernel to this
// size. CUDA has one limit for each kernel, not for each assembly, so the limit is the maximum that any assembly may
// need.
static bool budget(BatchCapacity *capacity, Error *error) {
  enum { BESIDE = 1024 + UNITS_NEAR * sizeof(BatchUnit) };  // upper bound of the static shared memory, in bytes
  *capacity = { NODE_REALS * sizeof(real), TET_REALS * sizeof(real), device_block_memory(DEVICE_CUDA) - BESIDE };
  const cudaFuncAttribute maximum = cudaFuncAttributeMaxDynamicSharedMemorySize;
  CUDA_TRY(cudaFuncSetAttribute(batch_kernel<true, 1>, maximum, (int)capacity->bytes));
  CUDA_TRY(cudaFuncSetAttribute(batch_kernel<false, 1>, maximum, (int)capacity->bytes));
  CUDA_TRY(cudaFuncSetAttribute(batch_kernel<false, 2>, maximum, (int)capacity->bytes));
  return true;
}

// Chooses how many thread blocks share a multiprocessor if only the vector is computed. Without the matrix, a tet needs
// less shared memory. If the batches are small enough and there are enough of them, two thread blocks run on a
// multiprocessor at the same time.
static bool choose_vector(Data *d, Error *error) {
  const PartBatches *b = &d->batches;
  const size_t vector =
      sizeof(real) * ((size_t)b->nodes_max * NODE_REALS + (size_t)batch_stride(b->tets_max) * BATCH_CORNERS * 3);
  int blocks = 0;
  d->vector_bytes = vector < b->bytes_max ? vector : b->bytes_max;
  CUDA_TRY(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, batch_kernel<false, 2>, THREADS_MAX / 2, d->vector_bytes));
  d->shares = blocks > 1 && b->batch_count >= 4 * device_multiprocessors(DEVICE_CUDA);
  return true;
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  BatchCapacity capacity;
  const BatchCell cell = { CELL_REALS, cell_fill };
  if (!d || !budget(&capacity, error)) return false;
  PartBatches *b = &d->batches;
  if (!part_batches_create(b, space, assembly->layout, &capacity, &cell, DEVICE_CUDA, error) ||
      !choose_vector(d, error))
    return false;
  assembly->parts = { b->batch_count, b->tets, b->nodes };
  assembly->min_J_count = b->batch_count;
  assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)b->batch_count, error);
  return assembly->min_J;
}

static bool launch(const Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                   const AssemblyShift *shift, Stream stream, Error *error) {
  const Data *d = (const Data *)assembly->data;
  const PartBatches *b = &d->batches;
  const int nodes = assembly->layout->space->node_count;
  View v = {};
  v.b = *b;
  v.node_count = nodes;
  v.parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  v.scaled = batch_material(&v.parameters);
  v.nodal = (const real *)nodal;
  v.F = (real *)F;
  v.values = (real *)values;
  v.diagonal_block = values ? v.values + assembly->layout->value_count - (int64_t)9 * nodes : NULL;
  v.min_J = (real *)assembly->min_J;
  if (shift) {
    v.shift = (const real *)shift->shift;
    v.cross = v.shift + (int64_t)3 * nodes;
    v.crosses = shift->crosses;
    v.diagonal = (real *)shift->diagonal;
    v.wanted = shift->wanted;
  }

  const bool shares = !values && d->shares;
  const auto kernel = values ? batch_kernel<true, 1> : shares ? batch_kernel<false, 2> : batch_kernel<false, 1>;
  kernel<<<b->batch_count, THREADS_MAX / (shares ? 2 : 1), values ? b->bytes_max : d->vector_bytes,
           (cudaStream_t)stream.handle>>>(v);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  return launch(assembly, p, nodal, F, values, NULL, stream, error);
}

static bool assemble_shifted(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, Operator *A,
                             const AssemblyShift *shift, Stream stream, Error *error) {
  return launch(assembly, p, nodal, F, A->values, shift, stream, error) && operator_settle(A, stream, error);
}

extern "C" {
extern const AssemblyMethod ELEMENT_ROW(parts_cpu), ELEMENT_ROW(parts_cuda);
}

static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  return ELEMENT_ROW(parts_cpu).stage.bytes(stage, size);
}

const AssemblyMethod ELEMENT_ROW(parts_cuda) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "parts",
             .summary = "adds the entries of element matrices directly to matrix \"parts\"",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
  .matrix = "parts",
  .other_matrix = "parts16",
  .is_default = true,
  .assemble_shifted = assemble_shifted,
  .compact = true,
};

}  // namespace parts_assembly
