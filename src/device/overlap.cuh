// Kernels that overlap in a stream (programmatic dependent launches, from compute capability 9.0 on). A kernel that
// overlap_launch launches may begin before its predecessor, the kernel launched before it, has ended: when every block
// of the predecessor has called let_next_begin or has ended. A kernel calls wait_for_last to wait until its predecessor
// has ended. The rules are:
//   - Before wait_for_last, a kernel only reads data that its predecessor does not write.
//   - Every thread calls wait_for_last before any other access to memory, and at the latest before it ends.
//   - A kernel calls let_next_begin only after wait_for_last. So when a kernel begins, all kernels before its
//     predecessor have ended, and their results can be read without a wait.
//   - Data that the predecessor writes are read through pointers without __restrict__, since the compiler may move
//     loads through __restrict__ pointers to before the wait.
// On older GPUs kernels do not overlap, and wait_for_last and let_next_begin do nothing.
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

/// Returns true if a kernel was compiled for compute capability 9.0 or later, so that wait_for_last and let_next_begin
/// have an effect in it.
static inline bool overlap_is_there(const void *kernel) {
  enum { FROM = 90 };
  cudaFuncAttributes built;
  if (cudaFuncGetAttributes(&built, kernel) == cudaSuccess)
    return built.ptxVersion >= FROM && built.binaryVersion >= FROM;
  cudaGetLastError();  // clears the error; the launch of the kernel will report it
  return false;
}

// Implements overlap_launch (`together` false) and overlap_launch_together (true).
template <typename... Parameters>
static cudaError_t overlap_launch_as(bool overlaps, bool together, void (*kernel)(Parameters...), int blocks,
                                     int threads, cudaStream_t stream, Parameters... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((unsigned)blocks);
  config.blockDim = dim3((unsigned)threads);
  config.stream = stream;
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

/// Launches kernel<<<blocks, threads, 0, stream>>>(arguments ...). If `overlaps` is true, the kernel may begin before
/// the previous one on the stream has ended.
template <typename... Parameters>
static cudaError_t overlap_launch(bool overlaps, void (*kernel)(Parameters...), int blocks, int threads,
                                  cudaStream_t stream, Parameters... arguments) {
  return overlap_launch_as(overlaps, false, kernel, blocks, threads, stream, arguments...);
}

/// As overlap_launch, for a kernel whose thread blocks wait for each other: all blocks run at the same time, or the
/// launch fails.
template <typename... Parameters>
static cudaError_t overlap_launch_together(bool overlaps, void (*kernel)(Parameters...), int blocks, int threads,
                                           cudaStream_t stream, Parameters... arguments) {
  return overlap_launch_as(overlaps, true, kernel, blocks, threads, stream, arguments...);
}
