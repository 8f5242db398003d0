// Where data lies and code runs: the CPU, or one CUDA GPU. Without CUDA at build time the GPU is simply absent.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Device { DEVICE_CPU, DEVICE_CUDA } Device;

/// "cpu" or "cuda", as the user types it.
const char *device_name(Device device);

/// The CPU always; CUDA when this build has it and a GPU answers.
bool device_present(Device device);

/// Why CUDA is not present: one clause, "built without CUDA" or the driver's own words. Empty when it is.
const char *device_absence(void);

/// The hardware's own name, such as "NVIDIA H200" or the CPU's model name.
const char *device_model(Device device);

/// The figures that decide over how stages work there: "132 multiprocessors with 227 KiB each, compute capability 9.0",
/// or the cores that the process may use.
void device_figures(Device device, char text[100]);

/// How many threads the GPU runs at once; 0 for the CPU, whose threads are few.
int device_resident_threads(Device device);

/// How many multiprocessors the GPU has; 0 for the CPU.
int device_multiprocessors(Device device);

/// How much memory that its threads share a block of threads can have on the GPU, bytes; 0 for the CPU.
size_t device_block_memory(Device device);

/// From now on denormal numbers are zero in this thread, in its loops and in threads that it starts. Motion that fades
/// out far from a force passes through them, and on a CPU each costs a hundred cycles (on a GPU nothing).
void device_flush_denormals(void);

/// Flushes denormals until the enclosing block ends, which then restores the thread's floating-point mode and flags.
/// For the functions of the engine's door.
#define DEVICE_FLUSH_DENORMALS_HERE \
  __attribute__((cleanup(device_restore_float_mode))) const unsigned float_mode_before = device_float_mode(); \
  device_flush_denormals()
unsigned device_float_mode(void);
void device_restore_float_mode(const unsigned *mode);

// A queue of work on a device; on the CPU work is done at once and the queue is a formality.
typedef struct Stream {
  Device device;
  void *handle;  // cudaStream_t, or NULL on the CPU
} Stream;

bool stream_create(Device device, Stream *stream, Error *error);
void stream_destroy(Stream *stream);

/// Waits until all that was queued is done; reports what went wrong in it.
bool stream_sync(Stream stream, Error *error);

/// Whether it is done; does not wait.
bool stream_done(Stream stream, bool *done, Error *error);

/// How much memory may still be taken there, bytes: on the CPU what the system or its container can give without
/// swapping, on the GPU what is free. $PLIANT_MEMORY_MIB, where set, is an upper bound on both. 0: not known.
size_t device_memory_free(Device device);

/// All that device_alloc and device_clone have handed out so far, bytes, freed or not: differences tell what a piece of
/// code took.
size_t device_memory_taken(Device device);

/// [bytes] zeroed memory on the device, aligned for any use. NULL on failure. A size of zero gives a valid pointer.
/// Synchronises: for creation, never inside a step.
void *device_alloc(Device device, size_t bytes, Error *error);
void device_free(Device device, void *memory);

/// The same for structures that are built again and again: not set to zero, and ready for what is queued on the stream
/// from now on. `pooled`: taken from what was freed before, which the device then keeps for it; else an allocation of
/// its own. device_free releases it once all that uses it is done.
void *device_alloc_raw(Stream stream, size_t bytes, bool pooled, Error *error);

/// Memory on the device with a copy of [bytes] host data in it. Waits for the copy: for creation. NULL on failure,
/// which may be an interrupt.
void *device_clone(Device device, const void *host, size_t bytes, Error *error);

/// Makes room in *memory, of [before] bytes, for [bytes]; the new part is zero. On failure it has what it had, perhaps
/// elsewhere. On a GPU it moves, and waits.
bool device_grow(Device device, void *memory, size_t before, size_t bytes, Error *error);

/// Page-locked host memory that asynchronous copies from and to `device` can use; ordinary memory for the CPU.
void *device_alloc_pinned(Device device, size_t bytes, Error *error);
void device_free_pinned(Device device, void *memory);

/// Copies on the stream, in its order. Host memory that is not pinned must stay untouched until stream_sync.
bool device_upload(Stream stream, void *device_memory, const void *host, size_t bytes, Error *error);
bool device_download(Stream stream, void *host, const void *device_memory, size_t bytes, Error *error);
bool device_copy(Stream stream, void *to, const void *from, size_t bytes, Error *error);
bool device_zero(Stream stream, void *memory, size_t bytes, Error *error);

// A mark in a stream. Other streams can wait for it without stopping the host; two give the time between them.
typedef struct Event {
  Device device;
  void *handle;
  double seconds;  // the CPU's clock at the record
} Event;

bool event_create(Device device, Event *event, Error *error);
void event_destroy(Event *event);
bool event_record(Event *event, Stream stream, Error *error);

/// Makes `stream` wait for the newest record of `event`; the host goes on.
bool event_wait(Stream stream, const Event *event, Error *error);

/// The host waits until the newest record of `event` has been reached; not at all where there is none.
bool event_sync(const Event *event, Error *error);

/// Milliseconds from `first` to `last`. Both must have been reached (stream_sync).
bool event_elapsed(const Event *first, const Event *last, double *elapsed_ms, Error *error);

#ifdef __cplusplus
}
#endif
