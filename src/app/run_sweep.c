// `pliant bench --sweep`: times many combinations of methods. See run_sweep.h.
#include "app/run_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/measure.h"
#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "scene/json_file.h"
#include "scene/scene_body.h"
#include "sim/solver/solver.h"

// One combination of methods, which gives one row of a table. If `assembly`, `matrix` or `solver` is "", the default
// method is used. If `order`, `partitioner` or `precision` is -1, the scene's setting is used.
typedef struct Choice {
  const char *label;
  Device device;
  SolverDevice solver_device;
  const char *assembly, *matrix;
  int order, partitioner, precision;
  bool baseline;               // also takes the additional measurement of pliant-lab (BenchExtra)
  const char *solver;          // name of the solver; NULL: the solver in the scene
  const char *default_solver;  // the row is skipped unless this is the body's default solver; NULL: never skipped
  bool may_refuse;             // the solver supports only some bodies; the row is skipped if it refuses this one
} Choice;

typedef struct Sweep {
  const Scene *scene;
  int repeat;
  const BenchExtra *extra;
  cJSON *json;
  const char *shape;  // name of the shape of the body's cells
  Scene *chosen;      // copy of the scene, with the methods of the present row
  Session *session;   // session of the present row; on the heap, since it is large
} Sweep;

// Rows with a matrix format that stores more values than this, for each non-zero of the matrix, are skipped. With `dia`
// in METIS's order, these are about 20 on a mesh of tets, and a step then takes 30 times as long as with `csr`.
enum { VALUES_PER_NONZERO_MAX = 8 };

static bool needs_cuda(const Choice *c) {
  return c->device == DEVICE_CUDA || c->solver_device == SOLVER_DEVICE_CUDA;
}

static void print_head(const char *title, bool stages) {
  printf("\n%s\n", title);
  if (stages) {
    printf("%-50s %9s ", "", "ms/step");
    for (int k = 0; k < TIMED_STAGES; k++) printf(" %-8s", timed_names[k].brief);
    printf("\n");
  } else
    printf("%-50s %9s %9s %9s %9s\n", "", "assembly", "forces", "SpMV", "CG iter.");
}

static void print_row(const char *label, const Measurement *m, bool stages) {
  if (!stages) {
    printf("%-50s %9.1f %9.1f %9.2f %9.2f us", label, m->assembly_us, m->vector_us, m->product_us, m->cg_us);
    if (m->size.parts)
      printf(
          "   number of overlapping parts of the mesh: %lld; on average each cell is evaluated %.2f times, each node "
          "read %.2f "
          "times",
          (long long)m->size.parts, (double)m->size.part_tets / m->tets, (double)m->size.part_nodes / m->nodes);
    printf("\n");
    return;
  }
  printf("%-50s %9.3f ", label, m->profile.total_ms / (double)m->profile.steps);
  for (int k = 0; k < TIMED_STAGES; k++) printf(" %5.1f %% ", 100 * m->profile.ms[k] / m->profile.total_ms);
  printf("\n");
}

// Adds the row of a combination to a table. If `stages` is true, the table has the times of whole steps, and the steps
// run `repeat` times. The other tables take their times from the run that times each stage, so their rows need only one
// run before it.
static bool run_choice(const Sweep *sweep, const char *table, const Choice *c, bool stages, Error *error) {
  Session *session = sweep->session;
  Measurement measurement;
  Scene *scene = sweep->chosen;
  SimulationSettings *s = &scene->simulation;
  *scene = *sweep->scene;
  scene->contact_given = true;  // so that rows whose methods do not support contact are not computed without it
  if (needs_cuda(c) && !device_present(DEVICE_CUDA)) {
    printf("%-50s skipped: %s\n", c->label, device_absence());
    return true;
  }
  snprintf(scene->device, sizeof scene->device, "%s", device_name(c->device));
  s->solver_device = c->solver_device;
  snprintf(s->assembly, sizeof s->assembly, "%s", c->assembly);
  snprintf(s->matrix, sizeof s->matrix, "%s", c->matrix);
  if (c->solver) snprintf(s->solver, sizeof s->solver, "%s", c->solver);
  if (c->order >= 0) s->order = (MeshOrder)c->order;
  if (c->partitioner >= 0) s->partitioner = (Partitioner)c->partitioner;
  if (c->precision >= 0) s->precision = (Precision)c->precision;
  bool ok = session_create(session, scene, error);
  if (!ok && c->may_refuse && !interrupt_requested()) {
    printf("%-50s skipped: %s\n", c->label, error->message);
    *error = (Error){ 0 };
    return true;
  }

  if (ok && c->default_solver && strcmp(simulation_settings(session->simulation)->solver, c->default_solver) != 0) {
    printf("%-50s skipped: the default solver for this body is %s\n", c->label,
           simulation_settings(session->simulation)->solver);
    session_destroy(session);
    return true;
  }

  const SimulationSize size = ok ? simulation_size(session->simulation) : (SimulationSize){ 0 };
  if (ok && c->matrix[0] && size.slots > VALUES_PER_NONZERO_MAX * size.nnz) {
    printf("%-50s skipped: the matrix would store %.0f values for each non-zero\n", c->label,
           (double)size.slots / (double)size.nnz);
    session_destroy(session);
    return true;
  }

  ok = ok && measure_session(session, scene->steps, stages ? sweep->repeat : 1, &measurement, error);
  if (ok) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "table", table);
    cJSON_AddStringToObject(row, "label", c->label);
    measurement_add_json(&measurement, row);
    print_row(c->label, &measurement, stages);
    ok = !c->baseline || !sweep->extra->measured || sweep->extra->measured(sweep->extra->context, session, row, error);
    json_append(sweep->json, row);
  }

  session_destroy(session);
  return ok || error_prefix(error, "%s", c->label);
}

// Prints a table of the times of a time step (Figs. 16.10 and 16.11 of paper 000). It has rows for these choices: all
// work on the CPU; CG on the GPU and other work on the CPU; all work on the GPU, one row for each assembly method; all
// work on the GPU in double precision; all work on the CPU in double precision.
static bool sweep_devices(const Sweep *sweep, Error *error) {
  const Choice on_cpu = {
    "all on the CPU (Fig. 16.10, left)", DEVICE_CPU, SOLVER_DEVICE_SAME, "", "", -1, -1, -1, false, NULL, NULL, false
  };
  const Choice solver_on_cuda = {
    "CG on the GPU (Fig. 16.10, right)", DEVICE_CPU, SOLVER_DEVICE_CUDA, "", "", -1, -1, -1, false, NULL, NULL, false
  };
  const Choice in_double[] = {
    { "all on the GPU in double", DEVICE_CUDA, SOLVER_DEVICE_SAME, "", "", -1, -1, PRECISION_F64, true, NULL, NULL,
      false },
    { "all on the CPU in double", DEVICE_CPU, SOLVER_DEVICE_SAME, "", "", -1, -1, PRECISION_F64, false, NULL, NULL,
      false },
  };
  print_head("Time of a time step, and share of each stage (Fig. 16.10 and 16.11: figures of paper 000)", true);
  if (!run_choice(sweep, "devices", &on_cpu, true, error) ||
      !run_choice(sweep, "devices", &solver_on_cuda, true, error))
    return false;
  const Precision precision = sweep->scene->simulation.precision;
  for (const Stage *a = NULL;
       (a = stage_next(a, STAGE_ASSEMBLY, DEVICE_CUDA, precision, simulation_element(sweep->shape)));) {
    char label[80];
    snprintf(label, sizeof label, "all on the GPU with %s (Fig. 16.11)", a->name);
    const Choice choice = { label, DEVICE_CUDA, SOLVER_DEVICE_SAME, a->name, "",   -1,
                            -1,    -1,          a->preferred,       NULL,    NULL, false };
    if (!run_choice(sweep, "devices", &choice, true, error)) return false;
  }

  return run_choice(sweep, "devices", &in_double[0], true, error) &&
         run_choice(sweep, "devices", &in_double[1], true, error);
}

// Prints the time of a time step with each solver. The times show the cost and the gain of preconditioners.
static bool sweep_solvers(const Sweep *sweep, Error *error) {
  const Precision precision = sweep->scene->simulation.precision;
  print_head("Time of a time step, and share of each stage, for each solver", true);
  for (int device = DEVICE_CPU; device <= DEVICE_CUDA; device++)
    for (const Stage *v = NULL; (v = stage_next(v, STAGE_SOLVER, (Device)device, precision, NULL));) {
      char label[80];
      snprintf(label, sizeof label, "%s, %s", v->name, device_name(v->device));

      // direct solvers are not measured, because a time step of a large body would take too long with them
      if (((const SolverMethod *)v)->precondition == PRECONDITION_DIRECT) {
        printf("%-50s skipped: on large bodies, a time step with a direct solver takes too long\n", label);
        continue;
      }
      const Choice choice = { .label = label,
                              .device = v->device,
                              .assembly = "",
                              .matrix = "",
                              .order = -1,
                              .partitioner = -1,
                              .precision = -1,
                              .solver = simulation_is_default(v) ? "" : v->name,
                              .default_solver = simulation_is_default(v) ? v->name : NULL,
                              .may_refuse = ((const SolverMethod *)v)->suits != NULL };
      if (!run_choice(sweep, "solvers", &choice, true, error)) return false;
    }
  return true;
}

// Prints the times of one assembly and one matrix product, for each assembly method with each matrix format of its
// device (Fig. 16.12 of paper 000).
static bool sweep_formats(const Sweep *sweep, Error *error) {
  const Stage *assembly, *matrix;
  print_head(
      "Times of one assembly, of one assembly of forces only, of one product (SpMV) and of one CG iteration, for each "
      "matrix format (paper 000, Fig. 16.12)",
      false);
  for (int a = 0; (assembly = simulation_stage(STAGE_ASSEMBLY, sweep->shape, a)); a++)
    for (int m = 0; (matrix = simulation_stage(STAGE_OPERATOR, sweep->shape, m)); m++) {
      const Precision precision = sweep->scene->simulation.precision;
      if (assembly->precision != precision || matrix->precision != precision || assembly->device != matrix->device ||
          !simulation_stores(matrix) || !stage_fits(assembly, matrix))
        continue;
      char label[80];
      snprintf(label, sizeof label, "%s, %s, %s", assembly->name, matrix->name, device_name(assembly->device));
      const Choice choice = {
        label, assembly->device, SOLVER_DEVICE_SAME, assembly->name, matrix->name, -1, -1, -1, false, NULL, NULL, false
      };
      if (!run_choice(sweep, "formats", &choice, false, error)) return false;
    }
  return true;
}

// Prints the times of one assembly and one matrix product, for each assembly method with each order of the nodes.
static bool sweep_orders(const Sweep *sweep, Error *error) {
  static const char *const orders[] = { "metis", "file", "rcm", "morton", "bisection" };
  const Device device = device_present(DEVICE_CUDA) ? DEVICE_CUDA : DEVICE_CPU;
  const Precision precision = sweep->scene->simulation.precision;
  print_head(
      "Times of one assembly, of one assembly of forces only, of one product (SpMV) and of one CG iteration, for each "
      "order of the nodes",
      false);
  for (int order = ORDER_METIS; order <= ORDER_BISECTION; order++)
    for (const Stage *a = NULL;
         (a = stage_next(a, STAGE_ASSEMBLY, device, precision, simulation_element(sweep->shape)));) {
      char label[80];
      snprintf(label, sizeof label, "%s, %s", orders[order], a->name);
      const Choice choice = { label, device, SOLVER_DEVICE_SAME, a->name, "", order, -1, -1, false, NULL, NULL, false };
      if (!run_choice(sweep, "orders", &choice, false, error)) return false;
    }
  return true;
}

// Prints the times of the default assembly on the GPU with each partitioner, which divides the mesh into parts.
static bool sweep_partitions(const Sweep *sweep, Error *error) {
  const Precision precision = sweep->scene->simulation.precision;
  const Stage *preferred = stage_find(STAGE_ASSEMBLY, NULL, DEVICE_CUDA, precision, simulation_element(sweep->shape));
  const char *name = preferred ? preferred->name : "";
  const Choice choices[] = {
    { "partitioner greedy", DEVICE_CUDA, SOLVER_DEVICE_SAME, name, "", -1, PARTITION_GREEDY, -1, false, NULL, NULL,
      false },
    { "partitioner metis", DEVICE_CUDA, SOLVER_DEVICE_SAME, name, "", -1, PARTITION_METIS, -1, false, NULL, NULL,
      false },
  };
  print_head(
      "Times of one assembly, of one assembly of forces only, of one product (SpMV) and of one CG iteration, for each "
      "partition of the mesh",
      false);
  for (int k = 0; k < 2; k++)
    if (!run_choice(sweep, "partitions", &choices[k], false, error)) return false;
  return true;
}

// Measures the table with an index in SWEEP_TABLES, or all tables if the index is 0.
static bool sweep_tables(const Sweep *sweep, int table, Error *error) {
  static bool (*const measure[])(const Sweep *, Error *) = { sweep_devices, sweep_solvers, sweep_formats, sweep_orders,
                                                             sweep_partitions };
  for (int k = 0; k < (int)(sizeof measure / sizeof *measure); k++)
    if ((table == 0 || table == k + 1) && !measure[k](sweep, error)) return false;
  return true;
}

bool run_sweep(const Scene *scene, const BenchOptions *options, const BenchExtra *extra, Error *error) {
  TetMesh mesh = { 0 };
  if (!scene_body(scene, &mesh, error)) return false;
  const char *shape = cell_shape_info(mesh_shape(&mesh))->name;
  mesh_destroy(&mesh);
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "scene", scene->path);
  cJSON_AddStringToObject(root, "cpu", device_model(DEVICE_CPU));
  cJSON_AddStringToObject(root, "gpu", device_present(DEVICE_CUDA) ? device_model(DEVICE_CUDA) : "none");
  const Sweep sweep = { .scene = scene,
                        .repeat = options->repeat,
                        .extra = extra,
                        .shape = shape,
                        .json = cJSON_AddArrayToObject(root, "runs"),
                        .chosen = array_new(1, sizeof *sweep.chosen, "the scene", error),
                        .session = array_new(1, sizeof *sweep.session, "the session", error) };
  printf("%s, %d steps, %s; %s, %s\n", scene->path, scene->steps, precision_name(scene->simulation.precision),
         device_model(DEVICE_CPU), device_present(DEVICE_CUDA) ? device_model(DEVICE_CUDA) : device_absence());
  const bool ok = sweep.chosen && sweep.session && sweep_tables(&sweep, options->table, error) &&
                  (!options->json[0] || write_json_file(options->json, root, error));
  cJSON_Delete(root);
  free(sweep.chosen);
  free(sweep.session);
  return ok;
}
