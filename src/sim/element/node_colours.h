// A colouring of the nodes: two nodes of one colour never share a cell. So a Gauss-Seidel sweep can update all nodes of
// one colour in parallel, with the same result for any number of threads.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// The nodes of each colour. A zeroed NodeColours is empty.
typedef struct NodeColours {
  int count;   // number of colours
  int *start;  // [count + 1], index in `node` of the first node of each colour
  int *node;   // [node_count], the nodes, sorted by colour; nodes of one colour are sorted by number
} NodeColours;

/// Gives each node, in the order of node numbers, the lowest colour that none of its neighbours has. Fails if memory
/// runs out.
bool node_colours_create(NodeColours *colours, const Space *space, Error *error);

/// Gives each node a colour of its own, so that a sweep updates the nodes one after the other, in the order of their
/// numbers. Fails only if memory runs out.
bool node_colours_each(NodeColours *colours, const Space *space, Error *error);
void node_colours_destroy(NodeColours *colours);

#ifdef __cplusplus
}
#endif
