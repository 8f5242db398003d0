// Divides the graph of a mesh's nodes into parts of equal size with few edges between them: METIS's k-way method
// (Karypis and Kumar, 1998).
#pragma once
#include "mesh/adjacency.h"

#ifdef __cplusplus
extern "C" {
#endif

/// part [node_count]: which of `part_count` parts each node is in; some may stay empty. Parts are of equal weight: the
/// sum of their nodes' `weight` [node_count], at least 1 each, or NULL, all 1. The same for the same graph, which must
/// be symmetric, as that of a mesh is. Any threads may call this at once; the divisions follow each other. The caller's
/// sequence of rand() and its signal handlers are kept. Limits: another thread that calls rand() or random() while
/// METIS runs draws from METIS's sequence, and the parts then differ; a handler of SIGTERM or SIGABRT that is set
/// meanwhile is lost. After an interrupt METIS runs to its end in a thread of its own.
bool adjacency_divide(const Adjacency *adjacency, int part_count, const int *weight, int *part, Error *error);

#ifdef __cplusplus
}
#endif
