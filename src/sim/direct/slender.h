// Decides if a body is so slender that a direct solver is faster than conjugate gradients.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SLENDER_NODES_MAX = 50000, SLENDER_WIDTH_MAX = 100 };

/// Returns true if the body has at most SLENDER_NODES_MAX nodes, and on average at most SLENDER_WIDTH_MAX of them at
/// each distance, in edges, from one end. A factor of such a matrix is narrow, while the iterations of conjugate
/// grow with the length. Several bodies count together. False also if memory runs out. *slenderness: the number of
/// distances over the square root of the nodes at each of them, which is a quarter to a half of length over height.
bool body_is_slender(const Space *space, double *slenderness);

#ifdef __cplusplus
}
#endif
