// Cells of a space of quadrilaterals with one unknown per node, for loops with a thread per cell: lists are transposed
// (paper 001, Eq. 13), so that loads of neighbouring threads are coalesced. Results of such loops are summed by one of
// four methods:
//   gathered  on the CPU each cell stores its vector, then each node sums the entries of its cells, in their order. On
//             a GPU warps process strips of cells (quad_strips.h); only the edges of strips are stored and summed
//   strips    as gathered on a GPU, but edges are added by atomics: bits differ between runs
//   coloured  blocks of one colour run concurrently, and in a block cells take turns (cell_colours.h)
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
  int *node;  // [cell_nodes][cell_count], nodes by rows of the cell's grid
  // [QUAD_MAP][cell_count]: A, B, C of the map and the factor on *scale, computed in double and rounded once:
  // differences of float positions would leave few digits for small cells
  real *map;
  real *scale;  // the conductivity; on the device, since recorded products outlive this struct
  // on the CPU, gathered:
  int *start;     // [node_count + 1], into corner
  int *corner;    // slots of a node's entries in `vectors`: local node * cell_count + e, e ascending
  real *vectors;  // [cell_nodes][cell_count]; on a GPU the slots of strips
  QuadStrips strips;
  CellColours colours;
  QuadRule rule;
} QuadCells;

/// Creates cells for a space of quadrilaterals of degree 1 to 4 with one unknown per node, which is checked. Lists of
/// corners or strips are made for QUAD_GATHERED and QUAD_STRIPS, colours for QUAD_COLOURED. Scale is 1. Fails if memory
/// runs out.
bool REAL_NAME(quad_cells_create)(QuadCells *cells, const Space *space, Device device, QuadSum summation, int block,
                                  Error *error);
void REAL_NAME(quad_cells_destroy)(QuadCells *cells);

/// Changes the number of threads of a block; colours are computed again.
bool REAL_NAME(quad_cells_block)(QuadCells *cells, const Space *space, QuadSum summation, int block, Error *error);

/// Returns the degree of a space's cells, or 0 with an error that describes the cells.
int REAL_NAME(quad_degree)(const Space *space, Error *error);

// Method to compute element matrices (paper 001, Alg. 2 and section 10.1).
typedef enum QuadLoop {
  QUAD_LOCAL_REUSE,   // a thread computes the tensors of all points first and keeps them
  QUAD_REDUNDANT,     // tensors are recomputed for each pair of nodes and point
  QUAD_GLOBAL_REUSE,  // outer loop over points, so that a tensor is computed once; entries are added to memory for each
                      // point
  QUAD_LOOPS
} QuadLoop;

// Destination of the entries of element matrices.
typedef enum QuadStorage {
  QUAD_SLOTS,  // into a matrix, by a list of slots
  QUAD_LOCAL,  // kept apart: upper triangles, in the order of quad_value() by slots
  QUAD_LAZY,   // appended to their rows with their columns, in slices of rows as in operator/formats/ell.c
} QuadStorage;

enum { QUAD_TILE = QUAD_STRIP };  // cells of a warp: all their values are contiguous

/// Index of an entry of the upper triangle of the cell in slot e: [tiles][triangle][QUAD_TILE], `triangle` being
/// cell_nodes (cell_nodes + 1) / 2.
HOST_DEVICE size_t quad_value(int triangle, int entry, int e) {
  return ((size_t)(e / QUAD_TILE) * (size_t)triangle + (size_t)entry) * QUAD_TILE + (size_t)(e % QUAD_TILE);
}

typedef struct QuadTarget {
  QuadStorage storage;
  bool atomic;      // atomic additions; false: coloured, unless QUAD_LOCAL
  const int *slot;  // QUAD_SLOTS: [cell_nodes][cell_nodes][cell_count]; -1: not stored
  real *values;
  size_t value_count;
  const int *cell_slot,
      *cell_slot_host;   // QUAD_LOCAL: the slot of each cell, [cell_count], on device and host; NULL: slot e
  const int *start;      // QUAD_LAZY: first group of each slice; a group has a value for each row of the slice
  int *length, *column;  // QUAD_LAZY: current lengths of rows, [node_count], and columns
  int *shifted;          // set to 0 when the matrix is assembled; NULL: not needed
} QuadTarget;

/// Computes the element matrices of all cells into `target`, which is cleared first.
bool REAL_NAME(quad_assemble_cpu)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Error *error);
bool REAL_NAME(quad_assemble_cuda)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Stream stream,
                                   Error *error);

// Method to compute K_e x_e in a product.
typedef enum QuadProduct {
  QUAD_KEPT,           // from upper triangles in the order of QUAD_LOCAL, each entry read once
  QUAD_RECOMPUTED,     // K_e is recomputed
  QUAD_POINTS,         // no K_e: gradients at points, times the tensor there, and back
  QUAD_DIAGONAL_KEPT,  // no product, but the diagonal, from triangles
  QUAD_DIAGONAL_MADE,  // no product, but the diagonal, recomputed
  QUAD_MASS,           // integrals of each function times the field x: y = factor M x
  QUAD_PRODUCTS
} QuadProduct;

// Arguments of a product; x and y [node_count].
typedef struct QuadFactors {
  QuadProduct product;
  QuadSum summation;
  const real *values;     // QUAD_KEPT, QUAD_DIAGONAL_KEPT
  const real *shift, *x;  // y = K x + shift x
  const int *shifted;     // on the device; 0 or NULL: no shift
  real *y;
  double *dots;  // x.y in parts; NULL: not computed
  int x_step;    // x of node a is x[x_step a]; 0 means 1. Not with dots or a shift
  real factor;   // QUAD_MASS
} QuadFactors;

bool REAL_NAME(quad_product_cpu)(const QuadCells *cells, const QuadFactors *factors, Error *error);
bool REAL_NAME(quad_product_cuda)(const QuadCells *cells, const QuadFactors *factors, Stream stream, Error *error);

/// Adds shift to `kept` and sets *shifted to 1 if any entry is not 0; adds `kept` to `blocks`, and copies the result to
/// `diagonal` unless NULL. All [n], on the device; nothing happens if `wanted` is not NULL and *wanted is 0.
void REAL_NAME(quad_shift_cpu)(int n, const real *shift, real *kept, int *shifted, real *blocks, real *diagonal,
                               const int *wanted);
bool REAL_NAME(quad_shift_cuda)(int n, const real *shift, real *kept, int *shifted, real *blocks, real *diagonal,
                                const int *wanted, Stream stream, Error *error);

/// Sets *to, on the device, to `value`, which is passed by value.
bool REAL_NAME(quad_set_cuda)(real *to, real value, Stream stream, Error *error);

/// Products for QUAD_GATHERED and QUAD_STRIPS, all but QUAD_MASS; `f` has x_step set.
bool REAL_NAME(quad_strip_product_cuda)(const QuadCells *cells, const QuadFactors *f, Stream stream, Error *error);
int REAL_NAME(quad_strip_dots_cuda)(const QuadCells *cells);

/// Number of partial sums in `dots`.
int REAL_NAME(quad_dots_cpu)(const QuadCells *cells, QuadSum summation);
int REAL_NAME(quad_dots_cuda)(const QuadCells *cells, QuadSum summation);

#ifdef __cplusplus
}
#endif

// Calls with the degree as a compile-time constant.
#define QUAD_BY_DEGREE(degree, call) \
  ((degree) == 1 ? call(1) : (degree) == 2 ? call(2) : (degree) == 3 ? call(3) : call(4))
