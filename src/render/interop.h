// CUDA-GL interop, called only by shared_buffer.c. interop.cu has it; interop_absent.c stands in for it without CUDA.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers an OpenGL buffer with CUDA. Fails where the current context is not on CUDA's device.
bool interop_register(void **resource, unsigned buffer, Error *error);
void interop_unregister(void *resource);

/// Maps, copies [bytes] from device memory on the stream, and unmaps.
bool interop_copy(void *resource, const void *from, size_t bytes, void *stream, Error *error);

#ifdef __cplusplus
}
#endif
