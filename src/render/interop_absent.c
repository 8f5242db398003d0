// Replaces interop.cu in a build without CUDA. interop_register always fails, so the other functions are never called.
#include "render/interop.h"

bool interop_register(void **resource, unsigned buffer, Error *error) {
  (void)resource, (void)buffer;
  return error_set(error, "this build has no CUDA");
}
void interop_unregister(void *resource) {
  (void)resource;
}
bool interop_copy(void *resource, const void *from, size_t bytes, void *stream, Error *error) {
  (void)resource, (void)from, (void)bytes, (void)stream;
  return error_set(error, "this build has no CUDA");
}
