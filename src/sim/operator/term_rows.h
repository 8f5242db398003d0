// The matrix of contact, stored row by row on the GPU, for solvers that compute products themselves. Products add it to
// the operator's matrix, which does not contain it (OperatorTerm). A contact couples a group of four nodes with weights
// w_i. It adds w_i w_j B, where B is a symmetric 3 x 3 matrix, to the block of its nodes i and j. All arrays are on the
// GPU, since a CUDA graph with the solver's kernels may be recorded before any contact exists.
#pragma once

// Contribution of one contact to the row of its node i: B times the sum of w_i w_j x_j over the other three nodes j,
// where x_j is the vector at node j.
typedef struct TermEntry {
  double B[6], weight[3];  // B: xx, yy, zz, xy, xz, yz; weight: w_i w_j for each j
  int node[3];
} TermEntry;

// A row: a node with contacts, and its ranges in the two lists of entries, TermRows.entry. Every node that an entry
// names with a nonzero weight has a row too. With weight 0, the entry may name the row's own node. Contact of a node
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
