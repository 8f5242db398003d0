// The matrix T of contact, stored row by row on the GPU. Solvers that compute y = A x + T x in their own kernel read
// this matrix. One contact couples four nodes, for example a node and a triangle, with weights w_i. To the 3 x 3 block
// of its nodes i and j the contact adds w_i w_j B, where B is a symmetric matrix.
#pragma once

// Contribution of one contact to the row of T of one of its nodes, i. To row i of the product T x, the contact adds B
// times the sum of w_i w_j x_j over its three other nodes j.
typedef struct TermEntry {
  // B: symmetric matrix of the contact, entries xx, yy, zz, xy, xz, yz. weight: w_i w_j for each of the three other
  // nodes j; 0 if the contact has fewer nodes.
  double B[6], weight[3];
  int node[3];  // numbers of the three other nodes j. If weight[k] is 0, node[k] may be any node with a row in T
} TermEntry;

// Row of the matrix T, which belongs to a node with contacts. The entries of the row are in two lists,
// TermRows.entry[0] for contact and TermRows.entry[1] for friction. In list k the entries of this row are
// entry[k][start[k]] to entry[k][start[k] + count[k] - 1]. Each node j of an entry has a row too, even if its weight is
// 0, because solvers wait for its x. A contact of one node of a body with an obstacle couples no nodes, so it has no
// entry.
typedef struct TermRow {
  int node, start[2], count[2];
} TermRow;

typedef struct TermRows {
  int count;                  // number of rows, that is, of nodes with contacts; 0: the other members are undefined
  const TermRow *row;         // [count], the rows
  const TermEntry *entry[2];  // entries of all rows, row after row; [0]: contact, [1]: friction
  const int *row_of;          // [node_count], index of each node's row in `row`; -1: the node has no contact
} TermRows;
