// Tests parallel loops. A loop must visit each element once, with any number of threads, and also if several threads or
// other loops call it. Its threads must use the floating-point mode of the caller.
#include "../testing.h"

#include <pthread.h>
#include <stdatomic.h>

#include <float.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "base/parallel.h"
#include "base/timer.h"

typedef struct Visits {
  int count, grain;    // number of elements of the loop; number of elements of a piece
  atomic_int *visits;  // [count] number of visits of each element
  atomic_int wrong;    // number of pieces that are not [k grain, min((k + 1) grain, count)) for an integer k
} Visits;

static void visit(const void *context, int first, int last) {
  Visits *v = (Visits *)context;
  const int end = first + v->grain < v->count ? first + v->grain : v->count;
  if (first % v->grain != 0 || last != end) v->wrong++;
  for (int k = first; k < last; k++) v->visits[k]++;
}

static void check_visits(int count, int grain) {
  Visits v = { .count = count, .grain = grain, .visits = calloc((size_t)count + 1, sizeof *v.visits) };
  parallel_for(count, grain, visit, &v);
  for (int k = 0; k < count; k++)
    if (v.visits[k] != 1)
      fail_msg("loop over %d elements with grain %d: element %d was visited %d times", count, grain, k, v.visits[k]);
  assert_int_equal(v.visits[count], 0);
  assert_int_equal(v.wrong, 0);
  free(v.visits);
}

static void every_element_once(void **state) {
  (void)state;
  for (int threads = 1; threads <= 9; threads += 2) {
    parallel_set_threads(threads);
    assert_int_equal(parallel_threads(), threads);
    for (int count = 0; count < 70; count++)
      for (int grain = 1; grain < 12; grain += 5) check_visits(count, grain);
    for (int k = 0; k < 300; k++) check_visits(1000 + k, 7);
    check_visits(1000003, 1);
  }
  parallel_set_threads(0);
}

static void *call_often(void *arg) {
  (void)arg;
  for (int k = 0; k < 500; k++) check_visits(100 + k, 3);
  return NULL;
}

static void callers_side_by_side(void **state) {
  (void)state;
  pthread_t other[3];
  parallel_set_threads(4);
  for (int k = 0; k < 3; k++) assert_int_equal(pthread_create(&other[k], NULL, call_often, NULL), 0);
  call_often(NULL);
  for (int k = 0; k < 3; k++) pthread_join(other[k], NULL);
  parallel_set_threads(0);
}

// Loops run on one thread for a while after another program has occupied the cores. Waits until this time has passed.
static void wait_for_free_cores(void) {
  const double start = timer_seconds();
  while (parallel_threads_free() == 1 && timer_seconds() - start < 60) {
  }
}

// Within a loop, a further loop has one thread.
static void visit_within(const void *context, int first, int last) {
  assert_int_equal(parallel_threads_free(), 1);
  for (int k = first; k < last; k++) check_visits(50 + k, 4);
  atomic_fetch_add((atomic_int *)context, last - first);
}

static void loops_within_loops(void **state) {
  (void)state;
  atomic_int done = 0;
  parallel_set_threads(4);
  parallel_for(200, 1, visit_within, &done);
  wait_for_free_cores();
  assert_int_equal(parallel_threads_free(), 4);
  parallel_set_threads(0);
  assert_int_equal(done, 200);
}

#ifdef __SSE2__
static void halve_smallest(const void *context, int first, int last) {
  float *value = *(float *const *)context;
  for (int k = first; k < last; k++) value[k] = value[k] / 2;
}

// All threads of a loop must treat denormal numbers as the caller does: keep them, or flush them to zero.
static void pieces_round_as_their_caller(void **state) {
  (void)state;
  enum { COUNT = 4000 };
  float *value = malloc(COUNT * sizeof *value);
  const unsigned before = _mm_getcsr();
  parallel_set_threads(4);
  for (int run = 0; run < 20; run++) {
    _mm_setcsr(run % 2 ? before | 0x8040 : before & ~0x8040u);
    for (int k = 0; k < COUNT; k++) value[k] = FLT_MIN;
    parallel_for(COUNT, 1, halve_smallest, &value);
    _mm_setcsr(before);
    for (int k = 0; k < COUNT; k++) assert_true(value[k] == (run % 2 ? 0 : FLT_MIN / 2));
  }
  parallel_set_threads(0);
  free(value);
}
#endif

static void parts_are_run_once_however_long(void **state) {
  (void)state;
  for (int threads = 1; threads <= 7; threads += 3)
    for (int count = 0; count < 40; count++) {
      parallel_set_threads(threads);
      Visits v = { .count = count, .grain = 1, .visits = calloc((size_t)count + 1, sizeof *v.visits) };
      parallel_for_parts(count, visit, &v);
      for (int k = 0; k < count; k++) assert_int_equal(v.visits[k], 1);
      assert_int_equal(v.wrong, 0);
      free(v.visits);
    }
  parallel_set_threads(0);
}

typedef struct Home {
  pthread_t thread;
  atomic_int away;  // number of pieces that ran on another thread than `thread`
} Home;

static void count_at_home(const void *context, int first, int last) {
  Home *home = *(Home *const *)context;
  (void)first, (void)last;
  if (!pthread_equal(pthread_self(), home->thread)) home->away++;
}

static void *stay(void *arg) {
  Home *home = arg;
  home->thread = pthread_self();
  parallel_stay();
  assert_int_equal(parallel_threads(), 1);
  for (int k = 0; k < 200; k++) parallel_for(100000, 7, count_at_home, &home);
  check_visits(1000, 3);
  return NULL;
}

static void loops_stay_on_their_threads(void **state) {
  (void)state;
  pthread_t thread;
  Home home = { .away = 0 };
  parallel_set_threads(4);
  assert_int_equal(pthread_create(&thread, NULL, stay, &home), 0);
  pthread_join(thread, NULL);
  assert_int_equal(home.away, 0);
  assert_int_equal(parallel_threads(), 4);  // parallel_stay acts only on the thread that calls it
  parallel_set_threads(0);
}

// Waking other threads takes longer than these small loops. So parallel_for must run them on the calling thread, except
// in occasional trials with several threads.
static void small_loops_run_on_the_calling_thread(void **state) {
  (void)state;
  enum { PIECES = 8 };
  Home home = { .thread = pthread_self() }, *context = &home;
  parallel_set_threads(4);
  int loops = 0;
  for (double end = timer_seconds() + 0.5; timer_seconds() < end;) parallel_for(PIECES, 1, count_at_home, &context);
  home.away = 0;
  for (double end = timer_seconds() + 0.25; timer_seconds() < end; loops++)
    parallel_for(PIECES, 1, count_at_home, &context);
  printf("  %d of %d pieces ran on other threads\n", home.away, PIECES * loops);
  assert_true(home.away < PIECES * loops / 50);
  parallel_set_threads(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(parts_are_run_once_however_long),
    cmocka_unit_test(loops_stay_on_their_threads),
    cmocka_unit_test(small_loops_run_on_the_calling_thread),
    cmocka_unit_test(every_element_once),
    cmocka_unit_test(callers_side_by_side),
    cmocka_unit_test(loops_within_loops),
#ifdef __SSE2__
    cmocka_unit_test(pieces_round_as_their_caller),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
