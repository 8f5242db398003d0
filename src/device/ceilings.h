// Measures the limits of a device: the rates at which all cores together read and copy memory, and the times to start
// work, to end it, and to exchange data between all cores. With these limits, the bytes that a piece of work moves and
// the number of its waits give a lower bound of its time.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CEILING_SIZES = 25, CEILING_THREADS = 10 };

// Best measured rates of memory for arrays of one size, which were read or copied repeatedly. Each core reads or copies
// one part of the array.
typedef struct MemoryRate {
  double bytes;       // bytes of the array that is read, or of both arrays of a copy
  double read, copy;  // bytes/s; a copy counts the bytes that it reads and those that it writes
} MemoryRate;

// Measured rates for a number of the CPU's threads.
typedef struct ThreadRate {
  int threads;
  double read, copy;  // bytes/s, for the largest arrays of the measurement
  double loop;        // s, time of a parallel_for of empty pieces, one per thread
} ThreadRate;

// The measured limits of a device.
typedef struct Ceilings {
  Device device;
  int cores;  // number of threads of the CPU, or of multiprocessors of the GPU
  // number of array sizes for which `rate` has an element. Each size is sqrt(2) times the previous one, and the last
  // sizes exceed all caches
  int size_count;
  MemoryRate rate[CEILING_SIZES];
  int thread_count;  // number of elements of `thread`, for 1, 2, 4, ... and all threads of the CPU; 0 for a GPU
  ThreadRate thread[CEILING_THREADS];
  // Time to launch work, s. GPU: time of an empty kernel in a sequence of kernels on one stream. CPU: time of an empty
  // loop on all threads.
  double launch;
  // The members below are only for a GPU; 0: not available. All but cache_bytes are times, s.
  double cache_bytes;  // bytes, size of the L2 cache
  double node;         // time of an empty kernel in a sequence in a CUDA graph
  double reply;        // time of a kernel, a copy of 4 bytes to the host, and the host's wait for both
  double grid_sync;    // time of a cooperative kernel's barrier over all multiprocessors
  double exchange;     // time in which all multiprocessors exchange packets (packet.cuh)
} Ceilings;

/// Measures the limits of a device that is present, in one to three seconds, with up to a quarter of its free memory.
/// If other programs use the device at the same time, the measured rates are too low and the measured times too long.
/// Fails if memory runs out, if CUDA fails, if a packet does not arrive, or if an end is requested.
bool ceilings_measure(Device device, Ceilings *ceilings, Error *error);

/// Return the rate, bytes/s, at which the device reads (ceilings_read_rate) or copies (ceilings_copy_rate) arrays of
/// `bytes` bytes: the best measured rate for arrays of at least this size. A size between two measured sizes counts as
/// the smaller one.
double ceilings_read_rate(const Ceilings *ceilings, double bytes);
double ceilings_copy_rate(const Ceilings *ceilings, double bytes);

/// Returns the minimum time, s, to read `read` bytes and write `written` bytes. Reading and writing together count as a
/// copy as far as possible, and the rest as reads: 10 bytes read and 4 written are a copy of 4 bytes and a read of 6.
/// Rates depend on the size of the array. The larger of the two numbers is used as this size.
double ceilings_memory_time(const Ceilings *ceilings, double read, double written);

/// Measures the time of an exchange of packets on the GPU; *seconds is 0 if the GPU cannot run one thread block on
/// every multiprocessor at once. A test passes the number of a thread block, `silent`, which then sends no packet; the
/// call must fail. If `silent` is -1, all blocks send packets.
bool ceilings_exchange(int silent, double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
