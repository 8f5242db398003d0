// Checks a call of CUDA's runtime. If the call fails, CUDA_TRY(call) sets an error with the source line, the call and
// CUDA's message, and makes the enclosing function return false. This function must have an `Error *error`. CUDA's last
// error is cleared, so that a fallback path does not see it.
#pragma once
#include <cuda_runtime.h>

#include "base/error.h"
#include "device/calls.h"

#define CUDA_TRY(call)                                                                                      \
  do {                                                                                                      \
    device_called();                                                                                        \
    cudaError_t cuda_status = (call);                                                                       \
    if (cuda_status != cudaSuccess) {                                                                       \
      cudaGetLastError();                                                                                   \
      return error_set(error, "%s:%d: %s: %s", __FILE__, __LINE__, #call, cudaGetErrorString(cuda_status)); \
    }                                                                                                       \
  } while (0)
