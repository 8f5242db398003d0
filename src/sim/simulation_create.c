// A simulation is built, and taken down: see simulation.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "mesh/adjacency.h"
#include "sim/memory.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"
#include "sim/stage_choice.h"

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
      !transfer_from(&w->shift, body, m->shift, solver, bytes + real_size * (size_t)m->node_count, error) ||
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
    if (next != first && (!choice->by_default || interrupt_wanted())) continue;
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
  const bool ok = contact && (factor || !w->mesh.stiffness) &&
                  body_set_contact(&w->body, contact, simulation_stream(w), error);
  free(factor);
  free(contact);
  return ok;
}

static bool create_parts(Simulation *w, Error *error) {
  SimulationSettings *s = &w->settings;
  Adjacency adjacency = { 0 };
  Choice choice = { 0 };
  if (!stages_choose(&w->mesh, s, &choice, error)) return false;
  const bool cuda =
      s->device == DEVICE_CUDA || choice.assembly_device == DEVICE_CUDA || choice.solver_device == DEVICE_CUDA;
  if (!stream_create(DEVICE_CPU, &w->streams[DEVICE_CPU], error)) return false;
  if (cuda && !stream_create(DEVICE_CUDA, &w->streams[DEVICE_CUDA], error)) return false;

  w->mass = array_new(w->mesh.node_count, sizeof *w->mass, "nodal masses", error);
  if (!w->mass) return false;
  mesh_lumped_mass(&w->mesh, s->density, w->mass);
  double low[3], high[3], diagonal2 = 0;
  mesh_bounds(&w->mesh, low, high);
  for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
  w->extent = sqrt(diagonal2);
  w->range = body_range(&w->mesh, w->mass, s->density);
  if (!range_check(&w->range, s, error)) return false;
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
  simulation_set_floor(w);
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
                        .anchor_backup = w->body.anchor_backup,
                        .u_before = w->body.u_before,
                        .p_before = w->body.p_before };
  return simulation_set_load(w, NULL, error);  // gravity
}

static bool create(Simulation *w, const TetMesh *mesh, const uint8_t *pinned, Error *error) {
  progress_tell("ordering its nodes", 0.2);
  return settings_check(&w->settings, error) && memory_check_counts(mesh->node_count, mesh->tet_count, error) &&
         copy_mesh(&w->mesh, mesh, error) && order_nodes(w, error) && create_parts(w, error) &&
         simulation_set_pins(w, pinned, error);
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
