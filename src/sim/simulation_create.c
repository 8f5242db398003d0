// Creates and destroys a simulation (simulation.h). A simulation stores nodes and tets in its internal order, which
// differs from the user's order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index_check.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "mesh/distribute.h"
#include "mesh/mesh_check.h"
#include "sim/contact/contact_cuda.h"
#include "sim/contact/rigid_surface.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"
#include "sim/stage_choice.h"

// Copies the part (group of nodes) of each node from the user's order in `part` to the internal order in w->space.part.
// If a part is empty, sets part_count = 0: the matrix format then chooses parts itself.
static bool take_parts(Simulation *w, const int *part, int part_count, Error *error) {
  const int nodes = w->space.node_count;
  int *count = array_new(part_count, sizeof *count, "parts", error);
  w->space.part = array_new(nodes, sizeof *w->space.part, "parts", error);
  const bool ok = count && w->space.part;
  for (int a = 0; ok && a < nodes; a++) {
    w->space.part[a] = part[w->user_node[a]];
    count[w->space.part[a]]++;
  }
  w->space.part_count = part_count;
  for (int p = 0; ok && p < part_count; p++)
    if (count[p] == 0) w->space.part_count = 0;
  free(count);
  return ok;
}

// Copies the batch and thread of each tet from the user's order in `batch` to the internal order in w->space.batch. A
// batch is the tets that one thread block of a GPU processes.
static bool take_batches(Simulation *w, const int *batch, Error *error) {
  w->space.batch = array_new(w->space.cell_count, sizeof *batch, "cells", error);
  for (int e = 0; w->space.batch && e < w->space.cell_count; e++) w->space.batch[w->cell_index[e]] = batch[e];
  w->keeps_batches = true;
  return w->space.batch;
}

// Fails if the caller's NodeNumbering is invalid: indices must be in range, and `order` and `batch` must have no equal
// entries.
static bool check_numbering(const NodeNumbering *numbering, const TetMesh *mesh, Error *error) {
  const int nodes = mesh->node_count, batch_slots = simulation_batch_slots(MESH_MAX_TETS);
  if (numbering->order && !index_check_once(numbering->order, nodes, nodes, "NodeNumbering: order", error))
    return false;
  if (numbering->rank && !index_check(numbering->rank, nodes, MESH_MAX_NODES, "NodeNumbering: rank", error))
    return false;
  if (numbering->part && numbering->part_count < 1)
    return error_set(error, "NodeNumbering: part_count is %d, expected at least 1", numbering->part_count);
  if (numbering->part && !index_check(numbering->part, nodes, numbering->part_count, "NodeNumbering: part", error))
    return false;
  if (numbering->batch && mesh->hex)
    return error_set(error, "NodeNumbering: batch must be NULL for a mesh of hexahedra");
  return !numbering->batch ||
         index_check_once(numbering->batch, mesh->tet_count, batch_slots, "NodeNumbering: batch", error);
}

// Creates w->user_node, the mesh's node at each internal index: a copy of `order` or, if this is NULL, the order that
// settings.order names.
static bool create_order(Simulation *w, const TetMesh *mesh, const int *order, Error *error) {
  if (order) {
    w->user_node = array_copy(order, mesh->node_count, sizeof *order, "node order", error);
    return w->user_node;
  }
  w->user_node = array_new(mesh->node_count, sizeof *w->user_node, "node order", error);
  return w->user_node && mesh_order(mesh, w->settings.order, w->user_node, error);
}

// Creates the Space (nodes, cells and graph of neighbours) in the internal order. This is the order in `numbering` or,
// if it has none, the order that settings.order names.
static bool create_space(Simulation *w, const TetMesh *mesh, const NodeNumbering *numbering, Error *error) {
  if (w->settings.division) return simulation_create_local_space(w, mesh, error);
  const NodeNumbering given = numbering ? *numbering : (NodeNumbering){ 0 };
  if (!check_numbering(&given, mesh, error)) return false;

  // The keys `rank` sort the tets only together with the order to which they belong.
  const int *rank = given.order ? given.rank : NULL;
  if (rank) {
    w->rank = array_copy(rank, mesh->node_count, sizeof *rank, "node order", error);
    if (!w->rank) return false;
  }
  if (!mesh->hex) {
    w->cell_index = array_new(mesh->tet_count, sizeof *w->cell_index, "tets", error);
    if (!w->cell_index) return false;
  }
  if (!create_order(w, mesh, given.order, error)) return false;

  TetMesh ordered = { 0 };
  if (!mesh_renumber(&ordered, mesh, w->user_node, rank, w->cell_index, error)) return false;
  if (!space_take(&w->space, &ordered, 3, error)) return false;

  if (given.part && !take_parts(w, given.part, given.part_count, error)) return false;
  return !given.batch || take_batches(w, given.batch, error);
}

// Returns the assembly to try after the creation of `last` has failed; NULL: none is left. First comes an assembly that
// supports only some bodies (simulation_is_default is true). The next is the assembly for all bodies (Stage.preferred
// is true). Then come the assemblies after `last` in the table of stages, except those that require one matrix format.
static const Stage *next_assembly(const Stage *last) {
  const char *element = last->element;
  if (simulation_is_default(last)) return stage_find(STAGE_ASSEMBLY, NULL, last->device, last->precision, element);
  do last = stage_next(last, STAGE_ASSEMBLY, last->device, last->precision, element);
  while (last && ((const AssemblyMethod *)last)->matrix);
  return last;
}

// Creates the assembly. If the user named none and the chosen one cannot be created, tries other assemblies in turn
// (next_assembly).
static bool create_assembly(Simulation *w, Choice *choice, Error *error) {
  SimulationSettings *s = &w->settings;
  const Stage *first = &choice->assembly->stage, *next = first;
  Error why = { 0 };
  while (next) {
    Error later = { 0 };  // discarded: the message reports the first failure
    if (assembly_create(&w->assembly, (const AssemblyMethod *)next, &w->space, &w->A, s->partitioner,
                        1e6 * s->memory_budget, next == first ? &why : &later)) {
      if (next != first) {
        log_notice("%s; using %s instead", why.message, next->name);
        snprintf(w->assembly_reason, sizeof w->assembly_reason, "since %.900s", why.message);
      }
      snprintf(s->assembly, sizeof s->assembly, "%s", next->name);
      choice->assembly = (const AssemblyMethod *)next;
      return true;
    }
    if (!choice->by_default || interrupt_requested()) break;
    next = next_assembly(next);
  }
  return error_set(error, "%s", why.message);
}

// Creates the operator (matrix). The program may have chosen a solver that supports only some bodies
// (simulation_is_default is true). If this solver does not support the body, takes the solver for all bodies
// (Stage.preferred is true) and its matrix format.
static bool create_operator(Simulation *w, Choice *choice, Error *error) {
  const SolverMethod *solver_first = choice->alone ? choice->alone : choice->solver_by_default ? choice->solver : NULL;
  Error why = { 0 };
  if (!solver_first || !solver_first->suits) return operator_create(&w->A, choice->matrix, &w->space, error);
  if (solver_first->suits(&w->space, NULL, &why) && operator_create(&w->A, choice->matrix, &w->space, &why)) {
    if (solver_first->suits(&w->space, &w->A, &why)) return true;
    operator_destroy(&w->A);
  }
  if (interrupt_requested()) return error_set(error, "%s", why.message);
  if (!stages_choose_preferred_solver(&w->space, &w->settings, choice, error)) return false;
  log_notice("%s; using %s instead", why.message, choice->solver->stage.name);
  snprintf(w->solver_reason, sizeof w->solver_reason, "since %.900s", why.message);
  return operator_create(&w->A, choice->matrix, &w->space, error);
}

// Creates the CUDA version of self-contact if the body is on the GPU.
static bool create_counterpart(Contact *contact, Device device, Error *error) {
#ifdef PLIANT_CUDA
  if (device == DEVICE_CUDA) return contact_cuda_create(&contact->cuda, contact, error);
#endif
  (void)contact, (void)device, (void)error;
  return true;
}

// Creates self-contact. Fails if the surface intersects itself. Must be called before the solver is created. A solver
// may record products with the matrix as a CUDA graph, which must include the part that contact adds.
static bool create_self_contact(Simulation *w, const SolverMethod *solver, Error *error) {
  const Device device = w->settings.device;
  Surface *surface = &w->surface;
  if (solver->matrix)
    return error_set(error, "solver \"%s\" does not support self_contact; choose another --solver, or leave it out%s",
                     solver->stage.name, solver->is_default ? "; this solver is then used if possible" : "");

  // Convert the surface's nodes to the internal order.
  const RigidObstacles obstacles = settings_rigid(&w->settings);
  int *node_index = array_new(w->space.node_count, sizeof *node_index, "node order", error);
  bool ok = node_index;
  for (int a = 0; ok && a < w->space.node_count; a++) node_index[w->user_node[a]] = a;
  for (int t = 0; ok && t < surface->triangle_count; t++)
    for (int k = 0; k < 3; k++) surface->triangle[t][k] = node_index[surface->triangle[t][k]];

  // Create contact, with obstacles at their positions at time 0.
  ok = ok && rigid_surface_create(&w->rigid, &obstacles, w->edge, error) &&
       contact_create(&w->contact, &w->space, (const int(*)[3])surface->triangle, surface->triangle_count,
                      w->rigid.node_count > 0 ? &w->rigid : NULL, error) &&
       simulation_place_obstacles(w, 0, 0, error);
  if (ok && w->settings.contact_distance > 0) {
    w->contact->nearby.reach = w->settings.contact_distance;
    w->contact->nearby.slack = 0.5 * w->settings.contact_distance;
  }

  ok = ok && (w->settings.crosses_at_rest || simulation_check_contact(w, (const double(*)[3])w->space.X, error)) &&
       create_counterpart(w->contact, device, error) && w->arrays->set_self_contact(w->motion, w->contact, error);
  free(node_index);
  surface_destroy(surface);
  if (!ok) return false;

  // Add the tangent of contact to the operator as an additional term, so that products with the operator include it.
  w->contact->clock = &w->clock;
  const SelfContactFunctions *functions = self_contact_functions(device, w->settings.precision);
  w->A.term = (OperatorTerm){ .apply = functions->apply, .context = w->contact, .entries = functions->entries };
#ifdef PLIANT_CUDA
  if (w->contact->cuda && simulation_solver_device(&w->settings) == device) w->A.term.rows = w->contact->cuda->rows;
#endif
  simulation_set_barrier(w);
  return true;
}

// Writes the reason for the choice of a method: the user named it (`asked`), or it is the default on the device.
// create_assembly and create_operator replace the text if they take another method.
static void give_reason(char reason[ERROR_LENGTH], bool asked, Device device) {
  snprintf(reason, ERROR_LENGTH, asked ? "named by an option or the scene" : "the default on %s", device_name(device));
}

// Appends the solver's description of itself to w->solver_reason, and the name of the second solver, if there is one.
static void describe_solver(Simulation *w) {
  const Solver *solver = w->alone.method ? &w->alone : &w->solver;
  char form[200];
  if (w->alone.method) {
    const size_t length = strlen(w->solver_reason);
    snprintf(w->solver_reason + length, sizeof w->solver_reason - length, "; %s %s",
             solver->takes_term ? "replaced by" : "without contact:", solver->method->stage.name);
  }
  if (!solver->method->describe) return;
  const size_t length = strlen(w->solver_reason);
  solver->method->describe(solver, form, sizeof form);
  snprintf(w->solver_reason + length, sizeof w->solver_reason - length, "; %s", form);
}

// Creates a stream for each device that a stage uses.
static bool create_streams(Simulation *w, const Choice *choice, Error *error) {
  const bool cuda = w->settings.device == DEVICE_CUDA || choice->assembly_device == DEVICE_CUDA ||
                    choice->solver_device == DEVICE_CUDA;
  return stream_create(DEVICE_CPU, &w->streams[DEVICE_CPU], error) &&
         (!cuda || stream_create(DEVICE_CUDA, &w->streams[DEVICE_CUDA], error));
}

// Computes masses, extent and bodies of the mesh. Fails if one of them is outside the range of the precision.
static bool measure_body(Simulation *w, Error *error) {
  const SimulationSettings *s = &w->settings;
  w->mass = array_new(w->space.node_count, sizeof *w->mass, "nodal masses", error);
  w->weight = array_new(w->space.node_count, sizeof *w->weight, "nodal masses", error);
  if (!w->mass || !w->weight) return false;
  space_lumped_mass(&w->space, s->density, w->mass);
  space_weight(&w->space, s->density, w->weight);
  if (!halo_refresh(w->halo, w->mass, 1, error) || !halo_refresh(w->halo, w->weight, 1, error)) return false;

  double low[3], high[3], diagonal2 = 0;
  space_bounds(&w->space, low, high);
  for (int i = 0; i < 3; i++) {
    double top = -high[i];
    if (!halo_smallest(w->halo, &low[i], error) || !halo_smallest(w->halo, &top, error)) return false;
    high[i] = -top;
  }
  for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
  w->extent = sqrt(diagonal2);
  if (!simulation_find_bodies(w, error)) return false;
  w->range = body_range(&w->space, w->mass, s->density);
  return simulation_check(w, s, error);
}

// Sets the tables of functions for the device and precision. Estimates the memory of the simulation, and fails if it
// exceeds the free memory.
static bool estimate_memory(Simulation *w, const TetMesh *mesh, const Choice *choice, Error *error) {
  const SimulationSettings *s = &w->settings;
  w->loops = (const MotionMethod *)stage_find(STAGE_BODY, NULL, s->device, s->precision, NULL);
  w->arrays = s->precision == PRECISION_F32 ? &motion_arrays_f32 : &motion_arrays_f64;
  w->newton_functions = s->precision == PRECISION_F32 ? &newton_f32 : &newton_f64;

  const MemoryStages stages = { &w->loops->stage,
                                &choice->assembly->stage,
                                &choice->matrix->stage,
                                &choice->solver->stage,
                                choice->alone ? &choice->alone->stage : NULL,
                                s->friction_sticks,
                                s->tears ? choice->element->supplemental : 0 };

  if (s->self_contact && !surface_create(&w->surface, mesh, error)) return false;
  w->edge = surface_mean_edge(&w->surface, (const double(*)[3])mesh->X);
  w->size = (StageSize){ .nodes = w->space.node_count,
                         .cells = w->space.cell_count,
                         .node_dof = w->space.node_dof,
                         .cell_nodes = w->space.cell_nodes,
                         .pairs = (double)(space_pairs(&w->space) - w->space.node_count) / 2,
                         .supplemental = choice->assembled->supplemental,
                         .budget = 1e6 * s->memory_budget,
                         .surface = memory_surface(s, w->surface.triangle_count, w->edge),
                         .consistent = s->mass == MASS_CONSISTENT };

  w->need = memory_estimate(&w->size, &stages);
  return memory_check(&w->need, error);
}

// Creates the matrix and the assembly, each with the reason for its choice.
static bool create_system(Simulation *w, Choice *choice, bool assembly_asked, bool solver_asked, Error *error) {
  const SimulationSettings *s = &w->settings;
  give_reason(w->assembly_reason, assembly_asked, choice->assembly_device);
  give_reason(w->solver_reason, solver_asked, choice->solver_device);

  if (s->mass == MASS_CONSISTENT && choice->solver->matrix)
    return error_set(error, "solver \"%s\" does not support mass \"consistent\"; choose another --solver",
                     choice->solver->stage.name);

  if (choice->for_cuts)
    snprintf(w->solver_reason, sizeof w->solver_reason, "the default on %s for bodies with cuts, with matrix %s",
             device_name(choice->solver_device), choice->matrix->stage.name);

  if (!create_operator(w, choice, error)) return false;

  // Only matrix formats that divide the nodes into parts use w->space.part, the part (group of nodes) of each node.
  if (!w->A.parts) {
    free(w->space.part);
    w->space.part = NULL;
  }
  free(w->space.batch);
  w->space.batch = NULL;

  if (choice->auxetic && !assembly_asked)
    snprintf(w->assembly_reason, sizeof w->assembly_reason,
             "the default on %s for bodies with different Poisson's ratios, one of them below 0",
             device_name(choice->assembly_device));

  progress_set("preparing the assembly", 0.5);
  return create_assembly(w, choice, error);
}

// Creates w->motion, the body's state with its forces, obstacles and floor, and then grabs, constraints and loads.
static bool create_motion(Simulation *w, const Choice *choice, Error *error) {
  const SimulationSettings *s = &w->settings;
  const int nodes = w->space.node_count;
  w->motion = w->arrays->create(choice->element, &w->space, w->mass, w->user_node, choice->assembled->positions,
                                choice->element == choice->assembled ? w->assembly.supplemental : NULL, error);
  if (!w->motion) return false;

  // floor and obstacles
  Obstacle solid[OBSTACLES_MAX];
  const int solid_count = simulation_solid_obstacles(s, solid);
  if (!simulation_set_floor_stiffness(w, error)) return false;
  if (!w->arrays->set_obstacles(w->motion, solid, solid_count, error)) return false;
  if (!simulation_place_obstacles(w, 0, 0, error)) return false;
  simulation_set_floor(w);
  if (!simulation_set_masses(w, error)) return false;

  // grabs, constraints and loads
  if (!grabs_create(&w->grabs, s->device, nodes, error)) return false;
  if (!constraints_create(&w->constraints, s->device, nodes, error)) return false;
  if (!loads_create(&w->loads, s->device, w->user_node, nodes, w->user_count, error)) return false;
  return simulation_set_dampers(w, error) && simulation_copy_springs(w, 0, error);
}

// Creates Newton's method and self-contact, and connects them with assembly, matrix and solver.
static bool create_newton(Simulation *w, const Choice *choice, Error *error) {
  const SimulationSettings *s = &w->settings;
  w->newton = (Newton){ .motion = w->motion,
                        .space = &w->space,
                        .assembly = &w->assembly,
                        .A = &w->A,
                        .solver = &w->solver,
                        .whole = &w->solver,
                        .alone = choice->alone ? &w->alone : NULL,
                        .settings = &w->newton_settings,
                        .clock = &w->clock,
                        .stream = w->streams[s->device],
                        .assembly_stream = w->streams[choice->assembly_device],
                        .solver_stream = w->streams[choice->solver_device],
                        .cuda = w->streams[DEVICE_CUDA] };
  if (s->self_contact && !create_self_contact(w, choice->solver, error)) return false;
  return w->newton_functions->connect(&w->newton, choice->solver, choice->alone, error);
}

// Chooses the stages, and creates all members of the simulation except its pins.
static bool create_parts(Simulation *w, const TetMesh *mesh, Error *error) {
  Choice choice = { 0 };

  // True if the user named the assembly, or the solver. This is read before stages_choose, which writes the chosen
  // names into the settings.
  const bool assembly_asked = w->settings.assembly[0], solver_asked = w->settings.solver[0];
  if (!stages_choose(&w->space, &w->settings, &choice, error)) return false;
  if (!create_streams(w, &choice, error) || !measure_body(w, error)) return false;
  progress_set("creating the matrix", 0.4);
  if (!estimate_memory(w, mesh, &choice, error)) return false;
  if (!create_system(w, &choice, assembly_asked, solver_asked, error)) return false;
  progress_set("preparing the body", 0.9);
  if (!create_motion(w, &choice, error) || !create_newton(w, &choice, error)) return false;
  if (w->halo) w->grabs.user_count = w->user_count;
  describe_solver(w);
  return simulation_set_load(w, NULL, error);  // no loads except gravity
}

// Creates `turned`, a copy of a mesh in which the corners of inverted cells are reordered, so that all volumes are
// positive. The copy owns its cells and borrows all other arrays. The caller must call release_turned even after a
// failure.
static bool turn_cells(TetMesh *turned, const TetMesh *mesh, Error *error) {
  const int cells = mesh->tet_count;
  *turned = *mesh;
  turned->hex = mesh->hex ? array_copy(mesh->hex, cells, sizeof *mesh->hex, "cells", error) : NULL;
  turned->tet = mesh->tet ? array_copy(mesh->tet, cells, sizeof *mesh->tet, "cells", error) : NULL;
  turned->middle = mesh->middle ? array_copy(mesh->middle, cells, sizeof *mesh->middle, "cells", error) : NULL;
  turned->outer = mesh->outer ? array_copy(mesh->outer, cells, sizeof *mesh->outer, "cells", error) : NULL;
  if (!turned->hex != !mesh->hex || !turned->tet != !mesh->tet) return false;
  if (!turned->middle != !mesh->middle || !turned->outer != !mesh->outer) return false;

  const int count = mesh_turn_inverted(turned);
  if (count < cells)
    log_notice("the mesh: %d of %d %s are inverted; the program reorders their nodes, so that all volumes are positive",
               count, cells, mesh_cell_word(mesh));
  return true;
}

static void release_turned(TetMesh *turned) {
  free(turned->hex);
  free(turned->tet);
  free(turned->middle);
  free(turned->outer);
}

// Fails if settings or mesh are invalid, or if the memory would not suffice.
static bool check_input(const Simulation *w, const TetMesh *mesh, Error *error) {
  const MeshDivision *division = w->settings.division;
  if (!settings_check(&w->settings, error) || !simulation_check_ranks(&w->settings, error)) return false;

  // The mesh of a process that is not the first one lacks cells, so some of its nodes belong to no cell.
  if ((!division || ranks_is_first(division->ranks)) && !mesh_check(mesh, error)) return false;

  const double fraction = division ? 1.0 / division->ranks->count : 1;  // mean part of the body in this process
  const int cells = division ? division->cell_count : mesh->tet_count;
  return memory_check_counts(fraction * mesh->node_count, fraction * cells, mesh_shape(mesh), w->settings.matrix,
                             error);
}

// Returns the index of the first inverted cell; the number of cells if none is inverted. After a request to stop, may
// return a smaller index.
static int first_inverted_cell(const TetMesh *mesh) {
  int cell = 0;
  while (cell < mesh->tet_count && mesh_tet_volume(mesh, cell) > 0 && !interrupt_requested()) cell++;
  return cell;
}

// Checks settings and mesh, and creates all members of w. After a failure the caller calls simulation_destroy.
static bool create(Simulation *w, const TetMesh *mesh, const NodeNumbering *numbering, const uint8_t *pinned,
                   Error *error) {
  progress_set("ordering the nodes", 0.2);
  if (!check_input(w, mesh, error)) return false;
  w->user_count = mesh->node_count;

  const int inverted = first_inverted_cell(mesh);
  if (!interrupt_check(error)) return false;
  TetMesh turned = { 0 };
  bool ok = true;
  if (inverted < mesh->tet_count) {
    ok = turn_cells(&turned, mesh, error);
    mesh = &turned;
  }
  ok = ok && create_space(w, mesh, numbering, error) && create_parts(w, mesh, error) &&
       simulation_set_pins(w, pinned, error);
  release_turned(&turned);
  return ok;
}

bool simulation_create(Simulation **simulation, const TetMesh *mesh, const SimulationSettings *settings,
                       const uint8_t *pinned, Error *error) {
  return simulation_create_numbered(simulation, mesh, NULL, settings, pinned, error);
}

bool simulation_create_numbered(Simulation **simulation, const TetMesh *mesh, const NodeNumbering *numbering,
                                const SimulationSettings *settings, const uint8_t *pinned, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  Simulation *made = array_new(1, sizeof *made, "simulation", error);
  if (!made) return false;

  made->settings = *settings;
  made->settings.degree = mesh_degree(mesh);
  made->settings.hexes = mesh->hex;
  made->newton_settings = settings_newton(&made->settings);

  if (create(made, mesh, numbering, pinned, error)) {
    *simulation = made;
    return true;
  }
  simulation_destroy(made);
  return false;
}

MemoryEstimate memory_of_simulation(const Simulation *w) {
  return w->need;
}

void simulation_destroy(Simulation *w) {
  if (!w) return;

  // Work that is still queued on the GPU uses the arrays below.
  Error ignored = { 0 };
  stream_sync(w->streams[DEVICE_CUDA], &ignored);

  // methods
  solver_destroy(&w->solver);
  solver_destroy(&w->alone);
  if (w->newton_functions) w->newton_functions->disconnect(&w->newton);
#ifdef PLIANT_CUDA
  worlds_destroy(&w->worlds);
#endif
  assembly_destroy(&w->assembly);
  operator_destroy(&w->A);

  // forces and constraints
  grabs_destroy(&w->grabs);
  constraints_destroy(&w->constraints);
  supports_destroy(&w->supports);
  loads_destroy(&w->loads);

  // state and contact
  nodal_field_destroy(&w->field);
  stress_search_destroy(&w->search, w->settings.device);
  if (w->arrays) w->arrays->destroy(w->motion);
  contact_destroy(w->contact);
  rigid_surface_destroy(&w->rigid);
  surface_destroy(&w->surface);

  // mesh and masses
  stage_clock_destroy(&w->clock);
  for (int k = 0; k < 2; k++) stream_destroy(&w->streams[k]);
  space_destroy(&w->space);
  halo_destroy(w->halo);
  free(w->local_face);
  free(w->body_traits);
  free(w->user_node);
  free(w->rank);
  free(w->cell_index);
  free(w->mass);
  free(w->weight);
  mass_matrix_destroy(&w->masses);
  work_arrays_destroy(&w->work);
  free(w);
}
