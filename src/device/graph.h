// Work on the GPU that is recorded once and launched often, with loops that kernels decide, so that the host need
// not ask: cudaGraphSetConditional(condition, 1) goes on. Work in a graph is a chain: each piece
// follows the one before.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// A chain within a graph: the graph's own, or what a loop holds.
typedef struct GraphChain {
  void *graph;  // cudaGraph_t
  void *last;   // its newest node, NULL: none yet
} GraphChain;

// A zeroed Graph is empty.
typedef struct Graph {
  GraphChain chain;
  void *executable;
} Graph;

bool graph_create(Graph *graph, Error *error);
void graph_destroy(Graph *graph);

/// Adds what `queue` queues on the stream, which must not wait, at the chain's end.
bool graph_record(GraphChain *chain, Stream stream, bool (*queue)(void *task, Stream stream, Error *error), void *task,
                  Error *error);

/// A condition for a loop of this chain. What it is before a kernel has set it is undefined.
bool graph_condition(GraphChain *chain, uint64_t *condition, Error *error);

/// For recorded work: the condition becomes whether a word on the device is one of some numbers below 32, as bits.
bool graph_queue_choice(uint64_t condition, const int *word, unsigned numbers, Stream stream, Error *error);

/// Adds an empty chain at the end of the chain, which repeats while the condition holds.
bool graph_loop(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error);

/// The same of a chain that goes once where the condition holds.
bool graph_branch(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error);

/// Ends the recording: from now on it can be launched.
bool graph_finish(Graph *graph, Stream stream, Error *error);
bool graph_launch(const Graph *graph, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
