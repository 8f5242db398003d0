// Decides if a body is so slender that a direct solver is faster than conjugate gradients. A slender body's factor has
// few entries, but the number of iterations of conjugate gradients grows with the body's length.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SLENDER_NODES_MAX = 50000, SLENDER_WIDTH_MAX = 100 };

/// Returns true if the body is slender: if it has at most SLENDER_NODES_MAX nodes, and on average at most
/// SLENDER_WIDTH_MAX of them at each distance from one end of the body. A distance is the number of edges on the
/// shortest path. If the mesh contains separate bodies, all their nodes and all their distances are added. Returns
/// false also if memory runs out.
///
/// *slenderness gets an estimate of the length of a beam divided by its height, from numbers of distances and cells. If
/// the mesh contains separate bodies, it is the estimate for a beam with the mean of their numbers.
bool body_is_slender(const Space *space, double *slenderness);

#ifdef __cplusplus
}
#endif
