// A vertex buffer that device memory is copied into: on the GPU without leaving it (CUDA-GL interop) where OpenGL and
// CUDA run on the same one, otherwise by way of the host.
#pragma once
#include "device/device.h"

typedef enum SharedBufferWay {
  SHARED_BUFFER_UPLOAD,   // CPU memory, handed to OpenGL
  SHARED_BUFFER_INTEROP,  // a copy on the GPU; map and unmap together cost about 0.33 ms
  SHARED_BUFFER_STAGED,   // GPU memory that OpenGL cannot reach: down to the host, and up again
} SharedBufferWay;

// A zeroed SharedBuffer is empty.
typedef struct SharedBuffer {
  SharedBufferWay way;
  size_t bytes;
  unsigned buffer;  // OpenGL's name, owned
  void *resource;   // cudaGraphicsResource_t of the buffer; interop only
  void *staging;    // [bytes] pinned host memory; staged only
} SharedBuffer;

/// A buffer of [bytes] zeros for data from `device`. Wants a current OpenGL context. Where interop does not work it
/// falls back, with one notice.
bool shared_buffer_create(SharedBuffer *shared, Device device, size_t bytes, Error *error);
void shared_buffer_destroy(SharedBuffer *shared);

/// Copies [bytes] from device memory, in the order of `stream`. OpenGL's later commands see them.
bool shared_buffer_write(SharedBuffer *shared, Stream stream, const void *from, Error *error);

/// "interop", "upload" or "staged", for reports.
const char *shared_buffer_way(const SharedBuffer *shared);
