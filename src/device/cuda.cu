// Implements the GPU's part of device.h (cuda.h) by CUDA's runtime, on device 0 with the runtime's default context.
#include <pthread.h>
#include "device/cuda.h"

#include <stdio.h>
#include <string.h>

#include "device/cuda_try.h"

extern "C" {

static char absence[256];  // reason why there is no GPU; "" if there is one

static void find_gpu() {
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver)
    snprintf(absence, sizeof absence, "no usable GPU: there is no NVIDIA driver, or it is too old for CUDA %d.%d",
             CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
  else if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0))
    snprintf(absence, sizeof absence, "no usable GPU: the NVIDIA driver found none");
  else if (status != cudaSuccess)
    snprintf(absence, sizeof absence, "no usable GPU: %s", cudaGetErrorString(status));
  else if ((status = cudaSetDevice(0)) != cudaSuccess || (status = cudaFree(0)) != cudaSuccess)
    snprintf(absence, sizeof absence, "the GPU cannot be used: %s", cudaGetErrorString(status));
}

// Returns the reason why there is no GPU. The first call in the process searches for a GPU, which starts the driver and
// takes long.
const char *cuda_absence(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_gpu);
  return absence;
}

const char *cuda_model(void) {
  static cudaDeviceProp properties;
  if (!properties.name[0] && cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return "unknown GPU";
  return properties.name;
}

void cuda_figures(char text[100]) {
  static const cudaDeviceAttr wanted[] = { cudaDevAttrMultiProcessorCount, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                           cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor };
  int figure[4] = { 0 };
  for (int k = 0; k < 4; k++) cudaDeviceGetAttribute(&figure[k], wanted[k], 0);
  snprintf(text, 100, "%d multiprocessors with %d KiB of shared memory per thread block, compute capability %d.%d",
           figure[0], figure[1] / 1024, figure[2], figure[3]);
}

size_t cuda_memory_free(void) {
  size_t available = 0, total;
  return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
}

int cuda_resident_threads(void) {
  int multiprocessors = 0, threads = 0;
  if (cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess ||
      cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0) != cudaSuccess)
    return 0;
  return multiprocessors * threads;
}

int cuda_multiprocessors(void) {
  int multiprocessors = 0;
  return cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess ? multiprocessors
                                                                                                    : 0;
}

size_t cuda_block_memory(void) {
  int bytes = 0;
  return cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess ? (size_t)bytes : 0;
}

bool cuda_stream_create(void **stream, Error *error) {
  CUDA_TRY(cudaStreamCreateWithFlags((cudaStream_t *)stream, cudaStreamNonBlocking));
  return true;
}

void cuda_stream_destroy(void *stream) {
  if (stream) cudaStreamDestroy((cudaStream_t)stream);
}

void *cuda_thread_stream(void) {
  return cudaStreamPerThread;
}

bool cuda_stream_sync(void *stream, Error *error) {
  CUDA_TRY(cudaStreamSynchronize((cudaStream_t)stream));
  return true;
}

bool cuda_sync(Error *error) {
  CUDA_TRY(cudaDeviceSynchronize());
  return true;
}

bool cuda_stream_done(void *stream, bool *done, Error *error) {
  const cudaError_t status = cudaStreamQuery((cudaStream_t)stream);
  *done = status == cudaSuccess;
  if (status != cudaErrorNotReady) CUDA_TRY(status);
  return true;
}

static bool alloc_checked(void **memory, size_t bytes, Error *error) {
  *memory = NULL;
  CUDA_TRY(cudaMalloc(memory, bytes ? bytes : 1));
  if (bytes) CUDA_TRY(cudaMemset(*memory, 0, bytes));
  // Wait for cudaMemset, which runs on the null stream. The streams of this program do not wait for the null stream
  // themselves, because they are created as non-blocking.
  CUDA_TRY(cudaStreamSynchronize(0));
  return true;
}

void *cuda_alloc(size_t bytes, Error *error) {
  void *memory = NULL;
  if (alloc_checked(&memory, bytes, error)) return memory;
  error_prefix(error, "allocating %zu bytes on the GPU", bytes);
  cudaFree(memory);
  return NULL;
}

static bool alloc_raw_checked(cudaStream_t stream, void **memory, size_t bytes, bool pooled, Error *error) {
  if (!pooled) {
    CUDA_TRY(cudaMalloc(memory, bytes ? bytes : 1));
    return true;
  }
  // make the pool keep all memory that is freed, so that later allocations are fast
  cudaMemPool_t pool;
  uint64_t all = UINT64_MAX;
  CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, 0));
  CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  CUDA_TRY(cudaMallocAsync(memory, bytes ? bytes : 1, stream));
  return true;
}

void *cuda_alloc_raw(void *stream, size_t bytes, bool pooled, Error *error) {
  void *memory = NULL;
  if (alloc_raw_checked((cudaStream_t)stream, &memory, bytes, pooled, error)) return memory;
  error_prefix(error, "allocating %zu bytes on the GPU", bytes);
  return NULL;
}

void cuda_free(void *memory) {
  if (memory) cudaFree(memory);
}

static bool alloc_pinned_checked(void **memory, size_t bytes, Error *error) {
  CUDA_TRY(cudaMallocHost(memory, bytes ? bytes : 1));
  return true;
}

void *cuda_alloc_pinned(size_t bytes, Error *error) {
  void *memory = NULL;
  return alloc_pinned_checked(&memory, bytes, error) ? memory : NULL;
}

void cuda_free_pinned(void *memory) {
  if (memory) cudaFreeHost(memory);
}

bool cuda_copy(void *stream, void *to, const void *from, size_t bytes, Error *error) {
  if (bytes) CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)stream));
  return true;
}

bool cuda_zero(void *stream, void *memory, size_t bytes, Error *error) {
  if (bytes) CUDA_TRY(cudaMemsetAsync(memory, 0, bytes, (cudaStream_t)stream));
  return true;
}

// Number of memory ranges in one kernel argument: all arguments of a kernel may have 4,096 bytes in total.
enum { RANGES = 250 };
typedef struct Ranges {
  MemoryRange range[RANGES];
} Ranges;

// Each thread block sets one range of memory to zero.
static __global__ void zero_kernel(const __grid_constant__ Ranges ranges) {
  const MemoryRange range = ranges.range[blockIdx.x];
  uint32_t *const words = (uint32_t *)range.memory;
  const size_t count = range.bytes / sizeof *words;
  for (size_t k = threadIdx.x; k < count; k += blockDim.x) words[k] = 0;
}

bool cuda_zero_ranges(void *stream, const MemoryRange *ranges, int count, Error *error) {
  for (int first = 0; first < count; first += RANGES) {
    const int some = count - first < RANGES ? count - first : RANGES;
    Ranges argument;
    memcpy(argument.range, ranges + first, sizeof *ranges * (size_t)some);
    zero_kernel<<<some, 128, 0, (cudaStream_t)stream>>>(argument);
    CUDA_TRY(cudaGetLastError());
  }
  CUDA_TRY(cudaStreamSynchronize((cudaStream_t)stream));
  return true;
}

bool cuda_event_create(void **event, Error *error) {
  CUDA_TRY(cudaEventCreate((cudaEvent_t *)event));
  return true;
}

void cuda_event_destroy(void *event) {
  if (event) cudaEventDestroy((cudaEvent_t)event);
}

bool cuda_event_record(void *event, void *stream, Error *error) {
  CUDA_TRY(cudaEventRecord((cudaEvent_t)event, (cudaStream_t)stream));
  return true;
}

bool cuda_event_wait(void *stream, void *event, Error *error) {
  CUDA_TRY(cudaStreamWaitEvent((cudaStream_t)stream, (cudaEvent_t)event, 0));
  return true;
}

bool cuda_event_sync(void *event, bool *waited, Error *error) {
  const cudaError_t status = cudaEventQuery((cudaEvent_t)event);
  *waited = status == cudaErrorNotReady;
  CUDA_TRY(*waited ? cudaEventSynchronize((cudaEvent_t)event) : status);
  return true;
}

bool cuda_event_elapsed(void *first, void *last, double *elapsed_ms, Error *error) {
  float ms = 0;
  CUDA_TRY(cudaEventElapsedTime(&ms, (cudaEvent_t)first, (cudaEvent_t)last));
  *elapsed_ms = ms;
  return true;
}

}  // extern "C"
