// Quadrilaterals of degree 1 to 4 with one unknown per node, and the loops over them: assembly of matrices, and
// products y = K x. On a GPU one thread processes one cell; in products by strips of cells, it processes a column of
// cells (quad_strips.h). In arrays with several numbers per cell, number k of cell e is at index k * cell_count + e, so
// that threads of neighbouring cells read neighbouring addresses (paper 001, Eq. 13). The results of the
// cells are summed at the nodes by one of four methods, the enum QuadSum:
//   gathered  CPU: each cell stores its result; then each node sums those of its cells, in the order of the cells.
//             GPU: a warp processes a strip of cells and sums inside it. It stores its sums at the strip's edges; a
//             second kernel adds these at each node (quad_strips.h)
//   strips    GPU only: as `gathered`, but sums at edges are added by atomics, so bits differ between runs
//   coloured  cells add to the nodes; cells that share a node do so one after the other, in a fixed order
//             (cell_colours.h)
//   atomic    GPU only: cells add to the nodes by atomic additions in any order; only for assemblies, for products
//             that recompute element matrices, and for products with the mass matrix (QUAD_MASS)
#pragma once
#include "base/real.h"
#include "lab/quad/quad_rule.h"
#include "lab/quad/quad_strips.h"
#include "sim/element/cell_colours.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum QuadSum { QUAD_GATHERED, QUAD_STRIPS, QUAD_COLOURED, QUAD_ATOMIC } QuadSum;

enum { QUAD_BLOCK = 128 };  // default number of threads, and so of cells or columns of cells, per thread block

// Cells of a space, and the lists by which results of cells are summed at nodes. Arrays are on `device`. A zeroed
// QuadCells is empty.
typedef struct QuadCells {
  Device device;
  int degree, cell_nodes, cell_count, node_count;
  int *node;  // [cell_nodes][cell_count], nodes of each cell, row by row of its (degree + 1)^2 grid
  // [QUAD_MAP][cell_count], the seven numbers of each cell's QuadMap (quad_rule.h). The last one times *scale is the
  // cell's conductivity. Maps consist of differences of positions. They are computed in double and then rounded to
  // `real`, because differences in float have few correct digits in small cells.
  real *map;
  // factor on the conductivities of all cells, one number on the device. Kernels in a recorded CUDA graph read the
  // factor from there, so it can change without a new recording.
  real *scale;
  // `start` and `corner` list the results of cells that each node sums; only for QUAD_GATHERED on the CPU
  int *start;  // [node_count + 1], index in `corner` of each node's first entry
  // For each node, the indices in `vectors` of the results of its cells, in the order of the cells; length
  // start[node_count]. The result of cell e for its local node i has the index i * cell_count + e.
  int *corner;
  // CPU: [cell_nodes][cell_count], the result of each cell, one number per node of the cell. GPU: [strips.slot_count],
  // the sums that strips store for the nodes on edges of groups (quad_strips.h).
  real *vectors;
  QuadStrips strips;
  CellColours colours;
  QuadRule rule;
} QuadCells;

/// Creates the cells of `space` and the lists that the summation method needs. `block` is the number of threads of a
/// thread block, each with one cell or, in products by strips, one column of cells. Sets *scale to 1. Fails if memory
/// runs out, or if the cells of `space` are not quadrilaterals of degree 1 to 4 with one unknown per node.
bool REAL_NAME(quad_cells_create)(QuadCells *cells, const Space *space, Device device, QuadSum summation, int block,
                                  Error *error);
void REAL_NAME(quad_cells_destroy)(QuadCells *cells);

/// Changes the number of threads of a thread block to `block`, and counts the blocks again. For QUAD_COLOURED, also
/// computes the colours of the blocks again; blocks of one colour share no node.
bool REAL_NAME(quad_cells_block)(QuadCells *cells, const Space *space, QuadSum summation, int block, Error *error);

/// Returns the degree of a space's cells, 1 to 4. If the cells are not quadrilaterals with one unknown per node,
/// returns 0 with an error that describes the cells.
int REAL_NAME(quad_degree)(const Space *space, Error *error);

// Methods to compute an element matrix; they differ in when they compute T, the tensor of each Gauss point (paper 001,
// Alg. 2 and section 10.1). T is weight times conductivity times |det J| J^-1 J^-T, with the Jacobian matrix J of the
// cell's map (quad_rule.h).
typedef enum QuadLoop {
  QUAD_LOCAL_REUSE,  // a cell's thread computes T of all points first and keeps them in registers
  QUAD_REDUNDANT,    // T is computed again for each pair of nodes and each point
  // T is computed once per point, and the contribution of this point is added to all entries in memory
  QUAD_GLOBAL_REUSE,
  QUAD_LOOPS
} QuadLoop;

// Destination of the entries of element matrices in an assembly.
typedef enum QuadStorage {
  QUAD_SLOTS,  // entries are added to a matrix; a list gives the slot of each entry, its index in the values
  // element matrices are stored one by one, as upper triangles; quad_value() returns the index of an entry
  QUAD_LOCAL,
  // entries are appended with their columns to the rows of a matrix in format lazy ELLPACK (lazy_rows.h)
  QUAD_LAZY,
} QuadStorage;

enum { QUAD_TILE = QUAD_STRIP };  // a tile is 32 cells, which one warp processes

/// Returns the index in memory of entry number `entry` of the upper triangle of a stored element matrix. e is the slot
/// of the cell, its index among the stored matrices. The matrices of 32 successive slots, a tile, are interleaved:
/// [tiles][triangle][QUAD_TILE], where triangle = cell_nodes (cell_nodes + 1) / 2 is the number of entries. For degree
/// 1, triangle is 10, and entry 2 of the cell in slot 33 has index (1 * 10 + 2) * 32 + 1.
HOST_DEVICE size_t quad_value(int triangle, int entry, int e) {
  return ((size_t)(e / QUAD_TILE) * (size_t)triangle + (size_t)entry) * QUAD_TILE + (size_t)(e % QUAD_TILE);
}

// Destination of an assembly: the arrays of a matrix, or of stored element matrices. `storage` selects the members that
// are used.
typedef struct QuadTarget {
  QuadStorage storage;
  bool atomic;      // entries are added by atomics (true) or colour by colour (false); not used for QUAD_LOCAL
  const int *slot;  // QUAD_SLOTS: [cell_nodes][cell_nodes][cell_count], index in `values` of each entry; -1: not stored
  real *values;
  size_t value_count;
  // QUAD_LOCAL: [cell_count], index of each cell among the stored element matrices, on the device and on the host;
  // NULL: cell e has index e
  const int *cell_slot, *cell_slot_host;
  const int *start;  // QUAD_LAZY: number of groups before each slice of 64 rows; a group is one entry of each row
  // QUAD_LAZY: length [node_count], present number of entries of each row; column, the column of each entry
  int *length, *column;
  int *shifted;  // set to 0 by an assembly: the matrix then has no shift (QuadFactors.shift); or NULL
} QuadTarget;

/// Computes the element matrices of all cells, and stores them in `target` or sums them there. Earlier contents of
/// `target` are cleared.
bool REAL_NAME(quad_assemble_cpu)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Error *error);
bool REAL_NAME(quad_assemble_cuda)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Stream stream,
                                   Error *error);

// Methods of a product y = K x. Unless stated otherwise, each cell e computes K_e x_e with its element matrix K_e and
// the values x_e of x at its nodes, and y is the sum.
typedef enum QuadProduct {
  QUAD_KEPT,        // K_e is stored as its upper triangle (QUAD_LOCAL); a product reads each stored entry once
  QUAD_RECOMPUTED,  // K_e is computed again in each product
  // without K_e: the gradient of x at each Gauss point is multiplied by the point's tensor T (quad_rule.h), and the
  // result is distributed to the nodes
  QUAD_POINTS,
  QUAD_DIAGONAL_KEPT,  // computes no product but the diagonal of K, from stored element matrices
  QUAD_DIAGONAL_MADE,  // computes no product but the diagonal of K, from recomputed element matrices
  // y = factor M x, with the mass matrix M: (M x)_a is the integral of node a's shape function times the field x
  QUAD_MASS,
  QUAD_PRODUCTS
} QuadProduct;

// Arguments of a product y = K x; x and y are [node_count]. Some comments begin with names of products, such as
// QUAD_KEPT: only these products use the member.
typedef struct QuadFactors {
  QuadProduct product;
  QuadSum summation;
  const real *values;  // QUAD_KEPT, QUAD_DIAGONAL_KEPT: the stored element matrices
  // shift [node_count]: diagonal matrix that is added to K, so y = K x + shift x. x [node_count]: the vector to
  // multiply.
  const real *shift, *x;
  const int *shifted;  // on the device; if it is NULL or *shifted is 0, `shift` is not added
  real *y;
  // partial sums of the scalar product x . y; quad_dots_cpu or quad_dots_cuda returns their number. NULL: they are not
  // computed.
  double *dots;
  // Distance between the values of successive nodes in x: the value at node a is x[x_step * a]; 0 means 1. It must be 0
  // or 1 if `dots` or a shift is used.
  int x_step;
  real factor;  // only for the product QUAD_MASS: number by which y is multiplied
} QuadFactors;

bool REAL_NAME(quad_product_cpu)(const QuadCells *cells, const QuadFactors *factors, Error *error);
bool REAL_NAME(quad_product_cuda)(const QuadCells *cells, const QuadFactors *factors, Stream stream, Error *error);

/// Adds the diagonal matrix `shift` to an operator that stores no matrix; implements operator_shift. The operator keeps
/// the sum of all shifts since its last assembly in `kept`, and a product y = K x adds kept x to y. All arrays are [n],
/// on the device. On entry `blocks` is the diagonal of K without shifts. This function
///   - adds `shift` to `kept`, or copies it to `kept` if *shifted is 0
///   - adds `kept` to `blocks`, and copies `blocks` to `diagonal` unless `diagonal` is NULL
///   - sets *shifted to 1 if an entry of `kept` is not 0
/// It does nothing if `wanted` is not NULL and *wanted is 0.
void REAL_NAME(quad_shift_cpu)(int n, const real *shift, real *kept, int *shifted, real *blocks, real *diagonal,
                               const int *wanted);
bool REAL_NAME(quad_shift_cuda)(int n, const real *shift, real *kept, int *shifted, real *blocks, real *diagonal,
                                const int *wanted, Stream stream, Error *error);

/// Sets *to, a number on the GPU, to `value`. The write is queued in `stream`.
bool REAL_NAME(quad_set_cuda)(real *to, real value, Stream stream, Error *error);

/// quad_strip_product_cuda computes a product on a GPU by strips of cells (quad_strips.h). It works for the summations
/// QUAD_GATHERED and QUAD_STRIPS, and for all products but QUAD_MASS. f->x_step must be 1. quad_strip_dots_cuda returns
/// the number of partial sums of x . y that quad_strip_product_cuda writes to f->dots.
bool REAL_NAME(quad_strip_product_cuda)(const QuadCells *cells, const QuadFactors *f, Stream stream, Error *error);
int REAL_NAME(quad_strip_dots_cuda)(const QuadCells *cells);

/// quad_dots_cpu and quad_dots_cuda return the number of partial sums of x . y that a product on this device writes to
/// QuadFactors.dots.
int REAL_NAME(quad_dots_cpu)(const QuadCells *cells, QuadSum summation);
int REAL_NAME(quad_dots_cuda)(const QuadCells *cells, QuadSum summation);

#ifdef __cplusplus
}
#endif

// Calls the macro or function `call` with the degree as a literal, such as call(2), so that the compiler can unroll
// loops.
#define QUAD_BY_DEGREE(degree, call) \
  ((degree) == 1 ? call(1) : (degree) == 2 ? call(2) : (degree) == 3 ? call(3) : call(4))
