// CUDA graphs: work on the GPU that is recorded once and launched often. A graph may contain loops and branches. A
// kernel in the graph decides if a loop continues, by cudaGraphSetConditional(condition, 1), without the host. Within a
// graph each piece of work follows the previous one, as in a stream; this file calls that a chain.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// A chain within a graph: the graph's main chain, or the body of a loop or branch.
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

/// Calls queue(task, stream, error), and appends the work that it queues on the stream to the chain. `queue` must not
/// wait for the device.
bool graph_record(GraphChain *chain, Stream stream, bool (*queue)(void *task, Stream stream, Error *error), void *task,
                  Error *error);

/// Creates a condition for a loop or branch of this chain. Its value is undefined until a kernel sets it.
bool graph_condition(GraphChain *chain, uint64_t *condition, Error *error);

/// For recorded work: sets the condition to 1 if the number *word, 0 to 31, is in a set, else to 0. Bit k of the mask
/// `numbers` is set if k is in the set. `word` is on the device.
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
