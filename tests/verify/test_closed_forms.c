// Compares the closed forms of `pliant verify` with independently computed numbers.
#include "../testing.h"

#include "verify/closed_forms.h"
#include "verify/verify.h"

static void near(double value, double expected) {
  assert_true(fabs(value - expected) < 1e-6);
}

static void stretches(void **state) {
  (void)state;

  // A block is stretched by `stretch` along 1 or 2 axes. P is the expected stress along these axes, divided by Young's
  // modulus, and free_stretch the expected stretch along the other axes.
  static const struct {
    int axes;
    double poisson, stretch, P, free_stretch;
  } rows[] = {
    { 1, 0.3, 0.5, -0.935352, 1.210767 }, { 1, 0.3, 1.1, 0.0930774, 0.971493 }, { 1, 0.3, 1.5, 0.378280, 0.880175 },
    { 1, 0.3, 2.0, 0.646745, 0.798078 },  { 1, 0.45, 2.0, 0.598796, 0.725935 }, { 2, 0.3, 1.2, 0.233989, 0.842587 },
    { 2, 0.3, 1.5, 0.467916, 0.652019 },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const Stretched s = stretched(rows[k].axes, rows[k].stretch, rows[k].poisson);
    near(s.P, rows[k].P);
    near(s.free_stretch, rows[k].free_stretch);
  }
}

// Displacement of the free end of a bar under its weight, divided by its length, for the load rho g L / E. A negative
// load compresses the bar. The fixed end does not move.
static void bar(void **state) {
  (void)state;
  near(bar_tip(0.05), 0.0254165);
  near(bar_tip(0.1), 0.0516642);
  near(bar_tip(0.5), 0.290229);
  near(bar_tip(-0.05), -0.0245835);
  near(bar_tip(-0.1), -0.0483358);
  near(bar_tip(-0.5), -0.209771);
  near(bar_displacement(0.5, 0), 0);
}

// For small pressures p, the closed forms must agree with Lame's linear solutions. The change of a cube of edge 1 is -p
// (1 - 2 nu) / E. The change of a cylinder's inner radius is (1 + nu) p a ((1 - 2 nu) a^2 + b^2) / (E (b^2 - a^2)).
static void pressures(void **state) {
  (void)state;
  const double p = 1e-4;
  near((pressed_stretch(p, 0.3) - pressed_stretch(-p, 0.3)) / (2 * p), -0.4);
  near((cylinder_inflation(p, 0.3, 2) - cylinder_inflation(-p, 0.3, 2)) / (2 * p), 1.3 * (0.4 + 4) / 3);
  near(pressed_stretch(0.3, 0.3), 0.910978);  // a large pressure, 0.3 E, for which the block is not linear
}

// A check must fail if its error exceeds the bound or is NaN.
static void checks(void **state) {
  (void)state;
  static CaseReport report;
  report_relative(&report, "good", "", 2, 2.0001, 1e-3);
  report_relative(&report, "bad", "", 2, 2.1, 1e-3);
  report_check(&report, "not a number", "", 0, NAN, 1, 1e-3);
  assert_int_equal(report.check_count, 3);
  assert_true(report.checks[0].passed);
  assert_false(report.checks[1].passed);
  assert_false(report.checks[2].passed);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(stretches), cmocka_unit_test(bar), cmocka_unit_test(pressures),
                                      cmocka_unit_test(checks) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
