// Makes each allocation of GPU memory fail, one per run. The tested operation must report the failure in one sentence
// and free its GPU memory, and later calls must succeed. An allocation is not tested if one with the same call stack
// has already failed in another operation. test_each_allocation.c tests allocations on the host. argv[1]: "k/n" runs
// part k = 0, ..., n - 1 of the work.
#include "../testing.h"

#include <unistd.h>

#include <execinfo.h>

#include "cut_twice.h"
#include "mesh/quadratic.h"
#include "mesh/shapes.h"
#include "sim/element/stage.h"

// ---- replaces allocation functions of device/cuda.cu by the linker's option --wrap; CUDA's libraries are unchanged

enum { ALLOCATIONS_MAX = 10000, CHAINS_MAX = 1 << 16, DEPTH_MAX = 64 };

static long asked, fail_at, alive;
static int share, shares = 1, job_number;
static int job_depth;  // depth of the call stack in each_fails, which calls the job (the tested operation)
// [allocation of a job] hash of its call stack and of the number of earlier allocations with this stack
static uint64_t chain[ALLOCATIONS_MAX];
static uint64_t failed[CHAINS_MAX];  // hash table of the values of `chain` whose allocations have failed; 0: free slot
static int failed_count;

// Adds the hash of an allocation to the table `failed`. Returns false if the table contained the hash already.
static bool fails_first(uint64_t of) {
  uint64_t at = of % CHAINS_MAX;
  while (failed[at] && failed[at] != of) at = (at + 1) % CHAINS_MAX;
  if (failed[at]) return false;
  assert_true(++failed_count < CHAINS_MAX);
  failed[at] = of;
  return true;
}

#ifdef PLIANT_CUDA
static uint64_t mix(uint64_t hash, uint64_t with) {
  return (hash ^ with) * 0x100000001b3;
}

// Returns a hash of the call stack between the job and this allocation, and of the number of earlier allocations with
// this stack.
static uint64_t chain_now(void) {
  void *frame[DEPTH_MAX];
  const int depth = backtrace(frame, DEPTH_MAX) - job_depth;
  uint64_t hash = 0xcbf29ce484222325, before = 0;
  for (int k = 0; k < depth; k++) hash = mix(hash, (uintptr_t)frame[k]);
  for (long k = 0; k < asked; k++) before += chain[k] == mix(hash, before);
  return mix(hash, before);
}

void *__real_cuda_alloc(size_t bytes, Error *error);
void *__real_cuda_alloc_raw(void *stream, size_t bytes, bool pooled, Error *error);
void *__real_cuda_alloc_pinned(size_t bytes, Error *error);
void __real_cuda_free(void *memory);
void __real_cuda_free_pinned(void *memory);
void *__wrap_cuda_alloc(size_t bytes, Error *error);
void *__wrap_cuda_alloc_raw(void *stream, size_t bytes, bool pooled, Error *error);
void *__wrap_cuda_alloc_pinned(size_t bytes, Error *error);
void __wrap_cuda_free(void *memory);
void __wrap_cuda_free_pinned(void *memory);

static bool fails(size_t bytes, Error *error) {
  assert_true(asked < ALLOCATIONS_MAX);
  chain[asked] = chain_now();
  return ++asked == fail_at && !error_set(error, "allocating %zu bytes on the GPU: out of memory", bytes);
}

static void *counted(void *memory) {
  alive += memory != NULL;
  return memory;
}

void *__wrap_cuda_alloc(size_t bytes, Error *error) {
  return fails(bytes, error) ? NULL : counted(__real_cuda_alloc(bytes, error));
}

void *__wrap_cuda_alloc_raw(void *stream, size_t bytes, bool pooled, Error *error) {
  return fails(bytes, error) ? NULL : counted(__real_cuda_alloc_raw(stream, bytes, pooled, error));
}

void *__wrap_cuda_alloc_pinned(size_t bytes, Error *error) {
  return fails(bytes, error) ? NULL : counted(__real_cuda_alloc_pinned(bytes, error));
}

void __wrap_cuda_free(void *memory) {
  alive -= memory != NULL;
  __real_cuda_free(memory);
}

void __wrap_cuda_free_pinned(void *memory) {
  alive -= memory != NULL;
  __real_cuda_free_pinned(memory);
}
#endif

// An operation that is repeated with failing allocations. It frees all its memory on success and on failure.
typedef bool Job(const void *data, Error *error);

static int bad;

// Runs the job without a failure. Returns the number of its allocations.
static long runs(const char *what, Job *job, const void *data) {
  Error error = { 0 };
  const long before = alive;
  asked = fail_at = 0;
  if (!job(data, &error)) fail_msg("%s: %s", what, error.message);
  if (alive < before) fail_msg("%s: frees more GPU allocations than it makes", what);
  return asked;
}

static void each_fails(const char *what, Job *job, const void *data) {
  // The job may succeed although an allocation fails if this allocation is for recording a CUDA graph: the host then
  // takes the steps. RECORDED_STEP: max number of such allocations.
  enum { RECORDED_STEP = 5 };
  void *frame[DEPTH_MAX];
  static bool first[ALLOCATIONS_MAX];
  if (job_number++ % shares != share) return;
  job_depth = backtrace(frame, DEPTH_MAX);
  runs(what, job, data);  // loads kernels and creates permanent data, whose allocations later runs do not repeat
  const long before = alive, count = runs(what, job, data);
  long new_count = 0, passed_over = 0;
  for (long k = 0; k < count; k++) new_count += first[k] = fails_first(chain[k]);
  for (long at = 1; at <= count; at++) {
    if (!first[at - 1]) continue;
    Error error = { 0 };
    asked = 0;
    fail_at = at;
    const bool ok = job(data, &error);
    fail_at = 0;
    const long left = alive - before;
    alive = before;
    if (left != 0) {
      print_error("%s: allocation %ld fails: %ld allocations are not freed\n", what, at, left);
      bad++;
    }
    if (asked < at) {
      print_error("%s: the job did not reach allocation %ld again\n", what, at);
      bad++;
    }
    if (!ok && strstr(error.message, "on the GPU") && !strchr(error.message, '\n')) continue;
    if (ok && ++passed_over <= RECORDED_STEP) continue;
    print_error("%s: allocation %ld fails: %s \"%s\"\n", what, at, ok ? "succeeds nevertheless" : "wrong message",
                error.message);
    bad++;
  }

  assert_int_equal(runs(what, job, data), count);
  assert_int_equal(alive, before);
  assert_true(count > 0);
  printf("  %s: %ld allocations, %ld of them new\n", what, count, new_count);
  assert_int_equal(bad, 0);
}

// ---- the jobs: operations that are repeated, so that each of their allocations fails once

typedef struct Body {
  TetMesh mesh;
  uint8_t pinned[125];
  SimulationSettings settings;
} Body;

// Creates a block with its bottom pinned: 27 nodes for degree 1, 125 for degree 2.
static Body block(int degree) {
  Error error = { 0 };
  Body b = { .settings = simulation_defaults() };
  MUST(mesh_make_box(2, 2, 2, (double[3]){ 1, 1, 1 }, &b.mesh, &error));
  MUST(mesh_raise(&b.mesh, degree, &error));
  for (int a = 0; a < b.mesh.node_count; a++) b.pinned[a] = b.mesh.X[a][2] == 0 ? PIN_ALL : 0;
  b.settings.device = DEVICE_CUDA;
  b.settings.gravity[0] = 9.81;
  return b;
}

static void name_stages(SimulationSettings *s, const char *assembly, const char *matrix, const char *solver) {
  snprintf(s->assembly, sizeof s->assembly, "%s", assembly);
  snprintf(s->matrix, sizeof s->matrix, "%s", matrix);
  snprintf(s->solver, sizeof s->solver, "%s", solver);
}

static bool moves(const void *data, Error *error) {
  const Body *body = data;
  Simulation *w = NULL;
  StepReport report;
  if (!simulation_create(&w, &body->mesh, &body->settings, body->pinned, error)) return false;
  const bool ok = simulation_step(w, &report, error) && simulation_step(w, &report, error);
  simulation_destroy(w);
  return ok;
}

// Creates bodies with every assembly, matrix and solver. The settings name these methods, since an unnamed method that
// lacks memory is replaced by another one. Each matrix is tested with the default assembly and solver, each assembly
// and each solver with its default matrix.
static void bodies_of_all_stages(void **state) {
  (void)state;
  for (int degree = 1; degree <= 2; degree++) {
    const char *element = simulation_element(degree == 1 ? "tet4" : "tet10");
    Body body = block(degree);
    const Precision precision = body.settings.precision;
    const Stage *assembly = NULL, *matrix, *solver;
    if (!element) continue;
    while ((assembly = stage_next(assembly, STAGE_ASSEMBLY, DEVICE_CUDA, precision, element)))
      for (matrix = NULL; (matrix = stage_next(matrix, STAGE_OPERATOR, DEVICE_CUDA, precision, element));)
        for (solver = NULL; (solver = stage_next(solver, STAGE_SOLVER, DEVICE_CUDA, precision, NULL));) {
          char what[120];
          const bool own = matrix == stage_matrix_of(solver), usual = strcmp(solver->name, "dcg") == 0;
          if (!stage_fits(assembly, matrix) || !stage_fits(solver, matrix) || !(own || usual)) continue;

          // the default assembly has tested all matrices, so other assemblies need only their default matrix
          if (!assembly->preferred && matrix != stage_matrix_of(assembly)) continue;
          name_stages(&body.settings, assembly->name, matrix->name, solver->name);
          snprintf(what, sizeof what, "degree %d, %s, %s, %s", degree, assembly->name, matrix->name, solver->name);
          each_fails(what, moves, &body);
        }
    mesh_destroy(&body.mesh);
  }
}

static void bodies_of_all_kinds(void **state) {
  (void)state;
  Body body = block(1);
  const Stage *assembly = stage_find(STAGE_ASSEMBLY, NULL, DEVICE_CUDA, PRECISION_F64, simulation_element("tet4"));
  const SimulationSettings plain = body.settings;
  body.settings.precision = PRECISION_F64;
  name_stages(&body.settings, assembly->name, "dcsr", "dcg");
  each_fails("double", moves, &body);
  body.settings = plain;
  name_stages(&body.settings, assembly->name, "dcsr", "dcg");
  body.settings.mass = MASS_CONSISTENT;
  each_fails("consistent masses", moves, &body);
  body.settings.mass = MASS_LUMPED;
  body.settings.integrator = INTEGRATOR_EULER;
  body.settings.has_floor = true;
  body.settings.floor_height = -0.1;
  body.settings.obstacle_count = 1;
  body.settings.obstacles[0] = (Obstacle){
    .kind = OBSTACLE_SPHERE, .centre = { 3, 0, 0 }, .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .size = { 1 }
  };
  each_fails("a floor and an obstacle", moves, &body);
  body.settings.has_floor = false;
  body.settings.obstacle_count = 0;
  body.settings.self_contact = true;
  each_fails("contact with itself", moves, &body);
  mesh_destroy(&body.mesh);
}

static bool is_handled(const void *data, Error *error) {
  const Body *body = data;
  double x[27][3], force[3];
  float *there = device_alloc(DEVICE_CUDA, sizeof *there * (3 * 27 + FIELD_EXTRA), error);
  int id;
  Simulation *w = NULL;
  StepReport report;
  Energy energy;
  Profile profile;
  const bool ok = there && simulation_create(&w, &body->mesh, &body->settings, body->pinned, error) &&
                  simulation_grab(w, (double[3]){ 0.5, 0.5, 1 }, 0.6, 10, &id, error) &&
                  simulation_drag(w, id, (double[3]){ 0.01, 0, 0 }, error) && simulation_profile_start(w, error) &&
                  simulation_step(w, &report, error) && (simulation_profile_stop(w, &profile), true) &&
                  simulation_grab_force(w, id, true, force, error) && simulation_energy(w, &energy, error) &&
                  simulation_displacements(w, x, error) && simulation_write_positions(w, there, error) &&
                  simulation_write_vectors(w, VECTORS_FORCE, there, error) &&
                  simulation_write_field(w, FIELD_VON_MISES, there, error) &&
                  simulation_equilibrium(w, &report, error) && simulation_reset(w, error);
  simulation_destroy(w);
  device_free(DEVICE_CUDA, there);
  return ok;
}

static void changes_of_a_body(void **state) {
  (void)state;
  Body body = block(1);
  name_stages(&body.settings, "partial", "partial", "dcg");
  each_fails("changes of a body", is_handled, &body);
  mesh_destroy(&body.mesh);
}

static bool is_cut(const void *data, Error *error) {
  return session_is_cut_twice(data, 0, error);
}

static void cuts_in_place(void **state) {
  (void)state;
  static const char *const more[] = {
    "", ", \"degree\": 2",
    ", \"materials\": [{\"region\": {\"x\": [0, null]}, \"stiffness\": 3}], \"floor\": -2, \"integrator\": \"euler\","
    " \"obstacles\": [{\"kind\": \"sphere\", \"at\": [0, 0, 3], \"radius\": 0.5}]"
  };
  char path[64];
  snprintf(path, sizeof path, "/tmp/pliant_device_allocations_%d.json", (int)getpid());
  for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
    Error error = { 0 };
    Scene *scene = malloc(sizeof *scene);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 3}], \"young\": 2e4, \"poisson\": 0.3,"
        " \"density\": 1000, \"dt\": 0.005, \"device\": \"cuda\", \"matrix\": \"partial\", \"assembly\": \"partial\","
        " \"solver\": \"dcg\", \"pins\": [{\"z\": [null, 0.01]}]%s}",
        more[k]);
    fclose(file);
    MUST(scene_read(scene, path, &error));
    each_fails(k == 0   ? "cuts"
               : k == 1 ? "cuts of degree 2"
                        : "cuts of a body with materials, a floor and an obstacle",
               is_cut, scene);
    free(scene);
  }
  unlink(path);
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count > 1) sscanf(words[1], "%d/%d", &share, &shares);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_of_all_kinds),
    cmocka_unit_test(changes_of_a_body),
    cmocka_unit_test(cuts_in_place),
    cmocka_unit_test(bodies_of_all_stages),
  };
  if (!device_present(DEVICE_CUDA)) return 77;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
