// Contact as an operator's term (operator.h), stored by rows, for GPU solvers that compute products themselves. Contact
// couples groups of four nodes, and each group adds w_i w_j B to the block of its nodes i and j. All arrays are on the
// GPU, since a solver may be recorded before any row exists.
#pragma once

// Contribution of one pair to the row of its node i: B sum_j w_i w_j x_j over the pair's other nodes j.
typedef struct TermEntry {
  double B[6], weight[3];  // B: xx, yy, zz, xy, xz, yz; weight: w_i w_j
  int node[3];
} TermEntry;

// A node that has entries, and the ranges of its entries in both lists. The nodes of its entries have rows too, unless
// their weight is 0: then a node may be the row's node itself. Contact of a node with an obstacle couples no two nodes
// and has no entry.
typedef struct TermRow {
  int node, start[2], count[2];
} TermRow;

typedef struct TermRows {
  int count;                  // number of rows; the other members are undefined if it is 0
  const TermRow *row;         // [count]
  const TermEntry *entry[2];  // [0]: contact, [1]: friction
  const int *row_of;          // [node_count], row of each node, or -1
} TermRows;
