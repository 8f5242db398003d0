// The GPU's part of device.h in a build without CUDA. There is no GPU: functions that can fail do so with the message
// `reason`, numbers are 0, and other functions do nothing.
#include "device/gpus.h"
#include "device/graph.h"

static const char *const reason = "this build has no CUDA";

int cuda_count(void) {
  return 0;
}
const char *cuda_absence(int gpu) {
  (void)gpu;
  return reason;
}
void *cuda_context(void) {
  return NULL;
}
void cuda_set_context(void *context) {
  (void)context;
}
void *cuda_context_of(int gpu) {
  (void)gpu;
  return NULL;
}
const char *cuda_model(int gpu) {
  (void)gpu;
  return "none";
}
void cuda_figures(char text[100]) {
  text[0] = '\0';
}
size_t cuda_memory_free(void) {
  return 0;
}

int cuda_resident_threads(void) {
  return 0;
}
int cuda_multiprocessors(void) {
  return 0;
}
size_t cuda_block_memory(void) {
  return 0;
}
void *cuda_thread_stream(void) {
  return NULL;
}

bool cuda_stream_create(void **stream, Error *error) {
  (void)stream;
  return error_set(error, "%s", reason);
}
void cuda_stream_destroy(void *stream) {
  (void)stream;
}
bool cuda_stream_sync(void *stream, Error *error) {
  (void)stream;
  return error_set(error, "%s", reason);
}
bool cuda_sync(Error *error) {
  return error_set(error, "%s", reason);
}
bool cuda_stream_done(void *stream, bool *done, Error *error) {
  (void)stream, (void)done;
  return error_set(error, "%s", reason);
}
void *cuda_alloc(size_t bytes, Error *error) {
  (void)bytes;
  error_set(error, "%s", reason);
  return NULL;
}
void *cuda_alloc_raw(void *stream, size_t bytes, bool pooled, Error *error) {
  (void)stream, (void)pooled;
  return cuda_alloc(bytes, error);
}
void cuda_free(void *memory) {
  (void)memory;
}
void *cuda_alloc_pinned(size_t bytes, Error *error) {
  return cuda_alloc(bytes, error);
}
void cuda_free_pinned(void *memory) {
  (void)memory;
}
bool cuda_copy(void *stream, void *to, const void *from, size_t bytes, Error *error) {
  (void)stream, (void)to, (void)from, (void)bytes;
  return error_set(error, "%s", reason);
}
bool cuda_zero(void *stream, void *memory, size_t bytes, Error *error) {
  (void)stream, (void)memory, (void)bytes;
  return error_set(error, "%s", reason);
}
bool cuda_zero_ranges(void *stream, const MemoryRange *ranges, int count, Error *error) {
  (void)stream, (void)ranges, (void)count;
  return error_set(error, "%s", reason);
}
bool cuda_event_create(void **event, Error *error) {
  (void)event;
  return error_set(error, "%s", reason);
}
void cuda_event_destroy(void *event) {
  (void)event;
}
bool cuda_event_record(void *event, void *stream, Error *error) {
  (void)event, (void)stream;
  return error_set(error, "%s", reason);
}
bool cuda_event_wait(void *stream, void *event, Error *error) {
  (void)stream, (void)event;
  return error_set(error, "%s", reason);
}
bool cuda_event_sync(void *event, bool *waited, Error *error) {
  (void)event, (void)waited;
  return error_set(error, "%s", reason);
}
bool cuda_event_elapsed(void *first, void *last, double *elapsed_ms, Error *error) {
  (void)first, (void)last, (void)elapsed_ms;
  return error_set(error, "%s", reason);
}
bool graph_create(Graph *graph, Error *error) {
  (void)graph;
  return error_set(error, "%s", reason);
}
void graph_destroy(Graph *graph) {
  (void)graph;
}
bool graph_record(GraphChain *chain, Stream stream, bool (*queue)(void *task, Stream stream, Error *error), void *task,
                  Error *error) {
  (void)chain, (void)stream, (void)queue, (void)task;
  return error_set(error, "%s", reason);
}
bool graph_append(GraphChain *chain, const GraphChain *other, Error *error) {
  (void)chain, (void)other;
  return error_set(error, "%s", reason);
}
bool graph_condition(GraphChain *chain, uint64_t *condition, Error *error) {
  (void)chain, (void)condition;
  return error_set(error, "%s", reason);
}
bool graph_queue_choice(uint64_t condition, const int *word, unsigned numbers, Stream stream, Error *error) {
  (void)condition, (void)word, (void)numbers, (void)stream;
  return error_set(error, "%s", reason);
}
bool graph_loop(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error) {
  (void)chain, (void)condition, (void)body;
  return error_set(error, "%s", reason);
}
bool graph_branch(GraphChain *chain, uint64_t condition, GraphChain *body, Error *error) {
  (void)chain, (void)condition, (void)body;
  return error_set(error, "%s", reason);
}
bool graph_finish(Graph *graph, Stream stream, Error *error) {
  (void)graph, (void)stream;
  return error_set(error, "%s", reason);
}
bool graph_launch(const Graph *graph, Stream stream, Error *error) {
  (void)graph, (void)stream;
  return error_set(error, "%s", reason);
}
