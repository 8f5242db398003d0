// Every call of CUDA's runtime is checked: CUDA_TRY(call) returns false from the function around it with a sentence
// that says where and CUDA's own words. The function has an `Error *error` and returns bool. What was told is forgotten
// by CUDA: whoever goes on in another way does not meet it again.
#pragma once
#include <cuda_runtime.h>

#include "base/error.h"

#define CUDA_TRY(call)                                                                                      \
  do {                                                                                                      \
    cudaError_t cuda_status = (call);                                                                       \
    if (cuda_status != cudaSuccess) {                                                                       \
      cudaGetLastError();                                                                                   \
      return error_set(error, "%s:%d: %s: %s", __FILE__, __LINE__, #call, cudaGetErrorString(cuda_status)); \
    }                                                                                                       \
  } while (0)
