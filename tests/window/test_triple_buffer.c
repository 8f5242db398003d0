// Tests the triple buffer, by which one thread passes blocks of data to another, with a writer and a reader in two
// threads. Each block that is read must be complete and not older than the previous one. The reader must also get the
// block that was written last.
#include "../testing.h"

#include <pthread.h>
#include <sched.h>

#include "device/triple_buffer.h"

#ifdef __SANITIZE_THREAD__  // fewer rounds, since this sanitizer detects races even if they rarely change a result
enum { WORDS = 5000, ROUNDS = 3000, CUDA_ROUNDS = 3000 };
#else
enum { WORDS = 5000, ROUNDS = 20000, CUDA_ROUNDS = 3000 };
#endif

typedef struct Writer {
  TripleBuffer *buffer;
  Device device;
  int rounds;
  Error error;
} Writer;

static bool write_all(Writer *w) {
  bool ok = false;
  Stream stream = { 0 };
  int *words = device_alloc_pinned(w->device, WORDS * sizeof *words, &w->error);
  if (!words || !stream_create(w->device, &stream, &w->error)) goto done;
  for (int round = 1; round <= w->rounds; round++) {
    void *memory, *note;
    if (!triple_buffer_write_begin(w->buffer, WORDS * sizeof(int), stream, &memory, &note, &w->error)) goto done;

    // Wait until the upload of the previous round is complete, since `words` must not change before.
    if (w->device == DEVICE_CUDA && !stream_sync(stream, &w->error)) goto done;
    for (int k = 0; k < WORDS; k++) words[k] = round;
    if (!device_upload(stream, memory, words, WORDS * sizeof *words, &w->error)) goto done;
    *(int *)note = round;
    if (!triple_buffer_write_end(w->buffer, stream, &w->error)) goto done;
  }
  ok = stream_sync(stream, &w->error);
done:
  stream_destroy(&stream);
  device_free_pinned(w->device, words);
  return ok;
}

static void *writer_main(void *argument) {
  return write_all(argument) ? argument : NULL;
}

static void reader_sees_whole_blocks_in_order(void **state) {
  (void)state;
  for (Device device = DEVICE_CPU; device <= DEVICE_CUDA; device++) {
    if (!device_present(device)) continue;
    TripleBuffer buffer;
    Error error = { 0 };
    Stream stream;
    MUST(triple_buffer_create(&buffer, device, WORDS * sizeof(int), sizeof(int), &error));
    MUST(stream_create(device, &stream, &error));
    int *words = device_alloc_pinned(device, WORDS * sizeof *words, &error);
    Writer writer = { &buffer, device, device == DEVICE_CPU ? ROUNDS : CUDA_ROUNDS, { .message = "" } };
    pthread_t thread;
    void *finished;
    assert_int_equal(pthread_create(&thread, NULL, writer_main, &writer), 0);
    int last = 0, seen = 0;
    while (last < writer.rounds && !writer.error.message[0]) {
      const void *memory, *note;
      bool fresh;
      MUST(triple_buffer_read_begin(&buffer, stream, &fresh, &memory, &note, &error));
      MUST(device_download(stream, words, memory, WORDS * sizeof *words, &error));
      MUST(triple_buffer_read_end(&buffer, stream, &error));
      MUST(stream_sync(stream, &error));
      const int round = *(const int *)note;
      for (int k = 0; k < WORDS; k++)
        if (words[k] != round) fail_msg("word %d belongs to round %d, but the note to round %d", k, words[k], round);
      if (fresh ? round <= last : round != last)
        fail_msg("%s data belong to round %d, after data of round %d", fresh ? "new" : "unchanged", round, last);
      seen += fresh;
      last = round;
      if (!fresh) sched_yield();
    }
    pthread_join(thread, &finished);
    if (!(finished != NULL)) fail_msg("%s", writer.error.message);
    assert_int_equal(last, writer.rounds);
    assert_true(seen > 0);
    device_free_pinned(device, words);
    stream_destroy(&stream);
    triple_buffer_destroy(&buffer);
  }
}

static void a_writer_alone_never_waits(void **state) {
  (void)state;
  TripleBuffer buffer;
  Error error = { 0 };
  MUST(triple_buffer_create(&buffer, DEVICE_CPU, 0, sizeof(int), &error));
  const Stream stream = { .device = DEVICE_CPU };
  for (int round = 1; round <= 100; round++) {
    void *memory, *note;
    MUST(triple_buffer_write_begin(&buffer, 0, stream, &memory, &note, &error));
    *(int *)note = round;
    MUST(triple_buffer_write_end(&buffer, stream, &error));
  }
  const void *memory, *note;
  bool fresh;
  for (int k = 0; k < 2; k++) {  // reads the newest block, then the same block again, which is not fresh
    MUST(triple_buffer_read_begin(&buffer, stream, &fresh, &memory, &note, &error));
    assert_int_equal(fresh, k == 0);
    assert_int_equal(*(const int *)note, 100);
    MUST(triple_buffer_read_end(&buffer, stream, &error));
  }
  triple_buffer_destroy(&buffer);
  triple_buffer_destroy(&buffer);  // a second call must have no effect
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reader_sees_whole_blocks_in_order),
    cmocka_unit_test(a_writer_alone_never_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
