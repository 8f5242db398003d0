// Unrolls loops over nodes on a GPU: indices are then known at compile time, and the arrays need no memory.
#pragma once
#ifdef __CUDA_ARCH__
#define UNROLL_SHAPE _Pragma("unroll")
#else
#define UNROLL_SHAPE
#endif
