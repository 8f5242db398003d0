// Cells of a space of quadrilaterals with one unknown per node, and the loops over them, in which a GPU's thread
// processes one cell. Arrays are transposed, with neighbouring cells side by side (paper 001, Eq. 13), so that loads of
// neighbouring threads are coalesced. A loop sums its results by one of four methods, a QuadSum:
//   gathered  on the CPU each cell stores its vector, then each node sums the entries of its cells, in their order. On
//             a GPU warps process strips of cells (quad_strips.h); only the edges of strips are stored and summed
//   strips    as gathered on a GPU, but edges are added by atomics, so bits differ between runs
//   coloured  thread blocks of one colour run at the same time, and in a block cells take turns (cell_colours.h)
//   atomic    unordered, by atomic additions, on a GPU: for assemblies, QUAD_MASS, and recomputed element matrices
#pragma once
#include "base/real.h"
#include "lab/quad/quad_rule.h"
#include "lab/quad/quad_strips.h"
#include "sim/element/cell_colours.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum QuadSum { QUAD_GATHERED, QUAD_STRIPS, QUAD_COLOURED, QUAD_ATOMIC } QuadSum;

enum { QUAD_BLOCK = 128 };  // default number of cells of a thread block

// Arrays are on the device. A zeroed QuadCells is empty.
typedef struct QuadCells {
  Device device;
  int degree, cell_nodes, cell_count, node_count;
  int *node;  // [cell_nodes][cell_count], nodes of each cell, row by row of its grid of nodes
  // [QUAD_MAP][cell_count], the numbers of each cell's QuadMap. Its conductivity is only a factor on *scale. Maps are
  // computed in double and rounded once, because differences of positions in float would leave few digits for small
  // cells.
  real *map;
  // The conductivity. It is stored on the device, so that a recorded CUDA graph reads a later change.
  real *scale;
  // only for QUAD_GATHERED on the CPU:
  int *start;  // [node_count + 1], offsets into `corner`
  // for each node, the indices of its entries in `vectors`: local node * cell_count + e, in the order of the cells e
  int *corner;
  // [cell_nodes][cell_count], the cells' vectors; on a GPU the slots of strips
  real *vectors;
  QuadStrips strips;
  CellColours colours;
  QuadRule rule;
} QuadCells;

/// Creates the cells, and the lists of corners, strips or colours that the summation method needs. `block`: threads of
/// a thread block. Sets *scale to 1. Fails if memory runs out, or unless `space` has quadrilaterals of degree 1 to 4
/// with one unknown per node.
bool REAL_NAME(quad_cells_create)(QuadCells *cells, const Space *space, Device device, QuadSum summation, int block,
                                  Error *error);
void REAL_NAME(quad_cells_destroy)(QuadCells *cells);

/// Changes the number of threads of a thread block to `block`, and computes the colours again.
bool REAL_NAME(quad_cells_block)(QuadCells *cells, const Space *space, QuadSum summation, int block, Error *error);

/// Returns the degree of a space's cells, or 0 with an error that describes the cells.
int REAL_NAME(quad_degree)(const Space *space, Error *error);

// Method to compute element matrices (paper 001, Alg. 2 and section 10.1). T is the tensor of a Gauss point
// (quad_rule.h).
typedef enum QuadLoop {
  QUAD_LOCAL_REUSE,  // a thread computes T of all points first and keeps them in its memory
  QUAD_REDUNDANT,    // T is computed again for each pair of nodes and each point
  // the outer loop runs over points, so each T is computed once; every point adds to all entries in memory
  QUAD_GLOBAL_REUSE,
  QUAD_LOOPS
} QuadLoop;

// Destination of the entries of element matrices.
typedef enum QuadStorage {
  QUAD_SLOTS,  // into a matrix, by a list of slots
  // element matrices stay separate: upper triangles, each value at the index that quad_value() returns
  QUAD_LOCAL,
  // entries are appended to their rows with their columns, in slices of rows as in operator/formats/ell.c
  QUAD_LAZY,
} QuadStorage;

enum { QUAD_TILE = QUAD_STRIP };  // cells of a warp, whose values are contiguous in memory

/// Index in memory of entry number `entry` of the upper triangle of the cell in slot e: [tiles][triangle][QUAD_TILE],
/// where `triangle` is cell_nodes (cell_nodes + 1) / 2.
HOST_DEVICE size_t quad_value(int triangle, int entry, int e) {
  return ((size_t)(e / QUAD_TILE) * (size_t)triangle + (size_t)entry) * QUAD_TILE + (size_t)(e % QUAD_TILE);
}

// Destination of an assembly of element matrices.
typedef struct QuadTarget {
  QuadStorage storage;
  bool atomic;      // true: entries are added by atomics; false: by colours, unless QUAD_LOCAL
  const int *slot;  // QUAD_SLOTS: [cell_nodes][cell_nodes][cell_count]; -1: not stored
  real *values;
  size_t value_count;
  const int *cell_slot,
      // QUAD_LOCAL: [cell_count], the slot of each cell, on device and host; NULL: cell e has slot e
      *cell_slot_host;
  const int *start;  // QUAD_LAZY: first group of each slice; a group has one value for each row of the slice
  // QUAD_LAZY: [node_count], present number of entries of each row; columns of the entries
  int *length, *column;
  int *shifted;  // set to 0 when the matrix is assembled; NULL: not needed
} QuadTarget;

/// Computes the element matrices of all cells into `target`, which is cleared first.
bool REAL_NAME(quad_assemble_cpu)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Error *error);
bool REAL_NAME(quad_assemble_cuda)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Stream stream,
                                   Error *error);

// Method to compute K_e x_e in a product y = K x, where K_e is the matrix of cell e and x_e its part of x.
typedef enum QuadProduct {
  QUAD_KEPT,        // from stored upper triangles (QUAD_LOCAL), each entry read once
  QUAD_RECOMPUTED,  // K_e is recomputed
  // without K_e: gradients of x at the Gauss points, times the tensor T, and back to the nodes
  QUAD_POINTS,
  QUAD_DIAGONAL_KEPT,  // no product; the diagonal of K from stored triangles
  QUAD_DIAGONAL_MADE,  // no product; the diagonal of K, recomputed
  // the mass matrix M: y = factor M x; y_a is the integral of shape function a times the field x
  QUAD_MASS,
  QUAD_PRODUCTS
} QuadProduct;

// Arguments of a product; x and y [node_count].
typedef struct QuadFactors {
  QuadProduct product;
  QuadSum summation;
  const real *values;  // QUAD_KEPT, QUAD_DIAGONAL_KEPT
  // y = K x + shift x, where shift [node_count] is a diagonal
  const real *shift, *x;
  const int *shifted;  // on the device; 0 or NULL: no shift
  real *y;
  // partial sums of x.y; NULL: not computed
  double *dots;
  // x of node a is x[x_step a]; 0 means 1. Must be 1 with dots or a shift.
  int x_step;
  real factor;  // QUAD_MASS
} QuadFactors;

bool REAL_NAME(quad_product_cpu)(const QuadCells *cells, const QuadFactors *factors, Error *error);
bool REAL_NAME(quad_product_cuda)(const QuadCells *cells, const QuadFactors *factors, Stream stream, Error *error);

/// Adds the diagonal matrix `shift` to the operator (operator_shift). No matrix is stored to which it could be added,
/// so products add `kept` times x, where `kept` is the sum of all shifts so far. This function adds `shift` to `kept`,
/// and sets *shifted to 1 if an entry of `shift` is not 0. `blocks` is the diagonal of the operator: `kept` is added to
/// it, and the result is copied to `diagonal` unless that is NULL. All arrays are [n], on the device. If `wanted` is
/// not NULL and *wanted is 0, nothing is done.
void REAL_NAME(quad_shift_cpu)(int n, const real *shift, real *kept, int *shifted, real *blocks, real *diagonal,
                               const int *wanted);
bool REAL_NAME(quad_shift_cuda)(int n, const real *shift, real *kept, int *shifted, real *blocks, real *diagonal,
                                const int *wanted, Stream stream, Error *error);

/// Sets the number *to on the device to `value`, queued on the stream.
bool REAL_NAME(quad_set_cuda)(real *to, real value, Stream stream, Error *error);

/// Products on a GPU for QUAD_GATHERED and QUAD_STRIPS, except QUAD_MASS. `f` must have x_step set. The second function
/// returns the number of partial sums in `dots`.
bool REAL_NAME(quad_strip_product_cuda)(const QuadCells *cells, const QuadFactors *f, Stream stream, Error *error);
int REAL_NAME(quad_strip_dots_cuda)(const QuadCells *cells);

/// Returns the number of partial sums in QuadFactors.dots.
int REAL_NAME(quad_dots_cpu)(const QuadCells *cells, QuadSum summation);
int REAL_NAME(quad_dots_cuda)(const QuadCells *cells, QuadSum summation);

#ifdef __cplusplus
}
#endif

// Expands the macro `call` for the degree, so that the degree is a compile-time constant.
#define QUAD_BY_DEGREE(degree, call) \
  ((degree) == 1 ? call(1) : (degree) == 2 ? call(2) : (degree) == 3 ? call(3) : call(4))
