// Interoperation of CUDA and OpenGL, called only by shared_buffer.c. interop.cu defines these functions;
// interop_absent.c defines them for builds without CUDA.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers an OpenGL buffer with CUDA. Fails if the current OpenGL context is not on CUDA's device.
bool interop_register(void **resource, unsigned buffer, Error *error);
void interop_unregister(void *resource);

/// Maps the buffer, queues a copy of [bytes] from device memory on the stream, and unmaps the buffer.
bool interop_copy(void *resource, const void *from, size_t bytes, void *stream, Error *error);

#ifdef __cplusplus
}
#endif
