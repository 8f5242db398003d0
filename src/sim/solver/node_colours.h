// Nodes by colours: none shares a cell with another of its colour, so what is done to all of one colour may be done
// side by side, and the order of colours is one that any number of threads keeps.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed NodeColours is empty.
typedef struct NodeColours {
  int count;
  int *start;  // [count + 1], into node
  int *node;   // [node_count], by colours, ascending in each
} NodeColours;

/// Each node, in their order, takes the first colour that none of its neighbours has. Fails only for lack of memory.
bool node_colours_create(NodeColours *colours, const Space *space, Error *error);

/// Each node a colour of its own, in their order.
bool node_colours_each(NodeColours *colours, const Space *space, Error *error);
void node_colours_destroy(NodeColours *colours);

#ifdef __cplusplus
}
#endif
