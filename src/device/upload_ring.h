// Page-locked host memory from which data are copied to the device while the host continues. The device may read a
// block long after the call that has queued its copy. So the next copy uses another block, and the host fills a block
// again when the last copy from it is done. With two blocks, the host waits only if it is two copies ahead of the
// device.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { UPLOAD_BLOCKS = 2 };

// Blocks of page-locked host memory, used in turn. A zeroed UploadRing is empty.
typedef struct UploadRing {
  struct UploadBlock {
    void *memory;  // [bytes], page-locked for CUDA; owned
    Event copied;  // event that is recorded after the last copy from the block to the device
  } blocks[UPLOAD_BLOCKS];
  Device device;
  unsigned next;
} UploadRing;

/// Allocates the blocks, each of `bytes` of host memory.
bool upload_ring_create(UploadRing *ring, Device device, size_t bytes, Error *error);

/// Waits for copies that are not done, and frees the memory.
void upload_ring_destroy(UploadRing *ring);

/// Returns the next block, which the caller then fills; its contents are undefined. Waits until the last copy from it
/// is done.
bool upload_ring_begin(UploadRing *ring, void **memory, Error *error);

/// Ends the use of the block that upload_ring_begin has returned. All copies from it must have been queued on `stream`
/// before.
bool upload_ring_end(UploadRing *ring, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
