// The macro UNROLL_SHAPE stands before a loop over nodes, and unrolls this loop on a GPU. All array indices are then
// constants, so local arrays stay in registers.
#pragma once
#ifdef __CUDA_ARCH__
#define UNROLL_SHAPE _Pragma("unroll")
#else
#define UNROLL_SHAPE
#endif
