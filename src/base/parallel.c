// Parallel loops (parallel.h). The pieces of a loop are divided into spans, one per thread. A thread has the same span
// in all loops of equal size, so the data of this span may still be in the cache of the thread's core. A thread that
// has finished its span takes pieces from other spans, so a loop does not wait for a thread whose core another program
// occupies.
#define _GNU_SOURCE
#include "base/parallel.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "base/environment.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/timer.h"

enum { THREADS_MAX = 256, CACHE_LINE = 64, STACK_BYTES = 1 << 20 };
enum { LIGHT = 6000 };  // number of elements per thread in parallel_for_light; they take some microseconds

// A waiting thread polls this many times, and then sleeps. The polls take some 20 us, a few times as long as waking a
// thread. So a worker stays awake between two loops of a time step, and sleeps between the time steps of a window,
// which are milliseconds apart.
static const int64_t SPINS = 1000;

// If other programs use the cores, several threads can be slower than one: a thread may be stopped in the middle of a
// piece, or threads that poll may occupy the core of a thread that works. Two signs show this: the caller waits for
// other threads longer than it worked itself, by at least LOST_TIME; or LOST_TIME passes between two polls of the
// caller. After a sign, loops run only on the caller's thread for ALONE_FACTOR times the lost time, so at most
// 1/ALONE_FACTOR of the time is lost.
static const double LOST_TIME = 2e-4;  // s, lost time that counts as a sign
static const double ALONE_FACTOR = 30;
static _Thread_local bool stays;

enum { CLOCK_PERIOD = 32 };  // number of polls between two readings of the clock

// Losses shorter than LOST_TIME show neither sign, so the times of loops are compared. A Habit stores the mean times of
// a loop on one thread and on several threads; the loop runs in the faster of these two modes. A trial tests the slower
// mode again: TRIAL loops run in this mode. The first TRIAL_WAKES of these loops are not timed, since they wake
// threads. The pause after a trial is TRIAL_PAUSE or, if this is longer, TRIAL_FACTOR times the time that the trial
// lost. A loop that would take more than TRIAL_MAX on one thread has no trial on one thread.
enum { TRIAL = 24, TRIAL_WAKES = 4, HABITS = 256 };
static const double TRIAL_PAUSE = 0.05, TRIAL_FACTOR = 100, TRIAL_MAX = 4e-3;  // s

// Mean times, s, of the loops with this body and count: took[0] on the caller's thread only, took[1] on several
// threads; 0: not known.
typedef struct Habit {
  LoopBody body;
  int count;
  double took[2];
} Habit;

// The pieces of the present loop that belong to one thread.
typedef struct Span {
  // upper 32 bits: number of the loop; lower 32 bits: number of pieces of the span that no thread has taken
  _Alignas(CACHE_LINE) atomic_ullong open;
} Span;

// A thread that waits for loops; it sleeps on the condition `wake`.
typedef struct Worker {
  _Alignas(CACHE_LINE) atomic_bool asleep;
  pthread_cond_t wake;
} Worker;

static struct {
  pthread_once_t once;
  pthread_mutex_t busy;  // held by the thread whose loop runs
  atomic_int threads;
  int threads_at_first;
  int started;  // threads 1 to started - 1 are running workers; thread 0 is the caller of a loop
  int64_t spins;
  _Atomic(double) alone_until;  // clock time, s, until which loops run only on their caller's thread

  // description of the present loop: set before `number` increases, and unchanged until the last piece is done
  _Atomic(LoopBody) body;
  _Atomic(const void *) context;
  atomic_int count, grain, pieces, sharing;
  atomic_uint float_mode;
  atomic_bool stopped;  // true: an end was requested in the caller's thread (interrupt_requested)
  _Alignas(CACHE_LINE) atomic_uint number;
  _Alignas(CACHE_LINE) atomic_int left;  // number of pieces of the present loop that are not done
  Span span[THREADS_MAX];

  // These members are read and written only by the thread whose loop runs. It holds the lock `busy`.
  Habit habit[HABITS];
  int trial;          // number of loops that remain in the present trial; 0: no trial
  double trial_lost;  // s, time that the present trial has lost
  double trial_from;  // clock time, s, from which the next trial may begin

  // the lock and the conditions by which threads sleep and are woken
  pthread_mutex_t lock;
  atomic_bool caller_asleep;
  pthread_cond_t caller_wake;
  Worker worker[THREADS_MAX];
} pool = { .once = PTHREAD_ONCE_INIT,
           .busy = PTHREAD_MUTEX_INITIALIZER,
           .lock = PTHREAD_MUTEX_INITIALIZER,
           .caller_wake = PTHREAD_COND_INITIALIZER };

static void pause_briefly(void) {
#ifdef __SSE2__
  _mm_pause();
#elif defined __aarch64__
  __asm__ volatile("isb");
#endif
}

static unsigned float_mode(void) {
#ifdef __SSE2__
  return _mm_getcsr();
#else
  return 0;
#endif
}

static void set_float_mode(unsigned mode) {
#ifdef __SSE2__
  _mm_setcsr(mode);
#else
  (void)mode;
#endif
}

static void stay_alone(double now, double lost) {
  const double until = now + ALONE_FACTOR * lost;
  if (until > atomic_load(&pool.alone_until)) atomic_store(&pool.alone_until, until);
}

// Polls: calls ready(self, seen) at most pool.spins times, until it returns true. Returns false if it never does.
static bool spin_until(bool (*ready)(int self, unsigned *seen), int self, unsigned *seen) {
  double last = timer_seconds();
  for (int64_t k = 1; k <= pool.spins; k++) {
    if (ready(self, seen)) return true;
    pause_briefly();
    if (k % CLOCK_PERIOD != 0) continue;
    const double now = timer_seconds();
    if (now - last > LOST_TIME) stay_alone(now, now - last);
    last = now;
  }
  return false;
}

static int span_begin(int pieces, int sharing, int k) {
  return (int)((int64_t)pieces * k / sharing);
}

// Reserves the next piece of span k for this thread. Returns false if no piece is left, or if loop `number` has ended.
// After a result of true, the loop cannot end before the reserved piece is done, so its description in `pool` cannot
// change. *rest is the number of pieces that were left in the span, including this one.
static bool take(unsigned number, int k, int *rest) {
  unsigned long long open = atomic_load(&pool.span[k].open);
  do
    if (open >> 32 != number || (open & UINT32_MAX) == 0) return false;
  while (!atomic_compare_exchange_weak(&pool.span[k].open, &open, open - 1));
  *rest = (int)(open & UINT32_MAX);
  return true;
}

// Runs a piece of span k that `take` has reserved; `rest` is the result of `take`. After the last piece of a loop, the
// function wakes the thread that called the loop.
static void run_piece(int k, int rest) {
  const int pieces = atomic_load_explicit(&pool.pieces, memory_order_relaxed);
  const int sharing = atomic_load_explicit(&pool.sharing, memory_order_relaxed);
  const int grain = atomic_load_explicit(&pool.grain, memory_order_relaxed);
  const int count = atomic_load_explicit(&pool.count, memory_order_relaxed);
  const int piece = span_begin(pieces, sharing, k + 1) - rest;
  const LoopBody body = atomic_load_explicit(&pool.body, memory_order_relaxed);
  body(atomic_load_explicit(&pool.context, memory_order_relaxed), piece * grain,
       piece < pieces - 1 ? (piece + 1) * grain : count);
  if (atomic_fetch_sub(&pool.left, 1) != 1 || !atomic_load(&pool.caller_asleep)) return;
  pthread_mutex_lock(&pool.lock);
  pthread_cond_signal(&pool.caller_wake);
  pthread_mutex_unlock(&pool.lock);
}

// Returns true if send_interrupt has found that the caller's thread must end its work. Each worker passes this function
// to interrupt_listen, so that interrupt_requested returns true in the worker too.
static bool caller_stopped(void *unused) {
  (void)unused;
  return atomic_load_explicit(&pool.stopped, memory_order_relaxed);
}

// Stores in pool.stopped, for the workers, that an end was requested, for example by Ctrl-C. Only the loop's caller may
// call interrupt_requested here, since interrupt_requested may call a function that belongs to the caller's thread.
static void send_interrupt(void) {
  if (interrupt_requested()) atomic_store_explicit(&pool.stopped, true, memory_order_relaxed);
}

// Runs pieces of the loop until none is left: first the pieces of this thread's span, which are assigned to it, then
// pieces of other threads' spans.
static void take_part(unsigned number, int self) {
  const int sharing = atomic_load_explicit(&pool.sharing, memory_order_relaxed);
  for (int t = 0; t < sharing; t++) {
    const int k = (self + t) % sharing;
    for (int rest; take(number, k, &rest);) {
      run_piece(k, rest);
      if (self == 0) send_interrupt();
    }
  }
}

// Returns true if a loop after loop number *seen has begun, and worker `self` takes part in it.
static bool called(int self, unsigned *seen) {
  const unsigned number = atomic_load(&pool.number);
  if (number == *seen) return false;
  *seen = number;
  return self < atomic_load_explicit(&pool.sharing, memory_order_relaxed);
}

static void *work(void *own) {
  Worker *worker = own;
  const int self = (int)(worker - pool.worker);
  unsigned seen = 0;
  interrupt_listen(caller_stopped, NULL);
  for (;;) {
    if (!spin_until(called, self, &seen)) {
      pthread_mutex_lock(&pool.lock);
      atomic_store(&worker->asleep, true);
      while (!called(self, &seen)) pthread_cond_wait(&worker->wake, &pool.lock);
      atomic_store(&worker->asleep, false);
      pthread_mutex_unlock(&pool.lock);
    }
    set_float_mode(atomic_load_explicit(&pool.float_mode, memory_order_relaxed));
    take_part(seen, self);
  }
  return NULL;
}

// Reads a number from an environment variable of OpenMP, in its syntax: "4", "4,2", "5k", "infinite". *value is
// unchanged if the variable is not set or has no such number.
static void read_environment(const char *name, int64_t least, int64_t maximum, int64_t *value) {
  static const char units[] = "kmgt";
  const char *text = environment_value(name);
  char *end;
  if (!text || !*text) return;
  if (strncasecmp(text, "infinit", 7) == 0 && maximum == INT64_MAX) {
    *value = maximum;
    return;
  }
  errno = 0;
  long long number = strtoll(text, &end, 10);
  bool good = end != text && !errno && number >= least;
  const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
  if (unit) end++;
  for (const char *u = units; good && unit && u <= unit; u++) {
    good = number <= INT64_MAX / 1000;
    number *= good ? 1000 : 0;
  }
  while (isspace((unsigned char)*end)) end++;
  if (good && (!*end || *end == ','))
    *value = number < maximum ? number : maximum;
  else
    log_notice("the environment variable %s is \"%s\", expected a number of at least %lld; the variable is ignored",
               name, text, (long long)least);
}

// Returns the number of cores that this process may use.
static int core_count(void) {
#ifdef CPU_COUNT
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

static void prepare(void) {
  const char *policy = environment_value("OMP_WAIT_POLICY");
  int64_t threads = core_count() < THREADS_MAX ? core_count() : THREADS_MAX;
  pool.spins = !policy || !*policy ? SPINS : strcasecmp(policy, "active") == 0 ? INT64_MAX : 0;
  read_environment("OMP_NUM_THREADS", 1, THREADS_MAX, &threads);
  read_environment("GOMP_SPINCOUNT", 0, INT64_MAX, &pool.spins);
  pool.threads_at_first = (int)threads;
  atomic_store(&pool.threads, pool.threads_at_first);
}

int parallel_threads(void) {
  pthread_once(&pool.once, prepare);
  return stays ? 1 : atomic_load(&pool.threads);
}

int parallel_threads_free(void) {
  const int threads = parallel_threads();
  if (threads == 1 || timer_seconds() < atomic_load(&pool.alone_until)) return 1;
  if (pthread_mutex_trylock(&pool.busy) != 0) return 1;
  pthread_mutex_unlock(&pool.busy);
  return threads;
}

void parallel_stay(void) {
  stays = true;
}

void parallel_set_threads(int count) {
  pthread_once(&pool.once, prepare);
  atomic_store(&pool.threads, count <= 0 ? pool.threads_at_first : count < THREADS_MAX ? count : THREADS_MAX);
}

// Starts the workers up to thread number `threads` - 1. If the system refuses to start some, other threads process the
// pieces of a loop that were assigned to them. Workers block signals, so that other threads handle these.
static void start_workers(int threads) {
  sigset_t all, before;
  pthread_attr_t attributes;
  if (pool.started >= threads || pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int k = pool.started > 1 ? pool.started : 1; k < threads; k++) {
    pthread_t thread;
    pthread_cond_init(&pool.worker[k].wake, NULL);
    if (pthread_create(&thread, &attributes, work, &pool.worker[k]) != 0) break;
  }
  pool.started = threads;  // also if a worker could not be started, so that this is not tried again
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

// Stores the description of a loop in `pool`, and wakes the workers that take part. Returns the loop's number.
static unsigned announce(int count, int grain, int pieces, int sharing, LoopBody body, const void *context) {
  const unsigned number = atomic_load_explicit(&pool.number, memory_order_relaxed) + 1;
  atomic_store_explicit(&pool.body, body, memory_order_relaxed);
  atomic_store_explicit(&pool.context, context, memory_order_relaxed);
  atomic_store_explicit(&pool.count, count, memory_order_relaxed);
  atomic_store_explicit(&pool.grain, grain, memory_order_relaxed);
  atomic_store_explicit(&pool.pieces, pieces, memory_order_relaxed);
  atomic_store_explicit(&pool.sharing, sharing, memory_order_relaxed);
  atomic_store_explicit(&pool.float_mode, float_mode(), memory_order_relaxed);
  atomic_store_explicit(&pool.stopped, false, memory_order_relaxed);
  atomic_store_explicit(&pool.left, pieces, memory_order_relaxed);
  for (int k = 0; k < sharing; k++) {
    const int size = span_begin(pieces, sharing, k + 1) - span_begin(pieces, sharing, k);
    atomic_store(&pool.span[k].open, (unsigned long long)number << 32 | (unsigned)size);
  }
  atomic_store(&pool.number, number);
  for (int k = 1; k < sharing; k++) {
    if (!atomic_load(&pool.worker[k].asleep)) continue;
    pthread_mutex_lock(&pool.lock);
    pthread_cond_signal(&pool.worker[k].wake);
    pthread_mutex_unlock(&pool.lock);
  }
  return number;
}

static bool all_done(int self, unsigned *seen) {
  (void)self, (void)seen;
  return atomic_load(&pool.left) == 0;
}

static void wait_for_pieces(void) {
  if (all_done(0, NULL) || spin_until(all_done, 0, NULL)) return;
  pthread_mutex_lock(&pool.lock);
  atomic_store(&pool.caller_asleep, true);
  while (atomic_load(&pool.left) > 0) pthread_cond_wait(&pool.caller_wake, &pool.lock);
  atomic_store(&pool.caller_asleep, false);
  pthread_mutex_unlock(&pool.lock);
}

static Habit *habit_of(LoopBody body, int count) {
  const uint64_t key = ((uint64_t)(uintptr_t)body ^ (uint64_t)count << 40) * UINT64_C(0x9e3779b97f4a7c15);
  Habit *habit = &pool.habit[key >> 32 & (HABITS - 1)];
  if (habit->body != body || habit->count != count) *habit = (Habit){ .body = body, .count = count };
  return habit;
}

// Updates *took, the mean time of a loop. A time of more than twice the mean counts as twice the mean: in such a loop,
// the system has probably stopped a thread for a while.
static void note_time(double *took, double seconds) {
  if (*took == 0) *took = seconds;
  *took += (fmin(seconds, 2 * *took) - *took) / 8;
}

// Returns true if the loop must run on several threads, false if on one thread. Outside a trial, chooses the mode that
// was faster so far (`usual`). During a trial, chooses the other mode, to measure its time again.
static bool choose_method(const Habit *habit, int sharing, double now) {
  const bool usual = habit->took[0] == 0 || habit->took[1] < habit->took[0];
  if (pool.trial == 0 && now >= pool.trial_from) {
    pool.trial = TRIAL;
    pool.trial_lost = 0;
  }
  const bool other = pool.trial > 0 && habit->took[usual] > 0 && (!usual || habit->took[1] * sharing < TRIAL_MAX);
  return usual != other;
}

// Records the time of a loop that has ended; `shared` is true if it ran on several threads. Advances or ends the
// present trial, in which loops run in the mode that was slower so far.
static void learn(Habit *habit, bool shared, double seconds, double now) {
  const bool waking = shared && pool.trial > TRIAL - TRIAL_WAKES;
  if (pool.trial > 0) {
    const double lost = habit->took[!shared] > 0 ? seconds - habit->took[!shared] : 0;
    pool.trial_lost += fmax(0, lost);
    // one thread takes more than twice as long as several: the result is clear, so end the trial
    pool.trial = !shared && lost > seconds / 2 ? 0 : pool.trial - 1;
    if (pool.trial == 0) pool.trial_from = now + fmax(TRIAL_PAUSE, TRIAL_FACTOR * pool.trial_lost);
  }
  if (!waking) note_time(&habit->took[shared], seconds);
}

static void run_alone(int count, int grain, int pieces, LoopBody body, const void *context) {
  for (int piece = 0; piece < pieces; piece++)
    body(context, piece * grain, piece < pieces - 1 ? (piece + 1) * grain : count);
}

// Runs a loop on at most `maximum` threads. If `even` is true, all pieces take about equal times. Only then do long
// waits and measured times show that other programs use the cores.
static void run_loop(int count, int grain, int maximum, bool even, LoopBody body, const void *context) {
  const int pieces = count / grain + (count % grain != 0), threads = parallel_threads();
  const int several = pieces < threads ? pieces : threads, sharing = maximum < several ? maximum : several;
  if (sharing <= 1 || pthread_mutex_trylock(&pool.busy) != 0) {
    run_alone(count, grain, pieces, body, context);
    return;
  }
  Habit *habit = habit_of(body, count);
  const double start = timer_seconds();
  const bool free = start >= atomic_load(&pool.alone_until);
  const bool shared = free && (!even || choose_method(habit, sharing, start));
  if (shared) {
    start_workers(threads);
    take_part(announce(count, grain, pieces, sharing, body, context), 0);
  } else {
    run_alone(count, grain, pieces, body, context);
  }
  const double done = timer_seconds();
  if (shared) wait_for_pieces();
  const double end = shared ? timer_seconds() : done;
  if (even && free) learn(habit, shared, end - start, end);
  if (even && end - done > done - start + LOST_TIME) stay_alone(end, end - done);
  pthread_mutex_unlock(&pool.busy);
}

void parallel_for(int count, int grain, LoopBody body, const void *context) {
  run_loop(count, grain, THREADS_MAX, true, body, context);
}

void parallel_for_parts(int count, LoopBody body, const void *context) {
  run_loop(count, 1, THREADS_MAX, false, body, context);
}

void parallel_for_light(int count, int grain, LoopBody body, const void *context) {
  run_loop(count, grain, count / LIGHT, true, body, context);
}
