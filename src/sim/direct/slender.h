// Decides if a body is so slender that a direct solver is faster than conjugate gradients. The factor of a slender
// body's matrix has few entries. The number of iterations of conjugate gradients grows with the length of the body.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SLENDER_NODES_MAX = 50000, SLENDER_WIDTH_MAX = 100 };

/// Returns true if the body is slender. Let the distance of a node be the number of edges on the shortest path to it
/// from one end of the body. A slender body has at most SLENDER_NODES_MAX nodes, and on average at most
/// SLENDER_WIDTH_MAX nodes per distance. For several separate bodies, all nodes and all distances are added. Returns
/// false also if memory runs out. *slenderness gets the number of distances divided by the square root of the nodes per
/// distance. This is a quarter to a half of the body's length divided by its height.
bool body_is_slender(const Space *space, double *slenderness);

#ifdef __cplusplus
}
#endif
