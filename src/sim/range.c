// Checks that the numbers of a body fit the precision, float or double (range.h).
#include "sim/range.h"

#include <math.h>
#include <stdio.h>

#include "base/parallel.h"
#include "mesh/hex.h"
#include "sim/solver/solver.h"

// Extends the range `extremes` so that it contains `value`.
static void widen(Extremes *extremes, double value) {
  if (!(value >= extremes->low)) extremes->low = value;  // true for NaN too
  if (!(value <= extremes->high)) extremes->high = value;
}

// Extends the range `extremes` so that it contains the range `more`.
static void unite(Extremes *extremes, const Extremes *more) {
  if (more->low > more->high) return;  // the range `more` is empty (low > high), as NONE is
  widen(extremes, more->low);
  widen(extremes, more->high);
}

static const Extremes NONE = { HUGE_VAL, -HUGE_VAL };

// Arguments of cell_range, which a parallel loop calls for pieces of `grain` consecutive cells. range[k] gets the
// smallest and largest values in piece k.
typedef struct CellRanges {
  const Space *space;
  int grain;
  BodyRange *range;
} CellRanges;

// Extends `range` so that it contains gradients and stiffnesses of one tet of this volume, m^3: a cell, or one of the
// tets into which a hex is divided. `factor` is the factor by which the cell multiplies the material's modulus.
static void tet_range(const Space *space, const int node[4], double volume, double factor, BodyRange *range) {
  // The gradient of a corner's shape function has the magnitude (area of the opposite face) / (3 * volume).
  for (int c = 0; c < 4; c++) {
    const double *p = space->X[node[(c + 1) % 4]];
    double u[3], v[3], normal2 = 0;
    for (int i = 0; i < 3; i++) {
      u[i] = space->X[node[(c + 2) % 4]][i] - p[i];
      v[i] = space->X[node[(c + 3) % 4]][i] - p[i];
    }
    for (int i = 0; i < 3; i++) {
      const double n = (u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]) / (6 * volume);
      normal2 += n * n;
    }
    widen(&range->gradient, sqrt(normal2));
    widen(&range->stiffness, factor * volume * normal2);
  }
}

// Computes the smallest and largest values of volume, gradient, stiffness and ratio (BodyRange) over the cells [first,
// last), one piece of the parallel loop.
static void cell_range(const void *ranges, int first, int last) {
  const Space *space = ((const CellRanges *)ranges)->space;
  BodyRange range = { NONE, NONE, NONE, NONE, NONE, NONE };
  for (int e = first; e < last; e++) {
    const double volume = space_cell_volume(space, e), factor = space->stiffness ? space->stiffness[e] : 1;
    int part[6][4];
    widen(&range.tet_volume, volume);
    if (space->shape != CELL_HEX8) tet_range(space, space_cell(space, e), volume, factor, &range);
    for (int k = 0; space->shape == CELL_HEX8 && k < hex_parts(space_cell(space, e), part); k++)
      tet_range(space, part[k], volume / 6, factor, &range);
    if (space->ratio && !isnan(space->ratio[e])) widen(&range.ratio, space->ratio[e]);
  }
  ((const CellRanges *)ranges)->range[first / ((const CellRanges *)ranges)->grain] = range;
}

BodyRange body_range(const Space *space, const double *node_mass, double density) {
  enum { PIECES = 64 };
  BodyRange range = { NONE, NONE, NONE, NONE, NONE, NONE }, piece[PIECES];
  const int grain = space->cell_count / PIECES + 1;
  for (int a = 0; a < space->node_count; a++) {
    widen(&range.node_volume, node_mass[a] / density);
    for (int i = 0; i < 3; i++) widen(&range.position, space->X[a][i]);
  }
  parallel_for(space->cell_count, grain, cell_range, &(CellRanges){ space, grain, piece });
  for (int k = 0; k * (int64_t)grain < space->cell_count; k++) {
    unite(&range.tet_volume, &piece[k].tet_volume);
    unite(&range.gradient, &piece[k].gradient);
    unite(&range.stiffness, &piece[k].stiffness);
    unite(&range.ratio, &piece[k].ratio);
  }
  return range;
}

// Fails unless both `extremes`, the smallest and the largest value of the quantity `what`, are in the range of the
// settings' precision after multiplication by `factor`.
static bool fits(Extremes extremes, double factor, const char *what, const char *unit, const SimulationSettings *s,
                 Error *error) {
  const Extremes capacity = precision_range(s->precision);
  const double low = extremes.low * factor, high = extremes.high * factor;
  if (low >= capacity.low && high <= capacity.high) return true;
  return error_set(error,
                   "%s: %.3g %s is outside the range of precision %s, %g to %g; use %sother units, or another scale",
                   what, low >= capacity.low ? high : low, unit, precision_name(s->precision), capacity.low,
                   capacity.high, s->precision == PRECISION_F32 ? "precision double, " : "");
}

// Only for CG without a preconditioner: fails if the product of the matrix with a residual would overflow or underflow.
// Entries of a residual are momenta of about m h/dt, with a node's mass m, a tet's size h and the time step dt.
// Diagonal entries of the matrix are at least m/dt.
static bool cg_fits(const BodyRange *r, const SimulationSettings *s, Error *error) {
  const double light = r->node_volume.low * s->density / s->dt, heavy = r->node_volume.high * s->density / s->dt;
  const Extremes product = { light * light / r->gradient.high, heavy * heavy / r->gradient.low };
  const Stage *solver = stage_find(STAGE_SOLVER, s->solver, simulation_solver_device(s), s->precision, NULL);
  return !solver || ((const SolverMethod *)solver)->precondition != PRECONDITION_NONE ||
         fits(product, 1, "a node's mass squared times a cell's size / dt^2 (solver \"cg\")", "kg^2 m/s^2", s, error);
}

bool range_check_motion(const RigidMotion *motion, const char *name, Precision precision, Error *error) {
  const Spin *spin = &motion->spin;
  char named[96];
  for (int k = 0; k < motion->point_count; k++) {
    snprintf(named, sizeof named, "%s: point %d of its path", name, k + 1);
    for (int i = 0; i < 4; i++)
      if (!range_check_number(motion->path[k][i], i == 0 ? "s" : "m", precision, named, error)) return false;
  }

  snprintf(named, sizeof named, "%s: a coordinate of \"about\" in its spin", name);
  for (int i = 0; i < 3; i++)
    if (!range_check_number(spin->about[i], "m", precision, named, error)) return false;
  snprintf(named, sizeof named, "%s: the speed of its spin", name);
  if (!range_check_number(spin->speed, "degrees/s", precision, named, error)) return false;
  for (int k = 0; k < spin->angle_count; k++) {
    snprintf(named, sizeof named, "%s: point %d of the angles of its spin", name, k + 1);
    for (int i = 0; i < 2; i++)
      if (!range_check_number(spin->angles[k][i], i == 0 ? "s" : "degrees", precision, named, error)) return false;
  }
  return true;
}

// Fails if centre, size, friction, motion or a scaled mesh vertex of an obstacle is outside the range of the precision.
// This matters to users of the library. Values of a scene file were already checked by scene_check_range.
static bool check_obstacle(const Obstacle *o, const char *name, Precision precision, Error *error) {
  const struct {
    const char *key, *unit;
    const double *value;
    int count;
  } numbers[] = {
    { "its centre", "m", o->centre, 3 },
    { "its size", "m", o->size, 3 },
    { "its friction", NULL, &o->friction, 1 },
  };
  char named[96];
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    snprintf(named, sizeof named, "%s: %s", name, numbers[k].key);
    for (int i = 0; i < numbers[k].count; i++)
      if (!range_check_number(numbers[k].value[i], numbers[k].unit, precision, named, error)) return false;
  }

  if (!range_check_motion(&o->motion, name, precision, error)) return false;
  for (int v = 0; o->surface && v < o->surface->vertex_count; v++)
    for (int i = 0; i < 3; i++) {
      const double at = o->size[0] * o->surface->X[v][i];
      if (fabs(at) <= range_largest("m", precision)) continue;
      snprintf(named, sizeof named, "%s: vertex %d of its mesh times its scale", name, v + 1);
      return range_check_number(at, "m", precision, named, error);
    }
  return true;
}

// Fails if a number of the settings or of their obstacles is outside the range of the settings' precision.
static bool check_settings(const SimulationSettings *s, Error *error) {
  char name[32];
  for (const Option *o = simulation_options; o->key; o++) {
    const bool vector = o->type == OPTION_VECTOR;
    const OptionValue value = option_value(o, s);
    if (!value.present || (!vector && o->type != OPTION_NUMBER && o->type != OPTION_OPTIONAL)) continue;
    for (int i = 0; i < (vector ? 3 : 1); i++)
      if (!range_check_number(value.number[i], vector ? NULL : o->unit, s->precision, o->key, error)) return false;
  }
  for (int k = 0; k < s->obstacle_count; k++) {
    snprintf(name, sizeof name, "obstacles entry %d", k + 1);
    if (!check_obstacle(&s->obstacles[k], name, s->precision, error)) return false;
  }
  return range_check_number(s->pusher, "m", s->precision, "the radius of the pushing ball", error);
}

bool range_check(const BodyRange *r, const SimulationSettings *s, Error *error) {
  const double modulus = s->lambda + 2 * s->mu;
  const Extremes dt = { s->dt, s->dt }, mu = { s->mu, s->mu }, wave = { modulus, modulus };

  // damping coefficient of the heaviest node, kg/s: the setting `damping`, 1/s, times the node's mass
  const double momentum = r->node_volume.high * s->density * s->damping;
  if (!check_settings(s, error)) return false;
  if (!range_check_number(r->position.low, "m", s->precision, "the position of a node", error)) return false;
  if (!range_check_number(r->position.high, "m", s->precision, "the position of a node", error)) return false;
  if (!range_check_number(momentum, "kg/s", s->precision, "damping times a node's mass", error)) return false;
  if (!fits(mu, 1, "mu", "Pa", s, error)) return false;
  if (!fits(wave, 1, "lambda + 2 mu", "Pa", s, error)) return false;
  if (!fits(dt, 1, "dt", "s", s, error)) return false;
  if (!fits(r->tet_volume, 1, "a tet's volume", "m^3", s, error)) return false;
  if (!fits(r->gradient, 1, "1 divided by a tet's height", "1/m", s, error)) return false;
  if (!fits((Extremes){ r->gradient.low * r->gradient.low, r->gradient.high * r->gradient.high }, 1,
            "1 divided by the square of a tet's height", "1/m^2", s, error))
    return false;
  if (!fits(r->gradient, modulus, "(lambda + 2 mu) divided by a tet's height", "N/m^3", s, error)) return false;
  if (!fits(r->node_volume, s->density, "a node's mass", "kg", s, error)) return false;
  if (!fits(r->node_volume, s->density / s->dt, "a node's mass divided by dt", "kg/s", s, error)) return false;
  if (!fits(r->tet_volume, s->dt, "a tet's volume times dt", "m^3 s", s, error)) return false;
  if (!fits(r->tet_volume, modulus, "a tet's volume times (lambda + 2 mu)", "J", s, error)) return false;
  if (!fits(r->tet_volume, modulus * s->dt, "a tet's volume times (lambda + 2 mu) times dt", "J s", s, error))
    return false;
  if (!fits(r->stiffness, modulus, "a tet's stiffness", "N/m", s, error)) return false;
  if (!fits(r->stiffness, modulus * s->dt, "a tet's stiffness times dt", "kg/s", s, error)) return false;
  return cg_fits(r, s, error);
}
