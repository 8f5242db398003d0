// The matrix T of contact, stored row by row on the GPU, for solvers that compute products in their own kernel. Every
// product adds T x to A x, since the matrix A does not contain T. A contact couples a group of four nodes, for example
// a node and a triangle, with weights w_i. It adds w_i w_j B, where B is a symmetric 3 x 3 matrix, to the block of its
// nodes i and j. A row here is the block row of T of one node with contacts. An entry is the contribution of one
// contact to this row. All arrays are on the GPU, since a CUDA graph with the solver's kernels may be recorded before
// any contact exists.
#pragma once

// An entry: the contribution of one contact to the row of its node i. In a product T x it is B times the sum of w_i w_j
// x_j over the other three nodes j of the contact. x_j is x at node j. B is a symmetric 3 x 3 matrix, and w_i, w_j are
// weights of the nodes.
typedef struct TermEntry {
  double B[6], weight[3];  // B: entries xx, yy, zz, xy, xz, yz; weight: w_i w_j for each j
  // Numbers of the three other nodes j.
  int node[3];
} TermEntry;

// A row: a node with contacts, and its ranges in the two lists of entries, TermRows.entry. List 0 has the entries of
// contact, and list 1 those of friction. The row's range in list k begins at start[k] and has count[k] entries. Every
// node that an entry lists with a nonzero weight has a row too. An unused place in an entry has weight 0 and may list
// the row's own node. Contact of a node with an obstacle couples no two nodes, so it has no entry.
typedef struct TermRow {
  int node, start[2], count[2];
} TermRow;

typedef struct TermRows {
  int count;                  // number of rows (nodes with contacts); the other members are undefined if it is 0
  const TermRow *row;         // [count], the rows
  const TermEntry *entry[2];  // the entries, row after row; [0]: of contact, [1]: of friction
  const int *row_of;          // [node_count], index of each node's row in `row`; -1: the node has no contact
} TermRows;
