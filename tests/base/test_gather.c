// Tests that removing items from arrays in parallel (base/gather.h) gives the result of a serial loop.
#include "../testing.h"

#include <stdbool.h>

#include "base/gather.h"
#include "base/parallel.h"
#include "base/random.h"

enum { COUNT = 30007, ITEM_SIZE_MAX = 40 };  // COUNT: each thread gets several pieces; the last piece is shorter

// Selects a fraction `share` of the numbers below COUNT at random, in ascending order. Returns how many it selected.
static int take_some(int *gone, double share) {
  uint64_t seed = 7;
  int count = 0;
  for (int k = 0; k < COUNT; k++)
    if (0.5 * (1 + random_unit(&seed)) < share) gone[count++] = k;
  return count;
}

static void remaining_numbers_are_consecutive(void **state) {
  (void)state;
  int *gone = malloc(sizeof *gone * COUNT), *left = malloc(sizeof *left * COUNT), *now = malloc(sizeof *now * COUNT);
  for (int threads = 1; threads <= 5; threads += 2)
    for (double share = 0; share < 1.2; share += 0.3) {
      const int count = take_some(gone, share);
      parallel_set_threads(threads);
      renumber_remaining(gone, count, COUNT, left, now);
      for (int k = 0, next = 0, g = 0; k < COUNT; k++) {
        const bool is = g < count && gone[g] == k;
        assert_int_equal(now[k], is ? -1 : next);
        assert_int_equal(renumbered(gone, count, k), now[k]);
        if (!is) assert_int_equal(left[next++], k);
        g += is;
      }

      // test replace_numbers: `number` contains all numbers in another order
      int *number = malloc(sizeof *number * COUNT);
      for (int k = 0; k < COUNT; k++) number[k] = (int)((int64_t)k * 7919 % COUNT);
      replace_numbers(number, COUNT, now);
      for (int k = 0; k < COUNT; k++) assert_int_equal(number[k], now[(int64_t)k * 7919 % COUNT]);
      free(number);
    }
  parallel_set_threads(0);
  free(gone);
  free(left);
  free(now);
}

static void items_of_any_size_go_where_they_are_listed(void **state) {
  (void)state;
  char *array = malloc((size_t)ITEM_SIZE_MAX * COUNT), *kept = malloc((size_t)ITEM_SIZE_MAX * COUNT);
  char *scratch = malloc((size_t)ITEM_SIZE_MAX * COUNT);
  int *gone = malloc(sizeof *gone * COUNT), *left = malloc(sizeof *left * COUNT);
  const int count = COUNT - take_some(gone, 0.01);
  renumber_remaining(gone, COUNT - count, COUNT, left, NULL);
  for (int threads = 1; threads <= 5; threads += 2)
    for (size_t size = 1; size <= ITEM_SIZE_MAX; size++) {
      parallel_set_threads(threads);
      for (size_t k = 0; k < size * COUNT; k++) array[k] = (char)(k % 251);
      copy_bytes(kept, array, size * COUNT);
      assert_memory_equal(kept, array, size * COUNT);
      keep_items(kept, left, count, size, scratch);
      for (int k = 0; k < count; k++)
        assert_memory_equal(kept + size * (size_t)k, array + size * (size_t)left[k], size);
    }
  parallel_set_threads(0);
  keep_items(NULL, left, count, 4, scratch);
  free(array);
  free(kept);
  free(scratch);
  free(gone);
  free(left);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(remaining_numbers_are_consecutive),
    cmocka_unit_test(items_of_any_size_go_where_they_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
