// Contact of a body with itself, and of bodies that are one mesh: nothing goes through, told by exact predicates after
// every step, momenta are kept, no energy is gained, and the bits are the same in every run. argv[1]: a pattern for the
// names of the tests to run.
#include "sim_testing.h"

#include "base/parallel.h"
#include "mesh/surface.h"
#include "sim/contact/advance.h"
#include "sim/contact/contact.h"
#include "sim/contact/crossing.h"
#include "sim/moduli.h"
#include "sim/settings.h"

// `other` moved by `by`, after the mesh's own nodes and tets
static void mesh_append(TetMesh *mesh, const TetMesh *other, const double by[3]) {
  Error error = { 0 };
  TetMesh both = { 0 };
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  MUST(mesh_allocate(&both, nodes + other->node_count, tets + other->tet_count, &error));
  both.node_count = nodes + other->node_count, both.tet_count = tets + other->tet_count;
  for (int a = 0; a < both.node_count; a++) {
    both.node_tag[a] = a + 1;
    for (int i = 0; i < 3; i++) both.X[a][i] = a < nodes ? mesh->X[a][i] : other->X[a - nodes][i] + by[i];
  }
  for (int e = 0; e < both.tet_count; e++)
    for (int k = 0; k < 4; k++) both.tet[e][k] = e < tets ? mesh->tet[e][k] : other->tet[e - tets][k] + nodes;
  mesh_destroy(mesh);
  *mesh = both;
}

// A simulation whose surface is looked at after every step.
typedef struct Trial {
  TetMesh mesh;
  Space space;
  Skin skin;
  Simulation *simulation;
  double (*x)[3], (*p)[3];
  double at_start, gained;  // J
  int steps, newton, most_newton, unfinished, substeps;
} Trial;

static double energy_of(Trial *t, double linear[3]) {
  Error error = { 0 };
  Energy e;
  MUST(simulation_energy(t->simulation, &e, &error));
  if (linear) memcpy(linear, e.linear, sizeof e.linear);
  return e.kinetic + e.elastic + e.potential;
}

static void make_skin(const TetMesh *mesh, Space *space, Skin *skin) {
  Error error = { 0 };
  Surface surface = { 0 };
  MUST(space_create(space, mesh, 3, &error));
  MUST(surface_create(&surface, mesh, &error));
  MUST(skin_create(skin, space, (const int(*)[3])surface.triangle, surface.triangle_count, &error));
  surface_destroy(&surface);
}

// the trial has its mesh
static void trial_start(Trial *t, const SimulationSettings *settings, const uint8_t *pinned) {
  Error error = { 0 };
  SimulationSettings s = *settings;
  s.self_contact = true;
  const size_t n = (size_t)t->mesh.node_count;
  t->x = malloc(n * sizeof *t->x), t->p = malloc(n * sizeof *t->p);
  make_skin(&t->mesh, &t->space, &t->skin);
  MUST(simulation_create(&t->simulation, &t->mesh, &s, pinned, &error));
}

static void trial_end(Trial *t) {
  simulation_destroy(t->simulation);
  skin_destroy(&t->skin);
  space_destroy(&t->space);
  mesh_destroy(&t->mesh);
  free(t->x), free(t->p);
}

static void trial_step(Trial *t) {
  Error error = { 0 };
  StepReport report;
  Crossings crossings;
  MUST(simulation_step(t->simulation, &report, &error));
  t->steps++, t->newton += report.newton_iterations, t->unfinished += !report.converged;
  t->substeps += report.substeps > 1;
  if (report.newton_iterations > t->most_newton) t->most_newton = report.newton_iterations;
  MUST(simulation_state(t->simulation, t->x, t->p, &error));
  MUST(find_crossings(&t->skin, (const double(*)[3])t->x, &crossings, &error));
  if (crossings.count > 0) fail_msg("step %d: %lld crossings", t->steps, (long long)crossings.count);
}

static SimulationSettings soft(double young, Precision precision) {
  SimulationSettings s = simulation_defaults();
  s.precision = precision, s.mu = lame_mu(young, 0.3), s.lambda = lame_lambda(young, 0.3);
  return s;
}

// two balls of 0.5 m that meet beside their middles at 2 m/s each, free of all else
static void balls_that_collide_keep_momentum_and_gain_no_energy(void **state) {
  (void)state;
  const double youngs[] = { 1e4, 1e5, 1e6, 1e7, 1e9 };
  for (size_t k = 0; k < sizeof youngs / sizeof *youngs; k++)
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
      Error error = { 0 };
      Trial t = { 0 };
      TetMesh other = { 0 };
      double before[3], after[3], mass = 0;
      MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 5, &t.mesh, &error));
      MUST(mesh_make_shape("sphere", (double[3]){ 0.5, 0.5, 0.5 }, 4, &other, &error));
      const int first = t.mesh.node_count;
      mesh_append(&t.mesh, &other, (double[3]){ 0.6, 0.1, 0.05 });
      mesh_destroy(&other);
      SimulationSettings s = soft(youngs[k], (Precision)precision);
      trial_start(&t, &s, NULL);
      double *m = malloc(sizeof *m * (size_t)t.mesh.node_count);
      mesh_lumped_mass(&t.mesh, s.density, m);
      for (int a = 0; a < t.mesh.node_count; a++) {
        mass += m[a];
        for (int i = 0; i < 3; i++) t.p[a][i] = i == 0 ? m[a] * (a < first ? 2 : -2) : 0;
      }
      MUST(simulation_set_state(t.simulation, NULL, (const double(*)[3])t.p, &error));
      t.at_start = energy_of(&t, before);
      double gained = 0, off = 0, separating = 0;
      while (t.steps < 60) {
        trial_step(&t);
        gained = fmax(gained, energy_of(&t, after) - t.at_start);
        for (int i = 0; i < 3; i++) off = fmax(off, fabs(after[i] - before[i]) / mass);
      }
      for (int a = 0; a < t.mesh.node_count; a++) separating += t.p[a][0] * (a < first ? -1 : 1) / mass;
      printf("  E %.0e, %s: velocity of the whole off by %.1e m/s, energy gained %.1e of %.3g J, apart at %.2f m/s; "
             "Newton %.1f a step, %d at most, %d unfinished, %d in parts\n",
             youngs[k], precision_name((Precision)precision), off, gained, t.at_start, separating,
             (double)t.newton / t.steps, t.most_newton, t.unfinished, t.substeps);
      free(m);
      trial_end(&t);
    }
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(balls_that_collide_keep_momentum_and_gain_no_energy),
  };
  if (count > 1) cmocka_set_test_filter(words[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
