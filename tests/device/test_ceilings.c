// Tests the ceilings of a device: its highest rates of reading and copying, from which lower bounds of times are
// computed. Tests this computation, and that measured rates are plausible. argv[1]: the device.
#include "../testing.h"

#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "device/ceilings.h"

static Device device;

static void lower_bounds_are_bytes_over_the_measured_rate(void **state) {
  (void)state;
  const Ceilings c = { .size_count = 3, .rate = { { 100, 50, 80 }, { 200, 60, 70 }, { 400, 10, 8 } } };

  // Each element of `rate` has a size in bytes, a reading rate and a copying rate. The rate for any size is the highest
  // of several elements: the next smaller or equal size, and all larger sizes. Sizes below 100 count as 100. So arrays
  // below 400 bytes are read at 60, the rate of the element for 200 bytes.
  assert_true(ceilings_read_rate(&c, 1) == 60);
  assert_true(ceilings_read_rate(&c, 100) == 60);
  assert_true(ceilings_read_rate(&c, 399) == 60);
  assert_true(ceilings_read_rate(&c, 400) == 10);
  assert_true(ceilings_read_rate(&c, 1e12) == 10);
  assert_true(ceilings_copy_rate(&c, 150) == 80);
  assert_true(ceilings_copy_rate(&c, 250) == 70);

  // The second argument is the number of bytes read, the third that of bytes written. Reading and writing together are
  // a copy as far as possible: 400 bytes read and 100 written are a copy of 100, at 8, and 300 bytes read, at 10.
  assert_true(ceilings_memory_time(&c, 0, 0) == 0);
  assert_true(ceilings_memory_time(&c, 120, 0) == 120.0 / 60);
  assert_true(ceilings_memory_time(&c, 0, 400) == 400.0 / 10);
  assert_true(ceilings_memory_time(&c, 400, 100) == 2 * 100.0 / 8 + 300.0 / 10);
  assert_true(ceilings_memory_time(&c, 100, 400) == 2 * 100.0 / 8 + 300.0 / 10);
}

static void check_rate(double bytes_per_s) {
  // The test accepts rates from a tenth of that of a slow machine up to ten times the cache rate of today's fastest
  // device.
  if (!(bytes_per_s > 1e8 && bytes_per_s < 3e14)) fail_msg("a rate is %g bytes/s, expected 1e8 to 3e14", bytes_per_s);
}

static void check_time(double seconds, double maximum) {
  if (!(seconds > 0 && seconds < maximum)) fail_msg("a time is %g s, expected up to %g s", seconds, maximum);
}

static void measured_rates_are_plausible(void **state) {
  (void)state;
  Error error = { 0 };
  Ceilings c;
  const double start = timer_seconds();
  if (!ceilings_measure(device, &c, &error)) fail_msg("%s", error.message);
  printf("  the measurement took %.2f s\n", timer_seconds() - start);
  assert_int_equal(c.device, device);
  assert_true(c.cores >= 1);
  assert_in_range(c.size_count, 2, CEILING_SIZES);
  for (int k = 0; k < c.size_count; k++) {
    const MemoryRate *r = &c.rate[k];
    printf("  %10.0f bytes: read %8.2f GB/s, copy %8.2f GB/s\n", r->bytes, 1e-9 * r->read, 1e-9 * r->copy);
    check_rate(r->read);
    check_rate(r->copy);
    if (k > 0 && fabs(r->bytes / c.rate[k - 1].bytes - sqrt(2)) > 0.01)
      fail_msg("array sizes do not grow by factors of sqrt(2)");
  }

  check_time(c.launch, 1e-2);
  if (device == DEVICE_CPU) {
    assert_int_equal(c.cores, parallel_threads());
    assert_int_equal(c.thread[0].threads, 1);
    assert_int_equal(c.thread[c.thread_count - 1].threads, parallel_threads());
    for (int k = 0; k < c.thread_count; k++) {
      check_rate(c.thread[k].read);
      check_rate(c.thread[k].copy);
      check_time(c.thread[k].loop, 1e-2);
    }
    assert_true(c.exchange == 0 && c.reply == 0);
    return;
  }

  printf("  times in us: launch %.2f, node %.2f, reply %.2f, barrier %.2f, exchange %.2f\n", 1e6 * c.launch,
         1e6 * c.node, 1e6 * c.reply, 1e6 * c.grid_sync, 1e6 * c.exchange);
  assert_int_equal(c.thread_count, 0);
  check_time(c.node, 1e-4);
  check_time(c.reply, 1e-2);
  assert_true(c.reply > c.node);

  // the last-level cache is faster than memory
  assert_true(c.cache_bytes > 1e5);
  assert_true(ceilings_read_rate(&c, c.cache_bytes / 2) > 1.2 * c.rate[c.size_count - 1].read);
  if (c.exchange == 0) return;
  check_time(c.exchange, 1e-4);
  check_time(c.grid_sync, 1e-4);
}

static void measurements_use_a_quarter_of_free_memory(void **state) {
  (void)state;
  Error error = { 0 };
  Ceilings c;
  setenv("PLIANT_MEMORY_MIB", "16", 1);
  const bool ok = ceilings_measure(device, &c, &error);
  setenv("PLIANT_MEMORY_MIB", "256", 1);
  if (!ok) fail_msg("%s", error.message);
  const double largest = c.rate[c.size_count - 1].bytes;
  if (!(largest <= 4 << 20 && largest > 1 << 20))
    fail_msg("the largest array has %g bytes, expected 1 to 4 MiB if 16 MiB are free", largest);
}

static bool always(void *context) {
  (void)context;
  return true;
}

static void an_interrupt_ends_the_measurement(void **state) {
  (void)state;
  Error error = { 0 };
  Ceilings c;
  interrupt_listen(always, NULL);
  const bool ok = ceilings_measure(device, &c, &error);
  interrupt_listen(NULL, NULL);
  assert_false(ok);
  assert_non_null(strstr(error.message, "interrupted"));
}

// The multiprocessors send each other packets; multiprocessor number `silent` sends none. The others must stop waiting
// for it and report an error. Afterwards the device must work again.
static void a_packet_that_does_not_come_is_an_error(void **state) {
  (void)state;
  Error error = { 0 };
  double seconds;
  if (device == DEVICE_CPU) skip();
  if (!ceilings_exchange(-1, &seconds, &error)) fail_msg("%s", error.message);
  if (seconds == 0) skip();  // this device has no cooperative kernels
  const double start = timer_seconds();
  for (int silent = 0; silent < 4; silent += 3) {
    Error why = { 0 };
    assert_false(ceilings_exchange(silent, &seconds, &why));
    assert_non_null(strstr(why.message, "the GPU lost or changed data that its multiprocessors exchanged"));
  }
  printf("  the wait for the missing packet ended after %.2f s\n", (timer_seconds() - start) / 2);
  check_time(timer_seconds() - start, 60);
  if (!ceilings_exchange(-1, &seconds, &error)) fail_msg("%s", error.message);
  check_time(seconds, 1e-4);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lower_bounds_are_bytes_over_the_measured_rate),
    cmocka_unit_test(measured_rates_are_plausible),
    cmocka_unit_test(measurements_use_a_quarter_of_free_memory),
    cmocka_unit_test(an_interrupt_ends_the_measurement),
    cmocka_unit_test(a_packet_that_does_not_come_is_an_error),
  };
  device = count > 1 && strcmp(words[1], "cuda") == 0 ? DEVICE_CUDA : DEVICE_CPU;
  if (!device_present(device)) {
    printf("skipped: %s\n", device_absence());
    return EXIT_SKIPPED;
  }

  // on a CPU, limits the memory, so that smaller arrays are measured, which saves time
  if (device == DEVICE_CPU) setenv("PLIANT_MEMORY_MIB", "256", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
