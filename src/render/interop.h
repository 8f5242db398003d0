// Shares OpenGL buffers with CUDA, for shared_buffer.c. The functions are defined in interop.cu or, in builds without
// CUDA, in interop_absent.c.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers an OpenGL buffer with CUDA; *resource gets CUDA's handle. Fails if the OpenGL context is on another GPU.
bool interop_register(void **resource, unsigned buffer, Error *error);
void interop_unregister(void *resource);

/// Queues a copy on the CUDA stream `stream`, and returns before it is complete: `bytes` bytes from the device memory
/// `from` to the registered buffer.
bool interop_copy(void *resource, const void *from, size_t bytes, void *stream, Error *error);

#ifdef __cplusplus
}
#endif
