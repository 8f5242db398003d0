// UNROLL_SHAPE unrolls a loop over nodes on a GPU. Indices are then known at compile time, so that local arrays are in
// registers and not in memory.
#pragma once
#ifdef __CUDA_ARCH__
#define UNROLL_SHAPE _Pragma("unroll")
#else
#define UNROLL_SHAPE
#endif
