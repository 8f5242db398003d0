// The pieces of a mesh: sets of cells that are connected by common nodes. Two separate blocks in one mesh file are two
// pieces.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the number of each node's piece to piece [node_count], and returns the number of pieces; -1 if memory runs
/// out. Pieces are numbered in the order of their smallest nodes. A node without a cell is a separate piece.
int space_pieces(const Space *space, int *piece, Error *error);

#ifdef __cplusplus
}
#endif
