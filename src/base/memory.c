// Finds the amount of free memory, and tests if an allocation fits into it (memory.h).
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/environment.h"

// Returns the number in a file; -1 on failure.
static long long number_in(const char *path) {
  long long value = -1;
  FILE *file = fopen(path, "r");
  if (file && fscanf(file, "%lld", &value) != 1) value = -1;
  if (file) fclose(file);
  return value;
}

size_t memory_of_host(void) {
  char line[128];
  long long kib = 0;
  FILE *file = fopen("/proc/meminfo", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1) break;
  if (file) fclose(file);
  size_t available = (size_t)kib << 10;
  const long long maximum = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (maximum > 0 && used >= 0 && (available == 0 || (size_t)(maximum - used) < available))
    available = maximum > used ? (size_t)(maximum - used) : 1;
  return available;
}

size_t memory_peak(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss << 10 : 0;
}

void memory_large_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t page = 2 << 20, begin = ((uintptr_t)memory + page - 1) / page * page;
  const uintptr_t end = ((uintptr_t)memory + bytes) / page * page;
  if (memory && end > begin) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

size_t memory_bound(size_t available) {
  const char *bound = environment_value("PLIANT_MEMORY_MIB");
  const size_t maximum = bound ? (size_t)strtoull(bound, NULL, 10) << 20 : 0;
  return maximum && (available == 0 || maximum < available) ? maximum : available;
}

bool memory_bound_check(Error *error) {
  const char *bound = environment_value("PLIANT_MEMORY_MIB");
  const size_t digits = bound ? strspn(bound, "0123456789") : 0;
  if (!bound || (digits > 0 && digits < 14 && !bound[digits] && strtoull(bound, NULL, 10) > 0)) return true;
  return error_set(error,
                   "the environment variable PLIANT_MEMORY_MIB is \"%s\", expected a whole number of MiB, more than 0",
                   bound);
}

bool memory_holds(double bytes, const char *what, Error *error) {
  const double available = (double)memory_bound(memory_of_host());
  return available == 0 || bytes <= 0.95 * available ||
         error_set(error,
                   "not enough memory on the host: %s needs about %.1f MiB, but only %.1f MiB are free; close other "
                   "programs or use a coarser mesh",
                   what, bytes / 1048576, available / 1048576);
}
