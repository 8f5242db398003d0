// Bodies of every material there is: a freely vibrating beam keeps the energy that is told of it, and a stretched block
// has the colours of the material's own stresses. argv[1]: the device.
#include "sim_testing.h"

#include "closed_stresses.h"
#include "mesh/shapes.h"
#include "sim/field/tet_stress.h"
#include "sim/stage.h"

static Device device;

#define FOR_EACH_MATERIAL(material, precision)         \
  for (const Stage *material = NULL;                   \
       (material = stage_next(material, STAGE_ELEMENT, device, precision, "tet4"));)

// of a material, with a share of the second invariant where it takes one
static SimulationSettings settings_of(const Stage *material, const TetMesh *mesh, Precision precision) {
  Error error = { 0 };
  Simulation *made = NULL;
  SimulationSettings s = simulation_defaults();
  s.device = device, s.precision = precision;
  snprintf(s.material, sizeof s.material, "%s", material->name);
  s.second_invariant = 0.3;
  if (simulation_create(&made, mesh, &s, NULL, &error))
    simulation_destroy(made);
  else
    s.second_invariant = 0;
  return s;
}

// a beam held at its bottom swings sideways
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
      s.cg_relative = 1e-6, s.newton_relative = 1e-5, s.dt = 1.0 / 240;
      mesh_lumped_mass(&mesh, s.density, mass);
      for (int a = 0; a < mesh.node_count; a++) {
        pinned[a] = mesh.X[a][2] < 1e-9 ? PIN_ALL : 0;
        p[a][0] = pinned[a] ? 0 : 5 * mass[a] * mesh.X[a][2];
      }
      MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
      MUST(simulation_set_state(simulation, NULL, (const double(*)[3])p, &error));
      MUST(simulation_energy(simulation, &energy, &error));
      const double at_start = energy.kinetic + energy.elastic;
      double worst = 0, most = 0;
      for (int k = 0; k < 200; k++) {
        StepReport report;
        MUST(simulation_step(simulation, &report, &error));
        MUST(simulation_energy(simulation, &energy, &error));
        assert_true(report.converged && report.damped == 0);
        worst = fmax(worst, fabs(energy.kinetic + energy.elastic - at_start) / at_start);
        most = fmax(most, energy.elastic / at_start);
      }
      printf("  %s in %s: energy within %.1e, up to %.0f %% of it elastic\n", material->name,
             precision_name((Precision)precision), worst, 100 * most);
      assert_true(most > 0.9);  // it swings
      assert_true(worst < 1e-3);
      simulation_destroy(simulation);
    }
  free(pinned), free(mass), free(p);
  mesh_destroy(&mesh);
}

// by s along z: von Mises' stress is the difference of the two that there are, the largest principal one the larger
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
          x[a][2] *= stretch, u[a][2] = x[a][2] - mesh.X[a][2];
        }
        MUST(simulation_set_state(simulation, (const double(*)[3])x, NULL, &error));
        for (int kind = FIELD_VON_MISES; kind <= FIELD_J; kind++) {
          // two equal principal stresses are a double root: the square root of rounding
          const double tolerance = kind == FIELD_PRINCIPAL && precision == PRECISION_F32 ? 2e-4 : 2e-6;
          MUST(simulation_write_field(simulation, (FieldKind)kind, memory, &error));
          MUST(device_download(simulation_stream(simulation), values, memory, sizeof *values * count, &error));
          MUST(stream_sync(simulation_stream(simulation), &error));
          for (int a = 0; a < mesh.node_count; a++)
            if (!(fabs(values[a] - expected[kind]) < tolerance * (kind == FIELD_J ? 1 : scale)))
              fail_msg("%s in %s, field %d: %.9g, expected %.9g", material->name, precision_name((Precision)precision),
                       kind, values[a], expected[kind]);
        }
        // what VTU files say of each tet
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
  free(x), free(u), free(values);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(beams_keep_their_energy),
    cmocka_unit_test(stretched_blocks_have_their_colours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
