// UNROLL_SHAPE unrolls a loop over nodes on a GPU. The compiler then knows all array indices, so that it keeps local
// arrays in registers and not in memory.
#pragma once
#ifdef __CUDA_ARCH__
#define UNROLL_SHAPE _Pragma("unroll")
#else
#define UNROLL_SHAPE
#endif
