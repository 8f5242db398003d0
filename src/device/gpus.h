// The GPU's part of device.h, which only device.c calls. cuda.cu implements it, or cuda_absent.c in builds without
// CUDA.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

int cuda_count(void);               // number of GPUs
const char *cuda_absence(int gpu);  // reason why this GPU cannot be used; "" if it can; starts the GPU
void *cuda_context(void);           // CUDA context of the calling thread; NULL: none
void cuda_set_context(void *);      // sets the CUDA context of the calling thread
void *cuda_context_of(int gpu);     // primary context of a GPU without absence
const char *cuda_model(int gpu);
// The functions below refer to the GPU that the calling thread uses.
void cuda_figures(char text[100]);
int cuda_resident_threads(void);
int cuda_multiprocessors(void);
size_t cuda_block_memory(void);
size_t cuda_memory_free(void);  // free memory of the GPU, bytes; 0: not known

bool cuda_stream_create(void **stream, Error *error);
void cuda_stream_destroy(void *stream);
void *cuda_thread_stream(void);  // a stream for the calling thread only; it needs no creation and no destruction
bool cuda_stream_sync(void *stream, Error *error);
bool cuda_sync(Error *error);  // waits for all streams
bool cuda_stream_done(void *stream, bool *done, Error *error);

void *cuda_alloc(size_t bytes, Error *error);
void *cuda_alloc_raw(void *stream, size_t bytes, bool pooled, Error *error);
void cuda_free(void *memory);
void *cuda_alloc_pinned(size_t bytes, Error *error);
void cuda_free_pinned(void *memory);

/// Copies between host and GPU, or within one of them. CUDA determines from the addresses where each array is stored.
bool cuda_copy(void *stream, void *to, const void *from, size_t bytes, Error *error);
bool cuda_zero(void *stream, void *memory, size_t bytes, Error *error);
bool cuda_zero_ranges(void *stream, const MemoryRange *ranges, int count, Error *error);

bool cuda_event_create(void **event, Error *error);
void cuda_event_destroy(void *event);
bool cuda_event_record(void *event, void *stream, Error *error);
bool cuda_event_wait(void *stream, void *event, Error *error);
bool cuda_event_sync(void *event, bool *waited, Error *error);
bool cuda_event_elapsed(void *first, void *last, double *elapsed_ms, Error *error);

#ifdef __cplusplus
}
#endif
