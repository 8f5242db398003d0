// Computes products y = K x over quadrilaterals on the GPU, by strips of cells (quad_strips.h). A strip is up to 32
// columns of cells; columns that are adjacent in the mesh form a group. A warp processes a strip from its lowest row to
// its highest, and each lane (thread of the warp) has one column. x on the lower side of a cell is still in registers
// from the cell below. x on the left side comes from the lane of the column to the left; only in the first column of a
// group, the lane loads it. x at the cell's other nodes is loaded by the cell's lane. Loads are begun one row ahead.
#include <type_traits>

#include "device/cuda_try.h"
#include "lab/quad/quad_product.cuh"

namespace quad_strip_product {

enum { BLOCK = 256 };  // threads of a block in edge_kernel, which has one thread per node on an edge

// The column of cells that one lane (thread of a warp) processes in a strip. A group is a set of adjacent columns. The
// warp stores in memory its sums of y at the nodes on the edges of a group. A sum slot is the index of one such sum
// (quad_strips.h).
template <int P>
struct Lane {
  // active: the lane has a column; is_left, is_right: the column is the first, or the last, of its group
  bool active, is_left, is_right;
  const int *node, *side;  // addresses of the column's nodes, and of the nodes on its left edge (if is_left)
  // left, right: first sum slot (index of a stored sum) of the left and of the right edge of the column's group; below,
  // above: first sum slot of the lower and of the upper edge of the column
  int left, right, below, above;
  int height;  // number of cells of the column

  __device__ __forceinline__ Lane(const QuadStrips &s, const QuadStrip &own) {
    const int lane = threadIdx.x % QUAD_STRIP, groups = __popc(own.left), length = own.rows * P + 1;
    const unsigned before = (1u << lane) - 1;
    active = own.active >> lane & 1;
    is_left = own.left >> lane & 1;
    is_right = own.right >> lane & 1;
    node = s.node + (size_t)own.tile * (P * P * QUAD_STRIP) + lane;
    side = s.side + own.side + __popc(own.left & before) * length;
    left = own.slot + __popc(own.left & before) * length;
    right = own.slot + (groups + __popc(own.right & before)) * length;
    below = own.slot + 2 * groups * length + lane;
    above = below + P * QUAD_STRIP;
    height = own.rows;
  }
};

// The maps (QuadMap) of the cells of a column, loaded one cell ahead: while one cell is processed, the map of the cell
// above it is being loaded.
struct MapsAhead {
  const int *cell;  // address in QuadStrips.cell, the list of cells by strips, from which `next` was read
  int left;         // number of cells of the column that are not yet loaded: `next` and all cells above it
  int next;         // cell whose map is loaded next; `map` belongs to the cell below it
  QuadMap map;

  __device__ __forceinline__ MapsAhead(const QuadView &v, const int *cells, int rows) : cell(cells), left(rows) {
    next = rows > 0 ? *cell : 0;
    advance(v);
  }

  __device__ __forceinline__ void advance(const QuadView &v) {
    if (left <= 0) return;
    map = quad_map_of(v, next);
    cell += QUAD_STRIP;
    if (--left > 0) next = *cell;
  }

  __device__ __forceinline__ QuadMap take(const QuadView &v) {
    const QuadMap own = map;
    advance(v);
    return own;
  }
};

// Replaces MapsAhead in kernels that load the map of a cell (QuadMap) only when they process the cell.
struct MapsAtOnce {
  __device__ __forceinline__ MapsAtOnce(const QuadView &, const int *, int) {
  }
};

// Options for the kernel of degree P and method PRODUCT. If AHEAD is true, the maps of cells (QuadMap) are loaded one
// cell ahead, and the compiler limits registers so that two thread blocks run on a multiprocessor. AHEAD makes only
// those kernels faster that recompute element matrices in float at degree 2 or 3. In double and at degree 4 there are
// too few registers, and the other kernels were slower with a limit on registers.
template <int P, int PRODUCT>
struct Plan {
  static constexpr bool AHEAD = PRODUCT == QUAD_RECOMPUTED && sizeof(real) == 4 && (P == 2 || P == 3);
  enum { BLOCKS = AHEAD ? 2 : 0 };  // thread blocks that must fit on a multiprocessor together; 0: no condition
  using Maps = std::conditional_t<AHEAD, MapsAhead, MapsAtOnce>;
};

// Node numbers in the column of a lane (thread of a warp). below: nodes on the lower side of the present cell. next:
// the P^2 nodes of the cell above that are not on its left or lower side. next_side: nodes on the left side of the cell
// above, only if the column is the first of a group of adjacent columns.
template <int P>
struct StripNodes {
  int below[P], next[P * P], next_side[P];
};

// Values of the vectors x and y = K x at the nodes of one cell. x_below, x_next and x_side hold x at the nodes `below`,
// `next` and `next_side` of StripNodes. y_below holds the contributions of the cell below to y at the nodes on the
// lower side of the present cell.
template <int P>
struct StripValues {
  real x_below[P + 1], y_below[P + 1], x_next[P * P], x_side[P];
};

// Nodes of the cell that a lane (thread of a warp) processes. own: the P^2 nodes that are not on the cell's left or
// lower side. side: the nodes on the cell's left side, only if the column is the first of a group of adjacent columns.
template <int P>
struct RowNodes {
  int own[P * P], side[P];
};

// Loads what the lowest cell of a column needs. Loads the nodes of the column's lowest cell into *n and, with READS_X,
// the values of x at these nodes into *v. If the column is the first of a group of adjacent columns, returns the lowest
// node on the column's left edge, and else 0.
template <int P, bool READS_X>
static __device__ __forceinline__ int begin_column(const int *bottom, const Lane<P> &lane, const real *f_x,
                                                   StripNodes<P> *n, StripValues<P> *v) {
  const unsigned all = 0xffffffff;
  int side_below = 0;
  real x_corner = 0;
#pragma unroll
  for (int i = 0; i < P; i++) {
    n->below[i] = bottom[i * QUAD_STRIP];
    n->next_side[i] = 0;
    v->x_side[i] = 0;
  }
#pragma unroll
  for (int q = 0; q < P * P; q++) n->next[q] = lane.node[q * QUAD_STRIP];
  if (lane.is_left) {
    side_below = lane.side[0];
#pragma unroll
    for (int i = 0; i < P; i++) n->next_side[i] = lane.side[1 + i];
  }
#pragma unroll
  for (int i = 0; i < P; i++) v->x_below[1 + i] = READS_X ? f_x[n->below[i]] : (real)0;
#pragma unroll
  for (int q = 0; q < P * P; q++) v->x_next[q] = READS_X ? f_x[n->next[q]] : (real)0;
  if (READS_X && lane.is_left) {
    x_corner = f_x[side_below];
#pragma unroll
    for (int i = 0; i < P; i++) v->x_side[i] = f_x[n->next_side[i]];
  }

  v->x_below[0] = __shfl_up_sync(all, v->x_below[P], 1);
  if (lane.is_left) v->x_below[0] = x_corner;
#pragma unroll
  for (int i = 0; i <= P; i++) v->y_below[i] = 0;
  return side_below;
}

// On entry, *n holds the nodes of the cell in row k of the lane's column. Copies them to *row. If `more` is true, there
// is a cell above this one, and the function loads its nodes into *n, from the addresses `node` and lane.side.
template <int P>
static __device__ __forceinline__ void take_nodes(const Lane<P> &lane, const int *node, int k, bool more,
                                                  StripNodes<P> *n, RowNodes<P> *row) {
#pragma unroll
  for (int q = 0; q < P * P; q++) row->own[q] = n->next[q];
#pragma unroll
  for (int i = 0; i < P; i++) row->side[i] = n->next_side[i];
  if (!more) return;
#pragma unroll
  for (int q = 0; q < P * P; q++) n->next[q] = node[q * QUAD_STRIP];
  if (lane.is_left)
#pragma unroll
    for (int i = 0; i < P; i++) n->next_side[i] = lane.side[(k + 1) * P + 1 + i];
}

// Collects x at the (P+1)^2 nodes of a cell. x on the lower side comes from the cell below. x on the left side comes
// from the lane (thread) of the column to the left, or from v.x_side in the first column of a group of adjacent
// columns. All other values come from v.x_next.
template <int P>
static __device__ __forceinline__ void collect_x(const StripValues<P> &v, bool is_left, real x[]) {
  constexpr int LINE = P + 1;
#pragma unroll
  for (int i = 0; i < LINE; i++) x[i] = v.x_below[i];
#pragma unroll
  for (int row = 1; row <= P; row++) {
#pragma unroll
    for (int i = 1; i <= P; i++) x[row * LINE + i] = v.x_next[(row - 1) * P + i - 1];
    x[row * LINE] = __shfl_up_sync(0xffffffff, x[row * LINE + P], 1);
    if (is_left) x[row * LINE] = v.x_side[row - 1];
  }
}

// Computes y = K_e x of a cell by the method PRODUCT. Then adds y_below, the contributions of the cell below, to y at
// the nodes on the cell's lower side. `slot` is the index of the cell in QuadStrips.cell.
template <int P, int PRODUCT, class Maps>
static __device__ __forceinline__ void multiply_cell(const QuadView &v, const QuadFactors &f, const int *cell, int slot,
                                                     QuadRing<P> *ring, Maps *maps, const real y_below[], real x[],
                                                     real y[]) {
  constexpr int LINE = P + 1, NODES = LINE * LINE;
  constexpr bool KEPT = PRODUCT == QUAD_KEPT, CELLS = !KEPT;
#pragma unroll
  for (int i = 0; i < NODES; i++) y[i] = KEPT && i < LINE ? y_below[i] : (real)0;
  if (KEPT) Product<P>::kept(*ring, x, y);
  if constexpr (Plan<P, PRODUCT>::AHEAD) {
    Product<P>::recomputed(v, maps->take(v), x, y);
  } else if (CELLS) {
    const int e = cell[slot];
    if (PRODUCT == QUAD_RECOMPUTED) Product<P>::recomputed(v, quad_map_of(v, e), x, y);
    if (PRODUCT == QUAD_POINTS) Product<P>::points(v, e, x, y);
    if (PRODUCT == QUAD_DIAGONAL_KEPT) Product<P>::diagonal(v, f, e, slot, y);
  }
  if (CELLS)
#pragma unroll
    for (int i = 0; i < LINE; i++) y[i] += y_below[i];
}

// Loads x at the nodes of the cell above the present one into v->x_next. In the first column of a group of adjacent
// columns, also loads x on the left side of that cell into v->x_side.
template <int P>
static __device__ __forceinline__ void load_next_x(const real *f_x, const StripNodes<P> &n, bool is_left,
                                                   StripValues<P> *v) {
#pragma unroll
  for (int q = 0; q < P * P; q++) v->x_next[q] = f_x[n.next[q]];
  if (is_left)
#pragma unroll
    for (int i = 0; i < P; i++) v->x_side[i] = f_x[n.next_side[i]];
}

// Arguments of store_row that are the same for all rows of nodes. f: the vectors x, y and shift. slots: array for the
// sums of y on edges of groups. shifted: shift x is added to y. atomic: sums on edges are added to y by atomics and not
// stored in `slots`.
struct RowStore {
  const QuadFactors &f;
  real *slots;
  bool shifted, atomic;
};

// Stores the sums y at one row of nodes of a cell, after the strip has added all its cells there. The cell is number k
// of the lane's column, counted from below. `row`, 0 to P, is the row of nodes in the cell, from below. At inner nodes,
// y also gets shift x, and *dot gets x . (shift x). At nodes on the edge of a group of adjacent columns, the sums are
// stored in `to.slots` for edge_kernel, or added to y by atomics. end: the row is the lowest or highest of the strip.
template <int P>
static __device__ __forceinline__ void store_row(const RowStore &to, const Lane<P> &lane, int k, int row, bool end,
                                                 int side_node_left, const int below[P], const int own[P * P], real y[],
                                                 double *dot) {
  constexpr int LINE = P + 1;
  const QuadFactors &f = to.f;
  const real from_right = __shfl_down_sync(0xffffffff, y[row * LINE], 1);
  if (!lane.is_right) y[row * LINE + P] += from_right;
  if (lane.is_left) {
    const real sum = y[row * LINE];
    if (to.atomic)
      atomicAdd(f.y + side_node_left, sum);
    else
      to.slots[lane.left + k * P + row] = sum;
  }
#pragma unroll
  for (int i = 1; i <= P; i++) {
    const int a = row ? own[(row - 1) * P + i - 1] : below[i - 1];
    real sum = y[row * LINE + i];
    const bool side_node = i == P && lane.is_right;
    if (!lane.active) continue;
    if (!end && !side_node) {
      if (to.shifted) {
        const real own_x = f.x[a], own_y = f.shift[a] * own_x;
        *dot += (double)own_x * own_y;
        sum += own_y;
      }
      f.y[a] = sum;
    } else if (to.atomic) {
      atomicAdd(f.y + a, sum);
    } else {
      to.slots[side_node ? lane.right + k * P + row : (row ? lane.above : lane.below) + (i - 1) * QUAD_STRIP] = sum;
    }
  }
}

// Computes y = K x, except at edges of groups, for which edge_kernel is needed too. Each warp processes one strip of
// cells. The constant PRODUCT selects the method (QuadProduct); QUAD_DIAGONAL_KEPT stands for both methods that compute
// the diagonal of K.
template <int P, int PRODUCT>
static __global__ void __launch_bounds__(QUAD_THREADS_MAX, Plan<P, PRODUCT>::BLOCKS)
    strip_kernel(const __grid_constant__ QuadView v, const __grid_constant__ QuadStrips strips,
                 const __grid_constant__ QuadFactors f, real *__restrict__ slots) {
  constexpr int LINE = P + 1, NODES = LINE * LINE, OWN = P * P;
  constexpr bool READS_X = PRODUCT != QUAD_DIAGONAL_KEPT;
  extern __shared__ __align__(128) unsigned char shared[];
  const int s = (blockIdx.x * blockDim.x + threadIdx.x) / QUAD_STRIP, column = threadIdx.x % QUAD_STRIP;
  const RowStore to = { f, slots, f.shifted && *f.shifted, f.summation == QUAD_STRIPS };
  double dot = 0;
  if (s < strips.strip_count) {
    const QuadStrip strip = strips.strip[s];
    QuadRing<P> ring;
    if (PRODUCT == QUAD_KEPT)
      ring.begin(shared, f.values + quad_value(QuadRing<P>::ENTRIES, 0, strip.tile * QUAD_TILE), strip.rows);
    const Lane<P> lane(strips, strip);
    const int *node = lane.node;
    StripNodes<P> nodes;
    StripValues<P> values;
    int side_below =
        begin_column<P, READS_X>(strips.bottom + (size_t)s * P * QUAD_STRIP + column, lane, f.x, &nodes, &values);
    typename Plan<P, PRODUCT>::Maps maps(v, strips.cell + (size_t)strip.tile * QUAD_STRIP + column, lane.height);

    for (int k = 0; k < lane.height; k++) {
      const bool more = k + 1 < lane.height;
      RowNodes<P> present;
      real x[NODES], y[NODES];
      node += OWN * QUAD_STRIP;
      take_nodes(lane, node, k, more, &nodes, &present);
      collect_x(values, lane.is_left, x);
      multiply_cell<P, PRODUCT>(v, f, strips.cell, (strip.tile + k) * QUAD_STRIP + column, &ring, &maps, values.y_below,
                                x, y);

      // Add x_a y_a to the scalar product x . y, for the rows of nodes to which no cell above adds. Here y_a is only
      // the sum over this lane's column. At a node between two columns, the neighbouring lane adds x_a times its own
      // sum. Only store_row, below, adds the neighbour's sum to y_a.
      if (f.dots && lane.active)
#pragma unroll
        for (int i = 0; i < NODES; i++)
          if (i < P * LINE || !more) dot += (double)x[i] * y[i];
      if (more && READS_X) load_next_x(f.x, nodes, lane.is_left, &values);

        // Store y at the rows of nodes whose sums are complete. The cell above still adds to the cell's uppermost row,
        // so this row is stored only in the highest cell of the column.
#pragma unroll
      for (int row = 0; row <= P; row++) {
        if (row == P && more) break;
        const bool end = (row == 0 && k == 0) || row == P;
        store_row(to, lane, k, row, end, row ? present.side[row - 1] : side_below, nodes.below, present.own, y, &dot);
      }
      side_below = present.side[P - 1];
#pragma unroll
      for (int i = 0; i < P; i++) nodes.below[i] = present.own[(P - 1) * P + i];
#pragma unroll
      for (int i = 0; i < LINE; i++) {
        values.x_below[i] = x[P * LINE + i];
        values.y_below[i] = y[P * LINE + i];
      }
    }
  }
  if (f.dots) block_dot(dot, f.dots + blockIdx.x);
}

// Computes y at the nodes on edges of groups; a group is a set of adjacent columns of cells. y is shift x, with the
// diagonal matrix `shift`, plus the sums that strips have stored in `slots` for the node (quad_strips.h). If `slots` is
// NULL (method QUAD_STRIPS), y is only shift x, and strip_kernel adds the sums of strips afterwards by atomics. The
// products x . (shift x) at these nodes are added to x . y.
static __global__ void __launch_bounds__(BLOCK)
    edge_kernel(const __grid_constant__ QuadStrips s, const __grid_constant__ QuadFactors f,
                const real *__restrict__ slots) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  double dot = 0;
  if (k < s.edge_count) {
    const int a = s.edge_node[k], last = slots ? s.edge_start[k + 1] : 0;
    const real own = f.shifted && *f.shifted ? f.shift[a] * f.x[a] : (real)0;
    real sum = 0;
    for (int i = slots ? s.edge_start[k] : 0; i < last; i++) sum += slots[s.edge_slot[i]];
    f.y[a] = sum + own;
    if (f.dots && own != 0) dot = (double)f.x[a] * own;
  }
  if (f.dots) block_dot(dot, f.dots + blockIdx.x);
}

typedef void (*Kernel)(const QuadView v, const QuadStrips strips, const QuadFactors f, real *slots);

static Kernel kernel_of(int degree, QuadProduct product) {
#define PRODUCTS(P)                                                                             \
  {                                                                                             \
    strip_kernel<P, QUAD_KEPT>, strip_kernel<P, QUAD_RECOMPUTED>, strip_kernel<P, QUAD_POINTS>, \
        strip_kernel<P, QUAD_DIAGONAL_KEPT>, strip_kernel<P, QUAD_DIAGONAL_KEPT>, NULL          \
  }
  static const Kernel kernels[][QUAD_PRODUCTS] = { PRODUCTS(1), PRODUCTS(2), PRODUCTS(3), PRODUCTS(4) };
#undef PRODUCTS
  return kernels[degree - 1][product];
}

static int edge_blocks(const QuadCells *cells) {
  return cells->strips.edge_count / BLOCK + 1;
}

extern "C" int REAL_NAME(quad_strip_dots_cuda)(const QuadCells *cells) {
  return edge_blocks(cells) + cells->colours.block_count;
}

extern "C" bool REAL_NAME(quad_strip_product_cuda)(const QuadCells *cells, const QuadFactors *factors, Stream stream,
                                                   Error *error) {
  const Kernel kernel = kernel_of(cells->degree, factors->product);
  const size_t shared = factors->product == QUAD_KEPT ? quad_ring_bytes(cells) : 0;
  cudaStream_t s = (cudaStream_t)stream.handle;
  QuadFactors edges = *factors, whole = *factors;
  if (factors->dots) whole.dots += edge_blocks(cells);
  const bool gathers = factors->summation == QUAD_GATHERED;
  CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  if (!gathers) edge_kernel<<<edge_blocks(cells), BLOCK, 0, s>>>(cells->strips, edges, NULL);
  CUDA_TRY(cudaGetLastError());
  kernel<<<cells->colours.block_count, cells->colours.block, shared, s>>>(quad_view(cells), cells->strips, whole,
                                                                          cells->vectors);
  CUDA_TRY(cudaGetLastError());
  if (gathers) edge_kernel<<<edge_blocks(cells), BLOCK, 0, s>>>(cells->strips, edges, cells->vectors);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace quad_strip_product
