// Tests sort_by_key and sort_words. With any number of threads, sort_by_key must give the result of a serial counting
// sort. sort_words must give the result of qsort.
#include "../testing.h"

#include "base/parallel.h"
#include "base/random.h"
#include "base/sort.h"

static void items_of_a_key_keep_their_order(void **state) {
  (void)state;
  enum { COUNT = 300004, KEYS = 1001, GROUP = 4 };  // each thread gets several pieces; odd keys have no items
  Error error = { 0 };
  uint64_t seed = 5;
  int *key = malloc(sizeof *key * COUNT), *item = malloc(sizeof *item * COUNT);
  int64_t *start = malloc(sizeof *start * (KEYS + 1));
  for (int k = 0; k < COUNT; k++) key[k] = (int)(0.5 * (1 + random_unit(&seed)) * (KEYS - 2)) / 2 * 2;
  for (int group = 1; group <= GROUP; group += GROUP - 1)
    for (int threads = 1; threads <= 7; threads += 2) {
      parallel_set_threads(threads);
      for (int k = 0; k < COUNT; k++) item[k] = -1;
      assert_true(sort_by_key(key, COUNT, KEYS, group, start, item, &error));

      // next[key]: index in `item` at which the next number with this key is expected; numbers of a key ascend
      assert_int_equal(start[0], 0);
      assert_int_equal(start[KEYS], COUNT);
      int64_t next[KEYS];
      for (int k = 0; k < KEYS; k++) next[k] = start[k];
      for (int k = 0; k < COUNT; k++) {
        assert_true(next[key[k]] < start[key[k] + 1]);
        assert_int_equal(item[next[key[k]]++], k / group);
      }
    }
  parallel_set_threads(0);
  free(key);
  free(item);
  free(start);
}

static int compare_words(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void sorted_words_equal_those_of_qsort(void **state) {
  (void)state;
  enum { COUNT = 3001 };
  Error error = { 0 };
  uint64_t seed = 7, word[COUNT], expected[COUNT];
  for (int high = 0; high <= 50; high += 10) {  // with high > 0, some digits are equal in all words
    for (int k = 0; k < COUNT; k++)
      word[k] = expected[k] = (uint64_t)(1e4 * (1 + random_unit(&seed))) << high | (high % 20 ? UINT64_C(5) << 61 : 3);
    qsort(expected, COUNT, sizeof *expected, compare_words);
    for (int count = 0; count <= 1; count++) assert_true(sort_words(word, count, &error));
    assert_true(sort_words(word, COUNT, &error));
    assert_memory_equal(word, expected, sizeof word);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(items_of_a_key_keep_their_order),
                                      cmocka_unit_test(sorted_words_equal_those_of_qsort) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
