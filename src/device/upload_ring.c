// Provides page-locked host memory, from which data are copied to the device while the host continues (upload_ring.h).
#include "device/upload_ring.h"

bool upload_ring_create(UploadRing *ring, Device device, size_t bytes, Error *error) {
  *ring = (UploadRing){ .device = device };
  bool ok = true;
  for (int k = 0; ok && k < UPLOAD_BLOCKS; k++) {
    struct UploadBlock *block = &ring->blocks[k];
    block->memory = device_alloc_pinned(device, bytes, error);
    ok = block->memory && event_create(device, &block->copied, error);
  }
  if (!ok) upload_ring_destroy(ring);
  return ok;
}

void upload_ring_destroy(UploadRing *ring) {
  Error unused = { 0 };
  for (int k = 0; k < UPLOAD_BLOCKS; k++) {
    struct UploadBlock *block = &ring->blocks[k];
    event_sync(&block->copied, &unused);
    event_destroy(&block->copied);
    device_free_pinned(ring->device, block->memory);
  }
  *ring = (UploadRing){ 0 };
}

bool upload_ring_begin(UploadRing *ring, void **memory, Error *error) {
  struct UploadBlock *block = &ring->blocks[ring->next];
  *memory = block->memory;
  return event_sync(&block->copied, error);
}

bool upload_ring_end(UploadRing *ring, Stream stream, Error *error) {
  struct UploadBlock *block = &ring->blocks[ring->next];
  ring->next = (ring->next + 1) % UPLOAD_BLOCKS;
  return event_record(&block->copied, stream, error);
}
