// Tests saved scenes. Keys that are objects or lists must have the same value after printing and reading. A saved
// session with pins, pulls, changed settings and stages must open with equal bits, and its further steps must have
// equal bits. With a cut body it must open with equal bits, but its further steps need only be close to those of the
// saved session. Unsuitable files must be refused with a message. argv[1]: the device.
#include "live_testing.h"

#include <dirent.h>
#include <float.h>
#include <pthread.h>
#include <sys/stat.h>

#include "base/interrupt.h"
#include "live/curves.h"
#include "live/live_save.h"
#include "live/scene_camera.h"
#include "scene/json_file.h"
#include "scene/scene_save.h"
#include "scene/session_script.h"
#include "scene/vtu_series.h"

static char folder[64];

static const char *in_folder(const char *name) {
  static char path[4][SCENE_PATH_LENGTH];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof *path, "%s/%s", folder, name);
  return path[next];
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_true(file && fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

// A scene that uses every key whose value is an object or a list.
static const char *const ALL =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 2, 1], \"cells\": 2, \"at\": [0, 0.1, 0], \"turn\": [0, 0, 30]}],"
    " \"pins\": [{\"z\": [null, 0.02], \"axes\": \"xz\"}, {\"z\": [null, null]}, {\"center\": [0, 0.3, 1], \"radius\": "
    "2,"
    " \"x\": [-1, 4]}], \"obstacles\": [{\"kind\": \"plane\", \"at\": [0, 0.1, -3], \"normal\": [0.1, 0.3, 1],"
    " \"friction\": 0.3}, {\"kind\": \"sphere\", \"at\": [5, 0.1, 0], \"radius\": 0.7,"
    " \"spin\": {\"axis\": [0, 0.3, 1], \"angles\": [[0, 0.1], [1, 33.3]]}}, {\"kind\": \"box\", \"spin\": {\"axis\":"
    " [0.1, 0, 1], \"about\": [-4, 0.3, 0], \"speed\": 33.3}, \"at\":"
    " [-5, 0, 0], \"size\": [0.3, 1, 0.7], \"turn\": [10, 20, 33.3]}, {\"kind\": \"capsule\", \"from\": [0, 7, 0.1],"
    " \"to\": [0.3, 8, 1], \"radius\": 0.1}], \"materials\": {\"region\": {\"y\": [0.5, null]}, \"stiffness\": 3.3},"
    " \"forces\": [{\"region\": {\"center\": \"-x\", \"radius\": 0.3}, \"total\": [0.1, 0, 7], \"steps\": [3, 9]},"
    " {\"region\": {\"z\": [0.5, null]}, \"total\": [1, 0, 0]}], \"drags\": {\"grab\": {\"center\": \"+y\","
    " \"radius\": 0.1}, \"stiffness\": 20, \"path\": [[0, 0, 0, 0], [1, 0.1, 0.2, 0.3]]}, \"color_range\": [-1, 3.5],"
    " \"section\": {\"axis\": \"y\", \"at\": 0.3, \"flip\": true}, \"camera\": {\"eye\": [3, 1, 2], \"target\":"
    " [0.1, 0, 0], \"up\": [0, 1, 0], \"fov\": 40}, \"views\": [null, {\"eye\": [0.1, 0, 9], \"target\": [0, 0.3, 0],"
    " \"up\": [0, 1, 0], \"orthographic\": true}]}";

static const char *const BODIES =
    "{\"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"size\": [1, 1, 1], \"cells\": 2},"
    " \"place\": [0.1, 2, 3], \"turn\": {\"axis\": [0, 0.3, 1], \"degrees\": 33.3}, \"scale\": 0.7, \"young\": 1e4,"
    " \"poisson\": 0.1, \"density\": 300, \"damping\": 0, \"color\": [0.1, 0.2, 1], \"velocity\": [0, 0.1, -1],"
    " \"pins\": [{\"z\": [null, 3.1], \"axes\": \"z\"}]}, {\"shape\": {\"kind\": \"box\", \"size\": [1, 2, 1],"
    " \"cells\": 1}, \"stiffness\": 0.3}], \"pins\": [{\"body\": 1, \"x\": [0, null]}, {\"body\": \"ball\"}]}";

// Prints the structured keys (objects and lists) of a scene, reads the text again, and compares the values.
static void check_printing(const char *path) {
  Error error = { 0 };
  Scene *scene = read_scene(path), *again = malloc(sizeof *again);
  scene_defaults(again);
  for (const Option *o = scene_options; o->key; o++) {
    cJSON *value = o->type == OPTION_CUSTOM ? option_json(o, scene) : NULL;
    char *text = value ? cJSON_Print(value) : NULL;
    const bool empty = cJSON_IsArray(value) && !value->child;
    if (text && !empty && !option_set_text(o, again, text, &error)) fail_msg("%s: %s: %s", path, text, error.message);
    cJSON_free(text);
    cJSON_Delete(value);
  }
#define FIELD(name) \
  { #name, offsetof(Scene, name), sizeof scene->name }
  const struct {
    const char *name;
    size_t offset, size;
  } fields[] = {
    FIELD(pin_count),
    FIELD(force_count),
    FIELD(drag_count),
    FIELD(material_count),
    FIELD(shape_count),
    FIELD(pins),
    FIELD(forces),
    FIELD(drags),
    FIELD(materials),
    FIELD(shapes),
    FIELD(body_count),
    FIELD(bodies),
    FIELD(simulation.obstacle_count),
    FIELD(simulation.obstacles),
    FIELD(simulation.degree),
    FIELD(twist_axis),
    FIELD(camera),
    FIELD(views),
    FIELD(style.low),
    FIELD(style.high),
    FIELD(style.section),
    FIELD(style.section_at),
    FIELD(style.section_axis),
    FIELD(style.section_flip),
  };
#undef FIELD
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    if (memcmp((char *)scene + fields[k].offset, (char *)again + fields[k].offset, fields[k].size) != 0)
      fail_msg("%s: %s differs after it was printed and read", path, fields[k].name);
  assert_true(fabs(scene->twist - again->twist) <= 1e-15 * fabs(scene->twist));
  free(scene);
  free(again);
}

static void scenes_are_saved_as_they_were_read(void **state) {
  (void)state;
  char scenes[SCENE_PATH_LENGTH], path[SCENE_PATH_LENGTH + 256];
  int count = 0;
  asset_path("scenes", scenes);
  DIR *listing = opendir(scenes);
  assert_non_null(listing);
  for (struct dirent *entry; (entry = readdir(listing));) {
    if (!path_ends_with(entry->d_name, ".json")) continue;
    snprintf(path, sizeof path, "%s/%.250s", scenes, entry->d_name);
    check_printing(path);
    count++;
  }
  closedir(listing);
  assert_true(count > 10);
  write_text(in_folder("all.json"), ALL);
  check_printing(in_folder("all.json"));
  write_text(in_folder("bodies.json"), BODIES);
  check_printing(in_folder("bodies.json"));
}

static void assert_same_state(const Live *a, const Live *b) {
  double *x = state_of(a), *y = state_of(b);
  assert_int_equal(a->session.mesh.node_count, b->session.mesh.node_count);
  assert_memory_equal(x, y, 6 * (size_t)a->session.mesh.node_count * sizeof *x);
  assert_true(simulation_time(a->session.simulation) == simulation_time(b->session.simulation));
  assert_memory_equal(a->session.pinned, b->session.pinned, (size_t)a->session.mesh.node_count);
  free(x);
  free(y);
}

// Grabs the node that is farthest along an axis, and pulls it by `distance`, m, along x and z.
static void pull(Live *live, int axis, double distance) {
  const TetMesh *mesh = &live->session.mesh;
  int end = 0;
  for (int a = 0; a < mesh->node_count; a++)
    if (mesh->X[a][axis] > mesh->X[end][axis]) end = a;
  Command grab = { .kind = COMMAND_GRAB, .radius = 0.3, .nodes = { end, end, end }, .barycentric = { 1, 0, 0 } };
  memcpy(grab.X, mesh->X[end], sizeof grab.X);
  memcpy(grab.point, mesh->X[end], sizeof grab.point);
  do_it(live, &grab);
  do_it(live, &(Command){ .kind = COMMAND_DRAG, .offset = { distance, 0, distance } });
}

static const char *device = "cpu";
static const char *const BALL =
    "{\"mesh\": \"meshes/sphere_63.msh\", \"device\": \"%s\", \"mu\": 500, \"lambda\": 200, \"density\": 10,"
    " \"pins\": [{\"z\": [null, -0.9]}], \"gravity\": [0, 0, -1], \"dt\": 0.02, \"first_guess\": \"extrapolated\","
    " \"drags\": [{\"grab\": {\"center\": \"-x\", \"radius\": 0.3}, \"path\": [[0, 0, 0, 0], [0.5, -0.2, 0, 0]]}],"
    " \"forces\": [{\"region\": {\"z\": [0.5, null]}, \"total\": [3, 0, 0], \"steps\": [1, 12]}]}";

// Returns a session in which the user has set and released pins, kept a pull, and changed settings and stages.
static Live *handled(void) {
  char text[2000];
  snprintf(text, sizeof text, BALL, device);
  write_text(in_folder("ball.json"), text);  // the mesh is not in this folder, so the one in assets is used
  Scene *scene = read_scene(in_folder("ball.json"));
  Live *live = live_new(scene);
  free(scene);
  take_steps(live, 3);
  pull(live, 0, 0.3);
  take_steps(live, 4);
  do_it(live, &(Command){ .kind = COMMAND_KEEP });

  // pins a patch, and releases a node that the scene pins
  Command pin = { .kind = COMMAND_PIN, .X = { 0, 1, 0 }, .radius = 0.3 };
  do_it(live, &pin);
  pin = (Command){ .kind = COMMAND_PIN, .X = { 0, 0, -1 }, .radius = 0.01 };
  do_it(live, &pin);
  Command change = { .kind = COMMAND_ADJUST, .settings = *simulation_settings(live->session.simulation), .speed = 0.5 };
  change.settings.mu = 777.7;
  change.settings.dt = 0.017;
  change.settings.damping = 0.1;
  change.settings.has_floor = true;
  change.settings.floor_height = -1.1;
  change.settings.friction = 0.3;
  do_it(live, &change);
  change.kind = COMMAND_SWITCH;
  snprintf(change.settings.material, sizeof change.settings.material, "mooney_rivlin");

  // an empty name lets the simulation choose an assembly for the new material, as the panel does
  if (!simulation_assembles(&change.settings)) change.settings.assembly[0] = '\0';
  do_it(live, &change);
  take_steps(live, 3);
  return live;
}

static void saves(Live *live, const char *path) {
  Error error = { 0 };
  Camera camera;
  MUST(scene_camera(&live->session, 1.5, &camera, &error));
  camera_orbit(&camera, 0.4, 0.2);
  camera_zoom(&camera, 0.7);
  const Style style = { .field = FIELD_VON_MISES, .low = 1, .high = 12.5, .wireframe = true };
  MUST(live_save(live, &camera, &live->session.scene.views, &style, 33, 0.25, path, &error));
}

static void a_saved_scene_goes_on_bit_for_bit(void **state) {
  (void)state;
  Error error = { 0 };
  Live *live = handled();
  const char *path = in_folder("saved.json");
  saves(live, path);
  Scene *scene = read_scene(path);
  Live *again = live_new(scene);
  assert_same_state(live, again);
  assert_true(again->speed == 0.5 && again->style.wireframe && again->style.high == 12.5);
  assert_true(scene->mouse_stiffness == 33 && scene->mouse_radius == 0.25 && scene->twist == 0);
  for (const Option *o = simulation_options; o->key; o++)
    if (o->type != OPTION_TEXT &&
        !options_alike((const Option[]){ *o, { 0 } }, simulation_settings(live->session.simulation),
                       simulation_settings(again->session.simulation)))
      fail_msg("%s of the opened scene differs from the saved one", o->key);
  assert_string_equal(simulation_settings(again->session.simulation)->material, "mooney_rivlin");

  // the opened session must draw the springs at the same positions as the saved one
  Spring springs[2][LIVE_SPRINGS_MAX];
  int counts[2];
  live_springs(live, springs[0], &counts[0]);
  live_springs(again, springs[1], &counts[1]);
  assert_int_equal(counts[0], 2);
  assert_int_equal(counts[1], 2);
  assert_memory_equal(springs[0], springs[1], 2 * sizeof **springs);

  // The camera of the opened scene must be at the position to which `saves` has moved it.
  Camera seen[2];
  double eye[2][3];
  MUST(scene_camera(&live->session, 1.5, &seen[0], &error));
  camera_orbit(&seen[0], 0.4, 0.2);
  camera_zoom(&seen[0], 0.7);
  MUST(scene_camera(&again->session, 1.5, &seen[1], &error));
  for (int k = 0; k < 2; k++) camera_eye(&seen[k], eye[k]);
  for (int i = 0; i < 3; i++) assert_true(fabs(eye[0][i] - eye[1][i]) < 1e-12);

  // both sessions continue beyond the end of the scene's forces and drag
  take_steps(live, 30);
  take_steps(again, 30);
  assert_same_state(live, again);

  // a reset must return to the start of the saved scene, also after the release of all pins and pulls
  do_it(again, &(Command){ .kind = COMMAND_RELEASE_ALL });
  do_it(again, &(Command){ .kind = COMMAND_RESET });
  take_steps(again, 30);
  assert_same_state(live, again);
  live_delete(live);
  live_delete(again);
  free(scene);
}

// A saved scene does not contain the pull by the mouse. So the opened session must continue like the saved one does
// after the mouse is released.
static void the_mouse_is_not_saved(void **state) {
  (void)state;
  Live *live = handled();
  pull(live, 1, 0.1);
  take_steps(live, 2);
  saves(live, in_folder("held.json"));
  Scene *scene = read_scene(in_folder("held.json"));
  Live *again = live_new(scene);
  assert_same_state(live, again);
  do_it(live, &(Command){ .kind = COMMAND_RELEASE });
  take_steps(live, 5);
  take_steps(again, 5);
  assert_same_state(live, again);
  live_delete(live);
  live_delete(again);
  free(scene);
}

// A log refers to its scene file. A replay must be refused after another state was saved to this file.
static void logs_of_a_scene_with_another_state_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  Live *live = handled();
  saves(live, in_folder("logged.json"));
  Scene *scene = read_scene(in_folder("logged.json"));
  Live *again = live_new(scene);
  MUST(live_log(again, in_folder("log.jsonl"), &error));
  MUST(live_log_end(again, &error));
  live_delete(again);
  for (int k = 0; k < 2; k++) {
    InputReader reader;
    Live *replayed = calloc(1, sizeof *replayed);
    MUST(input_reader_open(&reader, in_folder("log.jsonl"), scene, &error));
    assert_int_equal(live_create_logged(replayed, scene, &reader, &error), k == 0);
    input_reader_close(&reader);
    live_delete(replayed);
    take_steps(live, 1);
    saves(live, in_folder("logged.json"));
  }
  assert_non_null(strstr(error.message, "another initial state"));
  live_delete(live);
  free(scene);
}

static void refused(const char *path, const char *words) {
  Error error = { 0 };
  Scene *scene = malloc(sizeof *scene);
  Session *session = calloc(1, sizeof *session);
  if (scene_read(scene, path, &error) && session_create(session, scene, &error)) fail_msg("%s was accepted", path);
  if (!strstr(error.message, words)) fail_msg("%s", error.message);
  free(scene);
  free(session);
}

static void unsuitable_input_is_refused(void **state) {
  (void)state;
  Error error = { 0 };
  char text[4096];
  Live *live = handled();
  saves(live, in_folder("a.json"));
  FILE *file = fopen(in_folder("a.state"), "rb");
  static unsigned char bytes[1 << 20];
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  assert_true(size > 1000 && size < sizeof bytes);

  // a change of any byte of the state file must be detected; tries some of them
  for (size_t at = 0; at < size; at += 1 + size / 61) {
    bytes[at] ^= 1;
    file = fopen(in_folder("a.state"), "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    bytes[at] ^= 1;
    refused(in_folder("a.json"), "a.state");
  }

  unlink(in_folder("a.state"));
  refused(in_folder("a.json"), "a.state: No such file");

  // a state of another body must be refused, and a key that excludes "begin"
  saves(live, in_folder("a.json"));
  snprintf(text, sizeof text, "{\"mesh\": \"meshes/sphere_305.msh\", \"begin\": \"a.state\", \"device\": \"%s\"}",
           device);
  write_text(in_folder("b.json"), text);
  refused(in_folder("b.json"), "the state of another body");
  write_text(in_folder("b.json"),
             "{\"mesh\": \"meshes/sphere_63.msh\", \"begin\": \"a.state\","
             " \"twist\": {\"axis\": \"x\", \"degrees\": 1}}");
  refused(in_folder("b.json"), "\"begin\" or \"twist\", not both");

  // paths that cannot be written must be refused
  const Style style = { 0 };
  Camera camera;
  MUST(scene_camera(&live->session, 1, &camera, &error));
  const struct {
    const char *path, *words;
  } bad[] = { { "/nowhere/at/all.json", "No such file" }, { "/tmp/scene.txt", "must end in .json" } };
  for (int k = 0; k < 2; k++) {
    Error why = { 0 };
    assert_false(live_save(live, &camera, &live->session.scene.views, &style, 0, 0, bad[k].path, &why));
    assert_non_null(strstr(why.message, bad[k].words));
  }
  live_delete(live);
}

// Pins that the user has set must be kept if the saved scene is opened and saved once more.
static void pins_by_hand_are_saved_again(void **state) {
  (void)state;
  Live *live = handled(), *again[2];
  const char *names[2] = { "once.json", "twice.json" };
  for (int k = 0; k < 2; k++) {
    saves(k ? again[0] : live, in_folder(names[k]));
    Scene *scene = read_scene(in_folder(names[k]));
    again[k] = live_new(scene);
    free(scene);
    assert_same_state(live, again[k]);
  }
  live_delete(live);
  live_delete(again[0]);
  live_delete(again[1]);
}

// ---- names of curves

// Curves of parts that the scene does not have are removed, each for its own reason. Their names stay in the scene.
static void wrong_curves_have_their_own_reasons(void **state) {
  (void)state;
  static const char *const names[] = { "position:99999", "reaction:3", "kinetic", "contact_distance:0/moon" };
  static const char *const reasons[] = { "position:99999: ", "reaction:3: ", "contact_distance:0/moon: " };
  Error error = { 0 };
  char text[ERROR_LENGTH], saved[SCENE_CURVES];
  Live *live = handled();
  Curves curves = { .opened = true };
  curves_create(&curves);
  curves_list_names(&curves, "position:99999,energy_change,reaction:3,kinetic,contact_distance:0/moon");
  for (int k = 0; k < 4; k++) MUST(curves_add(&curves, names[k], &error));
  MUST(curves_add(&curves, "volume", &error));
  MUST(curves_record(&curves, &live->session, NULL, &error));
  for (int k = 0; k < 3; k++) {
    assert_true(curves_take_refusal(&curves, text));
    if (strncmp(text, reasons[k], strlen(reasons[k])) != 0 || strstr(text + 5, "position:"))
      fail_msg("%s is the reason for %s", text, reasons[k]);
  }

  assert_false(curves_take_refusal(&curves, text));
  assert_int_equal(curves.count, 2);
  assert_true(curves_names(&curves, saved));
  assert_string_equal(saved, "position:99999,energy_change,reaction:3,kinetic,contact_distance:0/moon,volume");
  curves_remove(&curves, "kinetic");
  curves_remove(&curves, "volume");
  assert_true(curves_names(&curves, saved));
  assert_string_equal(saved, "position:99999,energy_change,reaction:3,contact_distance:0/moon");
  curves_destroy(&curves);
  live_delete(live);
}

// No curve is added if its name would not fit into the scene.
static void the_names_of_curves_fit_into_a_scene(void **state) {
  (void)state;
  Error error = { 0 };
  char listed[SCENE_CURVES] = "kinetic";
  Curves curves = { .opened = true };
  curves_create(&curves);
  for (int k = 0; k < 1020; k++) memcpy(listed + 7 + 2 * k, ",k", 3);
  curves_list_names(&curves, listed);
  MUST(curves_add(&curves, "kinetic", &error));
  assert_false(curves_add(&curves, "volume", &error));
  assert_non_null(strstr(error.message, "more than 2,000 characters"));
  assert_false(curves_add_probe(&curves, 1, (const double[3]){ 0 }));
  assert_int_equal(curves.count, 1);
  curves_destroy(&curves);
}

// ---- scenes of bodies that were cut

static const char *const CUT =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [0.4, 0.1, 0.1], \"cells\": 3, \"at\": [0.05, 0, 0],"
    " \"turn\": [0, 20, 0]}], \"scale\": 2, \"device\": \"%s\", \"young\": 2e4, \"poisson\": 0.3, \"density\": 1000,"
    " \"damping\": 2, \"dt\": 0.005, \"gravity\": [0, 0, -2], \"degree\": %d, \"pins\": [{\"x\": [null, -0.2]}],"
    " \"materials\": {\"region\": {\"center\": \"+x\", \"radius\": 0.3}, \"stiffness\": 3}, \"drags\":"
    " {\"grab\": {\"center\": \"+x\", \"radius\": 0.1}, \"path\": [[0, 0, 0, 0], [0.2, 0, 0, 0.05]]}, \"forces\":"
    " [{\"region\": {\"x\": [0.2, null]}, \"total\": [0, 0.1, 0], \"steps\": [1, 30]}], \"cuts\": [{\"time\": 0.02,"
    " \"point\": [0.2, 0, 0], \"normal\": [1, 0, 0.1]}, {\"time\": 0.12, \"point\": [0, 0, 0],"
    " \"normal\": [1, 0, 0]}]}";

static const char *const CUT_BODIES =
    "{\"bodies\": [{\"name\": \"bar\", \"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.1, 0.1], \"cells\": 3},"
    " \"turn\": {\"axis\": [0, 0.3, 1], \"degrees\": 33.3}, \"place\": [0, 0, 1], \"scale\": 2, \"young\": 3e4,"
    " \"pins\": [{\"x\": [null, -0.3]}]}, {\"shape\": {\"kind\": \"sphere\", \"size\": [1, 1, 1], \"cells\": 2},"
    " \"density\": 500, \"damping\": 3, \"velocity\": [0.1, 0, 0]}], \"device\": \"%s\", \"young\": 2e4,"
    " \"poisson\": 0.3, \"density\": 1000, \"dt\": 0.005, \"degree\": %d, \"drags\": {\"grab\": {\"body\": 1,"
    " \"z\": [0, null]}, \"path\": [[0, 0, 0, 0], [0.2, 0, 0, 0.05]]}, \"cuts\": [{\"time\": 0.02,"
    " \"point\": [0.05, 0, 0], \"normal\": [1, 0, 0.1]}]}";

static Live *scripted(const char *name, const char *text, int degree) {
  char whole[2000];
  snprintf(whole, sizeof whole, text, device, degree);
  write_text(in_folder(name), whole);
  Scene *scene = read_scene(in_folder(name));
  Live *live = live_new(scene);
  free(scene);
  return live;
}

static Live *opened(const char *name) {
  Scene *scene = read_scene(in_folder(name));
  Live *live = live_new(scene);
  free(scene);
  return live;
}

static int files_that_end_in(const char *ending) {
  int count = 0;
  DIR *listing = opendir(folder);
  for (struct dirent *entry; (entry = readdir(listing));) count += path_ends_with(entry->d_name, ending);
  closedir(listing);
  return count;
}

// Compares session `a` with session `b` of the saved scene, in which the nodes are sorted by bodies. Returns the
// largest difference of positions or momenta, as a fraction of the largest value; 0 only if all bits are equal.
static double apart(const Live *a, const Live *b) {
  const TetMesh *mesh = &a->session.mesh;
  const int nodes = mesh->node_count;
  double *x = state_of(a), *y = state_of(b), maximum = 0, largest[2] = { 0 };
  assert_int_equal(nodes, b->session.mesh.node_count);
  assert_int_equal(mesh->tet_count, b->session.mesh.tet_count);
  for (int i = 0; i < 6 * nodes; i++) largest[i >= 3 * nodes] = fmax(largest[i >= 3 * nodes], fabs(x[i]));
  int next = 0;
  for (int k = 0; k < SCENE_PARTS_MAX; k++)
    for (int c = 0; c < nodes; c++) {
      if (mesh_body(mesh, c) != k) continue;
      for (int i = 0; i < 3; i++)
        assert_true(fabs(mesh->X[c][i] - b->session.mesh.X[next][i]) <= (mesh->middle ? 2 * DBL_EPSILON : 0));
      assert_int_equal(a->session.pinned[c], b->session.pinned[next]);
      for (int half = 0; half < 2; half++) {
        const double *p = x + 3 * (half * nodes + c), *q = y + 3 * (half * nodes + next);
        if (memcmp(p, q, 3 * sizeof *p) != 0) maximum = fmax(maximum, 1e-300);
        for (int i = 0; i < 3; i++) maximum = fmax(maximum, fabs(p[i] - q[i]) / largest[half]);
      }
      next++;
    }
  assert_int_equal(next, nodes);
  free(x);
  free(y);
  return maximum;
}

// Requires that the saved scene opens with equal bits, continues close to the saved session, and can be saved and
// opened again. The opened session computes sums in another order, so steps differ by the tolerance of Newton's method,
// newton_relative.
static void opens_and_goes_on(Live *live, const char *name, int steps) {
  assert_ptr_not_equal(live->session.form, live->session.scene_form);
  saves(live, in_folder(name));
  Live *again = opened(name);
  assert_ptr_equal(again->session.form, again->session.scene_form);

  // the program reads middle nodes of rotated bodies as exact midpoints of edges, so their last bit may differ
  assert_true(apart(live, again) <= (live->session.mesh.middle && live->session.mesh.body ? 2 * DBL_EPSILON : 0));
  assert_true(simulation_time(live->session.simulation) == simulation_time(again->session.simulation));
  saves(again, in_folder("twice.json"));
  Live *twice = opened("twice.json");
  assert_true(apart(again, twice) == 0);
  take_steps(live, steps);
  take_steps(again, steps);
  take_steps(twice, steps);
  const double off = apart(live, again);
  if (!(off < 1e-3)) fail_msg("%s: %g apart after %d steps", name, off, steps);
  assert_same_state(again, twice);
  live_delete(again);
  live_delete(twice);
}

// With sanitizers, steps of quadratic bodies are slow, so these tests use only degree 1. A further test saves quadratic
// bodies without taking steps.
#ifdef __SANITIZE_ADDRESS__
enum { DEGREES = 1 };
#else
enum { DEGREES = 2 };
#endif

static void a_body_that_was_cut_is_saved_with_its_mesh(void **state) {
  (void)state;
  for (int degree = 1; degree <= DEGREES; degree++) {
    Live *live = scripted("cut.json", CUT, degree);
    take_steps(live, 10);
    pull(live, 2, 0.02);
    take_steps(live, 3);
    do_it(live, &(Command){ .kind = COMMAND_KEEP });
    do_it(live, &(Command){ .kind = COMMAND_PIN, .X = { 0.5, 0, 0 }, .radius = 0.05 });
    take_steps(live, 3);
    opens_and_goes_on(live, "cut-saved.json", 12);  // these steps include the second cut of the scene
    live_delete(live);
  }
}

static void several_bodies_that_were_cut_are_saved(void **state) {
  (void)state;
  for (int degree = 1; degree <= DEGREES; degree++) {
    Live *live = scripted("bodies.json", CUT_BODIES, degree);
    take_steps(live, 10);
    pull(live, 2, 0.02);
    take_steps(live, 3);
    do_it(live, &(Command){ .kind = COMMAND_KEEP });
    opens_and_goes_on(live, "bodies-saved.json", 8);
    live_delete(live);
  }
}

// A cut may give two tets different middle nodes on a common edge. Mesh files cannot store this: it must be refused.
static void quadratic_bodies_that_no_mesh_file_can_represent_are_refused(void **state) {
  (void)state;
  Live *live = scripted("slit.json", CUT, 2);
  live->session.scene.cut_count = 0;
  int saved = 0, refused = 0;
  for (int k = 1; k <= 12; k++) {
    Error error = { 0 };
    Command cut = {
      .kind = COMMAND_CUT,
      .blade = { .point = { 0.04 * k - 0.2, 0.1 * (k % 2), 0 }, .normal = { 1, 0.1 * k, 0.3 }, .reach = 0.01 * k }
    };
    MUST(live_apply(live, &cut, &error));
    if (scene_save(&live->session, &live->session.scene, in_folder("slit-saved.json"), &error)) {
      Live *again = opened("slit-saved.json");
      assert_true(apart(live, again) == 0);
      live_delete(again);
      saved++;
      continue;
    }
    assert_non_null(strstr(error.message, "different nodes"));
    assert_non_null(strstr(error.message, "; keep the cuts in a checkpoint (`pliant record --checkpoint`)"));
    refused++;
    do_it(live, &(Command){ .kind = COMMAND_RESET });
  }

  assert_true(saved > 0 && refused > 0);
  live_delete(live);
}

// If all nodes of a pin, force or drag have been torn out, the saved scene must not contain it, since it would select
// no node.
static void nodes_that_were_torn_out_are_not_saved(void **state) {
  (void)state;
  Live *live = scripted(
      "torn.json",
      "{\"shapes\": [{\"kind\": \"box\", \"size\": [0.6, 0.2, 0.2], \"cells\": 6}], \"device\": \"%s\","
      " \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000, \"damping\": 5, \"dt\": 0.002,"
      " \"degree\": %d, \"tear_stress\": 3000, \"pins\": [{\"x\": [0.29, null], \"axes\": \"y\"},"
      " {\"x\": [null, -0.29]}], \"forces\": [{\"region\": {\"x\": [0.29, null]},"
      " \"total\": [900, 0, 0]}, {\"region\": {\"x\": [-0.21, -0.19]}, \"total\": [0, 0, 1]}],"
      " \"drags\": [{\"grab\": {\"x\": [0.29, null]}, \"stiffness\": 1, \"path\": [[0, 0, 0, 0], [0.3, 0, 0, 0]]},"
      " {\"grab\": {\"center\": \"-x\", \"radius\": 0.15}, \"path\": [[0, 0, 0, 0],"
      " [0.3, 0, 0.01, 0]]}]}",
      1);
  const Session *session = &live->session;
  const Region *end = &session->scene.pins[0].region;
  for (int k = 0; k < 100 && session_region(session, end, session->inside) > 0; k++) take_steps(live, 1);
  assert_int_equal(session_region(session, end, session->inside), 0);
  take_steps(live, 1);
  assert_int_equal(session->drag_ids[0], DRAG_TORN);
  assert_true(session->drag_ids[1] > 0);
  opens_and_goes_on(live, "torn-saved.json", 4);
  Scene *scene = read_scene(in_folder("torn-saved.json"));
  assert_int_equal(scene->pin_count, 1);
  assert_int_equal(scene->force_count, 1);
  assert_int_equal(scene->drag_count, 1);
  free(scene);
  live_delete(live);
}

// A cut whose time has passed must not be in the saved scene, even if it separated nothing. Otherwise the opened scene
// would repeat it.
static void a_cut_through_no_face_is_not_saved(void **state) {
  (void)state;
  Live *live = handled();
  live->session.scene.cuts[live->session.scene.cut_count++] =
      (SceneCut){ .time = 0, .blade = { .point = { 5, 0, 0 }, .normal = { 1, 0, 0 } } };
  saves(live, in_folder("past.json"));
  Live *again = opened("past.json");
  assert_int_equal(again->session.scene.cut_count, 0);
  live_delete(live);
  live_delete(again);
}

// A saved cut body has a scene file and a mesh file. If the scene file cannot be written, no mesh file may be left. If
// the mesh file cannot be written, the old scene file must be kept.
static void a_mesh_is_not_left_without_its_scene(void **state) {
  (void)state;
  Error error = { 0 };
  char path[SCENE_PATH_LENGTH] = "";
  Live *live = scripted("cut.json", CUT, 1);
  Scene *appearance = &live->session.scene;
  take_steps(live, 10);
  const int before = files_that_end_in(".vtu");
  assert_false(scene_save(&live->session, appearance, "/nowhere/at/all.json", &error));
  assert_non_null(strstr(error.message, "No such file"));
  assert_int_equal(symlink("nothing", in_folder("linked.json")), 0);
  error = (Error){ 0 };
  assert_false(scene_save(&live->session, appearance, in_folder("linked.json"), &error));
  assert_non_null(strstr(error.message, "broken symbolic link"));
  assert_int_equal(files_that_end_in(".vtu"), before);

  error = (Error){ 0 };
  MUST(scene_save(&live->session, appearance, in_folder("late.json"), &error));
  assert_int_equal(files_that_end_in(".vtu"), before + 1);
  Scene *scene = read_scene(in_folder("late.json"));
  memcpy(path, scene->mesh, sizeof path);
  free(scene);

  // the mesh file cannot be written, because a folder has its path
  const int scenes = files_that_end_in(".json");
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_false(scene_save(&live->session, appearance, in_folder("late.json"), &error));
  assert_non_null(strstr(error.message, "is a folder, expected a file"));
  assert_int_equal(files_that_end_in(".json"), scenes);
  assert_int_equal(files_that_end_in(".part"), 0);
  live_delete(live);
}

static void *lack_a_part(void *unused) {
  Error error = { 0 };
  json_mark_incomplete();
  return json_is_whole(&error) ? unused : NULL;
}

static void parts_of_scenes_are_separate_for_each_thread(void **state) {
  (void)state;
  pthread_t thread;
  Error error = { 0 };
  void *whole = &error;
  json_mark_incomplete();
  assert_int_equal(pthread_create(&thread, NULL, lack_a_part, &error), 0);
  assert_int_equal(pthread_join(thread, &whole), 0);
  assert_null(whole);
  assert_false(json_is_whole(&error));
  assert_string_equal(error.message, "out of memory: cannot store the JSON text; close other programs");
  error = (Error){ 0 };
  assert_true(json_is_whole(&error));
}

static bool after_some(void *left) {
  return --*(int *)left < 0;
}

static bool count_queries(void *asked) {
  ++*(int *)asked;
  return false;
}

static void a_frame_for_paraview_ends_where_the_caller_asks(void **state) {
  (void)state;
  Error error = { 0 };
  int asked = 0;
  char frame[SCENE_PATH_LENGTH];
  write_text(in_folder("box.json"),
             "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 4}], \"degree\": 2,"
             " \"device\": \"cpu\"}");
  Scene *scene = read_scene(in_folder("box.json"));
  Session *session = calloc(1, sizeof *session);
  MUST(session_create(session, scene, &error));
  VtuSeries series = { 0 };
  snprintf(series.folder, sizeof series.folder, "%s", folder);
  snprintf(frame, sizeof frame, "%s/frame_00000.vtu", folder);
  for (int eighth = 0; eighth < 8; eighth++) {
    int left = asked * eighth / 8;
    error = (Error){ 0 };
    interrupt_listen(after_some, &left);
    assert_false(vtu_series_add(&series, session, 0, 0, &error));
    interrupt_listen(NULL, NULL);
    assert_string_equal(error.message, "interrupted");
    assert_int_equal(series.count, 0);
    assert_int_not_equal(access(frame, F_OK), 0);
    if (asked) continue;
    error = (Error){ 0 };
    VtuSeries whole = series;
    interrupt_listen(count_queries, &asked);
    MUST(vtu_series_add(&whole, session, 0, 0, &error));
    interrupt_listen(NULL, NULL);
    assert_int_equal(unlink(frame), 0);
    assert_true(asked > 2 * session->mesh.tet_count);
    vtu_series_destroy(&whole);
  }

  vtu_series_destroy(&series);
  session_destroy(session);
  free(session);
  free(scene);
}

int main(int count, char **words) {
  if (count > 1) device = words[1];
  if (strcmp(device, "cuda") == 0 && !device_present(DEVICE_CUDA)) return 77;
  snprintf(folder, sizeof folder, "/tmp/pliant-save-XXXXXX");
  if (!mkdtemp(folder)) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(scenes_are_saved_as_they_were_read),
    cmocka_unit_test(a_saved_scene_goes_on_bit_for_bit),
    cmocka_unit_test(the_mouse_is_not_saved),
    cmocka_unit_test(logs_of_a_scene_with_another_state_are_refused),
    cmocka_unit_test(unsuitable_input_is_refused),
    cmocka_unit_test(wrong_curves_have_their_own_reasons),
    cmocka_unit_test(the_names_of_curves_fit_into_a_scene),
    cmocka_unit_test(a_body_that_was_cut_is_saved_with_its_mesh),
    cmocka_unit_test(several_bodies_that_were_cut_are_saved),
    cmocka_unit_test(quadratic_bodies_that_no_mesh_file_can_represent_are_refused),
    cmocka_unit_test(nodes_that_were_torn_out_are_not_saved),
    cmocka_unit_test(pins_by_hand_are_saved_again),
    cmocka_unit_test(a_cut_through_no_face_is_not_saved),
    cmocka_unit_test(a_mesh_is_not_left_without_its_scene),
    cmocka_unit_test(parts_of_scenes_are_separate_for_each_thread),
    cmocka_unit_test(a_frame_for_paraview_ends_where_the_caller_asks),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command) == 0 ? failed : 1;
}
