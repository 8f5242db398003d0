// Copies the simulation's data to an OpenGL vertex buffer: see shared_buffer.h.
#include "render/shared_buffer.h"

#include "base/log.h"
#include "render/gl_check.h"
#include "render/interop.h"

bool shared_buffer_create(SharedBuffer *shared, Device device, size_t bytes, Error *error) {
  *shared = (SharedBuffer){ .bytes = bytes };
  glCreateBuffers(1, &shared->buffer);
  glNamedBufferData(shared->buffer, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
  const float zero = 0;
  glClearNamedBufferData(shared->buffer, GL_R32F, GL_RED, GL_FLOAT, &zero);

  // Waits until the buffer is cleared. This avoids a fault that was observed on an H200 with an empty shader cache:
  // without the wait, the zeros were written after the first uploaded values, which were lost.
  glFinish();
  if (!GL_CHECK("creating a vertex buffer")) goto failed;
  if (device == DEVICE_CPU) return true;
  Error cause = { 0 };
  if (interop_register(&shared->resource, shared->buffer, &cause)) {
    shared->method = SHARED_BUFFER_INTEROP;
    return true;
  }
  log_notice(
      "CUDA and OpenGL cannot share the positions of nodes, so the positions are copied through host memory, which is "
      "slower: %s",
      cause.message);
  shared->method = SHARED_BUFFER_STAGED;
  shared->resource = NULL;
  shared->staging = device_alloc_pinned(device, bytes, error);
  if (shared->staging) return true;
failed:
  shared_buffer_destroy(shared);
  return false;
}

void shared_buffer_destroy(SharedBuffer *shared) {
  if (shared->resource) interop_unregister(shared->resource);
  if (shared->staging) device_free_pinned(DEVICE_CUDA, shared->staging);
  if (shared->buffer) glDeleteBuffers(1, &shared->buffer);
  *shared = (SharedBuffer){ 0 };
}

bool shared_buffer_write(SharedBuffer *shared, Stream stream, const void *from, Error *error) {
  switch (shared->method) {
    case SHARED_BUFFER_INTEROP:
      return interop_copy(shared->resource, from, shared->bytes, stream.handle, error);
    case SHARED_BUFFER_STAGED:
      if (!device_download(stream, shared->staging, from, shared->bytes, error) || !stream_sync(stream, error))
        return false;
      from = shared->staging;
      break;
    case SHARED_BUFFER_UPLOAD:
      break;
  }
  glNamedBufferSubData(shared->buffer, 0, (GLsizeiptr)shared->bytes, from);
  return GL_CHECK("filling a vertex buffer");
}

const char *shared_buffer_method(const SharedBuffer *shared) {
  static const char *const names[] = { "upload", "interop", "staged" };
  return names[shared->method];
}
