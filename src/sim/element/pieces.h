// The pieces of a body: groups of cells that are connected by common nodes.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the piece of each node, piece [node_count], and returns the number of pieces; -1 if memory runs out. Pieces
/// are numbered by their smallest node. A node without a cell is a piece of its own.
int space_pieces(const Space *space, int *piece, Error *error);

#ifdef __cplusplus
}
#endif
