// Divides the graph of a mesh's nodes into parts of equal size, with few edges of the graph between the parts. Uses
// METIS's k-way method (Karypis and Kumar, 1998).
#pragma once
#include "mesh/adjacency.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes part [node_count], the part of each node, from 0 to part_count - 1. A part may be empty. All parts have
/// about equal sums of `weight` [node_count]. Weights are at least 1; NULL means that all weights are 1. The graph must
/// be symmetric. Equal graphs have equal results.
///
/// Several threads may call this; their divisions run one after the other. METIS calls rand() and sets handlers of
/// SIGTERM and SIGABRT; this function restores the state of both afterwards. Two effects on other threads remain. A
/// thread that calls rand() or random() at the same time takes numbers from METIS's sequence, so the parts differ. A
/// handler of SIGTERM or SIGABRT that a thread sets at the same time is lost.
/// After an interrupt the function returns, and METIS continues to its end in a separate thread.
bool adjacency_divide(const Adjacency *adjacency, int part_count, const int *weight, int *part, Error *error);

#ifdef __cplusplus
}
#endif
