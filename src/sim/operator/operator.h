// An operator is the matrix A of a linear system. It has two main functions. operator_apply computes y = A x for
// solvers. operator_shift adds given numbers, called the shift, to the diagonal blocks of A, for example the inertia of
// each node.
//
// An operator belongs to a space (element/space.h), which holds the nodes and cells of a body. Each node has node_dof
// unknowns, for example three displacements. So the rows and columns of A form blocks of node_dof x node_dof entries. A
// has one block for each pair of nodes that have a cell in common.
//
// There are two kinds of operators. The first kind, a storage format, keeps the entries of all blocks in one array,
// `values`. A slot is the index of one entry in this array. Example: in the format "csr", entry k of the matrix,
// counted row by row, has slot k. The format lists the slots of every block (block_slots.h), so one assembly function
// can fill any format (paper 000, section 16.3).
//
// The second kind, a matrix-free operator, stores no entries of A. operator_linearise sets the displacements at which
// the tangent is taken, and computes some numbers per cell. Every product then loops over the cells. The source of such
// an operator is compiled once for each element.
#pragma once
#include "sim/element/assembly_parameters.h"
#include "sim/element/space_split.h"
#include "sim/element/stage.h"
#include "sim/operator/block_slots.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OPERATOR_DOF_MAX = 3 };  // max unknowns per node in formats that are compiled for 1, 2 and 3 unknowns

typedef struct Operator Operator;
struct CornerMatrix;

// The functions of one kind of operator, on one device and in one precision. Example: csr.c defines two such tables,
// one in single and one in double precision. formats.def lists all storage formats.
typedef struct OperatorMethod {
  // Name, summary, device, precision and estimated cost of the method.
  Stage stage;
  // True if `values` begin with the n diagonal entries of the matrix: entry (i, i) is values[i]. All entries off the
  // diagonal follow.
  bool diagonal_first;
  // Creates A->layout, the index arrays of the format, such as the column of each entry. Methods with a stored matrix
  // also set A->value_count and A->slots, the position of each block in `values`.
  bool (*create)(Operator *A, Error *error);
  // Frees A->layout.
  void (*destroy_layout)(Operator *A);
  // Computes y = A x, without the matrices A->term and A->load_term, which operator_apply adds. x and y are [n]. If
  // dots [dot_count] is not NULL, it gets partial sums of the scalar product x.y.
  bool (*apply)(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error);
  // Returns A->dot_count, the number of partial sums of x.y that `apply` writes. `create` must have set A->layout.
  int (*count_dots)(const Operator *A);
  // Implements operator_linearise, which sets a matrix-free A to the tangent at given displacements. NULL: the operator
  // has a stored matrix, `values`, which an assembly writes.
  bool (*linearise)(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream, Error *error);
  // Implements operator_shift, which adds numbers to the diagonal blocks of A. NULL: shift.c or shift.cu adds them to
  // `values`.
  bool (*shift)(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                Error *error);
  // Updates data that products read in place of `values`; operator_shift calls this function after all its other work.
  // Example: "parts16" copies the off-diagonal blocks, rounded to 16 bits, and adds the rounding errors to the diagonal
  // blocks in `values`; a second call without an assembly would add them again. NULL: products read `values` directly.
  bool (*settle)(Operator *A, Stream stream, Error *error);
  // For direct solvers, which factorise the matrix before rounding. Writes to blocks [node_count][node_dof^2], on the
  // CPU, the diagonal blocks as they are after operator_shift and before `settle`. `values` has the off-diagonal blocks
  // before rounding. NULL: `settle` changes no diagonal block, or the format is on a GPU.
  void (*unrounded_blocks)(const Operator *A, void *blocks);
  // Values that the user may choose for the format's tuning number, for example its threads per row; a 0 ends the list.
  // `tuned` is the default; `create` may set another value. If `tune` is not NULL, operator_tune calls it after
  // A->tuning has changed. In formats without a tuning number, `tunings` and `tune` are NULL, and `tuned` is 0.
  const int *tunings;
  int tuned;
  bool (*tune)(Operator *A, Error *error);
  // Only for operators that store one small dense matrix per cell, with one unknown per node; A is the sum of these
  // matrices. Returns the index in `values` of entry (i, j) of the matrix of `cell`. i and j number the nodes in the
  // cell: 0 to 3 in a quadrilateral. NULL: other operators.
  int (*cell_entry)(const Operator *A, int cell, int i, int j);
  // True if the format stores only the blocks on and below the diagonal of a symmetric matrix: row a and column b with
  // b <= a, where a and b are nodes. For b > a, A->slots gives the position of block (b, a), to be read transposed.
  bool half;
  // Only for matrix-free operators on quadratic cells. Computes P^T A P, and writes it to `values`, an array of another
  // operator. A includes the numbers that operator_shift has added. P interpolates from the corners of the cells to all
  // nodes, so P^T A P is a smaller matrix, for multigrid (corner_matrix.h). NULL: not supported.
  bool (*project)(const Operator *A, const struct CornerMatrix *corners, void *values, Stream stream, Error *error);
  // Three functions for a body that is cut during a simulation, which adds nodes and pairs of nodes (space_split.h).
  // NULL: after a cut, the operator is destroyed and created again.
  //   count_values: returns the length of `values` for a matrix with `pairs` blocks; NULL: the operator is matrix-free.
  //   reserve: enlarges the arrays of A->layout before the cut.
  //   split: updates layout, slots and diagonal_slots after the cut; its work is queued on the stream.
  int64_t (*count_values)(const Operator *A, int64_t pairs);
  bool (*reserve)(Operator *A, const SpaceSplit *split, Error *error);
  bool (*split)(Operator *A, const SpaceSplit *split, Stream stream, Error *error);
  // True if, on the GPU, `apply` leaves y as it is, and takes little time, while the word *Operator.idle is not 0.
  bool idles;
} OperatorMethod;

// A symmetric matrix T, for example of contact, that every product adds to A: y = A x + T x. T is stored outside of A,
// because T couples nodes without a common cell. `apply` multiplies only by the off-diagonal 3 x 3 blocks of T. The
// code that sets T adds the diagonal blocks of T to A by operator_shift.
struct OperatorTerm;
// Type of the function `take` of `entries` (below). It receives one 3 x 3 block of T, stored row by row. The rows of
// the block belong to node a, its columns to node b. `user` is the pointer that the caller of `entries` passed.
typedef void (*OperatorTake)(void *user, int a, int b, const double block[9]);

typedef struct OperatorTerm {
  // Computes z, the product of the off-diagonal blocks of T with x, and adds z to y; x and y are [n]. Unless dots
  // [dot_count] is NULL, also adds the scalar product x.z to the partial sums in `dots`. On a GPU the call may be
  // recorded into a CUDA graph, which may be launched as long as the operator exists. NULL: T is zero.
  bool (*apply)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                Error *error);
  // Data that `apply` reads, for example the list of contacts.
  const void *context;
  // The matrix T, stored row by row on the GPU, for solvers that compute T x in their own kernel (term_rows.h). NULL: T
  // is not stored row by row.
  const struct TermRows *rows;
  // Calls `take` with each 3 x 3 block of T below the diagonal, in ascending order of the row. Direct solvers add these
  // blocks to a copy of A. One pair of nodes may get several blocks, which add up. NULL: T is on a GPU.
  void (*entries)(const struct OperatorTerm *term, OperatorTake take, void *user);
  // If the derivative of the term's forces is not symmetric, T is its symmetric part. This function adds N x to y,
  // where N is the antisymmetric part; x and y are [n]. Only direct solvers use N (direct/unsymmetric.h). NULL: N is
  // zero or not known.
  void (*antisymmetric)(const struct OperatorTerm *term, const double *x, double *y);
} OperatorTerm;

// An operator. A zeroed Operator is empty. In the members below, a "pair" is one block of the matrix, that is, a node
// (row) and one of its neighbours (column). Pairs are numbered as space->graph.neighbour. Example: if node 0 has the
// neighbours 0, 3 and 5, pair 1 is the block of row 0 and column 3.
struct Operator {
  const OperatorMethod *method;  // functions of the operator's kind; borrowed
  const Space *space;            // nodes, cells and neighbours of the body; borrowed, must outlive the operator
  int n;                         // number of rows of A, which is the number of unknowns of the space
  // Length of `values`. Formats that fill short rows with zeros have more values than the matrix has entries.
  int64_t value_count;
  // [pairs], on the host: position of each block of the matrix in `values` (block_slots.h). NULL if the operator is
  // matrix-free. Owned.
  BlockSlots *slots;
  // [node_count], on the device: position in `values` of the diagonal block of each node. NULL if diagonal_last is true
  // (the positions are then known), or if the operator is matrix-free. Owned.
  BlockSlots *diagonal_slots;
  // [value_count] real, on the device: the entries of the matrix in the order of the format. Some formats fill short
  // rows with additional elements, which must stay zero. Owned.
  void *values;
  // [node_count][node_dof^2] real, on the device: the diagonal blocks after the last operator_shift, for
  // preconditioners. If diagonal_last is true, `blocks` points into `values`; else `blocks` is an owned copy.
  void *blocks;
  // True if `values` ends with the diagonal blocks, node by node, each stored row by row.
  bool diagonal_last;
  // Data that the method's functions read, in a struct of the method. Example: CsrLayout has the row starts and columns
  // of "csr". Owned.
  void *layout;
  // In the formats "parts" and "parts16", the pointer `layout` with its type PartLayout. Others: NULL.
  const struct PartLayout *parts;
  // Only in operators of lab/quad: addresses to which an assembly writes the small matrix of each cell
  // (lab/quad/quad_cells.h). Others: NULL.
  const struct QuadTarget *target;
  // tuning number in use, one of OperatorMethod.tunings, such as threads per row; 0 if the format has none
  int tuning;
  int dot_count;  // number of partial sums of x.y that a product writes
  // The matrix of contact, which every product adds to A. This matrix is not stored in `values`.
  OperatorTerm term;
  OperatorTerm load_term;  // matrix of loads that follow the deformation, such as pressure; every product adds it to A
  // Number of changes of load_term or of the addresses of its arrays. A CUDA graph that contains products stores these
  // addresses, so it must be recorded again after each change.
  int load_changes;
  // A word on the device, or NULL. While the word is not 0, products return early and leave y as it is, because the
  // solve has ended. A solver sets this pointer in its copy of the operator, if OperatorMethod.idles is true.
  const int *idle;
};

/// Creates an operator whose values are zero. Fails if memory runs out, or if the matrix has more entries than an int
/// can number.
bool operator_create(Operator *A, const OperatorMethod *method, const Space *space, Error *error);
void operator_destroy(Operator *A);

/// These two functions update an operator when the body is cut, for methods that have `split`.
///
/// operator_split_reserve runs before the cut and only enlarges arrays. operator_split_reserve fails if memory runs
/// out, or if the matrix gets more entries than an int can number. operator_split_apply is called after the space
/// has changed, and queues its work on the stream. Then `values` are undefined until the next assembly.
bool operator_split_reserve(Operator *A, const SpaceSplit *split, Error *error);
bool operator_split_apply(Operator *A, const SpaceSplit *split, Stream stream, Error *error);

/// Sets the format's tuning number, for example the threads per row. Must be called before a solver is created for the
/// operator. Fails if `tuning` is not a permitted number; the message lists the permitted numbers.
bool operator_tune(Operator *A, int tuning, Error *error);

/// Computes y = A x, where A includes the matrices of contact and loads. x and y are [n], on A's device, and must not
/// overlap. Sums run in a fixed order, so the same input gives the same bits. Unless dots [dot_count] is NULL, it gets
/// partial sums of x.y on the device, for example one per thread block; the caller adds them. CG needs x.y after each
/// product, and saves a pass over x and y this way.
bool operator_apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error);

/// Returns true if the operator has a stored matrix, which an assembly writes; false if it is matrix-free.
static inline bool operator_stores(const Operator *A) {
  return !A->method->linearise;
}

/// Only for matrix-free operators. Sets A to the tangent at `nodal`, which has the displacements or other data of the
/// nodes, [node_count][ELEMENT_NODE_DATA] real on A's device. The tangent is multiplied by parameters->matrix_scale.
/// Numbers that operator_shift added earlier are removed.
bool operator_linearise(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream,
                        Error *error);

/// Adds numbers to the diagonal blocks of A. shift [n] is added to the diagonal. Unless crosses = 0, numbers for the
/// other entries follow:
///   crosses = 1   [node_count], for the entries (x, y) and (y, x) of each block
///   crosses = 3   [node_count][3], for (x, y), (x, z) and (y, z) of each 3 x 3 block, and the mirrored entries
/// Then writes every diagonal block to A->blocks, and the diagonal of A to diagonal [n] unless it is NULL. All arrays
/// are on A's device. `wanted` is NULL or a word on the device; if the word is 0, nothing is added or written, but
/// OperatorMethod.settle still runs. After each assembly, operator_shift must be called before any product, because
/// products of some formats read a rounded copy of the values.
bool operator_shift(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                    Error *error);

/// Updates the data that products read in place of `values`, for example a copy rounded to 16 bits. Must be called by
/// functions that change `values` without a call of operator_shift.
bool operator_settle(Operator *A, Stream stream, Error *error);

/// Fails if nodes have more than OPERATOR_DOF_MAX unknowns. Called when a format creates its index arrays.
bool operator_check_dof(const Operator *A, Error *error);

/// Sets A->value_count to `count`. Fails if `count` exceeds INT32_MAX, because indices of stored values are ints.
/// Called when a format creates its index arrays.
bool operator_set_value_count(Operator *A, int64_t count, Error *error);

/// Estimates memory and work of a format. `values` is the number of stored values, with the zeros that fill short rows.
/// index_bytes is the size of the index arrays. making_bytes is host memory that is used only during creation. A
/// product is assumed to read all values and indices once, except the zeros that fill short rows.
StageBytes operator_format_bytes(const Stage *stage, const StageSize *size, double values, double index_bytes,
                                 double making_bytes);

/// Returns the number of entries at the front of `values` that hold the diagonal of the matrix: n in formats with
/// diagonal_first, else 0.
static inline int operator_diagonal_slots(const Operator *A) {
  return A->method->diagonal_first ? A->n : 0;
}

/// Returns true if block (a, b) of `pair` is not stored, but must be read as the transpose of the stored block (b, a).
/// This occurs in formats that store half of a symmetric matrix (OperatorMethod.half). In the position of such a block,
/// row_step < column_step.
static inline bool operator_mirrors(const Operator *A, int64_t pair) {
  return A->method->half && A->slots[pair].row_step < A->slots[pair].column_step;
}

/// Returns the position in `values` of the block of `pair`. Its member `at` is -1 if the block is not stored, for
/// example because the format stores only its transpose.
static inline BlockSlots operator_block_slots(const Operator *A, int64_t pair) {
  const BlockSlots none = { -1, 0, 0 };
  return A->slots && !operator_mirrors(A, pair) ? A->slots[pair] : none;
}

/// Returns the index in `values` of the entry in row i and column k of the block of `pair`, whose row is `node`.
static inline int operator_slot(const Operator *A, int node, int64_t pair, int i, int k) {
  if (A->space->graph.neighbour[pair] != node) return block_slot(A->slots[pair], i, k);
  return diagonal_block_slot(A->slots[pair], A->method->diagonal_first, A->space->node_dof, node, i, k);
}

// Implementation of operator_shift for stored matrices, on one device in one precision: shift.c and shift.cu.
typedef struct ShiftOperations {
  Device device;
  Precision precision;
  bool (*shift)(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                Error *error);
} ShiftOperations;

#ifdef __cplusplus
}
#endif
