// Frees the memory for the steps of many bodies (worlds.h).
#include "sim/worlds/worlds.h"

void worlds_destroy(Worlds *worlds) {
  device_free_pinned(DEVICE_CUDA, worlds->host);
  device_free(DEVICE_CUDA, worlds->device);
  device_free_pinned(DEVICE_CUDA, worlds->progress);
  device_free_pinned(DEVICE_CUDA, worlds->result);
  stream_destroy(&worlds->stream);
  event_destroy(&worlds->copied);
  *worlds = (Worlds){ 0 };
}
