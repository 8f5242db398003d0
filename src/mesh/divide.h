// Divides the graph of a mesh's nodes into parts of equal size with few edges between them: METIS's k-way method
// (Karypis and Kumar, 1998).
#pragma once
#include "mesh/adjacency.h"

#ifdef __cplusplus
extern "C" {
#endif

/// part [node_count]: part of each node, out of `part_count`; parts may be empty. Parts have equal weights: sums of
/// `weight` [node_count], at least 1 each, or NULL, all 1. The graph must be symmetric, as a mesh's is; the same graph
/// gives the same parts. Several threads may call it; the divisions run one after the other. The caller's sequence of
/// rand() and its signal handlers are kept. Limits: if another thread calls rand() or random() while METIS runs, it
/// draws from METIS's sequence, and the parts differ. A handler of SIGTERM or SIGABRT that is set meanwhile is lost.
/// After an interrupt METIS runs to its end in a separate thread.
bool adjacency_divide(const Adjacency *adjacency, int part_count, const int *weight, int *part, Error *error);

#ifdef __cplusplus
}
#endif
