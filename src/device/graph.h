// CUDA graphs: work on the GPU that is recorded once and launched often. A graph is a chain of pieces of work, each
// after the previous one, as in a stream. It may contain loops and branches, whose bodies are chains too. A kernel
// decides without the host if a body runs: it calls cudaGraphSetConditional(condition, 1).
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// A chain of pieces of work that run one after another. It is the whole graph, or the body of a loop or branch.
typedef struct GraphChain {
  void *graph;  // cudaGraph_t
  void *last;   // node of the graph that was added last; NULL: the chain is empty
} GraphChain;

// A CUDA graph: work on the GPU that is recorded once and launched by one call. A zeroed Graph is empty.
typedef struct Graph {
  GraphChain chain;
  void *executable;  // cudaGraphExec_t, which can be launched; NULL before graph_finish
} Graph;

bool graph_create(Graph *graph, Error *error);
void graph_destroy(Graph *graph);

/// Appends work to the chain: the work that queue(task, stream, error) queues on the stream. `queue` must not wait for
/// the GPU.
bool graph_record(GraphChain *chain, Stream stream, bool (*queue)(void *task, Stream stream, Error *error), void *task,
                  Error *error);

/// Appends a copy of another chain, which is a whole graph without loops and branches.
bool graph_append(GraphChain *chain, const GraphChain *other, Error *error);

/// Creates a condition for a loop or branch of this chain. Its value is undefined until a kernel sets it.
bool graph_condition(GraphChain *chain, uint64_t *condition, Error *error);

/// Queues a kernel that sets the condition to bit *word of the mask `numbers`. *word, on the GPU, is 0 to 31. For
/// example, the mask 5 (bits 0 and 2) gives 1 if *word is 0 or 2.
bool graph_queue_choice(uint64_t condition, const int *word, unsigned numbers, Stream stream, Error *error);

/// Appends a loop that repeats while the condition is 1; *body becomes its empty body, a chain.
bool graph_loop(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error);

/// Appends a branch that runs once if the condition is 1; *body becomes its empty body, a chain.
bool graph_branch(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error);

/// Ends the recording, so that the graph can be launched.
bool graph_finish(Graph *graph, Stream stream, Error *error);
bool graph_launch(const Graph *graph, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
