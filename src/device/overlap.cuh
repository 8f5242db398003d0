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

/// kernel<<<blocks, threads, 0, stream>>>(arguments ...), where `overlaps` before the last one has ended.
template <typename... Parameters>
static cudaError_t overlap_launch(bool overlaps, void (*kernel)(Parameters...), int blocks, int threads,
                                  cudaStream_t stream, Parameters... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((unsigned)blocks), config.blockDim = dim3((unsigned)threads), config.stream = stream;
  config.attrs = &attribute, config.numAttrs = overlaps;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}
