// Tests cuts of a moving body, and tears, which remove tets with large stress. Volume and mass must be conserved,
// separate pieces must share no node, and all values must stay finite. Equal cuts must give equal bits, also from a log
// and after a checkpoint. It must be possible to undo a cut. argv[1]: number of random cuts; argv[2]: the device;
// argv[3]: a pattern for the names of the tests to run.
#include "live_testing.h"

#include "base/random.h"
#include "live/mouse_pull.h"
#include "scene/checkpoint.h"
#include "scene/session_form.h"

static int random_cuts = 6;
static int cells = 6;  // number of cells along the body's shortest edge; 16 instead if random_cuts is more than 10
static const char *device = "cpu";
static char scene_path[64], other_path[64];

static void write_scene(const char *path, const char *more) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "{\"young\": 2e4, \"poisson\": 0.3, \"density\": 1000, \"damping\": 2, \"dt\": 0.005, \"device\": \"%s\","
          " \"gravity\": [0, 0, -2]%s",
          device, more);
  if (!strstr(more, "bodies"))
    fprintf(file,
            ", \"pins\": [{\"x\": [null, -0.19]}],"
            " \"shapes\": [{\"kind\": \"box\", \"size\": [0.4, 0.1, 0.1], \"cells\": %d}]",
            random_cuts > 10 ? 16 : cells);
  fprintf(file, "}");
  fclose(file);
}

static Live *live_of(const char *more) {
  write_scene(scene_path, more);
  Scene *scene = read_scene(scene_path);
  Live *live = live_new(scene);
  free(scene);
  return live;
}

static double volume_of(const TetMesh *mesh) {
  double sum = 0;
  for (int e = 0; e < mesh->tet_count; e++) sum += mesh_tet_volume(mesh, e);
  return sum;
}

static double mass_of(const Session *session) {
  double sum = 0;
  for (int a = 0; a < session->mesh.node_count; a++) sum += session->mass[a];
  return sum;
}

static void assert_finite(const Live *live) {
  double *x = state_of(live);
  for (int i = 0; i < 6 * live->session.mesh.node_count; i++)
    if (!isfinite(x[i])) fail_msg("value %d is %g", i, x[i]);
  free(x);
}

static int root_of(int *parent, int k) {
  while (parent[k] != k) k = parent[k] = parent[parent[k]];
  return k;
}

// Returns the number of pieces. Tets belong to one piece if they share a corner node.
static int pieces_of(const TetMesh *mesh) {
  int *parent = malloc(sizeof *parent * (size_t)mesh->node_count), count = 0;
  for (int a = 0; a < mesh->node_count; a++) parent[a] = a;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int c = 1; c < 4; c++) parent[root_of(parent, mesh->tet[e][c])] = root_of(parent, mesh->tet[e][0]);
  uint8_t *corner = calloc(1, (size_t)mesh->node_count);
  for (int e = 0; e < mesh->tet_count; e++)
    for (int c = 0; c < 4; c++) corner[mesh->tet[e][c]] = 1;
  for (int a = 0; a < mesh->node_count; a++) count += corner[a] && parent[a] == a;
  free(corner);
  free(parent);
  return count;
}

// Requires that the surface, which a cut updates in place, equals a surface built from the mesh.
static void assert_surface(const Form *form) {
  Surface surface = { 0 };
  Error error = { 0 };
  const Surface *s = &form->surface;
  MUST(surface_create(&surface, &form->mesh, &error));
  assert_int_equal(s->triangle_count, surface.triangle_count);
  const size_t count = (size_t)surface.triangle_count, nodes = (size_t)form->mesh.node_count;
  assert_memory_equal(s->triangle, surface.triangle, count * sizeof *surface.triangle);
  assert_memory_equal(s->owner, surface.owner, count * sizeof *surface.owner);
  assert_memory_equal(s->fan_start, surface.fan_start, (nodes + 1) * sizeof *surface.fan_start);
  assert_memory_equal(s->fan, surface.fan, 3 * count * sizeof *surface.fan);
  surface_destroy(&surface);
}

static void do_cut(Live *live, const double point[3], const double normal[3], double reach) {
  Command c = { .kind = COMMAND_CUT, .blade = { .reach = reach } };
  memcpy(c.blade.point, point, sizeof c.blade.point);
  memcpy(c.blade.normal, normal, sizeof c.blade.normal);
  Error error = { 0 };
  MUST(live_apply(live, &c, &error));
}

static void a_plane_makes_two_pieces_that_move_on(void **state) {
  (void)state;
  Live *live = live_of("");
  const TetMesh before = live->session.mesh;
  const double volume = volume_of(&before), mass = mass_of(&live->session);
  Form *old = form_hold(live->session.form);
  Energy then, now;
  Error error = { 0 };
  const SimulationSettings whole = *simulation_settings(live->session.simulation);
  take_steps(live, 5);
  MUST(simulation_energy(live->session.simulation, &then, &error));
  do_cut(live, (double[3]){ 0.01, 0, 0 }, (double[3]){ 1, 0.2, 0 }, 0);
  assert_string_equal(live->refused, "");
  MUST(simulation_energy(live->session.simulation, &now, &error));
  const TetMesh *mesh = &live->session.mesh;
  assert_int_equal(mesh->tet_count, before.tet_count);
  assert_true(mesh->node_count > before.node_count);
  assert_int_equal(pieces_of(mesh), 2);
  assert_int_equal(pieces_of(&old->mesh), 1);
  assert_surface(live->session.form);

  // Volume and mass must not change. After the cut they are summed in another order, so they may differ by rounding.
  assert_true(fabs(volume_of(mesh) - volume) <= 1e-12 * volume && fabs(mass_of(&live->session) - mass) <= 1e-12 * mass);

  // The cut must keep velocities, so the momenta of a node's copies add up to its old momentum, up to rounding in
  // float.
  for (int i = 0; i < 3; i++) assert_true(fabs(now.linear[i] - then.linear[i]) <= 1e-6 * (1e-3 + fabs(then.linear[i])));
  assert_true(fabs(now.kinetic - then.kinetic) <= 1e-5 * then.kinetic);
  assert_true(fabs(now.elastic - then.elastic) <= 1e-3 * (then.elastic + 1e-9));

  // the piece without pins must fall
  take_steps(live, 40);
  assert_finite(live);
  MUST(simulation_energy(live->session.simulation, &then, &error));
  assert_true(then.linear[2] < -0.5 * 0.5 * mass * 2 * 0.2);

  // The scene names no stages (matrix, solver), so the first cut has chosen stages that later cuts can update in place.
  // A reset must restore the old stages.
  assert_true(simulation_splits(live->session.simulation));
  do_it(live, &(Command){ .kind = COMMAND_RESET });
  assert_string_equal(simulation_settings(live->session.simulation)->matrix, whole.matrix);
  assert_string_equal(simulation_settings(live->session.simulation)->solver, whole.solver);
  form_release(old);
  live_delete(live);
}

static void a_slit_leaves_one_piece_and_no_hinge(void **state) {
  (void)state;
  Live *live = live_of("");
  do_cut(live, (double[3]){ 0, 0, 0.05 }, (double[3]){ 1, 0, 0 }, 0.06);
  assert_string_equal(live->refused, "");
  assert_int_equal(pieces_of(&live->session.mesh), 1);
  assert_surface(live->session.form);

  // a repetition of this cut must be refused, since it separates nothing
  const int nodes = live->session.mesh.node_count;
  do_cut(live, (double[3]){ 0, 0, 0.05 }, (double[3]){ 1, 0, 0 }, 0.06);
  assert_string_not_equal(live->refused, "");
  assert_int_equal(live->session.mesh.node_count, nodes);

  // a blade that misses the body must be refused, too
  do_cut(live, (double[3]){ 3, 0, 0 }, (double[3]){ 1, 0, 0 }, 0);
  assert_string_not_equal(live->refused, "");
  live_delete(live);
}

// Compares the simulation of `live`, which all cuts have updated in place, with a simulation that is built again from a
// checkpoint. Three steps of both must give equal bits. Afterwards restores `live` from the checkpoint. more: further
// keys of the scene.
static void goes_on_as_made_anew(Live *live, const char *more) {
  char path[80];
  Error error = { 0 };
  Live *other = live_of(more);
  const bool in_place = simulation_splits(live->session.simulation);
  assert_true(in_place);
  snprintf(path, sizeof path, "%s.anew", other_path);
  MUST(checkpoint_write(&live->session, 30, path, &error));
  MUST(checkpoint_read(&other->session, 30, path, &error));
  StepReport report;
  for (int k = 0; k < 3; k++) {
    MUST(session_step(&live->session, &report, &error));
    MUST(session_step(&other->session, &report, &error));
  }
  double *x = state_of(live), *y = state_of(other);
  assert_int_equal(live->session.mesh.node_count, other->session.mesh.node_count);
  assert_memory_equal(x, y, 6 * sizeof *x * (size_t)live->session.mesh.node_count);
  MUST(checkpoint_read(&live->session, 30, path, &error));
  free(x);
  free(y);
  unlink(path);
  live_delete(other);
}

// Makes random cuts of a fixed seed while the body is dragged. If `log` is a path, writes an input log to it, and
// compares later steps with those of a simulation that is built again. *nodes receives the final number of nodes.
// Returns the final state; free() releases it.
static double *random_run(const char *log, int *nodes) {
  Live *live = live_of("");
  Error error = { 0 };
  uint64_t seed = 5;
  const double volume = volume_of(&live->session.mesh), mass = mass_of(&live->session);
  if (log) MUST(live_log(live, log, &error));
  const TetMesh *mesh = &live->session.mesh;
  Command grab = { .kind = COMMAND_GRAB, .radius = 0.03, .barycentric = { 1 } };
  memcpy(grab.nodes, live->session.surface.triangle[3], sizeof grab.nodes);
  memcpy(grab.X, mesh->X[grab.nodes[0]], sizeof grab.X);
  memcpy(grab.point, grab.X, sizeof grab.point);
  do_it(live, &grab);
  int done = 0;
  for (int k = 0; k < random_cuts; k++) {
    const Command drag = { .kind = COMMAND_DRAG,
                           .offset = { 0.05 * random_unit(&seed), 0.05 * random_unit(&seed), 0 } };
    double point[3], normal[3];
    do_it(live, &drag);
    for (int i = 0; i < 3; i++) {
      point[i] = (i == 0 ? 0.18 : 0.05) * random_unit(&seed);
      normal[i] = random_unit(&seed);
    }
    do_cut(live, point, normal, 0.02 + 0.03 * fabs(random_unit(&seed)));
    done += !live->refused[0];
    take_steps(live, 2);
    assert_finite(live);
    assert_surface(live->session.form);
    assert_true(fabs(volume_of(&live->session.mesh) - volume) <= 1e-11 * volume);
    assert_true(fabs(mass_of(&live->session) - mass) <= 1e-11 * mass);
  }

  assert_true(2 * done >= random_cuts);
  if (log) MUST(live_log_end(live, &error));

  // A checkpoint does not contain the mouse's grab, so this grab is released before the comparison.
  if (log) MUST(simulation_release(live->session.simulation, 0, &error));
  if (log) goes_on_as_made_anew(live, "");
  *nodes = live->session.mesh.node_count;
  double *x = state_of(live);
  live_delete(live);
  return x;
}

static void random_cuts_keep_volume_and_mass_and_replay_to_the_same_bits(void **state) {
  (void)state;
  int nodes, again, replayed;
  double *x = random_run(other_path, &nodes), *y = random_run(NULL, &again);
  assert_int_equal(nodes, again);
  assert_memory_equal(x, y, 6 * sizeof *x * (size_t)nodes);

  // a replay of the log must give the same bits
  Error error = { 0 };
  InputReader reader = { 0 };
  Scene *scene = malloc(sizeof *scene);
  Live *live = calloc(1, sizeof *live);
  MUST(input_reader_open(&reader, other_path, scene, &error));
  MUST(live_create_logged(live, scene, &reader, &error));
  for (;;) {
    Command command;
    while (live_next_logged(live, &reader, &command, &error)) MUST(live_apply(live, &command, &error));
    assert_string_equal(error.message, "");
    if (input_reader_over(&reader, live->steps_taken)) break;
    take_steps(live, 1);
  }

  replayed = live->session.mesh.node_count;
  assert_int_equal(nodes, replayed);
  double *z = state_of(live);
  assert_memory_equal(x, z, 6 * sizeof *x * (size_t)nodes);
  input_reader_close(&reader);
  live_delete(live);
  free(x);
  free(y);
  free(z);
  free(scene);
}

static const char *const SCRIPT =
    ", \"cuts\": [{\"time\": 0.02, \"point\": [0.05, 0, 0.05], \"normal\": [1, 0, 0.1], \"reach\": 0.08},"
    " {\"time\": 0.05, \"point\": [-0.05, 0, 0], \"normal\": [1, 0, 0]}]";

// Scene keys that choose a matrix stored in parts (groups of nodes). A cut must leave each node in its part.
static const char *const IN_PARTS = ", \"matrix\": \"parts\", \"assembly\": \"parts\", \"solver\": \"resident\"";

static void go_on_from_checkpoint(const char *more) {
  Error error = { 0 };
  char script[1024];
  snprintf(script, sizeof script, "%s%s", SCRIPT, more);
  Live *live = live_of(script), *other = live_of(script);
  take_steps(live, 7);
  const int base = live->session.scene_form->mesh.node_count, once = live->session.mesh.node_count;
  assert_true(once > base);
  MUST(checkpoint_write(&live->session, 30, other_path, &error));
  take_steps(live, 8);
  assert_true(live->session.mesh.node_count > once);
  MUST(checkpoint_read(&other->session, 30, other_path, &error));
  assert_int_equal(other->session.mesh.node_count, once);
  take_steps(other, 8);
  double *x = state_of(live), *y = state_of(other);
  assert_int_equal(live->session.mesh.node_count, other->session.mesh.node_count);
  assert_memory_equal(x, y, 6 * sizeof *x * (size_t)live->session.mesh.node_count);
  free(x);
  free(y);
  live_delete(live);
  live_delete(other);
}

static void a_checkpoint_between_cuts_goes_on_bit_for_bit(void **state) {
  (void)state;
  cells = 5;
  go_on_from_checkpoint("");
  go_on_from_checkpoint(IN_PARTS);
  cells = 6;
}

static void a_cut_is_undone_done_again_and_reset(void **state) {
  (void)state;
  Live *live = live_of(SCRIPT);
  live_keep_history(live);
  take_steps(live, 9);
  double *before = state_of(live);
  const int nodes = live->session.mesh.node_count;
  do_cut(live, (double[3]){ 0.1, 0, 0 }, (double[3]){ 1, 0.1, 0 }, 0);
  assert_string_equal(live->refused, "");
  assert_int_equal(live->cut_at, 9);
  take_steps(live, 6);
  double *after = state_of(live);
  const int more = live->session.mesh.node_count;
  do_it(live, &(Command){ .kind = COMMAND_GO, .to = 9 });
  assert_int_equal(live->session.mesh.node_count, nodes);
  double *x = state_of(live);
  assert_memory_equal(x, before, 6 * sizeof *x * (size_t)nodes);
  free(x);
  do_it(live, &(Command){ .kind = COMMAND_GO, .to = 15 });
  assert_int_equal(live->session.mesh.node_count, more);
  x = state_of(live);
  assert_memory_equal(x, after, 6 * sizeof *x * (size_t)more);
  free(x);
  do_it(live, &(Command){ .kind = COMMAND_RESET });
  assert_ptr_equal(live->session.form, live->session.scene_form);
  take_steps(live, 9);
  x = state_of(live);
  assert_int_equal(live->session.mesh.node_count, nodes);
  assert_memory_equal(x, before, 6 * sizeof *x * (size_t)nodes);
  free(x);
  free(before);
  free(after);
  live_delete(live);
}

// Cuts bodies with several materials and dampings, which slide on a floor and under obstacles with friction. The cuts
// must keep the momentum. Later cuts and steps must agree with a simulation that is built again.
static void cuts_keep_forces_and_momentum(void **state) {
  (void)state;
  if (random_cuts > 10) return;
  cells = 5;  // fewer than in other tests, to save time
  static const char *const acting =
      ", \"floor\": -0.05, \"friction\": 0.4, \"integrator\": \"euler\","
      " \"obstacles\": [{\"kind\": \"sphere\", \"at\": [0.05, 0, 0.13], \"radius\": 0.08, \"friction\": 0.5,"
      " \"path\": [[0, 0, 0, 0], [0.1, 0, 0, -0.02]]},"
      " {\"kind\": \"plane\", \"at\": [0, 0, -0.05], \"normal\": [0, 0, 1], \"friction\": 0.3}]";
  char scenes[4][1200];
  snprintf(scenes[0], sizeof scenes[0], "%s", acting);
  snprintf(scenes[1], sizeof scenes[1], "%s, \"materials\": [{\"region\": {\"x\": [0, null]}, \"stiffness\": 3}]",
           acting);
  snprintf(
      scenes[2], sizeof scenes[2],
      "%s, \"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [0.2, 0.1, 0.1], \"cells\": 3}, \"place\": [-0.12, "
      "0, 0],"
      " \"damping\": 5, \"poisson\": 0.4, \"density\": 700}, {\"shape\": {\"kind\": \"box\", \"size\": [0.2, 0.1, 0.1],"
      " \"cells\": 3}, \"place\": [0.12, 0, 0], \"young\": 4e4}]",
      acting);
  snprintf(
      scenes[3], sizeof scenes[3],
      ", \"degree\": 2, \"integrator\": \"euler\","
      " \"obstacles\": [{\"kind\": \"plane\", \"at\": [0, 0, -0.051], \"normal\": [0.1, 0, 1], \"friction\": 0.3}]");
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    Live *live = live_of(scenes[k]);
    Error error = { 0 };
    take_steps(live, k == 3 ? 2 : 6);  // quadratic bodies take fewer steps, since these are slow
    for (int cut = 0; cut < 2; cut++) {
      Energy then, now;
      MUST(simulation_energy(live->session.simulation, &then, &error));
      do_cut(live, (double[3]){ 0.06, 0, cut ? 0.02 : 0 }, (double[3]){ cut ? 0.1 : 1, 0.2, cut }, 0.09);
      assert_string_equal(live->refused, "");
      MUST(simulation_energy(live->session.simulation, &now, &error));
      for (int i = 0; i < 3; i++)
        // a cut does not change the momentum
        assert_true(fabs(now.linear[i] - then.linear[i]) <= 1e-6 * (1e-3 + fabs(then.linear[i])));
      assert_surface(live->session.form);

      // the first cut may have chosen other stages, which must support later cuts in place
      assert_true(simulation_splits(live->session.simulation));
      take_steps(live, 3);
      assert_finite(live);
    }
    goes_on_as_made_anew(live, scenes[k]);
    live_delete(live);
  }
  cells = 6;
}

static void cut_other_body(const char *more) {
  Live *live = live_of(more);
  const double mass = mass_of(&live->session);
  take_steps(live, 2);
  do_cut(live, (double[3]){ 0, 0, 0 }, (double[3]){ 1, 0, 0 }, 0);
  assert_string_equal(live->refused, "");
  assert_int_equal(pieces_of(&live->session.mesh), 2);
  assert_true(fabs(mass_of(&live->session) - mass) <= 1e-12 * mass);
  assert_surface(live->session.form);
  take_steps(live, 3);
  assert_finite(live);
  goes_on_as_made_anew(live, more);
  live_delete(live);
}

static void other_bodies_are_cut_too(void **state) {
  (void)state;
  if (random_cuts > 10) return;
  cells = 4;  // fewer than in other tests, to save time
  cut_other_body(", \"degree\": 2");
  cut_other_body(", \"supplemental\": \"qr\"");
  cells = 6;
}

// Pulls a bar until it tears: tets with too large a stress are removed. session_torn must return their number and mass.
static void stretched_bodies_tear(void **state) {
  (void)state;
  static const char *const tears =
      ", \"tear_stress\": 9000, \"tear_by\": \"principal\", \"floor\": -0.2,"
      " \"drags\": [{\"grab\": {\"x\": [0.19, null]}, \"path\": [[0, 0, 0, 0], [0.6, 0.3, 0, 0]]}]";
  Live *live = live_of(tears);
  const double volume = volume_of(&live->session.mesh);
  double mass;

  // On a GPU a tear must update the simulation in place, on a CPU it builds the simulation again. simulation_tears
  // returns true if the next tear works in place.
  assert_true(simulation_tears(live->session.simulation) == (strcmp(device, "cuda") == 0));
  take_steps(live, 5);
  assert_int_equal(session_torn(&live->session, &mass), 0);
  for (int k = 0; k < 17; k++) {
    take_steps(live, 5);
    assert_surface(live->session.form);

    // this must still hold after tears, and after the cuts below
    assert_true(simulation_tears(live->session.simulation) == (strcmp(device, "cuda") == 0));
    if (live->session.form == live->session.scene_form) continue;
    if (k % 3 == 0) do_cut(live, (double[3]){ 0.01 * k - 0.1, 0, 0.05 }, (double[3]){ 1, 0, 0 }, 0.06);
    if (strcmp(device, "cuda") == 0 && k % 4 == 0) goes_on_as_made_anew(live, tears);
  }

  const int torn = session_torn(&live->session, &mass);
  assert_true(torn > 0 && torn < live->session.scene_form->mesh.tet_count / 2);
  assert_int_equal(live->session.mesh.tet_count, live->session.scene_form->mesh.tet_count - torn);
  assert_true(pieces_of(&live->session.mesh) >= 2);

  // the density is 1000 kg/m^3
  assert_true(fabs(volume - volume_of(&live->session.mesh) - mass / 1000) <= 1e-9 * volume);
  assert_finite(live);

  // each node must belong to one of the remaining tets
  uint8_t *used = calloc(1, (size_t)live->session.mesh.node_count);
  for (int e = 0; e < live->session.mesh.tet_count; e++)
    for (int c = 0; c < 4; c++) used[live->session.mesh.tet[e][c]] = 1;
  assert_null(memchr(used, 0, (size_t)live->session.mesh.node_count));
  free(used);
  live_delete(live);
}

// Takes `steps` steps in which tets are torn out. Returns the final state; free() releases it.
static double *torn_run(const char *more, int steps, int *nodes, double *mass) {
  Live *live = live_of(more);
  const double volume = volume_of(&live->session.mesh);
  for (int k = 0; k < steps; k++) {
    const Form *before = live->session.form;
    take_steps(live, 1);
    if (live->session.form != before) assert_surface(live->session.form);
  }
  assert_true(session_torn(&live->session, mass) > 0);
  assert_true(fabs(volume - volume_of(&live->session.mesh) - *mass / 1000) <= 1e-9 * volume);
  assert_finite(live);
  if (strcmp(device, "cuda") == 0) goes_on_as_made_anew(live, more);
  *nodes = live->session.mesh.node_count;
  double *x = state_of(live);
  live_delete(live);
  return x;
}

// Tears three other bodies: one of several materials, a quadratic one, and one that stores six instead of nine numbers
// of each tet's rest shape. The first body is torn in two runs, which must give equal bits.
static void other_bodies_tear_too(void **state) {
  (void)state;
  if (random_cuts > 10) return;
  static const char *const pulled =
      ", \"tear_stress\": 9000, \"tear_by\": \"von_mises\","
      " \"drags\": [{\"grab\": {\"x\": [0.19, null]}, \"path\": [[0, 0, 0, 0], [0.2, 0.2, 0, 0]]}]";
  const struct {
    const char *more;
    int steps, runs;
  } others[] = { { ", \"materials\": [{\"region\": {\"x\": [0, null]}, \"stiffness\": 1.5}]", 34, 2 },
                 { ", \"degree\": 2", 24, 1 },
                 { ", \"supplemental\": \"qr\"", 34, 1 } };

  // on a CPU each tear builds the simulation again, which is slow, so only the first body is tested
  const size_t count = strcmp(device, "cuda") == 0 ? sizeof others / sizeof *others : 1;
  for (size_t k = 0; k < count; k++) {
    char scene[800];
    int nodes, again;
    double mass, mass_again;
    snprintf(scene, sizeof scene, "%s%s", pulled, others[k].more);
    double *x = torn_run(scene, others[k].steps, &nodes, &mass);
    double *y = others[k].runs > 1 ? torn_run(scene, others[k].steps, &again, &mass_again) : NULL;
    if (y) assert_int_equal(nodes, again);
    if (y) assert_memory_equal(x, y, 6 * sizeof *x * (size_t)nodes);
    free(x);
    free(y);
  }
}

// Two drags pull corners of a body until these are torn off: one drag pulls the nodes in a ball, the other the nodes in
// a box. Both drags must then end. A third drag, which would begin later and pull the nodes of the second, must end
// too. A checkpoint must store that the drags have ended, and a reset must restart them.
static void a_drag_whose_nodes_are_torn_out_is_over(void **state) {
  (void)state;
  if (random_cuts > 10) return;  // with more cuts the body has smaller cells (see `cells`), so other tets would tear
  static const char *const tears =
      ", \"tear_stress\": 9000, \"tear_by\": \"principal\", \"drags\": ["
      "{\"grab\": {\"center\": [0.2, 0.05, 0.1], \"radius\": 0.001}, \"path\": [[0, 0, 0, 0], [0.5, 0.2, 0, 0]]},"
      "{\"grab\": {\"x\": [0.19, null], \"y\": [null, -0.04], \"z\": [null, 0.01]},"
      " \"path\": [[0, 0, 0, 0], [0.5, 0.2, 0, 0]]},"
      "{\"grab\": {\"x\": [0.19, null], \"y\": [null, -0.04], \"z\": [null, 0.01]},"
      " \"path\": [[0.4, 0, 0, 0], [0.5, 0.2, 0, 0]]}]";
  Error error = { 0 };
  Live *live = live_of(tears), *other = live_of(tears);
  const int *ids = live->session.drag_ids;
  take_steps(live, 2);
  assert_true(ids[0] > 0 && ids[1] > 0 && ids[2] == 0);
  take_steps(live, 78);
  assert_true(ids[0] == DRAG_TORN && ids[1] == DRAG_TORN && ids[2] == 0);
  drag_springs_update(&live->drags, &live->session);
  assert_int_equal(live->drags.count, 0);
  take_steps(live, 2);
  assert_true(ids[2] == DRAG_TORN);
  MUST(checkpoint_write(&live->session, 30, other_path, &error));
  MUST(checkpoint_read(&other->session, 30, other_path, &error));
  unlink(other_path);
  take_steps(live, 3);
  take_steps(other, 3);
  for (int k = 0; k < 3; k++) assert_int_equal(other->session.drag_ids[k], DRAG_TORN);
  double *x = state_of(live), *y = state_of(other);
  assert_memory_equal(x, y, 6 * sizeof *x * (size_t)live->session.mesh.node_count);
  free(x);
  free(y);
  take_steps(live, 20);
  for (int k = 0; k < 3; k++) assert_int_equal(ids[k], 0);  // the drags have ended
  do_it(live, &(Command){ .kind = COMMAND_RESET });
  take_steps(live, 2);
  assert_true(ids[0] > 0 && ids[1] > 0);
  live_delete(live);
  live_delete(other);
}

static void impossible_cuts_are_refused(void **state) {
  (void)state;
  Live *live = live_of(", \"self_contact\": true");
  do_cut(live, (double[3]){ 0, 0, 0 }, (double[3]){ 1, 0, 0 }, 0);
  assert_non_null(strstr(live->refused, "self_contact"));
  live_delete(live);
  live = live_of("");
  do_cut(live, (double[3]){ 0, 0, 0 }, (double[3]){ 0, 0, 0 }, 0);
  assert_non_null(strstr(live->refused, "normal"));
  do_cut(live, (double[3]){ NAN, 0, 0 }, (double[3]){ 1, 0, 0 }, 0);
  assert_non_null(strstr(live->refused, "finite"));
  live_delete(live);
}

static double along(const double a[3], const double from[3], const double to[3]) {
  return a[0] * (to[0] - from[0]) + a[1] * (to[1] - from[1]) + a[2] * (to[2] - from[2]);
}

// The user draws a line with the mouse; mouse_cut makes a blade from it, a part of a plane. The blade must contain the
// points that the line covers on the screen, at any depth, but no points beyond the two ends of the line.
static void the_blade_of_a_drawn_line_contains_its_points(void **state) {
  (void)state;
  const double low[3] = { -1, -2, 0 }, high[3] = { 1, 2, 1.5 };
  const int size[2] = { 320, 200 };
  const double from[2] = { 80, 60 }, to[2] = { 240, 130 }, step[2] = { to[0] - from[0], to[1] - from[1] };
  for (int orthographic = 0; orthographic < 2; orthographic++) {
    Camera camera = camera_fit(low, high, 35, 1.6);
    camera.orthographic = orthographic;
    const Blade blade = mouse_cut(&camera, from, to, size).blade;
    const double length = sqrt(along(blade.normal, (double[3]){ 0 }, blade.normal));
    double right[3], up[3], forward[3];
    camera_axes(&camera, right, up, forward);
    for (int depth = -1; depth <= 1; depth++)
      for (int k = -1; k <= 5; k++) {
        const double pixel[2] = { from[0] + k / 4.0 * step[0], from[1] + k / 4.0 * step[1] };
        double plane[3], point[3];
        for (int i = 0; i < 3; i++) plane[i] = camera.target[i] + depth * camera.radius * forward[i];
        camera_on_plane(&camera, pixel, size[0], size[1], plane, point);

        // for an orthographic camera, mouse_cut replaces parallel rays by rays from a point that is 1e3 radii away
        const double tolerance = (orthographic ? 2e-3 : 1e-9) * camera.radius;
        assert_true(fabs(along(blade.normal, blade.point, point)) <= tolerance * length);
        const double first = along(blade.edge[0], blade.point, point), last = along(blade.edge[1], blade.point, point);
        if (k == -1 || k == 5) assert_true(first < 0 || last < 0);
        if (k > 0 && k < 4) assert_true(first > 0 && last > 0);
      }
  }
}

int main(int argc, char **argv) {
  if (argc > 1) random_cuts = atoi(argv[1]);
  if (argc > 2) device = argv[2];
  if (argc > 3) cmocka_set_test_filter(argv[3]);
  if (!device_present(strcmp(device, "cuda") == 0 ? DEVICE_CUDA : DEVICE_CPU)) return 77;
  snprintf(scene_path, sizeof scene_path, "/tmp/pliant_cut_%d.json", (int)getpid());
  snprintf(other_path, sizeof other_path, "/tmp/pliant_cut_%d.other", (int)getpid());
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_plane_makes_two_pieces_that_move_on),
    cmocka_unit_test(a_slit_leaves_one_piece_and_no_hinge),
    cmocka_unit_test(random_cuts_keep_volume_and_mass_and_replay_to_the_same_bits),
    cmocka_unit_test(a_checkpoint_between_cuts_goes_on_bit_for_bit),
    cmocka_unit_test(a_cut_is_undone_done_again_and_reset),
    cmocka_unit_test(cuts_keep_forces_and_momentum),
    cmocka_unit_test(other_bodies_are_cut_too),
    cmocka_unit_test(stretched_bodies_tear),
    cmocka_unit_test(other_bodies_tear_too),
    cmocka_unit_test(a_drag_whose_nodes_are_torn_out_is_over),
    cmocka_unit_test(impossible_cuts_are_refused),
    cmocka_unit_test(the_blade_of_a_drawn_line_contains_its_points),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(scene_path);
  unlink(other_path);
  return failed;
}
