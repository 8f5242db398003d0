// The pieces of a mesh: sets of cells that are connected by common nodes. Example: two separate blocks in one mesh file
// are two pieces.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sets piece [node_count], the number of the piece to which each node belongs. Returns the number of pieces, or -1 if
/// memory runs out. Pieces are numbered in the order of their smallest nodes. A node without a cell is a separate
/// piece.
int space_pieces(const Space *space, int *piece, Error *error);

#ifdef __cplusplus
}
#endif
