// Finds equilibria with Coulomb friction (static_friction.h).
#include "sim/statics/static_friction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/contact_report.h"
#include "sim/simulation_parts.h"

enum { PASSES_MAX = 60 };

// The program reports that a body slips if its friction exceeds this fraction of the largest possible friction.
static const double NEARLY_ALL = 0.95;

// Anchors of nodes on the floor and on obstacles: points to which springs of static friction hold touching nodes. Nodes
// are in the internal order. An anchor is stored as the displacement that its node has at this point.
typedef struct NodeAnchors {
  double (*on_floor)[2], (*on_obstacle)[3];  // [node_count], [obstacle][node_count], displacements, m
} NodeAnchors;

static bool read_anchors(Simulation *w, int obstacles, NodeAnchors *a, Error *error) {
  const int nodes = w->space.node_count;
  const Stream stream = simulation_stream(w);
  double origin[3];
  a->on_floor = array_new(nodes, sizeof *a->on_floor, "friction", error);
  a->on_obstacle = array_new((int64_t)obstacles * nodes, sizeof *a->on_obstacle, "friction", error);
  if (!a->on_floor || !a->on_obstacle || !w->arrays->read(w->motion, MOTION_ORIGIN, origin, stream, error) ||
      !w->arrays->read(w->motion, MOTION_ANCHOR, &a->on_floor[0][0], stream, error) ||
      (obstacles > 0 && !w->arrays->read(w->motion, MOTION_OBSTACLE_ANCHOR, &a->on_obstacle[0][0], stream, error)))
    return false;
  for (int k = 0; k < nodes; k++)
    for (int i = 0; i < 2; i++) a->on_floor[k][i] += origin[i];
  for (int64_t k = 0; k < (int64_t)obstacles * nodes; k++)
    for (int i = 0; i < 3; i++) a->on_obstacle[k][i] += origin[i];
  return true;
}

// Finds the equilibrium of a body without friction of self-contact. Newton's method starts from the positions `guess`.
// simulation_set_state resets the friction anchors, points to which springs hold nodes. So the anchors are read before
// this call and written again after it.
static bool solve_nodes(Simulation *w, const double (*guess)[3], StepReport *report, Error *error) {
  Obstacle solid[OBSTACLES_MAX];
  const int obstacles = simulation_solid_obstacles(&w->settings, solid);
  NodeAnchors anchors = { 0 };
  const Stream stream = simulation_stream(w);
  bool ok = read_anchors(w, obstacles, &anchors, error);
  ok = ok && simulation_set_state(w, guess, NULL, error);
  ok = ok && w->arrays->write(w->motion, MOTION_ANCHOR, &anchors.on_floor[0][0], stream, error);
  ok = ok && (obstacles == 0 ||
              w->arrays->write(w->motion, MOTION_OBSTACLE_ANCHOR, &anchors.on_obstacle[0][0], stream, error));
  ok = ok && simulation_equilibrium(w, report, error);
  free(anchors.on_floor);
  free(anchors.on_obstacle);
  return ok;
}

// Stores in c->start the positions from which friction measures the sliding of surfaces. `from` [node_count][3], m, has
// these positions in the user's order of nodes; c->start is in the internal order.
static void set_start(const Simulation *w, const double (*from)[3]) {
  Contact *c = w->contact;
  for (int a = 0; a < w->space.node_count; a++) memcpy(c->start[a], from[w->user_node[a]], sizeof c->start[a]);
  contact_place_rigid(c, NULL, c->start);
}

// Returns the kind of the next pass, after a pass of kind `now` that has converged. A pass solves for equilibrium with
// the friction data of the pass before. If a pass needed no Newton iteration, friction has not changed, and the next
// pass is the last. If the residual was only rounding error (pass->rounded), one iteration counts as none, since
// Newton's method needs this iteration to detect the rounding error.
static ContactLoading next_pass(ContactLoading now, const StepReport *pass) {
  const bool unchanged = pass->newton_iterations <= (pass->rounded > 0 ? 1 : 0);
  return now != LOADING_FIRST && unchanged ? LOADING_LAST : LOADING_AGAIN;
}

static bool solve_surfaces(Simulation *w, const double (*from)[3], const double (*guess)[3], StepReport *report,
                           Error *error) {
  Contact *c = w->contact;
  StepReport pass = { 0 };
  int newton = 0, cg = 0;
  bool ok = true, ended = false;
  c->loading = LOADING_FIRST;
  set_start(w, from);
  ok = simulation_set_state(w, guess, NULL, error);
  for (int k = 0; ok && !ended && k < PASSES_MAX; k++) {
    ok = simulation_equilibrium(w, &pass, error);
    newton += pass.newton_iterations;
    cg += pass.cg_iterations;
    ended = !ok || !pass.converged || c->loading == LOADING_LAST;
    c->loading = next_pass(c->loading, &pass);
  }

  c->loading = LOADING_NONE;
  *report = pass;
  report->newton_iterations = newton;
  report->cg_iterations = cg;
  if (ok && !ended) {
    report->converged = false;
    report->cause = NEWTON_OUT_OF_ITERATIONS;
  }
  return ok;
}

bool static_friction_solve(Simulation *w, const double (*from)[3], const double (*guess)[3], StepReport *report,
                           Error *error) {
  if (w->contact && contact_rubs(w->contact)) return solve_surfaces(w, from, guess, report, error);
  return solve_nodes(w, guess, report, error);
}

bool static_friction_text(Simulation *w, char *text, size_t size, Error *error) {
  double friction = 0, limit = 0;
  text[0] = '\0';
  if (!w->contact || !contact_friction_total(w, &friction, &limit, error)) return !w->contact;
  if (limit > 0 && friction > NEARLY_ALL * limit)
    snprintf(
        text, size,
        "friction has reached its limit, %.4g N, and nothing else holds the body, so its surfaces slip. Apply less "
        "load, hold the body by pins, or use a larger friction",
        limit);
  return true;
}
