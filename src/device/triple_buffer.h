// Passes the newest block of device memory from one thread (the writer) to another (the reader), without a wait of
// either thread. Of three slots, the writer fills the back slot, the reader reads the front slot, and the shared slot
// is the newest that the writer has finished.
//
//        write_begin .. write_end                read_begin .. read_end
//   writer: [back slot] --- atomic exchange --- [shared slot] --- atomic exchange --- [front slot] :reader
//
// On a GPU, the work that fills or reads a slot may still be queued when slots are exchanged. Two events per slot keep
// the order: the reader's stream waits for `written`, the writer's stream for `copied`. On the CPU the work is complete
// before the exchange, and the events do nothing.
#pragma once
#include <stdatomic.h>

#include "device/device.h"

// One of the three slots: a block of memory, and a note in host memory that belongs to it.
typedef struct TripleSlot {
  void *memory;  // [bytes] on the device, owned
  size_t bytes;
  void *note;     // [note_bytes] on the host, owned
  Event written;  // event that the writer records after it has filled `memory`
  Event copied;   // event that the reader records after the work that reads `memory`
} TripleSlot;

// The three slots, for one thread that writes and one that reads; a zeroed TripleBuffer is empty.
typedef struct TripleBuffer {
  TripleSlot slots[3];
  _Atomic unsigned shared;  // index of the shared slot, plus 4 from triple_buffer_write_end until the reader fetches it
  unsigned back, front;     // index of the writer's slot, and of the reader's slot
} TripleBuffer;

/// Allocates three zeroed slots with `bytes` on the device and a note of `note_bytes` in host memory.
bool triple_buffer_create(TripleBuffer *buffer, Device device, size_t bytes, size_t note_bytes, Error *error);

/// Destroys the buffer. The threads of the writer and the reader, and their streams, must have stopped.
void triple_buffer_destroy(TripleBuffer *buffer);

/// Returns the writer's slot: *memory has at least `bytes` on the device, and *note is the slot's note in host memory.
/// Work on `stream` then fills the memory, and the host fills the note. On return the memory has undefined contents.
/// The note has the content that was last written to this slot, or zeros.
bool triple_buffer_write_begin(TripleBuffer *buffer, size_t bytes, Stream stream, void **memory, void **note,
                               Error *error);

/// Publishes the slot that the writer has filled: it becomes the shared slot. The slot that was shared before returns
/// to the writer, even if the reader has not fetched it.
bool triple_buffer_write_end(TripleBuffer *buffer, Stream stream, Error *error);

/// Finds the newest published slot, for work on `stream`. *memory and *note get its memory on the device and its note
/// in host memory. *fresh is true if the slot was published since the previous call. Before the first
/// triple_buffer_write_end, *fresh is false, and memory and note are zeros.
bool triple_buffer_read_begin(TripleBuffer *buffer, Stream stream, bool *fresh, const void **memory, const void **note,
                              Error *error);

/// Ends a read. Before this call, the work that reads the slot must be queued on `stream`. The host can read the slot's
/// note, its data in host memory, until the next triple_buffer_read_begin.
bool triple_buffer_read_end(TripleBuffer *buffer, Stream stream, Error *error);
