// Page-locked host memory from which data are copied to the device while the host continues. The device may read a
// block long after the call that queued the copy. So the next copy uses another block, and the host fills a block again
// only after the last copy from it is done. With two blocks the host waits only if it is two copies ahead of the
// device.
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
    Event copied;  // recorded after the last copy from it
  } blocks[UPLOAD_BLOCKS];
  Device device;
  unsigned next;
} UploadRing;

/// Allocates blocks of [bytes] of host memory each.
bool upload_ring_create(UploadRing *ring, Device device, size_t bytes, Error *error);

/// Waits for the copies that are in flight, and frees the memory.
void upload_ring_destroy(UploadRing *ring);

/// Returns the next block, which the host then fills; its contents are undefined. Waits until the last copy from this
/// block is done.
bool upload_ring_begin(UploadRing *ring, void **memory, Error *error);

/// Must be called when all copies from the block are queued on `stream`.
bool upload_ring_end(UploadRing *ring, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
