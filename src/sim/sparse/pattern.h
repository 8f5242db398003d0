// The pattern of a sparse matrix: which entries may differ from zero, by rows. It never changes while a mesh lives.
#pragma once
#include "mesh/adjacency.h"

// A zeroed Pattern is empty. Square.
typedef struct Pattern {
  int n;           // rows
  int node_dof;    // unknowns of a node: rows and columns come in blocks of as many
  int *row_start;  // [n + 1]
  int *col;        // [nnz = row_start[n]], ascending in each row
} Pattern;

/// `node_dof` unknowns a node, numbered node by node; every pair of nodes that share a tet couples all of them.
bool pattern_create(Pattern *pattern, const Adjacency *adjacency, int node_dof, Error *error);
void pattern_destroy(Pattern *pattern);

/// The position of (row, col) in `col`, or -1 where the pattern has no such entry. Binary search.
int pattern_find(const Pattern *pattern, int row, int col);
