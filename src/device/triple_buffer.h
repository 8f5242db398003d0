// Passes the newest block of device memory from one thread (the writer) to another (the reader). Neither thread waits
// for the other. There are three slots. The writer fills the back slot. The reader reads the front slot. The shared
// slot is the newest one that the writer has finished.
//
//        write_begin .. write_end                read_begin .. read_end
//   writer: [back slot] --- atomic exchange --- [shared slot] --- atomic exchange --- [front slot] :reader
//
// On CUDA the work that fills or reads a slot may still be queued when the slots are exchanged. Two events of each slot
// keep the order on the device: the reader's stream waits for `written`, the writer's stream for `copied`. On the CPU
// the work is complete before the exchange, and the events do nothing.
#pragma once
#include <stdatomic.h>

#include "device/device.h"

typedef struct TripleSlot {
  void *memory;  // [bytes] on the device, owned
  size_t bytes;
  void *note;     // [note_bytes] on the host, owned
  Event written;  // recorded by the writer after filling `memory`
  Event copied;   // recorded by the reader after its copies
} TripleSlot;

// A zeroed TripleBuffer is empty. One thread writes, and one other thread reads.
typedef struct TripleBuffer {
  TripleSlot slots[3];
  _Atomic unsigned shared;  // index of the shared slot, plus a flag bit (UNSEEN) as long as the reader has not fetched
                            // this slot
  unsigned back, front;     // back: index of the writer's slot; front: index of the reader's slot
} TripleBuffer;

/// Allocates three slots of [bytes] on the device, each with a note of [note_bytes] in ordinary host memory; all zero.
bool triple_buffer_create(TripleBuffer *buffer, Device device, size_t bytes, size_t note_bytes, Error *error);

/// Destroys the buffer. Both threads and their streams must have stopped.
void triple_buffer_destroy(TripleBuffer *buffer);

/// Returns the writer's slot, with capacity for `bytes`, and its `note`. Work on `stream` then fills the slot, and the
/// host fills the note. At this call the contents of the slot are undefined; the note holds the data that were last
/// written to it, or zeros.
bool triple_buffer_write_begin(TripleBuffer *buffer, size_t bytes, Stream stream, void **memory, void **note,
                               Error *error);

/// Publishes the slot. It replaces a published slot that the reader has not yet fetched.
bool triple_buffer_write_end(TripleBuffer *buffer, Stream stream, Error *error);

/// Returns the newest published slot, for work on `stream`. *fresh is false if the last call returned the same slot.
bool triple_buffer_read_begin(TripleBuffer *buffer, Stream stream, bool *fresh, const void **memory, const void **note,
                              Error *error);

/// Must be called when the work that reads the slot is queued on `stream`. The host can read `note` until the next
/// triple_buffer_read_begin.
bool triple_buffer_read_end(TripleBuffer *buffer, Stream stream, Error *error);
