// Measures the limits (ceilings) of a device. These are the rates at which all cores together read and copy memory, and
// the times to start work, to end it, and to exchange data between all cores. They give a lower bound on the time of a
// piece of work, from the bytes that it moves and the number of its waits.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CEILING_SIZES = 25, CEILING_THREADS = 10 };

// Rates for arrays that are read or copied repeatedly; each core processes one part of the array. The best of some
// runs.
typedef struct MemoryRate {
  double bytes;       // size of the array read, or of both arrays of a copy
  double read, copy;  // bytes/s; a copy counts the bytes that it reads and writes
} MemoryRate;

// Rates for a number of the CPU's threads.
typedef struct ThreadRate {
  int threads;
  double read, copy;  // bytes/s, for the largest arrays that are measured
  double loop;        // s, a parallel_for of empty pieces, one per thread
} ThreadRate;

typedef struct Ceilings {
  Device device;
  int cores;       // CPU: number of threads; GPU: number of multiprocessors
  int size_count;  // number of entries of `rate`; each size is sqrt(2) times the previous one, and the last ones exceed
                   // all caches
  MemoryRate rate[CEILING_SIZES];
  int thread_count;  // CPU: number of entries of `thread`, for 1, 2, 4, ... and all threads; 0 for a GPU
  ThreadRate thread[CEILING_THREADS];
  double launch;  // s. GPU: time per kernel, for empty kernels one after another in a stream; CPU: time of an empty
                  // loop on all threads
  // The following are only for a GPU; times in s; 0: not available.
  double cache_bytes;  // size of the L2 cache, bytes
  double node;         // time per kernel, for empty kernels one after another in a CUDA graph
  double reply;        // time of a kernel, a copy of 4 bytes to the host, and the host's wait for both
  double grid_sync;    // time of a cooperative kernel's barrier over all multiprocessors
  double exchange;     // time in which all multiprocessors exchange packets: see packet.cuh
} Ceilings;

/// Measures a device that is present. The measurement takes one to three seconds, and up to a quarter of the device's
/// free memory. Other work at the same time lowers the results. Fails if memory runs out, with CUDA's message, if a
/// packet does not arrive, or if interrupted.
bool ceilings_measure(Device device, Ceilings *ceilings, Error *error);

/// Maximum rate, bytes/s, at which the device reads, or copies, arrays of `bytes` bytes: the best measured rate for
/// arrays of at least this size. A size between two measured sizes counts as the smaller of them.
double ceilings_read_rate(const Ceilings *ceilings, double bytes);
double ceilings_copy_rate(const Ceilings *ceilings, double bytes);

/// Minimum time, s, to read `read` bytes and write `written` bytes. The smaller number, twice, counts as a copy, and
/// the remaining bytes as reads. The arrays are assumed to have as many bytes as the greater number, since the written
/// array may be the array that was read.
double ceilings_memory_time(const Ceilings *ceilings, double read, double written);

/// Measures the seconds of an exchange of packets on the GPU; *seconds is 0 if the GPU cannot run one block on every
/// multiprocessor at once. In a test, block number `silent` sends no packet, and the call must fail; -1: all blocks
/// send.
bool ceilings_exchange(int silent, double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
