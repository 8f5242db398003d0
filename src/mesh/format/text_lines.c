// Reads lines in parallel: see text_lines.h. A first pass finds the line ends, and stores the beginning of each chunk
// of CHUNK lines. Then each parallel task reads one chunk.
#include "mesh/format/text_lines.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/parallel.h"

enum { CHUNK = 1024, LEAST = 4 * CHUNK };

// Arguments of the parallel loop over chunks of lines. `read` is called with `context` for each line. *failed becomes
// true if `read` fails.
typedef struct Task {
  const Text *text;    // the file; its reading position is at the beginning of the first line to read
  const char **chunk;  // [chunks], the beginning of each chunk's first line
  TextLine read;
  const void *context;
  atomic_bool *failed;
} Task;

static void read_chunk(const void *task, int first, int last) {
  const Task *t = task;
  Error error = { 0 };
  Text line = *t->text;
  line.at = t->chunk[first / CHUNK];
  for (int k = first; k < last; k++) {
    if (interrupt_requested() || atomic_load_explicit(t->failed, memory_order_relaxed)) break;
    line.line = t->text->line + 1 + k;
    if (!t->read(t->context, k, &line, &error) || !text_line_over(&line)) break;
    if (k + 1 == last) return;
    line.at++;  // skip the end of the line
  }
  atomic_store_explicit(t->failed, true, memory_order_relaxed);
}

bool text_lines(Text *text, int count, TextLine read, const void *context) {
  if (count < LEAST || parallel_threads() == 1) return false;
  const int chunks = (count + CHUNK - 1) / CHUNK;
  const char **chunk = malloc(sizeof *chunk * (size_t)chunks), *end = NULL;
  Text start = *text;
  bool ok = chunk && text_line_over(&start) && start.at < start.end;
  const char *at = start.at;  // end of the line before the next line
  for (int k = 0; ok && k < count; k++) {
    if (k % CHUNK == 0) chunk[k / CHUNK] = at + 1;
    end = at + 1 < start.end ? memchr(at + 1, '\n', (size_t)(start.end - at - 1)) : NULL;
    ok = end || (k + 1 == count && at + 1 < start.end);
    at = end ? end : start.end;
  }

  if (ok) {
    atomic_bool failed = false;
    parallel_for(count, CHUNK, read_chunk, &(Task){ &start, chunk, read, context, &failed });
    ok = !failed;
  }
  if (ok) {
    text->at = at;
    text->line = start.line + count;
  }
  free(chunk);
  return ok;
}

bool text_each_line(Text *text, int count, const char *what, TextLine read, const void *context, Error *error) {
  if (text_lines(text, count, read, context)) return true;
  for (int k = 0; k < count; k++)
    if (!text_next_line(text, what, error) || !read(context, k, text, error)) return false;
  return true;
}
