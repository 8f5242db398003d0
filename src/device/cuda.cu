// Implements the GPU's part of device.h (gpus.h) by CUDA's runtime, with the primary context of each GPU. A thread uses
// the GPU whose context is current. The contexts are changed by calls of CUDA's driver, not by cudaSetDevice, for two
// reasons. The context that the caller of the library has can be restored exactly, even if it is not a primary context
// or if there is none. And every copy of the runtime in the process uses the current context: those in libpliant_engine
// and in modules of elements, and that of the caller.
#include <pthread.h>
#include "device/gpus.h"

#include <cudaTypedefs.h>
#include <stdio.h>
#include <string.h>

#include "device/cuda_try.h"

extern "C" {

enum { GPUS_MAX = 100 };  // users write the number of a GPU with at most two digits

// A GPU that was requested so far.
typedef struct Gpu {
  bool known;         // the other members are set
  char absence[200];  // reason why the GPU cannot be used; "" if it can
  CUcontext context;
} Gpu;

static Gpu gpus[GPUS_MAX];
static char machine_absence[200];  // reason why the machine has no usable GPU
static int gpu_count;

// Functions of CUDA's driver, which the runtime has loaded. NULL if a function was not found.
static PFN_cuDeviceGet_v2000 driver_device_get;
static PFN_cuDevicePrimaryCtxRetain_v7000 driver_retain;
static PFN_cuCtxGetCurrent_v4000 driver_get_current;
static PFN_cuCtxSetCurrent_v4000 driver_set_current;

// Returns the version of a driver's function that CUDA 12.0 has; NULL: none.
static void *driver_function(const char *name) {
  void *function = NULL;
  cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 13000
  const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &result);
#endif
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess && result == cudaDriverEntryPointSuccess ? function : NULL;
}

static bool find_driver_functions() {
  driver_device_get = (PFN_cuDeviceGet_v2000)driver_function("cuDeviceGet");
  driver_retain = (PFN_cuDevicePrimaryCtxRetain_v7000)driver_function("cuDevicePrimaryCtxRetain");
  driver_get_current = (PFN_cuCtxGetCurrent_v4000)driver_function("cuCtxGetCurrent");
  driver_set_current = (PFN_cuCtxSetCurrent_v4000)driver_function("cuCtxSetCurrent");
  return driver_device_get && driver_retain && driver_get_current && driver_set_current;
}

static void find_gpus() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  const size_t size = sizeof machine_absence;
  if (status != cudaSuccess) cudaGetLastError();
  if (status == cudaErrorInsufficientDriver)
    snprintf(machine_absence, size, "no usable GPU: there is no NVIDIA driver, or it is too old for CUDA %d.%d",
             CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
  else if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0))
    snprintf(machine_absence, size, "no usable GPU: the NVIDIA driver found none");
  else if (status != cudaSuccess)
    snprintf(machine_absence, size, "no usable GPU: %s", cudaGetErrorString(status));
  else if (!find_driver_functions())
    snprintf(machine_absence, size, "no usable GPU: the NVIDIA driver lacks functions; install a newer driver");
  else
    gpu_count = count < GPUS_MAX ? count : GPUS_MAX;
}

int cuda_count(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_gpus);
  return gpu_count;
}

// Starts a GPU: creates its primary context, or retains the present one.
static void start(Gpu *made, int gpu) {
  const int count = cuda_count();
  CUdevice device;
  if (count == 0) {
    snprintf(made->absence, sizeof made->absence, "%s", machine_absence);
    return;
  }
  if (gpu >= count) {
    if (count == 1)
      snprintf(made->absence, sizeof made->absence, "this machine has only one GPU, cuda:0");
    else
      snprintf(made->absence, sizeof made->absence, "this machine has only %d GPUs, cuda:0 to cuda:%d", count,
               count - 1);
    return;
  }
  CUresult status = driver_device_get(&device, gpu);
  if (status == CUDA_SUCCESS) status = driver_retain(&made->context, device);
  if (status == CUDA_SUCCESS) return;

  // the runtime's numbers of errors are those of the driver
  snprintf(made->absence, sizeof made->absence, "GPU %d cannot be started: %s", gpu,
           cudaGetErrorString((cudaError_t)status));
}

const char *cuda_absence(int gpu) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  if (gpu < 0 || gpu >= GPUS_MAX) return "the number of a GPU is 0 to 99";
  Gpu *found = &gpus[gpu];
  if (__atomic_load_n(&found->known, __ATOMIC_ACQUIRE)) return found->absence;
  pthread_mutex_lock(&lock);
  if (!found->known) start(found, gpu);
  __atomic_store_n(&found->known, true, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return found->absence;
}

void *cuda_context(void) {
  CUcontext context = NULL;
  return driver_get_current(&context) == CUDA_SUCCESS ? context : NULL;
}

void cuda_set_context(void *context) {
  driver_set_current((CUcontext)context);
}

void *cuda_context_of(int gpu) {
  return gpus[gpu].context;
}

const char *cuda_model(int gpu) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  cudaDeviceProp properties;
  static char names[GPUS_MAX][sizeof properties.name];
  if (gpu < 0 || gpu >= cuda_count()) return "unknown GPU";
  pthread_mutex_lock(&lock);
  if (!names[gpu][0]) {
    const bool ok = cudaGetDeviceProperties(&properties, gpu) == cudaSuccess;
    snprintf(names[gpu], sizeof names[gpu], "%s", ok ? properties.name : "unknown GPU");
  }
  pthread_mutex_unlock(&lock);
  return names[gpu];
}

// Returns an attribute of the GPU that the calling thread uses; 0 if it is not known.
static int attribute(cudaDeviceAttr wanted) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, wanted, device_gpu()) == cudaSuccess ? value : 0;
}

void cuda_figures(char text[100]) {
  snprintf(text, 100, "%d multiprocessors with %d KiB of shared memory per thread block, compute capability %d.%d",
           attribute(cudaDevAttrMultiProcessorCount), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) / 1024,
           attribute(cudaDevAttrComputeCapabilityMajor), attribute(cudaDevAttrComputeCapabilityMinor));
}

size_t cuda_memory_free(void) {
  size_t available = 0, total;
  return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
}

int cuda_resident_threads(void) {
  return attribute(cudaDevAttrMultiProcessorCount) * attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
}

int cuda_multiprocessors(void) {
  return attribute(cudaDevAttrMultiProcessorCount);
}

size_t cuda_block_memory(void) {
  return (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
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
  CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, device_gpu()));
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
