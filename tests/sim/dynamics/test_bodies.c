// Tests scenes of several bodies. Bodies that do not touch must move as in scenes with only one body, whatever the
// materials of the other bodies. Grabs act on one body, energies and momenta of bodies add up to those of the scene,
// and a saved scene continues with the same bits. argv[1]: the device; argv[2]: a pattern for the names of the tests to
// run.
#include "../sim_testing.h"

#include <unistd.h>

#include "scene/scene_save.h"

static Device device;

// Opens a scene, given as JSON text, on the tested device in this precision. The caller destroys the session.
static Session *open_text(const char *text, Precision precision) {
  Error error = { 0 };
  char path[] = "/tmp/pliant-bodies-XXXXXX.json";
  Scene *scene = malloc(sizeof *scene);
  Session *session = malloc(sizeof *session);
  const int file = mkstemps(path, 5);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
  MUST(scene_read(scene, path, &error));
  unlink(path);
  snprintf(scene->device, sizeof scene->device, "%s", device_name(device));
  scene->simulation.precision = precision;
  if (precision == PRECISION_F32) scene->simulation.newton_relative = 2e-7;
  MUST(scene_check_mesh(scene, &error));
  MUST(session_create(session, scene, &error));
  free(scene);
  return session;
}

static void close_session(Session *session) {
  session_destroy(session);
  free(session);
}

static void take_steps(Session *session, int count) {
  Error error = { 0 };
  StepReport report;
  for (int k = 0; k < count; k++) {
    MUST(session_step(session, &report, &error));
    assert_true(report.converged && report.min_J > 0);
  }
}

#define TIGHT "\"newton_relative\": 1e-9, \"cg_relative\": 1e-6, \"newton_max\": 50"

// Bodies fly freely, with different damping. In a step, the midpoint rule changes the velocity v of a body to v' =
// (v (1 - a) + g dt) / (1 + a), with a = damping dt/2. The centre of the body moves by dt times the mean of v and v'.
static void free_flight_has_its_closed_form(void **state) {
  (void)state;
  Error error = { 0 };
  static const char text[] =
      "{\"bodies\": ["
      "{\"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.3, 0.2], \"cells\": 2}, \"turn\": {\"axis\": [1, 2, 3],"
      " \"degrees\": 50}, \"place\": [1, 2, 3], \"density\": 700, \"velocity\": [1, -2, 3]},"
      "{\"shape\": {\"kind\": \"box\", \"size\": [0.1, 0.1, 0.2], \"cells\": 2}, \"scale\": 3, \"damping\": 2,"
      " \"velocity\": [0, 4, 0]},"
      "{\"shape\": {\"kind\": \"box\", \"size\": [0.2, 0.2, 0.2], \"cells\": 1}, \"place\": [-2, 0, 0], \"young\": "
      "1e6}],"
      " \"self_contact\": false, \"gravity\": [0, 0, -9.81], \"damping\": 0.25, \"young\": 1e5, \"poisson\": 0.3, "
      "\"density\": 1000,"
      " \"dt\": 0.02, " TIGHT "}";
  static const double mass[] = { 0.4 * 0.3 * 0.2 * 700, 0.3 * 0.3 * 0.6 * 1000, 0.2 * 0.2 * 0.2 * 1000 };
  static const double damping[] = { 0.25, 2, 0.25 }, first[][3] = { { 1, -2, 3 }, { 0, 4, 0 }, { 0, 0, 0 } };
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    Session *session = open_text(text, (Precision)precision);
    const double bound = precision == PRECISION_F64 ? 1e-10 : 2e-5, dt = 0.02;
    BodyMotion now[3], begin[3];
    assert_int_equal(simulation_body_count(session->simulation), 3);
    MUST(simulation_bodies(session->simulation, begin, &error));
    double v[3][3], centre[3][3];
    for (int k = 0; k < 3; k++) {
      memcpy(centre[k], begin[k].centre, sizeof centre[k]);
      memcpy(v[k], first[k], sizeof v[k]);
    }
    for (int step = 0; step < 40; step++) {
      take_steps(session, 1);
      for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
          const double a = damping[k] * dt / 2, g = i == 2 ? -9.81 : 0, next = (v[k][i] * (1 - a) + g * dt) / (1 + a);
          centre[k][i] += dt * (v[k][i] + next) / 2;
          v[k][i] = next;
        }
    }
    MUST(simulation_bodies(session->simulation, now, &error));
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(now[k].mass - mass[k]) < 1e-12 * mass[k]);
      for (int i = 0; i < 3; i++) {
        if (!(fabs(now[k].linear[i] - mass[k] * v[k][i]) <= 20 * bound * mass[k]) ||
            !(fabs(now[k].centre[i] - centre[k][i]) <= 20 * bound))
          fail_msg("body %d in %s: centre at %.12g m, momentum %.12g kg m/s; expected %.12g m and %.12g kg m/s", k,
                   precision_name((Precision)precision), now[k].centre[i], now[k].linear[i], centre[k][i],
                   mass[k] * v[k][i]);
      }
      assert_true(now[k].elastic < 1e-3 * bound * 1e5);
    }

    // energies and momenta of the bodies add up to those of the scene
    Energy energy;
    MUST(simulation_energy(session->simulation, &energy, &error));
    double kinetic = 0, linear = 0;
    for (int k = 0; k < 3; k++) {
      kinetic += now[k].kinetic;
      linear += now[k].linear[2];
    }
    assert_true(fabs(kinetic - energy.kinetic) < 1e-6 * energy.kinetic);
    assert_true(fabs(linear - energy.linear[2]) < 1e-6 * fabs(linear));
    close_session(session);
  }
}

// TOGETHER is a scene of several bodies. The array ALONE has, for each of these bodies, a scene with only this body, in
// which the body's material is given by keys of the scene.
#define WORLD \
  " \"self_contact\": false, \"gravity\": [0, 0, -9.81], \"floor\": 0, \"friction\": 0.3, \"dt\": 0.01, " TIGHT
#define BALL                                                                                              \
  "\"shape\": {\"kind\": \"sphere\", \"size\": [0.4, 0.4, 0.4], \"cells\": 4}, \"place\": [0, 0, 0.02], " \
  "\"velocity\": [1, 0, 0]"
#define BEAM                                                                                          \
  "\"shape\": {\"kind\": \"box\", \"size\": [0.8, 0.2, 0.2], \"cells\": 2}, \"place\": [1, 0, 0.3], " \
  "\"pins\": {\"x\": [null, 1.01]}"
#define RING "\"shape\": {\"kind\": \"torus\", \"size\": [0.6, 0.6, 0.2], \"cells\": 2}, \"place\": [0, 2, 0.01]"

static const char *const ALONE[] = {
  "{\"bodies\": [{" BALL "}], \"young\": 2e4, \"poisson\": 0.45, \"density\": 500, \"damping\": 0.5," WORLD "}",
  "{\"bodies\": [{" BEAM "}], \"young\": 3e5, \"poisson\": 0.1, \"density\": 1500, \"damping\": 0," WORLD "}",
  "{\"bodies\": [{" RING "}], \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000, \"damping\": 0.2," WORLD "}",
};
static const char TOGETHER[] =
    "{\"bodies\": [{" BALL
    ", \"young\": 2e4, \"poisson\": 0.45, \"density\": 500, \"damping\": 0.5},"
    " {" BEAM ", \"young\": 3e5, \"poisson\": 0.1, \"density\": 1500, \"damping\": 0}, {" RING
    "}],"
    " \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000, \"damping\": 0.2," WORLD "}";

// Compares body k of the scene `all` with the only body of the scene `one`. Returns the largest difference of a
// coordinate of corresponding nodes, m.
static double apart(Session *all, Session *one, int k) {
  Error error = { 0 };
  const int nodes = all->mesh.node_count;
  double(*x)[3] = malloc(sizeof *x * (size_t)nodes), (*y)[3] = malloc(sizeof *y * (size_t)one->mesh.node_count);
  MUST(simulation_state(all->simulation, x, NULL, &error));
  MUST(simulation_state(one->simulation, y, NULL, &error));
  double maximum = 0;
  int at = 0;
  for (int a = 0; a < nodes; a++) {
    if (mesh_body(&all->mesh, a) != k) continue;
    for (int i = 0; i < 3; i++) maximum = fmax(maximum, fabs(x[a][i] - y[at][i]));
    at++;
  }
  assert_int_equal(at, one->mesh.node_count);
  free(x);
  free(y);
  return maximum;
}

static void separate_bodies_move_independently(void **state) {
  (void)state;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    Session *all = open_text(TOGETHER, (Precision)precision);
    assert_true(all->mesh.ratio && all->mesh.density && all->mesh.damping && all->mesh.stiffness);
    take_steps(all, 40);
    for (int k = 0; k < 3; k++) {
      Session *one = open_text(ALONE[k], (Precision)precision);
      assert_true(!one->mesh.ratio && !one->mesh.density && !one->mesh.damping && !one->mesh.stiffness);
      const double before = apart(all, one, k);
      take_steps(one, 40);
      const double after = apart(all, one, k), bound = precision == PRECISION_F64 ? 1e-6 : 2e-4;
      printf("  %s, body %d: %.2g m from its position in a scene with only this body, after a motion of %.2g m\n",
             precision_name((Precision)precision), k, after, before);
      assert_true(before > 1e-3 && after <= bound);
      close_session(one);
    }
    close_session(all);
  }
}

// A change of the scene's Young's modulus applies to all bodies. A change of another material constant of the scene
// applies only to bodies whose entry in the scene does not set this constant.
static void live_changes_keep_settings_of_bodies(void **state) {
  (void)state;
  Error error = { 0 };
  static const char *const then[] = {
    "{\"bodies\": [{" BALL "}], \"young\": 4e4, \"poisson\": 0.45, \"density\": 500, \"damping\": 0.5," WORLD "}",
    "{\"bodies\": [{" BEAM "}], \"young\": 6e5, \"poisson\": 0.1, \"density\": 1500, \"damping\": 0," WORLD "}",
    "{\"bodies\": [{" RING "}], \"young\": 2e5, \"poisson\": 0.3, \"density\": 1200, \"damping\": 0.7," WORLD "}",
  };
  Session *all = open_text(TOGETHER, PRECISION_F64);
  SimulationSettings changed = *simulation_settings(all->simulation);
  changed.mu *= 2;
  changed.lambda *= 2;
  changed.density = 1200;
  changed.damping = 0.7;
  MUST(session_adjust(all, &changed, &error));
  take_steps(all, 30);
  for (int k = 0; k < 3; k++) {
    Session *one = open_text(then[k], PRECISION_F64);
    take_steps(one, 30);
    const double after = apart(all, one, k);
    if (!(after <= 1e-6)) fail_msg("body %d is %.3g m from its position in a scene with only this body", k, after);
    close_session(one);
  }
  close_session(all);
}

// A grab acts only on the body that is nearest to its centre, also if its radius covers two bodies. So does a pin.
static void a_grab_holds_one_body(void **state) {
  (void)state;
  Error error = { 0 };
  static const char text[] =
      "{\"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}},"
      " {\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}, \"place\": [0, 0, 1.01], \"young\": 1e3}],"
      " \"newton_relative\": 1e-6}";
  Session *session = open_text(text, PRECISION_F64);
  Simulation *simulation = session->simulation;
  int id;
  const double X[3] = { 0, 0, 1.01 }, up[3] = { 0, 0, 0.1 };
  const double soft = simulation_mouse_stiffness(simulation, 1), hard = simulation_mouse_stiffness(simulation, 0);

  // Body 1 has the Young's modulus 1e3 Pa, and body 0 has 1e5 Pa. The stiffness of the mouse is proportional to this
  // modulus, and its largest speed to the speed of shear waves, the root of the shear modulus divided by the density.
  assert_true(fabs(soft / hard - 0.01) < 1e-9);
  assert_true(fabs(simulation_mouse_speed(simulation, 1) / simulation_mouse_speed(simulation, 0) - 0.1) < 1e-9);
  MUST(simulation_grab(simulation, X, 0.7, soft, &id, &error));
  MUST(simulation_drag(simulation, id, up, &error));
  take_steps(session, 5);
  BodyMotion motion[2];
  MUST(simulation_bodies(simulation, motion, &error));
  assert_true(motion[0].kinetic == 0 && motion[0].elastic == 0);
  assert_true(motion[1].linear[2] > 0.1);
  MUST(session_pin(session, X, 0.7, &error));
  int pinned[2] = { 0, 0 };
  for (int a = 0; a < session->mesh.node_count; a++) pinned[mesh_body(&session->mesh, a)] += session->pinned[a] != 0;
  assert_int_equal(pinned[0], 0);
  assert_true(pinned[1] > 1);
  close_session(session);
}

// One body has a negative Poisson's ratio, which the assembly `parts` does not support in a scene with several
// materials. The program must choose another assembly.
static void bodies_with_a_negative_poissons_ratio_get_a_suitable_assembly(void **state) {
  (void)state;
  Error error = { 0 };
  static const char text[] = "{\"bodies\": [{" BALL ", \"poisson\": -0.2}, {" BEAM "}], \"poisson\": 0.3," WORLD "}";
  static const char alone[] = "{\"bodies\": [{" BALL "}], \"poisson\": -0.2," WORLD "}";
  Session *session = open_text(text, PRECISION_F64), *one = open_text(alone, PRECISION_F64);
  take_steps(session, 20);
  take_steps(one, 20);
  const double after = apart(session, one, 0);
  if (!(after <= 1e-6)) fail_msg("the ball is %.3g m from its position in a scene with only the ball", after);
  assert_string_not_equal(simulation_settings(session->simulation)->assembly, "parts");
  assert_non_null(strstr(simulation_reason(session->simulation, STAGE_ASSEMBLY), "one of them below 0"));
  SimulationSettings parts = *simulation_settings(session->simulation);
  memcpy(parts.assembly, "parts", 6);
  memcpy(parts.matrix, "parts", 6);
  memcpy(parts.solver, "dcg", 4);
  assert_false(session_switch(session, &parts, &error));
  assert_non_null(strstr(error.message, "choose another --assembly"));
  close_session(session);
  close_session(one);
}

// If the user names the assembly `parts`, it accepts all scenes of several materials without a negative ratio. It
// refuses a change to a material that it does not support.
static void parts_accepts_bodies_of_several_materials(void **state) {
  (void)state;
  Error error = { 0 };
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    Session *session = open_text(TOGETHER, (Precision)precision), *other = open_text(TOGETHER, (Precision)precision);
    SimulationSettings parts = *simulation_settings(session->simulation), usual = parts;
    memcpy(parts.assembly, "parts", 6);
    memcpy(parts.matrix, "parts", 6);
    memcpy(parts.solver, "dcg", 4);
    memset(usual.assembly, 0, sizeof usual.assembly);
    memcpy(usual.matrix, "csr", 4);
    memcpy(usual.solver, "dcg", 4);
    MUST(session_switch(session, &parts, &error));
    MUST(session_switch(other, &usual, &error));
    take_steps(session, 20);
    take_steps(other, 20);
    for (int k = 0; k < 3; k++) {
      BodyMotion a[3], b[3];
      MUST(simulation_bodies(session->simulation, a, &error));
      MUST(simulation_bodies(other->simulation, b, &error));
      const double bound = precision == PRECISION_F64 ? 1e-7 : 1e-3;
      assert_true(a[k].elastic > 0.01 && fabs(a[k].elastic - b[k].elastic) < bound * b[k].elastic);
    }
    parts.lambda = -0.1 * parts.mu;
    assert_false(session_adjust(session, &parts, &error));
    assert_non_null(strstr(error.message, "choose another --assembly"));
    close_session(session);
    close_session(other);
    error = (Error){ 0 };
  }
}

// Two boxes collide head-on. One is 100 times as stiff as the other, and lighter. With self-contact they separate
// again, conserve their total momentum, and gain no energy. Without self-contact they pass through each other
// undisturbed.
static void bodies_touch_if_contact_is_enabled(void **state) {
  (void)state;
  enum { STEPS = 40 };
  Error error = { 0 };
  static const char format[] =
      "{\"bodies\": ["
      "{\"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.4, 0.4], \"cells\": 3}, \"velocity\": [1, 0, 0]},"
      "{\"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.4, 0.4], \"cells\": 2}, \"place\": [0.43, 0.1, 0.05],"
      " \"young\": 1e6, \"density\": 300, \"velocity\": [-1, 0, 0]}],"
      " \"self_contact\": %s, \"integrator\": \"euler\", \"young\": 1e4, \"poisson\": 0.3, \"density\": 1000,"
      " \"dt\": 0.0166667, " TIGHT "}";
  if (device != DEVICE_CPU) {
    printf("  skipped: this test runs only on the CPU\n");
    return;
  }
  for (int touches = 0; touches < 2; touches++) {
    char text[1000];
    snprintf(text, sizeof text, format, touches ? "true" : "false");
    Session *session = open_text(text, PRECISION_F64);
    BodyMotion before[2], after[2];
    MUST(simulation_bodies(session->simulation, before, &error));
    take_steps(session, STEPS);
    MUST(simulation_bodies(session->simulation, after, &error));
    const double ahead = after[1].centre[0] - after[0].centre[0];
    double energy[2] = { 0 };
    for (int k = 0; k < 2; k++) {
      energy[0] += before[k].kinetic + before[k].elastic;
      energy[1] += after[k].kinetic + after[k].elastic;
    }
    printf(
        "  %s self_contact: centres %.3f m apart along x, momenta %.2f and %.2f kg m/s (%.2f and %.2f at the start), "
        "energy %.2f J (%.2f J at the start)\n",
        touches ? "with" : "without", ahead, after[0].linear[0], after[1].linear[0], before[0].linear[0],
        before[1].linear[0], energy[1], energy[0]);
    for (int i = 0; i < 3; i++)
      assert_true(fabs(after[0].linear[i] + after[1].linear[i] - before[0].linear[i] - before[1].linear[i]) <
                  1e-6 * before[0].linear[0]);
    assert_true(energy[1] <= energy[0] * (1 + 1e-9));
    if (touches)
      assert_true(ahead > 0.3 && after[1].linear[0] > 0);
    else
      assert_true(ahead < 0 && fabs(after[1].linear[0] - before[1].linear[0]) < 1e-6 * before[0].linear[0]);
    close_session(session);
  }
}

static void same_bits(Session *a, Session *b) {
  Error error = { 0 };
  const size_t bytes = 3 * sizeof(double) * (size_t)a->mesh.node_count;
  double(*x[4])[3];
  for (int k = 0; k < 4; k++) x[k] = malloc(bytes);
  MUST(simulation_state(a->simulation, x[0], x[1], &error));
  MUST(simulation_state(b->simulation, x[2], x[3], &error));
  assert_memory_equal(x[0], x[2], bytes);
  assert_memory_equal(x[1], x[3], bytes);
  for (int k = 0; k < 4; k++) free(x[k]);
}

// A saved scene continues bit for bit. This also holds after changes of mu, lambda, density and damping, after which
// bodies are saved with a stiffness factor in place of Young's modulus.
static void saved_scenes_go_on_bit_for_bit(void **state) {
  (void)state;
  Error error = { 0 };
  Session *session = open_text(TOGETHER, PRECISION_F32);
  char folder[] = "/tmp/pliant-bodies-XXXXXX", path[64], other[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/saved.json", folder);
  snprintf(other, sizeof other, "%s/saved.state", folder);
  take_steps(session, 3);
  for (int round = 0; round < 3; round++) {
    if (round == 2) {  // a change of lambda, after which the scene's Poisson's ratio equals that of a body
      SimulationSettings changed = *simulation_settings(session->simulation);
      changed.lambda = 9 * changed.mu;
      MUST(session_adjust(session, &changed, &error));
    }
    if (round == 1) {
      SimulationSettings changed = *simulation_settings(session->simulation);
      changed.mu *= 1.3;
      changed.lambda *= 1.7;
      changed.density = 900;
      changed.damping = 0.1;
      MUST(session_adjust(session, &changed, &error));
    }
    MUST(scene_save(session, &session->scene, path, &error));
    Scene *scene = malloc(sizeof *scene);
    Session *again = malloc(sizeof *again);
    MUST(scene_read(scene, path, &error));
    assert_true(isnan(scene->bodies[0].young) == (round > 0) && isnan(scene->bodies[0].stiffness) == (round == 0));
    snprintf(scene->device, sizeof scene->device, "%s", device_name(device));
    MUST(session_create(again, scene, &error));
    same_bits(session, again);
    take_steps(session, 3);
    take_steps(again, 3);
    same_bits(session, again);
    close_session(again);
    free(scene);
  }

  unlink(path);
  unlink(other);
  rmdir(folder);
  close_session(session);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_flight_has_its_closed_form),
    cmocka_unit_test(separate_bodies_move_independently),
    cmocka_unit_test(live_changes_keep_settings_of_bodies),
    cmocka_unit_test(a_grab_holds_one_body),
    cmocka_unit_test(bodies_with_a_negative_poissons_ratio_get_a_suitable_assembly),
    cmocka_unit_test(parts_accepts_bodies_of_several_materials),
    cmocka_unit_test(bodies_touch_if_contact_is_enabled),
    cmocka_unit_test(saved_scenes_go_on_bit_for_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
