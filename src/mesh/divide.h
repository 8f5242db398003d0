// Divides the graph of a mesh's nodes into parts of about equal size, with few edges between the parts. Uses METIS's
// k-way method (Karypis and Kumar, 1998).
#pragma once
#include "mesh/adjacency.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Divides the nodes of a graph into part_count parts with about equal sums of `weight` [node_count]. Weights are at
/// least 1; NULL means 1 for all nodes. part [node_count] gets the part of each node, from 0 to part_count - 1. A part
/// may be empty. The graph must be symmetric. Equal graphs give equal results.
///
/// Several threads may call this function; their divisions run one after the other. METIS calls rand() and sets
/// handlers of SIGTERM and SIGABRT. Afterwards the state of rand() and the handlers are restored. While METIS runs, no
/// other thread should call rand(), which would change the parts, or set a handler of these signals, which would be
/// lost. After an interrupt the function returns, and METIS runs to its end in a separate thread. No other division
/// starts a thread before this end, so at most one such thread exists. Until its end, METIS's handlers may be set.
bool adjacency_divide(const Adjacency *adjacency, int part_count, const int *weight, int *part, Error *error);

/// As adjacency_divide with equal weights, but no part is empty: a part to which METIS assigns no node gets one of the
/// largest part. Fails if the graph has fewer nodes than parts; the message is about the processes that get the parts.
bool adjacency_divide_among(const Adjacency *adjacency, int part_count, int *part, Error *error);

#ifdef __cplusplus
}
#endif
