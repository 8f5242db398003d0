// Copies the entries of an operator to the format that a factorisation needs: the upper triangle by columns (factor.h).
// The operator must store the values of its matrix.
#pragma once
#include "sim/operator/operator.h"
#include "sim/direct/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

// A pair of different nodes of the mesh, with a > b.
typedef struct NodePair {
  int a, b;
} NodePair;

// The upper triangle of an operator's matrix, and the source of each entry. A zeroed Entries is empty. The pattern
// includes entries that are zero. Therefore the pattern depends neither on values nor on the choice of fixed unknowns.
typedef struct Entries {
  SymmetricColumns columns;  // the matrix's upper triangle by columns: pattern and values; owned
  // [entries], source of each entry: its index in Operator.values; or ~index = -index - 1 if it is
  // Operator.blocks[index]; or ENTRY_OF_TERM.
  int64_t *source;
} Entries;

// Source of an entry that is not in the operator's matrix, but only in a term that is added to it (OperatorTerm).
#define ENTRY_OF_TERM INT64_MAX

/// Lists the entries of all 3x3 blocks of A, and of additional blocks for the pairs extra [count]. These pairs must be
/// sorted by a, then by b, without repetition. Fails if memory runs out, or if the operator has no `slots`, the indices
/// of its stored values.
bool entries_create(Entries *entries, const Operator *A, const NodePair *extra, int64_t count, Error *error);
void entries_destroy(Entries *entries);

/// Copies the operator's values of columns first to last - 1 into value [entries]. Entries of ENTRY_OF_TERM become 0.
/// The operator must be on the CPU.
void entries_copy(const Entries *entries, const Operator *A, int first, int last, double *value);

/// Removes fixed unknowns from columns first to last - 1 of value [entries]. An unknown is fixed if its element of
/// fixed [n] is 1. In its row and its column, the diagonal entry becomes `diagonal` and all others become 0.
void columns_fix(const SymmetricColumns *columns, const uint8_t *fixed, int first, int last, double diagonal,
                 double *value);

/// Returns the index of an entry with row <= column, or -1.
int64_t entries_find(const Entries *entries, int64_t row, int64_t column);

/// Adds the 3x3 block of nodes a and b < a to the values of `entries`, which points to an Entries. The block must be in
/// the pattern. The function has the type OperatorTake (operator.h).
void entries_add(void *entries, int a, int b, const double block[9]);

#ifdef __cplusplus
}
#endif
