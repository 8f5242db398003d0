// Devices, on which data are stored and code runs: the CPU, or a CUDA GPU. Builds without CUDA have no GPU. A machine
// may have several GPUs, counted from 0. Each thread uses one of them at a time (device_use), to which DEVICE_CUDA
// refers.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Device { DEVICE_CPU, DEVICE_CUDA } Device;

/// Returns the user's name for a device, "cpu" or "cuda".
const char *device_name(Device device);

/// Returns the number of GPUs of this machine; 0 if there is no usable driver, or if this build has no CUDA.
int device_gpu_count(void);

/// Returns the reason why GPU number `gpu`, 0 or more, cannot be used, one clause, such as "this build has no CUDA"; ""
/// if it can be used. The first call for a GPU starts it, which takes long.
const char *device_gpu_absence(int gpu);

/// Makes the calling thread use GPU number `gpu`: later calls of this header with DEVICE_CUDA, and all kernels that the
/// thread launches, refer to this GPU. A thread begins with GPU 0. Memory can be freed and copied by threads that use
/// any GPU. Streams and events belong to the GPU on which they were created; only threads that use this GPU may queue
/// work in them. Fails if the GPU cannot be used, with device_gpu_absence as the reason.
bool device_use(int gpu, Error *error);

/// Returns the number of the GPU that the calling thread uses.
int device_gpu(void);

// The GPU that a thread uses, and the CUDA context that device_restore will make current again.
typedef struct DeviceUse {
  int gpu;
  bool changed;   // device_use has changed the thread's CUDA context
  void *context;  // CUDA context before this change; may be NULL
} DeviceUse;

/// Restores the GPU of this thread at the end of the enclosing block, if device_use was called in this block. The CUDA
/// context that was current before is made current again. The library's public functions use this, so that the current
/// device of the caller's own CUDA code does not change.
#define DEVICE_RESTORE_HERE __attribute__((cleanup(device_restore))) const DeviceUse device_before = device_save()
DeviceUse device_save(void);
void device_restore(const DeviceUse *before);

/// Returns true for the CPU, and for CUDA if the GPU that the calling thread uses is available.
bool device_present(Device device);

/// Returns device_gpu_absence of the GPU that the calling thread uses.
const char *device_absence(void);

/// Returns the name of the hardware, such as "NVIDIA H200" or the CPU's model name.
const char *device_model(Device device);

/// Writes properties that determine how fast methods are on a device. GPU: "132 multiprocessors with 227 KiB
/// of shared memory per thread block, compute capability 9.0". CPU: "parallel loops on 16 threads".
void device_figures(Device device, char text[100]);

/// Returns the number of threads that the GPU can run at once; 0 for the CPU.
int device_resident_threads(Device device);

/// Returns the number of multiprocessors of the GPU; 0 for the CPU.
int device_multiprocessors(Device device);

/// Returns the maximum shared memory of a thread block on the GPU, bytes; 0 for the CPU.
size_t device_block_memory(Device device);

/// Makes denormal numbers count as 0 from now on: in this thread, in its loops and in threads that it starts.
/// Velocities far from any force can be denormal, and arithmetic with them costs a CPU some hundred cycles.
void device_flush_denormals(void);

/// Makes denormal numbers count as 0 until the enclosing block ends, when the thread's floating-point mode and flags
/// are restored. The library's public functions use this, so that the caller's mode does not change.
#define DEVICE_FLUSH_DENORMALS_HERE                                                                           \
  __attribute__((cleanup(device_restore_float_mode))) const unsigned float_mode_before = device_float_mode(); \
  device_flush_denormals()
unsigned device_float_mode(void);
void device_restore_float_mode(const unsigned *mode);

// A queue of work on a device. The CPU does each piece of work at once, so its queues are always empty.
typedef struct Stream {
  Device device;
  void *handle;  // cudaStream_t, or NULL on the CPU
} Stream;

bool stream_create(Device device, Stream *stream, Error *error);
void stream_destroy(Stream *stream);

/// Waits until all queued work is done. Fails if this work has failed.
bool stream_sync(Stream stream, Error *error);

/// Waits until the work on all streams of a device is done.
bool device_sync(Device device, Error *error);

/// Sets *done to true if all queued work is done. Does not wait.
bool stream_done(Stream stream, bool *done, Error *error);

/// Returns the free memory of a device in bytes; 0 if it is not known. CPU: memory that the system or its container can
/// provide without swapping. PLIANT_MEMORY_MIB, if set, is an upper bound for both devices.
size_t device_memory_free(Device device);

/// Returns the total bytes of all allocations by device_alloc, device_alloc_raw, device_clone and device_grow so far,
/// including memory that was freed. The difference of two calls is the memory that the code between them allocates.
size_t device_memory_taken(Device device);

/// Allocates `bytes` of zeroed memory on a device, aligned for any type; 0 gives a valid pointer. Returns NULL on
/// failure. Waits for the device, so a time step must not call it.
void *device_alloc(Device device, size_t bytes, Error *error);
void device_free(Device device, void *memory);

/// Allocates memory that is not zeroed, for structures that are built repeatedly. Work that is queued on the stream
/// after this call may use it. If `pooled` is true, the memory comes from a pool in which the device keeps freed
/// memory. The caller must call device_free only after all work that uses the memory is done.
void *device_alloc_raw(Stream stream, size_t bytes, bool pooled, Error *error);

/// Allocates memory on a device with a copy of `bytes` of host data. Waits for the copy, so a time step must not call
/// it. Returns NULL on failure, or if an end of the program was requested meanwhile.
void *device_clone(Device device, const void *host, size_t bytes, Error *error);

/// Enlarges the memory *memory from `before` to `bytes` bytes; new bytes are 0. Does nothing if `bytes` is not larger.
/// After a failure the contents are unchanged, perhaps at another address. On a GPU the memory moves, and the call
/// waits for the device.
bool device_grow(Device device, void *memory, size_t before, size_t bytes, Error *error);

/// Allocates page-locked host memory for asynchronous copies to and from `device`. If `device` is the CPU, the result
/// is ordinary memory of device_alloc.
void *device_alloc_pinned(Device device, size_t bytes, Error *error);
void device_free_pinned(Device device, void *memory);

/// These four functions queue work on the stream, after its earlier work. device_upload copies from host to device,
/// device_download from device to host, and device_copy within the device; device_zero sets memory to zero. Until the
/// copy is done, for example after stream_sync, the host must not change its source and must not read its target.
bool device_upload(Stream stream, void *device_memory, const void *host, size_t bytes, Error *error);
bool device_download(Stream stream, void *host, const void *device_memory, size_t bytes, Error *error);
bool device_copy(Stream stream, void *to, const void *from, size_t bytes, Error *error);
bool device_zero(Stream stream, void *memory, size_t bytes, Error *error);

// A part of a device's memory. `bytes` is a multiple of 4.
typedef struct MemoryRange {
  void *memory;
  size_t bytes;
} MemoryRange;

/// Sets the memory in ranges [count] to zero, and waits until this is done. On a GPU, one launch of a kernel processes
/// up to 250 ranges.
bool device_zero_ranges(Stream stream, const MemoryRange *ranges, int count, Error *error);

// A mark in a stream, set by event_record. Other streams can wait for it while the host continues. The time between two
// marks can be measured (event_elapsed).
typedef struct Event {
  Device device;
  void *handle;
  double seconds;  // s, clock time of event_record on the CPU
} Event;

bool event_create(Device device, Event *event, Error *error);
void event_destroy(Event *event);
bool event_record(Event *event, Stream stream, Error *error);

/// Makes later work on `stream` wait until the point of the newest event_record of `event` is reached; the host does
/// not wait.
bool event_wait(Stream stream, const Event *event, Error *error);

/// Makes the host wait until the point of the newest event_record of `event` is reached. Returns at once if the event
/// was never recorded.
bool event_sync(const Event *event, Error *error);

/// Computes the time from `first` to `last`, ms. Both events must have been reached, for example after stream_sync.
bool event_elapsed(const Event *first, const Event *last, double *elapsed_ms, Error *error);

#ifdef __cplusplus
}
#endif
