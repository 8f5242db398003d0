// A vertex buffer into which device memory is copied. If OpenGL and CUDA run on the same GPU, the copy stays on this
// GPU (CUDA-OpenGL interop). Otherwise the data are copied through the host's memory.
#pragma once
#include "device/device.h"

typedef enum SharedBufferMethod {
  SHARED_BUFFER_UPLOAD,   // data in CPU memory are copied to OpenGL
  SHARED_BUFFER_INTEROP,  // a copy on the GPU; mapping and unmapping the buffer take about 0.33 ms together
  SHARED_BUFFER_STAGED,   // data in GPU memory are copied to the host, and then to OpenGL
} SharedBufferMethod;

// A zeroed SharedBuffer is empty.
typedef struct SharedBuffer {
  SharedBufferMethod method;
  size_t bytes;
  unsigned buffer;  // OpenGL buffer, owned
  void *resource;   // cudaGraphicsResource_t of the buffer, for interop only
  void *staging;    // [bytes] pinned host memory, for staged copies only
} SharedBuffer;

/// Creates a buffer of [bytes] zeros for data from `device`. Needs a current OpenGL context. If interop does not work,
/// writes a notice and uses SHARED_BUFFER_STAGED.
bool shared_buffer_create(SharedBuffer *shared, Device device, size_t bytes, Error *error);
void shared_buffer_destroy(SharedBuffer *shared);

/// Copies [bytes] from device memory, ordered after the earlier work of `stream`. Later OpenGL commands use the new
/// contents.
bool shared_buffer_write(SharedBuffer *shared, Stream stream, const void *from, Error *error);

/// Returns "interop", "upload" or "staged", for reports.
const char *shared_buffer_method(const SharedBuffer *shared);
