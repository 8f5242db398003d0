// Linked into a second copy of the program with --wrap: of the allocations that Pliant's own code asks for, number
// $PLIANT_FAIL_AT fails, and at the end $PLIANT_COUNT_FILE says how many there were.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);

static atomic_long asked, fail_at;

static void tell(void) {
  FILE *file = fopen(getenv("PLIANT_COUNT_FILE"), "w");
  if (!file) return;
  fprintf(file, "%ld\n", atomic_load(&asked));
  fclose(file);
}

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("PLIANT_FAIL_AT");
  fail_at = at ? strtol(at, NULL, 10) : 0;
  if (getenv("PLIANT_COUNT_FILE")) atexit(tell);
}

static int fails(void) {
  return atomic_fetch_add(&asked, 1) + 1 == atomic_load(&fail_at);
}

void *__wrap_malloc(size_t size) {
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
  return fails() ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __real_aligned_alloc(alignment, size);
}
