// Loops over the cores. The threads are the program's own; why not OpenMP's: docs/decisions/005-threads.md.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Elements first to last - 1 of a loop. `first` is a multiple of the loop's grain, so first / grain numbers the piece.
typedef void (*LoopBody)(const void *context, int first, int last);

/// body(context, first, last) for every piece of `grain` elements of 0 to count - 1, each once, by any thread in any
/// order; returns when all are done. Pieces do not depend on the number of threads: what writes only to its own piece's
/// place has the same bits on any machine. A single piece stays on the caller's thread, as does a loop within a loop or
/// beside another thread's. A piece runs with the caller's rounding and denormals, and
/// interrupt_requested returns what it would in the caller's thread, some pieces later.
void parallel_for(int count, int grain, LoopBody body, const void *context);

/// The same for elements that take about a nanosecond each: as many threads as there are thousands of them to do.
void parallel_for_light(int count, int grain, LoopBody body, const void *context);

/// How many threads share a loop of the calling thread at most: OMP_NUM_THREADS, or the cores that this process may
/// use; one after parallel_stay.
int parallel_threads(void);

/// The same for a few large parts, 0 to count - 1, of which some may take far longer than others: where the caller
/// waits for them, that does not mean that another program has the cores.
void parallel_for_parts(int count, LoopBody body, const void *context);

/// From now on loops of the calling thread stay on it: for work that goes on beside another thread's.
void parallel_stay(void);

/// For tests and measurements, between loops: at most this many from now on; 0: as at the beginning.
void parallel_set_threads(int count);

#ifdef __cplusplus
}
#endif
