// Tests 16-bit floats (halves), in which a matrix in parts can store rounded blocks. Decoding of zero and of all normal
// values is compared with ldexp. Rounding is tested for values up to 32768, and between neighbouring ones. Also tests
// the scales of lanes, and how the blocks of each lane of a warp are stored, by products that read them.
#include <float.h>

#include "sim/operator/parts/part_halves.h"
#include "../sim_testing.h"

enum { HALVES = 65536, LEAST_NORMAL = 1 << 10, NOT_FINITE = 31 << 10 };

// Returns the absolute value of a 16-bit float from its bits: exponent in bits 10 to 14, fraction in bits 0 to 9.
static double meaning(int half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  return exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
}

static void every_half_is_decoded_correctly(void **state) {
  (void)state;
  int count = 0;
  for (int half = 0; half < HALVES; half++) {
    const int size = half & 0x7fff;

    // half_of never returns subnormal numbers, infinities and NaN
    if ((size > 0 && size < LEAST_NORMAL) || size >= NOT_FINITE) continue;
    const double expected = half >> 15 ? -meaning(size) : meaning(size);
    assert_true((double)number_of_half((uint16_t)half) == expected);
    if (size > 0 && meaning(size) <= 32768) {
      assert_int_equal(half_of((real)expected), half);
      count++;
    }
  }
  assert_int_equal(count, 2 * (29 * 1024 + 1));
}

static void numbers_between_go_to_the_nearer_half_or_the_even_one(void **state) {
  (void)state;
  for (int half = LEAST_NORMAL; meaning(half) < 32768; half++) {
    const real low = (real)meaning(half), high = (real)meaning(half + 1), middle = (low + high) / 2;
    const int even = half % 2 ? half + 1 : half;
    for (int sign = 0; sign < 2; sign++) {
      const real s = sign ? -1 : 1;
      const int bit = sign << 15;
      assert_int_equal(half_of(s * middle), bit | even);
      assert_int_equal(half_of(s * (real)nextafter((double)middle, 0)), bit | (sizeof(real) == 4 ? even : half));
      assert_int_equal(half_of(s * (middle - (high - low) / 64)), bit | half);
      assert_int_equal(half_of(s * (middle + (high - low) / 64)), bit | (half + 1));
      assert_int_equal(half_of(s * (real)nextafterf((float)middle, 0)), bit | half);
      assert_int_equal(half_of(s * (real)nextafterf((float)middle, 1e9F)), bit | (half + 1));
    }
  }
  const real least = (real)meaning(LEAST_NORMAL);
  assert_int_equal(half_of((real)nextafterf((float)least, 0)), 0);
  assert_int_equal(half_of(-least / 2), 0);
  assert_int_equal(half_of(0), 0);
}

static void scales_bring_the_largest_entry_below_32768(void **state) {
  (void)state;
  const int bound = sizeof(real) == sizeof(float) ? 110 : 1000;
  for (int exponent = -bound; exponent <= bound; exponent++)
    for (int k = 0; k < 3; k++) {
      const real maximum = (real)ldexp(k == 0 ? 1 : k == 1 ? 1.37 : 2 - 0x1p-20, exponent);
      const int e = lane_exponent(maximum);
      const real scaled = maximum * lane_scale(-e);
      assert_true(scaled >= 16384 && scaled < 32768);
      assert_true(scaled * lane_scale(e) == maximum);
    }
  const real huge = sizeof(real) == sizeof(float) ? (real)FLT_MAX : (real)DBL_MAX;
  assert_true(huge * lane_scale(-lane_exponent(huge)) < 32768);
  const real tiny = sizeof(real) == sizeof(float) ? (real)FLT_MIN : (real)DBL_MIN;
  assert_true(isfinite(lane_scale(-lane_exponent(tiny))) && tiny * lane_scale(-lane_exponent(tiny)) > 0);
  assert_int_equal(lane_exponent(0), 0);
  assert_int_equal(lane_exponent((real)INFINITY), EXPONENT_NONE);
  assert_int_equal(lane_exponent((real)NAN), EXPONENT_NONE);
  assert_true(isnan(lane_scale(EXPONENT_NONE)));
}

static double rounded_to_11_bits(double value) {
  int power;
  const double fraction = frexp(value, &power);
  return ldexp(nearbyint(ldexp(fraction, 11)), power - 11);
}

// Checks a tile of the matrix that a warp multiplies in `steps` steps; in each of them, a lane multiplies one block.
// The size of entries doubles from lane to lane, and one lane has an entry that is not finite.
static void check_tile(int dof, int steps) {
  enum { STEPS = 21, NODES = 40, BAD = 5 };
  const int size = dof * dof;
  uint64_t seed = (uint64_t)(dof + 10 * steps);
  int step_start[] = { 0, steps }, unit_start[] = { 0, 0 }, column[STEPS * PART_LANES];
  int16_t exponent[PART_LANES];
  static real values[STEPS * 9 * PART_LANES];
  static PartUnit unit[3 * 10 * PART_LANES + 1];
  memset(unit, 0xab, sizeof unit);
  for (int s = 0; s < steps; s++)
    for (int lane = 0; lane < PART_LANES; lane++) {
      const int other = (7 * s + 3 * lane) % NODES;
      column[s * PART_LANES + lane] = other;
      unit[s / PART_GROUP * (1 + size) * PART_LANES + lane].word[s % PART_GROUP] = (uint16_t)other;
      for (int e = 0; e < size; e++)
        values[(s * size + e) * PART_LANES + lane] = (real)ldexp(random_unit(&seed), lane - 16);
    }
  values[(steps - 1) * size * PART_LANES + BAD] = (real)(steps % 2 ? NAN : -INFINITY);
  PartLayout layout = { .tile_count = 1,
                        .step_start = step_start,
                        .halves = { .unit_start = unit_start, .unit = unit, .exponent = exponent } };
  real x[3 * NODES], sums[2][PART_LANES][3];
  for (int k = 0; k < dof * NODES; k++) x[k] = (real)random_unit(&seed);
  real lost[PART_LANES][6];
  for (int lane = 0; lane < PART_LANES; lane++) round_lane(&layout, values, 0, lane, dof, lost[lane]);
  int node[NODES];  // global number of the node with each local number
  real moved[3 * NODES];
  for (int k = 0; k < NODES; k++) {
    node[k] = NODES - 1 - k;
    for (int i = 0; i < dof; i++) moved[dof * node[k] + i] = x[dof * k + i];
  }
  halves_product(&layout, 0, moved, node, dof, sums[0]);
  halves_product(&layout, 0, x, NULL, dof, sums[1]);
  for (int s = 0; s < steps; s++)
    for (int lane = 0; lane < PART_LANES; lane++)
      assert_int_equal(part_local_column(&layout, 0, lane, s, dof), column[s * PART_LANES + lane]);

  for (int lane = 0; lane < PART_LANES; lane++) {
    double taken[9] = { 0 };
    for (int i = 0; i < dof; i++) {
      double expected = 0, all = 0;
      for (int s = 0; s < steps; s++)
        for (int k = 0; k < dof; k++) {
          const real entry = values[(s * size + i * dof + k) * PART_LANES + lane];
          const real mirror = values[(s * size + k * dof + i) * PART_LANES + lane];
          const real even = i == k ? entry : (entry + mirror) / 2, odd = i == k ? 0 : (entry - mirror) / 2;
          const double rounded = lane == BAD ? NAN : rounded_to_11_bits(even) + rounded_to_11_bits(odd);
          expected += rounded * x[dof * column[s * PART_LANES + lane] + k];
          all += (fabs(even) + fabs(odd)) * fabs(x[dof * column[s * PART_LANES + lane] + k]);
          if (k >= i) taken[i * dof + k] += even - rounded_to_11_bits(even);
        }
      assert_true(lane == BAD ? isnan(sums[0][lane][i]) : fabs(sums[0][lane][i] - expected) <= 1e-6 * all);
      assert_true(lane == BAD ? isnan(sums[1][lane][i]) : sums[1][lane][i] == sums[0][lane][i]);
    }
    int at = 0;
    const double bound = 1e-6 * steps * ldexp(1, lane - 16);
    for (int i = 0; i < dof; i++)
      for (int k = i; k < dof; k++, at++)
        assert_true(lane == BAD ? isnan(lost[lane][at]) : fabs(lost[lane][at] - taken[i * dof + k]) <= bound);
  }

  // the bytes after the last unit of the tile must be unchanged
  const int groups = steps / PART_GROUP, rest = steps % PART_GROUP;
  const int units = groups * (1 + size) + (rest ? 1 + part_units(rest * size) : 0);
  for (int k = 0; k < PART_UNIT; k++) assert_int_equal(unit[units * PART_LANES].word[k], 0xabab);
}

static void units_hold_the_blocks_of_a_lane(void **state) {
  (void)state;
  for (int steps = 1; steps <= 21; steps++) {
    check_tile(1, steps);
    check_tile(3, steps);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_half_is_decoded_correctly),
    cmocka_unit_test(numbers_between_go_to_the_nearer_half_or_the_even_one),
    cmocka_unit_test(scales_bring_the_largest_entry_below_32768),
    cmocka_unit_test(units_hold_the_blocks_of_a_lane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
