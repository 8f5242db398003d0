// The simulation: picks the stages by name, owns what they work on, and takes steps. See simulation.h.
#include "sim/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/adjacency.h"
#include "sim/body.h"
#include "sim/force/grabs.h"
#include "sim/newton/newton.h"

struct Simulation {
  SimulationSettings settings;
  TetMesh mesh;  // a copy: positions and tets
  double *mass;  // [node_count], kg
  Pattern pattern;
  Matrix matrix;
  Assembly assembly;
  Solver solver;
  Body body;
  Newton newton;
  Grabs grabs;
  StageClock clock;
  Stream stream;
  int64_t step_count;
  Profile profile;  // counts since profile_start; times are the clock's
  int64_t assemblies_before, vectors_before;
};

const char *precision_name(Precision precision) {
  return precision == PRECISION_F64 ? "double" : "float";
}

SimulationSettings simulation_defaults(void) {
  const double young = 1e5, poisson = 0.3;
  return (SimulationSettings){
    .device = DEVICE_CPU,
    .precision = PRECISION_F32,
    .mu = young / (2 * (1 + poisson)),
    .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
    .density = 1000,
    .dt = 1.0 / 60,
    .newton = NEWTON_ROBUST,
    .newton_relative = 1e-3,
    .newton_max = 20,
    .cg_relative = 1e-4,
    .cg_max = 5000,
    .halvings_max = 6,
  };
}

bool simulation_stage(StageKind kind, int index, StageInfo *info) {
  switch (kind) {
    case STAGE_ASSEMBLY:
      for (int k = 0; assembly_methods[k]; k++)
        if (k == index) {
          const AssemblyMethod *m = assembly_methods[k];
          *info = (StageInfo){ m->name, m->summary, m->device, m->precision };
          return true;
        }
      return false;
    case STAGE_MATRIX:
      for (int k = 0; matrix_formats[k]; k++)
        if (k == index) {
          const MatrixFormat *f = matrix_formats[k];
          *info = (StageInfo){ f->name, f->summary, f->device, f->precision };
          return true;
        }
      return false;
    case STAGE_SOLVER:
      for (int k = 0; solver_methods[k]; k++)
        if (k == index) {
          const SolverMethod *m = solver_methods[k];
          *info = (StageInfo){ m->name, m->summary, m->device, m->precision };
          return true;
        }
      return false;
  }
  return false;
}

// the index of the stage of this name (empty: the first) for the settings' device and precision, and its name filled in
static bool choose_stage(StageKind kind, const char *what, const SimulationSettings *s, char name[24], int *index,
                         Error *error) {
  char known[256] = "";
  StageInfo info;
  for (int k = 0; simulation_stage(kind, k, &info); k++) {
    if (info.device != s->device || info.precision != s->precision) continue;
    if (name[0] == '\0' || strcmp(name, info.name) == 0) {
      memcpy(name, info.name, strlen(info.name) + 1);
      *index = k;
      return true;
    }
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", info.name);
  }
  return error_set(error, "%s \"%s\" does not exist on device %s; there is: %s", what, name, device_name(s->device),
                   known);
}

static bool check_settings(const SimulationSettings *s, Error *error) {
  if (!(s->mu > 0) || !isfinite(s->mu)) return error_set(error, "mu is %g Pa, expected more than 0", s->mu);
  if (!(s->lambda > -2.0 / 3 * s->mu) || !isfinite(s->lambda))
    return error_set(error, "lambda is %g Pa, expected more than -2/3 mu = %g", s->lambda, -2.0 / 3 * s->mu);
  if (!(s->density > 0) || !isfinite(s->density))
    return error_set(error, "density is %g kg/m^3, expected more than 0", s->density);
  if (!(s->damping >= 0) || !isfinite(s->damping))
    return error_set(error, "damping is %g 1/s, expected 0 or more", s->damping);
  if (!(s->dt > 0) || !isfinite(s->dt)) return error_set(error, "dt is %g s, expected more than 0", s->dt);
  if (!(s->newton_absolute >= 0) || !(s->newton_relative >= 0) || s->newton_absolute + s->newton_relative == 0)
    return error_set(error, "newton_absolute is %g and newton_relative %g, expected one of them to be more than 0",
                     s->newton_absolute, s->newton_relative);
  if (s->newton_max < 1) return error_set(error, "newton_max is %d, expected 1 or more", s->newton_max);
  if (!(s->cg_relative > 0 && s->cg_relative < 1))
    return error_set(error, "cg_relative is %g, expected more than 0 and less than 1", s->cg_relative);
  if (s->cg_max < 1) return error_set(error, "cg_max is %d, expected 1 or more", s->cg_max);
  if (s->halvings_max < 0 || s->halvings_max > 20)
    return error_set(error, "halvings_max is %d, expected 0 to 20", s->halvings_max);
  return true;
}

static bool copy_mesh(TetMesh *copy, const TetMesh *mesh, Error *error) {
  copy->node_count = mesh->node_count;
  copy->tet_count = mesh->tet_count;
  copy->X = array_new(mesh->node_count, sizeof *copy->X, "nodes", error);
  copy->tet = array_new(mesh->tet_count, sizeof *copy->tet, "tets", error);
  copy->node_tag = array_new(mesh->node_count, sizeof *copy->node_tag, "nodes", error);
  if (!copy->X || !copy->tet || !copy->node_tag) return false;
  memcpy(copy->X, mesh->X, sizeof *copy->X * (size_t)mesh->node_count);
  memcpy(copy->tet, mesh->tet, sizeof *copy->tet * (size_t)mesh->tet_count);
  memcpy(copy->node_tag, mesh->node_tag, sizeof *copy->node_tag * (size_t)mesh->node_count);
  return true;
}

static bool create_parts(Simulation *w, const uint8_t *pinned, Error *error) {
  SimulationSettings *s = &w->settings;
  Adjacency adjacency = { 0 };
  int assembly, matrix, solver;
  if (!check_settings(s, error)) return false;
  if (!device_present(s->device)) return error_set(error, "device %s: %s", device_name(s->device), device_absence());
  if (!choose_stage(STAGE_ASSEMBLY, "assembly", s, s->assembly, &assembly, error)) return false;
  if (!choose_stage(STAGE_MATRIX, "matrix", s, s->matrix, &matrix, error)) return false;
  if (!choose_stage(STAGE_SOLVER, "solver", s, s->solver, &solver, error)) return false;
  if (!stream_create(s->device, &w->stream, error)) return false;

  w->mass = array_new(w->mesh.node_count, sizeof *w->mass, "nodal masses", error);
  if (!w->mass) return false;
  mesh_lumped_mass(&w->mesh, s->density, w->mass);
  const bool patterned =
      adjacency_create(&adjacency, &w->mesh, error) && pattern_create(&w->pattern, &adjacency, 3, error);
  adjacency_destroy(&adjacency);
  if (!patterned) return false;

  if (!matrix_create(&w->matrix, matrix_formats[matrix], &w->pattern, error)) return false;
  if (!assembly_create(&w->assembly, assembly_methods[assembly], &w->mesh, &w->matrix, error)) return false;
  if (!body_create(&w->body, s->device, s->precision, &w->mesh, w->mass, pinned, error)) return false;
  if (!grabs_create(&w->grabs, s->device, w->mesh.node_count, error)) return false;
  const Midpoint *m = &w->body.midpoint;
  const SolverSystem system = { .A = &w->matrix,
                                .fixed = m->fixed,
                                .b = m->residual,
                                .x = m->du,
                                .relative = s->cg_relative,
                                .iterations_max = s->cg_max };
  if (!solver_create(&w->solver, solver_methods[solver], &system, w->stream, error)) return false;
  w->newton = (Newton){ .m = &w->body.midpoint,
                        .operations = w->body.operations,
                        .assembly = &w->assembly,
                        .A = &w->matrix,
                        .solver = &w->solver,
                        .settings = s,
                        .clock = &w->clock,
                        .stream = w->stream,
                        .u_backup = w->body.u_backup,
                        .p_backup = w->body.p_backup };
  return simulation_set_load(w, NULL, error);  // gravity
}

bool simulation_create(Simulation **simulation, const TetMesh *mesh, const SimulationSettings *settings,
                       const uint8_t *pinned, Error *error) {
  Simulation *made = array_new(1, sizeof *made, "simulation", error);
  if (!made) return false;
  made->settings = *settings;
  if (copy_mesh(&made->mesh, mesh, error) && create_parts(made, pinned, error)) {
    *simulation = made;
    return true;
  }
  simulation_destroy(made);
  return false;
}

void simulation_destroy(Simulation *w) {
  if (!w) return;
  Error ignored = { 0 };
  stream_sync(w->stream, &ignored);
  solver_destroy(&w->solver);
  assembly_destroy(&w->assembly);
  matrix_destroy(&w->matrix);
  pattern_destroy(&w->pattern);
  grabs_destroy(&w->grabs);
  body_destroy(&w->body);
  stage_clock_destroy(&w->clock);
  stream_destroy(&w->stream);
  mesh_destroy(&w->mesh);
  free(w->mass);
  free(w);
}

bool simulation_reset(Simulation *w, Error *error) {
  w->step_count = 0;
  return body_reset(&w->body, w->stream, error);
}

bool simulation_set_load(Simulation *w, const double (*force)[3], Error *error) {
  return body_set_load(&w->body, force, w->settings.gravity, w->mass, w->stream, error);
}

bool simulation_grab(Simulation *w, const double X[3], double radius, double stiffness, int *id, Error *error) {
  if (!(radius >= 0) || !(stiffness > 0) || !isfinite(stiffness))
    return error_set(error, "a grab of radius %g m and stiffness %g N/m: expected radius >= 0 and stiffness > 0",
                     radius, stiffness);
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "displacements", error);
  if (!u) return false;
  const bool ok = body_state(&w->body, u, NULL, w->stream, error) &&
                  grabs_add(&w->grabs, &w->mesh, w->mass, (const double(*)[3])u, X, radius, stiffness, id, error);
  free(u);
  return ok;
}

bool simulation_drag(Simulation *w, int id, const double offset[3], Error *error) {
  if (!isfinite(offset[0] + offset[1] + offset[2])) return error_set(error, "a drag's offset is not finite");
  grabs_move(&w->grabs, id, offset);
  return true;
}

bool simulation_release(Simulation *w, int id, Error *error) {
  (void)error;
  grabs_release(&w->grabs, id);
  return true;
}

double simulation_mouse_stiffness(const Simulation *w) {
  const double mu = w->settings.mu, lambda = w->settings.lambda;
  const double young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
  double low[3], high[3], diagonal2 = 0;
  mesh_bounds(&w->mesh, low, high);
  for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
  // a hundredth of what stretches a block of the body's size: stiff against fingers, soft against the whole
  return 0.01 * young * sqrt(diagonal2);
}

double simulation_mouse_speed(const Simulation *w) {
  return 0.5 * sqrt(w->settings.mu / w->settings.density);
}

bool simulation_step(Simulation *w, StepReport *report, Error *error) {
  int count, span;
  if (!grabs_list(&w->grabs, w->stream, &count, error)) return false;
  if (!w->body.operations->set_springs(&w->body.midpoint, w->grabs.node_dev, w->grabs.value_dev, count, w->stream,
                                       error))
    return false;
  if (!stage_begin(&w->clock, TIMED_STEP, w->stream, &span, error)) return false;
  if (!newton_step(&w->newton, w->settings.dt, report, error))
    return error_prefix(error, "step %lld", (long long)w->step_count + 1);
  if (!stage_end(&w->clock, span, w->stream, error)) return false;
  w->step_count++;
  w->profile.steps++;
  w->profile.newton_iterations += report->newton_iterations;
  w->profile.cg_iterations += report->cg_iterations;
  return !w->clock.running || (stream_sync(w->stream, error) && stage_clock_collect(&w->clock, error));
}

double simulation_time(const Simulation *w) {
  return (double)w->step_count * w->settings.dt;
}

int64_t simulation_step_count(const Simulation *w) {
  return w->step_count;
}

const SimulationSettings *simulation_settings(const Simulation *w) {
  return &w->settings;
}

Stream simulation_stream(const Simulation *w) {
  return w->stream;
}

bool simulation_state(Simulation *w, double (*positions)[3], double (*momenta)[3], Error *error) {
  if (!body_state(&w->body, positions, momenta, w->stream, error)) return false;
  for (int a = 0; positions && a < w->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) positions[a][i] += w->mesh.X[a][i];
  return true;
}

bool simulation_write_positions(Simulation *w, float *positions, Error *error) {
  return w->body.operations->positions(&w->body.midpoint, positions, w->stream, error);
}

bool simulation_energy(Simulation *w, Energy *energy, Error *error) {
  const Midpoint *m = &w->body.midpoint;
  if (!w->body.operations->energy(m, w->settings.mu, w->settings.lambda, w->stream, error)) return false;
  if (!stream_sync(w->stream, error)) return false;
  energy->kinetic = m->energy_host[0];
  energy->elastic = m->energy_host[1];
  memcpy(energy->linear, m->energy_host + 2, sizeof energy->linear);
  memcpy(energy->angular, m->energy_host + 5, sizeof energy->angular);
  return true;
}

bool simulation_profile_start(Simulation *w, Error *error) {
  w->profile = (Profile){ 0 };
  w->assemblies_before = w->newton.assemblies;
  w->vectors_before = w->newton.vectors;
  return stage_clock_start(&w->clock, error);
}

// one product's own time: many in a row between two events, on the matrix as the last step left it
static bool time_spmv(Simulation *w, double *elapsed_ms, Error *error) {
  enum { WARM = 5, TIMED = 50 };
  Event first = { 0 }, last = { 0 };
  const Midpoint *m = &w->body.midpoint;
  bool ok = event_create(w->stream.device, &first, error) && event_create(w->stream.device, &last, error);
  for (int k = 0; ok && k < WARM + TIMED; k++) {
    if (k == WARM) ok = event_record(&first, w->stream, error);
    ok = ok &&
         matrix_spmv(&w->matrix, m->residual, m->trial, NULL, w->stream, error);  // trial is made anew by every step
  }
  ok = ok && event_record(&last, w->stream, error) && stream_sync(w->stream, error) &&
       event_elapsed(&first, &last, elapsed_ms, error);
  *elapsed_ms /= TIMED;
  event_destroy(&first);
  event_destroy(&last);
  return ok;
}

bool simulation_profile_stop(Simulation *w, Profile *profile, Error *error) {
  double spmv_ms = 0;
  w->clock.running = false;
  *profile = w->profile;
  if (!time_spmv(w, &spmv_ms, error)) return false;
  profile->assemblies = w->newton.assemblies - w->assemblies_before;
  profile->vectors = w->newton.vectors - w->vectors_before;
  profile->spmvs = profile->cg_iterations;
  profile->assembly_ms = w->clock.total_ms[TIMED_ASSEMBLY];
  profile->vector_ms = w->clock.total_ms[TIMED_VECTOR];
  profile->cg_ms = w->clock.total_ms[TIMED_SOLVER];
  profile->total_ms = w->clock.total_ms[TIMED_STEP];
  profile->rest_ms = profile->total_ms - profile->assembly_ms - profile->vector_ms - profile->cg_ms;
  profile->spmv_ms = spmv_ms * (double)profile->spmvs;
  return true;
}

SimulationSize simulation_size(const Simulation *w) {
  return (
      SimulationSize){ .dof = w->pattern.n, .nnz = w->pattern.row_start[w->pattern.n], .slots = w->matrix.slot_count };
}
