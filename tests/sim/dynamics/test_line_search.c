// Tests the line search of Newton's method in steps with contact (newton_weigh in decision.h): along a direction, the
// accepted trial is near the minimum of the step's potential, and a trial beyond the minimum is refused once.
#define REAL double
#define REAL_SUFFIX f64
#include "sim/dynamics/decision.h"

#include "../../testing.h"

// Runs a line search along a direction for which the potential is a parabola with its minimum at the step length
// `lowest`. All residuals are too large, so the potential decides about each trial. Returns the accepted step length; 0
// if the search has ended without one.
static double search(double lowest) {
  const NewtonBounds bounds = { .relative = 1e-6, .least_weight = 1, .iterations_max = 60 };
  const ResidualNorms norms = { .residual = 1, .min_J = 1 };
  NewtonProgress n = { .residual = 0.5, .least_residual = 0.5, .fraction = 1 };
  for (; n.backtrack <= BACKTRACKS_MAX; n.backtrack++, n.fraction /= 2) {
    newton_judge(&n, &bounds, &norms, n.fraction);
    assert_true(newton_judge_touching(&n, &bounds, &norms, n.fraction, true));
    const double off = n.fraction - lowest;
    newton_weigh(&n, &norms, off * off - lowest * lowest);
    if (n.accepted) return n.fraction;
  }
  return 0;
}

static void the_accepted_step_is_near_the_minimum(void **state) {
  (void)state;
  int closer = 0;
  for (double lowest = 1; lowest > 0.01; lowest *= 0.97) {
    const double step = search(lowest);
    // If the minimum is below half of the full step, the accepted step is closer to it than twice this step is.
    if (lowest < 0.5) closer += fabs(step - lowest) <= fabs(2 * step - lowest);
    if (lowest < 0.5) assert_true(step > 0.65 * lowest && step < 1.34 * lowest);
    // The full step is never compared with a longer one, so it is accepted wherever the potential decreases.
    if (lowest > 0.5) assert_true(step == 1);
  }
  assert_true(closer > 100);
}

// The rule compares a trial with the trial before it, whose step was twice as long. If the trial before was refused for
// another reason, such as an inverted cell, nothing is known about the potential there.
static void an_unknown_potential_does_not_count(void **state) {
  (void)state;
  const NewtonBounds bounds = { .relative = 1e-6, .least_weight = 1, .iterations_max = 60 };
  const ResidualNorms norms = { .residual = 1, .min_J = 1 }, inverted = { .residual = 1, .min_J = -1 };
  NewtonProgress n = { .residual = 0.5, .least_residual = 0.5, .fraction = 1 };
  newton_judge(&n, &bounds, &norms, 1);
  assert_true(newton_judge_touching(&n, &bounds, &norms, 1, true));
  newton_weigh(&n, &norms, 10);
  assert_false(n.accepted);
  n.backtrack = 1;
  n.fraction = 0.5;
  newton_judge(&n, &bounds, &inverted, 0.5);
  assert_false(newton_judge_touching(&n, &bounds, &inverted, 0.5, true));
  n.backtrack = 2;
  n.fraction = 0.25;
  newton_judge(&n, &bounds, &norms, 0.25);
  assert_true(newton_judge_touching(&n, &bounds, &norms, 0.25, true));
  newton_weigh(&n, &norms, -1);
  assert_true(n.accepted);
}

// The last allowed trial is accepted if it decreases the potential.
static void the_last_trial_counts(void **state) {
  (void)state;
  assert_true(search(1.01 * ldexp(1, -BACKTRACKS_MAX - 1)) == ldexp(1, -BACKTRACKS_MAX));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_accepted_step_is_near_the_minimum),
    cmocka_unit_test(an_unknown_potential_does_not_count),
    cmocka_unit_test(the_last_trial_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
