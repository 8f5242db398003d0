// Implements failing.h: makes chosen allocations fail. Two environment variables control a program that is linked with
// this file. Allocation number $PLIANT_FAIL_AT (from 1) fails. The file $PLIANT_TRACE_FILE gets one line per
// allocation: a hash of its call stack, and the call's address in the program, both hexadecimal.
#include "failing.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_MAX = 64 };

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
extern const char __executable_start;

static atomic_long asked, fail_at;
static FILE *trace;

void failing_begin(long at) {
  atomic_store(&asked, 0);
  atomic_store(&fail_at, at);
}

long failing_end(void) {
  atomic_store(&fail_at, 0);
  return atomic_load(&asked);
}

static unsigned long long offset_of(const void *address) {
  return (unsigned long long)((const char *)address - &__executable_start);
}

// Writes a line of the trace for an allocation. Addresses are relative to the program's load address, so that they are
// equal in all runs. Recursive calls enter the hash only once.
static void write_trace(const void *caller) {
  void *frame[DEPTH_MAX];
  const int depth = backtrace(frame, DEPTH_MAX);
  unsigned long long hash = 0xcbf29ce484222325, last = 0;
  for (int k = 1; k < depth; k++) {
    const unsigned long long at = offset_of(frame[k]);
    if (at < 1ULL << 32 && at != last) {
      hash = (hash ^ at) * 0x100000001b3;
      last = at;
    }
  }
  fprintf(trace, "%016llx %llx\n", hash, offset_of(caller));
}

static void close_trace(void) {
  fclose(trace);
  trace = NULL;  // exit handlers that run later may allocate, which is not traced
}

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("PLIANT_FAIL_AT"), *path = getenv("PLIANT_TRACE_FILE");
  failing_begin(at ? strtol(at, NULL, 10) : 0);
  trace = path ? fopen(path, "w") : NULL;
  if (trace) atexit(close_trace);
}

static int fails(const void *caller) {
  if (trace) write_trace(caller);
  return atomic_fetch_add(&asked, 1) + 1 == atomic_load(&fail_at);
}

void *__wrap_malloc(size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __real_aligned_alloc(alignment, size);
}
