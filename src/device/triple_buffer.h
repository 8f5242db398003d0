// Hands the newest block of device memory from one thread to another, and neither ever waits for the other on the host:
// the writer fills one of three slots while the reader holds another, and the third is the newest finished one.
//
//        write_begin .. write_end                read_begin .. read_end
//   writer: [back slot] --- atomic exchange --- [shared slot] --- atomic exchange --- [front slot] :reader
//
// On CUDA a slot changes hands while its work is only queued. Its two events keep the order on the device: the reader's
// stream waits for `written`, the writer's for `copied`. On the CPU the work is done by then, and the events do
// nothing.
#pragma once
#include <stdatomic.h>

#include "device/device.h"

typedef struct TripleSlot {
  void *memory;  // [bytes] on the device, owned
  size_t bytes;
  void *note;     // [note_bytes] on the host, owned
  Event written;  // recorded by the writer after filling `memory`
  Event copied;   // recorded by the reader after taking what it needs
} TripleSlot;

// A zeroed TripleBuffer is empty. One thread writes, one reads.
typedef struct TripleBuffer {
  TripleSlot slots[3];
  _Atomic unsigned shared;  // index of the slot between the two, plus a flag when the reader has not seen it
  unsigned back, front;     // the writer's slot, the reader's slot
} TripleBuffer;

/// Three slots of [bytes] on the device, each with [note_bytes] of ordinary host memory that travels along; all zero.
bool triple_buffer_create(TripleBuffer *buffer, Device device, size_t bytes, size_t note_bytes, Error *error);

/// Both threads must have stopped, and their streams too.
void triple_buffer_destroy(TripleBuffer *buffer);

/// The writer's slot, with room for `bytes`, to be filled by work on `stream` and by the host (`note`). Its old
/// contents are of no use, but the note's are those that were written into it last, or zero.
bool triple_buffer_write_begin(TripleBuffer *buffer, size_t bytes, Stream stream, void **memory, void **note,
                               Error *error);

/// Publishes the slot: it replaces one that the reader has not taken.
bool triple_buffer_write_end(TripleBuffer *buffer, Stream stream, Error *error);

/// The newest published slot, for work on `stream`; the one of last time when there is no newer (`fresh` says which).
bool triple_buffer_read_begin(TripleBuffer *buffer, Stream stream, bool *fresh, const void **memory, const void **note,
                              Error *error);

/// To be called when the work that reads the slot is queued on `stream`. The host's part, `note`, stays readable until
/// the next triple_buffer_read_begin.
bool triple_buffer_read_end(TripleBuffer *buffer, Stream stream, Error *error);
