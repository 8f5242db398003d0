// Devices, on which data are stored and code runs: the CPU, or one CUDA GPU. In builds without CUDA no GPU is present.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Device { DEVICE_CPU, DEVICE_CUDA } Device;

/// The user's name for a device: "cpu" or "cuda".
const char *device_name(Device device);

/// Returns true for the CPU, and for CUDA if this build supports it and a GPU is available.
bool device_present(Device device);

/// Reason why CUDA is not present: one clause, "built without CUDA" or the driver's message. Empty if it is present.
const char *device_absence(void);

/// Name of the hardware, for example "NVIDIA H200" or the CPU's model name.
const char *device_model(Device device);

/// Properties that determine how fast methods are on a device. GPU: "132 multiprocessors with 227 KiB each, compute
/// capability 9.0"; CPU: the number of threads of a loop.
void device_figures(Device device, char text[100]);

/// Number of threads that the GPU runs at once; 0 for the CPU.
int device_resident_threads(Device device);

/// Number of multiprocessors of the GPU; 0 for the CPU.
int device_multiprocessors(Device device);

/// Maximum shared memory of a thread block on the GPU, bytes; 0 for the CPU.
size_t device_block_memory(Device device);

/// From now on, denormal numbers count as zero in this thread, in its loops and in threads that it starts. Velocities
/// far from any force can be denormal, and arithmetic with a denormal number costs a CPU some hundred cycles.
void device_flush_denormals(void);

/// Treats denormal numbers as zero until the enclosing block ends. The end of the block restores the thread's
/// floating-point mode and flags. For the library's public functions.
#define DEVICE_FLUSH_DENORMALS_HERE                                                                           \
  __attribute__((cleanup(device_restore_float_mode))) const unsigned float_mode_before = device_float_mode(); \
  device_flush_denormals()
unsigned device_float_mode(void);
void device_restore_float_mode(const unsigned *mode);

// A queue of work on a device. On the CPU each piece of work is done at once, so the queue is always empty.
typedef struct Stream {
  Device device;
  void *handle;  // cudaStream_t, or NULL on the CPU
} Stream;

bool stream_create(Device device, Stream *stream, Error *error);
void stream_destroy(Stream *stream);

/// Waits until all queued work is done. Fails with the error of this work, if there was one.
bool stream_sync(Stream stream, Error *error);

/// Sets *done if all queued work is done; does not wait.
bool stream_done(Stream stream, bool *done, Error *error);

/// Free memory of a device, bytes; 0: not known. CPU: the memory that the system or its container can provide without
/// swapping. GPU: its free memory. PLIANT_MEMORY_MIB, if set, is an upper bound for both.
size_t device_memory_free(Device device);

/// Total bytes of all allocations by device_alloc and device_clone so far, including memory that was freed since. The
/// difference of two calls is the memory that the code between them allocates.
size_t device_memory_taken(Device device);

/// Allocates [bytes] of zeroed memory on the device, aligned for any type. NULL on failure. A size of zero gives a
/// valid pointer. Waits for the device, so it is called when objects are created, never in a step.
void *device_alloc(Device device, size_t bytes, Error *error);
void device_free(Device device, void *memory);

/// As device_alloc, for structures that are built repeatedly. The memory is not zeroed. Work that is queued on the
/// stream after this call may use it. `pooled`: taken from a pool in which the device keeps freed memory; otherwise a
/// separate allocation. device_free releases the memory once all work that uses it is done.
void *device_alloc_raw(Stream stream, size_t bytes, bool pooled, Error *error);

/// Allocates memory on the device with a copy of [bytes] of host data. Waits for the copy, so it is called when objects
/// are created. NULL on failure, which may be an interrupt.
void *device_clone(Device device, const void *host, size_t bytes, Error *error);

/// Enlarges *memory from [before] to [bytes] bytes; the new part is zero. After a failure the contents are unchanged,
/// perhaps at another address. On a GPU the memory moves, and the call waits.
bool device_grow(Device device, void *memory, size_t before, size_t bytes, Error *error);

/// Allocates page-locked host memory for asynchronous copies from and to `device`; ordinary memory for the CPU.
void *device_alloc_pinned(Device device, size_t bytes, Error *error);
void device_free_pinned(Device device, void *memory);

/// Copies on the stream, in the order of its work. Host memory that is not pinned must stay unchanged until
/// stream_sync.
bool device_upload(Stream stream, void *device_memory, const void *host, size_t bytes, Error *error);
bool device_download(Stream stream, void *host, const void *device_memory, size_t bytes, Error *error);
bool device_copy(Stream stream, void *to, const void *from, size_t bytes, Error *error);
bool device_zero(Stream stream, void *memory, size_t bytes, Error *error);

// A mark in a stream, set by event_record. Other streams can wait until the mark is reached, while the host continues.
// Two events give the time between them.
typedef struct Event {
  Device device;
  void *handle;
  double seconds;  // time of event_record on the CPU's clock, s
} Event;

bool event_create(Device device, Event *event, Error *error);
void event_destroy(Event *event);
bool event_record(Event *event, Stream stream, Error *error);

/// Makes `stream` wait for the newest record of `event`. The host does not wait.
bool event_wait(Stream stream, const Event *event, Error *error);

/// Makes the host wait until the newest record of `event` is reached. Returns at once if the event was never recorded.
bool event_sync(const Event *event, Error *error);

/// Computes the milliseconds from `first` to `last`. Both events must have been reached; stream_sync ensures this.
bool event_elapsed(const Event *first, const Event *last, double *elapsed_ms, Error *error);

#ifdef __cplusplus
}
#endif
