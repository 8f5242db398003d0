// Kernels of a stream that overlap (programmatic dependent launches, on GPUs from compute capability 9.0 on). The
// predecessor of a kernel is the kernel launched before it. A kernel launched by overlap_launch may begin before its
// predecessor has ended: as soon as every block of the predecessor has called let_next_begin or has ended. The rules
// are:
//   - Before wait_for_last, a kernel only reads data that its predecessor does not write.
//   - Every thread calls wait_for_last before any other access to memory, and at the latest before it ends.
//   - A kernel calls let_next_begin only after wait_for_last. So when a kernel begins, all kernels before its
//     predecessor have ended, and their results can be read without a wait.
//   - Data that the predecessor writes are read through pointers without __restrict__: the compiler may move loads
//     through __restrict__ pointers to before the wait.
// On older GPUs kernels do not overlap, and these functions do nothing special.
#pragma once
#include <cuda_runtime.h>

static __device__ __forceinline__ void wait_for_last(void) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

static __device__ __forceinline__ void let_next_begin(void) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Returns true if this kernel's code contains the waits above: it was compiled for GPUs of compute capability 9.0 or
/// later.
static inline bool overlap_is_there(const void *kernel) {
  enum { FROM = 90 };
  cudaFuncAttributes built;
  if (cudaFuncGetAttributes(&built, kernel) == cudaSuccess)
    return built.ptxVersion >= FROM && built.binaryVersion >= FROM;
  cudaGetLastError();  // clears the error: a launch will report it
  return false;
}

// Does the work of overlap_launch (together is false) and of overlap_launch_together (together is true).
template <typename... Parameters>
static cudaError_t overlap_launch_as(bool overlaps, bool together, void (*kernel)(Parameters...), int blocks,
                                     int threads, cudaStream_t stream, Parameters... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((unsigned)blocks), config.blockDim = dim3((unsigned)threads), config.stream = stream;
  config.attrs = attributes;
  if (together) {
    attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[config.numAttrs++].val.cooperative = 1;
  }
  if (overlaps) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// Launches kernel<<<blocks, threads, 0, stream>>>(arguments ...). With `overlaps` it may begin before its predecessor
/// has ended.
template <typename... Parameters>
static cudaError_t overlap_launch(bool overlaps, void (*kernel)(Parameters...), int blocks, int threads,
                                  cudaStream_t stream, Parameters... arguments) {
  return overlap_launch_as(overlaps, false, kernel, blocks, threads, stream, arguments...);
}

/// As overlap_launch, for a kernel whose blocks wait for each other: all blocks run at once, or the launch fails.
template <typename... Parameters>
static cudaError_t overlap_launch_together(bool overlaps, void (*kernel)(Parameters...), int blocks, int threads,
                                           cudaStream_t stream, Parameters... arguments) {
  return overlap_launch_as(overlaps, true, kernel, blocks, threads, stream, arguments...);
}
