// HOST_DEVICE marks functions in headers that compile as C and as CUDA, so that arithmetic for both devices is written
// once.
#pragma once

#ifdef __CUDACC__
#define HOST_DEVICE static __host__ __device__ __forceinline__
#else
#define HOST_DEVICE static inline
#endif
