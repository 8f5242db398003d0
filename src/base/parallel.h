// Parallel loops, which divide their work among the cores of the CPU. They run on threads that this program manages
// itself; docs/decisions/005-threads.md explains why it does not use OpenMP.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The body of a loop: processes one piece, the elements `first` to `last` - 1. `first` is a multiple of the loop's
/// grain, the number of elements per piece, so first / grain is the number of the piece.
typedef void (*LoopBody)(const void *context, int first, int last);

/// Divides elements 0 to count - 1 into pieces of `grain` elements, and calls body(context, first, last) once for each
/// piece, on any thread and in any order. Returns when all pieces are done. Pieces do not depend on the number of
/// threads, so results that are stored by piece have the same bits on any machine.
///
/// These loops run on the caller's thread only: a loop of one piece, a loop that a piece of another loop calls, and a
/// loop that begins during another thread's loop. Pieces run with the caller's rounding and denormal modes. In
/// a piece, interrupt_requested returns its value in the caller's thread, with a delay of some pieces.
void parallel_for(int count, int grain, LoopBody body, const void *context);

/// As parallel_for, for elements that take about a nanosecond each: uses one thread per 6,000 elements.
void parallel_for_light(int count, int grain, LoopBody body, const void *context);

/// Returns the maximum number of threads of a loop of the calling thread; 1 after parallel_stay. It is the number of
/// parallel_set_threads or, without such a call, OMP_NUM_THREADS or the number of cores that this process may use.
int parallel_threads(void);

/// Returns the number of threads that a loop would use if it began now: 1 during another loop, or while other programs
/// occupy the cores; else parallel_threads().
int parallel_threads_free(void);

/// As parallel_for with grain 1, for few pieces that take very different times. In parallel_for, a long wait for other
/// threads counts as a sign that another program occupies the cores, and loops then use one thread for a while. This
/// function ignores such waits.
void parallel_for_parts(int count, LoopBody body, const void *context);

/// Makes all later loops of the calling thread run on this thread only. A thread calls it if another thread of the
/// program needs the cores at the same time.
void parallel_stay(void);

/// Sets the maximum number of threads; 0: the number at the start of the program. Tests and measurements call it while
/// no loop runs.
void parallel_set_threads(int count);

#ifdef __cplusplus
}
#endif
