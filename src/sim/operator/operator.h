// An operator is the matrix A of a linear system, as a solver sees it. Solvers call two functions of an operator.
// operator_apply computes the product y = A x. operator_shift adds given numbers, called the shift, to the diagonal
// block of every node, and copies these blocks.
//
// An operator belongs to a space (element/space.h), which holds the nodes and cells of a body. Each node has node_dof
// unknowns, for example three displacements. So the rows and columns of A form blocks of node_dof x node_dof entries. A
// has one block for each pair of nodes that have a cell in common.
//
// There are two kinds of operators. The first kind, a storage format, keeps the entries of all blocks in one array,
// `values`. A slot is the index of one entry in this array. Example: in the format "csr", entry k of
// the matrix, counted row by row, has slot k. The format lists the slots of every block (block_slots.h), so one
// assembly can fill any format (paper 000, section 16.3).
//
// The second kind, a matrix-free operator, stores no values. The function operator_linearise passes the nodal data,
// such as displacements, at which the tangent is evaluated. The operator then computes some numbers for each cell, and
// every product loops over the cells. The source of a matrix-free operator is compiled once for each element.
#pragma once
#include "sim/element/assembly_parameters.h"
#include "sim/element/space_split.h"
#include "sim/element/stage.h"
#include "sim/operator/block_slots.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OPERATOR_DOF_MAX = 3 };  // max unknowns per node in formats whose products are compiled for 1, 2 and 3 unknowns

typedef struct Operator Operator;
struct CornerMatrix;

// One kind of operator on one device in one precision: a table of its functions. For example csr.c defines two tables,
// both named "csr" and for the CPU: one in single and one in double precision. The list of all formats is formats.def.
typedef struct OperatorMethod {
  // Name, summary, device, precision and estimated cost: the data that assemblies, operators and solvers have in
  // common.
  Stage stage;
  // True if `values` begin with the n diagonal entries of A, so that entry (i, i) of the matrix is values[i]. The other
  // entries of all blocks follow.
  bool diagonal_first;
  // Called by operator_create. Creates A->layout, the index arrays of the format, such as the column of each entry.
  // Also sets A->dot_count, the number of partial sums of x.y that a product writes. If values are stored, also sets
  // A->slots, the position of each block in `values`, and A->value_count, the length of `values`.
  bool (*create)(Operator *A, Error *error);
  // Frees A->layout, the index arrays.
  void (*destroy_layout)(Operator *A);
  // Computes y = A x without the matrices `term` and load_term, which operator_apply adds. x and y are [n]. dots
  // [dot_count] gets partial sums of x.y, or is NULL.
  bool (*apply)(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error);
  // Implements operator_linearise for an operator that stores no values. NULL: the operator stores values, and an
  // assembly writes them.
  bool (*linearise)(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream, Error *error);
  // Implements operator_shift, which adds numbers to the diagonal blocks. NULL: the implementation for stored values is
  // used, shift.c or shift.cu.
  bool (*shift)(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                Error *error);
  // Called after each operator_shift. If products read other data than `values`, settle computes these data again. For
  // example, products of the format "parts16" read a copy of the values in 16 bits. NULL: products read `values`
  // themselves.
  bool (*settle)(Operator *A, Stream stream, Error *error);
  // Called instead of `create` if a GPU kernel has built the index arrays (layout) and the values
  // (lab/simplex/simplex_matrix.h). Sets the other members of A that products need, such as dot_count. NULL: not
  // supported.
  bool (*adopt)(Operator *A, Error *error);
  // Some formats have a tuning number that the user can set, such as the number of threads per row. `tunings` lists its
  // permitted values and ends with 0. `tuned` is the number that is used if the user sets none; `create` may choose
  // another. `tune` is called after A->tuning has changed. All are NULL or 0 if the format has no such number.
  const int *tunings;
  int tuned;
  bool (*tune)(Operator *A, Error *error);
  // Only for operators that store, in place of A, one small dense matrix for each cell; A is the sum of these matrices.
  // A node has one unknown. Returns the index in `values` of the scalar entry (i, j) of the matrix of `cell`. i and j
  // number the nodes within the cell: 0 to 3 in a quadrilateral. The SSOR preconditioner reads entries by this
  // function. NULL: the operator stores other data.
  int (*cell_entry)(const Operator *A, int cell, int i, int j);
  // True if only half of a symmetric matrix is stored: the block in row a and column b is stored if b <= a, where a and
  // b are nodes of the mesh. For b > a, A->slots gives the position of the stored transposed block, row b and column a.
  bool half;
  // Only for operators that store no values, with quadratic cells. Computes P^T A P, a smaller matrix for multigrid,
  // and writes it to `values`, an array of another operator (corner_matrix.h). P interpolates from the corners of the
  // cells to all their nodes. A includes the shift, the numbers that operator_shift has added. NULL: not supported.
  bool (*project)(const Operator *A, const struct CornerMatrix *corners, void *values, Stream stream, Error *error);
  // count_values, `reserve` and `split` are for a body that the user cuts during a simulation. The cut gives the body's
  // space new nodes and pairs of nodes (space_split.h). count_values returns the number of values for `pairs` pairs; it
  // is NULL if no values are stored. `reserve` enlarges the index arrays of A->layout before the cut. `split` runs
  // after the space has changed. It updates layout, slots, diagonal_slots and dot_count. It is queued on the stream,
  // and fails only if the device fails. NULL: after a cut the operator is destroyed and created again.
  int64_t (*count_values)(const Operator *A, int64_t pairs);
  bool (*reserve)(Operator *A, const SpaceSplit *split, Error *error);
  bool (*split)(Operator *A, const SpaceSplit *split, Stream stream, Error *error);
  // True if products can be skipped by the device itself: a product reads the word Operator.idle on the device, and
  // returns early if the word is not 0.
  bool idles;
} OperatorMethod;

// A symmetric matrix T, for example of contact, that every product adds to A: y += T x. T is not stored in A, because
// it has blocks for pairs of nodes without a common cell. The term computes only the off-diagonal blocks of T. The
// caller adds the diagonal blocks to A by operator_shift. If `dots` is not NULL, `apply` also adds x . T x to dots
// [dot_count], the partial sums of operator_apply. On a GPU, `apply` may be recorded into a CUDA graph once, and the
// graph runs as long as the operator exists.
struct OperatorTerm;
// Function that receives one 3 x 3 block of the matrix T of an OperatorTerm, row by row: the block's row is node a, its
// column node b.
typedef void (*OperatorTake)(void *user, int a, int b, const double block[9]);

typedef struct OperatorTerm {
  bool (*apply)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                Error *error);  // NULL: there is no term
  // data that the function `apply` of this term reads, for example the contacts
  const void *context;
  // The matrix T (for example of contact) row by row, for solvers that compute the product T x in their own kernel
  // (term_rows.h). NULL: T is not stored row by row.
  const struct TermRows *rows;
  // For direct solvers, which read the entries of the matrix T: calls `take` with each 3 x 3 block of T below the
  // diagonal, whose row is node a and whose column is node b < a, in ascending order of a. A pair of nodes may have
  // several blocks, which add up. NULL: the term is on a GPU, where direct solvers cannot read it.
  void (*entries)(const struct OperatorTerm *term, OperatorTake take, void *user);
} OperatorTerm;

// An operator. A zeroed Operator is empty. A "pair" is the index of one block of the matrix: an index into
// space->graph.neighbour. It stands for a node (the block's row) and one of its neighbours (the block's column).
// Example: if node 0 has the neighbours 0, 3 and 5, then pair 1 is the block of row 0 and column 3.
struct Operator {
  const OperatorMethod *method;  // borrowed
  const Space *space;            // borrowed, outlives the operator
  int n;                         // number of rows of A: the number of unknowns of the space
  // Length of `values`. It is larger than the number of entries of all blocks if the format pads its rows with zeros to
  // equal length.
  int64_t value_count;
  // [pairs], on the host: position in `values` of the block of each pair (a node and one of its neighbours). NULL if no
  // values are stored. Owned.
  BlockSlots *slots;
  // [node_count], on the device: position of each node's diagonal block in `values`. NULL if `values` end with the
  // diagonal blocks (diagonal_last), or if no values are stored. Owned.
  BlockSlots *diagonal_slots;
  // [value_count] real, on the device: the stored entries of the matrix. Elements that belong to no block (padding)
  // must be zero. Owned.
  void *values;
  // [node_count][node_dof^2] real, on the device: copy of the diagonal blocks after the last operator_shift. If
  // `values` end with the diagonal blocks (diagonal_last), this is their address in `values`; else the array is owned.
  void *blocks;
  // True if the array `values` ends with the diagonal blocks, node by node, each block row by row. The pointer `blocks`
  // then points to them.
  bool diagonal_last;
  // The method's data, for example CsrLayout with row starts and columns for "csr", or CellLayout with the cells for
  // "matrixfree". Owned.
  void *layout;
  // For the formats "parts" and "parts16": the same pointer as `layout`, as a PartLayout. Other formats: NULL.
  const struct PartLayout *parts;
  // For operators of lab/quad: the addresses to which an assembly writes the small matrix of each cell
  // (lab/quad/quad_cells.h). In these operators, the member `slots` is NULL. Others: NULL.
  const struct QuadTarget *target;
  int tuning;     // current tuning number, such as threads per row: one of OperatorMethod.tunings; 0 if there are none
  int dot_count;  // length of `dots`, the partial sums of x.y that a product writes
  // Matrices that every product adds although they are not stored in `values`: `term` for contact, and load_term for
  // loads that follow the deformation, such as pressure.
  OperatorTerm term;
  OperatorTerm load_term;  // matrix of loads that follow the deformation
  // Number of times that load_term or the addresses of its arrays have changed. A CUDA graph that contains products
  // also contains these addresses, so it must be recorded again after each change.
  int load_changes;
  // A word on the device, or NULL. If the word is not 0, products y = A x return early, since the solve has ended and
  // no one reads y. Only a solver sets this pointer, in its copy of an operator whose method has `idles`.
  const int *idle;
};

/// Creates an operator whose values are zero. Fails if memory runs out, or if the matrix has more entries than the
/// format's int indices can number.
bool operator_create(Operator *A, const OperatorMethod *method, const Space *space, Error *error);
void operator_destroy(Operator *A);

/// Two steps that update an operator when the body is cut, for methods that have `split`. operator_split_reserve
/// enlarges the operator's arrays and changes nothing else. It fails if memory runs out or if the matrix gets too many
/// entries for int indices. operator_split_apply must run after the space has changed; it is queued on the stream.
/// Afterwards `values` are undefined until the next assembly.
bool operator_split_reserve(Operator *A, const SpaceSplit *split, Error *error);
bool operator_split_apply(Operator *A, const SpaceSplit *split, Stream stream, Error *error);

/// Sets A->tuning, for example the number of threads per row, to one of the method's tunings. Must be called before a
/// solver is created for the operator. Fails for other values and lists the permitted ones.
bool operator_tune(Operator *A, int tuning, Error *error);

/// Computes y = A x, including the operator's terms. x and y hold [n] reals on A's device and must not overlap. Sums
/// run in a fixed order, so the same input gives the same bits. Unless `dots` is NULL, also writes the scalar product
/// x.y as partial sums, dots [dot_count] on the device. For example, each thread block of the GPU writes one of these
/// sums, and the caller adds them. Conjugate gradients need x.y after each product, and computing it here costs no
/// extra pass over x and y.
bool operator_apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error);

/// Returns true if the operator stores values, which an assembly fills. Otherwise it is matrix-free, and
/// operator_linearise computes its data.
static inline bool operator_stores(const Operator *A) {
  return !A->method->linearise;
}

/// For operators that store no values: sets A to the tangent at the nodal data `nodal` [node_count][ELEMENT_NODE_DATA],
/// real, on A's device. parameters->matrix_scale is a factor of A. Numbers that operator_shift has added are removed.
bool operator_linearise(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream,
                        Error *error);

/// Adds numbers to the diagonal blocks of A. shift [n] is added to the diagonal. Further numbers may follow in `shift`:
///   crosses = 1   [node_count], for the entries (x, y) and (y, x) of each block
///   crosses = 3   [node_count][3], for (x, y), (x, z) and (y, z) of each 3 x 3 block, and the mirrored entries
/// Then writes every diagonal block to A->blocks, and the diagonal of A to diagonal [n] unless it is NULL. All arrays
/// are on A's device. `wanted` is NULL or a word on the device; if the word is 0 when the shift runs, nothing is done.
/// After an assembly, this call must precede products, because some formats keep a copy of the values in fewer bits.
bool operator_shift(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                    Error *error);

/// Does only the last part of operator_shift: updates the data that products read, if they are other data than
/// `values`. Called by code that has written and shifted `values` without operator_shift.
bool operator_settle(Operator *A, Stream stream, Error *error);

/// Fails if the space has more than OPERATOR_DOF_MAX unknowns per node. Called by the `create` of formats.
bool operator_check_dof(const Operator *A, Error *error);

/// Sets A->value_count. Fails if an int cannot index so many values. Called by the `create` of formats.
bool operator_set_value_count(Operator *A, int64_t count, Error *error);

/// Estimates memory and work of a format. `values` is its number of values with padding (zeros that fill rows up to
/// equal length), and `index_bytes` the size of its index arrays. `making_bytes` is the memory on the host that is used
/// only during creation. A product is counted as one pass over values and indices, without padding.
StageBytes operator_format_bytes(const Stage *stage, const StageSize *size, double values, double index_bytes,
                                 double making_bytes);

/// Returns the number of diagonal entries of the matrix that are stored at the front of `values`: n in formats with
/// diagonal_first, else 0.
static inline int operator_diagonal_slots(const Operator *A) {
  return A->method->diagonal_first ? A->n : 0;
}

/// Returns true if the operator stores half of a symmetric matrix, and not the block of this pair (row a, column b) but
/// only its transpose (row b, column a). For a stored block, BlockSlots.row_step > column_step; for a transposed one,
/// row_step < column_step.
static inline bool operator_mirrors(const Operator *A, int64_t pair) {
  return A->method->half && A->slots[pair].row_step < A->slots[pair].column_step;
}

/// Returns the position of a pair's block in `values`. A pair is a node and one of its neighbours. The member `at` of
/// the result is -1 if the block is not stored, or if only its transpose is.
static inline BlockSlots operator_block_slots(const Operator *A, int64_t pair) {
  const BlockSlots none = { -1, 0, 0 };
  return A->slots && !operator_mirrors(A, pair) ? A->slots[pair] : none;
}

/// Returns the index in `values` of the entry in row i and column k of the block of `pair`. The rows of this block
/// belong to `node`, its columns to a neighbour of `node`.
static inline int operator_slot(const Operator *A, int node, int64_t pair, int i, int k) {
  if (A->space->graph.neighbour[pair] != node) return block_slot(A->slots[pair], i, k);
  return diagonal_block_slot(A->slots[pair], A->method->diagonal_first, A->space->node_dof, node, i, k);
}

// Implementation of operator_shift for all storage formats, on one device in one precision: shift.c and shift.cu.
typedef struct ShiftOperations {
  Device device;
  Precision precision;
  bool (*shift)(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                Error *error);
} ShiftOperations;

#ifdef __cplusplus
}
#endif
