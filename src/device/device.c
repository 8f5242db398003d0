// Implements devices, memory, streams and events (device.h): on the CPU here, on the GPU by calls of the functions in
// gpus.h.
#include "device/device.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "device/gpus.h"
#include "device/calls.h"
#include "device/waits.h"

const char *device_name(Device device) {
  return device == DEVICE_CUDA ? "cuda" : "cpu";
}

int device_gpu_count(void) {
  return cuda_count();
}

const char *device_gpu_absence(int gpu) {
  return cuda_absence(gpu);
}

static _Thread_local DeviceUse use;  // the GPU that the calling thread uses

bool device_use(int gpu, Error *error) {
  const char *absence = cuda_absence(gpu);
  if (absence[0]) return error_set(error, "device cuda:%d cannot be used: %s", gpu, absence);
  void *before = cuda_context(), *after = cuda_context_of(gpu);
  if (before != after) {
    if (!use.changed) use.context = before;
    use.changed = true;
    cuda_set_context(after);
  }
  use.gpu = gpu;
  return true;
}

int device_gpu(void) {
  return use.gpu;
}

DeviceUse device_save(void) {
  const DeviceUse before = use;
  use.changed = false;
  return before;
}

void device_restore(const DeviceUse *before) {
  if (use.changed) cuda_set_context(use.context);
  use = *before;
}

bool device_present(Device device) {
  return device == DEVICE_CPU || device_absence()[0] == '\0';
}

const char *device_absence(void) {
  return cuda_absence(use.gpu);
}

static const char *cpu_model(void) {
  static char model[128];
  if (model[0]) return model;
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[256];
  while (file && !model[0] && fgets(line, sizeof line, file)) {
    char *value = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !value) continue;
    value[strcspn(value, "\n")] = '\0';
    snprintf(model, sizeof model, "%.100s", value + 2);
  }
  if (file) fclose(file);
  if (!model[0]) snprintf(model, sizeof model, "CPU");
  return model;
}

const char *device_model(Device device) {
  return device == DEVICE_CUDA ? cuda_model(use.gpu) : cpu_model();
}

void device_figures(Device device, char text[100]) {
  const int threads = parallel_threads();
  if (device == DEVICE_CUDA)
    cuda_figures(text);
  else
    snprintf(text, 100, "parallel loops on %d thread%s", threads, threads == 1 ? "" : "s");
}

int device_resident_threads(Device device) {
  return device == DEVICE_CUDA ? cuda_resident_threads() : 0;
}

int device_multiprocessors(Device device) {
  return device == DEVICE_CUDA ? cuda_multiprocessors() : 0;
}

size_t device_block_memory(Device device) {
  return device == DEVICE_CUDA ? cuda_block_memory() : 0;
}

unsigned device_float_mode(void) {
#ifdef __SSE2__
  return _mm_getcsr();
#else
  return 0;
#endif
}

void device_restore_float_mode(const unsigned *mode) {
#ifdef __SSE2__
  _mm_setcsr(*mode);
#else
  (void)mode;
#endif
}

void device_flush_denormals(void) {
#ifdef __SSE2__
  // set two bits of the processor's register MXCSR: denormal results become 0 (0x8000), and denormal operands count as
  // 0 (0x40)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

bool stream_create(Device device, Stream *stream, Error *error) {
  *stream = (Stream){ .device = device };
  return device == DEVICE_CPU || cuda_stream_create(&stream->handle, error);
}

void stream_destroy(Stream *stream) {
  if (stream->device == DEVICE_CUDA) cuda_stream_destroy(stream->handle);
  *stream = (Stream){ 0 };
}

static _Thread_local int64_t calls;

int64_t device_calls(void) {
  return calls;
}

void device_called(void) {
  calls++;
}

static atomic_int_least64_t waits;

int64_t device_waits(void) {
  return atomic_load(&waits);
}

void device_waited(void) {
  atomic_fetch_add_explicit(&waits, 1, memory_order_relaxed);
}

bool stream_sync(Stream stream, Error *error) {
  if (stream.device == DEVICE_CPU) return true;
  device_waited();
  return cuda_stream_sync(stream.handle, error);
}

bool device_sync(Device device, Error *error) {
  if (device == DEVICE_CPU) return true;
  device_waited();
  return cuda_sync(error);
}

bool stream_done(Stream stream, bool *done, Error *error) {
  *done = true;
  return stream.device == DEVICE_CPU || cuda_stream_done(stream.handle, done, error);
}

size_t device_memory_free(Device device) {
  return memory_bound(device == DEVICE_CUDA ? cuda_memory_free() : memory_of_host());
}

static atomic_size_t taken[2];

size_t device_memory_taken(Device device) {
  return atomic_load(&taken[device]);
}

// Allocates memory on a device. On the CPU the memory is not zeroed.
static void *device_take(Device device, size_t bytes, Error *error) {
  atomic_fetch_add(&taken[device], bytes);
  if (device == DEVICE_CUDA) return cuda_alloc(bytes, error);
  // whole cache lines, so that threads that write to different arrays never share a line
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64 + (bytes ? 0 : 64));
  if (!memory) error_set(error, "out of memory: cannot allocate %zu bytes; close other programs", bytes);
  return memory;
}

void *device_alloc(Device device, size_t bytes, Error *error) {
  void *memory = device_take(device, bytes, error);
  return memory && device == DEVICE_CPU ? memset(memory, 0, bytes) : memory;
}

void *device_alloc_raw(Stream stream, size_t bytes, bool pooled, Error *error) {
  if (stream.device == DEVICE_CPU) return device_take(DEVICE_CPU, bytes, error);
  atomic_fetch_add(&taken[DEVICE_CUDA], bytes);
  return cuda_alloc_raw(stream.handle, bytes, pooled, error);
}

void device_free(Device device, void *memory) {
  if (device == DEVICE_CUDA)
    cuda_free(memory);
  else
    free(memory);
}

// Returns a stream that only the calling thread uses. It needs no creation, which takes as long as a small copy.
static Stream thread_stream(Device device) {
  return device == DEVICE_CUDA ? (Stream){ DEVICE_CUDA, cuda_thread_stream() } : (Stream){ 0 };
}

void *device_clone(Device device, const void *host, size_t bytes, Error *error) {
  enum { PIECE = 1 << 26 };  // bytes copied between two tests for a requested end
  const Stream stream = thread_stream(device);
  void *memory = device_alloc_raw(stream, bytes, false, error);
  bool ok = memory != NULL;
  for (size_t at = 0; ok && at < bytes; at += PIECE)
    ok = interrupt_check(error) && device_upload(stream, (char *)memory + at, (const char *)host + at,
                                                 bytes - at < PIECE ? bytes - at : PIECE, error);
  ok = ok && stream_sync(stream, error);
  if (ok) return memory;
  device_free(device, memory);
  return NULL;
}

// Enlarges memory on the CPU by realloc, and keeps it aligned to cache lines: if realloc returns an address within a
// cache line, the data are copied to new memory that begins at a cache line.
static bool grow_on_cpu(void **memory, size_t before, size_t bytes, Error *error) {
  enum { LINE = 64 };
  const size_t whole = (bytes + LINE - 1) / LINE * LINE;
  void *moved = realloc(*memory, whole), *aligned = moved;
  if (!moved) return error_set(error, "out of memory: cannot allocate %zu bytes; close other programs", bytes);
  *memory = moved;
  if ((uintptr_t)moved % LINE != 0) {
    if (!(aligned = aligned_alloc(LINE, whole)))
      return error_set(error, "out of memory: cannot allocate %zu bytes; close other programs", bytes);
    memcpy(aligned, moved, before);
    free(moved);
    *memory = aligned;
  }
  memset((char *)aligned + before, 0, bytes - before);
  return true;
}

bool device_grow(Device device, void *memory, size_t before, size_t bytes, Error *error) {
  void *now;
  bool ok;
  memcpy(&now, memory, sizeof now);
  if (bytes <= before) return true;
  if (device == DEVICE_CPU) {
    atomic_fetch_add(&taken[DEVICE_CPU], bytes - before);
    ok = grow_on_cpu(&now, before, bytes, error);
  } else {
    const Stream stream = thread_stream(device);
    void *moved = device_alloc(device, bytes, error);
    ok = moved && device_copy(stream, moved, now, before, error) && stream_sync(stream, error);
    device_free(device, ok ? now : moved);
    if (ok) now = moved;
  }
  memcpy(memory, &now, sizeof now);
  return ok;
}

void *device_alloc_pinned(Device device, size_t bytes, Error *error) {
  return device == DEVICE_CUDA ? cuda_alloc_pinned(bytes, error) : device_alloc(DEVICE_CPU, bytes, error);
}

void device_free_pinned(Device device, void *memory) {
  if (device == DEVICE_CUDA)
    cuda_free_pinned(memory);
  else
    free(memory);
}

bool device_copy(Stream stream, void *to, const void *from, size_t bytes, Error *error) {
  if (stream.device == DEVICE_CUDA) return cuda_copy(stream.handle, to, from, bytes, error);
  memcpy(to, from, bytes);
  return true;
}

bool device_upload(Stream stream, void *device_memory, const void *host, size_t bytes, Error *error) {
  return device_copy(stream, device_memory, host, bytes, error);
}

bool device_download(Stream stream, void *host, const void *device_memory, size_t bytes, Error *error) {
  return device_copy(stream, host, device_memory, bytes, error);
}

bool device_zero(Stream stream, void *memory, size_t bytes, Error *error) {
  if (stream.device == DEVICE_CUDA) return cuda_zero(stream.handle, memory, bytes, error);
  memset(memory, 0, bytes);
  return true;
}

bool device_zero_ranges(Stream stream, const MemoryRange *ranges, int count, Error *error) {
  if (stream.device == DEVICE_CUDA) return cuda_zero_ranges(stream.handle, ranges, count, error);
  for (int k = 0; k < count; k++) memset(ranges[k].memory, 0, ranges[k].bytes);
  return true;
}

bool event_create(Device device, Event *event, Error *error) {
  *event = (Event){ .device = device };
  return device == DEVICE_CPU || cuda_event_create(&event->handle, error);
}

void event_destroy(Event *event) {
  if (event->device == DEVICE_CUDA) cuda_event_destroy(event->handle);
  *event = (Event){ 0 };
}

bool event_record(Event *event, Stream stream, Error *error) {
  if (event->device == DEVICE_CUDA) return cuda_event_record(event->handle, stream.handle, error);
  event->seconds = timer_seconds();
  return true;
}

bool event_wait(Stream stream, const Event *event, Error *error) {
  return event->device == DEVICE_CPU || cuda_event_wait(stream.handle, event->handle, error);
}

bool event_sync(const Event *event, Error *error) {
  bool waited = false;
  if (event->device == DEVICE_CPU || !event->handle) return true;
  const bool ok = cuda_event_sync(event->handle, &waited, error);
  if (waited) device_waited();
  return ok;
}

bool event_elapsed(const Event *first, const Event *last, double *elapsed_ms, Error *error) {
  if (first->device == DEVICE_CUDA) return cuda_event_elapsed(first->handle, last->handle, elapsed_ms, error);
  *elapsed_ms = 1e3 * (last->seconds - first->seconds);
  return true;
}
