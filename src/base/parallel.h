// Loops over the cores, on threads of this program. docs/decisions/005-threads.md explains why OpenMP is not used.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Processes one piece of a loop: elements first to last - 1. `first` is a multiple of the loop's grain, the number of
/// elements per piece. So first / grain is the number of the piece.
typedef void (*LoopBody)(const void *context, int first, int last);

/// Divides elements 0 to count - 1 into pieces of `grain` elements, and calls body(context, first, last) once for each
/// piece, on any thread and in any order. Returns when all pieces are done.
/// The pieces do not depend on the number of threads. So if each piece stores its own result, the results have the same
/// bits on any machine. A loop of one piece runs on the caller's thread. So does a loop that starts within a loop, or
/// while another thread's loop runs.
/// In each piece the caller's rounding and denormal modes are set. In a piece, interrupt_requested returns what it
/// returns in the caller's thread, with a delay of some pieces.
void parallel_for(int count, int grain, LoopBody body, const void *context);

/// As parallel_for, for elements that take about a nanosecond each: uses one thread per several thousand elements.
void parallel_for_light(int count, int grain, LoopBody body, const void *context);

/// Maximum number of threads of a loop that the calling thread starts: OMP_NUM_THREADS, or the number of cores that
/// this process may use. After parallel_stay it is one.
int parallel_threads(void);

/// As parallel_for with grain 1, for a few large parts, 0 to count - 1, some of which may take far longer than others.
/// parallel_for treats a long wait for other threads as a sign that another program occupies the cores, and then uses
/// one thread for a while. This function does not.
void parallel_for_parts(int count, LoopBody body, const void *context);

/// From now on, loops of the calling thread run only on this thread. For a thread that works at the same time as
/// another thread of the program.
void parallel_stay(void);

/// For tests and measurements, between loops: sets the maximum number of threads; 0: the initial number.
void parallel_set_threads(int count);

#ifdef __cplusplus
}
#endif
