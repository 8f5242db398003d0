// Arithmetic for both devices is written once, in headers of HOST_DEVICE functions that compile as C and as CUDA.
#pragma once

#ifdef __CUDACC__
#define HOST_DEVICE static __host__ __device__ __forceinline__
#else
#define HOST_DEVICE static inline
#endif
