// An OpenGL vertex buffer into which the simulation's data are copied. If OpenGL and CUDA run on one GPU, the copy
// stays on this GPU. Otherwise the data pass through host memory.
#pragma once
#include "device/device.h"

// Methods that copy data to the buffer.
typedef enum SharedBufferMethod {
  SHARED_BUFFER_UPLOAD,   // data in CPU memory are uploaded by OpenGL
  SHARED_BUFFER_INTEROP,  // CUDA copies on the GPU; mapping and unmapping the buffer take 0.33 ms in total
  SHARED_BUFFER_STAGED,   // data in GPU memory are copied to the host, then uploaded by OpenGL
} SharedBufferMethod;

// An OpenGL buffer, and the method by which it is filled. Zeroed: no buffer.
typedef struct SharedBuffer {
  SharedBufferMethod method;
  size_t bytes;
  unsigned buffer;  // OpenGL buffer, owned
  void *resource;   // handle of the buffer in CUDA (cudaGraphicsResource_t); only for INTEROP
  void *staging;    // [bytes] of pinned host memory; only for STAGED
} SharedBuffer;

/// Creates a buffer of `bytes` bytes, all 0, for data from the memory of `device`. Needs a current OpenGL context. If
/// the data are in GPU memory and CUDA cannot share the buffer, writes a notice and uses SHARED_BUFFER_STAGED.
bool shared_buffer_create(SharedBuffer *shared, Device device, size_t bytes, Error *error);
void shared_buffer_destroy(SharedBuffer *shared);

/// Fills the buffer with shared->bytes bytes from `from`, memory of the device for which the buffer was created. The
/// copy runs after the earlier work of `stream`. OpenGL commands after this call use the new contents.
bool shared_buffer_write(SharedBuffer *shared, Stream stream, const void *from, Error *error);

/// Returns "interop", "upload" or "staged", for the summary of a recording.
const char *shared_buffer_method(const SharedBuffer *shared);
