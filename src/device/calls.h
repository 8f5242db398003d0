// Counts calls of CUDA's runtime, so that a caller finds out if a function has queued work on a GPU.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the number of calls of CUDA's runtime that this thread has made by the macro CUDA_TRY (cuda_try.h).
int64_t device_calls(void);

/// Counts one more call in this thread.
void device_called(void);

#ifdef __cplusplus
}
#endif
