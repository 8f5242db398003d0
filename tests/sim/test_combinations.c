// Simulates some steps of a scene with the valid combinations of devices, assembly, matrix format, solver and
// precision. Solvers other than the default one run only with their default matrix. The displacements must agree with
// those in double precision on the CPU. argv[1]: "cpu" for combinations without a stage on the GPU, "cuda" for
// combinations with at least one stage on the GPU. argv[2]: the scene, by default the hand. argv[3]: "k/n" runs every
// n-th combination, from number k (counted from 0), so that n processes can divide the work.
#include "sim_testing.h"

#include "scene/session.h"

static Device device;
static const char *scene_name = "scenes/hand_coarse.json";
static int share = 0, shares = 1;

// Simulates two steps and returns the displacements [*nodes][3]; the caller frees the array. In tests with a GPU these
// are three steps, because the GPU records one step as a graph and then repeats it.
static double (*run(const SimulationSettings *choice, int *nodes))[3] {
  Error error = { 0 };
  static Scene scene;  // Scene and Session are too large for the stack
  static Session session;
  char path[SCENE_PATH_LENGTH];
  asset_path(scene_name, path);
  MUST(scene_read(&scene, path, &error));
  SimulationSettings *s = &scene.simulation;
  snprintf(scene.device, sizeof scene.device, "%s", device_name(choice->device));
  s->solver_device = choice->solver_device;
  s->precision = choice->precision;
  memcpy(s->assembly, choice->assembly, sizeof s->assembly);
  memcpy(s->matrix, choice->matrix, sizeof s->matrix);
  memcpy(s->solver, choice->solver, sizeof s->solver);
  MUST(session_create(&session, &scene, &error));
  *nodes = session.mesh.node_count;
  double(*u)[3] = malloc(sizeof *u * (size_t)*nodes);
  for (int step = 0; step < (device == DEVICE_CUDA ? 3 : 2); step++) {
    StepReport report;
    MUST(session_step(&session, &report, &error));
    assert_true(report.converged);
  }

  MUST(simulation_state(session.simulation, u, NULL, &error));
  for (int a = 0; a < *nodes; a++)
    for (int i = 0; i < 3; i++) u[a][i] -= session.mesh.X[a][i];
  session_destroy(&session);
  return u;
}

static void every_combination_agrees_with_double_on_the_cpu(void **state) {
  (void)state;
  int nodes, count = 0, number = 0;
  double worst = 0;
  const SimulationSettings plain = { .precision = PRECISION_F64, .assembly = "cpu", .matrix = "dcsr", .solver = "dcg" };
  double(*reference)[3] = run(&plain, &nodes);
  const Stage *a, *m, *v;
  for (int newton = DEVICE_CPU; newton <= DEVICE_CUDA; newton++)
    for (int ia = 0; (a = simulation_stage(STAGE_ASSEMBLY, "tet4", ia)); ia++)
      for (int im = 0; (m = simulation_stage(STAGE_OPERATOR, "tet4", im)); im++)
        for (int iv = 0; (v = simulation_stage(STAGE_SOLVER, "tet4", iv)); iv++) {
          const bool cuda = newton == DEVICE_CUDA || a->device == DEVICE_CUDA || m->device == DEVICE_CUDA;
          if (a->precision != m->precision || m->precision != v->precision || m->device != v->device) continue;
          if (!stage_fits(a, m)) continue;

          // Tests each matrix with the default solver, and each other solver with its default matrix only.
          // test_system.c tests all pairs.
          if (!v->preferred && m != stage_matrix_of(v)) continue;
          if (v->device == DEVICE_CUDA && stage_is_named(v, "block")) continue;  // the hand is too large for "block"
          if (cuda != (device == DEVICE_CUDA) || number++ % shares != share) continue;
          SimulationSettings s = { .device = (Device)newton,
                                   .solver_device = m->device == DEVICE_CUDA ? SOLVER_DEVICE_CUDA : SOLVER_DEVICE_CPU,
                                   .precision = a->precision };
          snprintf(s.assembly, sizeof s.assembly, "%s", a->name);
          snprintf(s.matrix, sizeof s.matrix, "%s", m->name);
          snprintf(s.solver, sizeof s.solver, "%s", v->name);
          double(*u)[3] = run(&s, &nodes);
          const double difference = relative_l2(&u[0][0], &reference[0][0], 3 * nodes);

          // tolerances of Newton and CG allow errors of about 1e-4
          if (!(difference <= 1e-4))
            fail_msg("newton on %s, %s, %s and %s on %s in %s: relative difference %.1e", device_name((Device)newton),
                     a->name, m->name, v->name, device_name(m->device), precision_name(a->precision), difference);
          worst = fmax(worst, difference);
          count++;
          free(u);
        }
  printf("  %d combinations, relative difference at most %.1e\n", count, worst);
  assert_true(count > 0);
  free(reference);
}

int main(int count, char **words) {
  device = count > 1 && strcmp(words[1], "cuda") == 0 ? DEVICE_CUDA : DEVICE_CPU;
  if (count > 2) scene_name = words[2];
  if (count > 3) sscanf(words[3], "%d/%d", &share, &shares);
  if (!device_present(device)) {
    printf("skipped: %s\n", device_absence());
    return EXIT_SKIPPED;
  }
  const struct CMUnitTest tests[] = { cmocka_unit_test(every_combination_agrees_with_double_on_the_cpu) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
