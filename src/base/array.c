// Allocates, enlarges and copies arrays (array.h).
#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *array_new(int64_t count, size_t size, const char *what, Error *error) {
  void *items = NULL;
  if (count >= 0 && (uint64_t)count <= SIZE_MAX / size) items = calloc(count ? (size_t)count : 1, size);
  if (!items)
    error_set(
        error,
        "out of memory: cannot store %lld entries (%s) of %zu bytes each; close other programs or use a coarser mesh",
        (long long)count, what, size);
  return items;
}

void *array_capacity(int64_t count, size_t size, const char *what, Error *error) {
  void *items = NULL;
  if (count >= 0 && (uint64_t)count <= SIZE_MAX / size) items = malloc(count ? (size_t)count * size : 1);
  if (!items)
    error_set(
        error,
        "out of memory: cannot store %lld entries (%s) of %zu bytes each; close other programs or use a coarser mesh",
        (long long)count, what, size);
  return items;
}

void *array_copy(const void *from, int64_t count, size_t size, const char *what, Error *error) {
  void *items = array_capacity(count, size, what, error);
  if (items && count > 0) memcpy(items, from, (size_t)count * size);
  return items;
}

void *sparse_new(size_t size, const char *what, Error *error) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) return memory;
  error_set(error, "out of memory: cannot store %s; close other programs", what);
  return NULL;
}

void sparse_free(void *memory, size_t size) {
  if (memory) munmap(memory, size);
}

void sparse_copy(void *to, const void *from, size_t size) {
  enum { BLOCK = 4096 };
  for (size_t at = 0; at < size; at += BLOCK) {
    const size_t bytes = size - at < BLOCK ? size - at : BLOCK;
    if (memcmp((char *)to + at, (const char *)from + at, bytes) != 0)
      memcpy((char *)to + at, (const char *)from + at, bytes);
  }
}

bool array_reserve(void **items, int64_t *capacity, int64_t needed, size_t size, const char *what, Error *error) {
  if (needed <= *capacity) return true;
  int64_t grown = *capacity < 512 ? 1024 : *capacity * 2;
  if (grown < needed) grown = needed;
  void *moved = (uint64_t)grown <= SIZE_MAX / size ? realloc(*items, (size_t)grown * size) : NULL;
  if (!moved)
    return error_set(
        error,
        "out of memory: cannot store %lld entries (%s) of %zu bytes each; close other programs or use a coarser mesh",
        (long long)grown, what, size);
  *items = moved;
  *capacity = grown;
  return true;
}

bool array_grow(void *items, int64_t before, int64_t count, size_t size, const char *what, Error *error) {
  char *now;
  memcpy(&now, items, sizeof now);
  if (count <= before) return true;
  char *moved = (uint64_t)count <= SIZE_MAX / size ? realloc(now, (size_t)count * size) : NULL;
  if (!moved)
    return error_set(
        error,
        "out of memory: cannot store %lld entries (%s) of %zu bytes each; close other programs or use a coarser mesh",
        (long long)count, what, size);
  memset(moved + (size_t)before * size, 0, (size_t)(count - before) * size);
  memcpy(items, &moved, sizeof moved);
  return true;
}
