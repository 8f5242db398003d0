// Tests bodies of every material. A freely vibrating beam conserves its energy. A rotation does not change the strain
// energy. In a stretched block, the displayed fields of stress have the values of closed forms. Device and host find
// the same torn tets, which are the tets with a stress above a limit. argv[1]: the device; argv[2]: a pattern for the
// names of the tests to run.
#include "../sim_testing.h"

#include "../closed_stresses.h"
#include "base/sort.h"
#include "mesh/quadratic.h"
#include "mesh/shapes.h"
#include "sim/element/element_row.h"
#include "sim/report/tet_stress.h"
#include "sim/simulation_tear.h"
#include "sim/element/stage.h"

static Device device;

#define FOR_EACH_MATERIAL(material, precision) \
  for (const Stage *material = NULL; (material = stage_next(material, STAGE_ELEMENT, device, precision, "tet4"));)

// Returns settings with this material, and with the parameter second_invariant if the material has it.
static SimulationSettings settings_of(const Stage *material, const TetMesh *mesh, Precision precision) {
  Error error = { 0 };
  Simulation *made = NULL;
  SimulationSettings s = simulation_defaults();
  s.device = device;
  s.precision = precision;
  snprintf(s.material, sizeof s.material, "%s", material->name);
  s.second_invariant = 0.3;
  if (simulation_create(&made, mesh, &s, NULL, &error))
    simulation_destroy(made);
  else
    s.second_invariant = 0;
  return s;
}

// A beam that is clamped at its bottom swings sideways. The sum of its kinetic and elastic energy changes by less than
// 1e-3 of the initial value.
static void beams_keep_their_energy(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_shape("box", (double[3]){ 0.1, 0.1, 0.3 }, 2, &mesh, &error));
  const size_t n = (size_t)mesh.node_count;
  uint8_t *pinned = calloc(n, 1);
  double *mass = malloc(sizeof *mass * n), (*p)[3] = calloc(n, sizeof *p);
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    FOR_EACH_MATERIAL(material, (Precision)precision) {
      Simulation *simulation;
      Energy energy;
      SimulationSettings s = settings_of(material, &mesh, (Precision)precision);
      s.cg_relative = 1e-6;
      s.newton_relative = 1e-5;
      s.dt = 1.0 / 240;
      mesh_lumped_mass(&mesh, s.density, mass);
      for (int a = 0; a < mesh.node_count; a++) {
        pinned[a] = mesh.X[a][2] < 1e-9 ? PIN_ALL : 0;
        p[a][0] = pinned[a] ? 0 : 5 * mass[a] * mesh.X[a][2];
      }
      MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
      MUST(simulation_set_state(simulation, NULL, (const double(*)[3])p, &error));
      MUST(simulation_energy(simulation, &energy, &error));
      const double at_start = energy.kinetic + energy.elastic;
      double worst = 0, maximum = 0;
      for (int k = 0; k < 200; k++) {
        StepReport report;
        MUST(simulation_step(simulation, &report, &error));
        MUST(simulation_energy(simulation, &energy, &error));
        assert_true(report.converged && report.damped == 0);
        worst = fmax(worst, fabs(energy.kinetic + energy.elastic - at_start) / at_start);
        maximum = fmax(maximum, energy.elastic / at_start);
      }
      printf("  %s in %s: energy changes by at most %.1e of its value; up to %.0f %% of it is elastic\n",
             material->name, precision_name((Precision)precision), worst, 100 * maximum);
      assert_true(maximum > 0.9);  // the beam has swung far
      assert_true(worst < 1e-3);
      simulation_destroy(simulation);
    }
  free(pinned);
  free(mass);
  free(p);
  mesh_destroy(&mesh);
}

// A block is stretched by 1e-4 and turned by 100 degrees. Its strain energy is that of the block without the rotation.
// Rounding errors of displacements in float change the strains by about 1e-6, so the energies may differ by 2 %.
static void rotations_need_no_energy(void **state) {
  (void)state;
  const double TURN = 100 * acos(-1) / 180, STRETCH = 1e-4, c = cos(TURN), s_turn = sin(TURN);
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_shape("box", (double[3]){ 0.2, 0.2, 0.4 }, 3, &mesh, &error));
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    FOR_EACH_MATERIAL(material, (Precision)precision) {
      Simulation *simulation;
      Energy still, turned;
      SimulationSettings s = settings_of(material, &mesh, (Precision)precision);
      MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
      for (int a = 0; a < mesh.node_count; a++) {
        const double *X = mesh.X[a];
        x[a][0] = X[0];
        x[a][1] = X[1];
        x[a][2] = (1 + STRETCH) * X[2];
      }
      MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
      MUST(simulation_energy(simulation, &still, &error));
      for (int a = 0; a < mesh.node_count; a++) {
        const double X = x[a][0], Z = x[a][2];
        x[a][0] = c * X + s_turn * Z;
        x[a][2] = c * Z - s_turn * X;
      }
      MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
      MUST(simulation_energy(simulation, &turned, &error));
      const double change = turned.elastic / still.elastic - 1;
      printf("  %s in %s: strain energy %.3e J, changed by %.1e of it in the rotation\n", material->name,
             precision_name((Precision)precision), still.elastic, change);
      assert_true(fabs(change) < (precision == PRECISION_F32 ? 0.02 : 1e-8));
      simulation_destroy(simulation);
    }
  free(x);
  mesh_destroy(&mesh);
}

// A block that is stretched along z has one principal stress along z and two equal ones across z. So the von Mises
// stress is the difference of these two values, and the largest principal stress is the larger one.
static void stretched_blocks_have_their_colours(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_shape("box", (double[3]){ 1, 1, 1 }, 2, &mesh, &error));
  const size_t count = (size_t)mesh.node_count + FIELD_EXTRA;
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count), (*u)[3] = calloc((size_t)mesh.node_count, sizeof *u);
  float *values = malloc(sizeof *values * count), *memory = device_alloc(device, sizeof *values * count, &error);
  assert_non_null(memory);
  int held = 0;
  for (int graded = 0; graded < 2; graded++) {
    if (graded) mesh.stiffness = malloc(sizeof(double) * (size_t)mesh.tet_count);
    for (int e = 0; graded && e < mesh.tet_count; e++) mesh.stiffness[e] = 3;
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
      FOR_EACH_MATERIAL(material, (Precision)precision)
    for (size_t c = 0; c < sizeof closed_forms / sizeof *closed_forms; c++) {
      const ClosedForm *form = &closed_forms[c];
      if (strcmp(form->material, material->name) != 0) continue;
      const SimulationSettings s = settings_of(material, &mesh, (Precision)precision);
      for (double stretch = 0.8; stretch < 1.5; stretch += 0.5) {
        const double by = graded ? 3 : 1;
        const double along = by * form->along(s.mu, s.lambda, s.second_invariant, stretch);
        const double across = by * form->across(s.mu, s.lambda, s.second_invariant, stretch);
        const double expected[] = { 0, fabs(along - across), fmax(along, across), stretch };
        const double scale = by * s.mu;
        Simulation *simulation;
        MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
        for (int a = 0; a < mesh.node_count; a++) {
          memcpy(x[a], mesh.X[a], sizeof *x);
          x[a][2] *= stretch;
          u[a][2] = x[a][2] - mesh.X[a][2];
        }
        MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
        for (int kind = FIELD_VON_MISES; kind <= FIELD_J; kind++) {
          // Two equal principal stresses are a double root of a cubic equation. So their error is the square root of
          // the rounding error, and the tolerance must be larger.
          const double tolerance = kind == FIELD_PRINCIPAL && precision == PRECISION_F32 ? 2e-4 : 2e-6;
          MUST(simulation_write_field(simulation, (FieldKind)kind, memory, &error));
          MUST(device_download(simulation_stream(simulation), values, memory, sizeof *values * count, &error));
          MUST(stream_sync(simulation_stream(simulation), &error));
          for (int a = 0; a < mesh.node_count; a++)
            if (!(fabs(values[a] - expected[kind]) < tolerance * (kind == FIELD_J ? 1 : scale)))
              fail_msg("%s in %s, field number %d: value %.9g, expected %.9g", material->name,
                       precision_name((Precision)precision), kind, values[a], expected[kind]);
        }

        // the stress of each tet, as written to VTU files
        for (int e = 0; e < mesh.tet_count; e++) {
          double sigma[6];
          const double J = tet_cauchy_stress(&mesh, (const double(*)[3])u, e, &s, sigma);
          assert_true(fabs(J - stretch) < 1e-12 && fabs(sigma[2] - along) < 1e-9 * scale);
          assert_true(fabs(sigma[0] - across) < 1e-9 * scale && fabs(sigma[1] - across) < 1e-9 * scale);
        }
        held++;
        simulation_destroy(simulation);
      }
    }
  }

  assert_true(held > 0);
  device_free(device, memory);
  free(x);
  free(u);
  free(values);
  mesh_destroy(&mesh);
}

// Bends and twists the body, and inverts one of its tets.
static void deform(const TetMesh *mesh, double (*x)[3]) {
  for (int a = 0; a < mesh->node_count; a++) {
    const double *X = mesh->X[a], angle = 0.7 * X[2];
    x[a][0] = cos(angle) * X[0] - sin(angle) * X[1] + 0.1 * X[2] * X[2];
    x[a][1] = sin(angle) * X[0] + cos(angle) * X[1] + 0.05 * sin(5 * X[0]);
    x[a][2] = (1.2 + 0.2 * X[0]) * X[2] + 3;
  }
  x[mesh->tet[7][0]][2] += 0.4;
}

// Sets a limit of stress, and checks that the simulation finds as torn exactly the tets with a larger stress. own
// [count]: stress of each tet. sorted [count]: these stresses in ascending order. The limit is the mean of two
// neighbouring values of `sorted`: the first two, from index `from` on, that differ by more than rounding errors.
static void tears_at_the_limit(Simulation *simulation, FieldKind measure, const double *own, const double *sorted,
                               int count, int from) {
  Error error = { 0 };
  uint8_t *torn;
  int k = from, found;
  while (k + 2 < count && !(sorted[k + 1] - sorted[k] > 1e-9 * fabs(sorted[k]))) k++;
  const double bound = (sorted[k] + sorted[k + 1]) / 2;
  MUST(simulation_find_torn(simulation, measure, bound, &torn, &found, &error));
  assert_int_equal(found, count - 1 - k);
  assert_true((torn != NULL) == (found > 0));
  for (int e = 0; torn && e < count; e++)
    if (torn[e] != (own[e] > bound))
      fail_msg("tet %d has the stress %.17g Pa, the limit is %.17g Pa, but the flag torn is %d", e, own[e], bound,
               torn[e]);
  free(torn);
}

static void tears_equal_those_of_the_host(void **state) {
  (void)state;
  static const char *const shapes[] = { "tet4", "tet4_graded", "tet4_mixed", "tet10" };
  Error error = { 0 };
  for (int shape = 0; shape < 4; shape++) {
    TetMesh mesh = { 0 };
    MUST(mesh_make_shape("box", (double[3]){ 1, 1, 1 }, 5, &mesh, &error));
    if (shape == 3) MUST(mesh_raise(&mesh, 2, &error));
    const int count = mesh.tet_count;
    if (shape == 1 || shape == 2) mesh.stiffness = malloc(sizeof(double) * (size_t)count);
    if (shape == 2) mesh.ratio = malloc(sizeof(double) * (size_t)count);
    for (int e = 0; mesh.stiffness && e < count; e++) mesh.stiffness[e] = 1 + e % 3;
    for (int e = 0; mesh.ratio && e < count; e++) mesh.ratio[e] = e % 2 ? 2.5 : NAN;
    double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count), (*u)[3] = malloc(sizeof *u * (size_t)mesh.node_count);
    double *own = malloc(sizeof *own * (size_t)count), *sorted = malloc(sizeof *own * (size_t)count);
    deform(&mesh, x);
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
      FOR_EACH_MATERIAL(material, (Precision)precision) {
        if (!element_row(shapes[shape], material->name, device, (Precision)precision)) continue;
        Simulation *simulation;
        const SimulationSettings s = settings_of(material, &mesh, (Precision)precision);
        MUST(simulation_create(&simulation, &mesh, &s, NULL, &error));
        MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
        MUST(simulation_displacements(simulation, u, &error));
        for (int kind = FIELD_VON_MISES; kind <= FIELD_PRINCIPAL; kind++) {
          int numbers = 0;
          for (int e = 0; e < count; e++) {
            double sigma[6];
            tet_cauchy_stress(&mesh, (const double(*)[3])u, e, &s, sigma);
            own[e] = (kind == FIELD_VON_MISES ? von_mises : largest_principal)(sigma);
            numbers += !isnan(own[e]);
            sorted[e] = isnan(own[e]) ? -HUGE_VAL : own[e];
          }
          assert_true(numbers > count / 2);
          qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
          tears_at_the_limit(simulation, (FieldKind)kind, own, sorted, count, count / 2);
          tears_at_the_limit(simulation, (FieldKind)kind, own, sorted, count, count - 9);
          uint8_t *torn;
          int found;
          MUST(simulation_find_torn(simulation, (FieldKind)kind, 1.001 * fabs(sorted[count - 1]), &torn, &found,
                                    &error));
          assert_true(found == 0 && !torn);
        }
        simulation_destroy(simulation);
      }
    free(x);
    free(u);
    free(own);
    free(sorted);
    mesh_destroy(&mesh);
  }
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  elements_open_all(NULL);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(beams_keep_their_energy),
    cmocka_unit_test(rotations_need_no_energy),
    cmocka_unit_test(stretched_blocks_have_their_colours),
    cmocka_unit_test(tears_equal_those_of_the_host),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
