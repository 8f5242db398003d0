// Operators: the interface between Krylov methods and the system's matrix. It offers y = A x, every node's diagonal
// block, and a shift of these blocks. An operator is created for a space: its rows and columns form blocks of node_dof
// unknowns, one block for each pair of nodes that have a cell in common.
//
// Formats store the values. Each format gives the position of every pair's block (block_slots.h), a one-to-one map into
// its values (paper 000, section 16.3), so assemblies do not depend on the format. Other operators store no values.
// operator_linearise gives them the nodal data at which the tangent is evaluated, they keep the data that they need,
// and every product loops over the cells. Their rows are built for each element.
#pragma once
#include "sim/element/assembly_parameters.h"
#include "sim/element/space_split.h"
#include "sim/element/stage.h"
#include "sim/operator/block_slots.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OPERATOR_DOF_MAX = 3 };  // max unknowns per node, in formats whose products are compiled for each block size

typedef struct Operator Operator;
struct CornerMatrix;

// One kind of operator on one device in one precision. csr.c and csr.cu each define theirs.
typedef struct OperatorMethod {
  Stage stage;
  bool diagonal_first;  // the diagonal is stored first, in slots [0, n)
  // Called by operator_create: fills layout and dot_count, and also slots and value_count if values are stored.
  bool (*create)(Operator *A, Error *error);
  void (*destroy_layout)(Operator *A);
  bool (*apply)(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error);
  // for operators that store no values; NULL: an assembly fills the values
  bool (*linearise)(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream, Error *error);
  // NULL: the implementation for stored values, shift.c or shift.cu
  bool (*shift)(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                Error *error);
  // Updates data that products derive from the values, after a shift; NULL: there is none.
  bool (*settle)(Operator *A, Stream stream, Error *error);
  // Prepares products if layout and values were built on the device (lab/simplex/simplex_matrix.h) instead of by
  // `create`; NULL: not supported.
  bool (*adopt)(Operator *A, Error *error);
  // A number by which products can be tuned, lanes per row or threads per block: the permitted values, with 0 after the
  // last; the default, which `create` may change; and the function to call after A->tuning has changed. NULL: none.
  const int *tunings;
  int tuned;
  bool (*tune)(Operator *A, Error *error);
  // For an operator that keeps element matrices in `values` and has no `slots`: slot of entry (i, j) of a cell's
  // matrix, i and j being local node numbers. SSOR reads entries through it. NULL: element matrices are not kept.
  int (*cell_entry)(const Operator *A, int cell, int i, int j);
  // Only blocks (node, neighbour) with neighbour <= node of a symmetric matrix are stored. For readers, `slots` of each
  // other block refers to its transpose.
  bool half;
  // For operators that store no values: overwrites `values` with P^T A P, the matrix of the cells' corners with A's
  // shift (corner_matrix.h). NULL: not supported.
  bool (*project)(const Operator *A, const struct CornerMatrix *corners, void *values, Stream stream, Error *error);
  // For a space that is cut (space_split.h). count_values returns the number of values for `pairs` pairs; it is NULL if
  // none are stored. `reserve` enlarges the layout. `split`, after the space has changed, updates layout, slots,
  // diagonal_slots and dot_count, queued on the stream, and fails only with the device. NULL: the operator is created
  // anew.
  int64_t (*count_values)(const Operator *A, int64_t pairs);
  bool (*reserve)(Operator *A, const SpaceSplit *split, Error *error);
  bool (*split)(Operator *A, const SpaceSplit *split, Stream stream, Error *error);
  bool idles;  // products test Operator.idle, and cost little if it is nonzero
} OperatorMethod;

// A term that is added to an operator's products: y += T x, T symmetric, on the operator's device, without the diagonal
// blocks of T, which are part of the shift. `dots` is as in operator_apply: the term's x.y is added to them. On a GPU a
// product may be recorded once and run as long as the operator exists.
struct OperatorTerm;
typedef void (*OperatorTake)(void *user, int a, int b, const double block[9]);

typedef struct OperatorTerm {
  bool (*apply)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                Error *error);  // NULL: there is no term
  const void *context;
  const struct TermRows *rows;  // the term by rows, for solvers that compute products themselves (term_rows.h), or NULL
  // Passes the term's blocks, row by row, to `take`, for direct solvers: of node a with an earlier node b. A pair of
  // nodes may have several blocks, which add up. NULL: the term is on a GPU.
  void (*entries)(const struct OperatorTerm *term, OperatorTake take, void *user);
} OperatorTerm;

// A zeroed Operator is empty. A pair is an index into space->graph.neighbour.
struct Operator {
  const OperatorMethod *method;  // borrowed
  const Space *space;            // borrowed, outlives the operator
  int n;                         // rows: the number of unknowns of the space
  int64_t value_count;           // at least the entries of all blocks: padded formats have more
  BlockSlots *slots;             // [pairs], host, position of each pair's block; NULL if no values are stored; owned
  BlockSlots
      *diagonal_slots;  // [node_count], device, positions of diagonal blocks; NULL if diagonal_last or without values;
                        // owned
  void *values;         // [value_count] real, device; slots outside all blocks must hold zero; owned
  void *blocks;         // [node_count][node_dof^2] real, device: diagonal blocks after operator_shift; owned
  bool
      diagonal_last;  // values end with the diagonal blocks, node by node, row by row: `blocks` points there, not owned
  void *layout;       // the format's index arrays; owned
  const struct PartLayout *parts;  // `layout` if the matrix is in parts (part_layout.h), else NULL
  // Destination of the cells' matrices, used instead of `slots` (lab/quad/quad_cells.h), else NULL.
  const struct QuadTarget *target;
  int tuning;              // one of OperatorMethod.tunings; 0 if there are none
  int dot_count;           // number of partial sums of x.y that a product writes
  OperatorTerm term;       // added to every product
  OperatorTerm load_term;  // as `term`, of loads that follow the deformation
  int load_changes;        // number of changes of load_term or of its arrays; CUDA graphs with products contain these
  // Set only in a solver's copy of an operator whose method `idles`: a word on the device. If it is nonzero when a
  // product runs, no one uses the result. Else NULL.
  const int *idle;
};

/// Creates an operator whose values are zero. Fails if memory runs out, or if the format's int indices do not suffice.
bool operator_create(Operator *A, const OperatorMethod *method, const Space *space, Error *error);
void operator_destroy(Operator *A);

/// Two steps for a space that is cut, for methods that have `split`. operator_split_reserve enlarges the arrays, leaves
/// the operator otherwise unchanged, and fails as operator_create does. operator_split_apply follows when the space has
/// changed and is queued on the stream. Values are lost.
bool operator_split_reserve(Operator *A, const SpaceSplit *split, Error *error);
bool operator_split_apply(Operator *A, const SpaceSplit *split, Stream stream, Error *error);

/// Sets A->tuning to one of the method's tunings. Must be called before a solver is created for the operator. Fails for
/// other values and lists the permitted ones.
bool operator_tune(Operator *A, int tuning, Error *error);

/// Computes y = A x. x and y hold [n] reals on A's device and must not overlap. Sums run in a fixed order, so the same
/// input gives the same bits. Unless `dots` is NULL, also writes x.y as [dot_count] partial sums on the device. A
/// Krylov method needs x.y next, and the product has x and y at hand, so x.y costs no extra pass.
bool operator_apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error);

/// Returns true if the operator stores values, which an assembly fills. Otherwise operator_linearise replaces the
/// assembly.
static inline bool operator_stores(const Operator *A) {
  return !A->method->linearise;
}

/// Sets A to the tangent at `nodal` [node_count][ELEMENT_NODE_DATA] real on A's device, scaled by
/// parameters->matrix_scale. Only for operators that store no values.
bool operator_linearise(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream,
                        Error *error);

/// Computes A += diag(shift). Then `blocks` holds every node's diagonal block and `diagonal` [n], unless NULL, the
/// diagonal of A. shift and diagonal are real on A's device. With `crosses` = 1, [node_count] more numbers follow in
/// shift, for (x, y) and (y, x) of 3 x 3 diagonal blocks. With 3, [node_count][3] follow, for (x, y), (x, z) and (y,
/// z). If `wanted`, on A's device, is not NULL and holds 0 when the shift runs, nothing is shifted. After an assembly
/// has filled the values, products are valid only after this call: some formats keep a copy in fewer bits.
bool operator_shift(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                    Error *error);

/// Does the last part of operator_shift, for values that were filled and shifted in one pass.
bool operator_settle(Operator *A, Stream stream, Error *error);

/// For a format's `create`: fails unless its products are compiled for this node_dof.
bool operator_check_dof(const Operator *A, Error *error);

/// For a format's `create`: sets value_count. Fails if an int cannot index so many values.
bool operator_set_value_count(Operator *A, int64_t count, Error *error);

/// Memory and work of a format with `values` values, `index_bytes` of index arrays, and `making_bytes` on the host
/// during its creation. A product is one pass over values and indices, without padding.
StageBytes operator_format_bytes(const Stage *stage, const StageSize *size, double values, double index_bytes,
                                 double making_bytes);

/// Number of slots in front that are reserved for the diagonal: n, or 0.
static inline int operator_diagonal_slots(const Operator *A) {
  return A->method->diagonal_first ? A->n : 0;
}

/// Returns true if only the transpose of the pair's block is stored, to which the pair's `slots` then refer.
static inline bool operator_mirrors(const Operator *A, int64_t pair) {
  return A->method->half && A->slots[pair].row_step < A->slots[pair].column_step;
}

/// Position of a pair's block; `at` is -1 unless the block itself is stored.
static inline BlockSlots operator_block_slots(const Operator *A, int64_t pair) {
  const BlockSlots none = { -1, 0, 0 };
  return A->slots && !operator_mirrors(A, pair) ? A->slots[pair] : none;
}

/// Slot of entry (i, k) of a pair's block. The pair must be one of the node's.
static inline int operator_slot(const Operator *A, int node, int64_t pair, int i, int k) {
  if (A->space->graph.neighbour[pair] != node) return block_slot(A->slots[pair], i, k);
  return diagonal_block_slot(A->slots[pair], A->method->diagonal_first, A->space->node_dof, node, i, k);
}

// The shift on one device in one precision, for all formats: shift.c and shift.cu.
typedef struct ShiftOperations {
  Device device;
  Precision precision;
  bool (*shift)(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                Error *error);
} ShiftOperations;

#ifdef __cplusplus
}
#endif
