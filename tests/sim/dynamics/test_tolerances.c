// Tests that a freely vibrating beam conserves its energy for every tolerance of Newton's method. Even with a tolerance
// below rounding errors, no step may be repeated by backward Euler, which damps motion. For each material, the error of
// the energy in wide swings falls with dt. argv[1]: the device; argv[2]: the number of cells across the thickest beam,
// 2 by default.
#include "../sim_testing.h"

#include "sim/element/element_row.h"
#include "sim/settings.h"

static Device device;
static int cells_max = 2;

static SimulationSettings swinging(Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  s.cg_relative = 1e-6;
  return s;
}

static void energy_is_conserved_at_every_tolerance(void **state) {
  (void)state;
  const double tolerances[] = { 1e-3, 1e-5, 1e-9, 1e-13, 1e-15 };
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (int cells = 2; cells <= cells_max; cells *= 2)
      for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
        StepReport sum;
        SimulationSettings s = swinging((Precision)precision);
        s.newton_relative = tolerances[k];
        const double lost = vibration_energy_change(&s, cells, 0.2, 400, &sum);
        printf("  %s, %d cells, tolerance %.0e: energy changes by at most %.1e; ", precision_name((Precision)precision),
               cells, tolerances[k], lost);
        printf("%d Newton iterations, %d backtracks, %d steps converged up to rounding, %d steps damped\n",
               sum.newton_iterations, sum.backtracks, sum.rounded, sum.damped);
        assert_true(lost < 1e-3);
        assert_true(sum.damped == 0 && sum.substeps == 0 && sum.converged);
      }
}

// A beam bends by a third of its length and swings. The error of its energy with the midpoint rule falls as dt^2, which
// shows that the forces are the gradient of the energy. Otherwise the error would not depend on dt.
static void wide_swings_conserve_energy(void **state) {
  (void)state;
  const Stage *material = NULL;
  while ((material = stage_next(material, STAGE_ELEMENT, device, PRECISION_F64, "tet4"))) {
    SimulationSettings s = swinging(PRECISION_F64);
    StepReport sum;
    snprintf(s.material, sizeof s.material, "%s", material->name);
    s.newton_relative = 1e-10;
    s.second_invariant = 0.5;
    if (!settings_check(&s, &(Error){ 0 })) s.second_invariant = 0;  // the material has no such parameter
    double lost[2];
    for (int fine = 0; fine < 2; fine++) {
      s.dt = fine ? 1.0 / 480 : 1.0 / 240;
      lost[fine] = vibration_energy_change(&s, 2, 3, fine ? 240 : 120, &sum);
      assert_true(sum.damped == 0 && sum.substeps == 0 && sum.converged);
    }
    printf("  %s: energy changes by at most %.1e, with half the dt by %.1e\n", material->name, lost[0], lost[1]);
    assert_true(lost[0] < 1e-3 && lost[1] < 0.5 * lost[0]);
  }
}

int main(int count, char **words) {
  if (!choose_device(count < 2 ? count : 2, words, &device)) return EXIT_SKIPPED;
  elements_open_all(NULL);
  if (count > 2) cells_max = atoi(words[2]);
  const struct CMUnitTest tests[] = { cmocka_unit_test(energy_is_conserved_at_every_tolerance),
                                      cmocka_unit_test(wide_swings_conserve_energy) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
