// Computes the forces of constraints and grabs on nodes, and the balance of angular momentum (simulation.h).
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/contact/nearest.h"
#include "sim/contact_report.h"
#include "sim/simulation_parts.h"

void reactions_destroy(Reactions *r) {
  free(r->force);
  free(r->inertia);
  free(r->from);
  *r = (Reactions){ 0 };
}

// Arrays from which reactions (forces of constraints) are computed: [node_count][3], in the internal order of nodes
// unless noted.
typedef struct Parts {
  // internal: internal forces, N. external: loads and other external forces, N. p and p_start: momenta now and at the
  // start of the last step, kg m/s. u and u_start: displacements now and at the start of the last step, m.
  double (*internal)[3], (*external)[3], (*p)[3], (*p_start)[3], (*u)[3], (*u_start)[3];
  double (*contact)[3];  // [user_count] N, forces of self-contact, in the user's order of nodes
  // 1: the unknown is held by a pin, a grab or a support
  uint8_t (*held)[3];
} Parts;

static void parts_destroy(Parts *b) {
  free(b->internal);
  free(b->external);
  free(b->p);
  free(b->p_start);
  free(b->u);
  free(b->u_start);
  free(b->contact);
  free(b->held);
}

static bool parts_create(Parts *b, int nodes, int user_count, Error *error) {
  *b = (Parts){ .internal = array_new(nodes, sizeof *b->internal, "forces", error),
                .external = array_new(nodes, sizeof *b->external, "forces", error),
                .p = array_new(nodes, sizeof *b->p, "momenta", error),
                .p_start = array_new(nodes, sizeof *b->p_start, "momenta", error),
                .u = array_new(nodes, sizeof *b->u, "positions", error),
                .u_start = array_new(nodes, sizeof *b->u_start, "positions", error),
                .contact = array_new(user_count, sizeof *b->contact, "forces", error),
                .held = array_new(nodes, sizeof *b->held, "pins", error) };
  return b->internal && b->external && b->p && b->p_start && b->u && b->u_start && b->contact && b->held;
}

// Returns true if an unknown of the body is held.
static bool any_held(const Parts *b, int nodes) {
  for (int i = 0; i < 3 * nodes; i++)
    if (b->held[i / 3][i % 3]) return true;
  return false;
}

// Reads displacements and momenta at the start of the last step, or the present ones if there was no step. Must be
// called after b->held was read.
static bool read_start(Simulation *w, const Parts *b, Error *error) {
  const bool known = w->newton.knows_start;
  const Stream stream = simulation_stream(w);
  double origin[3];
  if (!w->arrays->read(w->motion, known ? MOTION_U_START : MOTION_U, &b->u_start[0][0], stream, error) ||
      !w->arrays->read(w->motion, known ? MOTION_P_START : MOTION_P, &b->p_start[0][0], stream, error) ||
      !w->arrays->read(w->motion, MOTION_ORIGIN, origin, stream, error))
    return false;

  // If no node is held and the run has one process, the end of a step moves the origin from which displacements count:
  // by d = u_end + (u_end - u_start) of node 0, which is subtracted from all displacements. So node 0 now has u =
  // u_start - u_end, and d = u_start - 2 u. u_start still counts from the old origin, which is the present origin
  // minus d.
  if (known && !w->halo && !any_held(b, w->space.node_count)) {
    if (!w->arrays->read(w->motion, MOTION_U, &b->u[0][0], stream, error)) return false;
    for (int i = 0; i < 3; i++) origin[i] -= b->u_start[0][i] - 2 * b->u[0][i];
  }
  for (int a = 0; a < w->space.node_count; a++)
    for (int i = 0; i < 3; i++) b->u_start[a][i] += origin[i];
  return true;
}

static bool read_parts(Simulation *w, const Parts *b, Error *error) {
  const Stream stream = simulation_stream(w);
  Motion *m = w->motion;
  if (!w->newton_functions->forces(&w->newton, error)) return false;
  if (!w->arrays->read(m, MOTION_INTERNAL, &b->internal[0][0], stream, error)) return false;
  if (!w->loops->external_forces(m, stream, error)) return false;
  if (!w->arrays->read(m, MOTION_EXTERNAL, &b->external[0][0], stream, error)) return false;
  if (!w->arrays->read(m, MOTION_P, &b->p[0][0], stream, error)) return false;
  if (!w->arrays->held(m, &b->held[0][0], stream, error)) return false;
  if (!read_start(w, b, error)) return false;
  return contact_forces_on_nodes(w, b->contact, error);
}

bool simulation_reactions(Simulation *w, Reactions *r, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count;
  Parts b;
  *r = (Reactions){ 0 };
  r->force = array_new(w->user_count, sizeof *r->force, "forces", error);
  r->inertia = array_new(w->user_count, sizeof *r->inertia, "forces", error);
  r->from = array_new(w->user_count, sizeof *r->from, "positions", error);
  bool ok =
      parts_create(&b, nodes, w->user_count, error) && r->force && r->inertia && r->from && read_parts(w, &b, error);
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) {
      const int user = w->user_node[a];
      r->from[user][i] = w->space.X[a][i] + b.u_start[a][i];
      if (!b.held[a][i]) continue;
      const double external = b.external[a][i] + b.contact[user][i], damping = w->settings.damping * b.p[a][i];
      r->force[user][i] = b.internal[a][i] - external + damping;
      if (w->newton.knows_start) r->inertia[user][i] = (b.p[a][i] - b.p_start[a][i]) / w->newton.whole_dt;
    }
  ok = ok && simulation_complete(w, &r->force[0][0], 3, error) && simulation_complete(w, &r->inertia[0][0], 3, error) &&
       simulation_complete(w, &r->from[0][0], 3, error);
  parts_destroy(&b);
  if (!ok) reactions_destroy(r);
  return ok;
}

// Adds the forces of a grab's springs to force [node_count][3], N, in the user's order of nodes; if `dampers` is true,
// also the forces of its dampers at the present velocities.
static bool add_springs(Simulation *w, const Grab *grab, bool dampers, double (*force)[3], Error *error) {
  double(*u)[3] = array_new(w->space.node_count, sizeof *u, "displacements", error);
  double(*v)[3] = array_new(w->user_count, sizeof *v, "velocities", error);
  const bool ok = u && v && w->arrays->displacements(w->motion, u, simulation_stream(w), error) &&
                  (!dampers || simulation_velocities(w, v, error));
  for (int k = 0; ok && k < grab->count; k++) {
    const int user = w->user_node[grab->node[k]];
    grab_spring_force(grab, k, u[grab->node[k]], force[user]);
    for (int i = 0; i < 3; i++) force[user][i] -= grab->damping * grab->weight[k] * v[user][i];
  }
  free(u);
  free(v);
  return ok;
}

static bool add_reactions(Simulation *w, const Grab *grab, double (*force)[3], Error *error) {
  Reactions r;
  if (!simulation_reactions(w, &r, error)) return false;
  for (int k = 0; k < grab->count; k++) {
    const int user = w->user_node[grab->node[k]];
    for (int i = 0; i < 3; i++) force[user][i] = r.force[user][i] + r.inertia[user][i];
  }
  reactions_destroy(&r);
  return true;
}

bool simulation_grab_forces(Simulation *w, int id, bool dampers, double (*force)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const Grab *grab = grabs_find(&w->grabs, id);
  memset(force, 0, sizeof *force * (size_t)w->user_count);
  if (!grab) return true;
  return (grab_holds(grab) ? add_reactions(w, grab, force, error) : add_springs(w, grab, dampers, force, error)) &&
         simulation_complete(w, &force[0][0], 3, error);
}

bool simulation_grab_force(Simulation *w, int id, bool dampers, double force[3], Error *error) {
  const int nodes = w->user_count;
  double(*all)[3] = array_new(nodes, sizeof *all, "forces", error);
  const bool ok = all && simulation_grab_forces(w, id, dampers, all, error);
  force[0] = force[1] = force[2] = 0;
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) force[i] += all[a][i];
  free(all);
  return ok;
}

// Adds the vector product a x b to `sum`.
static void add_cross(const double a[3], const double b[3], double sum[3]) {
  double product[3];
  cross3(a, b, product);
  for (int i = 0; i < 3; i++) sum[i] += product[i];
}

// Computes the centre of mass of all bodies in the present state, and its displacement in the last step, m.
static bool find_centre(const Simulation *w, const Parts *b, double centre[3], double moved[3], Error *error) {
  enum { MASS, CENTRE, MOVED = CENTRE + 3, SUMS = MOVED + 3 };
  const double *weight = w->settings.mass == MASS_CONSISTENT ? w->weight : w->mass;
  double sums[SUMS] = { 0 };
  for (int a = 0; a < halo_nodes(w->halo, w->space.node_count); a++) {
    sums[MASS] += weight[a];
    for (int i = 0; i < 3; i++) {
      sums[CENTRE + i] += weight[a] * (w->space.X[a][i] + b->u[a][i]);
      sums[MOVED + i] += weight[a] * (b->u[a][i] - b->u_start[a][i]);
    }
  }
  if (!halo_sum(w->halo, sums, SUMS, error)) return false;
  for (int i = 0; i < 3; i++) {
    centre[i] = sums[CENTRE + i] / sums[MASS];
    moved[i] = sums[MOVED + i] / sums[MASS];
  }
  return true;
}

// Adds the contribution of node a to the change of angular momentum that no force explains. With integrators whose
// forces act at the end of the step, this contribution is y1 x p1 - y0 x p0 - dt y1 x f. y0 and y1 are the node's
// positions relative to the centre of mass at the start and the end of the step. p0 and p1 are its momenta, and f is
// the external force.
// For a held unknown, f includes the constraint force that accelerates it, which acts at y0 (Reactions.from). So the
// prescribed motion of a pin contributes nothing.
//
// BDF2 changes momenta by p1 - p0 = (p0 - p_before) / 3 + 2/3 dt F with the whole force F, so a part of each impulse
// follows in the next steps: after the step, (p1 - p0) / 2 in sum. If p0 and p1 include these parts, the change in a
// step is dt F. So p0 is then p1 + (p1 - p0) / 2 - dt F.
static void balance_at_end(const Simulation *w, const Parts *b, int a, const double y1[3], const double moved[3],
                           double sum[3]) {
  const double dt = w->newton.whole_dt, *contact = b->contact[w->user_node[a]];
  const bool bdf2 = simulation_integrator(&w->settings) == INTEGRATOR_BDF2 && w->last_damped == 0;
  double early[3], late[3];
  for (int i = 0; i < 3; i++) {
    const bool held = b->held[a][i];
    const double p1 = b->p[a][i], change = p1 - b->p_start[a][i], internal = b->internal[a][i];
    const double force = held ? internal : b->external[a][i] + contact[i] - w->settings.damping * p1;
    early[i] = held ? p1 : bdf2 ? p1 + change / 2 - dt * (force - internal) : b->p_start[a][i];
    late[i] = (held ? 0 : bdf2 ? dt * (force - internal) : change) - dt * force;
  }
  add_cross(moved, early, sum);
  add_cross(y1, late, sum);
}

// Adds the contribution of node a to the change of angular momentum that no force explains. With the midpoint rule,
// this contribution is (y1 - y0) x (p0 + p1 - dt c) / 2. y0 and y1 are the node's positions relative to the centre of
// mass at the start and the end of the step, and p0 and p1 its momenta. Only the contact force c acts at the end of the
// step. All other forces act at the middle of the step, where the elastic forces have no moment in total.
// With a lumped mass m, p0 + p1 - dt c - 2 m (u1 - u0) / dt is the sum of two vectors: the residual r of Newton's
// method, which changes the momentum by -r at the middle of the step, and the corrections of p1 at the end of the step,
// which contribute their moment at y1. The two cannot be told apart. With `free`, no unknown is held and no contact
// acts; corrections then remove the moment of r, and have no other moment (spin.h, energy_keep.h). Otherwise only
// midpoint_energy counts as corrected, without self-contact and with lumped masses.
static void balance_at_middle(const Simulation *w, const Parts *b, int a, bool free, const double y1[3],
                              const double moved[3], double sum[3]) {
  const double dt = w->newton.whole_dt, *contact = b->contact[w->user_node[a]];
  const bool lumped = w->settings.mass == MASS_LUMPED;
  const bool corrected = simulation_integrator(&w->settings) == INTEGRATOR_MIDPOINT_ENERGY && !w->contact && lumped;
  double mean[3], arm[3], more[3] = { 0 };
  for (int i = 0; i < 3; i++) {
    const double momenta = b->p[a][i] + b->p_start[a][i] - dt * contact[i], moved_by = b->u[a][i] - b->u_start[a][i];
    if (lumped && !b->held[a][i]) more[i] = momenta - 2 * w->mass[a] * moved_by / dt;
    mean[i] = 0.5 * (free || corrected ? momenta - more[i] : momenta);
    arm[i] = corrected ? y1[i] : moved[i] / 2 - y1[i];
  }
  add_cross(moved, mean, sum);
  if (!free) add_cross(arm, more, sum);
}

// Returns true if the balance of the last step can be computed. *middle gets true if the step used the midpoint rule.
//
// The balance cannot be computed after a step that was divided into shorter steps, since the forces of these steps are
// not stored. With the midpoint rule, contact forces act at the end of the step, and all other forces at the
// middle of the step. Without self-contact only the sum of all these forces is stored, so floor and obstacles must then
// be absent.
static bool can_balance(const Simulation *w, bool *middle) {
  *middle = integrator_is_midpoint(simulation_integrator(&w->settings)) && w->last_damped == 0;
  const bool apart = w->contact || (!w->settings.has_floor && w->settings.obstacle_count == 0);
  return w->newton.knows_start && w->last_substeps == 1 && (!*middle || apart);
}

// Sets *rest to true if no node has momentum at the start or at the end of the step. The balance of a body at rest is
// then set to 0. A balance computed from the forces would only show the residual of Newton's method. Sets *free to true
// if no unknown is held and no contact acts.
static bool find_rest(const Simulation *w, const Parts *b, bool *rest, bool *free, Error *error) {
  double counts[2] = { 0, 0 };  // number of unknowns with momentum, and number of held unknowns
  for (int a = 0; a < halo_nodes(w->halo, w->space.node_count); a++)
    for (int i = 0; i < 3; i++) {
      counts[0] += b->p[a][i] != 0 || b->p_start[a][i] != 0;
      counts[1] += b->held[a][i] != 0;
    }
  const bool ok = halo_sum(w->halo, counts, 2, error);
  *rest = counts[0] == 0;
  *free = counts[1] == 0 && (!w->contact || w->newton.apart);
  return ok;
}

// Adds up balance->change and balance->spin over all nodes, and over all processes that divide the body.
static bool add_up_balance(const Simulation *w, const Parts *b, bool middle, bool free, SpinBalance *balance,
                           Error *error) {
  double centre[3], moved_centre[3], sums[2][3] = { 0 };
  if (!find_centre(w, b, centre, moved_centre, error)) return false;
  for (int a = 0; a < halo_nodes(w->halo, w->space.node_count); a++) {
    double y[3], moved[3];
    for (int i = 0; i < 3; i++) {
      y[i] = w->space.X[a][i] + b->u[a][i] - centre[i];
      moved[i] = b->u[a][i] - b->u_start[a][i] - moved_centre[i];
    }
    if (middle)
      balance_at_middle(w, b, a, free, y, moved, sums[0]);
    else
      balance_at_end(w, b, a, y, moved, sums[0]);
    add_cross(y, b->p[a], sums[1]);
  }
  if (!halo_sum(w->halo, sums[0], 6, error)) return false;
  memcpy(balance->change, sums[0], sizeof balance->change);
  memcpy(balance->spin, sums[1], sizeof balance->spin);
  return true;
}

bool simulation_spin_balance(Simulation *w, SpinBalance *balance, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  bool middle, rest = true, free = false;
  *balance = (SpinBalance){ 0 };
  if (!can_balance(w, &middle)) return true;
  Parts b;
  bool ok = parts_create(&b, w->space.node_count, w->user_count, error);
  ok = ok && read_parts(w, &b, error);
  ok = ok && w->arrays->displacements(w->motion, b.u, simulation_stream(w), error);
  ok = ok && find_rest(w, &b, &rest, &free, error);
  ok = ok && (rest || add_up_balance(w, &b, middle, free, balance, error));
  balance->known = ok;
  parts_destroy(&b);
  return ok;
}
