// Cuts and tears the body of a running session, or returns to an earlier mesh: see session_form.h.
#include "scene/session_form.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gather.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/phases.h"
#include "base/timer.h"
#include "mesh/quadratic.h"
#include "scene/session_forces.h"
#include "scene/session_script.h"
#include "scene/session_supports.h"
#include "sim/simulation_tear.h"

// ---- creating a simulation and the surface of its mesh

static const NodeNumbering *form_numbering(const Form *form, const SimulationSettings *settings) {
  return form && form->numbering.order && form->order_kind == settings->order ? &form->numbering : NULL;
}

// Arguments and results of find_surface, which computes the surface of a mesh, if possible in a second thread.
typedef struct Surfacing {
  const TetMesh *mesh;
  Surface *surface;
  bool beside;  // true: find_surface runs in a second thread
  bool ok;
  Error error;
} Surfacing;

static void *find_surface(void *argument) {
  Surfacing *s = argument;
  if (s->beside) parallel_stay();
  s->ok = surface_create(s->surface, s->mesh, &s->error);
  return NULL;
}

bool session_build(const TetMesh *mesh, Surface *surface, const NodeNumbering *numbering,
                   const SimulationSettings *settings, const uint8_t *pinned, Simulation **made, Error *error) {
  Surfacing surfacing = { .mesh = mesh, .surface = surface, .beside = true };
  pthread_t thread;

  // Only process 0 has the whole mesh, and its surface.
  const bool there = surface->triangle || (settings->division && !ranks_is_first(settings->ranks));
  const bool beside = !there && pthread_create(&thread, NULL, find_surface, &surfacing) == 0;
  if (!there && !beside) {
    surfacing.beside = false;
    find_surface(&surfacing);
  }
  const bool ok = simulation_create_numbered(made, mesh, numbering, settings, pinned, error);
  if (beside) pthread_join(thread, NULL);
  return ok && (there || surfacing.ok || error_set(error, "%s", surfacing.error.message));
}

const NodeNumbering *session_numbering(const Session *session, const SimulationSettings *settings) {
  return form_numbering(session->form, settings);
}

// ---- replacing the session's mesh by another form of the body (form.h)

// Those arrays of the session that have an element per node, for one mesh of the body, such as the mesh after a cut.
typedef struct Arrays {
  double *mass, (*force)[3];
  uint8_t *inside, *pinned;
  ForceNodes force_nodes;
} Arrays;

static void arrays_destroy(Arrays *a) {
  free(a->mass);
  free(a->force);
  free(a->inside);
  free(a->pinned);
  force_nodes_destroy(&a->force_nodes);
}

// Allocates arrays with an element per node of `mesh`. The caller fills in the masses.
static bool arrays_create(Arrays *a, const TetMesh *mesh, Error *error) {
  a->mass = array_new(mesh->node_count, sizeof *a->mass, "nodal masses", error);
  a->force = array_new(mesh->node_count, sizeof *a->force, "nodal forces", error);
  a->inside = array_new(mesh->node_count, 1, "nodes", error);
  a->pinned = array_new(mesh->node_count, 1, "pins", error);
  return a->mass && a->force && a->inside && a->pinned;
}

// Computes pinned [node_count], the held axes of each node of the mesh `form`. If `from` is not NULL, node a gets the
// held axes of node from[a] of the present mesh. If `from` is NULL, nodes are matched by their original node, the node
// of the scene's mesh from which cuts have copied them: node a gets all axes that any present copy of its original node
// holds.
static bool move_pins(const Session *session, const Form *form, const int *from, uint8_t *pinned, Error *error) {
  const int nodes = form->mesh.node_count;
  if (from) gather_items(pinned, session->pinned, from, nodes, 1);
  if (from) return true;
  uint8_t *first = array_new(session->scene_form->mesh.node_count, 1, "pins", error);
  for (int a = 0; first && a < session->mesh.node_count; a++) first[form_first(session->form, a)] |= session->pinned[a];
  for (int a = 0; first && a < nodes; a++) pinned[a] = first[form_first(form, a)];
  free(first);
  return first;
}

// Replaces the session's form (mesh, surface and order of nodes) by `form`, and its arrays per node by `arrays`. The
// simulation must have the mesh of `form` already. Takes ownership of `arrays` and of the caller's reference to `form`.
static void enter(Session *session, Form *form, Arrays *arrays) {
  session->loads_stale = session->loads_stale || session->given_force;
  free(session->given_force);
  session->given_force = NULL;
  free(session->mass);
  free(session->force);
  free(session->inside);
  free(session->pinned);
  force_nodes_destroy(&session->force_nodes);
  session->mass = arrays->mass;
  session->force = arrays->force;
  session->inside = arrays->inside;
  session->pinned = arrays->pinned;
  session->force_nodes = arrays->force_nodes;
  form_release(session->form);
  session->form = form;
  session->form_changes++;
  session->mesh = form->mesh;
  session->surface = form->surface;
}

// Replaces the session's simulation by `made`, its form (mesh of the body) by `form`, and its arrays per node by
// `arrays`.
static void enter_with(Session *session, Simulation *made, Form *form, Arrays *arrays) {
  simulation_carry_profile(made, session->simulation);
  simulation_destroy(session->simulation);
  session->simulation = made;
  session->replaced++;
  if (session_is_loaded(session)) session->load_key = -1;  // the new simulation has no loads yet
  enter(session, form, arrays);
}

bool session_reserve(const Session *session, Simulation *simulation, Error *error) {
  return !session->expects_cuts ||
         (simulation_reserve(simulation, error) &&
          (session->scene.tear_stress == 0 || simulation_reserve_for_tears(simulation, error)));
}

bool session_expect_cuts(Session *session, Error *error) {
  session->expects_cuts = true;
  return session_reserve(session, session->simulation, error);
}

bool session_takes_cuts(const Session *session, const Form *form) {
  const Scene *scene = &session->scene;
  return scene->cut_count > 0 || scene->tear_stress > 0 || form != session->scene_form;
}

// Returns the settings for a simulation of the mesh `form`. They state whether the simulation must support cuts
// (`cuts`), which only some methods do. So if `cuts` changes on a GPU, methods that were chosen by default are chosen
// again. A cut body has no self-contact, since both sides of a cut would touch.
static SimulationSettings settings_of(const Session *session, const Form *form) {
  SimulationSettings s = *simulation_settings(session->simulation);
  const bool cuts = session_takes_cuts(session, form), touches = session->contact_yields ? !cuts : s.self_contact;
  const bool changes = (cuts != s.cuts && s.device == DEVICE_CUDA) || touches != s.self_contact;
  if (changes && s.chosen) s.assembly[0] = s.matrix[0] = s.solver[0] = 0;
  s.cuts = cuts;
  s.self_contact = touches;
  return s;
}

// Computes the masses of the nodes of `form`, kg, the scene's mesh or a mesh after cuts. After cuts, the masses are
// copied from the simulation, which updates them at each cut. Computing them from the mesh would round differently, and
// a run that continues from a checkpoint would not have the same bits.
static void weigh(const Session *session, const Form *form, const Simulation *simulation, double *mass) {
  if (form == session->scene_form)
    mesh_lumped_mass(&form->mesh, simulation_settings(simulation)->density, mass);
  else
    simulation_masses(simulation, mass);
}

bool session_take_form(Session *session, Form *form, Error *error) {
  if (form == session->form) return true;
  const SimulationSettings next = settings_of(session, form), *s = &next;
  const NodeNumbering *numbering = form_numbering(form, s);
  Arrays arrays = { 0 };
  Simulation *made = NULL;
  bool ok = arrays_create(&arrays, &form->mesh, error) && move_pins(session, form, NULL, arrays.pinned, error) &&
            force_nodes_list(session, &form->mesh, arrays.inside, &arrays.force_nodes, error);
  if (ok && session_build(&form->mesh, &form->surface, numbering, s, arrays.pinned, &made, error) &&
      session_give_supports(session, form, arrays.pinned, made, error) && session_reserve(session, made, error)) {
    weigh(session, form, made, arrays.mass);
    enter_with(session, made, form_hold(form), &arrays);
    return true;
  }
  simulation_destroy(made);
  arrays_destroy(&arrays);
  return false;
}

// ---- functions that cut the body along a blade

// Replaces the three nodes of the surface triangle that a pull by the mouse holds by their indices after a cut.
// from[a]: index that node a of the new mesh, or the node of which it is a copy, had before the cut. Nodes may have
// copies, so all three nodes are taken from one tet. Returns false if no tet contains the triangle any more.
static bool follow_triangle(const TetMesh *mesh, const int *from, int nodes[3]) {
  const int count = mesh_cell_nodes(mesh);
  for (int e = 0; e < mesh->tet_count; e++) {
    int found[3] = { -1, -1, -1 };
    for (int c = 0; c < count; c++) {
      const int node = c < 4 ? mesh->tet[e][c] : mesh->middle[e][c - 4];
      for (int k = 0; k < 3; k++)
        if (from[node] == nodes[k]) found[k] = node;
    }
    if (found[0] < 0 || found[1] < 0 || found[2] < 0) continue;
    memcpy(nodes, found, sizeof found);
    return true;
  }
  return false;
}

// Updates a pull (springs by which the mouse pulls a patch) after a cut. from[a]: index that node a of the new mesh had
// before the cut. Releases the pull if its picked triangle, or all nodes that its springs hold, were removed.
static bool follow_pull(const Session *session, const int *from, SessionPull *pull, Error *error) {
  if (!pull->id) return true;
  const int id = pull->id;
  if (simulation_grabs(session->simulation, id) && follow_triangle(&session->mesh, from, pull->nodes)) return true;
  pull->id = 0;
  return simulation_release(session->simulation, id, error);
}

static bool follow_pulls(Session *session, const int *from, Error *error) {
  int kept = 0;
  for (int k = 0; k < session->scene.drag_count; k++)
    if (session->drag_ids[k] > 0 && !simulation_grabs(session->simulation, session->drag_ids[k]))
      session_script_end_torn(session, k);
  if (session->mouse && !follow_pull(session, from, session->mouse, error)) return false;
  for (int k = 0; k < session->pull_count; k++) {
    SessionPull *pull = &session->pulls[k];
    if (!follow_pull(session, from, pull, error)) return false;
    if (pull->id) session->pulls[kept++] = *pull;
  }
  session->pull_count = kept;
  return true;
}

// Changes the mesh of the session's simulation to the mesh of `form`, the body after a cut. Does not create a new
// simulation, unlike make_anew.
static bool split(Session *session, const Form *form, const Separation *s, Arrays *arrays, Phases *phases,
                  Error *error) {
  if (session_is_loaded(session)) {  // all loads are removed, as in a new simulation
    if (!simulation_set_load(session->simulation, NULL, error)) return false;
    session->load_key = -1;
  }
  if (!simulation_split(session->simulation, &form->mesh, s->node_from, s->tet_from, s->copies, s->changed,
                        s->changed_count, phases, error))
    return false;
  simulation_masses(session->simulation, arrays->mass);
  return true;
}

// Creates a simulation of the mesh `form`, the body after a cut, and copies the session's present state to it.
static Simulation *make_anew(Session *session, Form *form, const Separation *s, Arrays *arrays, Phases *phases,
                             Error *error) {
  const SimulationSettings settings = settings_of(session, form);
  Simulation *made = NULL;
  bool ok = session_build(&form->mesh, &form->surface, &form->numbering, &settings, arrays->pinned, &made, error);
  if (ok) weigh(session, form, made, arrays->mass);
  phases_end(phases, "simulation");
  ok = ok && session_give_supports(session, form, arrays->pinned, made, error) &&
       simulation_carry(made, session->simulation, s->node_from, error) && session_reserve(session, made, error);
  phases_end(phases, "state");
  if (ok) return made;
  simulation_destroy(made);
  return NULL;
}

// Computes the surface of `form`, the body after a cut or tear, from the surface of `was`, the body before. If `opened`
// is not NULL, a cut has opened the faces between tets that it marks. Otherwise the tets that `removed` marks were torn
// out.
static bool follow_surface(Form *form, const Form *was, const Separation *s, const uint8_t *opened,
                           const uint8_t *removed, Error *error) {
  if (opened) return surface_open(&form->surface, &form->mesh, opened, &was->surface, &was->mesh, error);
  return surface_tear(&form->surface, &form->mesh, s->gone, s->gone_count, removed, &was->surface, &was->mesh, error);
}

// Continues the session with the mesh in `separation`. After a cut, opened [tet_count] has bits for the faces of each
// tet that the cut has opened, and `removed` is NULL. After tearing, removed [tet_count] is 1 for tets that were torn
// out, and `opened` is NULL.
static bool go_on(Session *session, Separation *separation, const uint8_t *opened, const uint8_t *removed,
                  Phases *phases, Error *error) {
  const MeshOrder order = simulation_settings(session->simulation)->order;
  const bool splits = (opened ? simulation_splits : simulation_tears)(session->simulation);
  Arrays arrays = { 0 };
  Simulation *made = NULL;
  NodeNumbering numbering;
  if (!simulation_numbering(session->simulation, splits && removed, &numbering, error)) return false;

  // creates the form, which contains the mesh after the cut, and the arrays per node
  Form *form = form_separate(session->form, separation, &numbering, splits, order, error);
  node_numbering_destroy(&numbering);
  phases_end(phases, "form");
  const Form *was = session->form;
  bool ok = form;
  ok = ok && follow_surface(form, was, separation, opened, removed, error);
  ok = ok && arrays_create(&arrays, &form->mesh, error);
  ok = ok && move_pins(session, form, separation->node_from, arrays.pinned, error);
  ok = ok && force_nodes_list(session, &form->mesh, arrays.inside, &arrays.force_nodes, error);
  phases_end(phases, "surface");

  // changes the present simulation if its methods support this; otherwise creates a new one
  ok = ok && (splits ? split(session, form, separation, &arrays, phases, error)
                     : (made = make_anew(session, form, separation, &arrays, phases, error)) != NULL);
  if (ok) {
    if (made)
      enter_with(session, made, form, &arrays);
    else
      enter(session, form, &arrays);
    ok = follow_pulls(session, separation->node_from, error);
    phases_end(phases, "rest");
    return ok;
  }

  arrays_destroy(&arrays);
  form_release(form);
  return false;
}

bool session_may_be_cut(const Session *session, Error *error) {
  if (session->mesh.hex) return error_set(error, "a body of hexahedra cannot be cut; only bodies of tets can");
  if (session->mesh.outer) return error_set(error, "a body of degree 3 cannot be cut; set degree to 1 or 2");
  const bool touches = simulation_settings(session->simulation)->self_contact || session->crossing_marks;
  return !touches || session->contact_yields ||
         error_set(error,
                   "a body with self_contact cannot be cut: both sides of a cut would touch; set self_contact "
                   "to false");
}

// Writes the duration of a cut and of its phases as text, such as "; 40.2 ms (faces 38.0, ...)". The text is empty
// unless the user wants details.
static void time_text(double seconds, const Phases *phases, char *text, size_t size) {
  char parts[360];
  text[0] = '\0';
  if (!log_details()) return;
  phases_text(phases, parts, sizeof parts);
  snprintf(text, size, "; %.1f ms%s", 1e3 * seconds, parts);
}

bool session_cut(Session *session, const Blade *blade, CutReport *report, Error *error) {
  const TetMesh *mesh = &session->mesh;
  const double begin = timer_seconds();
  char text[400];
  *report = (CutReport){ 0 };
  if (!session_may_be_cut(session, error) || !blade_check(blade, "a cut", error)) return false;
  const bool touched = simulation_settings(session->simulation)->self_contact;
  Separation separation = { 0 };
  Phases phases;
  phases_begin(&phases);

  // finds the faces that the blade crosses, with nodes at their present positions
  double(*x)[3] = array_new(mesh->node_count, sizeof *x, "positions", error);
  uint8_t *opened = array_new(mesh->tet_count, 1, "cut faces", error);
  bool ok = x && opened && simulation_state(session->simulation, x, NULL, error);
  phases_end(&phases, "positions");
  ok = ok && mesh_find_opened(mesh, (const double(*)[3])x, blade, opened, &report->opened, error);
  phases_end(&phases, "faces");

  // separates the mesh at these faces, which opens them, and continues with the new mesh
  if (ok && report->opened) {
    ok = mesh_separate(&separation, mesh, opened, NULL, error);
    phases_end(&phases, "mesh");
    report->copies = separation.copies;
    report->vanished = separation.vanished;
    if (ok && separation.copies > 0 && session->crossing_marks) {
      session_forget_crossings(session);
      session->contact_yields = false;
    }
    ok = ok && (separation.copies == 0 || go_on(session, &separation, opened, NULL, &phases, error));
  }

  free(x);
  free(opened);
  separation_destroy(&separation);
  report->seconds = timer_seconds() - begin;
  time_text(report->seconds, &phases, text, sizeof text);
  if (ok && report->copies)
    log_notice("cut at %.4g s; faces opened: %d; nodes added: %d%s", simulation_time(session->simulation),
               report->opened, report->copies, text);
  if (touched && ok && report->copies)
    log_notice("bodies pass through each other while one of them is cut, since both sides of a cut would touch");
  return ok;
}

// ---- functions that remove cells whose stress exceeds tear_stress

static bool tear(Session *session, Error *error) {
  const Scene *scene = &session->scene;
  const double begin = timer_seconds();
  if (scene->tear_stress == 0) return true;
  if (!session_may_be_cut(session, error)) return error_prefix(error, "tear_stress");
  const FieldKind measure = scene->tear_by == TEAR_VON_MISES ? FIELD_VON_MISES : FIELD_PRINCIPAL;
  Separation separation = { 0 };
  Phases phases;
  char text[400];
  uint8_t *torn;
  int count;
  phases_begin(&phases);

  bool ok = simulation_find_torn(session->simulation, measure, scene->tear_stress, &torn, &count, error);
  phases_end(&phases, "stresses");
  if (ok && count > 0) {
    ok = mesh_separate(&separation, &session->mesh, NULL, torn, error);
    phases_end(&phases, "mesh");
    const int copies = separation.copies, vanished = separation.vanished;
    ok = ok && go_on(session, &separation, NULL, torn, &phases, error);
    time_text(timer_seconds() - begin, &phases, text, sizeof text);
    if (ok)
      log_notice("torn at %.4g s; tets removed: %d; nodes added: %d; nodes removed: %d%s",
                 simulation_time(session->simulation), count, copies, vanished, text);
  }

  free(torn);
  separation_destroy(&separation);
  return ok || error_prefix(error, "tear_stress");
}

int session_torn(const Session *session, double *mass) {
  const TetMesh *mesh = &session->scene_form->mesh;
  double left = 0, whole = 0;
  const double density = simulation_settings(session->simulation)->density;
  for (int a = 0; a < session->mesh.node_count; a++) left += session->mass[a];
  for (int e = 0; e < mesh->tet_count; e++) {
    const double own = mesh->density ? mesh->density[e] : NAN;
    whole += (isnan(own) ? density : own) * mesh_tet_volume(mesh, e);
  }
  *mass = whole - left;
  return mesh->tet_count - session->mesh.tet_count;
}

// ---- function that makes the cuts of the scene at their given times

bool session_cut_by_script(Session *session, Error *error) {
  const Scene *scene = &session->scene;
  const double dt = simulation_settings(session->simulation)->dt;
  const double now = simulation_time(session->simulation) + 1e-6 * dt, until = session->cut_until;
  CutReport report;
  for (int k = 0; k < scene->cut_count; k++) {
    const SceneCut *cut = &scene->cuts[k];
    if (cut->time > now || cut->time <= until) continue;
    if (!session_cut(session, &cut->blade, &report, error)) return error_prefix(error, "cuts entry %d", k + 1);
    if (report.opened == 0)
      log_notice("%s: cuts entry %d opens no face: it does not cross the body at %.4g s", scene->path, k + 1,
                 simulation_time(session->simulation));
  }
  session->cut_until = now;
  return tear(session, error);
}
