// Tests functions that create objects or read files. In each run, another one of their allocations fails. There must be
// no crash and no leak (checked by the address sanitizer), and the error must say that memory was missing.
// test_allocations.py tests whole commands. argv[1]: a pattern for the names of the tests to run.
#include "../testing.h"

#include <unistd.h>

#include "cut_twice.h"
#include "failing.h"
#include "live/live.h"
#include "mesh/creases.h"
#include "mesh/join.h"
#include "mesh/mesh_write.h"
#include "mesh/quadratic.h"
#include "mesh/plane_cut.h"
#include "mesh/quality.h"
#include "mesh/shapes.h"
#include "record/png_file.h"
#include "scene/checkpoint.h"
#include "scene/json_file.h"
#include "scene/vtu_series.h"
#include "scene/write_state.h"
#include "mesh/grid.h"
#include "lab/lower/chunked.h"
#include "lab/lower/lower_operator.h"
#include "lab/rows.h"
#include "sim/element/stage.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define LEAKS() __lsan_do_recoverable_leak_check()
#else
#define LEAKS() 0
#endif

enum { FPS = 30, NAME_LENGTH = 160, FAILURES_MAX = 100000 };

static char folder[64];
static int bad;

static const char *in_folder(const char *name) {
  static char paths[4][sizeof folder + NAME_LENGTH];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

// An operation that is repeated with failing allocations. It frees all its memory on success and on failure.
typedef bool Job(const void *data, Error *error);

static void each_fails(const char *what, Job *job, const void *data) {
  long count = 0;
  for (long at = 1; at < FAILURES_MAX; at++) {
    Error error = { 0 };
    failing_begin(at);
    const bool ok = job(data, &error);
    count = failing_end();
    if (count < at) {  // the job has fewer than `at` allocations, so none failed, and all have been tested
      if (!ok) fail_msg("%s: %s", what, error.message);
      break;
    }
    if (!ok && strstr(error.message, "memory") && !strchr(error.message, '\n')) continue;
    print_error("%s: allocation %ld fails: %s \"%s\"\n", what, at, ok ? "succeeds nevertheless" : "wrong message",
                error.message);
    bad++;
  }
  assert_true(count > 0 && count < FAILURES_MAX);
  if (LEAKS()) fail_msg("%s: memory leaks", what);
  printf("  %s: %ld allocations\n", what, count);
  assert_int_equal(bad, 0);
}

// A block of 27 nodes with its bottom pinned; 125 nodes if its degree is raised to 2.
typedef struct Block {
  TetMesh mesh;
  uint8_t pinned[125];
} Block;

static Block block(void) {
  Error error = { 0 };
  Block b = { 0 };
  MUST(mesh_make_box(2, 2, 2, (double[3]){ 1, 1, 1 }, &b.mesh, &error));
  for (int a = 0; a < 27; a++) b.pinned[a] = b.mesh.X[a][2] == 0 ? PIN_ALL : 0;
  return b;
}

typedef struct Body {
  const Block *block;
  SimulationSettings settings;
} Body;

static bool body_moves(const void *data, Error *error) {
  const Body *body = data;
  Simulation *w;
  StepReport report;
  if (!simulation_create(&w, &body->block->mesh, &body->settings, body->block->pinned, error)) return false;
  const bool ok = simulation_step(w, &report, error);
  simulation_destroy(w);
  return ok;
}

static SimulationSettings with_stages(Precision precision, const char *assembly, const char *matrix,
                                      const char *solver) {
  SimulationSettings s = simulation_defaults();
  s.device = DEVICE_CPU;
  s.precision = precision;
  s.gravity[0] = 9.81;
  snprintf(s.assembly, sizeof s.assembly, "%s", assembly);
  snprintf(s.matrix, sizeof s.matrix, "%s", matrix);
  snprintf(s.solver, sizeof s.solver, "%s", solver);
  return s;
}

// Returns the name of the default assembly, which the tests put into the settings: without a name, an assembly that
// lacks memory would be replaced by another one.
static const char *assembly_of(Precision precision) {
  return stage_find(STAGE_ASSEMBLY, NULL, DEVICE_CPU, precision, simulation_element("tet4"))->name;
}

// Tests every assembly with its default matrix, every matrix with the default assembly and solver, and every solver
// with its default matrix.
static void bodies_of_all_stages(void **state) {
  (void)state;
  Block b = block();
  const char *element = simulation_element("tet4");
  for (int k = PRECISION_F32; k <= PRECISION_F64; k++) {
    const Precision precision = (Precision)k;
    const Stage *assembly = NULL, *matrix, *solver;
    int turn = 0;
    while ((assembly = stage_next(assembly, STAGE_ASSEMBLY, DEVICE_CPU, precision, element)))
      for (matrix = NULL; (matrix = stage_next(matrix, STAGE_OPERATOR, DEVICE_CPU, precision, element));)
        for (solver = NULL; (solver = stage_next(solver, STAGE_SOLVER, DEVICE_CPU, precision, NULL));) {
          char what[NAME_LENGTH];
          if (!solver->preferred && matrix != stage_matrix_of(solver)) continue;
          if (!assembly->preferred && matrix != stage_matrix_of(assembly)) continue;
          if (!stage_fits(assembly, matrix)) continue;

          // both precisions list the same combinations; to save time, half are tested in float, the others in double
          if ((turn++ + k) % 2) continue;
          const Body body = { &b, with_stages(precision, assembly->name, matrix->name, solver->name) };
          snprintf(what, sizeof what, "%s, %s, %s, %s", assembly->name, matrix->name, solver->name,
                   precision_name(precision));
          each_fails(what, body_moves, &body);
        }
  }
  mesh_destroy(&b.mesh);
}

static void bodies_of_all_kinds(void **state) {
  (void)state;
  Block b = block();
  Body body = { &b, with_stages(PRECISION_F32, assembly_of(PRECISION_F32), "", "") };
  for (int order = ORDER_METIS; order <= ORDER_BISECTION; order++) {
    body.settings.order = (MeshOrder)order;
    each_fails("another order", body_moves, &body);
  }
  const Stage *material = NULL;
  while ((material = stage_next(material, STAGE_ELEMENT, DEVICE_CPU, PRECISION_F32, "tet4"))) {
    snprintf(body.settings.material, sizeof body.settings.material, "%s", material->name);
    each_fails(material->name, body_moves, &body);
  }
  body.settings = with_stages(PRECISION_F32, assembly_of(PRECISION_F32), "", "");
  body.settings.supplemental = SUPPLEMENTAL_QR;
  each_fails("supplemental \"qr\"", body_moves, &body);
  body.settings.has_floor = true;
  body.settings.floor_height = -0.01;
  body.settings.friction = 0.5;
  body.settings.obstacle_count = 1;
  body.settings.obstacles[0] = (Obstacle){
    .kind = OBSTACLE_SPHERE, .centre = { 0, 0, -9 }, .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .size = { 1 }
  };
  body.settings.integrator = INTEGRATOR_BDF2;
  each_fails("a floor", body_moves, &body);
  double corner[3][3] = { { -1, -1, -0.5 }, { 3, -1, -0.5 }, { -1, 3, -0.5 } };
  int triangle[1][3] = { { 0, 1, 2 } };
  const ObstacleSurface sheet = { 3, 1, corner, triangle };
  const SimulationSettings without = body.settings;
  body.settings.integrator = INTEGRATOR_EULER;
  body.settings.self_contact = true;
  body.settings.pusher = 0.1;
  body.settings.obstacles[0] =
      (Obstacle){ .kind = OBSTACLE_MESH,
                  .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                  .size = { 1 },
                  .surface = &sheet,
                  .motion = { .point_count = 2, .path = { { 0, 0, 0, 0 }, { 1, 0.5, 0, 0 } } } };
  each_fails("self-contact with a mesh obstacle", body_moves, &body);
  body.settings = without;
  b.mesh.stiffness = malloc(sizeof *b.mesh.stiffness * (size_t)b.mesh.tet_count);
  for (int e = 0; e < b.mesh.tet_count; e++) b.mesh.stiffness[e] = (float)(1 + e % 3);
  body.settings.supplemental = SUPPLEMENTAL_FULL;
  each_fails("a graded material", body_moves, &body);
  b.mesh.ratio = malloc(sizeof *b.mesh.ratio * (size_t)b.mesh.tet_count);
  b.mesh.density = malloc(sizeof *b.mesh.density * (size_t)b.mesh.tet_count);
  b.mesh.damping = malloc(sizeof *b.mesh.damping * (size_t)b.mesh.node_count);
  b.mesh.body = malloc(sizeof *b.mesh.body * (size_t)b.mesh.node_count);
  for (int e = 0; e < b.mesh.tet_count; e++) {
    b.mesh.ratio[e] = 2;
    b.mesh.density[e] = 700;
  }
  for (int a = 0; a < b.mesh.node_count; a++) {
    b.mesh.damping[a] = 1;
    b.mesh.body[a] = 0;
  }
  each_fails("ratio, density and damping of bodies", body_moves, &body);
  free(b.mesh.ratio);
  free(b.mesh.damping);
  free(b.mesh.body);
  b.mesh.ratio = b.mesh.damping = NULL;
  b.mesh.body = NULL;
  Error error = { 0 };
  MUST(mesh_raise(&b.mesh, 2, &error));
  each_fails("quadratic tets", body_moves, &body);
  snprintf(body.settings.solver, sizeof body.settings.solver, "pmg");
  each_fails("quadratic tets, solver pmg", body_moves, &body);
  snprintf(body.settings.matrix, sizeof body.settings.matrix, "partial");
  each_fails("quadratic tets, solver pmg, matrix partial", body_moves, &body);
  mesh_destroy(&b.mesh);
}

// Applies a pressure to all faces of the body, with a factor at each quadrature point of a face, then changes the
// pressures.
static bool press(Simulation *w, const TetMesh *mesh, Error *error) {
  enum { FACES_MAX = 64, POINTS_MAX = 16 };
  uint8_t all[27];
  double value[FACES_MAX], points[FACES_MAX * POINTS_MAX];
  BoundaryFaces faces;
  memset(all, 1, sizeof all);
  for (int k = 0; k < FACES_MAX; k++) value[k] = 1e-3;
  for (int k = 0; k < FACES_MAX * POINTS_MAX; k++) points[k] = 1;
  const PressureLoad load = { &faces, value, points };
  const bool ok = boundary_faces_find(&faces, mesh, all, error) && simulation_set_pressure(w, &load, error) &&
                  simulation_change_pressure(w, value, error);
  boundary_faces_destroy(&faces);
  return ok;
}

// Calls functions that change or read a simulation.
static bool body_is_handled(const void *data, Error *error) {
  const Body *body = data;
  const int n = body->block->mesh.node_count;
  double x[27][3], p[27][3], force[3];
  float field[27 + FIELD_EXTRA], positions[27][3];
  int id;
  Simulation *w;
  StepReport report;
  Energy energy;
  Profile profile;
  SimulationSettings s = body->settings;
  char *saved = NULL;
  size_t size = 0;
  memset(p, 0, sizeof p);
  for (int a = 0; a < n; a++) p[a][0] = 1e-3;
  if (!simulation_create(&w, &body->block->mesh, &s, body->block->pinned, error)) return false;
  s.mu *= 2;
  s.has_floor = true;
  s.floor_height = -1;
  bool ok = simulation_set_load(w, (const double(*)[3])p, error) && press(w, &body->block->mesh, error) &&
            simulation_adjust(w, &s, error) && simulation_grab(w, (double[3]){ 0.5, 0.5, 1 }, 0.6, 10, &id, error) &&
            simulation_drag(w, id, (double[3]){ 0.01, 0, 0 }, error) && simulation_profile_start(w, error) &&
            simulation_step(w, &report, error) && (simulation_profile_stop(w, &profile), true) &&
            simulation_grab_force(w, id, true, force, error) && simulation_energy(w, &energy, error) &&
            simulation_set_pins(w, NULL, error) && simulation_set_pins(w, body->block->pinned, error) &&
            simulation_state(w, x, p, error) &&
            simulation_set_state(w, (const double(*)[3])x, (const double(*)[3])p, error) &&
            simulation_displacements(w, x, error) && simulation_internal_force(w, p, error) &&
            simulation_write_positions(w, positions[0], error) &&
            simulation_write_vectors(w, VECTORS_FORCE, positions[0], error) &&
            simulation_write_field(w, FIELD_VON_MISES, field, error) && simulation_equilibrium(w, &report, error);
  FILE *file = ok ? open_memstream(&saved, &size) : NULL;
  ok = ok && file && simulation_save(w, file, error);
  if (file) fclose(file);
  Bytes bytes = { (unsigned char *)saved, (unsigned char *)saved + size, false };
  ok = ok && simulation_restore(w, &bytes, error) && simulation_release(w, 0, error) && simulation_reset(w, error);
  free(saved);
  simulation_destroy(w);
  return ok;
}

static void changes_of_a_body(void **state) {
  (void)state;
  Block b = block();
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    const Body body = { &b, with_stages((Precision)precision, assembly_of((Precision)precision), "", "") };
    each_fails(precision_name((Precision)precision), body_is_handled, &body);
  }
  mesh_destroy(&b.mesh);
}

static bool reads(const void *data, Error *error) {
  TetMesh mesh = { 0 };
  const bool ok = mesh_read(data, 1, &mesh, error);
  mesh_destroy(&mesh);
  return ok;
}

static bool raises(const void *data, Error *error) {
  TetMesh mesh = { 0 };
  Surface surface = { 0 };
  const bool ok =
      mesh_read(data, 2, &mesh, error) && mesh_straighten(&mesh, "it", error) && surface_create(&surface, &mesh, error);
  surface_destroy(&surface);
  mesh_destroy(&mesh);
  return ok;
}

typedef struct Target {
  const Block *block;
  const char *path;
  MeshWriting how;
} Target;

static bool writes(const void *data, Error *error) {
  const Target *target = data;
  return mesh_write(target->path, &target->block->mesh, &target->how, error);
}

static void meshes_of_each_format(void **state) {
  (void)state;
  static const struct {
    const char *name;
    MeshWriting how;
  } kinds[] = {
    { "text.msh", { MESH_TEXT, false, 41 } },
    { "binary.msh", { MESH_BINARY, false, 41 } },
    { "old.msh", { MESH_TEXT, false, 22 } },
    { "old_binary.msh", { MESH_BINARY, true, 22 } },
    { "packed.msh.gz", { MESH_USUAL, false, 41 } },
    { "medit.mesh", { 0 } },
    { "medit.meshb", { 0 } },
    { "tetgen.node", { 0 } },
    { "text.vtk", { MESH_TEXT, false, 0 } },
    { "binary.vtk", { MESH_BINARY, false, 0 } },
    { "text.vtu", { MESH_TEXT, false, 0 } },
    { "raw.vtu", { MESH_BINARY, false, 0 } },
    { "base64.vtu", { MESH_BASE64, false, 0 } },
    { "zlib.vtu", { MESH_ZLIB, false, 0 } },
    { "vega.veg", { 0 } },
    { "abaqus.inp", { 0 } },
  };
  Block b = block();
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char what[NAME_LENGTH];
    const Target target = { &b, in_folder(kinds[k].name), kinds[k].how };
    Error error = { 0 };
    MUST(writes(&target, &error));
    snprintf(what, sizeof what, "write %s", kinds[k].name);
    failing_begin(0);
    MUST(writes(&target, &error));
    if (failing_end() > 0) each_fails(what, writes, &target);
    snprintf(what, sizeof what, "read %s", kinds[k].name);
    each_fails(what, reads, target.path);
    if (k == 0) each_fails("raise the degree of a mesh", raises, target.path);
  }
  mesh_destroy(&b.mesh);
}

static bool reads_and_joins(const void *data, Error *error) {
  TetMesh mesh = { 0 }, other = { 0 };
  const bool ok =
      mesh_read(data, 2, &mesh, error) && mesh_copy(&mesh, &other, error) && mesh_join(&mesh, &other, error);
  mesh_destroy(&mesh);
  mesh_destroy(&other);
  return ok;
}

static void sets_of_meshes(void **state) {
  (void)state;
  static const char *const files[][2] = {
    { "groups.msh",
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 2 \"side\"\n$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n"
      "2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2\n1 2 2 2 1 1 2 3\n2 4 2 1 1 1 2 3 4\n$EndElements\n" },
    { "sets.inp",
      "*NODE, NSET=all\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4, ELSET=body\n"
      "1, 1, 2, 3, 4\n*ELEMENT, TYPE=S3\n2, 1, 2, 3\n*NSET, NSET=a\n1, 3\n*NSET, NSET=b\na\n"
      "*ELSET, ELSET=skin\n2\n*SURFACE, NAME=side\nbody, S1\n" },
  };
  for (int k = 0; k < 2; k++) {
    const char *path = in_folder(files[k][0]);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(files[k][1], file);
    assert_int_equal(fclose(file), 0);
    each_fails(files[k][0], reads_and_joins, path);
  }
}

static bool shape_is_made(const void *data, Error *error) {
  TetMesh mesh = { 0 };
  Surface surface = { 0 };
  SurfaceVertices vertices = { 0 };
  PlaneCut cut = { 0 };
  MeshQuality quality;
  const bool ok = mesh_make_shape(data, (double[3]){ 1, 1, 0.3 }, 1, &mesh, error) &&
                  mesh_quality(&mesh, &quality, error) && surface_create(&surface, &mesh, error) &&
                  surface_vertices_create(&vertices, &surface, &mesh, error) &&
                  plane_cut_create(&cut, &mesh, (double[3]){ 1, 0, 0 }, 0.01, error);
  plane_cut_destroy(&cut);
  surface_vertices_destroy(&vertices);
  surface_destroy(&surface);
  mesh_destroy(&mesh);
  return ok;
}

static void shapes_and_their_information(void **state) {
  (void)state;
  static const char *const names[] = { "box", "beam", "sphere", "cylinder", "torus" };
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) each_fails(names[k], shape_is_made, names[k]);
}

static const char SCENE[] =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}, {\"kind\": \"sphere\", \"size\": [1, 1, 1],"
    " \"cells\": 2, \"at\": [3, 0, 0]}], \"device\": \"cpu\", \"self_contact\": false, \"young\": 1000, \"poisson\": "
    "0.3, \"density\": 10,"
    " \"pins\": [{\"z\": [null, 0.01]}], \"materials\": [{\"region\": {\"z\": [0.5, null]}, \"stiffness\": 2}],"
    " \"gravity\": [0, 0, -9.8], \"forces\": [{\"region\": {\"z\": [0.9, null]}, \"total\": [1, 0, 0], \"steps\": [1, "
    "5]}],"
    " \"drags\": [{\"grab\": {\"center\": \"+z\", \"radius\": 0.6}, \"path\": [[0, 0, 0, 0], [1, 0.5, 0, 0]]}]}";

static bool scene_is_read(const void *data, Error *error) {
  (void)data;
  // allocated because it is too large for the stack; this allocation fails in one of the runs, too
  Scene *scene = malloc(sizeof *scene);
  const bool ok = scene ? scene_read(scene, in_folder("scene.json"), error) : error_set(error, "no memory for a scene");
  free(scene);
  return ok;
}

static bool session_runs(const void *data, Error *error) {
  const Scene *scene = data;
  const char *checkpoint = in_folder("checkpoint"), *state = in_folder("state.npz"),
             *picture = in_folder("picture.png");
  static const uint8_t rgba[4 * 8 * 8];
  VtuSeries series = { 0 };
  StepReport report;
  Session *session = malloc(sizeof *session);
  if (!session) return error_set(error, "no memory for a session");
  if (!session_create(session, scene, error)) {
    free(session);
    return false;
  }
  snprintf(series.folder, sizeof series.folder, "%s", folder);
  SimulationSettings other = *simulation_settings(session->simulation);
  other.precision = PRECISION_F64;
  const bool ok = session_step(session, &report, error) && checkpoint_write(session, FPS, checkpoint, error) &&
                  session_pin(session, (double[3]){ 0, 0, 1 }, 0.1, error) && write_state(session, state, error) &&
                  vtu_series_add(&series, session, 0, 0, error) && session_switch(session, &other, error) &&
                  session_reset(session, error) && png_write(picture, rgba, 8, 8, error);
  vtu_series_destroy(&series);
  session_destroy(session);
  free(session);
  return ok;
}

static bool session_is_resumed(const void *data, Error *error) {
  const Scene *scene = data;
  VtuSeries series = { 0 };
  Session *session = malloc(sizeof *session);
  if (!session) return error_set(error, "no memory for a session");
  snprintf(series.folder, sizeof series.folder, "%s", folder);
  const bool made = session_create(session, scene, error);
  const bool ok = made && checkpoint_read(session, FPS, in_folder("checkpoint"), error) &&
                  vtu_series_continue(&series, 1, FPS, 0.01, error);
  vtu_series_destroy(&series);
  if (made) session_destroy(session);
  free(session);
  return ok;
}

static bool session_is_cut(const void *data, Error *error) {
  return session_is_cut_twice(data, 3, error);
}

static bool input_is_logged(const void *data, Error *error) {
  const Scene *scene = data;
  StepReport report;
  const Command grab = { .kind = COMMAND_GRAB, .X = { 0.5, 0.5, 1 }, .radius = 0.3, .nodes = { 0, 1, 2 } };
  Live *live = calloc(1, sizeof *live);
  if (!live) return error_set(error, "no memory for a live session");
  if (!live_create(live, scene, error)) {
    free(live);
    return false;
  }
  bool ok =
      live_log(live, in_folder("log"), error) && live_apply(live, &grab, error) && live_step(live, &report, error);

  // the session would continue after a refused command, but here the refusal counts as the failure of the job
  if (ok && *live->refused) ok = error_set(error, "%s", live->refused);
  ok = ok && live_log_end(live, error);
  live_destroy(live);
  free(live);
  return ok;
}

static bool input_is_done_again(const void *data, Error *error) {
  (void)data;
  InputReader reader = { 0 };
  Scene *scene = malloc(sizeof *scene);
  Live *live = calloc(1, sizeof *live);
  bool made = false, ok = (scene && live) || error_set(error, "no memory for a live session");
  ok = ok && input_reader_open(&reader, in_folder("log"), scene, error);
  ok = ok && (made = live_create_logged(live, scene, &reader, error));
  Command command;
  StepReport report;
  while (ok && !reader.ended) {
    while (ok && live_next_logged(live, &reader, &command, error)) {
      ok = live_apply(live, &command, error);
      if (ok && *live->refused) ok = error_set(error, "%s", live->refused);
    }
    ok = ok && !error->message[0] && (reader.ended || live_step(live, &report, error));
  }
  if (made) live_destroy(live);
  input_reader_close(&reader);
  free(scene);
  free(live);
  return ok;
}

static void scenes_checkpoints_and_logs(void **state) {
  (void)state;
  Error error = { 0 };
  FILE *file = fopen(in_folder("scene.json"), "w");
  assert_non_null(file);
  fputs(SCENE, file);
  fclose(file);
  each_fails("read a scene", scene_is_read, NULL);
  Scene *scene = malloc(sizeof *scene);
  MUST(scene_read(scene, in_folder("scene.json"), &error));
  snprintf(scene->simulation.assembly, sizeof scene->simulation.assembly, "%s", assembly_of(PRECISION_F32));
  each_fails("run a session", session_runs, scene);
  each_fails("resume a session", session_is_resumed, scene);
  each_fails("cut a session", session_is_cut, scene);
  each_fails("write an input log", input_is_logged, scene);
  each_fails("replay an input log", input_is_done_again, NULL);
  free(scene);
}

// Creates the lower triangle of a matrix for a mesh of hexahedra.
static bool lower_triangles(const void *data, Error *error) {
  const Space *space = data;
  LowerCorners corners = { 0 };
  LowerPattern pattern = { 0 }, counted = { 0 }, sorted = { 0 };
  LowerTriplets triplets = { 0 };
  Chunked chunked = { 0 };
  ChunkedTimes times;
  Operator A = { 0 };
  static double values[4096], records[36 * 64];
  const ChunkedSettings settings = { .device = DEVICE_CPU, .precision = PRECISION_F64, .group_cells = 20 };
  double *sums[2] = { NULL, NULL };
  const bool ok = lower_corners_create(&corners, space, error) &&
                  lower_pattern_connect(&pattern, space, &corners, error) &&
                  lower_triplets_create(&triplets, space, error) &&
                  lower_pattern_count(&counted, &triplets, records, &sums[0], error) &&
                  lower_pattern_sort(&sorted, &triplets, records, &sums[1], error) &&
                  chunked_create(&chunked, space, &pattern, &corners, &settings, error) &&
                  chunked_run(&chunked, 1, values, &times, error) &&
                  lower_operator_create(&A, space, &pattern, values, DEVICE_CPU, PRECISION_F64, error);
  operator_destroy(&A);
  chunked_destroy(&chunked);
  free(sums[0]);
  free(sums[1]);
  lower_pattern_destroy(&pattern);
  lower_pattern_destroy(&counted);
  lower_pattern_destroy(&sorted);
  lower_triplets_destroy(&triplets);
  lower_corners_destroy(&corners);
  return ok;
}

static void triangles_of_hexahedra(void **state) {
  (void)state;
  Error error = { 0 };
  CellMesh mesh;
  Space space;
  const Grid grid = { .shape = CELL_HEX8, .cells = { 4, 4, 4 }, .size = { 1, 1, 1 } };
  MUST(grid_make(&grid, &mesh, &error));
  MUST(space_create_cells(&space, &mesh, 1, &error));
  each_fails("lower triangle", lower_triangles, &space);
  space_destroy(&space);
  cell_mesh_destroy(&mesh);
}

int main(int count, char **words) {
  if (count > 1) cmocka_set_test_filter(words[1]);

  // uses a folder in memory if there is one, because writing to a disk hundreds of times would be slow
  snprintf(folder, sizeof folder, "%s/pliant-allocations-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(folder)) return 1;
  json_begin();
  lab_add_stages();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_of_all_stages),
    cmocka_unit_test(bodies_of_all_kinds),
    cmocka_unit_test(changes_of_a_body),
    cmocka_unit_test(triangles_of_hexahedra),
    cmocka_unit_test(sets_of_meshes),
    cmocka_unit_test(meshes_of_each_format),
    cmocka_unit_test(shapes_and_their_information),
    cmocka_unit_test(scenes_checkpoints_and_logs),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[sizeof folder + 16];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command) || failed;
}
