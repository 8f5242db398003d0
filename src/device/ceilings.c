// Measures the limits of the CPU, and computes rates and times from the limits of a device (ceilings.h). ceilings.cu
// measures the limits of the GPU.
#include "device/ceilings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "device/ceilings_parts.h"

enum {
  SMALLEST = 1 << 18,  // bytes, size of the smallest arrays
  LARGEST_CPU = 1 << 29,
  LARGEST_CUDA = 1 << 30,
  REPEATS = 5,             // number of runs of each measurement, of which the fastest counts
  PASSED_BYTES = 1 << 27,  // a run repeats smaller arrays up to this number of bytes, which takes some milliseconds
  LOOPS = 200,             // number of empty loops that are timed together
  BATCHES = 10,
};

// A cache line of 64 bytes as four vectors of 16 bytes. Every processor has registers of 16 bytes; on processors
// without larger registers, the compiler would keep wider vectors in memory.
typedef uint64_t Words __attribute__((vector_size(16)));
typedef struct Line {
  Words part[4];
} Line;

// A measurement: threads read or copy an array `rounds` times, each thread its part of the array.
typedef struct Pass {
  Line *from, *to;  // [lines]; `to` is NULL if `from` is only read
  int64_t lines;    // number of cache lines of each array
  int threads, rounds;
  Line *sum;  // [threads], sums of the lines; they keep the compiler from removing the reads
} Pass;

static void pass_over(const void *pass, int first, int last) {
  const Pass *p = pass;
  for (int k = first; k < last; k++) {
    const int64_t begin = p->lines * k / p->threads, end = p->lines * (k + 1) / p->threads;
    Line sum = { 0 };  // four independent sums, so that none waits for another
    for (int round = 0; round < p->rounds; round++) {
      if (p->to) {
        memcpy(p->to + begin, p->from + begin, (size_t)(end - begin) * sizeof *p->to);
        continue;
      }
      for (const Line *line = p->from + begin; line < p->from + end; line++) {
        sum.part[0] += line->part[0];
        sum.part[1] += line->part[1];
        sum.part[2] += line->part[2];
        sum.part[3] += line->part[3];
      }
      __asm__ volatile("" ::: "memory");  // makes the compiler read the array again in each round
    }
    p->sum[k] = sum;
  }
}

// Returns the rate, bytes/s, at which `threads` threads read or copy arrays of `bytes` bytes in total.
static double rate_of(const Pass *arrays, double bytes, int threads, bool copies) {
  double quickest = HUGE_VAL;
  Pass pass = *arrays;
  pass.lines = (int64_t)(bytes / sizeof(Line)) / (copies ? 2 : 1);
  pass.threads = threads;
  pass.rounds = bytes < PASSED_BYTES ? (int)(PASSED_BYTES / bytes) : 1;
  if (!copies) pass.to = NULL;
  for (int k = 0; k < REPEATS && !interrupt_requested(); k++) {
    const double start = timer_seconds();
    parallel_for(threads, 1, pass_over, &pass);
    quickest = fmin(quickest, timer_seconds() - start);
  }
  return pass.rounds * (double)pass.lines * sizeof(Line) * (copies ? 2 : 1) / quickest;
}

static void nothing(const void *context, int first, int last) {
  (void)context, (void)first, (void)last;
}

static double time_of_loop(int threads) {
  double quickest = HUGE_VAL;
  for (int batch = 0; batch < BATCHES && !interrupt_requested(); batch++) {
    const double start = timer_seconds();
    for (int k = 0; k < LOOPS; k++) parallel_for(threads, 1, nothing, NULL);
    quickest = fmin(quickest, (timer_seconds() - start) / LOOPS);
  }
  return quickest;
}

// Writes the whole array before the measurements, so that the system allocates its pages. Each thread fills the part
// that it reads later, so that the system places the pages of this part near the thread's core.
static void fill(const void *pass, int first, int last) {
  const Pass *p = pass;
  for (int k = first; k < last; k++) {
    const int64_t begin = p->lines * k / p->threads, end = p->lines * (k + 1) / p->threads;
    memset(p->from + begin, k + 1, (size_t)(end - begin) * sizeof *p->from);
  }
}

static bool measure_cpu(Ceilings *c, Error *error) {
  const int threads = parallel_threads();
  const double largest = ceilings_largest(DEVICE_CPU);
  bool ok = false;
  Pass arrays = { .lines = (int64_t)(largest / sizeof(Line)), .threads = threads };

  // one more line, so that the arrays below can begin at the start of a cache line
  void *buffer = array_new(arrays.lines + 1, sizeof(Line), "measuring memory", error);
  void *sums = array_new(threads + 1, sizeof(Line), "measuring memory", error);
  if (!buffer || !sums) goto done;
  arrays.from = (Line *)(((uintptr_t)buffer + sizeof(Line) - 1) / sizeof(Line) * sizeof(Line));
  arrays.sum = (Line *)(((uintptr_t)sums + sizeof(Line) - 1) / sizeof(Line) * sizeof(Line));
  parallel_for(threads, 1, fill, &arrays);

  c->cores = threads;
  c->size_count = ceilings_sizes(largest, c->rate);
  for (int k = 0; k < c->size_count; k++) {
    MemoryRate *r = &c->rate[k];
    arrays.to = arrays.from + (int64_t)(r->bytes / sizeof(Line)) / 2;
    r->read = rate_of(&arrays, r->bytes, threads, false);
    r->copy = rate_of(&arrays, r->bytes, threads, true);
  }

  arrays.to = arrays.from + arrays.lines / 2;
  for (int count = 1; c->thread_count < CEILING_THREADS; count = 2 * count < threads ? 2 * count : threads) {
    ThreadRate *t = &c->thread[c->thread_count++];
    const MemoryRate *all = &c->rate[c->size_count - 1];
    t->threads = count;
    t->read = count == threads ? all->read : rate_of(&arrays, largest, count, false);
    t->copy = count == threads ? all->copy : rate_of(&arrays, largest, count, true);
    t->loop = time_of_loop(count);
    if (count == threads) break;
  }

  c->launch = c->thread[c->thread_count - 1].loop;
  ok = interrupt_check(error);
done:
  free(buffer);
  free(sums);
  return ok;
}

double ceilings_largest(Device device) {
  const double maximum = device == DEVICE_CUDA ? LARGEST_CUDA : LARGEST_CPU;
  const double available = (double)device_memory_free(device);
  return available > 0 ? fmax(SMALLEST, fmin(maximum, available / 4)) : maximum;
}

int ceilings_sizes(double largest, MemoryRate rate[CEILING_SIZES]) {
  // number of sizes from SMALLEST to `largest`, each sqrt(2) times the previous one
  const int halves = (int)(2 * log2(largest / SMALLEST) + 1.5), count = halves < CEILING_SIZES ? halves : CEILING_SIZES;
  for (int k = 0; k < count; k++)  // multiples of 256 bytes, so that both arrays of a copy have whole cache lines
    rate[k] = (MemoryRate){ .bytes = floor(largest * pow(2, (k - count + 1) / 2.0) / 256) * 256 };
  return count;
}

#ifndef PLIANT_CUDA
bool ceilings_exchange(int silent, double *seconds, Error *error) {
  (void)silent, (void)seconds;
  return error_set(error, "%s", device_absence());
}

bool ceilings_measure_cuda(Ceilings *ceilings, Error *error) {
  return ceilings_exchange(-1, &ceilings->exchange, error);
}
#endif

bool ceilings_measure(Device device, Ceilings *ceilings, Error *error) {
  *ceilings = (Ceilings){ .device = device };
  const bool ok = device == DEVICE_CUDA ? ceilings_measure_cuda(ceilings, error) : measure_cpu(ceilings, error);
  return ok || error_prefix(error, "measuring the limits of %s", device_model(device));
}

static double best_from(const Ceilings *c, double bytes, bool copies) {
  double best = 0;
  for (int k = c->size_count - 1; k >= 0; k--) {
    best = fmax(best, copies ? c->rate[k].copy : c->rate[k].read);
    if (c->rate[k].bytes <= bytes) break;
  }
  return best;
}

double ceilings_read_rate(const Ceilings *c, double bytes) {
  return best_from(c, bytes, false);
}

double ceilings_copy_rate(const Ceilings *c, double bytes) {
  return best_from(c, bytes, true);
}

double ceilings_memory_time(const Ceilings *c, double read, double written) {
  const double least = fmin(read, written), maximum = fmax(read, written);
  if (maximum <= 0) return 0;
  return 2 * least / ceilings_copy_rate(c, maximum) + (maximum - least) / ceilings_read_rate(c, maximum);
}
