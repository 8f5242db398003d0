// Kernels of a stream that overlap (programmatic dependent launches, of GPUs from compute capability 9.0 on): one that
// is launched by overlap_launch begins as soon as every block of the one before it has called let_next_begin or ended.
// It may then read what that one does not write, and every thread calls wait_for_last before all else, or before it
// ends. Whoever calls let_next_begin has waited for the one before itself, so that of three kernels the last may rely
// on the first. Elsewhere these are plain launches. What the kernel before writes is read through pointers without
// __restrict__: a compiler may move other loads to before the wait.
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

/// Whether a kernel was built to wait, on this GPU.
static inline bool overlap_is_there(const void *kernel) {
  enum { FROM = 90 };
  cudaFuncAttributes built;
  if (cudaFuncGetAttributes(&built, kernel) == cudaSuccess)
    return built.ptxVersion >= FROM && built.binaryVersion >= FROM;
  cudaGetLastError();  // forgotten: a launch will tell
  return false;
}

// what both launches below do
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

/// kernel<<<blocks, threads, 0, stream>>>(arguments ...), where `overlaps` before the last one has ended.
template <typename... Parameters>
static cudaError_t overlap_launch(bool overlaps, void (*kernel)(Parameters...), int blocks, int threads,
                                  cudaStream_t stream, Parameters... arguments) {
  return overlap_launch_as(overlaps, false, kernel, blocks, threads, stream, arguments...);
}

/// The same of a kernel whose blocks wait for each other: all of them run at once, or it fails.
template <typename... Parameters>
static cudaError_t overlap_launch_together(bool overlaps, void (*kernel)(Parameters...), int blocks, int threads,
                                           cudaStream_t stream, Parameters... arguments) {
  return overlap_launch_as(overlaps, true, kernel, blocks, threads, stream, arguments...);
}
