// Copies the entries of an operator that stores values to the upper triangle by columns that a factorisation needs
// (factor.h).
#pragma once
#include "sim/operator/operator.h"
#include "sim/direct/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

// A pair of different nodes, a > b.
typedef struct NodePair {
  int a, b;
} NodePair;

// The upper triangle of an operator, and the source of each entry. A zeroed Entries is empty. The pattern includes
// entries that are zero, so it depends neither on the values nor on which unknowns are fixed.
typedef struct Entries {
  SymmetricColumns columns;  // owned
  // [entries], source of each entry: its index in Operator.values; or ~index, if it is at `index` in Operator.blocks;
  // or ENTRY_OF_TERM.
  int64_t *source;
} Entries;

#define ENTRY_OF_TERM INT64_MAX  // the entry is not in the operator's matrix, only in its term (OperatorTerm)

/// Lists the entries of all blocks of A, and of additional blocks for the pairs extra [count], which must ascend by a,
/// then b, without repetition. Fails if memory runs out, or if the operator stores no values with `slots`.
bool entries_create(Entries *entries, const Operator *A, const NodePair *extra, int64_t count, Error *error);
void entries_destroy(Entries *entries);

/// Copies the operator's values of columns first to last - 1 into value [entries]; entries that only a term has become
/// 0. The operator must be on the CPU.
void entries_copy(const Entries *entries, const Operator *A, int first, int last, double *value);

/// Removes fixed unknowns from columns first to last - 1 of value [entries]: the rows and columns of unknowns with
/// fixed [n] = 1 become `diagonal` on the diagonal and 0 elsewhere.
void columns_fix(const SymmetricColumns *columns, const uint8_t *fixed, int first, int last, double diagonal,
                 double *value);

/// Returns the index of an entry with row <= column, or -1.
int64_t entries_find(const Entries *entries, int64_t row, int64_t column);

/// Adds the 3 x 3 block of nodes a and b < a, which must be in the pattern, to the values of `entries`, an Entries. It
/// is an OperatorTake (operator.h).
void entries_add(void *entries, int a, int b, const double block[9]);

#ifdef __cplusplus
}
#endif
