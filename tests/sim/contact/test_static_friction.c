// Tests friction in static problems. A block on the floor sticks below Coulomb's limit, and slips at this limit.
// argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "../obstacle_testing.h"

#include "sim/contact_report.h"
#include "sim/statics/load_path.h"

enum { EQUILIBRIA = 64 };

#ifdef __SANITIZE_ADDRESS__
// With the address sanitizer each case takes ten times as long, so only some cases run. Other builds run all cases.
static const bool all_cases = false;
#else
static const bool all_cases = true;
#endif

static const double MU = 0.3;

// A block of 0.2 x 0.2 x 0.1 m over the floor, with or without self-contact.
typedef struct Block {
  TetMesh mesh;
  SimulationSettings settings;
  Simulation *simulation;
  uint8_t *pinned;
  double (*load)[3];         // [nodes], N, external forces at the load factor 1
  double force[3];           // N, force of the floor on the block in the last equilibrium
  double ratio[EQUILIBRIA];  // ratio of the friction along -x to the normal force, for each equilibrium
  int reached;               // number of equilibria found
} Block;

static Block make_block(Precision precision, bool self_contact, bool held) {
  Error error = { 0 };
  Block b = { .mesh = box(4, 4, 2, (const double[3]){ 0.2, 0.2, 0.1 }) };
  const int nodes = b.mesh.node_count;
  for (int a = 0; a < nodes; a++) b.mesh.X[a][2] += 3e-4;
  b.settings = soft(1e5, precision);
  b.settings.self_contact = self_contact;
  b.settings.has_floor = true;
  b.settings.friction = MU;
  b.settings.newton_relative = precision == PRECISION_F64 ? 1e-8 : 1e-6;
  b.pinned = calloc((size_t)nodes, 1);
  b.load = calloc((size_t)nodes, sizeof *b.load);
  for (int a = 0; a < nodes; a++) b.pinned[a] = held && b.mesh.X[a][2] > 0.1 ? PIN_ALL : 0;
  MUST(simulation_create(&b.simulation, &b.mesh, &b.settings, b.pinned, &error));
  return b;
}

static void free_block(Block *b) {
  simulation_destroy(b->simulation);
  mesh_destroy(&b->mesh);
  free(b->pinned);
  free(b->load);
}

// Stores the force of the floor on the block, and its ratio of friction to normal force. load_path_run calls this
// function at each equilibrium.
static bool note_force(void *block, double factor, const StepReport *report, Error *error) {
  (void)factor, (void)report;
  Block *b = block;
  BodyContact *list;
  int count;
  if (!contact_of_bodies(b->simulation, &list, &count, error)) return false;
  assert_int_equal(count, 1);
  memcpy(b->force, list[0].force, sizeof b->force);
  b->ratio[b->reached++ % EQUILIBRIA] = -b->force[0] / b->force[2];
  free(list);
  return true;
}

// Applies gravity of 10 m/s^2 and, at the nodes of the top, horizontal forces with a resultant of `pull` times the
// weight. Gravity and forces grow with the load factor. Returns false if there is no equilibrium.
static bool pull_block(Block *b, double pull, Error *error) {
  const int nodes = b->mesh.node_count;
  double *mass = calloc((size_t)nodes, sizeof *mass), top = 0, weight = 0;
  LoadPathReport report;
  mesh_lumped_mass(&b->mesh, b->settings.density, mass);
  for (int a = 0; a < nodes; a++) {
    weight += 10 * mass[a];
    top += b->mesh.X[a][2] > 0.1 ? mass[a] : 0;
  }
  for (int a = 0; a < nodes; a++) {
    const double part = b->mesh.X[a][2] > 0.1 ? mass[a] / top : 0;
    b->load[a][0] = 0.6 * pull * weight * part;
    b->load[a][1] = 0.8 * pull * weight * part;
    b->load[a][2] = -10 * mass[a];
  }
  free(mass);
  const LoadPath path = {
    .increments = 2, .force = (const double(*)[3])b->load, .pinned = b->pinned, .reached = note_force, .user = b
  };
  return load_path_run(b->simulation, &b->mesh, &path, &report, error);
}

// Only friction holds the block. If the pull is below the limit of friction, friction equals the pull. Above the limit
// there is no equilibrium, and the message says why.
static void a_free_block_sticks_up_to_the_limit(void **state) {
  (void)state;
  const Precision precisions[] = { PRECISION_F64, PRECISION_F32 };
  const double weight = 0.2 * 0.2 * 0.1 * 1000 * 10, pulls[] = { 0.5 * MU, 0.98 * MU, 1.02 * MU };
  for (int k = all_cases ? 0 : 4; k < 6; k++) {
    Error error = { 0 };
    const double pull = pulls[k % 3];
    Block b = make_block(precisions[k / 3], true, false);
    const bool holds = pull_block(&b, pull, &error);
    assert_int_equal(holds, pull < MU);
    if (holds) {
      printf("  pull %.3f times the weight W, in %s: the force of the floor is (%.5f, %.5f, %.5f) W\n", pull,
             precision_name(precisions[k / 3]), b.force[0] / weight, b.force[1] / weight, b.force[2] / weight);
      assert_true(fabs(b.force[0] + 0.6 * pull * weight) < 1e-4 * weight);
      assert_true(fabs(b.force[1] + 0.8 * pull * weight) < 1e-4 * weight);
      assert_true(fabs(b.force[2] - weight) < 1e-4 * weight);
    } else {
      assert_non_null(strstr(error.message, "no equilibrium found beyond"));
      assert_non_null(strstr(error.message, "friction has reached its limit"));
    }
    free_block(&b);
  }
}

// Prescribes the displacements of the top of the block at the load factor: down by 4 mm, then to the right by 12 mm,
// then back by 20 mm.
static void follow_top(void *block, double factor, double (*moved)[3]) {
  const Block *b = block;
  const double t = 3 * factor, right = t < 1 ? 0 : t < 2 ? 0.012 * (t - 1) : 0.012 - 0.02 * (t - 2);
  for (int a = 0; a < b->mesh.node_count; a++) {
    if (!b->pinned[a]) continue;
    moved[a][0] += right;
    moved[a][2] -= 0.004 * fmin(t, 1);
  }
}

// Presses and moves the block by follow_top in this number of increments, and asserts that none had to be halved. In
// the result, ratio[k] is the ratio of friction to normal force after increment k, counted from 0.
static Block press_and_move(Precision precision, bool self_contact, int increments) {
  Error error = { 0 };
  LoadPathReport report;
  Block b = make_block(precision, self_contact, true);
  double(*force)[3] = calloc((size_t)b.mesh.node_count, sizeof *force), sum[3] = { 0 };
  const LoadPath path = {
    .increments = increments, .follow = follow_top, .pinned = b.pinned, .reached = note_force, .user = &b
  };
  MUST(load_path_run(b.simulation, &b.mesh, &path, &report, &error));
  assert_int_equal(b.reached, increments);

  // The sum of the internal forces at the nodes whose displacements are prescribed balances the force of the floor.
  MUST(simulation_internal_force(b.simulation, force, &error));
  for (int a = 0; a < b.mesh.node_count; a++)
    for (int i = 0; i < 3; i++) sum[i] += b.pinned[a] ? force[a][i] : 0;
  for (int i = 0; i < 3; i++) assert_true(fabs(sum[i] + b.force[i]) < 1e-4 * b.force[2]);
  free(force);
  return b;
}

// While the top moves, friction grows to mu times the normal force N and stays there. When the top moves back, friction
// changes its direction.
static void a_moved_block_slips_at_the_limit(void **state) {
  (void)state;
  for (int k = 0; k < 4; k += all_cases ? 1 : 2) {
    const Precision precision = k % 2 ? PRECISION_F32 : PRECISION_F64;
    for (int fine = 0; fine < (all_cases ? 2 : 1); fine++) {
      const int increments = fine ? 30 : 15, third = increments / 3;
      Block b = press_and_move(precision, k / 2, increments);
      const double *ratio = b.ratio, half = ratio[third + third / 2 - 1];
      printf("  %s, %s, %d increments: friction / N is %.4f pressed, %.4f halfway, %.4f moved, %.4f moved back\n",
             precision_name(precision), k / 2 ? "with self-contact" : "without self-contact", increments,
             ratio[third - 1], half, ratio[2 * third - 1], ratio[3 * third - 1]);
      assert_true(fabs(ratio[third - 1]) < 0.05 * MU);           // pressed only
      assert_true(half > 0.3 * MU && half < MU);                 // a part of the lower face slips
      assert_true(fabs(ratio[2 * third - 1] - MU) < 0.02 * MU);  // all of the lower face slips
      assert_true(fabs(ratio[3 * third - 1] + MU) < 0.02 * MU);  // the lower face slips back
      for (int i = 0; i < b.reached; i++) assert_true(fabs(ratio[i]) < MU * (1 + 1e-3));
      free_block(&b);
    }
  }
}

int main(int argc, char **argv) {
  if (!choose_device(argc, argv, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = { cmocka_unit_test(a_free_block_sticks_up_to_the_limit),
                                      cmocka_unit_test(a_moved_block_slips_at_the_limit) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
