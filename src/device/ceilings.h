// Measures the limits (ceilings) of a device: the rates at which all cores together read and copy memory, and the times
// to start work, to end it, and to exchange data between all cores. From these limits, and from the bytes that a piece
// of work moves and its number of waits, follows a lower bound on its time.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CEILING_SIZES = 25, CEILING_THREADS = 10 };

// Rates for arrays that are read or copied repeatedly, one part per core. The best of some runs.
typedef struct MemoryRate {
  double bytes;       // size of the array read, or of both arrays of a copy
  double read, copy;  // bytes/s; a copy counts the bytes that it reads and writes
} MemoryRate;

// Rates for a number of the CPU's threads.
typedef struct ThreadRate {
  int threads;
  double read, copy;  // bytes/s, for the largest arrays
  double loop;        // s, a parallel_for of empty pieces, one per thread
} ThreadRate;

typedef struct Ceilings {
  Device device;
  int cores;       // threads, or multiprocessors
  int size_count;  // each size is sqrt(2) times the one before; the last ones exceed all caches
  MemoryRate rate[CEILING_SIZES];
  int thread_count;  // CPU: 1, 2, 4 ... and all; 0 for a GPU
  ThreadRate thread[CEILING_THREADS];
  double launch;  // s: GPU: one empty kernel after another in a stream; CPU: an empty loop on all threads
  // Only for a GPU, times in s; 0: not available.
  double cache_bytes;  // size of L2
  double node;         // one kernel after another in a CUDA graph
  double reply;        // a kernel, a copy of 4 bytes to the host, and the host's wait for them
  double grid_sync;    // a cooperative kernel's barrier over all multiprocessors
  double exchange;     // all multiprocessors exchange packets: see packet.cuh
} Ceilings;

/// Measures a device that is present. It takes one to three seconds, and up to a quarter of the device's free memory.
/// Other work meanwhile lowers the results. Fails if memory runs out, with CUDA's message, if a packet does not arrive,
/// or if interrupted.
bool ceilings_measure(Device device, Ceilings *ceilings, Error *error);

/// Maximum rate, bytes/s, at which the device reads, or copies, arrays of this size: the best that was measured for
/// arrays of at least this size. A size between two measured ones counts as the smaller.
double ceilings_read_rate(const Ceilings *ceilings, double bytes);
double ceilings_copy_rate(const Ceilings *ceilings, double bytes);

/// Minimum time, s, to read and write these numbers of bytes: pairs of both count as a copy, the rest as reads. The
/// arrays are assumed to be as large as the greater number, since the written array may be the one that was read.
double ceilings_memory_time(const Ceilings *ceilings, double read, double written);

/// Measures the seconds of an exchange of packets on the GPU; 0 if it cannot run one block on every multiprocessor at
/// once. For tests, the block number `silent` sends no packet, and the call must fail; -1: all blocks send.
bool ceilings_exchange(int silent, double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
