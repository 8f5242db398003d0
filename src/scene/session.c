// Creates, steps and changes a running scene: see session.h.
#include "scene/session.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/memory_stream.h"
#include "base/vectors.h"
#include "mesh/shapes.h"
#include "scene/given_mesh.h"
#include "scene/obstacle_surface.h"
#include "scene/scene_body.h"
#include "scene/scene_fields.h"
#include "scene/scene_range.h"
#include "scene/session_form.h"
#include "scene/session_notices.h"
#include "scene/session_overlaps.h"
#include "scene/session_ranks.h"
#include "scene/session_forces.h"
#include "scene/session_script.h"
#include "scene/session_state.h"
#include "scene/session_supports.h"
#include "sim/crossing_marks.h"
#include "sim/element/element_row.h"
#include "sim/element/moduli.h"
#include "sim/material_advice.h"
#include "sim/memory.h"
#include "sim/settings.h"
#include "scene/tet_sizes.h"
#include "sim/untangle.h"

// If the user gives only a mesh file, which has no material, Young's modulus E is chosen. With density rho, diagonal L
// of the mesh and the scene's gravity g, E / (rho g L) must be at least AGAINST_ITS_GRAVITY, so that the body bends
// only a little. With Earth's gravity EARTHS instead of g, E / (rho g L) must be at least AGAINST_EARTHS, so that the
// body keeps its shape if the user switches on Earth's gravity.
static const double AGAINST_ITS_GRAVITY = 100, AGAINST_EARTHS = 30;
static const double EARTHS = 9.81;  // m/s^2

// Completes the scene of a user who gives only a mesh file. Pins the lowest 2 % of the body's height, unless the user
// gave the key "pins". Chooses Young's modulus so that an elastic wave crosses the body in 1/3 s. The modulus is larger
// if the body needs it to carry its weight.
static void fit_to_mesh(Session *session) {
  Scene *scene = &session->scene;
  double low[3], high[3], diagonal2 = 0;
  mesh_bounds(&session->mesh, low, high);
  for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);

  if (scene->pin_count == 0 && !scene->pins_given) {
    ScenePin *made = &scene->pins[scene->pin_count++];
    Region *pin = &made->region;
    made->held = PIN_ALL;
    *pin = (Region){ .low = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL },
                     .high = { HUGE_VAL, HUGE_VAL, low[2] + 0.02 * (high[2] - low[2]) } };
    log_notice("mesh without a scene: nodes with z < %.4g m are pinned", pin->high[2]);
  }

  if (scene->material_keys == 0) {
    const SimulationSettings *s = &scene->simulation;
    const double g = vector_length(s->gravity), poisson = 0.3;
    const double young =
        s->density * fmax(9 * diagonal2, fmax(AGAINST_ITS_GRAVITY * g, AGAINST_EARTHS * EARTHS) * sqrt(diagonal2));
    scene->simulation.mu = lame_mu(young, poisson);
    scene->simulation.lambda = lame_lambda(young, poisson);
    log_notice("mesh without a scene: Young's modulus %.4g Pa is chosen from the body's size; Poisson's ratio is %g",
               young, poisson);
  }
}

static bool untangle(Session *session, Error *error) {
  double farthest = 0;
  if (!session->scene.untangle) return true;
  const bool ok = !session_has_all_cells(session) ||
                  bodies_untangle(&session->mesh, &session->scene.simulation, session->pinned, &farthest, error);
  if (!session_send_nodal(session, ok, session->mesh.X, sizeof *session->mesh.X, error))
    return error_prefix(error, "untangle");
  if (farthest > 0)
    log_notice("%s: bodies that were too close were moved apart by up to %.3g m", session->scene.path, farthest);
  return true;
}

static bool spins(const SceneBody *body) {
  return body->spin[0] != 0 || body->spin[1] != 0 || body->spin[2] != 0;
}

// Computes the centre of mass of each body, m.
static void find_centres(const Session *session, double (*centre)[3]) {
  const TetMesh *mesh = &session->mesh;
  double mass[SCENE_PARTS_MAX] = { 0 };
  memset(centre, 0, sizeof *centre * SCENE_PARTS_MAX);
  for (int a = 0; a < mesh->node_count; a++) {
    mass[mesh->body[a]] += session->mass[a];
    for (int i = 0; i < 3; i++) centre[mesh->body[a]][i] += session->mass[a] * mesh->X[a][i];
  }
  for (int k = 0; k < session->scene.body_count; k++)
    for (int i = 0; i < 3; i++) centre[k][i] /= mass[k];
}

// Computes the initial velocities v [node_count], m/s, from the keys velocity and spin of each body. Components along
// held axes stay 0.
static void find_first_velocities(const Session *session, double (*v)[3]) {
  const TetMesh *mesh = &session->mesh;
  double centre[SCENE_PARTS_MAX][3];
  if (!mesh->body) return;
  find_centres(session, centre);
  for (int a = 0; a < mesh->node_count; a++) {
    const int k = mesh->body[a];
    const SceneBody *body = &session->scene.bodies[k];
    double arm[3];
    for (int i = 0; i < 3; i++) arm[i] = mesh->X[a][i] - centre[k][i];
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      if (pin_holds(session->pinned[a], i)) continue;
      v[a][i] = body->velocity[i];
      if (spins(body)) v[a][i] += body->spin[j] * arm[l] - body->spin[l] * arm[j];
    }
  }
}

// Adds the scene's initial displacements to the positions x, m. Adds its initial velocities to v, m/s, except along
// held axes; does not if v is NULL.
static bool add_initial_fields(Session *session, double (*x)[3], double (*v)[3], Error *error) {
  const int nodes = session->mesh.node_count;
  WORK_ARRAYS_HERE(&session->work);
  double(*u)[3] = work_array(&session->work, nodes, sizeof *u, "displacements", error);
  double(*w)[3] = work_array(&session->work, nodes, sizeof *w, "velocities", error);
  session->begin_sum = 0;
  if (!u || !w) return false;
  bool ok = (!session_has_all_cells(session) ||
             scene_initial_fields(&session->scene, &session->mesh, u, w, &session->begin_sum, error));
  ok = session_send_nodal(session, ok, u, sizeof *u, error) && session_send_nodal(session, true, w, sizeof *w, error) &&
       ranks_follow(session->scene.simulation.ranks, true, &session->begin_sum, sizeof session->begin_sum, error);
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) {
      x[a][i] += u[a][i];
      if (v && !pin_holds(session->pinned[a], i)) v[a][i] += w[a][i];
    }
  return ok;
}

// Sets the positions x, m, and the velocities v, m/s, of the simulation, both [node_count]. If x is NULL, all nodes are
// at their positions at rest. With lumped masses, v is overwritten by the momenta, mass * velocity. With a consistent
// mass matrix these products would not be the momenta, so v is passed to the simulation unchanged.
static bool set_first_velocities(Session *session, const double (*x)[3], double (*v)[3], Error *error) {
  const bool lumped = session->scene.simulation.mass == MASS_LUMPED;
  if (!lumped && !simulation_set_state(session->simulation, x, NULL, error)) return false;
  if (!lumped) return simulation_set_velocities(session->simulation, (const double(*)[3])v, error);
  for (int a = 0; a < session->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) v[a][i] *= session->mass[a];
  return simulation_set_state(session->simulation, x, (const double(*)[3])v, error);
}

static bool begins_in_motion(const Scene *scene) {
  if (scene->velocity_field[0]) return true;
  for (int k = 0; k < scene->body_count; k++) {
    if (spins(&scene->bodies[k])) return true;
    for (int i = 0; i < 3; i++)
      if (scene->bodies[k].velocity[i] != 0) return true;
  }
  return false;
}

// Sets the initial state of a scene that does not begin at rest.
static bool start(Session *session, Error *error) {
  if (session->begin && !session->scene.quasi_static) return session_begin_restore(session, error);
  const bool moves = begins_in_motion(&session->scene) && !session->scene.quasi_static;
  const bool fields = scene_has_initial_fields(&session->scene);
  if (session->scene.twist == 0 && !moves && !fields) return true;
  const int nodes = session->mesh.node_count;
  WORK_ARRAYS_HERE(&session->work);
  double(*x)[3] = work_array(&session->work, nodes, sizeof *x, "positions", error);
  double(*v)[3] = moves ? work_array(&session->work, nodes, sizeof *v, "velocities", error) : NULL;
  const double(*moved)[3] = session->scene.twist == 0 && !fields ? NULL : (const double(*)[3])x;
  if (x) scene_start(&session->scene, &session->mesh, x);
  if (v) find_first_velocities(session, v);
  return x && (v || !moves) && (!fields || add_initial_fields(session, x, v, error)) &&
         (moves ? set_first_velocities(session, moved, v, error)
                : simulation_set_state(session->simulation, moved, NULL, error));
}

// Creates the simulation and, unless it exists, session->scene_form, which contains the mesh and surface of the scene.
static bool create_simulation(Session *session, Error *error) {
  if (!session_build(&session->mesh, &session->surface, NULL, &session->scene.simulation, session->pinned,
                     &session->simulation, error) ||
      !session_give_supports(session, session->form, session->pinned, session->simulation, error))
    return false;
  if (session->form) return true;
  session->scene_form = form_create(&session->mesh, &session->surface, error);
  session->form = form_hold(session->scene_form);
  return session->form;
}

// Starts CUDA's driver and the scene's GPU. Because the start takes time, a second thread runs this function while the
// mesh is read.
static void *wake_gpu(void *scene) {
  device_gpu_absence(scene_gpu(scene));
  return NULL;
}

// Fails if the body that the scene's shapes describe would not fit into memory.
static bool shapes_fit(const Scene *scene, Error *error) {
  double nodes = 0, tets = 0;
  for (int k = 0; k < scene->shape_count; k++) {
    double more[2];
    mesh_shape_counts(scene->shapes[k].kind, scene->shapes[k].size, scene->shapes[k].cells, &more[0], &more[1]);
    nodes += more[0];
    tets += more[1];
  }
  for (int k = 0; k < scene->body_count; k++) {
    const SceneShape *shape = &scene->bodies[k].shape;
    double more[2] = { 0, 0 };
    if (scene->bodies[k].has_shape) mesh_shape_counts(shape->kind, shape->size, shape->cells, &more[0], &more[1]);
    nodes += more[0];
    tets += more[1];
  }
  const int degree = scene->simulation.degree;
  nodes = memory_raised_nodes(nodes, tets, degree);
  return memory_check_counts(nodes, tets, cell_shape_find(3, true, degree), scene->simulation.matrix, error) ||
         error_prefix(error, "%s: %s", scene->path, scene->body_count ? "bodies" : "shapes");
}

static bool read_body(Session *session, Error *error) {
  pthread_t thread;
  const bool waking =
      strcmp(session->scene.device, "cpu") != 0 && pthread_create(&thread, NULL, wake_gpu, &session->scene) == 0;
  const bool reads = ranks_is_first(session->scene.simulation.ranks);
  const bool ok = !reads || (shapes_fit(&session->scene, error) && scene_body(&session->scene, &session->mesh, error));
  if (waking) pthread_join(thread, NULL);
  return session_distribute(session, ok, error);
}

// Fails if the scene names a method of this kind, such as a solver, that exists on no device. Runs before the mesh is
// read, because reading may take seconds. The message lists the methods of the kind. This list must not depend on the
// body's cells, which are not known yet. The list of assembly methods does, so their names are not checked here.
static bool check_name(Scene *scene, StageKind kind, const char *name, Error *error) {
  const SimulationSettings *s = &scene->simulation;
  if (!name[0]) return true;
  for (const Stage *row = NULL; (row = stage_after(row));)
    if (row->kind == kind && stage_is_named(row, name)) return true;

  // chooses the device only for the message, because this may start the GPU
  if (!scene_choose_device(scene, error)) return error_about(error, scene->path);
  const Device device = simulation_solver_device(s);
  const ElementRow *row = element_row(simulation_shape(s), s->material, DEVICE_CPU, s->precision);
  return !row || !device_present(device) || stage_choose(kind, name, device, s->precision, row->element, error) ||
         error_about(error, scene->path);
}

static bool check_names(Scene *scene, Error *error) {
  return check_name(scene, STAGE_SOLVER, scene->simulation.solver, error) &&
         check_name(scene, STAGE_OPERATOR, scene->simulation.matrix, error);
}

bool session_check_settings(Scene *scene, Error *error) {
  SimulationSettings s = scene->simulation;
  s.solver_device = SOLVER_DEVICE_SAME;  // the device of the body, with which it may not agree, is not chosen yet
  if (!scene_check_range(scene, error)) return false;
  if (!settings_check(&s, error)) return error_about(error, scene->path);
  return strcmp(s.solver, "petsc") == 0 || check_names(scene, error);  // engine "petsc" has a solver of its own
}

// Copies the velocities to the new simulation `made` if its mass matrix is of another kind (lumped or consistent).
// `made` has the momenta already, but with another mass matrix they belong to other velocities.
static bool keep_velocities(Session *session, Simulation *made, Error *error) {
  if (simulation_settings(made)->mass == simulation_settings(session->simulation)->mass) return true;
  double(*v)[3] = array_new(session->mesh.node_count, sizeof *v, "velocities", error);
  const bool ok = v && simulation_velocities(session->simulation, v, error) &&
                  simulation_set_velocities(made, (const double(*)[3])v, error);
  free(v);
  return ok;
}

// Moves bodies out of the floor and out of planes, before self-contact is switched on. Without self-contact they may
// have sunk in, but self-contact must begin with separate surfaces.
static bool lift_bodies(Session *session, Error *error) {
  double(*x)[3] = array_new(session->mesh.node_count, sizeof *x, "positions", error);
  const bool ok = x && simulation_state(session->simulation, x, NULL, error) &&
                  bodies_lift(&session->mesh, simulation_settings(session->simulation), session->pinned,
                              simulation_time(session->simulation), x, error) &&
                  simulation_set_state(session->simulation, (const double(*)[3])x, NULL, error);
  free(x);
  return ok;
}

// Writes the state of the simulation to memory. `state` receives the bytes. The caller frees state->at, also after a
// failure.
static bool save_state(Session *session, Bytes *state, Error *error) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *memory = memory_stream(&bytes, &size);
  if (!memory) return error_set(error, "out of memory: cannot store the state of the simulation; close other programs");
  bool ok = simulation_save(session->simulation, memory, error);
  if (fclose(memory) != 0)
    ok = error_set(error, "out of memory: cannot store the state of the simulation; close other programs");
  *state = (Bytes){ .at = (unsigned char *)bytes, .end = (unsigned char *)bytes + size };
  return ok;
}

// Moves given forces from the GPU to Session.given_force, since the simulation will be replaced.
static bool keep_forces(Session *session, Error *error) {
  double(*force)[3] = array_new(session->mesh.node_count, sizeof *force, "forces", error);
  const bool ok = force && session_given_forces(session, force, error) &&
                  session_give_forces(session, (const double(*)[3])force, error);
  free(force);
  return ok;
}

// Replaces the session's simulation by one with other settings, perhaps on another GPU, and keeps the present state. If
// self_contact was off and is now on, first moves bodies out of planes and the floor. After a failure nothing has
// changed.
static bool rebuild(Session *session, const SimulationSettings *settings, Error *error) {
  Bytes saved = { 0 }, lifted = { 0 };
  Simulation *made = NULL;
  SimulationSettings next = *settings;
  next.cuts = session_takes_cuts(session, session->form);
  const bool begins = next.self_contact && !simulation_settings(session->simulation)->self_contact;
  if (simulation_has_given_load(session->simulation) && !keep_forces(session, error)) return false;
  const bool lifts = begins && (next.has_floor || next.obstacle_count > 0);

  // writes the state to memory, and restores the new simulation from it
  bool ok = save_state(session, &saved, error);
  if (lifts) ok = ok && lift_bodies(session, error) && save_state(session, &lifted, error);
  Bytes state = lifts ? lifted : saved;
  ok = ok && scene_use_gpu(&next, error);
  ok = ok && simulation_create_numbered(&made, &session->mesh, session_numbering(session, &next), &next,
                                        session->pinned, error);
  ok = ok && session_give_supports(session, session->form, session->pinned, made, error);
  ok = ok && simulation_restore(made, &state, error);
  ok = ok && keep_velocities(session, made, error);
  ok = ok && session_reserve(session, made, error);

  Error second = { 0 };
  state = saved;
  if (!ok) {
    simulation_destroy(made);
    scene_use_gpu(simulation_settings(session->simulation), &second);
    if (lifts && state.at) simulation_restore(session->simulation, &state, &second);
  }

  free((void *)saved.at);
  free((void *)lifted.at);
  if (!ok) return false;

  simulation_destroy(session->simulation);
  session->simulation = made;
  session->replaced++;
  session->scene.simulation = next;
  if (session_is_loaded(session)) session->load_key = -1;  // the new simulation has no loads yet
  return true;
}

static bool mark_crossings(Session *session, Error *error) {
  double(*x)[3] = array_new(session->mesh.node_count, sizeof *x, "positions", error);
  const bool ok =
      x && simulation_state(session->simulation, x, NULL, error) &&
      crossing_marks_update(session->crossing_marks, (const double(*)[3])x, simulation_time(session->simulation),
                            session->crossing, &session->crossings, error);
  free(x);
  return ok;
}

// Replaces the simulation, which could not begin with self-contact, by one without.
static bool begin_without_contact(Session *session, Error *error) {
  simulation_destroy(session->simulation);
  session->simulation = NULL;
  if (!session->form) surface_destroy(&session->surface);
  session->scene.simulation.self_contact = false;
  return create_simulation(session, error) && start(session, error);
}

void session_forget_crossings(Session *session) {
  crossing_marks_destroy(session->crossing_marks);
  free(session->crossing);
  session->crossing_marks = NULL;
  session->crossing = NULL;
  session->crossings = 0;
}

// Marks nodes at intersections of surfaces, after begin_without_contact. Returns false if there are none, or if memory
// is short.
static bool find_crossings_at_start(Session *session) {
  Error ignored = { 0 };
  const SimulationSettings *settings = &session->scene.simulation;
  session->crossing = array_new(session->mesh.node_count, 1, "crossings", &ignored);
  if (session->crossing && crossing_marks_create(&session->crossing_marks, &session->mesh, settings, &ignored) &&
      mark_crossings(session, &ignored) && session->crossings > 0)
    return true;
  session_forget_crossings(session);
  return false;
}

// Creates the simulation in the scene's initial state. With self_contact, intersecting surfaces are an error, except in
// two cases. With Scene.shows_crossings, the simulation starts without self-contact, and nodes at intersections are
// marked. If the user has not asked for self_contact, it stays off.
static bool begin_simulation(Session *session, Error *error) {
  Scene *scene = &session->scene;
  Error why = { 0 }, ignored = { 0 };
  if (create_simulation(session, &why) && start(session, &why)) return true;

  // Tries again without self-contact, and finds out if surfaces intersect.
  const bool optional = scene->shows_crossings || !scene->contact_given;
  if (!scene->simulation.self_contact || !optional || interrupt_requested() ||
      !begin_without_contact(session, &ignored))
    return error_set(error, "%s", why.message);
  if (scene->shows_crossings && find_crossings_at_start(session)) {
    log_notice("%s: %s. The overlap is drawn red; self_contact is off until the overlap has ended", scene->path,
               why.message);
    return true;
  }
  if (scene->contact_given || !why.intersects) return error_set(error, "%s", why.message);
  session->contact_yields = false;
  log_notice("%s: %s, since contact cannot begin: %s", scene->path, scene_without_contact(scene), why.message);
  return true;
}

// If the scene started with intersecting surfaces, switches self-contact on as soon as the surfaces no longer
// intersect. If a body is then below a plane and the user has not asked for self_contact, it stays off.
static bool end_crossings(Session *session, Error *error) {
  SimulationSettings next = *simulation_settings(session->simulation);
  Error why = { 0 };
  if (!session->crossing_marks || next.self_contact) return true;
  if (!mark_crossings(session, error)) return false;
  if (session->crossings > 0) return true;
  next.self_contact = next.crosses_at_rest = true;
  next.assembly[0] = next.matrix[0] = next.solver[0] = 0;
  if (rebuild(session, &next, &why)) {
    log_notice("%s: there are no more overlaps; self_contact is now on", session->scene.path);
    return true;
  }
  if (session->scene.contact_given || !why.intersects) return error_set(error, "%s", why.message);
  session_forget_crossings(session);
  session->contact_yields = false;
  log_notice("%s: there are no more overlaps, but self_contact stays off: %s", session->scene.path, why.message);
  return true;
}

static bool read_obstacles(Session *session, Error *error) {
  SimulationSettings *s = &session->scene.simulation;
  for (int k = 0; k < s->obstacle_count; k++) {
    if (s->obstacles[k].kind != OBSTACLE_MESH) continue;
    if (!scene_surface_read(&session->scene, session->scene.obstacle_mesh[k], &session->obstacle_surface[k], error))
      return error_prefix(error, "obstacles entry %d", k + 1);
    s->obstacles[k].surface = session->obstacle_surface[k];
  }
  return true;
}

static bool find_masses(const Session *session, double density, Error *error) {
  if (session_has_all_cells(session)) mesh_lumped_mass(&session->mesh, density, session->mass);
  return session_send_nodal(session, true, session->mass, sizeof *session->mass, error);
}

// Creates the session's arrays, pins, initial state and simulation from its mesh and obstacles.
static bool create(Session *session, Error *error) {
  Scene *scene = &session->scene;
  TetMesh *mesh = &session->mesh;
  scene->simulation.hexes = mesh->hex;
  const char *feature = scene_choose_contact(scene);
  if (feature)
    log_notice(
        "%s: %s, since contact between surfaces is not possible with %s; \"self_contact\": false turns this notice off",
        scene->path, scene_without_contact(scene), feature);
  session->contact_yields = scene->simulation.self_contact && !scene->contact_given;
  if (scene->mesh_only) fit_to_mesh(session);
  session_notices(session);
  if (scene->simulation.self_contact && (scene->cut_count > 0 || scene->tear_stress > 0))
    return error_set(
        error,
        "%s: self_contact cannot be combined with cuts or tear_stress: both sides of a cut would touch; remove "
        "one of these keys",
        scene->path);
  if (mesh->hex && (scene->cut_count > 0 || scene->tear_stress > 0))
    return error_set(error, "%s: cuts and tear_stress need a body of tets; this body has hexahedra", scene->path);

  // sets settings that depend on the scene and the machine
  scene_expect_cuts(scene, &scene->simulation);
  scene->simulation.statics = scene->quasi_static;
  if (scene->quasi_static) memset(scene->simulation.gravity, 0, sizeof scene->simulation.gravity);
  if (!scene_choose_device(scene, error)) return false;
  char uneven[600];
  if (!scene->quasi_static && tet_sizes_notice(mesh, &scene->simulation, uneven, sizeof uneven))
    log_notice("%s: %s", scene->path, uneven);

  // allocates the arrays per node
  session->mass = array_new(mesh->node_count, sizeof *session->mass, "nodal masses", error);
  session->force = array_new(mesh->node_count, sizeof *session->force, "nodal forces", error);
  session->inside = array_new(mesh->node_count, 1, "nodes", error);
  session->pinned = array_new(mesh->node_count, 1, "pins", error);
  session->scene_pinned = array_new(mesh->node_count, 1, "pins", error);
  session->script_pinned = array_new(mesh->node_count, 1, "pins", error);
  bool ok = session->mass && session->force && session->inside && session->pinned && session->scene_pinned &&
            session->script_pinned;

  // sets masses and pins, then creates the simulation in its initial state
  ok = ok && find_masses(session, scene->simulation.density, error);
  ok = ok && session_script_pin(session, error);
  ok = ok && session_find_supports(session, error);
  ok = ok && session_check_overlaps(session, error);
  ok = ok && untangle(session, error);
  ok = ok && session_send_sum(session, error);
  if (ok) memcpy(session->script_pinned, session->pinned, (size_t)mesh->node_count);
  ok = ok && session_begin_read(session, error);
  if (ok) memcpy(session->scene_pinned, session->pinned, (size_t)mesh->node_count);
  ok = ok && begin_simulation(session, error);
  if (ok) session_notice_depths(session);

  const bool cuts = scene->cut_count > 0 || (ok && scene->tear_stress > 0 && simulation_tears(session->simulation));
  ok = ok && (!cuts || session_expect_cuts(session, error));
  return ok && session_script_begin(session, error) && session_script_restore(session, error);
}

bool session_create(Session *session, const Scene *scene, Error *error) {
  Session *made = array_new(1, sizeof *made, "the session", error);  // on the heap: a stack may be too small for it
  if (!made) return false;

  device_flush_denormals();
  sparse_copy(&made->scene, scene, sizeof *scene);
  for (int k = 0; k < scene->body_count; k++) made->body_constants[k] = scene_body_constants(scene, k);
  made->load_key = -1;
  made->cut_until = -HUGE_VAL;

  progress_set("reading the mesh", 0);
  const bool fits = scene_check_range(scene, error) && check_names(&made->scene, error);
  const bool read = fits && read_body(made, error) && read_obstacles(made, error), ok = read && create(made, error);
  made->scene.given_meshes = NULL;  // the meshes were copied, so the list is no longer needed
  if (ok)
    sparse_copy(session, made, sizeof *made);
  else
    session_destroy(made);
  free(made);
  return ok || (read && error_about(error, scene->path));
}

void session_destroy(Session *session) {
  simulation_destroy(session->simulation);
  crossing_marks_destroy(session->crossing_marks);
  free(session->crossing);
  for (int k = 0; k < OBSTACLES_MAX; k++) obstacle_surface_destroy(session->obstacle_surface[k]);
  if (session->form) {
    form_release(session->form);
    form_release(session->scene_form);
  } else {
    surface_destroy(&session->surface);
    mesh_destroy(&session->mesh);
  }
  if (session->division) mesh_division_destroy(session->division);
  free(session->division);
  free(session->mass);
  free(session->force);
  free(session->given_force);
  force_nodes_destroy(&session->force_nodes);
  free(session->inside);
  free(session->pinned);
  free(session->scene_pinned);
  free(session->script_pinned);
  free(session->motions);
  free(session->support);
  free(session->begin);
  work_arrays_destroy(&session->work);
  *session = (Session){ 0 };
}

// If a step was interrupted, ends the drags (springs that pull nodes along paths) that this step has started. Returns
// false.
static bool leave_step(Session *session, const StepReport *report) {
  if (report->cause == NEWTON_STOPPED) session_script_leave(session, session->drags_before);
  return false;
}

bool session_begin_step(Session *session, StepReport *report, Error *error) {
  const int64_t step = simulation_step_count(session->simulation) + 1;
  memcpy(session->drags_before, session->drag_ids, sizeof session->drags_before);
  if (!session_cut_by_script(session, error)) {
    if (interrupt_requested()) report->cause = NEWTON_STOPPED;
    return false;
  }
  return (session_script_apply(session, step, simulation_next_time(session->simulation), error) &&
          simulation_begin_step(session->simulation, error)) ||
         leave_step(session, report);
}

bool session_end_step(Session *session, StepReport *report, Error *error) {
  const int64_t step = simulation_step_count(session->simulation) + 1;
  if (!simulation_end_step(session->simulation, report, error)) return leave_step(session, report);

  // counts the steps without a Newton iteration, and the steps that did not converge
  session->stepped++;
  if (!end_crossings(session, error)) return false;
  if (report->newton_iterations == 0 && report->guessed == 0 && report->residual >= 0) {
    session->idle++;
    session->idle_residual = report->residual;
    session->idle_tolerance = report->tolerance;
  }
  if (!report->converged) {
    char why[400];
    newton_trouble_text(report, why, sizeof why);
    snprintf(session->trouble, sizeof session->trouble, "step %lld: %s", (long long)step, why);
    session->unconverged++;
  }
  return true;
}

bool session_step(Session *session, StepReport *report, Error *error) {
  return session_begin_step(session, report, error) && session_end_step(session, report, error);
}

bool session_give_forces(Session *session, const double (*force)[3], Error *error) {
  const int nodes = session->mesh.node_count;
  double(*made)[3] = force ? array_copy(force, nodes, sizeof *made, "forces", error) : NULL;
  if (force && !made) return false;
  if (!simulation_give_load(session->simulation, NULL, PRECISION_F64, error)) {
    free(made);
    return false;
  }
  session->loads_stale = session->loads_stale || made || session->given_force;
  free(session->given_force);
  session->given_force = made;
  return true;
}

bool session_give_forces_there(Session *session, const void *force, Precision precision, Error *error) {
  session->loads_stale = session->loads_stale || session->given_force;
  free(session->given_force);
  session->given_force = NULL;
  return simulation_give_load(session->simulation, force, precision, error);
}

bool session_given_forces(Session *session, double (*force)[3], Error *error) {
  const size_t bytes = sizeof *force * (size_t)session->mesh.node_count;
  if (simulation_has_given_load(session->simulation)) return simulation_given_load(session->simulation, force, error);
  if (session->given_force)
    memcpy(force, session->given_force, bytes);
  else
    memset(force, 0, bytes);
  return true;
}

bool session_adjust(Session *session, const SimulationSettings *settings, Error *error) {
  if (!simulation_adjust(session->simulation, settings, error)) return false;
  options_copy(simulation_options, APPLIES_LIVE, &session->scene.simulation, settings);
  return find_masses(session, settings->density, error);
}

bool session_switch(Session *session, const SimulationSettings *settings, Error *error) {
  SimulationSettings next = *simulation_settings(session->simulation);
  options_copy(simulation_options, APPLIES_ON_REBUILD, &next, settings);
  options_copy(simulation_options, APPLIES_TO_STAGE, &next, settings);
  next.gpu = settings->gpu;
  const SimulationSettings *now = simulation_settings(session->simulation);
  next.chosen = next.chosen && strcmp(next.assembly, now->assembly) == 0 && strcmp(next.matrix, now->matrix) == 0 &&
                strcmp(next.solver, now->solver) == 0;
  return rebuild(session, &next, error);
}

bool session_make_pusher(Session *session, double radius, bool *made, Error *error) {
  SimulationSettings next = *simulation_settings(session->simulation);
  *made = false;
  if (!next.self_contact)
    return error_set(
        error, "pushing with a ball needs self_contact, which keeps surfaces apart; start Pliant with --self-contact");
  if (next.pusher > 0) return true;
  next.pusher = radius;
  return *made = rebuild(session, &next, error);
}

bool session_pin(Session *session, const double X[3], double radius, Error *error) {
  const TetMesh *mesh = &session->mesh;
  Region ball = { .low = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL },
                  .high = { HUGE_VAL, HUGE_VAL, HUGE_VAL },
                  .has_ball = true,
                  .radius = radius };
  memcpy(ball.centre, X, sizeof ball.centre);

  // selects those nodes in the ball that belong to the body of the node nearest to X
  const int nearest = mesh_nearest_node(mesh, X);
  ball.of_body = mesh->body;
  ball.body = mesh_body(mesh, nearest);
  session_region(session, &ball, session->inside);
  session->inside[nearest] = 1;

  const uint8_t held = session->pinned[nearest] ? 0 : PIN_ALL;
  for (int a = 0; a < mesh->node_count; a++)
    if (session->inside[a]) session->pinned[a] = held;
  return simulation_set_pins(session->simulation, session->pinned, error);
}

bool session_unpin(Session *session, bool again, bool *changed, Error *error) {
  *changed = false;
  const size_t nodes = (size_t)session->mesh.node_count;

  // usually the pins are those of the scene
  if (session->form == session->scene_form && memcmp(session->pinned, session->scene_pinned, nodes) == 0) return true;
  for (int a = 0; a < session->mesh.node_count; a++) {
    const uint8_t of_scene = session->scene_pinned[form_first(session->form, a)];

    // The bit PIN_FOLLOWS of a node is 0 if session_pin has pinned the node, since it clears the bit.
    const uint8_t follows = session->pinned[a] & PIN_FOLLOWS;
    const uint8_t held = again ? (of_scene & ~PIN_FOLLOWS) | follows : session->pinned[a] & of_scene;
    *changed = *changed || held != session->pinned[a];
    session->pinned[a] = held;
  }
  return !*changed || simulation_set_pins(session->simulation, session->pinned, error);
}

void session_report_trouble(const Session *session) {
  char material[MATERIAL_ADVICE];
  material_advice(session->simulation ? simulation_settings(session->simulation) : &session->scene.simulation,
                  material);
  if (session->unconverged)
    log_notice("%lld step%s did not converge, and the simulation continued from %s%s%s",
               (long long)session->unconverged, session->unconverged == 1 ? "" : "s",
               session->unconverged == 1 ? "its result; it is " : "their results; the last of them is ",
               session->trouble, material);

  double mass = 0;
  const int torn = session->simulation ? session_torn(session, &mass) : 0;
  if (torn)
    log_notice("tets of the body that were torn out: %d of %d; their total mass is %.4g kg", torn,
               session->scene_form->mesh.tet_count, mass);

  const bool idle = session->idle > 0 && session->idle == session->stepped;
  if (idle && session->idle_residual == 0)
    log_notice(
        "%s: no force acts on the body, so nothing moves; set gravity, forces or drags, for example --gravity "
        "0,0,-9.81",
        session->scene.path);
  else if (idle)
    log_notice(
        "%s: Newton took no iteration in any step: the residual, %.3g kg m/s in the last step, was below the "
        "tolerance of %.3g kg m/s; use a smaller newton_relative or newton_absolute",
        session->scene.path, session->idle_residual, session->idle_tolerance);
}

bool session_begin_reset(Session *session, Error *error) {
  if (!session_take_form(session, session->scene_form, error)) return false;
  session->cut_until = -HUGE_VAL;
  for (int k = 0; k < session->scene.drag_count; k++) {
    if (session->drag_ids[k] && !simulation_release(session->simulation, session->drag_ids[k], error)) return false;
    session->drag_ids[k] = 0;
  }
  session->unconverged = session->stepped = session->idle = 0;
  energy_budget_begin(&session->budget);
  if (session->crossing_marks && simulation_settings(session->simulation)->self_contact) {
    // The surfaces of the initial state intersect, so self-contact is switched off again.
    SimulationSettings next = *simulation_settings(session->simulation);
    next.self_contact = false;
    if (!rebuild(session, &next, error)) return false;
  }
  return simulation_begin_reset(session->simulation, error);
}

bool session_end_reset(Session *session, Error *error) {
  return start(session, error) && session_script_restore(session, error) &&
         (!session->crossing_marks || mark_crossings(session, error));
}

bool session_reset(Session *session, Error *error) {
  return session_begin_reset(session, error) && simulation_end_reset(session->simulation, error) &&
         session_end_reset(session, error);
}
