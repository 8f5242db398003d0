// Observables, quantities of a running scene such as energies: see observable.h. To add one, add a row to the table at
// the end of this file, with a function that computes it.
#include "scene/observable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/meant.h"
#include "base/number.h"
#include "base/ranks.h"
#include "mesh/curved_volume.h"
#include "scene/json_file.h"
#include "scene/patch.h"
#include "scene/scene_bodies.h"
#include "scene/session_script.h"
#include "sim/report/surface_distance.h"

// ---- data that several observables need, computed when first needed

static bool need_energy(Observed *o, Error *error) {
  if (!o->has_energy && !simulation_energy(o->session->simulation, &o->energy, error)) return false;
  return o->has_energy = true;
}

static bool need_positions(Observed *o, Error *error) {
  if (o->x) return true;
  o->x = array_new(o->session->mesh.node_count, sizeof *o->x, "positions", error);
  return o->x && simulation_state(o->session->simulation, o->x, NULL, error);
}

static bool need_reactions(Observed *o, Error *error) {
  return o->reactions.force || simulation_reactions(o->session->simulation, &o->reactions, error);
}

static bool need_contacts(Observed *o, Error *error) {
  if (!o->has_contacts && !contact_of_bodies(o->session->simulation, &o->contacts, &o->contact_count, error))
    return false;
  return o->has_contacts = true;
}

static bool need_loads(Observed *o, Error *error) {
  const int nodes = o->session->mesh.node_count;
  if (o->push) return true;
  o->load = array_new(nodes, sizeof *o->load, "contact forces", error);
  o->push = o->load ? array_new(nodes, sizeof *o->push, "contact forces", error) : NULL;
  return o->push && contact_loads_on_nodes(o->session->simulation, o->load, o->push, error);
}

// ---- functions of the table: reports of steps, energies, positions

#define EVALUATE(name) \
  static bool name(const Observable *row, Observed *o, ObservedSubject *subject, double *value, Error *error)

EVALUATE(report_count) {
  (void)subject, (void)error;
  value[0] = *(const int *)((const char *)o->report + row->offset);
  return true;
}

EVALUATE(report_flag) {
  (void)subject, (void)error;
  value[0] = *(const bool *)((const char *)o->report + row->offset);
  return true;
}

EVALUATE(report_number) {
  (void)subject, (void)error;
  value[0] = *(const double *)((const char *)o->report + row->offset);
  return true;
}

EVALUATE(member_of_energy) {
  (void)subject;
  if (!need_energy(o, error)) return false;
  memcpy(value, (const char *)&o->energy + row->offset, sizeof *value * (size_t)row->size);
  return true;
}

EVALUATE(total_energy) {
  (void)row, (void)subject;
  if (!need_energy(o, error)) return false;
  value[0] = o->energy.kinetic + o->energy.elastic + o->energy.potential;
  return true;
}

// Computes the change of energy by the integrator, damping and friction since the first evaluation, J: see
// energy_budget.h.
EVALUATE(energy_change) {
  (void)row, (void)subject;
  EnergyBudget *budget = &o->session->budget;
  if (!energy_budget_update(budget, o->session->simulation, &o->energy, error)) return false;
  o->has_energy = true;
  value[0] = budget->change;
  return true;
}

EVALUATE(spin_change) {
  (void)row, (void)subject;
  EnergyBudget *budget = &o->session->budget;
  if (!o->has_spin && !energy_budget_update_spin(budget, o->session->simulation, error)) return false;
  value[0] = budget->spin_change;
  return true;
}

// Computes the potential energy of the body in gravity, J: minus the sum of mass * (gravity . displacement) over all
// nodes. mesh_weight computes the nodal masses.
EVALUATE(gravitational_energy) {
  (void)row, (void)subject;
  const TetMesh *mesh = &o->session->mesh;
  const SimulationSettings *s = simulation_settings(o->session->simulation);
  double *weight = array_new(mesh->node_count, sizeof *weight, "nodal masses", error);
  const bool ok = weight && need_positions(o, error);
  if (ok) mesh_weight(mesh, s->density, weight);
  for (int a = 0; ok && a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) value[0] -= weight[a] * s->gravity[i] * (o->x[a][i] - mesh->X[a][i]);
  free(weight);
  return ok;
}

// Computes the volume of the deformed body, m^3.
EVALUATE(volume) {
  (void)row, (void)subject;
  if (!need_positions(o, error)) return false;
  TetMesh now = o->session->mesh;
  now.X = o->x;
  return mesh_curved_volume(&now, value, error);
}

// Computes the position, m, of the node that has the number subject->tag in the mesh file. The position is NAN if
// tearing has removed the node.
EVALUATE(node_position) {
  (void)row;
  const int node = mesh_find_node(&o->session->mesh, subject->tag);
  if (!need_positions(o, error)) return false;
  for (int i = 0; i < 3; i++) value[i] = node < 0 ? NAN : o->x[node][i];
  return true;
}

EVALUATE(patch_centre) {
  (void)row;
  uint8_t *inside = o->session->inside;
  const int count = session_region(o->session, &subject->region, inside);
  if (!need_positions(o, error)) return false;
  for (int a = 0; a < o->session->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) value[i] += inside[a] ? o->x[a][i] : 0;
  for (int i = 0; i < 3; i++) value[i] /= count;
  return true;
}

// ---- functions of the table: patches of the surface

static bool find_faces(const Observed *o, const ObservedSubject *subject, Patch *patch, Error *error) {
  return patch_find(patch, &o->session->scene, &o->session->mesh, &subject->region, error);
}

EVALUATE(patch_area) {
  (void)row;
  Patch patch;
  const bool ok = find_faces(o, subject, &patch, error);
  value[0] = patch.faces.count > 0 ? patch.area : NAN;
  patch_destroy(&patch);
  return ok;
}

EVALUATE(patch_displacement) {
  (void)row;
  const TetMesh *mesh = &o->session->mesh;
  Patch patch;
  double rest[3];
  const bool ok = need_positions(o, error) && find_faces(o, subject, &patch, error);
  if (!o->x) return false;
  if (ok) patch_mean(&patch, mesh, (const double(*)[3])o->x, value);
  if (ok) patch_mean(&patch, mesh, (const double(*)[3])mesh->X, rest);
  for (int i = 0; ok && i < 3; i++) value[i] -= rest[i];
  patch_destroy(&patch);
  return ok;
}

EVALUATE(patch_velocity) {
  (void)row;
  const TetMesh *mesh = &o->session->mesh;
  Patch patch;
  double(*v)[3] = array_new(mesh->node_count, sizeof *v, "velocities", error);
  const bool ok = find_faces(o, subject, &patch, error) && v && simulation_velocities(o->session->simulation, v, error);
  if (ok) patch_mean(&patch, mesh, (const double(*)[3])v, value);
  patch_destroy(&patch);
  free(v);
  return ok;
}

// Computes the mean of a field over a patch: stress, Pa, or det F.
static bool mean_field(Observed *o, const ObservedSubject *subject, FieldKind field, double *value, Error *error) {
  Patch patch;
  if (!need_positions(o, error)) return false;
  const bool ok = find_faces(o, subject, &patch, error) &&
                  patch_mean_field(&patch, &o->session->mesh, (const double(*)[3])o->x,
                                   simulation_settings(o->session->simulation), field, value, error);
  patch_destroy(&patch);
  return ok;
}

EVALUATE(patch_von_mises) {
  (void)row;
  return mean_field(o, subject, FIELD_VON_MISES, value, error);
}

EVALUATE(patch_principal) {
  (void)row;
  return mean_field(o, subject, FIELD_PRINCIPAL, value, error);
}

EVALUATE(patch_J) {
  (void)row;
  return mean_field(o, subject, FIELD_J, value, error);
}

// Sums the contact forces, N, on the nodes of a patch (row->size 3), or the magnitudes of their normal parts.
EVALUATE(patch_contact) {
  Patch patch;
  if (!need_loads(o, error)) return false;
  const bool ok = find_faces(o, subject, &patch, error);
  for (int a = 0; ok && a < o->session->mesh.node_count; a++)
    for (int i = 0; patch.on[a] && i < row->size; i++) value[i] += row->size == 3 ? o->load[a][i] : o->push[a];
  for (int i = 0; ok && patch.faces.count == 0 && i < row->size; i++) value[i] = NAN;
  patch_destroy(&patch);
  return ok;
}

// ---- functions of the table: forces and work of pins and drags

// Nodes of a region, and the axes along which forces on them are added.
typedef struct Holder {
  const uint8_t *inside;  // [node_count] 1: the node is in the region
  uint8_t held;           // axes along which forces are added: PIN_X, PIN_Y and PIN_Z as bits
} Holder;

// Computes the mean position of the nodes in holder->inside, m.
static void centre_of(const Observed *o, const Holder *holder, double centre[3]) {
  int count = 0;
  centre[0] = centre[1] = centre[2] = 0;
  for (int a = 0; a < o->session->mesh.node_count; a++) {
    if (!holder->inside[a]) continue;
    for (int i = 0; i < 3; i++) centre[i] += o->x[a][i];
    count++;
  }
  for (int i = 0; i < 3; i++) centre[i] /= count > 0 ? count : 1;
}

// Sums forces over the nodes in holder->inside. Only components along the axes in holder->held are used. Adds the sum
// to `total`, N, and the sum of the moments about the point `about` to `moment`, N m. force [node_count], N: force on
// each node. x [node_count], m: position of each node.
static void add_up(const Observed *o, const Holder *holder, const double (*force)[3], const double (*x)[3],
                   const double about[3], double total[3], double moment[3]) {
  for (int a = 0; a < o->session->mesh.node_count; a++) {
    double f[3], arm[3];
    if (!holder->inside[a]) continue;
    for (int i = 0; i < 3; i++) {
      f[i] = pin_holds(holder->held, i) ? force[a][i] : 0;
      arm[i] = x[a][i] - about[i];
      total[i] += f[i];
    }
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      moment[i] += arm[j] * f[k] - arm[k] * f[j];
    }
  }
}

// Computes the kinetic energy of the nodes in holder->inside, J, counting only motion along the axes in holder->held.
static bool kinetic_energy(Observed *o, const Holder *holder, double *kinetic, Error *error) {
  const int nodes = o->session->mesh.node_count;
  double(*v)[3] = array_new(nodes, sizeof *v, "velocities", error);
  double(*p)[3] = array_new(nodes, sizeof *p, "momenta", error);
  const bool ok = v && p && simulation_velocities(o->session->simulation, v, error) &&
                  simulation_state(o->session->simulation, NULL, p, error);
  *kinetic = 0;
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++)
      if (holder->inside[a] && pin_holds(holder->held, i)) *kinetic += 0.5 * p[a][i] * v[a][i];
  free(v), free(p);
  return ok;
}

// Copies pin number subject->entry of the scene to *listed. Returns the nodes in its region, and the axes that it
// holds.
static Holder pin_holder(Observed *o, const ObservedSubject *subject, ListedPin *listed) {
  scene_pin(&o->session->scene, subject->entry, listed);
  session_region(o->session, &listed->pin.region, o->session->inside);
  return (Holder){ o->session->inside, listed->pin.held };
}

// Sums the constraint forces on the nodes in holder->inside, N, and their moments about the nodes' mean position, N m.
// The positions of these nodes must be prescribed exactly, without springs.
static bool sum_reactions(Observed *o, const Holder *holder, double force[3], double moment[3], Error *error) {
  double centre[3];
  if (!need_reactions(o, error) || !need_positions(o, error)) return false;
  const Reactions *r = &o->reactions;
  centre_of(o, holder, centre);
  add_up(o, holder, (const double(*)[3])r->force, (const double(*)[3])o->x, centre, force, moment);
  add_up(o, holder, (const double(*)[3])r->inertia, (const double(*)[3])r->from, centre, force, moment);
  return true;
}

EVALUATE(pin_reaction) {
  (void)row;
  ListedPin listed;
  double moment[3] = { 0 };
  const Holder holder = pin_holder(o, subject, &listed);
  return sum_reactions(o, &holder, value, moment, error);
}

EVALUATE(pin_moment) {
  (void)row;
  ListedPin listed;
  double force[3] = { 0 };
  const Holder holder = pin_holder(o, subject, &listed);
  return sum_reactions(o, &holder, force, value, error);
}

// Adds to s->sum the work, J, that a moving pin or drag has done since the last evaluation. The work is force times
// displacement plus moment times rotation, by the trapezoidal rule, plus the change of the kinetic energy of the moved
// nodes. The last term is needed because `force` does not include the force that accelerates these nodes. The first
// evaluation adds nothing.
static void add_work(ObservedSubject *s, const double force[3], const double moment[3], const double offset[3],
                     const double axis[3], double degrees, double kinetic) {
  for (int i = 0; i < 3; i++) {
    const double turned = axis[i] * (degrees - s->degrees) * (acos(-1.0) / 180);
    s->sum += 0.5 * (s->force[i] + force[i]) * (offset[i] - s->offset[i]) + 0.5 * (s->moment[i] + moment[i]) * turned;
    s->force[i] = force[i], s->moment[i] = moment[i], s->offset[i] = offset[i];
  }
  s->sum += kinetic - s->kinetic;
  if (!s->started) s->sum = 0;
  s->started = true, s->degrees = degrees, s->kinetic = kinetic;
}

// Computes the work of a moving pin, J. The pin moves along a path and rotates about an axis, which moves with it.
// Moments are taken about a point on this axis.
EVALUATE(pin_work) {
  (void)row;
  ListedPin listed;
  double force[3] = { 0 }, moment[3] = { 0 }, offset[3], about[3], kinetic;
  if (!need_reactions(o, error) || !need_positions(o, error)) return false;
  const Holder holder = pin_holder(o, subject, &listed);
  const RigidMotion *motion = &listed.pin.motion;
  motion_offset(motion, o->time, offset);
  for (int i = 0; i < 3; i++) about[i] = motion->spin.about[i] + offset[i];
  add_up(o, &holder, (const double(*)[3])o->reactions.force, (const double(*)[3])o->x, about, force, moment);
  if (!kinetic_energy(o, &holder, &kinetic, error)) return false;
  add_work(subject, force, moment, offset, motion->spin.axis, motion_degrees(motion, o->time), kinetic);
  value[0] = subject->sum;
  return true;
}

// A drag pulls the nodes of a region. Returns these nodes, with all three axes, since a drag acts along each of them.
static Holder drag_holder(Observed *o, const ObservedSubject *subject) {
  session_region(o->session, &o->session->scene.drags[subject->entry].region, o->session->inside);
  return (Holder){ o->session->inside, PIN_ALL };
}

// Computes the force, N, of a drag, which pulls nodes along a path; 0 while the drag is inactive. dampers: with the
// forces of its dampers.
static bool force_of_drag(const Observed *o, int entry, bool dampers, double value[3], Error *error) {
  const int id = o->session->drag_ids[entry];
  return id <= 0 || simulation_grab_force(o->session->simulation, id, dampers, value, error);
}

EVALUATE(drag_force) {
  (void)row;
  return force_of_drag(o, subject->entry, true, value, error);
}

// Returns true if a drag prescribes the positions of its nodes, without springs.
static bool drag_is_exact(const SceneDrag *drag) {
  return !drag->region.has_ball && drag->stiffness == 0;
}

EVALUATE(drag_moment) {
  (void)row;
  const int id = o->session->drag_ids[subject->entry], nodes = o->session->mesh.node_count;
  double centre[3], force[3] = { 0 };
  if (id <= 0) return true;
  const Holder holder = drag_holder(o, subject);
  if (drag_is_exact(&o->session->scene.drags[subject->entry])) return sum_reactions(o, &holder, force, value, error);
  double(*all)[3] = array_new(nodes, sizeof *all, "forces", error);
  const bool ok =
      all && need_positions(o, error) && simulation_grab_forces(o->session->simulation, id, true, all, error);
  if (ok) {
    centre_of(o, &holder, centre);
    add_up(o, &holder, (const double(*)[3])all, (const double(*)[3])o->x, centre, force, value);
  }
  free(all);
  return ok;
}

// Computes the work, J, of a drag, which pulls nodes along a path: the force of the drag, integrated along this path.
// Its dampers do not move along the path. An inactive drag does no work.
EVALUATE(drag_work) {
  (void)row;
  static const double none[3] = { 0, 0, 0 };
  Session *session = o->session;
  const SceneDrag *drag = &session->scene.drags[subject->entry];
  const bool exact = drag_is_exact(drag), active = session->drag_ids[subject->entry] > 0;
  double force[3] = { 0 }, moment[3] = { 0 }, offset[3], kinetic = 0;
  if (exact && active) {
    if (!need_reactions(o, error) || !need_positions(o, error)) return false;
    const Holder holder = drag_holder(o, subject);
    add_up(o, &holder, (const double(*)[3])o->reactions.force, (const double(*)[3])o->x, none, force, moment);
  } else if (!force_of_drag(o, subject->entry, false, force, error)) {
    return false;
  }
  if (exact) {
    const Holder holder = drag_holder(o, subject);
    if (!kinetic_energy(o, &holder, &kinetic, error)) return false;
    if (!active) subject->kinetic = kinetic;
  }
  session_drag_offset(drag, simulation_time(session->simulation), offset);
  add_work(subject, force, none, offset, none, 0, kinetic);
  value[0] = subject->sum;
  return true;
}

// ---- functions of the table: forces of the mouse and of contacts

// Computes the sum of the forces, N, of the mouse's pull and of all kept pulls, which continue after the mouse is
// released.
EVALUATE(hand_force) {
  (void)row, (void)subject;
  const Session *session = o->session;
  for (int k = 0; k <= session->pull_count; k++) {
    const SessionPull *pull = k < session->pull_count ? &session->pulls[k] : session->mouse;
    double force[3] = { 0 };
    if (!pull || !pull->id) continue;
    if (!simulation_grab_force(session->simulation, pull->id, true, force, error)) return false;
    for (int i = 0; i < 3; i++) value[i] += force[i];
  }
  return true;
}

EVALUATE(contact_push) {
  (void)row, (void)subject;
  if (!need_contacts(o, error)) return false;
  for (int k = 0; k < o->contact_count; k++) value[0] += o->contacts[k].push;
  return true;
}

// Computes the contact force, N, that the second body of a pair exerts on the first one. The pair, such as
// "ball/floor", is given by subject->body.
EVALUATE(contact_force) {
  (void)row;
  if (!need_contacts(o, error)) return false;
  for (int k = 0; k < o->contact_count; k++) {
    const BodyContact *c = &o->contacts[k];
    const bool same = c->body[0] == subject->body[0] && c->body[1] == subject->body[1];
    const bool turned = c->body[0] == subject->body[1] && c->body[1] == subject->body[0];
    for (int i = 0; i < 3; i++) value[i] += same ? c->force[i] : turned ? -c->force[i] : 0;
  }
  return true;
}

EVALUATE(contact_magnitude) {
  double force[3] = { 0 };
  if (!contact_force(row, o, subject, force, error)) return false;
  value[0] = hypot(hypot(force[0], force[1]), force[2]);
  return true;
}

// Computes the distance, m, between the two bodies of a pair, or between the nodes of a body and an obstacle.
EVALUATE(pair_distance) {
  (void)row;
  const Session *session = o->session;
  const SimulationSettings *s = simulation_settings(session->simulation);
  const int first = subject->body[0] < 0 ? 1 : 0, a = subject->body[first], b = subject->body[1 - first];
  if (!need_positions(o, error)) return false;
  const double(*x)[3] = (const double(*)[3])o->x;
  if (b >= 0) return surface_distance(&session->mesh, &session->surface, x, a, b, value, error);
  Obstacle obstacle = { .kind = OBSTACLE_PLANE,
                        .centre = { 0, 0, s->floor_height },
                        .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  if (b != CONTACT_FLOOR) obstacle = s->obstacles[-1 - b];
  obstacle_place(&obstacle, o->time);
  value[0] = surface_distance_of_nodes(&session->mesh, &session->surface, x, a, &obstacle);
  return true;
}

// ---- functions that find the part of the scene to which the text after a colon refers: node 17 for "position:17"

// Returns the value of a text that is a whole number of at least `low`, otherwise -1.
static int64_t whole_number(const char *text, int64_t low) {
  char *after;
  const long long number = strtoll(text, &after, 10);
  return after == text || *after || number < low ? -1 : number;
}

static bool find_node(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  subject->tag = whole_number(text, 0);
  subject->is_gone = mesh_find_node(&session->mesh, subject->tag) < 0;
  if (subject->tag >= 0 && !subject->is_gone) return true;
  if (subject->tag >= 0 && mesh_find_node(&session->scene_form->mesh, subject->tag) >= 0) return true;
  return error_set(error, "%s: the mesh has no node %s; nodes have the numbers of the mesh file", session->scene.path,
                   text);
}

// Finds the pin that a text names, by its name or its number in the list.
static bool find_pin(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  ListedPin listed;
  snprintf(subject->list, sizeof subject->list, "pins");
  for (int k = 0; scene_pin(&session->scene, k, &listed); k++) {
    subject->entry = k;
    subject->is_named = strcmp(text, listed.pin.name) == 0;
    if (subject->is_named) return true;
  }
  subject->entry = (int)fmin((double)whole_number(text, 1), INT32_MAX) - 1;
  if (subject->entry >= 0 && scene_pin(&session->scene, subject->entry, &listed)) return true;
  return error_set(error,
                   "%s: the list pins has no entry %s; give the \"name\" of an entry or its number, counted from 1",
                   session->scene.path, text);
}

// Finds the drag that a text names, by its name or its number in the list.
static bool find_drag(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  const int64_t number = whole_number(text, 1);
  snprintf(subject->list, sizeof subject->list, "drags");
  for (int k = 0; k < session->scene.drag_count; k++) {
    subject->entry = k;
    subject->is_named = strcmp(text, session->scene.drags[k].name) == 0;
    if (subject->is_named) return true;
  }
  if (number < 1 || number > session->scene.drag_count)
    return error_set(
        error,
        "%s: the list drags has no entry %s; give the \"name\" of an entry or its number, counted from 1 (number of "
        "entries: %d)",
        session->scene.path, text, session->scene.drag_count);
  subject->entry = (int)number - 1;
  return true;
}

// Finds the region that a text names: "pins/1" is the region of the first pin, "forces/1" that of the first force, and
// "drags/1" that of the first drag. Pins and drags can also be given by name, such as "pins/left".
static bool find_patch(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  const Scene *scene = &session->scene;
  const char *slash = strchr(text, '/'), *entry = slash ? slash + 1 : "";
  const int64_t number = whole_number(entry, 1);
  ListedPin listed;
  if (strncmp(text, "pins/", 5) == 0) {
    if (!find_pin(session, entry, subject, error) || !scene_pin(scene, subject->entry, &listed)) return false;
    subject->region = listed.pin.region;
  } else if (strncmp(text, "drags/", 6) == 0) {
    if (!find_drag(session, entry, subject, error)) return false;
    subject->region = scene->drags[subject->entry].region;
  } else if (strncmp(text, "forces/", 7) == 0 && number >= 1 && number <= scene->force_count) {
    snprintf(subject->list, sizeof subject->list, "forces");
    subject->entry = (int)number - 1;
    subject->region = scene->forces[number - 1].region;
  } else {
    return error_set(error,
                     "%s: there is no region %s; expected pins/1, forces/1 or drags/1, with the number of an entry",
                     scene->path, text);
  }
  subject->is_gone = session_region(session, &subject->region, session->inside) == 0;
  if (!subject->is_gone) return true;
  uint8_t *before = array_new(session->scene_form->mesh.node_count, 1, "nodes", error);
  const bool had_nodes = before && scene_region(scene, &session->scene_form->mesh, &subject->region, before) > 0;
  free(before);
  return had_nodes || error_set(error, "%s: the region %s contains no node of the mesh", scene->path, text);
}

// Converts a text to a number as in BodyContact. If the text is the name or the index of a body, returns the index. If
// it is "floor" or a text such as "obstacle 1", returns the negative number that stands for it. Returns INT32_MIN for
// other texts.
static int body_of(const Session *session, const char *text) {
  const Scene *scene = &session->scene;
  char name[SCENE_BODY_NAME + 16];
  const int64_t number = whole_number(text, 0);
  for (int k = 0; k < scene->body_count; k++) {
    scene_body_name(scene, k, name);
    if (strcmp(text, name) == 0) return k;
  }
  if (number >= 0 && number < simulation_body_count(session->simulation)) return (int)number;
  if (strcmp(text, "floor") == 0 && scene->simulation.has_floor) return CONTACT_FLOOR;
  for (int k = 1; k <= scene->simulation.obstacle_count; k++) {
    snprintf(name, sizeof name, "obstacle %d", k);
    if (strcmp(text, name) == 0) return -k;
  }
  return INT32_MIN;
}

static bool find_pair(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  char first[OBSERVABLE_LABEL];
  const char *slash = strchr(text, '/');
  snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - text) : 0, text);
  subject->body[0] = body_of(session, first);
  subject->body[1] = slash ? body_of(session, slash + 1) : INT32_MIN;
  if (subject->body[0] != INT32_MIN && subject->body[1] != INT32_MIN) return true;
  return error_set(
      error,
      "%s: %s is not a pair of bodies or obstacles of the scene; expected A/B, each the name or number of a body, "
      "floor, or \"obstacle 1\"",
      session->scene.path, text);
}

// Finds the pair of a distance: two different bodies, or a body and an obstacle whose shape has a formula.
static bool find_apart(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  if (!find_pair(session, text, subject, error)) return false;
  const int a = subject->body[0], b = subject->body[1], solid = a < b ? a : b;
  if (a == b || (a < 0 && b < 0))
    return error_set(error, "%s: %s has no distance; give two bodies, or a body and an obstacle", session->scene.path,
                     text);
  return solid >= 0 || solid == CONTACT_FLOOR ||
         session->scene.simulation.obstacles[-1 - solid].kind != OBSTACLE_MESH ||
         error_set(error, "%s: %s: the distance from an obstacle of the kind mesh is not computed", session->scene.path,
                   text);
}

// Reads a ball "X/Y/Z/RADIUS", or "X/Y/Z/RADIUS/BODY" with the name or the number of the body to which the patch
// belongs.
static bool read_ball(const Session *session, const char *text, Region *region, Error *error) {
  double number[4];
  char *after = NULL;
  const char *from = text;
  *region = (Region){ .has_ball = true };
  for (int i = 0; i < 3; i++) region->low[i] = -HUGE_VAL, region->high[i] = HUGE_VAL;
  for (int k = 0; k < 4; k++, from = after + 1) {
    number[k] = number_read(from, &after);
    if (after == from || !isfinite(number[k]) || (k < 3 ? *after != '/' : *after && *after != '/'))
      return error_set(error, "%s is not a patch; expected X/Y/Z/RADIUS or X/Y/Z/RADIUS/BODY, with lengths in m", text);
  }
  memcpy(region->centre, number, sizeof region->centre);
  region->radius = number[3];
  if (!(region->radius > 0)) return error_set(error, "%s: the radius of a patch must be more than 0", text);
  if (!*after) return true;
  region->of_body = true, region->body = body_of(session, after + 1);
  return region->body >= 0 || error_set(error, "%s: %s is no body of the scene; give the name or number of a body",
                                        session->scene.path, after + 1);
}

// Finds the patch of the surface that a text names: a ball, or the region of an entry as in find_patch.
static bool find_surface(const Session *session, const char *text, ObservedSubject *subject, Error *error) {
  Patch patch;
  if (*text && strchr("+-.0123456789", *text)) {
    if (!read_ball(session, text, &subject->region, error)) return false;
  } else if (!find_patch(session, text, subject, error)) {
    return false;
  }
  bool ok = patch_find(&patch, &session->scene, &session->mesh, &subject->region, error);
  subject->is_gone = patch.faces.count == 0;
  if (ok && subject->is_gone) {
    patch_destroy(&patch);
    ok = patch_find(&patch, &session->scene, &session->scene_form->mesh, &subject->region, error);
  }
  if (ok && patch.faces.count == 0)
    ok = error_set(error, "%s: the patch %s contains no whole face of the surface; use a larger radius",
                   session->scene.path, text);
  patch_destroy(&patch);
  return ok;
}

// ---- the table of all observables

#define OF_REPORT(member) .when = OBSERVED_AFTER_STEP, .size = 1, .offset = offsetof(StepReport, member)
#define OF_PATCH(named, in, components, function, text)                                         \
  {                                                                                             \
    .name = (named), .unit = (in), .summary = (text), .subject = "PATCH", .size = (components), \
    .when = OBSERVED_ON_DEMAND, .find = find_surface, .evaluate = (function)                    \
  }
#define OF_ENERGY(member) .when = OBSERVED_ON_DEMAND, .offset = offsetof(Energy, member), .evaluate = member_of_energy

const Observable observables[] = {
  { .name = "kinetic", .unit = "J", .summary = "kinetic energy", .plot = "energy", .size = 1, OF_ENERGY(kinetic) },
  { .name = "elastic", .unit = "J", .summary = "elastic energy", .plot = "energy", .size = 1, OF_ENERGY(elastic) },
  { .name = "potential",
    .unit = "J",
    .summary = "potential energy of loads, gravity, drags, pulls by the mouse, and contact; 0 in the shape at rest",
    .plot = "energy",
    .size = 1,
    .of_past = true,
    OF_ENERGY(potential) },
  { .name = "gravitational",
    .unit = "J",
    .summary = "potential energy of gravity only; 0 in the shape at rest",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .evaluate = gravitational_energy },
  { .name = "energy",
    .unit = "J",
    .summary = "sum of kinetic, elastic and potential energy",
    .plot = "energy",
    .size = 1,
    .of_past = true,
    .when = OBSERVED_ON_DEMAND,
    .evaluate = total_energy },
  { .name = "energy_change",
    .unit = "J",
    .summary =
        "energy that damping, friction and the integrator have added since the first row of the table; "
        "negative: removed; not counted: time steps in which loads, pins, drags or settings change, or in which a "
        "pressure acts on a part of the surface",
    .plot = "energy",
    .size = 1,
    .of_past = true,
    .when = OBSERVED_ON_DEMAND,
    .is_sum = true,
    .evaluate = energy_change },
  { .name = "momentum", .unit = "kg m/s", .summary = "linear momentum of all bodies", .size = 3, OF_ENERGY(linear) },
  { .name = "angular_momentum",
    .unit = "kg m^2/s",
    .summary = "angular momentum of all bodies about the origin",
    .size = 3,
    OF_ENERGY(angular) },
  { .name = "spin_change",
    .unit = "kg m^2/s",
    .summary =
        "error of the time integrator: the amount that it has added to the magnitude of the angular momentum about the "
        "centre of mass since the first row of the table; negative: removed",
    .plot = "spin change by the integrator",
    .size = 1,
    .of_past = true,
    .when = OBSERVED_ON_DEMAND,
    .is_sum = true,
    .evaluate = spin_change },
  { .name = "volume",
    .unit = "m^3",
    .summary = "total volume of all bodies",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .evaluate = volume },
  { .name = "contact_push",
    .unit = "N",
    .summary = "sum of the magnitudes of all normal contact forces",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .evaluate = contact_push },
  { .name = "contact_force",
    .unit = "N",
    .summary = "contact force of B on A, with friction; A and B: name or number of a body, floor, or \"obstacle 1\"",
    .subject = "A/B",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = find_pair,
    .evaluate = contact_force },
  { .name = "contact_magnitude",
    .unit = "N",
    .summary = "magnitude of the contact force of B on A, with friction",
    .subject = "A/B",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .find = find_pair,
    .evaluate = contact_magnitude },
  { .name = "contact_distance",
    .unit = "m",
    .summary =
        "smallest distance between the surfaces of the bodies A and B; if one is the floor, or an obstacle that is "
        "no mesh, smallest distance of the body's nodes from it",
    .subject = "A/B",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .find = find_apart,
    .evaluate = pair_distance },
  { .name = "reaction",
    .unit = "N",
    .summary = "force with which an entry of the list pins holds the body",
    .subject = "ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = find_pin,
    .evaluate = pin_reaction },
  { .name = "reaction_moment",
    .unit = "N m",
    .summary = "moment with which an entry of the list pins holds the body, about the mean position of the held nodes",
    .subject = "ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = find_pin,
    .evaluate = pin_moment },
  { .name = "reaction_work",
    .unit = "J",
    .summary = "work that a moving entry of the list pins has done on the body since the first row of the table",
    .subject = "ENTRY",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .find = find_pin,
    .is_sum = true,
    .evaluate = pin_work },
  { .name = "drag_force",
    .unit = "N",
    .summary = "force with which an entry of the list drags pulls the body",
    .subject = "ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = find_drag,
    .evaluate = drag_force },
  { .name = "drag_moment",
    .unit = "N m",
    .summary =
        "moment with which an entry of the list drags pulls the body, about the mean position of the pulled nodes",
    .subject = "ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = find_drag,
    .evaluate = drag_moment },
  { .name = "drag_work",
    .unit = "J",
    .summary = "work that an entry of the list drags has done since the first row of the table, on the body and on its "
               "own springs and dampers",
    .subject = "ENTRY",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .of_past = true,
    .find = find_drag,
    .is_sum = true,
    .evaluate = drag_work },
  { .name = "hand_force",
    .unit = "N",
    .summary = "sum of the forces with which the mouse and kept pulls (key K in the window) act on the body",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .of_past = true,
    .evaluate = hand_force },
  { .name = "position",
    .unit = "m",
    .summary = "position of a node, given by its number in the mesh file",
    .subject = "NODE",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = find_node,
    .evaluate = node_position },
  { .name = "centre",
    .unit = "m",
    .summary = "mean position of the nodes that an entry of the list pins, forces or drags selects",
    .subject = "LIST/ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = find_patch,
    .evaluate = patch_centre },
  OF_PATCH("patch_area", "m^2", 1, patch_area,
           "area of a patch at rest: of the faces of the surface whose corners are within a ball X/Y/Z/RADIUS (m, "
           "optionally /BODY), or in the region of an entry as pins/1"),
  OF_PATCH("patch_displacement", "m", 3, patch_displacement,
           "mean displacement of a patch; means are weighted by area"),
  OF_PATCH("patch_velocity", "m/s", 3, patch_velocity, "mean velocity of a patch"),
  OF_PATCH("patch_von_mises", "Pa", 1, patch_von_mises, "mean von Mises stress at a patch"),
  OF_PATCH("patch_principal", "Pa", 1, patch_principal, "mean of the largest principal stress at a patch"),
  OF_PATCH("patch_J", "", 1, patch_J, "mean of the ratio of deformed to rest volume at a patch"),
  OF_PATCH("patch_force", "N", 3, patch_contact, "sum of the contact forces on the nodes of a patch, with friction"),
  OF_PATCH("patch_push", "N", 1, patch_contact,
           "sum of the magnitudes of the normal contact forces on the nodes of a patch"),
  { .name = "newton_iterations",
    .unit = "",
    .summary = "Newton iterations in the time step; each solves one linear system",
    .plot = "Newton iterations per step",
    OF_REPORT(newton_iterations),
    .evaluate = report_count },
  { .name = "cg_iterations",
    .unit = "",
    .summary = "iterations of conjugate gradients (CG) in the time step",
    .plot = "CG iterations per step",
    OF_REPORT(cg_iterations),
    .evaluate = report_count },
  { .name = "backtracks",
    .unit = "",
    .summary = "trial states that the line search refused, so that it shortened the Newton step",
    OF_REPORT(backtracks),
    .evaluate = report_count },
  { .name = "substeps",
    .unit = "",
    .summary = "substeps into which the time step was divided; 1: it was not divided",
    OF_REPORT(substeps),
    .evaluate = report_count },
  { .name = "damped",
    .unit = "",
    .summary = "substeps in which backward Euler replaced the chosen integrator",
    OF_REPORT(damped),
    .evaluate = report_count },
  { .name = "guessed",
    .unit = "",
    .summary = "substeps in which Newton's method started from the displacements that the key first_guess selects",
    OF_REPORT(guessed),
    .evaluate = report_count },
  { .name = "without_host",
    .unit = "",
    .summary = "1 if the GPU ran all iterations of the time step without a decision by the CPU, else 0",
    OF_REPORT(without_host),
    .is_flag = true,
    .evaluate = report_flag },
  { .name = "rounded",
    .unit = "",
    .summary = "substeps that ended above the tolerance, because the remaining residual was rounding error",
    OF_REPORT(rounded),
    .evaluate = report_count },
  { .name = "indefinite",
    .unit = "",
    .summary = "linear systems whose matrix was not positive definite",
    OF_REPORT(indefinite),
    .evaluate = report_count },
  { .name = "converged",
    .unit = "",
    .summary = "1 if all substeps converged, else 0",
    OF_REPORT(converged),
    .is_flag = true,
    .evaluate = report_flag },
  { .name = "residual",
    .unit = "",
    .summary = "norm of the residual at the end of Newton's method, kg m/s; for `pliant solve` in N",
    OF_REPORT(residual),
    .evaluate = report_number },
  { .name = "tolerance",
    .unit = "",
    .summary = "norm of the residual below which Newton's method stops, in the unit of residual",
    OF_REPORT(tolerance),
    .evaluate = report_number },
  { .name = "min_J",
    .unit = "",
    .summary = "smallest ratio of deformed to rest volume of all cells (det F); 0 or less: an inverted cell",
    OF_REPORT(min_J),
    .evaluate = report_number },
  { 0 },
};

const Observable *observable_find(const char *text, const char **subject, Error *error) {
  const size_t length = strcspn(text, ":");
  char name[64], known[ERROR_LENGTH / 2] = "", meant_words[96];
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  Meant meant = meant_by(name);
  *subject = text + length + (text[length] == ':');
  for (const Observable *row = observables; row->name; row++) {
    const size_t used = strlen(known);
    meant_offer(&meant, row->name);
    snprintf(known + used, sizeof known - used, "%s%s%s%s", used ? ", " : "", row->name, row->subject ? ":" : "",
             row->subject ? row->subject : "");
    if (strlen(row->name) != length || strncmp(row->name, text, length) != 0) continue;
    if (!row->subject == !**subject && (row->subject || !text[length])) return row;
    if (row->subject)
      error_set(error, "the probe %s needs a colon and a name or number after it: %s:%s (%s)", row->name, row->name,
                row->subject, row->summary);
    else
      error_set(error, "the probe %s takes no argument, but it has one in \"%.100s\"", row->name, text);
    return NULL;
  }
  error_set(error, "there is no probe \"%.60s\"%s; there are: %s", text, meant_text(&meant, meant_words), known);
  return NULL;
}

bool observable_find_subject(const Observable *row, const Session *session, const char *text, ObservedSubject *subject,
                             Error *error) {
  const Ranks *ranks = session->scene.simulation.ranks;
  *subject = (ObservedSubject){ 0 };
  if (!row->find) return true;
  const bool ok = !ranks_is_first(ranks) || row->find(session, text, subject, error);
  return ranks_follow(ranks, ok, subject, sizeof *subject, error);  // only process 0 has the whole surface
}

void observable_label(const Observable *row, const char *text, int component, char label[OBSERVABLE_LABEL]) {
  size_t length = (size_t)snprintf(label, OBSERVABLE_LABEL, "%.*s%s", OBSERVABLE_LABEL - 32, text,
                                   row->size == 1 || component < 0 ? ""
                                   : component == 0                ? "_x"
                                   : component == 1                ? "_y"
                                                                   : "_z");
  if (row->unit[0]) label[length++] = '_';
  for (const char *c = row->unit; *c; c++)
    if (*c != '^') label[length++] = *c == ' ' || *c == '/' ? '_' : *c;
  label[length] = '\0';
}

static cJSON *number_json(double value) {
  return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

void observable_add_json(const Observable *row, const char *key, const double *value, cJSON *object) {
  if (row->is_flag && isfinite(value[0])) {
    cJSON_AddBoolToObject(object, key, value[0] != 0);
    return;
  }
  if (row->size == 1) {
    json_put(object, key, number_json(value[0]));
    return;
  }
  cJSON *list = cJSON_AddArrayToObject(object, key);
  for (int i = 0; i < row->size; i++) json_append(list, number_json(value[i]));
}

void observed_begin(Observed *o, Session *session, const StepReport *report) {
  *o = (Observed){ .session = session, .report = report, .time = simulation_time(session->simulation) };
}

void observed_end(Observed *o) {
  free(o->x), free(o->contacts), free(o->load), free(o->push);
  reactions_destroy(&o->reactions);
  *o = (Observed){ 0 };
}

bool observe(Observed *o, const Observable *row, ObservedSubject *subject, double *value, Error *error) {
  const bool known = row->when == OBSERVED_ON_DEMAND || o->report;
  for (int i = 0; i < row->size; i++) value[i] = known ? 0 : NAN;
  if (known && !row->evaluate(row, o, subject, value, error)) return false;

  // Only process 0 has all cells and the surface, from which a volume or a distance is computed. Its values are sent to
  // all processes. A failure is not, because a process may then have left out communication inside `evaluate`.
  if (row->when == OBSERVED_AFTER_STEP) return true;
  return ranks_follow(o->session->scene.simulation.ranks, true, value, sizeof *value * (size_t)row->size, error);
}
