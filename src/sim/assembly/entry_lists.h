// Lists for an assembly that sums each entry of the system separately: each number of the matrix and of the force
// vector (paper 000, section 16.3.1). The lists of node_pairs.h are for whole blocks instead, the submatrices of two
// nodes.
//
// A target is an entry of one of two arrays: the array of matrix values, or the vector. The sum of a target has one
// term for each cell that contributes to it. The terms are numbers of element matrices and vectors, which are stored in
// two arrays of the assembly. A source is the index of a term in one of these arrays.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// The sources of each target. Target t is the sum of the sources source[start[t]] to source[start[t + 1] - 1], which
// ascend. A zeroed EntryLists is empty.
typedef struct EntryLists {
  int count;       // number of targets
  int64_t *start;  // [count + 1], index in `source` of each target's first source
  int *source;     // sources of all targets, one target after the other
} EntryLists;

/// Builds the lists of all entries of the array of matrix values of `layout`. Values that only fill up short rows have
/// empty lists. A source is an index in the array of element matrices, [cells][stride]. The first of the `stride`
/// numbers of a cell are the upper triangle of its element matrix, row by row. `layout` must store a matrix. Fails if
/// memory runs out, if there are too many cells for indices of 32 bits, or if the user interrupts.
bool matrix_entry_lists_create(EntryLists *lists, const Space *space, const Operator *layout, int stride, Error *error);

/// As matrix_entry_lists_create, but builds one list for two entries (i, k) and (k, i), which are equal. Sets *slots to
/// an array [lists->count], which the caller frees: the indices of both entries in the array of matrix values. The
/// smaller index is the first one, and the lists are sorted by it. For an entry of the diagonal, both are equal.
bool symmetric_entry_lists_create(EntryLists *lists, int (**slots)[2], const Space *space, const Operator *layout,
                                  int stride, Error *error);

/// Builds the lists of all entries of the vector [nodes][node_dof]. A source is an index in the array of element
/// vectors, [cells][nodes of a cell][node_dof]. Fails in the same cases as matrix_entry_lists_create.
bool vector_entry_lists_create(EntryLists *lists, const Space *space, Error *error);
void entry_lists_destroy(EntryLists *lists);

#ifdef __cplusplus
}
#endif
