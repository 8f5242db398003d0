// Clock of the GPU, for times within kernels.
#pragma once

// Returns the time of the GPU's global clock, ns.
static __device__ __forceinline__ unsigned long long now_ns(void) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}
