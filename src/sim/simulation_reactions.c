// Computes the forces of constraints and grabs on nodes (simulation.h).
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/contact_report.h"
#include "sim/simulation_parts.h"

void reactions_destroy(Reactions *r) {
  free(r->force), free(r->inertia), free(r->from);
  *r = (Reactions){ 0 };
}

// Data from which reactions are computed, [node_count][3], in the internal order of nodes unless noted.
typedef struct Parts {
  // internal: internal forces, N. external: loads and other external forces, N. p, p_start: momenta now and at the
  // start of the last step, kg m/s. u_start: displacements at that start, m.
  double (*internal)[3], (*external)[3], (*p)[3], (*p_start)[3], (*u_start)[3];
  double (*contact)[3];  // [user_count] N, forces of self-contact, in the user's order of nodes
  // 1: the unknown is held by a pin, a grab or a support
  uint8_t (*held)[3];
} Parts;

static void parts_destroy(Parts *b) {
  free(b->internal), free(b->external), free(b->p), free(b->p_start), free(b->u_start), free(b->contact), free(b->held);
}

static bool parts_create(Parts *b, int nodes, int user_count, Error *error) {
  *b = (Parts){ .internal = array_new(nodes, sizeof *b->internal, "forces", error),
                .external = array_new(nodes, sizeof *b->external, "forces", error),
                .p = array_new(nodes, sizeof *b->p, "momenta", error),
                .p_start = array_new(nodes, sizeof *b->p_start, "momenta", error),
                .u_start = array_new(nodes, sizeof *b->u_start, "positions", error),
                .contact = array_new(user_count, sizeof *b->contact, "forces", error),
                .held = array_new(nodes, sizeof *b->held, "pins", error) };
  return b->internal && b->external && b->p && b->p_start && b->u_start && b->contact && b->held;
}

// Reads displacements and momenta at the start of the last step; before the first step, the present ones.
static bool read_start(Simulation *w, const Parts *b, Error *error) {
  const bool known = w->newton.knows_start;
  const Stream stream = simulation_stream(w);
  double origin[3];
  if (!w->arrays->read(w->motion, known ? MOTION_U_START : MOTION_U, &b->u_start[0][0], stream, error) ||
      !w->arrays->read(w->motion, known ? MOTION_P_START : MOTION_P, &b->p_start[0][0], stream, error) ||
      !w->arrays->read(w->motion, MOTION_ORIGIN, origin, stream, error))
    return false;
  for (int a = 0; a < w->space.node_count; a++)
    for (int i = 0; i < 3; i++) b->u_start[a][i] += origin[i];
  return true;
}

static bool read_parts(Simulation *w, const Parts *b, Error *error) {
  const Stream stream = simulation_stream(w);
  Motion *m = w->motion;
  return w->newton_functions->forces(&w->newton, error) &&
         w->arrays->read(m, MOTION_INTERNAL, &b->internal[0][0], stream, error) &&
         w->loops->external_forces(m, stream, error) &&
         w->arrays->read(m, MOTION_EXTERNAL, &b->external[0][0], stream, error) &&
         w->arrays->read(m, MOTION_P, &b->p[0][0], stream, error) && read_start(w, b, error) &&
         w->arrays->held(m, &b->held[0][0], stream, error) && contact_forces_on_nodes(w, b->contact, error);
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

// Adds the forces of a grab's springs to force [node_count][3], N, in the user's order of nodes.
static bool add_springs(Simulation *w, const Grab *grab, double (*force)[3], Error *error) {
  double(*u)[3] = array_new(w->space.node_count, sizeof *u, "displacements", error);
  const bool ok = u && w->arrays->displacements(w->motion, u, simulation_stream(w), error);
  for (int k = 0; ok && k < grab->count; k++)
    grab_spring_force(grab, k, u[grab->node[k]], force[w->user_node[grab->node[k]]]);
  free(u);
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

bool simulation_grab_forces(Simulation *w, int id, double (*force)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const Grab *grab = grabs_find(&w->grabs, id);
  memset(force, 0, sizeof *force * (size_t)w->user_count);
  if (!grab) return true;
  return (grab_holds(grab) ? add_reactions : add_springs)(w, grab, force, error) &&
         simulation_complete(w, &force[0][0], 3, error);
}

bool simulation_grab_force(Simulation *w, int id, double force[3], Error *error) {
  const int nodes = w->user_count;
  double(*all)[3] = array_new(nodes, sizeof *all, "forces", error);
  const bool ok = all && simulation_grab_forces(w, id, all, error);
  force[0] = force[1] = force[2] = 0;
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) force[i] += all[a][i];
  free(all);
  return ok;
}
