// Loops over nodes whose numbers a GPU is to know when it is compiled: what they index then needs no memory.
#pragma once
#ifdef __CUDA_ARCH__
#define UNROLL_SHAPE _Pragma("unroll")
#else
#define UNROLL_SHAPE
#endif
