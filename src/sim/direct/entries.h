// The entries of an operator that stores values, as the upper triangle by columns that a factorisation reads.
#pragma once
#include "sim/operator/operator.h"
#include "sim/direct/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Two different nodes, the larger number first.
typedef struct NodePair {
  int a, b;
} NodePair;

// A zeroed Entries is empty. The pattern includes zeros, so it does not depend on values or on fixed unknowns.
typedef struct Entries {
  SymmetricColumns columns;  // owned
  // [entries]: index of the value in Operator.values, or ~index in Operator.blocks, or ENTRY_OF_TERM
  int64_t *source;
} Entries;

#define ENTRY_OF_TERM INT64_MAX  // the operator's matrix has no such entry: only its term does

/// Lists the entries of the blocks of `A`, and of blocks of `extra` [count] pairs, ascending by a, then b, without
/// repetition. Fails if memory runs out or if the operator stores no values with a BlockSlots for each pair.
bool entries_create(Entries *entries, const Operator *A, const NodePair *extra, int64_t count, Error *error);
void entries_destroy(Entries *entries);

/// Copies the operator's values of columns first to last - 1 into `value` [entries], 0 for entries of a term only. The
/// operator must be on the CPU.
void entries_copy(const Entries *entries, const Operator *A, int first, int last, double *value);

/// Removes fixed unknowns [n] from columns first to last - 1 of `value` [entries]: their rows and columns become
/// `diagonal` on the diagonal and 0 elsewhere.
void columns_fix(const SymmetricColumns *columns, const uint8_t *fixed, int first, int last, double diagonal,
                 double *value);

/// Returns the index of an entry with row <= column, or -1.
int64_t entries_find(const Entries *entries, int64_t row, int64_t column);

/// Adds a block of 3 x 3 numbers of node a with an earlier node b, which must be in the pattern, to the values of an
/// Entries: an OperatorTake.
void entries_add(void *entries, int a, int b, const double block[9]);

#ifdef __cplusplus
}
#endif
