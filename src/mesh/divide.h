// Divides the graph of a mesh's nodes into parts of equal size with few edges between them: METIS's k-way method
// (Karypis and Kumar, 1998).
#pragma once
#include "mesh/adjacency.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes part [node_count], the part of each node, from 0 to part_count - 1. Parts may be empty. The sums of
/// `weight` [node_count] over the parts are about equal; weights are at least 1, and NULL means all 1. The graph must
/// be symmetric. Equal graphs have equal results.
///
/// Several threads may call this; their divisions run one after the other. METIS calls rand() and sets signal handlers;
/// the state of both is restored afterwards. But if another thread calls rand() or random() meanwhile, it takes numbers
/// from METIS's sequence, and the parts are different. A handler of SIGTERM or SIGABRT that another thread sets
/// meanwhile is lost. After an interrupt the function returns, and METIS continues to its end in a separate thread.
bool adjacency_divide(const Adjacency *adjacency, int part_count, const int *weight, int *part, Error *error);

#ifdef __cplusplus
}
#endif
