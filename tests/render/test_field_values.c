// Tests the numbers of legends and colour ranges: percentiles of a field, ranges of logarithmic scales, and ticks.
#include "../testing.h"

#include "base/sort.h"
#include "hud/legend_ticks.h"
#include "render/color_map.h"
#include "render/field_values.h"

static void percentiles_agree_with_sorting(void **state) {
  (void)state;
  enum { MAX = 700 };
  float values[MAX];
  double sorted[MAX], range[2];
  uint32_t seed = 7;
  for (int count = 1; count <= MAX; count = 3 * count + 2)
    for (int percent = 0; percent < 50; percent += 7) {
      for (int k = 0; k < count; k++) {
        seed = seed * 1664525 + 1013904223;
        values[k] = (float)(seed >> 24) - 100;  // 256 different values, so that many are equal
        sorted[k] = (double)values[k];
      }
      qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
      const int below = (int)lround(percent / 100.0 * (count - 1));
      assert_true(field_percentiles(values, count, percent, false, range));
      if (range[0] != sorted[below] || range[1] != sorted[count - 1 - below])
        fail_msg("%d values without the lowest and highest %d %%: from %g to %g, expected %g to %g", count, percent,
                 range[0], range[1], sorted[below], sorted[count - 1 - below]);
    }
}

static void percentiles_may_use_only_positive_values(void **state) {
  (void)state;
  float values[] = { -5, 3, NAN, 0, 0.5f, INFINITY, 7 }, none[] = { -1, 0, NAN };
  double range[2] = { 0, 0 };
  assert_true(field_percentiles(values, 7, 0, true, range));
  assert_true(range[0] == 0.5 && range[1] == 7);
  assert_false(field_percentiles(none, 3, 0, true, range));
  assert_false(field_percentiles(none, 0, 0, false, range));
}

static void logarithmic_ranges_are_round_and_positive(void **state) {
  (void)state;

  // Values from low to high must give this range. Its ends are 1, 2 or 5 times a power of ten, and the low end is less
  // than the high end but at least 1e-6 of it.
  const struct {
    double low, high, range[2];
  } cases[] = { { 0.3, 450, { 0.2, 500 } },
                { 1, 10, { 1, 10 } },
                { 1e-20, 3, { 5e-6, 5 } },
                { 2, 2, { 0.2, 2 } },
                { 7e5, 9e7, { 5e5, 1e8 } } };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double range[2];
    field_range_log(cases[k].low, cases[k].high, range);
    for (int i = 0; i < 2; i++)
      if (!(fabs(range[i] / cases[k].range[i] - 1) < 1e-12))
        fail_msg("case %zu: the range is %g to %g, expected %g to %g", k, range[0], range[1], cases[k].range[0],
                 cases[k].range[1]);
  }
}

static void ranges_are_round_and_contain_the_values(void **state) {
  (void)state;
  for (int exponent = -12; exponent <= 12; exponent++)
    for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
      char text[16];
      double range[2];
      snprintf(text, sizeof text, "%de%d", digit, exponent);
      const double round = strtod(text, NULL), next = digit == 1 ? 2 : digit == 2 ? 2.5 : 2;
      assert_true(field_round_up(round) == round);
      const double above = round * (1 + 1e-5), below = round * (1 - 1e-5);
      assert_true(fabs(field_round_up(above) / (next * round) - 1) < 1e-12);
      field_range(FIELD_VON_MISES, 0, above, range);
      assert_true(range[0] == 0 && range[1] >= above);
      field_range_log(below, 7 * round, range);
      assert_true(range[0] <= below && range[1] >= 7 * round);
      field_range_log(round, 7 * round, range);
      assert_true(range[0] == round);
    }
}

static void dragged_ends_have_few_digits(void **state) {
  (void)state;

  // The user drags an end of a legend with this range and scale (log: logarithmic) to `value`. text: the rounded value.
  // It has so few digits that it differs by at most 1/200 of the width of the range (legend_round).
  const struct {
    double range[2];
    bool log;
    double value;
    const char *text;
  } cases[] = { { { 0, 1 }, false, 0.123456, "0.12" },
                { { -20, 979.3 }, false, 123.456, "123" },
                { { 12345.6, 98765.4 }, false, 23456.7, "23500" },
                { { 1e6, 1.001e6 }, false, 1000567.8, "1000570" },
                { { 0, 3e-7 }, false, 1.23456e-7, "1.23e-07" },
                { { 0, 4e9 }, false, 1.23456e9, "1230000000" },
                { { 0.01, 1e5 }, true, 0.0123456, "0.0123" },
                { { 100, 101 }, true, 100.456, "100.46" },
                { { 2, 2 }, false, 0.123456, "0.123456" } };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[32];
    const double value = legend_round(cases[k].range, cases[k].log, cases[k].value);
    snprintf(text, sizeof text, "%.16g", value);
    if (strcmp(text, cases[k].text) != 0)
      fail_msg("case %zu: the rounded value is %s, expected %s", k, text, cases[k].text);
  }
}

static void legends_have_values_that_do_not_overlap(void **state) {
  (void)state;

  // gap: smallest distance of two ticks, as a fraction of the legend's height. count: expected number of ticks, with
  // both ends of the range.
  const struct {
    double range[2];
    bool log;
    double gap;
    int count;
  } cases[] = {
    { { -2, 2 }, false, 0.1, 5 },  // expected ticks: quarters of the range
    { { -2, 2 }, false, 0.3, 3 },  // halves, since a legend of small height has no space for quarters
    { { 1, 1e4 }, true, 0.1, 5 },  // 1, 10, 100, 1000, 10000
    // of the powers of ten between the ends, only 100 is far enough from the other labels
    { { 1, 1e4 }, true, 0.3, 3 },
    { { 3, 40 }, true, 0.1, 5 },     // 3, 5, 10, 20, 40
    { { 0.3, 0.4 }, true, 0.1, 2 },  // only the ends: no 1, 2 or 5 times a power of ten is in between
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    LegendTick tick[LEGEND_TICKS_MAX];
    const double *range = cases[c].range;
    const int count = legend_ticks(range, cases[c].log, cases[c].gap, tick);
    if (count != cases[c].count) fail_msg("case %zu: the legend has %d values, expected %d", c, count, cases[c].count);
    assert_true(tick[0].value == range[0] && tick[1].value == range[1]);
    for (int k = 0; k < count; k++) {
      const double value = legend_value(range, cases[c].log, tick[k].part);
      if (!(fabs(value - tick[k].value) <= 1e-12 * fabs(range[1])))
        fail_msg("case %zu: the legend shows %g at the position of %g", c, tick[k].value, value);
      for (int other = 0; other < k; other++) assert_true(fabs(tick[k].part - tick[other].part) >= cases[c].gap);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(percentiles_agree_with_sorting),
    cmocka_unit_test(percentiles_may_use_only_positive_values),
    cmocka_unit_test(logarithmic_ranges_are_round_and_positive),
    cmocka_unit_test(ranges_are_round_and_contain_the_values),
    cmocka_unit_test(dragged_ends_have_few_digits),
    cmocka_unit_test(legends_have_values_that_do_not_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
