// What a device can do at best, measured: how fast all its cores together read and copy memory, and what it takes to
// start work, to end it and to let every core hear from every other. What a piece of work moves and waits for, over
// these, is a floor under its time.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CEILING_SIZES = 25, CEILING_THREADS = 10 };

// Of arrays that are passed over again and again, each core its own part. The best of some runs.
typedef struct MemoryRate {
  double bytes;       // of the array read; of both arrays of a copy
  double read, copy;  // bytes/s; a copy counts what it reads and what it writes
} MemoryRate;

// Of so many of the CPU's threads.
typedef struct ThreadRate {
  int threads;
  double read, copy;  // bytes/s, of the largest arrays
  double loop;        // s, of a parallel_for of empty pieces, one for each thread
} ThreadRate;

typedef struct Ceilings {
  Device device;
  int cores;       // threads, or multiprocessors
  int size_count;  // sizes rise by the square root of 2 to some that no cache holds
  MemoryRate rate[CEILING_SIZES];
  int thread_count;  // of the CPU: 1, 2, 4 ... and all; 0 for a GPU
  ThreadRate thread[CEILING_THREADS];
  double launch;  // s: of a kernel behind another in a stream; of a loop shared by all threads
  // of a GPU, times in s; 0: there is none
  double cache_bytes;  // the second cache, which all multiprocessors share
  double node;         // of a kernel behind another in a graph
  double reply;        // a kernel, 4 bytes copied to the host, and the host's wait for them
  double grid_sync;    // a cooperative kernel's barrier over all multiprocessors
  double exchange;     // every multiprocessor hears a packet from every other: see packet.cuh
} Ceilings;

/// Measures a device that is present: one to three seconds, and up to a quarter of the memory that is free there.
/// Whatever else runs meanwhile lowers what is found. Fails for lack of memory, with CUDA's words, where a packet does
/// not come, or interrupted.
bool ceilings_measure(Device device, Ceilings *ceilings, Error *error);

/// The rate, bytes/s, at which the device could read, or copy, arrays of this size: the best that was measured for
/// arrays as large or larger. A size between two measured ones counts as the smaller.
double ceilings_read_rate(const Ceilings *ceilings, double bytes);
double ceilings_copy_rate(const Ceilings *ceilings, double bytes);

/// The least time, s, in which so many bytes are read and so many written: pairs of both as a copy, the rest as reads.
/// What is passed over is taken to be as large as the greater of the two: what is written may be what was read.
double ceilings_memory_time(const Ceilings *ceilings, double read, double written);

/// Seconds of an exchange of packets on the GPU; 0 where it cannot run one block on every multiprocessor at once. For
/// tests of what happens when a packet does not come, multiprocessor `silent` sends none, which is an error; -1: all
/// do.
bool ceilings_exchange(int silent, double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
