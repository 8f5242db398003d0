// Page-locked host memory for copies to the device for which the host does not wait. A copy may read its block long
// after the call that queued it, so the next one uses another block, and a block is filled again only after its last
// copy is done. With two blocks the host waits only when it is two copies ahead of the device.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { UPLOAD_BLOCKS = 2 };

// A zeroed UploadRing is empty.
typedef struct UploadRing {
  struct UploadBlock {
    void *memory;  // [bytes], page-locked for CUDA; owned
    Event copied;  // recorded behind the last copy from it
  } blocks[UPLOAD_BLOCKS];
  Device device;
  unsigned next;
} UploadRing;

/// Blocks of [bytes] host memory each.
bool upload_ring_create(UploadRing *ring, Device device, size_t bytes, Error *error);

/// Waits for the copies that are under way.
void upload_ring_destroy(UploadRing *ring);

/// The next block, to be filled by the host; its old contents are of no use. Waits until its last copy is done.
bool upload_ring_begin(UploadRing *ring, void **memory, Error *error);

/// To be called when all copies from the block are queued on `stream`.
bool upload_ring_end(UploadRing *ring, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
