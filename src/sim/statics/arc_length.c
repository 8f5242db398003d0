// Follows equilibrium paths beyond limit points, by the arc-length method (arc_length.h). The load factor is the
// fraction of the full load. Vectors [n] have three doubles for each node, in the simulation's internal order of nodes.
#include "sim/statics/arc_length.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/direct/entries.h"
#include "sim/direct/unsymmetric.h"
#include "sim/simulation_parts.h"

// A step along the path has at most ITERATIONS_MAX Newton iterations. The length of the next step is chosen so that
// this step takes about ITERATIONS_WANTED iterations. A step that fails is halved; the path ends after HALVINGS_MAX
// failures in succession. A path has at most INCREMENTS_FACTOR * path->increments steps.
enum { ITERATIONS_MAX = 12, ITERATIONS_WANTED = 5, HALVINGS_MAX = 12, INCREMENTS_FACTOR = 100 };

// Data of the arc-length method. K is the tangent matrix of the present state.
typedef struct Arc {
  Simulation *w;  // the simulation whose path is followed; borrowed
  const LoadPath *path;
  int nodes, n;  // number of nodes, and number of unknowns: n = 3 nodes
  // the entries of K as sparse columns, and their factorisation
  Entries entries;
  Factor *factor;
  uint8_t *held;  // [n], 1: the unknown is held by a pin
  // [nodes], work arrays in the mesh's order of nodes. u: positions or displacements, m. f: forces, N.
  double (*u)[3], (*f)[3];
  double *load;      // [n] N, the full load on the present shape; 0 for held unknowns
  double *pressure;  // [faces], the pressures at the present load factor, Pa
  double *last;      // [n] m, the displacements of the last equilibrium
  // [n] m. step: displacement from the last equilibrium to the present Newton iterate. before: displacement between the
  // last two equilibria.
  double *step, *before;
  double *residual;                   // [n] N, loads minus internal forces; 0 for held unknowns
  double *by_load, *correction;       // [n] m, solutions of linear systems: K^-1 load and K^-1 residual
  double load_factor, factor_before;  // load factors of the last equilibrium, and of the one before it
  double length;                      // m, prescribed arc length from the last equilibrium to the next one
  StepReport report;
} Arc;

static double dot(const Arc *arc, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < arc->n; i++) sum += x[i] * y[i];
  return sum;
}

static bool allocate(Arc *arc, Error *error) {
  double **vectors[] = { &arc->load,     &arc->last,    &arc->step,      &arc->before,
                         &arc->residual, &arc->by_load, &arc->correction };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = array_new(arc->n, sizeof **vectors[k], "the load path", error))) return false;
  arc->held = array_new(arc->n, 1, "the load path", error);
  arc->u = array_new(arc->nodes, sizeof *arc->u, "the load path", error);
  arc->f = array_new(arc->nodes, sizeof *arc->f, "the load path", error);
  const PressureLoad *pressure = arc->path->pressure;
  arc->pressure = array_new(pressure ? pressure->faces->count : 1, sizeof *arc->pressure, "the load path", error);
  return arc->held && arc->u && arc->f && arc->pressure;
}

static void release(Arc *arc) {
  factor_destroy(arc->factor);
  entries_destroy(&arc->entries);
  free(arc->held);
  free(arc->u);
  free(arc->f);
  free(arc->load);
  free(arc->last);
  free(arc->step);
  free(arc->before);
  free(arc->residual);
  free(arc->by_load);
  free(arc->correction);
  free(arc->pressure);
}

// Moves the body to the last equilibrium plus `fraction` times arc->step, the displacement in the present step.
static bool place(Arc *arc, double fraction, Error *error) {
  const Simulation *w = arc->w;
  for (int a = 0; a < arc->nodes; a++)
    for (int i = 0; i < 3; i++)
      arc->u[w->user_node[a]][i] = w->space.X[a][i] + arc->last[3 * a + i] + fraction * arc->step[3 * a + i];
  return simulation_set_state(arc->w, (const double(*)[3])arc->u, NULL, error);
}

// Sets the load on the body to `factor` times the full load.
static bool set_load(Arc *arc, double factor, Error *error) {
  return load_path_set_load(arc->w, arc->path, arc->nodes, factor, arc->f, arc->pressure, error);
}

// Computes arc->load, the full load on the present shape. Pressures depend on the shape, since they act along the
// normals of the deformed faces.
static bool find_load(Arc *arc, Error *error) {
  const Simulation *w = arc->w;
  const Stream stream = simulation_stream(w);
  if (!set_load(arc, 1, error) || !w->loops->external_forces(w->motion, stream, error) ||
      !w->arrays->read(w->motion, MOTION_EXTERNAL, arc->load, stream, error))
    return false;
  for (int k = 0; k < arc->n; k++) arc->load[k] = arc->held[k] ? 0 : arc->load[k];
  return true;
}

// Computes arc->residual in the present state, under load_factor times the full load. *norm is the norm of the
// residual. *scale is the norm of the internal forces of all nodes, including held nodes.
static bool find_residual(Arc *arc, double load_factor, double *norm, double *scale, Error *error) {
  double rr = 0, ff = 0;
  if (!simulation_internal_force(arc->w, arc->f, error)) return false;
  for (int a = 0; a < arc->nodes; a++)
    for (int i = 0; i < 3; i++) {
      const int k = 3 * a + i;
      const double internal = arc->f[arc->w->user_node[a]][i];
      arc->residual[k] = arc->held[k] ? 0 : load_factor * arc->load[k] - internal;
      rr += arc->residual[k] * arc->residual[k];
      ff += internal * internal;
    }
  *norm = sqrt(rr);
  *scale = sqrt(ff);
  return true;
}

// Solves K x = b, with the factor of the symmetric part of K.
static bool solve(const Arc *arc, const double *b, double *x, Error *error) {
  return unsymmetric_solve(&(UnsymmetricSystem){ arc->factor, &arc->w->A.load_term, arc->held, arc->n }, b, x, error);
}

// Factorises K, the tangent of the present state. Computes arc->residual under load_factor times the full load,
// arc->by_load = K^-1 load, and arc->correction = K^-1 residual. *norm gets the norm of the residual, *scale the norm
// of the internal forces.
static bool evaluate(Arc *arc, double load_factor, double *norm, double *scale, Error *error) {
  Simulation *w = arc->w;
  const SymmetricColumns *c = &arc->entries.columns;
  FactorReport factor;
  if (!interrupt_check(error) || (arc->path->pressure && !find_load(arc, error)) ||
      !find_residual(arc, load_factor, norm, scale, error))
    return false;

  // The tangent has a contribution of the pressures, so first set the pressures to their values at this load factor.
  if ((arc->path->pressure && !set_load(arc, load_factor, error)) ||
      !w->newton_functions->tangent(&w->newton, &arc->report.min_J, error))
    return false;
  if (!entries_copy(&arc->entries, &w->A, c->value, error)) return false;
  if (w->A.load_term.entries) w->A.load_term.entries(&w->A.load_term, entries_add, &arc->entries);
  columns_fix(c, arc->held, 1, c->value);
  return factor_compute(arc->factor, &factor, error) && solve(arc, arc->load, arc->by_load, error) &&
         solve(arc, arc->residual, arc->correction, error);
}

// Corrects arc->step, the displacement from the last equilibrium, by K^-1 residual + change * K^-1 load. *change, the
// change of the load factor, solves the quadratic equation |new step| = arc->length. Returns false if the equation has
// no real root.
static bool correct(Arc *arc, double *change) {
  for (int i = 0; i < arc->n; i++) arc->correction[i] += arc->step[i];
  const double a = dot(arc, arc->by_load, arc->by_load), b = dot(arc, arc->by_load, arc->correction);
  const double c = dot(arc, arc->correction, arc->correction) - arc->length * arc->length, discriminant = b * b - a * c;
  if (!(discriminant >= 0)) return false;
  // The path must continue forward. So take the root with the larger inner product of the new step and the present
  // step. `slope` is the derivative of this inner product by *change.
  const double slope = dot(arc, arc->by_load, arc->step);
  *change = (-b + copysign(sqrt(discriminant), slope)) / a;
  for (int i = 0; i < arc->n; i++) arc->step[i] = arc->correction[i] + *change * arc->by_load[i];
  return isfinite(*change);
}

// Computes the next equilibrium, at the distance arc->length from the last one. *load_factor gets the load factor of
// the next equilibrium. *found is false if Newton's method did not converge.
static bool advance(Arc *arc, double *load_factor, bool *found, Error *error) {
  const double relative = arc->w->settings.newton_relative;

  // If the residual is below ROUNDED * scale and no longer decreases, rounding of positions is the cause, and the state
  // is accepted. `scale` is the norm of the internal forces.
  const double ROUNDED = 1e-6;
  double norm, scale, change, norm_before = HUGE_VAL;
  *found = false;
  arc->report = (StepReport){ .substeps = 1 };
  memset(arc->step, 0, sizeof *arc->step * (size_t)arc->n);

  // The first guess of the step is a multiple of K^-1 load, where K is the tangent. The sign of the multiple is chosen
  // so that the body continues in the direction of its last step.
  if (!place(arc, 0, error) || !evaluate(arc, arc->load_factor, &norm, &scale, error)) return false;
  const double size = sqrt(dot(arc, arc->by_load, arc->by_load));
  if (arc->length == 0) arc->length = size / arc->path->increments;
  const double sign = dot(arc, arc->before, arc->by_load) < 0 ? -1 : 1;
  *load_factor = arc->load_factor + sign * arc->length / size;
  for (int i = 0; i < arc->n; i++) arc->step[i] = sign * arc->length / size * arc->by_load[i];

  for (int k = 1; k <= ITERATIONS_MAX; k++) {
    if (!place(arc, 1, error) || !evaluate(arc, *load_factor, &norm, &scale, error)) return false;
    arc->report.newton_iterations = k;
    arc->report.cg_iterations = 2 * k;
    arc->report.residual = norm;
    arc->report.tolerance = relative * scale;
    if (!isfinite(norm) || !(arc->report.min_J > 0)) return true;
    *found = norm <= arc->report.tolerance || (norm > 0.5 * norm_before && norm <= ROUNDED * scale);
    norm_before = norm;
    if (*found || !correct(arc, &change)) return true;
    *load_factor += change;
  }
  return true;
}

// Accepts the new equilibrium: adds it to the report and stores its displacements. Chooses the length of the next step:
// longer after few Newton iterations, shorter after many.
static bool keep(Arc *arc, double load_factor, ArcLengthReport *report, Error *error) {
  const LoadPath *path = arc->path;
  const bool turns =
      report->path.increments > 0 && (load_factor - arc->load_factor) * (arc->load_factor - arc->factor_before) < 0;
  if (turns) report->limit_points++;
  if (report->limit_points == 0) report->largest = fmax(report->largest, load_factor);
  arc->factor_before = arc->load_factor;
  arc->load_factor = load_factor;
  report->path.increments++;
  report->path.newton_iterations += arc->report.newton_iterations;
  report->path.cg_iterations += arc->report.cg_iterations;
  arc->report.converged = true;
  report->path.last = arc->report;
  memcpy(arc->before, arc->step, sizeof *arc->step * (size_t)arc->n);
  for (int i = 0; i < arc->n; i++) arc->last[i] += arc->step[i];
  arc->length *= fmin(fmax(sqrt((double)ITERATIONS_WANTED / arc->report.newton_iterations), 0.5), 1.4);
  if (!set_load(arc, load_factor, error)) return false;
  return !path->reached || path->reached(path->user, load_factor, &arc->report, error);
}

// Ends the path after a step that has passed load factor 1. Interpolates the state at load factor 1, and solves for
// equilibrium under the full load from there.
static bool finish(Arc *arc, double load_factor, ArcLengthReport *report, Error *error) {
  const LoadPath *path = arc->path;
  StepReport *last = &report->path.last;
  const double fraction = (1 - arc->load_factor) / (load_factor - arc->load_factor);
  if (!place(arc, fraction, error) || !set_load(arc, 1, error) || !simulation_equilibrium(arc->w, last, error))
    return false;
  if (!last->converged)
    return error_set(error, "no equilibrium found at the full load; give a larger number of --increments");
  if (report->limit_points == 0) report->largest = 1;
  report->path.factor = 1;
  report->path.increments++;
  report->path.newton_iterations += last->newton_iterations;
  report->path.cg_iterations += last->cg_iterations;
  return !path->reached || path->reached(path->user, 1, last, error);
}

// Restores the last equilibrium with its load. Sets arc->step to 0, since it may contain values that are not finite.
static bool go_back(Arc *arc, Error *error) {
  memset(arc->step, 0, sizeof *arc->step * (size_t)arc->n);
  return place(arc, 0, error) && set_load(arc, arc->load_factor, error);
}

// Ends the path after an error, which is already set. Ctrl-C may end Newton's method in any iteration, so the last
// equilibrium is then restored, and the request to end the program is removed. Returns false.
static bool leave(Arc *arc) {
  Error second = { 0 };
  if (!interrupt_signal()) return false;
  interrupt_reset();
  go_back(arc, &second);
  return false;
}

// Follows the path step by step to load factor 1. Halves the length of a step that fails.
static bool follow(Arc *arc, ArcLengthReport *report, Error *error) {
  int halvings = 0;
  while (report->path.increments < INCREMENTS_FACTOR * arc->path->increments) {
    double load_factor;
    bool found;
    if (!advance(arc, &load_factor, &found, error)) return false;
    if (!found) {
      arc->length /= 2;
      report->path.halvings++;
      if (++halvings < HALVINGS_MAX) continue;
      return go_back(arc, error) &&
             error_set(error,
                       "no equilibrium found beyond %.6g times the full load, even with short steps along the load "
                       "path; a larger number of --increments or a finer mesh may help",
                       arc->load_factor);
    }
    halvings = 0;
    if (load_factor >= 1) return finish(arc, load_factor, report, error);
    if (!keep(arc, load_factor, report, error)) return false;
  }

  return error_set(error,
                   "at increment %d the load path has reached only %.6g times the full load; give a larger "
                   "number of --increments",
                   report->path.increments, arc->load_factor);
}

// Checks that the simulation supports the arc-length method. Sets the pressures, and reads the held unknowns, the
// initial state and the loads.
static bool prepare(Arc *arc, Error *error) {
  Simulation *w = arc->w;
  const double *gravity = w->settings.gravity;
  if (w->settings.precision != PRECISION_F64 || w->A.method->stage.device != DEVICE_CPU || !w->A.slots)
    return error_set(error, "--arc-length needs precision double and solver cholmod");
  if (w->settings.self_contact || w->settings.has_floor || w->settings.obstacle_count > 0)
    return error_set(error, "--arc-length does not support contact; remove self_contact, the floor and all obstacles");
  if (gravity[0] != 0 || gravity[1] != 0 || gravity[2] != 0)
    return error_set(error,
                     "--arc-length does not support gravity; set gravity to 0 and give the weight in \"forces\"");
  for (int a = 0; arc->path->move && a < arc->nodes; a++)
    for (int i = 0; i < 3; i++)
      if (arc->path->move[a][i] != 0)
        return error_set(error, "--arc-length does not support pins that move; remove the key \"move\" of the pins");
  if (!w->arrays->held(w->motion, arc->held, simulation_stream(w), error)) return false;
  if (!simulation_displacements(w, arc->u, error)) return false;
  if (!entries_create(&arc->entries, &w->A, NULL, 0, error)) return false;
  if (arc->path->pressure && !simulation_set_pressure(w, arc->path->pressure, error)) return false;
  if (!find_load(arc, error)) return false;
  double largest = 0;
  for (int a = 0; a < arc->nodes; a++)
    for (int i = 0; i < 3; i++) {
      const int k = 3 * a + i;
      arc->last[k] = arc->u[w->user_node[a]][i];
      largest = fmax(largest, fabs(arc->load[k]));
    }
  if (largest == 0) return error_set(error, "--arc-length needs \"forces\" on nodes that can move");
  arc->factor = factor_create(&factor_cholmod, &arc->entries.columns, error);
  return arc->factor;
}

bool arc_length_run(Simulation *simulation, const TetMesh *mesh, const LoadPath *path, ArcLengthReport *report,
                    Error *error) {
  Arc arc = { .w = simulation, .path = path, .nodes = mesh->node_count, .n = 3 * mesh->node_count };
  *report = (ArcLengthReport){ 0 };
  bool ok = (path->increments >= 1 ||
             error_set(error, "the number of increments is %d, expected 1 or more", path->increments));
  ok = ok && allocate(&arc, error);
  ok = ok && prepare(&arc, error);
  ok = ok && (follow(&arc, report, error) || leave(&arc));
  if (!ok) report->path.factor = arc.load_factor;
  release(&arc);
  return ok;
}
