// Passes the newest block of device memory from one thread to another through three slots: see triple_buffer.h.
#include "device/triple_buffer.h"

#include <stdlib.h>

#include "base/array.h"

enum { INDEX_MASK = 3, UNSEEN = 4 };

bool triple_buffer_create(TripleBuffer *buffer, Device device, size_t bytes, size_t note_bytes, Error *error) {
  *buffer = (TripleBuffer){ .front = 0, .back = 2 };
  atomic_init(&buffer->shared, 1);
  for (int k = 0; k < 3; k++) {
    TripleSlot *slot = &buffer->slots[k];
    slot->written.device = slot->copied.device = device;
    slot->memory = device_alloc(device, bytes, error);
    slot->bytes = bytes;
    slot->note = array_new((int64_t)note_bytes, 1, "data of drawn frames", error);
    if (slot->memory && slot->note && event_create(device, &slot->written, error) &&
        event_create(device, &slot->copied, error))
      continue;
    triple_buffer_destroy(buffer);
    return false;
  }
  return true;
}

void triple_buffer_destroy(TripleBuffer *buffer) {
  for (int k = 0; k < 3; k++) {
    TripleSlot *slot = &buffer->slots[k];
    if (slot->memory) device_free(slot->written.device, slot->memory);
    free(slot->note);
    event_destroy(&slot->written);
    event_destroy(&slot->copied);
    *slot = (TripleSlot){ 0 };
  }
}

// Gives a slot at least `bytes` bytes of memory. The reader must have released the slot. Before the old memory is
// freed, the function waits for queued copies from this memory.
static bool widen(TripleSlot *slot, size_t bytes, Stream stream, Error *error) {
  const Device device = slot->written.device;
  if (bytes <= slot->bytes) return true;
  void *wider = device_alloc(device, bytes, error);
  if (!wider) return false;
  if (!event_wait(stream, &slot->copied, error) || !stream_sync(stream, error)) {
    device_free(device, wider);
    return false;
  }
  device_free(device, slot->memory);
  slot->memory = wider;
  slot->bytes = bytes;
  return true;
}

bool triple_buffer_write_begin(TripleBuffer *buffer, size_t bytes, Stream stream, void **memory, void **note,
                               Error *error) {
  TripleSlot *slot = &buffer->slots[buffer->back];
  if (!widen(slot, bytes, stream, error)) return false;
  *memory = slot->memory;
  *note = slot->note;
  return event_wait(stream, &slot->copied, error);  // an event that was never recorded causes no wait
}

bool triple_buffer_write_end(TripleBuffer *buffer, Stream stream, Error *error) {
  if (!event_record(&buffer->slots[buffer->back].written, stream, error)) return false;
  // Exchange the filled slot for the shared slot, which becomes the writer's. Release makes this thread's writes
  // visible to the reader. Acquire makes the event visible that the reader has recorded in the writer's new slot.
  const unsigned old = atomic_exchange_explicit(&buffer->shared, buffer->back | UNSEEN, memory_order_acq_rel);
  buffer->back = old & INDEX_MASK;
  return true;
}

bool triple_buffer_read_begin(TripleBuffer *buffer, Stream stream, bool *fresh, const void **memory, const void **note,
                              Error *error) {
  *fresh = atomic_load_explicit(&buffer->shared, memory_order_relaxed) & UNSEEN;
  if (*fresh)
    buffer->front = atomic_exchange_explicit(&buffer->shared, buffer->front, memory_order_acq_rel) & INDEX_MASK;
  TripleSlot *slot = &buffer->slots[buffer->front];
  *memory = slot->memory;
  *note = slot->note;
  return event_wait(stream, &slot->written, error);
}

bool triple_buffer_read_end(TripleBuffer *buffer, Stream stream, Error *error) {
  return event_record(&buffer->slots[buffer->front].copied, stream, error);
}
