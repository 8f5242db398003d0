// Computes forces, moments and work of pins and drags, forces of the mouse, and contact forces between bodies: see
// observable_values.h.
#include "scene/observable_values.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/vectors.h"
#include "scene/observed_data.h"
#include "scene/scene_bodies.h"
#include "scene/session_script.h"

// ---- forces and work of pins and drags

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
  free(v);
  free(p);
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
  if (!observed_need_reactions(o, error) || !observed_need_positions(o, error)) return false;
  const Reactions *r = &o->reactions;
  centre_of(o, holder, centre);
  add_up(o, holder, (const double(*)[3])r->force, (const double(*)[3])o->x, centre, force, moment);
  add_up(o, holder, (const double(*)[3])r->inertia, (const double(*)[3])r->from, centre, force, moment);
  return true;
}

EVALUATE(observe_pin_reaction) {
  (void)row;
  ListedPin listed;
  double moment[3] = { 0 };
  const Holder holder = pin_holder(o, subject, &listed);
  return sum_reactions(o, &holder, value, moment, error);
}

EVALUATE(observe_pin_moment) {
  (void)row;
  ListedPin listed;
  double force[3] = { 0 };
  const Holder holder = pin_holder(o, subject, &listed);
  return sum_reactions(o, &holder, force, value, error);
}

// Adds to s->sum the work, J, that a moving pin or drag has done since the last evaluation. The work is force times
// displacement plus moment times rotation, by the trapezoidal rule, plus the change of the kinetic energy of the moved
// nodes. The last term is needed because `force` does not include the force that accelerates these nodes. The first
// evaluation, and the first one after energy_budget_begin, set the sum to 0. start: the present EnergyBudget.starts.
static void add_work(ObservedSubject *s, int64_t start, const double force[3], const double moment[3],
                     const double offset[3], const double axis[3], double degrees, double kinetic) {
  for (int i = 0; i < 3; i++) {
    const double turned = axis[i] * (degrees - s->degrees) * (acos(-1.0) / 180);
    s->sum += 0.5 * (s->force[i] + force[i]) * (offset[i] - s->offset[i]) + 0.5 * (s->moment[i] + moment[i]) * turned;
    s->force[i] = force[i];
    s->moment[i] = moment[i];
    s->offset[i] = offset[i];
  }
  s->sum += kinetic - s->kinetic;
  if (!s->started || s->start != start) s->sum = 0;
  s->started = true;
  s->start = start;
  s->degrees = degrees;
  s->kinetic = kinetic;
}

// Computes the work of a moving pin, J. The pin moves along a path and rotates about an axis, which moves with it.
// Moments are taken about a point on this axis.
EVALUATE(observe_pin_work) {
  (void)row;
  ListedPin listed;
  double force[3] = { 0 }, moment[3] = { 0 }, offset[3], about[3], kinetic;
  if (!observed_need_reactions(o, error) || !observed_need_positions(o, error)) return false;
  const Holder holder = pin_holder(o, subject, &listed);
  const RigidMotion *motion = &listed.pin.motion;
  motion_offset(motion, o->time, offset);
  for (int i = 0; i < 3; i++) about[i] = motion->spin.about[i] + offset[i];
  add_up(o, &holder, (const double(*)[3])o->reactions.force, (const double(*)[3])o->x, about, force, moment);
  if (!kinetic_energy(o, &holder, &kinetic, error)) return false;
  add_work(subject, o->session->budget.starts, force, moment, offset, motion->spin.axis,
           motion_degrees(motion, o->time), kinetic);
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

EVALUATE(observe_drag_force) {
  (void)row;
  return force_of_drag(o, subject->entry, true, value, error);
}

// Returns true if a drag prescribes the positions of its nodes, without springs.
static bool drag_is_exact(const SceneDrag *drag) {
  return !drag->region.has_ball && drag->stiffness == 0;
}

EVALUATE(observe_drag_moment) {
  (void)row;
  const int id = o->session->drag_ids[subject->entry], nodes = o->session->mesh.node_count;
  double centre[3], force[3] = { 0 };
  if (id <= 0) return true;
  const Holder holder = drag_holder(o, subject);
  if (drag_is_exact(&o->session->scene.drags[subject->entry])) return sum_reactions(o, &holder, force, value, error);
  double(*all)[3] = array_new(nodes, sizeof *all, "forces", error);
  const bool ok =
      all && observed_need_positions(o, error) && simulation_grab_forces(o->session->simulation, id, true, all, error);
  if (ok) {
    centre_of(o, &holder, centre);
    add_up(o, &holder, (const double(*)[3])all, (const double(*)[3])o->x, centre, force, value);
  }
  free(all);
  return ok;
}

// Computes the work, J, of a drag, which pulls nodes along a path: the force of the drag, integrated along this path.
// Its dampers do not move along the path. An inactive drag does no work.
EVALUATE(observe_drag_work) {
  (void)row;
  static const double none[3] = { 0, 0, 0 };
  Session *session = o->session;
  const SceneDrag *drag = &session->scene.drags[subject->entry];
  const bool exact = drag_is_exact(drag), active = session->drag_ids[subject->entry] > 0;
  double force[3] = { 0 }, moment[3] = { 0 }, offset[3], kinetic = 0;
  if (exact && active) {
    if (!observed_need_reactions(o, error) || !observed_need_positions(o, error)) return false;
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
  add_work(subject, session->budget.starts, force, none, offset, none, 0, kinetic);
  value[0] = subject->sum;
  return true;
}

// ---- forces of the mouse and of contacts

// Computes the sum of the forces, N, of the mouse's pull and of all kept pulls, which continue after the mouse is
// released.
EVALUATE(observe_hand_force) {
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

EVALUATE(observe_contact_push) {
  (void)row, (void)subject;
  if (!observed_need_contacts(o, error)) return false;
  for (int k = 0; k < o->contact_count; k++) value[0] += o->contacts[k].push;
  return true;
}

// Adds up the contact force, N, that the second body of a pair exerts on the first one, and its moment about the
// origin, N m. The pair, such as "ball/floor", is given by subject->body.
static bool add_pair(Observed *o, const ObservedSubject *subject, double force[3], double moment[3], Error *error) {
  if (!observed_need_contacts(o, error)) return false;
  for (int k = 0; k < o->contact_count; k++) {
    const BodyContact *c = &o->contacts[k];
    const bool same = c->body[0] == subject->body[0] && c->body[1] == subject->body[1];
    const bool turned = c->body[0] == subject->body[1] && c->body[1] == subject->body[0];
    const double sign = same ? 1 : turned ? -1 : 0;
    for (int i = 0; i < 3; i++) {
      force[i] += sign * c->force[i];
      moment[i] += sign * c->moment[i];
    }
  }
  return true;
}

EVALUATE(observe_contact_force) {
  (void)row;
  double moment[3] = { 0 };
  return add_pair(o, subject, value, moment, error);
}

EVALUATE(observe_contact_moment) {
  (void)row;
  double force[3] = { 0 };
  return add_pair(o, subject, force, value, error);
}

EVALUATE(observe_contact_magnitude) {
  double force[3] = { 0 };
  if (!observe_contact_force(row, o, subject, force, error)) return false;
  value[0] = vector_length(force);
  return true;
}
