// Opens streams that write to memory (memory_stream.h).
#define _GNU_SOURCE  // fopencookie
#include "base/memory_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct Memory {
  char **bytes;
  size_t *size, capacity;
  bool lost;  // true: memory ran out, and bytes are missing
} Memory;

static bool has_capacity(Memory *m, size_t more) {
  const size_t needed = *m->size + more + 1;
  if (needed <= m->capacity) return true;
  const size_t grown = needed > 2 * m->capacity ? needed : 2 * m->capacity;
  char *moved = needed > more ? realloc(*m->bytes, grown) : NULL;
  if (!moved) return false;
  *m->bytes = moved;
  m->capacity = grown;
  return true;
}

static ssize_t take(void *cookie, const char *from, size_t count) {
  Memory *m = cookie;
  if (m->lost || !has_capacity(m, count)) {
    m->lost = true;
    return 0;
  }
  memcpy(*m->bytes + *m->size, from, count);
  *m->size += count;
  return (ssize_t)count;
}

// Drops the written bytes, for rewind. Other seeks fail.
static int seek(void *cookie, off64_t *offset, int whence) {
  Memory *m = cookie;
  if (whence != SEEK_SET || *offset != 0) return -1;
  *m->size = 0;
  return 0;
}

static int end(void *cookie) {
  Memory *m = cookie;
  const bool good = !m->lost && has_capacity(m, 0);
  if (good) (*m->bytes)[*m->size] = '\0';
  free(m);
  return good ? 0 : EOF;
}

FILE *memory_stream(char **bytes, size_t *size) {
  Memory *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  *bytes = NULL;
  *size = 0;
  m->bytes = bytes;
  m->size = size;
  FILE *file = fopencookie(m, "wb", (cookie_io_functions_t){ .write = take, .seek = seek, .close = end });
  if (!file) free(m);
  return file;
}
