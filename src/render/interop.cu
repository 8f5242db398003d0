// Shares OpenGL buffers with CUDA: see interop.h. CUDA maps a buffer, copies data into it and unmaps it. The GPU starts
// OpenGL commands that follow the unmapping only when the copy is complete. So the CPU does not wait for the copy.
#include "render/interop.h"

#include <cuda_gl_interop.h>

#include "device/cuda_try.h"
#include "device/device.h"

extern "C" {

bool interop_register(void **resource, unsigned buffer, Error *error) {
  // First test if OpenGL runs on CUDA's GPU: registering a buffer of another vendor's driver may fail in an undefined
  // way.
  unsigned count = 0;
  int devices[16];
  cudaError_t status = cudaGLGetDevices(&count, devices, 16, cudaGLDeviceListAll);
  if (status != cudaSuccess) {
    cudaGetLastError();  // clears CUDA's last error, so that later calls do not report it; `status` still stores it
    return error_set(error, "OpenGL does not run on the GPU that CUDA uses (%s)", cudaGetErrorString(status));
  }
  bool same = false;
  for (unsigned k = 0; k < count && k < 16; k++) same = same || devices[k] == device_gpu();
  if (!same) return error_set(error, "OpenGL and CUDA use different GPUs");
  status =
      cudaGraphicsGLRegisterBuffer((cudaGraphicsResource_t *)resource, buffer, cudaGraphicsRegisterFlagsWriteDiscard);
  if (status == cudaSuccess) return true;
  cudaGetLastError();
  return error_set(error, "CUDA cannot share OpenGL's buffer: %s", cudaGetErrorString(status));
}

void interop_unregister(void *resource) {
  if (resource) cudaGraphicsUnregisterResource((cudaGraphicsResource_t)resource);
}

bool interop_copy(void *resource, const void *from, size_t bytes, void *stream, Error *error) {
  cudaGraphicsResource_t mapped = (cudaGraphicsResource_t)resource;
  void *to = NULL;
  size_t capacity = 0;
  CUDA_TRY(cudaGraphicsMapResources(1, &mapped, (cudaStream_t)stream));
  CUDA_TRY(cudaGraphicsResourceGetMappedPointer(&to, &capacity, mapped));
  if (capacity < bytes)
    return error_set(error, "the buffer that OpenGL and CUDA share has %zu bytes, but %zu are needed", capacity, bytes);
  CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream));
  CUDA_TRY(cudaGraphicsUnmapResources(1, &mapped, (cudaStream_t)stream));
  return true;
}

}  // extern "C"
