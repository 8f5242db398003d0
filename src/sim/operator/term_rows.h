// The matrix of contact, stored row by row for GPU solvers that compute products themselves. It is a term of the
// operator (operator.h): products add it, but it is not stored in the operator's matrix. A contact couples a group of
// four nodes with weights w_i. It adds w_i w_j B, where B is a symmetric 3 x 3 matrix, to the block of its nodes i and
// j. All arrays are on the GPU, because a solver's graph may be recorded before any contact exists.
#pragma once

// Contribution of one contact to the row of its node i: B times the sum of w_i w_j x_j over the other three nodes j.
typedef struct TermEntry {
  double B[6], weight[3];  // B: xx, yy, zz, xy, xz, yz; weight: w_i w_j for each j
  int node[3];
} TermEntry;

// A row: a node with contacts, and its ranges in the two lists of entries, TermRows.entry. Each node that an entry
// names has a row too, except where the weight is 0; there the entry may name the row's own node. Contact of a node
// with an obstacle couples no two nodes, so it has no entry.
typedef struct TermRow {
  int node, start[2], count[2];
} TermRow;

typedef struct TermRows {
  int count;                  // number of rows; the other members are undefined if it is 0
  const TermRow *row;         // [count], the rows
  const TermEntry *entry[2];  // [0]: contact, [1]: friction
  const int *row_of;          // [node_count], row of each node, or -1
} TermRows;
