// Contact as an operator's term (operator.h) has it, by rows, for a GPU's solver that makes products of its own: groups
// of four nodes, each of which adds w_i w_j B to the block of its nodes i and j. All of it lies on the GPU, since a
// solver may be recorded before there is a row.
#pragma once

// What one pair adds to a row, that of its node i: B sum_j w_i w_j x_j over the pair's other nodes j.
typedef struct TermEntry {
  double B[6], weight[3];  // xx, yy, zz, xy, xz, yz; w_i w_j
  int node[3];
} TermEntry;

// A node that has entries, and where they are in either list. The nodes of its entries have rows too, unless the weight
// is 0: then it may be the row's own. What joins a node to an obstacle alone is no entry.
typedef struct TermRow {
  int node, start[2], count[2];
} TermRow;

typedef struct TermRows {
  int count;                  // of rows; the rest says nothing where it is 0
  const TermRow *row;         // [count]
  const TermEntry *entry[2];  // of what touches, of what slides
  const int *row_of;          // [node_count], a node's row, or -1
} TermRows;
