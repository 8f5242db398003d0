// The simulation: picks the stages by name, owns what they work on, and takes steps. See simulation.h.
#include "sim/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/progress.h"
#include "mesh/adjacency.h"
#include "sim/baseline/cusparse.h"
#include "sim/body.h"
#include "sim/field/nodal_field.h"
#include "sim/force/grabs.h"
#include "sim/material.h"
#include "sim/memory.h"
#include "sim/newton/newton.h"

struct Simulation {
  SimulationSettings settings;
  // From here on nodes are numbered in the order inside. It is undone at the doors: pins, loads, states, positions.
  TetMesh mesh;    // a copy
  int *user_node;  // [node_count]: the user's number of each node
  double *mass;    // [node_count], kg
  Pattern pattern;
  Matrix matrix;
  Assembly assembly;
  Solver solver;
  Body body;
  Newton newton;
  Grabs grabs;
  NodalField field;  // made when first asked for
  StageClock clock;
  Stream streams[2];  // by device; a GPU's only where a stage runs on it
  Transfer nodal, force, min_J, values, shift, diagonal, residual, du;  // see newton.h
  uint8_t *solver_fixed;  // [dof] on the solver's device, where that is not the body's
  double (*load)[3];      // [node_count] N, as last set: gravity comes on top
  int64_t step_count;
  double time_then;  // s, and steps, when dt was last changed
  int64_t steps_then;
  Profile profile;  // counts since profile_start; times are the clock's
  int64_t assemblies_before, vectors_before;
};

// the body's
static Stream stream_of(const Simulation *w) {
  return w->streams[w->settings.device];
}

const char *precision_name(Precision precision) {
  return precision == PRECISION_F64 ? "double" : "float";
}

SimulationSettings simulation_defaults(void) {
  const double young = 1e5, poisson = 0.3;
  return (SimulationSettings){
    .device = DEVICE_CPU,
    .precision = PRECISION_F32,
    .mu = lame_mu(young, poisson),
    .lambda = lame_lambda(young, poisson),
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

static const MatrixFormat *find_matrix(int index) {
  for (int k = 0; matrix_formats[k]; k++)
    if (k == index) return matrix_formats[k];
  return NULL;
}

static const SolverMethod *find_solver(int index) {
  for (int k = 0; solver_methods[k]; k++)
    if (k == index) return solver_methods[k];
  return NULL;
}

bool simulation_stage(StageKind kind, int index, StageInfo *info) {
  const AssemblyMethod *a = kind == STAGE_ASSEMBLY ? assembly_method("neo_hookean_tet", index) : NULL;
  const MatrixFormat *m = kind == STAGE_MATRIX ? find_matrix(index) : NULL;
  const SolverMethod *v = kind == STAGE_SOLVER ? find_solver(index) : NULL;
  if (a) *info = (StageInfo){ a->name, a->summary, a->device, a->precision };
  if (m) *info = (StageInfo){ m->name, m->summary, m->device, m->precision };
  if (v) *info = (StageInfo){ v->name, v->summary, v->device, v->precision };
  return a || m || v;
}

// the index of the stage of this name (empty: the first) for a device and precision
static bool search_stage(StageKind kind, Device device, Precision precision, const char *name, int *index) {
  StageInfo info;
  for (int k = 0; simulation_stage(kind, k, &info); k++)
    if (info.device == device && info.precision == precision && (!name[0] || strcmp(name, info.name) == 0)) {
      *index = k;
      return true;
    }
  return false;
}

// the same, with the name filled in, and an answer that lists what there is
static bool choose_stage(StageKind kind, const char *what, Device device, Precision precision, char name[24],
                         int *index, Error *error) {
  StageInfo info;
  if (search_stage(kind, device, precision, name, index) && simulation_stage(kind, *index, &info)) {
    memcpy(name, info.name, strlen(info.name) + 1);
    return true;
  }
  char known[256] = "";
  for (int k = 0; simulation_stage(kind, k, &info); k++) {
    if (info.precision != precision || (info.device != device && kind != STAGE_ASSEMBLY)) continue;
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", info.name);
  }
  return error_set(error, "%s \"%s\" does not exist on device %s; there is: %s", what, name, device_name(device),
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
  if (s->has_floor && !isfinite(s->floor_height))
    return error_set(error, "floor is %g m, expected a finite height", s->floor_height);
  if (!(s->friction >= 0) || !isfinite(s->friction))
    return error_set(error, "friction is %g, expected 0 or more", s->friction);
  if (!isfinite(s->gravity[0] + s->gravity[1] + s->gravity[2]))
    return error_set(error, "gravity is %g, %g, %g m/s^2, expected finite numbers", s->gravity[0], s->gravity[1],
                     s->gravity[2]);
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
  copy->stiffness = mesh->stiffness ? array_new(mesh->tet_count, sizeof *copy->stiffness, "tets", error) : NULL;
  if (!copy->X || !copy->tet || !copy->node_tag || (mesh->stiffness && !copy->stiffness)) return false;
  if (mesh->stiffness) memcpy(copy->stiffness, mesh->stiffness, sizeof *copy->stiffness * (size_t)mesh->tet_count);
  memcpy(copy->X, mesh->X, sizeof *copy->X * (size_t)mesh->node_count);
  memcpy(copy->tet, mesh->tet, sizeof *copy->tet * (size_t)mesh->tet_count);
  memcpy(copy->node_tag, mesh->node_tag, sizeof *copy->node_tag * (size_t)mesh->node_count);
  return true;
}

// the user's order and the one inside; renumbers the copy of the mesh
static bool order_nodes(Simulation *w, Error *error) {
  w->user_node = array_new(w->mesh.node_count, sizeof *w->user_node, "node order", error);
  return w->user_node && mesh_order(&w->mesh, w->settings.order, w->user_node, error) &&
         mesh_renumber(&w->mesh, w->user_node, error);
}

// which parts, on which devices
typedef struct Choice {
  Device assembly_device, solver_device;
  const AssemblyMethod *assembly;
  const MatrixFormat *matrix;
  const SolverMethod *solver;
  bool by_default;  // the assembly, not by name
} Choice;

static bool choose_parts(const TetMesh *mesh, SimulationSettings *s, Choice *choice, Error *error) {
  const char *element = mesh->stiffness                      ? "neo_hookean_tet_graded"
                        : s->supplemental == SUPPLEMENTAL_QR ? "neo_hookean_tet_qr"
                                                             : "neo_hookean_tet";
  if (mesh->stiffness && s->supplemental == SUPPLEMENTAL_QR)
    return error_set(error,
                     "supplemental \"qr\" has no room for a stiffness that differs from tet to tet; take \"full\"");
  choice->by_default = !s->assembly[0];
  const Device other = s->device == DEVICE_CPU ? DEVICE_CUDA : DEVICE_CPU;
  int index;
  choice->solver_device = s->solver_device == SOLVER_DEVICE_SAME  ? s->device
                          : s->solver_device == SOLVER_DEVICE_CPU ? DEVICE_CPU
                                                                  : DEVICE_CUDA;
  const bool elsewhere = s->assembly[0] &&
                         !search_stage(STAGE_ASSEMBLY, s->device, s->precision, s->assembly, &index) &&
                         search_stage(STAGE_ASSEMBLY, other, s->precision, s->assembly, &index);
  choice->assembly_device = elsewhere ? other : s->device;
  const Device used[] = { s->device, choice->assembly_device, choice->solver_device };
  for (int k = 0; k < 3; k++)
    if (!device_present(used[k])) return error_set(error, "device %s: %s", device_name(used[k]), device_absence());
  if (!choose_stage(STAGE_ASSEMBLY, "assembly", choice->assembly_device, s->precision, s->assembly, &index, error))
    return false;
  choice->assembly = assembly_method(element, index);
  if (!choose_stage(STAGE_MATRIX, "matrix", choice->solver_device, s->precision, s->matrix, &index, error))
    return false;
  choice->matrix = find_matrix(index);
  if (!choose_stage(STAGE_SOLVER, "solver", choice->solver_device, s->precision, s->solver, &index, error))
    return false;
  choice->solver = find_solver(index);
  return true;
}

// what the stages hand each other, and the linear system
static bool connect(Simulation *w, const Choice *choice, Error *error) {
  const Midpoint *m = &w->body.midpoint;
  const Device body = m->device, assembly = choice->assembly_device, solver = choice->solver_device;
  const size_t real_size = precision_size(m->precision), bytes = real_size * (size_t)m->n;
  if (!transfer_from(&w->nodal, body, m->nodal, assembly, bytes, error) ||
      !transfer_to(&w->force, assembly, body, m->F, bytes, error) ||
      !transfer_from(&w->min_J, assembly, w->assembly.min_J, body, real_size * (size_t)w->assembly.min_J_count,
                     error) ||
      !transfer_to(&w->values, assembly, solver, w->matrix.values, real_size * (size_t)w->matrix.slot_count, error) ||
      !transfer_from(&w->shift, body, m->shift, solver, bytes, error) ||
      !transfer_to(&w->diagonal, solver, body, m->diagonal, bytes, error) ||
      !transfer_from(&w->residual, body, m->residual, solver, bytes, error) ||
      !transfer_to(&w->du, solver, body, m->du, bytes, error))
    return false;
  if (solver != body && !(w->solver_fixed = device_alloc(solver, (size_t)m->n, error))) return false;
  const SolverSystem system = { .A = &w->matrix,
                                .diagonal = w->diagonal.from,
                                .fixed = solver == body ? m->fixed : w->solver_fixed,
                                .b = w->residual.to,
                                .x = w->du.from,
                                .relative = w->settings.cg_relative,
                                .iterations_max = w->settings.cg_max };
  return solver_create(&w->solver, choice->solver, &system, w->streams[solver], error);
}

// Where nobody asked for a method by name and the default cannot take the mesh, the next one does.
static bool create_assembly(Simulation *w, Choice *choice, Error *error) {
  SimulationSettings *s = &w->settings;
  const AssemblyMethod *first = choice->assembly, *next;
  Error why = { 0 };
  for (int k = 0; (next = assembly_method(first->element, k)); k++) {
    if (next->device != first->device || next->precision != first->precision) continue;
    if (next != first && !choice->by_default) continue;
    if (assembly_create(&w->assembly, next, &w->mesh, &w->matrix, s->partitioner, &why)) {
      if (next != first) log_notice("%s; taking %s", why.message, next->name);
      snprintf(s->assembly, sizeof s->assembly, "%s", next->name);
      choice->assembly = next;
      return true;
    }
  }
  return error_set(error, "%s", why.message);
}

// how stiff each node is against the floor, over the material's modulus: a length as large as its share of the volume
static bool set_contact(Simulation *w, Error *error) {
  double *contact = array_new(w->mesh.node_count, sizeof *contact, "nodes", error);
  for (int a = 0; contact && a < w->mesh.node_count; a++)
    contact[a] = FLOOR_STIFFNESS * cbrt(w->mass[a] / w->settings.density);
  // the stiffest tet of a node counts
  double *factor = w->mesh.stiffness ? array_new(w->mesh.node_count, sizeof *factor, "nodes", error) : NULL;
  for (int e = 0; factor && e < w->mesh.tet_count; e++)
    for (int a = 0; a < 4; a++) factor[w->mesh.tet[e][a]] = fmax(factor[w->mesh.tet[e][a]], w->mesh.stiffness[e]);
  for (int a = 0; contact && factor && a < w->mesh.node_count; a++) contact[a] *= factor[a];
  free(factor);
  const bool ok = contact && body_set_contact(&w->body, contact, stream_of(w), error);
  free(contact);
  return ok;
}

// nodes that hardly move, slower than a thousandth of a shear wave, are as good as at rest
static void set_floor(Simulation *w) {
  const SimulationSettings *s = &w->settings;
  w->body.midpoint.floor = (Floor){ .there = s->has_floor,
                                    .height = s->floor_height,
                                    .modulus = s->lambda + 2 * s->mu,
                                    .friction = s->friction,
                                    .creep = 1e-3 * sqrt(s->mu / s->density) };
}

static bool create_parts(Simulation *w, Error *error) {
  SimulationSettings *s = &w->settings;
  Adjacency adjacency = { 0 };
  Choice choice = { 0 };
  if (!choose_parts(&w->mesh, s, &choice, error)) return false;
  const bool cuda =
      s->device == DEVICE_CUDA || choice.assembly_device == DEVICE_CUDA || choice.solver_device == DEVICE_CUDA;
  if (!stream_create(DEVICE_CPU, &w->streams[DEVICE_CPU], error)) return false;
  if (cuda && !stream_create(DEVICE_CUDA, &w->streams[DEVICE_CUDA], error)) return false;

  w->mass = array_new(w->mesh.node_count, sizeof *w->mass, "nodal masses", error);
  if (!w->mass) return false;
  mesh_lumped_mass(&w->mesh, s->density, w->mass);
  progress_tell("making the matrix", 0.4);
  bool patterned = adjacency_create(&adjacency, &w->mesh, error);
  if (patterned) {
    const int64_t pairs = (adjacency.start[w->mesh.node_count] - w->mesh.node_count) / 2;
    const MemoryEstimate need =
        memory_estimate(w->mesh.node_count, w->mesh.tet_count, pairs, s, choice.assembly_device, choice.solver_device);
    patterned = memory_check(&need, error) && pattern_create(&w->pattern, &adjacency, 3, error);
  }
  adjacency_destroy(&adjacency);
  if (!patterned) return false;

  if (!matrix_create(&w->matrix, choice.matrix, &w->pattern, error)) return false;
  progress_tell("preparing the assembly", 0.5);
  if (!create_assembly(w, &choice, error)) return false;
  progress_tell("preparing the body", 0.9);
  if (!body_create(&w->body, s->device, s->precision, &w->mesh, w->mass, w->user_node,
                   s->supplemental == SUPPLEMENTAL_QR, error) ||
      !set_contact(w, error))
    return false;
  set_floor(w);
  if (!grabs_create(&w->grabs, s->device, w->mesh.node_count, error)) return false;
  if (!connect(w, &choice, error)) return false;
  w->newton = (Newton){ .m = &w->body.midpoint,
                        .operations = w->body.operations,
                        .assembly = &w->assembly,
                        .A = &w->matrix,
                        .solver = &w->solver,
                        .settings = s,
                        .clock = &w->clock,
                        .stream = w->streams[s->device],
                        .assembly_stream = w->streams[choice.assembly_device],
                        .solver_stream = w->streams[choice.solver_device],
                        .cuda = w->streams[DEVICE_CUDA],
                        .nodal = &w->nodal,
                        .force = &w->force,
                        .min_J = &w->min_J,
                        .values = &w->values,
                        .shift = &w->shift,
                        .diagonal = &w->diagonal,
                        .residual = &w->residual,
                        .du = &w->du,
                        .u_backup = w->body.u_backup,
                        .p_backup = w->body.p_backup,
                        .normal_backup = w->body.normal_backup };
  return simulation_set_load(w, NULL, error);  // gravity
}

static bool create(Simulation *w, const TetMesh *mesh, const uint8_t *pinned, Error *error) {
  progress_tell("ordering its nodes", 0.2);
  return check_settings(&w->settings, error) && copy_mesh(&w->mesh, mesh, error) && order_nodes(w, error) &&
         create_parts(w, error) && simulation_set_pins(w, pinned, error);
}

bool simulation_create(Simulation **simulation, const TetMesh *mesh, const SimulationSettings *settings,
                       const uint8_t *pinned, Error *error) {
  Simulation *made = array_new(1, sizeof *made, "simulation", error);
  if (!made) return false;
  made->settings = *settings;
  device_flush_denormals();
  if (create(made, mesh, pinned, error)) {
    *simulation = made;
    return true;
  }
  simulation_destroy(made);
  return false;
}

void simulation_destroy(Simulation *w) {
  if (!w) return;
  Error ignored = { 0 };
  stream_sync(w->streams[DEVICE_CUDA], &ignored);
  solver_destroy(&w->solver);
  Transfer *transfers[] = {
    &w->nodal, &w->force, &w->min_J, &w->values, &w->shift, &w->diagonal, &w->residual, &w->du
  };
  for (size_t k = 0; k < sizeof transfers / sizeof *transfers; k++) transfer_destroy(transfers[k]);
  if (w->solver_fixed) device_free(w->matrix.format->device, w->solver_fixed);
  assembly_destroy(&w->assembly);
  matrix_destroy(&w->matrix);
  pattern_destroy(&w->pattern);
  grabs_destroy(&w->grabs);
  nodal_field_destroy(&w->field);
  body_destroy(&w->body);
  stage_clock_destroy(&w->clock);
  for (int k = 0; k < 2; k++) stream_destroy(&w->streams[k]);
  mesh_destroy(&w->mesh);
  free(w->user_node);
  free(w->mass);
  free(w->load);
  free(w);
}

bool simulation_reset(Simulation *w, Error *error) {
  w->step_count = w->steps_then = 0;
  w->time_then = 0;
  return body_reset(&w->body, stream_of(w), error);
}

// `pinned` in the order inside, as one value for each unknown. free() releases it.
static uint8_t *fixed_unknowns(const Simulation *w, const uint8_t *pinned, Error *error) {
  const int n = 3 * w->mesh.node_count;
  uint8_t *fixed = array_new(n, 1, "pins", error);
  for (int i = 0; fixed && pinned && i < n; i++) fixed[i] = pin_holds(pinned[w->user_node[i / 3]], i % 3);
  return fixed;
}

bool simulation_set_pins(Simulation *w, const uint8_t *pinned, Error *error) {
  const Midpoint *m = &w->body.midpoint;
  uint8_t *fixed = fixed_unknowns(w, pinned, error);
  const bool ok =
      fixed && body_set_fixed(&w->body, fixed, stream_of(w), error) &&
      (!w->solver_fixed || (device_upload(w->newton.solver_stream, w->solver_fixed, fixed, (size_t)m->n, error) &&
                            stream_sync(w->newton.solver_stream, error)));
  free(fixed);
  return ok;
}

// load and gravity go to the body
static bool apply_load(Simulation *w, Error *error) {
  return body_set_load(&w->body, (const double(*)[3])w->load, w->settings.gravity, w->mass, stream_of(w), error);
}

bool simulation_set_load(Simulation *w, const double (*force)[3], Error *error) {
  double(*ordered)[3] = array_new(w->mesh.node_count, sizeof *ordered, "forces", error);
  if (!ordered) return false;
  for (int a = 0; force && a < w->mesh.node_count; a++) memcpy(ordered[a], force[w->user_node[a]], sizeof *ordered);
  free(w->load);
  w->load = ordered;
  return apply_load(w, error);
}

// masses and momenta change, velocities stay
static bool set_density(Simulation *w, double heavier, Error *error) {
  double(*p)[3] = array_new(w->mesh.node_count, sizeof *p, "momenta", error);
  bool ok = p && body_state(&w->body, NULL, p, stream_of(w), error);
  for (int a = 0; ok && a < w->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) p[a][i] *= heavier;
  mesh_lumped_mass(&w->mesh, w->settings.density, w->mass);
  ok = ok && body_set_mass(&w->body, w->mass, stream_of(w), error) &&
       body_set_state(&w->body, NULL, (const double(*)[3])p, stream_of(w), error);
  free(p);
  return ok;
}

bool simulation_adjust(Simulation *w, const SimulationSettings *settings, Error *error) {
  SimulationSettings *s = &w->settings, changed = *s;
  changed.mu = settings->mu, changed.lambda = settings->lambda;
  changed.density = settings->density, changed.damping = settings->damping, changed.dt = settings->dt;
  memcpy(changed.gravity, settings->gravity, sizeof changed.gravity);
  changed.has_floor = settings->has_floor;
  changed.floor_height = settings->floor_height, changed.friction = settings->friction;
  changed.newton = settings->newton, changed.newton_max = settings->newton_max;
  changed.newton_absolute = settings->newton_absolute, changed.newton_relative = settings->newton_relative;
  changed.halvings_max = settings->halvings_max;
  if (!check_settings(&changed, error)) return false;
  if (changed.dt != s->dt) w->time_then = simulation_time(w), w->steps_then = w->step_count;
  const double heavier = changed.density / s->density;
  *s = changed;
  set_floor(w);
  if (heavier != 1 && !set_density(w, heavier, error)) return false;
  return apply_load(w, error);
}

bool simulation_grab(Simulation *w, const double X[3], double radius, double stiffness, int *id, Error *error) {
  if (!(radius >= 0) || !(stiffness > 0) || !isfinite(stiffness))
    return error_set(error, "a grab of radius %g m and stiffness %g N/m: expected radius >= 0 and stiffness > 0",
                     radius, stiffness);
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "displacements", error);
  if (!u) return false;
  const bool ok = body_state(&w->body, u, NULL, stream_of(w), error) &&
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

bool simulation_grab_force(Simulation *w, int id, double force[3], Error *error) {
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "displacements", error);
  const bool ok = u && body_state(&w->body, u, NULL, stream_of(w), error);
  if (ok) grabs_force(&w->grabs, id, (const double(*)[3])u, force);
  free(u);
  return ok;
}

double simulation_mouse_stiffness(const Simulation *w) {
  const double mu = w->settings.mu, lambda = w->settings.lambda;
  const double young = young_modulus(mu, lambda);
  double low[3], high[3], diagonal2 = 0;
  mesh_bounds(&w->mesh, low, high);
  for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
  // a hundredth of what stretches a block of the body's size: stiff against fingers, soft against the whole
  return 0.01 * young * sqrt(diagonal2);
}

double simulation_mouse_speed(const Simulation *w) {
  return 0.5 * sqrt(w->settings.mu / w->settings.density);
}

// the springs that changed go to the device
static bool update_springs(Simulation *w, Error *error) {
  int count;
  return grabs_list(&w->grabs, stream_of(w), &count, error) &&
         w->body.operations->set_springs(&w->body.midpoint, w->grabs.node_dev, w->grabs.value_dev, count, stream_of(w),
                                         error);
}

// Which tet is the worst where Newton ended. Only after trouble: it reads the state back and looks at it here.
static bool diagnose(Simulation *w, StepReport *report, Error *error) {
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "state", error);
  const bool ok = u && body_iterate(&w->body, u, stream_of(w), error);
  int worst = 0;
  report->worst_J = HUGE_VAL;
  for (int e = 0; ok && e < w->mesh.tet_count; e++) {
    const double J = mesh_tet_J(&w->mesh, (const double(*)[3])u, e);
    if (J >= report->worst_J) continue;
    worst = e, report->worst_J = J;
    if (!isfinite(J)) break;
  }
  if (!isfinite(report->worst_J)) report->worst_J = NAN, report->cause = NEWTON_NOT_FINITE;
  for (int c = 0; c < 4; c++) report->worst_tags[c] = w->mesh.node_tag[w->mesh.tet[worst][c]];
  free(u);
  return ok;
}

bool simulation_equilibrium(Simulation *w, StepReport *report, Error *error) {
  return update_springs(w, error) && newton_equilibrium(&w->newton, report, error) &&
         (report->converged || diagnose(w, report, error));
}

void newton_trouble_text(const StepReport *report, char *text, size_t size) {
  const int64_t *tag = report->worst_tags;
  snprintf(text, size, "%s; the tet with nodes %lld, %lld, %lld, %lld has det F = %.3g, the smallest",
           newton_cause_text(report->cause), (long long)tag[0], (long long)tag[1], (long long)tag[2], (long long)tag[3],
           report->worst_J);
}

// the step that was not taken: why, and where
static bool give_up(Simulation *w, StepReport *report, Error *error) {
  char trouble[400];
  Error second = { 0 };
  if (report->cause == NEWTON_CONVERGED || !diagnose(w, report, &second))
    return error_prefix(error, "step %lld", (long long)w->step_count + 1);
  newton_trouble_text(report, trouble, sizeof trouble);
  *error = (Error){ 0 };
  const char *advice = report->cause == NEWTON_NOT_FINITE    ? ""
                       : w->settings.newton == NEWTON_ROBUST ? "; a smaller dt or a stiffer material may pass"
                                                             : "; a smaller dt or newton \"robust\" may pass";
  return error_set(error, "step %lld: Newton gave up after %d iterations: %s. The state is that before the step%s",
                   (long long)w->step_count + 1, report->newton_iterations, trouble, advice);
}

bool simulation_internal_force(Simulation *w, double (*force)[3], Error *error) {
  double(*inside)[3] = array_new(w->mesh.node_count, sizeof *inside, "forces", error);
  const bool ok = inside && newton_forces(&w->newton, error) && body_force(&w->body, inside, stream_of(w), error);
  for (int a = 0; ok && a < w->mesh.node_count; a++) memcpy(force[w->user_node[a]], inside[a], sizeof *force);
  free(inside);
  return ok;
}

bool simulation_step(Simulation *w, StepReport *report, Error *error) {
  int span;
  if (!update_springs(w, error)) return false;
  if (!stage_begin(&w->clock, TIMED_STEP, stream_of(w), &span, error)) return false;
  if (!newton_step(&w->newton, w->settings.dt, report, error)) return give_up(w, report, error);
  if (!report->converged && !diagnose(w, report, error)) return false;
  if (!stage_end(&w->clock, span, stream_of(w), error)) return false;
  w->step_count++;
  w->profile.steps++;
  w->profile.newton_iterations += report->newton_iterations;
  w->profile.cg_iterations += report->cg_iterations;
  return !w->clock.running || (stream_sync(stream_of(w), error) && stage_clock_collect(&w->clock, error));
}

static double time_of(const Simulation *w, int64_t step) {
  return w->time_then + (double)(step - w->steps_then) * w->settings.dt;
}

double simulation_time(const Simulation *w) {
  return time_of(w, w->step_count);
}

double simulation_next_time(const Simulation *w) {
  return time_of(w, w->step_count + 1);
}

int64_t simulation_step_count(const Simulation *w) {
  return w->step_count;
}

const SimulationSettings *simulation_settings(const Simulation *w) {
  return &w->settings;
}

Stream simulation_stream(const Simulation *w) {
  return stream_of(w);
}

// one vector of the state, in the user's order; positions where X is given
static bool ordered_state(Simulation *w, bool momenta, const double (*X)[3], double (*out)[3], Error *error) {
  double(*inside)[3] = array_new(w->mesh.node_count, sizeof *inside, "state", error);
  const bool ok = inside && body_state(&w->body, momenta ? NULL : inside, momenta ? inside : NULL, stream_of(w), error);
  for (int a = 0; ok && a < w->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) out[w->user_node[a]][i] = inside[a][i] + (X ? X[a][i] : 0);
  free(inside);
  return ok;
}

bool simulation_state(Simulation *w, double (*positions)[3], double (*momenta)[3], Error *error) {
  return (!positions || ordered_state(w, false, (const double(*)[3])w->mesh.X, positions, error)) &&
         (!momenta || ordered_state(w, true, NULL, momenta, error));
}

bool simulation_set_state(Simulation *w, const double (*positions)[3], const double (*momenta)[3], Error *error) {
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "state", error);
  double(*p)[3] = array_new(w->mesh.node_count, sizeof *p, "state", error);
  bool ok = u && p;
  for (int a = 0; ok && a < w->mesh.node_count; a++) {
    for (int i = 0; positions && i < 3; i++) u[a][i] = positions[w->user_node[a]][i] - w->mesh.X[a][i];
    if (momenta) memcpy(p[a], momenta[w->user_node[a]], sizeof *p);
    for (int i = 0; i < 3; i++) ok = ok && isfinite(u[a][i] + p[a][i]);
    if (!ok) error_set(error, "the state of node %d is not finite", w->user_node[a]);
  }
  ok = ok && body_set_state(&w->body, positions ? (const double(*)[3])u : NULL, momenta ? (const double(*)[3])p : NULL,
                            stream_of(w), error);
  free(u);
  free(p);
  return ok;
}

bool simulation_save(Simulation *w, FILE *file, Error *error) {
  const int nodes = w->mesh.node_count;
  double(*inside)[3] = array_new(nodes, sizeof *inside, "state", error);
  double(*ordered)[3] = array_new(nodes, sizeof *ordered, "state", error);
  bool ok = inside && ordered;
  if (ok) {
    fwrite(&w->step_count, sizeof w->step_count, 1, file);
    fwrite(&w->steps_then, sizeof w->steps_then, 1, file);
    fwrite(&w->time_then, sizeof w->time_then, 1, file);
  }
  for (int momenta = 0; ok && momenta < 2; momenta++) {
    ok = body_state(&w->body, momenta ? NULL : inside, momenta ? inside : NULL, stream_of(w), error);
    for (int a = 0; ok && a < nodes; a++) memcpy(ordered[w->user_node[a]], inside[a], sizeof *inside);
    if (ok) fwrite(ordered, sizeof *ordered, (size_t)nodes, file);
  }
  ok = ok && body_normal(&w->body, &inside[0][0], stream_of(w), error);
  for (int a = 0; ok && a < nodes; a++) ordered[w->user_node[a]][0] = (&inside[0][0])[a];
  for (int a = 0; ok && a < nodes; a++) fwrite(ordered[a], sizeof(double), 1, file);
  if (ok) grabs_save(&w->grabs, w->user_node, file);
  free(inside);
  free(ordered);
  return ok;
}

bool simulation_restore(Simulation *w, Bytes *bytes, Error *error) {
  const int nodes = w->mesh.node_count;
  int64_t step_count, steps_then;
  double time_then;
  double(*inside)[3] = array_new(nodes, sizeof *inside, "state", error);
  int *place = array_new(nodes, sizeof *place, "node order", error);
  bool ok = inside && place;
  bytes_take(bytes, &step_count, sizeof step_count);
  bytes_take(bytes, &steps_then, sizeof steps_then);
  bytes_take(bytes, &time_then, sizeof time_then);
  for (int a = 0; ok && a < nodes; a++) place[w->user_node[a]] = a;
  for (int momenta = 0; ok && momenta < 2; momenta++) {
    const double(*state)[3] = (const double(*)[3])inside;
    for (int a = 0; a < nodes; a++) {
      double *value = inside[place[a]];
      bytes_take(bytes, value, sizeof *inside);
      ok = ok && isfinite(value[0] + value[1] + value[2]);
    }
    ok = ok && !bytes->short_of && step_count >= 0 && steps_then >= 0 && isfinite(time_then);
    if (!ok) error_set(error, "its state is not whole, or not finite");
    ok = ok && body_set_state(&w->body, momenta ? NULL : state, momenta ? state : NULL, stream_of(w), error);
  }
  for (int a = 0; ok && a < nodes; a++) {
    double *value = &inside[0][0] + place[a];
    bytes_take(bytes, value, sizeof *value);
    ok = !bytes->short_of && isfinite(*value);
    if (!ok) error_set(error, "its state is not whole, or not finite");
  }
  ok = ok && body_set_normal(&w->body, &inside[0][0], stream_of(w), error);
  ok = ok && grabs_restore(&w->grabs, place, bytes, error);
  if (ok) w->step_count = step_count, w->steps_then = steps_then, w->time_then = time_then;
  free(inside);
  free(place);
  return ok;
}

bool simulation_write_positions(Simulation *w, float *positions, Error *error) {
  return w->body.operations->positions(&w->body.midpoint, positions, stream_of(w), error);
}

bool simulation_write_field(Simulation *w, FieldKind kind, float *values, Error *error) {
  const SimulationSettings *s = &w->settings;
  if (!w->field.tet && !nodal_field_create(&w->field, &w->body.midpoint, &w->mesh, error)) return false;
  return nodal_field_run(&w->field, &w->body.midpoint, kind, s->mu, s->lambda, values, stream_of(w), error);
}

bool simulation_energy(Simulation *w, Energy *energy, Error *error) {
  const Midpoint *m = &w->body.midpoint;
  if (!w->body.operations->energy(m, w->settings.mu, w->settings.lambda, stream_of(w), error)) return false;
  if (!stream_sync(stream_of(w), error)) return false;
  energy->kinetic = m->energy_host[0];
  energy->elastic = m->energy_host[1];
  energy->potential = m->energy_host[8];
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
  const SolverSystem *system = &w->solver.system;
  const Stream stream = w->newton.solver_stream;
  bool ok = event_create(stream.device, &first, error) && event_create(stream.device, &last, error);
  for (int k = 0; ok && k < WARM + TIMED; k++) {
    if (k == WARM) ok = event_record(&first, stream, error);
    ok = ok && matrix_spmv(&w->matrix, system->b, system->x, NULL, stream, error);  // every solve makes x anew
  }
  ok = ok && event_record(&last, stream, error) && stream_sync(stream, error) &&
       event_elapsed(&first, &last, elapsed_ms, error);
  *elapsed_ms /= TIMED;
  event_destroy(&first);
  event_destroy(&last);
  return ok;
}

bool simulation_profile_stop(Simulation *w, bool with_spmv, Profile *profile, Error *error) {
  double spmv_ms = 0;
  w->clock.running = false;
  *profile = w->profile;
  if (with_spmv && !time_spmv(w, &spmv_ms, error)) return false;
  profile->assemblies = w->newton.assemblies - w->assemblies_before;
  profile->vectors = w->newton.vectors - w->vectors_before;
  profile->spmvs = profile->cg_iterations;
  profile->assembly_ms = w->clock.total_ms[TIMED_ASSEMBLY];
  profile->vector_ms = w->clock.total_ms[TIMED_VECTOR];
  profile->cg_ms = w->clock.total_ms[TIMED_SOLVER];
  profile->total_ms = w->clock.total_ms[TIMED_STEP];
  profile->transfer_ms = w->clock.total_ms[TIMED_TRANSFER];
  profile->rest_ms =
      profile->total_ms - profile->assembly_ms - profile->vector_ms - profile->cg_ms - profile->transfer_ms;
  profile->spmv_ms = spmv_ms * (double)profile->spmvs;
  return true;
}

const char *simulation_baseline_absence(const Simulation *w) {
  return w->newton.solver_stream.device == DEVICE_CUDA ? baseline_absence() : "the matrix is not on a GPU";
}

bool simulation_baseline(Simulation *w, BaselineReport *report, Error *error) {
  Baseline b;
  double own_ms;
  if (!baseline_measure(&w->solver.system, w->newton.solver_stream, &b, error) || !time_spmv(w, &own_ms, error))
    return false;
  *report = (BaselineReport){ b.csr_us, b.bsr_us, b.cg_us, b.cg_iterations, 1e3 * own_ms, b.product_difference };
  return true;
}

SimulationSize simulation_size(const Simulation *w) {
  return (SimulationSize){ .dof = w->pattern.n,
                           .nnz = w->pattern.row_start[w->pattern.n],
                           .slots = w->matrix.slot_count,
                           .parts = w->assembly.parts.count,
                           .part_tets = w->assembly.parts.tets,
                           .part_nodes = w->assembly.parts.nodes };
}
