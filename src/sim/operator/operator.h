// Operators: all that a Krylov method may know of the system's matrix. y = A x, every node's own block, and a shift of
// those. An operator is made for a space: its rows and columns come in blocks of node_dof unknowns, one for each pair
// of nodes that share a cell.
//
// Formats store the values. Each tells where the block of every pair stands (block_place.h), a one-to-one map into its
// values (paper 000, section 16.3), so an assembly never knows the format. Other operators store none: they take the
// nodal data of the state that the tangent is of (operator_linearise), keep what they like of it, and go through the
// cells in every product; such a row is built for each element.
#pragma once
#include "sim/element/assembly_parameters.h"
#include "sim/element/space_split.h"
#include "sim/element/stage.h"
#include "sim/operator/block_place.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { OPERATOR_DOF_MOST = 3 };  // unknowns of a node, in formats whose products are made for blocks of one size

typedef struct Operator Operator;
struct CornerMatrix;

// One kind on one device in one precision. csr.c and csr.cu export theirs.
typedef struct OperatorMethod {
  Stage stage;
  bool diagonal_first;  // the diagonal stands in slots [0, n), before all else
  // fills layout and dot_count, and for what stores values place and value_count; called by operator_create
  bool (*create)(Operator *A, Error *error);
  void (*destroy_layout)(Operator *A);
  bool (*apply)(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error);
  // of what stores no values; NULL: an assembly fills the values
  bool (*linearise)(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream, Error *error);
  // NULL: the same for all that stores values
  bool (*shift)(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                Error *error);
  // what products need of values besides, once they are shifted; NULL: nothing
  bool (*settle)(Operator *A, Stream stream, Error *error);
  // makes what products need besides where layout and values were built on the device (lab/simplex/simplex_matrix.h)
  // instead of by `create`; NULL: they cannot be
  bool (*adopt)(Operator *A, Error *error);
  // what an assembly that fills its `target` leaves to be done; NULL: nothing
  bool (*finish)(Operator *A, Stream stream, Error *error);
  // A number that its products can be tuned by, lanes of a row or threads of a block: those that there are, 0 behind
  // the last; the usual one, which `create` may change; and what follows when A->tuning has changed. NULL: none
  const int *tunings;
  int tuned;
  bool (*tune)(Operator *A, Error *error);
  // For an operator that keeps element matrices in `values` and has no places: the slot of entry (i, j) of a cell's
  // matrix, nodes being numbered within the cell. SSOR reads entries so. NULL: element matrices are not kept.
  int (*cell_entry)(const Operator *A, int cell, int i, int j);
  // of a symmetric matrix only blocks (node, neighbour) with neighbour <= node are stored; the places of the others are
  // those of their transposes, for whoever reads them
  bool half;
  // of what stores no values: fills `values` with the matrix of the corners of its cells, P^T A P with A's shift
  // (corner_matrix.h); what it has held is not looked at. NULL: it cannot
  bool (*project)(const Operator *A, const struct CornerMatrix *corners, void *values, Stream stream, Error *error);
  // Of a space that is taken apart (space_split.h): its values for so many pairs, NULL where it stores none; room in
  // its layout; and when the space has changed, layout, place, own_place and dot_count, queued on the stream, which
  // fails only with the device. NULL: it is made anew
  int64_t (*count_values)(const Operator *A, int64_t pairs);
  bool (*reserve)(Operator *A, const SpaceSplit *split, Error *error);
  bool (*split)(Operator *A, const SpaceSplit *split, Stream stream, Error *error);
  bool idles;  // its products look at Operator.idle, and cost little where that is not 0
} OperatorMethod;

// What is added to an operator's products besides: y += T x, symmetric, on the operator's device, without what T has in
// nodes' own blocks, which is shifted in. `dots` is as of operator_apply: the term's x.y is added to them. On a GPU a
// product may be recorded once and run for as long as the operator is there.
typedef struct OperatorTerm {
  bool (*apply)(const struct OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                Error *error);  // NULL: nothing
  const void *context;
  const struct TermRows *rows;  // the same, for solvers whose products are their own (term_rows.h); NULL: it has none
} OperatorTerm;

// A zeroed Operator is empty. A pair is a position in space->graph.neighbour.
struct Operator {
  const OperatorMethod *method;  // borrowed
  const Space *space;            // borrowed, outlives the operator
  int n;                         // rows: the space's unknowns
  int64_t value_count;           // at least those of all blocks: padded formats have more
  BlockPlace *place;             // [pairs], host; NULL where nothing is stored; owned
  BlockPlace *own_place;         // [node_count], on the device: of every node with itself; NULL if own_last; owned
  void *values;                  // [value_count] real, on the device; what no block reaches must hold zero; owned
  void *blocks;                  // [node_count][node_dof^2] real, on the device: own blocks after operator_shift; owned
  bool own_last;                 // values end with own blocks, node by node, row by row: `blocks`, then not owned
  void *layout;                  // the format's index arrays; owned
  const struct PartLayout *parts;  // the same where it is laid out in parts (part_layout.h), else NULL
  // where cells put their matrices themselves, in place of `place` (lab/quad/quad_cells.h), else NULL
  const struct QuadTarget *target;
  int tuning;         // see OperatorMethod.tunings; 0 where there are none
  int dot_count;      // how many partial sums a product leaves
  OperatorTerm term;  // added to every product
  // of a copy that a solver queues its products by, where the method `idles`: a word on the device, and where it is not
  // 0 when a product runs, nobody wants what that makes. Else NULL
  const int *idle;
};

/// An operator of zeros. Fails for lack of memory, or where the format's indices, which are int, do not reach so far.
bool operator_create(Operator *A, const OperatorMethod *method, const Space *space, Error *error);
void operator_destroy(Operator *A);

/// The operator of a space that is taken apart, for methods that have `split`: room for it, after which it is as
/// before, and fails as operator_create does; then, when the space has changed, what follows, queued on the stream.
/// Values are lost.
bool operator_split_reserve(Operator *A, const SpaceSplit *split, Error *error);
bool operator_split_apply(Operator *A, const SpaceSplit *split, Stream stream, Error *error);

/// One of the method's tunings; before a solver is made for the operator. Fails where it is none, and says which are.
bool operator_tune(Operator *A, int tuning, Error *error);

/// y = A x. x and y are [n] real on A's device and do not overlap. Sums in a fixed order: same input, same bits.
/// Unless `dots` is NULL, also x.y in [dot_count] parts on the device, which a Krylov method needs next: the product
/// has x and y at hand, so they cost no pass of their own.
bool operator_apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error);

/// Whether the operator stores values, which an assembly fills; else operator_linearise takes the assembly's place.
static inline bool operator_stores(const Operator *A) {
  return !A->method->linearise;
}

/// A = the tangent at `nodal` [node_count][ELEMENT_NODE_DATA] real on A's device, scaled by parameters->matrix_scale.
/// Only for what stores no values.
bool operator_linearise(Operator *A, const AssemblyParameters *parameters, const void *nodal, Stream stream,
                        Error *error);

/// A += diag(shift); then `blocks` are every node's own block, and `diagonal` [n], unless NULL, is theirs. shift and
/// diagonal are real on A's device. With `crosses` 1 shift has [node_count] more, for (x, y) and (y, x) of own blocks
/// of 3; with 3 it has [node_count][3], for (x, y), (x, z) and (y, z). Where `wanted`, on A's device, is not NULL and 0
/// there when it runs, nothing is shifted.
/// Products see values that an assembly has filled only from then on: some formats keep a copy in fewer bits.
bool operator_shift(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                    Error *error);

/// What operator_shift does where values have been filled and shifted in one.
bool operator_settle(Operator *A, Stream stream, Error *error);

/// For a format's create, where its products are made for blocks of one size each: whether they are for this.
bool operator_check_dof(const Operator *A, Error *error);

/// For a format's create: value_count, and whether an int reaches as far.
bool operator_set_value_count(Operator *A, int64_t count, Error *error);

/// What a format takes: `values` of them, `index_bytes` beside them, and `making_bytes` on the host while it is made.
/// Its product is one pass over both, without what pads them.
StageBytes operator_format_bytes(const Stage *stage, const StageSize *size, double values, double index_bytes,
                                 double making_bytes);

/// How many slots are set aside in front for the diagonal: n, or 0.
static inline int operator_diagonal_slots(const Operator *A) {
  return A->method->diagonal_first ? A->n : 0;
}

/// Whether a pair's place is that of its transpose, which is what is stored.
static inline bool operator_mirrors(const Operator *A, int64_t pair) {
  return A->method->half && A->place[pair].row_step < A->place[pair].column_step;
}

/// Where a pair's block stands, as far as it is stored itself.
static inline BlockPlace operator_place(const Operator *A, int64_t pair) {
  const BlockPlace none = { -1, 0, 0 };
  return A->place && !operator_mirrors(A, pair) ? A->place[pair] : none;
}

/// Where entry (i, k) of a pair's block stands; the pair is one of the node's.
static inline int operator_slot(const Operator *A, int node, int64_t pair, int i, int k) {
  if (A->space->graph.neighbour[pair] != node) return block_slot(A->place[pair], i, k);
  return own_block_slot(A->place[pair], A->method->diagonal_first, A->space->node_dof, node, i, k);
}

// The shift's twins, shift.c and shift.cu; the same for all formats.
typedef struct ShiftOperations {
  Device device;
  Precision precision;
  bool (*shift)(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                Error *error);
} ShiftOperations;

#ifdef __cplusplus
}
#endif
