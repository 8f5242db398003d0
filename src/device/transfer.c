// Copies a vector from the device of the stage that writes it to the device of the stage that reads it (transfer.h).
#include "device/transfer.h"

#include <string.h>

// Allocates, on `device`, the second array of a transfer; the caller has provided the first. On the host the array is
// page-locked, so that copies reach the full speed of the bus.
static void *make(Transfer *t, Device device, Error *error) {
  if (device == DEVICE_CUDA) return t->made = device_alloc(device, t->bytes, error);
  t->made = device_alloc_pinned(DEVICE_CUDA, t->bytes, error);
  return t->made ? memset(t->made, 0, t->bytes) : NULL;
}

bool transfer_from(Transfer *t, Device from_device, void *from, Device to_device, size_t bytes, Error *error) {
  *t = (Transfer){ .from_device = from_device, .to_device = to_device, .from = from, .bytes = bytes };
  t->to = from_device == to_device ? from : make(t, to_device, error);
  return t->to;
}

bool transfer_to(Transfer *t, Device from_device, Device to_device, void *to, size_t bytes, Error *error) {
  *t = (Transfer){ .from_device = from_device, .to_device = to_device, .to = to, .bytes = bytes };
  t->from = from_device == to_device ? to : make(t, from_device, error);
  return t->from;
}

void transfer_destroy(Transfer *t) {
  if (t->made && t->made == (t->from_device == DEVICE_CUDA ? t->from : t->to))
    device_free(DEVICE_CUDA, t->made);
  else if (t->made)
    device_free_pinned(DEVICE_CUDA, t->made);
  *t = (Transfer){ 0 };
}

bool transfer_pass(const Transfer *t, Stream cuda, StageClock *clock, Error *error) {
  int span;
  if (t->from == t->to) return true;
  if (!stage_begin(clock, TIMED_TRANSFER, cuda, &span, error)) return false;
  if (!device_copy(cuda, t->to, t->from, t->bytes, error)) return false;
  if (!stage_end(clock, span, cuda, error)) return false;
  return stream_sync(cuda, error);
}
