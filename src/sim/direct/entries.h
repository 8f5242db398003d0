// Copies the entries of an operator to the format that a factorisation needs: the upper triangle by columns (factor.h).
// The operator must store the values of its matrix.
#pragma once
#include "sim/operator/operator.h"
#include "sim/direct/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Two different nodes of the mesh, with a > b, whose block the matrix needs although they are not neighbours.
typedef struct NodePair {
  int a, b;
} NodePair;

// The upper triangle of an operator's matrix, and the place from which each value is copied. The pattern includes
// entries that are 0, so the pattern depends neither on values nor on the choice of fixed unknowns. A zeroed Entries is
// empty.
typedef struct Entries {
  SymmetricColumns columns;  // the matrix's upper triangle by columns: pattern and values; owned
  // [entries], place from which each value is copied: an index in Operator.values; or ~index (= -index - 1) for
  // Operator.blocks[index]; or ENTRY_OF_TERM.
  int64_t *source;
} Entries;

// Value of Entries.source for an entry that the operator's matrix does not store, because only an added term
// (OperatorTerm), such as contact, has it.
#define ENTRY_OF_TERM INT64_MAX

/// Lists the entries of the upper triangle of A, and of blocks for the further pairs extra [count]. The pairs must be
/// sorted by a, then by b, without repetition. Fails if memory runs out, or if A stores no matrix.
bool entries_create(Entries *entries, const Operator *A, const NodePair *extra, int64_t count, Error *error);
void entries_destroy(Entries *entries);

/// Copies the operator's values into value [entries]. Entries with ENTRY_OF_TERM become 0. If products of the format
/// read rounded values, as in "parts16", the values before rounding are copied. The operator must be on the CPU. Fails
/// if memory runs out.
bool entries_copy(const Entries *entries, const Operator *A, double *value, Error *error);

/// Removes fixed unknowns from a matrix, whose entries are in `value` [entries]. `fixed` [n] is 1 for these unknowns.
/// In their rows and columns, the diagonal entry becomes `diagonal` and all other entries become 0.
void columns_fix(const SymmetricColumns *columns, const uint8_t *fixed, double diagonal, double *value);

/// Returns the index in `columns.value` of the matrix entry in `row` and `column`, row <= column. Returns -1 if the
/// pattern has no such entry.
int64_t entries_find(const Entries *entries, int64_t row, int64_t column);

/// Adds the 3x3 block of nodes a and b < a to the values of `entries`, a pointer to Entries. The pattern must contain
/// the block. Callers pass this function as a callback of type OperatorTake (operator.h).
void entries_add(void *entries, int a, int b, const double block[9]);

#ifdef __cplusplus
}
#endif
