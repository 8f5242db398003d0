// Loops over the cores, on threads of this program. docs/decisions/005-threads.md explains why OpenMP is not used.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Processes elements first to last - 1 of a loop, a piece. `first` is a multiple of the loop's grain (elements per
/// piece), so first / grain is the number of the piece.
typedef void (*LoopBody)(const void *context, int first, int last);

/// Calls body(context, first, last) for every piece of `grain` elements of 0 to count - 1, each once, on any thread and
/// in any order; returns when all are done. Pieces do not depend on the number of threads: results that are stored by
/// piece have the same bits on any machine. A single piece stays on the caller's thread, as does a loop within a loop
/// or during another thread's loop. A piece runs with the caller's rounding and denormal modes. In a piece,
/// interrupt_requested returns what it returns in the caller's thread, with a delay of some pieces.
void parallel_for(int count, int grain, LoopBody body, const void *context);

/// As parallel_for, for elements that take about a nanosecond each: uses one thread per several thousand elements.
void parallel_for_light(int count, int grain, LoopBody body, const void *context);

/// Maximum number of threads of a loop of the calling thread: OMP_NUM_THREADS, or the cores that this process may use;
/// one after parallel_stay.
int parallel_threads(void);

/// As parallel_for with grain 1, for a few large parts, 0 to count - 1, some of which may take far longer than others.
/// The other loops take a long wait as a sign that another program occupies the cores, and then run on one thread for a
/// while. This one does not.
void parallel_for_parts(int count, LoopBody body, const void *context);

/// Keeps loops of the calling thread on it from now on: for work that is concurrent with another thread's.
void parallel_stay(void);

/// For tests and measurements, between loops: sets the maximum number of threads; 0: the initial number.
void parallel_set_threads(int count);

#ifdef __cplusplus
}
#endif
