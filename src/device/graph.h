// CUDA graphs: work on the GPU that is recorded once and launched often. A graph may contain loops and branches. A
// kernel in the graph decides without the host if a loop continues, by cudaGraphSetConditional(condition, 1). In a
// graph each piece of work follows the previous one, as in a stream; this file calls such a sequence a chain.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// A chain within a graph: the graph's main chain, or the body of a loop or branch.
typedef struct GraphChain {
  void *graph;  // cudaGraph_t
  void *last;   // node that was added last; NULL: the chain is empty
} GraphChain;

// A zeroed Graph is empty.
typedef struct Graph {
  GraphChain chain;
  void *executable;
} Graph;

bool graph_create(Graph *graph, Error *error);
void graph_destroy(Graph *graph);

/// Calls queue(task, stream, error), and appends the work that it queues on the stream to the chain. `queue` must not
/// wait for the device.
bool graph_record(GraphChain *chain, Stream stream, bool (*queue)(void *task, Stream stream, Error *error), void *task,
                  Error *error);

/// Creates a condition for a loop or branch of this chain. Its value is undefined until a kernel sets it.
bool graph_condition(GraphChain *chain, uint64_t *condition, Error *error);

/// Queues a kernel that sets the condition to 1 if bit *word of the mask `numbers` is set, else to 0. *word is 0 to 31,
/// and is stored on the device. For example, with the mask 5 (bits 0 and 2) the condition is 1 if *word is 0 or 2.
bool graph_queue_choice(uint64_t condition, const int *word, unsigned numbers, Stream stream, Error *error);

/// Appends an empty chain, `body`, which repeats while the condition holds.
bool graph_loop(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error);

/// Appends an empty chain, `body`, which runs once if the condition holds.
bool graph_branch(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error);

/// Ends the recording; the graph can then be launched.
bool graph_finish(Graph *graph, Stream stream, Error *error);
bool graph_launch(const Graph *graph, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
