// Records and launches CUDA graphs (graph.h).
#include "device/graph.h"

#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"

bool graph_create(Graph *graph, Error *error) {
  *graph = {};
  CUDA_TRY(cudaGraphCreate((cudaGraph_t *)&graph->chain.graph, 0));
  return true;
}

void graph_destroy(Graph *graph) {
  if (graph->executable) cudaGraphExecDestroy((cudaGraphExec_t)graph->executable);
  if (graph->chain.graph) cudaGraphDestroy((cudaGraph_t)graph->chain.graph);
  *graph = {};
}

// Sets chain->last to the last node of the chain, the only one on which no other node depends.
static bool find_last(GraphChain *chain, Error *error) {
  const cudaGraph_t graph = (cudaGraph_t)chain->graph;
  size_t count = 0;
  CUDA_TRY(cudaGraphGetNodes(graph, NULL, &count));
  if (count == 0) return true;
  cudaGraphNode_t *nodes = (cudaGraphNode_t *)array_new((int64_t)count, sizeof *nodes, "graph nodes", error);
  if (!nodes) return false;
  cudaError_t status = cudaGraphGetNodes(graph, nodes, &count);
  for (size_t k = 0; status == cudaSuccess && k < count; k++) {
    size_t followers = 0;
#if CUDART_VERSION >= 13000
    status = cudaGraphNodeGetDependentNodes(nodes[k], NULL, NULL, &followers);
#else
    status = cudaGraphNodeGetDependentNodes(nodes[k], NULL, &followers);
#endif
    // cudaErrorLossyQuery: another node depends on this one, but by a programmatic edge (overlap.cuh), which this call
    // cannot return
    if (status == cudaErrorLossyQuery) {
      cudaGetLastError();
      status = cudaSuccess;
      followers = 1;
    }
    if (followers == 0) chain->last = nodes[k];
  }

  free(nodes);
  CUDA_TRY(status);
  return true;
}

bool graph_record(GraphChain *chain, Stream stream, bool (*queue)(void *task, Stream stream, Error *error), void *task,
                  Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const cudaGraphNode_t last = (cudaGraphNode_t)chain->last;
  cudaGraph_t captured = NULL;
  CUDA_TRY(cudaStreamBeginCaptureToGraph(s, (cudaGraph_t)chain->graph, last ? &last : NULL, NULL, last ? 1 : 0,
                                         cudaStreamCaptureModeThreadLocal));
  const bool queued = queue(task, stream, error);
  CUDA_TRY(cudaStreamEndCapture(s, &captured));
  return queued && find_last(chain, error);
}

bool graph_append(GraphChain *chain, const GraphChain *other, Error *error) {
  const cudaGraphNode_t last = (cudaGraphNode_t)chain->last;
  cudaGraphNode_t node;
  CUDA_TRY(cudaGraphAddChildGraphNode(&node, (cudaGraph_t)chain->graph, last ? &last : NULL, last ? 1 : 0,
                                      (cudaGraph_t)other->graph));
  chain->last = node;
  return true;
}

bool graph_condition(GraphChain *chain, uint64_t *condition, Error *error) {
  cudaGraphConditionalHandle handle;
  CUDA_TRY(cudaGraphConditionalHandleCreate(&handle, (cudaGraph_t)chain->graph, 0, 0));
  *condition = handle;
  return true;
}

static __global__ void choice_kernel(cudaGraphConditionalHandle condition, const int *word, unsigned numbers) {
  cudaGraphSetConditional(condition, numbers >> *word & 1);
}

bool graph_queue_choice(uint64_t condition, const int *word, unsigned numbers, Stream stream, Error *error) {
  choice_kernel<<<1, 1, 0, (cudaStream_t)stream.handle>>>(condition, word, numbers);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool add_conditional(GraphChain *chain, uint64_t condition, cudaGraphConditionalNodeType type, GraphChain *body,
                            Error *error) {
  const cudaGraphNode_t last = (cudaGraphNode_t)chain->last;
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = condition;
  parameters.conditional.type = type;
  parameters.conditional.size = 1;
  cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
  CUDA_TRY(cudaGraphAddNode(&node, (cudaGraph_t)chain->graph, last ? &last : NULL, NULL, last ? 1 : 0, &parameters));
#else
  CUDA_TRY(cudaGraphAddNode(&node, (cudaGraph_t)chain->graph, last ? &last : NULL, last ? 1 : 0, &parameters));
#endif
  chain->last = node;
  *body = { parameters.conditional.phGraph_out[0], NULL };
  return true;
}

bool graph_loop(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error) {
  return add_conditional(chain, condition, cudaGraphCondTypeWhile, body, error);
}

bool graph_branch(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error) {
  return add_conditional(chain, condition, cudaGraphCondTypeIf, body, error);
}

bool graph_finish(Graph *graph, Stream stream, Error *error) {
  CUDA_TRY(cudaGraphInstantiate((cudaGraphExec_t *)&graph->executable, (cudaGraph_t)graph->chain.graph, 0));
  // upload the graph now, since its first launch would otherwise do this
  CUDA_TRY(cudaGraphUpload((cudaGraphExec_t)graph->executable, (cudaStream_t)stream.handle));
  return true;
}

bool graph_launch(const Graph *graph, Stream stream, Error *error) {
  CUDA_TRY(cudaGraphLaunch((cudaGraphExec_t)graph->executable, (cudaStream_t)stream.handle));
  return true;
}
