// Cells of a space of quadrilaterals with one unknown a node, as loops with a thread a cell read them: lists transposed
// (paper 001, Eq. 13), so that neighbouring threads read side by side. What such loops leave goes one of four ways:
//   gathered  on the CPU each cell leaves its vector, then each node adds up what its cells left, in their order. A GPU
//             goes by strips of cells (quad_strips.h), whose edges alone are left and added up
//   strips    the same on a GPU, but edges are added by atomic additions: not the same bits in every run
//   coloured  blocks of a colour side by side, in them cells by turns (cell_colours.h)
//   atomic    as it comes, by atomic additions, on a GPU: of assemblies, QUAD_MASS, and element matrices made anew
#pragma once
#include "base/real.h"
#include "lab/quad/quad_rule.h"
#include "lab/quad/quad_strips.h"
#include "sim/element/cell_colours.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum QuadWay { QUAD_GATHERED, QUAD_STRIPS, QUAD_COLOURED, QUAD_ATOMIC } QuadWay;

enum { QUAD_BLOCK = 128 };  // cells of a block of threads, unless another number is asked for

// Arrays lie on the device. A zeroed QuadCells is empty.
typedef struct QuadCells {
  Device device;
  int degree, cell_nodes, cell_count, node_count;
  int *node;  // [cell_nodes][cell_count], by rows of the cell's grid of nodes
  // [QUAD_MAP][cell_count]: A, B, C of the map and the factor on *scale, made in double and rounded once: from
  // positions in float edges of small cells would have few digits
  real *map;
  real *scale;  // the conductivity; on the device, since recorded products outlive it
  // on the CPU, gathered:
  int *start;     // [node_count + 1], into corner
  int *corner;    // where the vectors of a node's cells have its entry: local node * cell_count + e, e ascending
  real *vectors;  // [cell_nodes][cell_count]; on a GPU what strips leave in their slots
  QuadStrips strips;
  CellColours colours;
  QuadRule rule;
} QuadCells;

/// `space` is of quadrilaterals of degree 1 to 4 with one unknown a node, which is checked. Lists of corners or strips
/// are made for QUAD_GATHERED and QUAD_STRIPS, colours for QUAD_COLOURED. Scale is 1. Fails for lack of memory.
bool REAL_NAME(quad_cells_create)(QuadCells *cells, const Space *space, Device device, QuadWay way, int block,
                                  Error *error);
void REAL_NAME(quad_cells_destroy)(QuadCells *cells);

/// Threads of a block from now on, whose cells are coloured anew where they are.
bool REAL_NAME(quad_cells_block)(QuadCells *cells, const Space *space, QuadWay way, int block, Error *error);

/// The degree of a space's cells, or 0 with an error that says what it is instead.
int REAL_NAME(quad_degree)(const Space *space, Error *error);

// How element matrices are made (paper 001, Alg. 2 and section 10.1).
typedef enum QuadLoop {
  QUAD_LOCAL_REUSE,   // every point's tensor is made first and kept by the thread
  QUAD_REDUNDANT,     // and made again for each pair of nodes and point
  QUAD_GLOBAL_REUSE,  // points outside, so it is made once; entries are added to in memory for each point
  QUAD_LOOPS
} QuadLoop;

// Where entries of element matrices go.
typedef enum QuadStorage {
  QUAD_SLOTS,  // into a matrix, by a list of places
  QUAD_LOCAL,  // they stay apart: upper triangles, values as quad_value() has them by slots
  QUAD_LAZY,   // appended to their rows with their columns, in slices of rows as operator/formats/ell.c has them
} QuadStorage;

enum { QUAD_TILE = QUAD_STRIP };  // cells of a warp: all of their values stand in one run

/// Where an entry of the upper triangle of the cell in slot e stands: [tiles][triangle][QUAD_TILE], `triangle` being
/// cell_nodes (cell_nodes + 1) / 2.
HOST_DEVICE size_t quad_value(int triangle, int entry, int e) {
  return ((size_t)(e / QUAD_TILE) * (size_t)triangle + (size_t)entry) * QUAD_TILE + (size_t)(e % QUAD_TILE);
}

typedef struct QuadTarget {
  QuadStorage storage;
  bool atomic;      // else coloured, unless they stay apart
  const int *slot;  // QUAD_SLOTS: [cell_nodes][cell_nodes][cell_count]; -1: not stored
  real *values;
  size_t value_count;
  const int *place, *place_host;  // QUAD_LOCAL: the slot of each cell, [cell_count], on device and host; NULL: e itself
  const int *start;               // QUAD_LAZY: where slices begin, in groups of a value for each of their rows
  int *length, *column;           // and what rows have so far, [node_count], and where it belongs
  int *shifted;                   // becomes 0 as the matrix is made anew; NULL: nobody asks
} QuadTarget;

/// Element matrices of all cells into `target`, which is emptied first.
bool REAL_NAME(quad_assemble_cpu)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Error *error);
bool REAL_NAME(quad_assemble_cuda)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Stream stream,
                                   Error *error);

// How a product comes by K_e x_e.
typedef enum QuadProduct {
  QUAD_KEPT,        // from upper triangles as QUAD_LOCAL has them, each entry read once
  QUAD_RECOMPUTED,  // K_e is made anew
  QUAD_POINTS,      // no K_e: gradients at points, times the tensor there, and back
  QUAD_OWN_KEPT,    // no product, but the diagonal: from triangles
  QUAD_OWN_MADE,    // or made anew
  QUAD_MASS,        // integrals of each function times the x that all make: y = factor M x
  QUAD_PRODUCTS
} QuadProduct;

// What a product works with; x and y [node_count].
typedef struct QuadFactors {
  QuadProduct product;
  QuadWay way;
  const real *values;     // QUAD_KEPT, QUAD_OWN_KEPT
  const real *shift, *x;  // y = K x + shift x
  const int *shifted;     // on the device; 0: no shift, nor where it is NULL
  real *y;
  double *dots;  // x.y in parts; NULL: not wanted
  int x_step;    // x of node a is x[x_step a]; 0 is 1. Not with dots or a shift
  real factor;   // QUAD_MASS
} QuadFactors;

bool REAL_NAME(quad_product_cpu)(const QuadCells *cells, const QuadFactors *factors, Error *error);
bool REAL_NAME(quad_product_cuda)(const QuadCells *cells, const QuadFactors *factors, Stream stream, Error *error);

/// kept += shift, and *shifted = 1 where one is not 0; blocks += kept, and diagonal, unless NULL, is that. All [n], on
/// the device; nothing happens where `wanted` is not NULL and 0.
void REAL_NAME(quad_shift_cpu)(int n, const real *shift, real *kept, int *shifted, real *blocks, real *diagonal,
                               const int *wanted);
bool REAL_NAME(quad_shift_cuda)(int n, const real *shift, real *kept, int *shifted, real *blocks, real *diagonal,
                                const int *wanted, Stream stream, Error *error);

/// *to = value, on the device, by value on the way.
bool REAL_NAME(quad_set_cuda)(real *to, real value, Stream stream, Error *error);

/// The same for QUAD_GATHERED and QUAD_STRIPS, all but QUAD_MASS; `f`: x_step is set.
bool REAL_NAME(quad_strip_product_cuda)(const QuadCells *cells, const QuadFactors *f, Stream stream, Error *error);
int REAL_NAME(quad_strip_dots_cuda)(const QuadCells *cells);

/// How many parts `dots` has.
int REAL_NAME(quad_dots_cpu)(const QuadCells *cells, QuadWay way);
int REAL_NAME(quad_dots_cuda)(const QuadCells *cells, QuadWay way);

#ifdef __cplusplus
}
#endif

// One degree at a time, so that it is a constant in what is called.
#define QUAD_BY_DEGREE(degree, call) \
  ((degree) == 1 ? call(1) : (degree) == 2 ? call(2) : (degree) == 3 ? call(3) : call(4))
