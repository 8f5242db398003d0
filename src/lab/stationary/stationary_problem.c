// Builds a stationary problem from the user's options and formulas: see stationary_problem.h.
#include "lab/stationary/stationary_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/number.h"
#include "sim/element/moduli.h"

enum { POISSON = 1 << STATIONARY_POISSON, PLATE = 1 << STATIONARY_PLATE, ELASTICITY = 1 << STATIONARY_ELASTICITY };

// For each formula, the command-line option that gives it, and the kinds of problem in which this option is allowed: a
// sum of the bits POISSON, PLATE and ELASTICITY.
static const struct {
  const char *flag;
  int problems;
} rows[STATIONARY_FORMULAS] = {
  [STATIONARY_SOURCE] = { "--source", POISSON | PLATE },
  [STATIONARY_FACTOR] = { "--factor", POISSON | PLATE | ELASTICITY },
  [STATIONARY_BOUNDARY] = { "--boundary", POISSON | PLATE },
  [STATIONARY_HELD] = { "--held", POISSON | PLATE | ELASTICITY },
  [STATIONARY_FLUX] = { "--flux", POISSON },
  [STATIONARY_EXACT] = { "--exact", POISSON | PLATE },
  [STATIONARY_SLOPE_X] = { "--slope-x", PLATE },
  [STATIONARY_SLOPE_Y] = { "--slope-y", PLATE },
  [STATIONARY_SHEAR] = { "--shear", PLATE },
  [STATIONARY_MOMENT] = { "--moment", PLATE },
  [STATIONARY_TRACTION_X] = { "--traction-x", ELASTICITY },
  [STATIONARY_TRACTION_Y] = { "--traction-y", ELASTICITY },
  [STATIONARY_TRACTION_Z] = { "--traction-z", ELASTICITY },
  [STATIONARY_PRESSURE] = { "--pressure", ELASTICITY },
  [STATIONARY_HELD_X] = { "--held-x", ELASTICITY },
  [STATIONARY_HELD_Y] = { "--held-y", ELASTICITY },
  [STATIONARY_HELD_Z] = { "--held-z", ELASTICITY },
  [STATIONARY_MOVE_X] = { "--move-x", ELASTICITY },
  [STATIONARY_MOVE_Y] = { "--move-y", ELASTICITY },
  [STATIONARY_MOVE_Z] = { "--move-z", ELASTICITY },
  [STATIONARY_FORCE_X] = { "--force-x", ELASTICITY },
  [STATIONARY_FORCE_Y] = { "--force-y", ELASTICITY },
  [STATIONARY_FORCE_Z] = { "--force-z", ELASTICITY },
  [STATIONARY_EXACT_X] = { "--exact-x", ELASTICITY },
  [STATIONARY_EXACT_Y] = { "--exact-y", ELASTICITY },
  [STATIONARY_EXACT_Z] = { "--exact-z", ELASTICITY },
};

bool stationary_formulas_check(const StationaryOptions *options, Error *error) {
  static const char *const problems[] = { "poisson", "plate", "elasticity" };
  for (int k = 0; k < STATIONARY_FORMULAS; k++)
    if (options->formula[k][0] && !(rows[k].problems >> options->problem & 1))
      return error_set(error, "%s: the problem %s does not have this option", rows[k].flag, problems[options->problem]);
  if (options->problem == STATIONARY_ELASTICITY) return true;
  if (options->has_plane)
    return error_set(error, "--plane: the problem %s does not have this option", problems[options->problem]);
  return !options->has_force ||
         error_set(error, "--force: the problem %s does not have this option", problems[options->problem]);
}

// Returns the formula whose text gives the formula k: k itself if the user gave it, or its default. The default of the
// held values is the exact solution.
static int origin_of(const StationaryOptions *options, int k) {
  if (options->formula[k][0]) return k;
  if (k == STATIONARY_BOUNDARY) return STATIONARY_EXACT;
  if (k >= STATIONARY_MOVE_X && k <= STATIONARY_MOVE_Z) return STATIONARY_EXACT_X + k - STATIONARY_MOVE_X;
  return k;
}

static bool is_zero(const char *text) {
  double value;
  return number_is(text, &value) && value == 0;
}

// Returns true if the formula k is a load on the boundary or a held value, and the user gave it with a text other than
// the number 0. With such a formula, the default source and the default force are 0.
static bool acts_on_boundary(const StationaryOptions *options, int k) {
  const char *text = options->formula[origin_of(options, k)];
  const bool load = k == STATIONARY_BOUNDARY || k == STATIONARY_FLUX ||
                    (k >= STATIONARY_SLOPE_X && k <= STATIONARY_PRESSURE) ||
                    (k >= STATIONARY_MOVE_X && k <= STATIONARY_MOVE_Z);
  return load && text[0] && !is_zero(text);
}

static bool boundary_acts(const StationaryOptions *options) {
  bool acts = false;
  for (int k = 0; k < STATIONARY_FORMULAS; k++) acts = acts || acts_on_boundary(options, k);
  return acts;
}

static bool has_force_formula(const StationaryOptions *options) {
  bool has = false;
  for (int k = STATIONARY_FORCE_X; k <= STATIONARY_FORCE_Z; k++) has = has || options->formula[k][0];
  return has;
}

// Prints a load that is not 0, after a comma if it is not the first one, and counts it.
static void print_load(int *count, const char *flag, const char *text, const char *note) {
  if (is_zero(text)) return;
  printf("%s%s %s%s", (*count)++ > 0 ? ", " : "", flag, text, note);
}

void stationary_loads_print(const StationaryOptions *options) {
  const bool body = options->problem == STATIONARY_ELASTICITY;
  const char *flag = body ? "--force" : rows[STATIONARY_SOURCE].flag;
  const bool named = body ? options->has_force || has_force_formula(options) : options->formula[STATIONARY_SOURCE][0];
  bool force = false;  // the force per volume of --force acts along an axis
  int count = 0;
  printf("loads: ");
  for (int k = STATIONARY_FORCE_X; body && k <= STATIONARY_FORCE_Z; k++) {
    if (options->formula[k][0]) print_load(&count, rows[k].flag, options->formula[k], "");
    force = force || (!options->formula[k][0] && options->force[k - STATIONARY_FORCE_X] != 0);
  }
  if (force) {
    char text[120];
    snprintf(text, sizeof text, "%g,%g,%g", options->force[0], options->force[1], options->force[2]);
    print_load(&count, flag, text, named ? "" : " (default)");
  }

  if (!body && named) print_load(&count, flag, options->formula[STATIONARY_SOURCE], "");
  if (!body && !named && !boundary_acts(options)) print_load(&count, flag, "1", " (default)");
  for (int k = 0; k < STATIONARY_FORMULAS; k++) {
    const int from = origin_of(options, k);
    if (acts_on_boundary(options, k))
      print_load(&count, rows[from].flag, options->formula[from], from != k ? " (held values)" : "");
  }

  if (count == 0) printf("none");
  if (!named && boundary_acts(options)) printf("; %s is 0 by default, because other loads are given", flag);
  printf("\n");
}

bool stationary_options_settle(StationaryOptions *options, const CellMesh *mesh, const char *name, Error *error) {
  static const StationaryFormulaName along_z[] = { STATIONARY_TRACTION_Z, STATIONARY_HELD_Z, STATIONARY_MOVE_Z,
                                                   STATIONARY_FORCE_Z, STATIONARY_EXACT_Z };
  const bool in_plane = cell_shape_info(mesh->shape)->dimension == 2;
  if (options->problem != STATIONARY_ELASTICITY) return true;
  if (!options->has_force) {
    const double down = has_force_formula(options) || boundary_acts(options) ? 0 : -1e3;
    const double usual[3] = { 0, in_plane ? down : 0, in_plane ? 0 : down };
    memcpy(options->force, usual, sizeof usual);
  }
  if (!in_plane)
    return !options->has_plane || error_set(error, "--plane: %s is a 3D body, and this option is for 2D bodies", name);
  for (size_t k = 0; k < sizeof along_z / sizeof *along_z; k++)
    if (options->formula[along_z[k]][0])
      return error_set(error, "%s: %s is a 2D body, which does not have this option", rows[along_z[k]].flag, name);
  return options->force[2] == 0 ||
         error_set(error, "--force: %s is a 2D body, so the force along z must be 0, not %g", name, options->force[2]);
}

// A formula may contain words other than the coordinates. Fails unless formula k may contain `word`, an index in
// words->word. Formulas of the boundary may contain names of mesh groups. Formulas that are evaluated at nodes may
// contain the word `field`.
static bool allow_word(const StationaryFormulas *f, const StationaryOptions *options, int k, const FormulaWords *words,
                       int word, Error *error) {
  const bool is_field = f->field && word == words->count - 1;
  const bool force = k >= STATIONARY_FORCE_X && k <= STATIONARY_FORCE_Z;
  const bool exact = k == STATIONARY_EXACT || (k >= STATIONARY_EXACT_X && k <= STATIONARY_EXACT_Z);
  const bool inside = k == STATIONARY_SOURCE || k == STATIONARY_FACTOR || force || exact;
  const bool between = exact || k == STATIONARY_FLUX || k == STATIONARY_SHEAR || k == STATIONARY_MOMENT ||
                       (k >= STATIONARY_TRACTION_X && k <= STATIONARY_PRESSURE) ||
                       ((k == STATIONARY_SOURCE || force) && options->load == STATIONARY_LOAD_POINTS);
  if (!is_field && inside)
    return error_set(error, "%s: %s is a part of the boundary, but this formula is evaluated inside the body",
                     rows[k].flag, words->word[word]);
  if (is_field && between)
    return error_set(error,
                     "%s: the values of --field exist only at nodes, but this formula is evaluated between nodes",
                     rows[k].flag);
  if (is_field && k == STATIONARY_BOUNDARY && options->problem == STATIONARY_PLATE &&
      !(options->formula[STATIONARY_SLOPE_X][0] && options->formula[STATIONARY_SLOPE_Y][0]))
    return error_set(error,
                     "--boundary: the word field does not define the slopes of a plate; give --slope-x and --slope-y");
  return true;
}

static bool read_all(StationaryFormulas *f, const StationaryOptions *options, const FormulaWords *words, Error *error) {
  const char *const usual[STATIONARY_FORMULAS] = {
    [STATIONARY_SOURCE] = boundary_acts(options) ? "0" : "1", [STATIONARY_HELD] = "1"
  };
  const bool partly = options->formula[STATIONARY_HELD_X][0] || options->formula[STATIONARY_HELD_Y][0] ||
                      options->formula[STATIONARY_HELD_Z][0];
  for (int k = 0; k < STATIONARY_FORMULAS; k++) {
    const char *text = options->formula[origin_of(options, k)];
    if (!text[0] && k == STATIONARY_HELD && partly) continue;
    if (!text[0] && usual[k]) text = usual[k];
    if (!text[0]) continue;
    if (!formula_read(&f->of[k], text, rows[k].flag, words, error)) return false;
    for (int w = 0; w < f->of[k].word_count; w++)
      if (!allow_word(f, options, k, words, f->of[k].word[w], error)) return false;
  }
  return true;
}

bool stationary_formulas_read(StationaryFormulas *f, const StationaryOptions *options, const CellMesh *mesh,
                              const double *field, const char *name, Error *error) {
  char what[300];
  const char **words = array_new((int64_t)mesh->group_count + 1, sizeof *words, "groups", error);
  *f = (StationaryFormulas){ .field = field };
  if (!words) return false;
  snprintf(what, sizeof what, "the physical groups of the boundary of %.200s%s", name, field ? ", field" : "");
  bool ok = true;
  for (int g = 0; g < mesh->group_count; g++) {
    words[g] = mesh->group[g].name;
    if (ok && field && strcmp(words[g], "field") == 0)
      ok = error_set(error, "--field: %s has a group named field, so the name is ambiguous: rename the group", name);
  }
  words[mesh->group_count] = "field";
  ok = ok && read_all(f, options, &(FormulaWords){ mesh->group_count + (field != NULL), words, what }, error);
  free(words);
  return ok;
}

void stationary_formulas_destroy(StationaryFormulas *f) {
  for (int k = 0; k < STATIONARY_FORMULAS; k++) formula_destroy(&f->of[k]);
}

static bool is_given(const StationaryFormulas *f, StationaryFormulaName name) {
  return f->of[name].parser;
}

// Sets the words of a formula to their values at a node. The name of a mesh group has the value 1 if the group contains
// the node, otherwise 0. The word `field` has the user's value at the node.
static void enter_node(const StationaryFormulas *f, StationaryFormulaName name, const CellMesh *mesh, int node) {
  const Formula *formula = &f->of[name];
  for (int k = 0; k < formula->word_count; k++) {
    const int word = formula->word[k];
    formula_set(formula, word,
                word < mesh->group_count ? cell_group_has_node(&mesh->group[word], node) : f->field[node]);
  }
}

// Returns the value of a formula at a node, or 0 if the user did not give this formula.
static double value_at(const StationaryFormulas *f, StationaryFormulaName name, const CellMesh *mesh, int node) {
  if (!is_given(f, name)) return 0;
  enter_node(f, name, mesh, node);
  return formula_checked(&f->of[name], mesh->X[node], f->largest);
}

bool stationary_factors(const StationaryFormulas *f, CellMesh *mesh, Error *error) {
  const Formula *formula = &f->of[STATIONARY_FACTOR];
  const int nodes = cell_shape_info(mesh->shape)->nodes;
  if (!is_given(f, STATIONARY_FACTOR)) return true;
  if (!mesh->factor && !(mesh->factor = array_new(mesh->cell_count, sizeof *mesh->factor, "factors", error)))
    return false;
  for (int e = 0; e < mesh->cell_count; e++) {
    double middle[3] = { 0 }, mean = 0;
    for (int a = 0; a < nodes; a++) {
      const int node = mesh->cell[(int64_t)e * nodes + a];
      for (int i = 0; i < 3; i++) middle[i] += mesh->X[node][i] / nodes;
      if (f->field) mean += f->field[node] / nodes;
    }
    for (int k = 0; k < formula->word_count; k++) formula_set(formula, formula->word[k], mean);
    mesh->factor[e] = formula_value(formula, middle);
    if (!(mesh->factor[e] > 0 && mesh->factor[e] <= f->largest))
      return error_set(
          error,
          "--factor: the formula gives %g at the centre (%g, %g, %g) of cell %d, counted from 0; expected more than 0 "
          "and at most %g",
          mesh->factor[e], middle[0], middle[1], middle[2], e, f->largest);
  }
  return true;
}

// A formula that is evaluated on the boundary of the mesh.
typedef struct OnBoundary {
  const CellMesh *mesh;
  const Formula *formula;
  double largest;  // largest magnitude that values of the formula may have
} OnBoundary;

static void enter_facet(const void *user, const CellFacet *facet) {
  const OnBoundary *on = user;
  int corner[4];
  cell_mesh_facet_corners(on->mesh, facet, corner);
  for (int k = 0; k < on->formula->word_count; k++)
    formula_set(on->formula, on->formula->word[k],
                cell_group_has_facet(&on->mesh->group[on->formula->word[k]], corner));
}

static double on_boundary_at(const void *user, const double x[3], double gradient[3]) {
  const OnBoundary *on = user;
  const double value = formula_checked(on->formula, x, on->largest);
  return gradient ? stationary_formula_at(on->formula, x, gradient) : value;
}

static StationaryBoundary boundary_of(const OnBoundary *on) {
  return (StationaryBoundary){ on_boundary_at, on->formula->word_count > 0 ? enter_facet : NULL, on };
}

double stationary_formula_at(const void *formula, const double x[3], double gradient[3]) {
  enum { STEP_BITS = 17 };
  // The gradient is computed by central differences with this step, m. Their error is about 1e-10.
  const double step = ldexp(1, -STEP_BITS);
  for (int i = 0; gradient && i < 3; i++) {
    double low[3] = { x[0], x[1], x[2] }, high[3] = { x[0], x[1], x[2] };
    low[i] -= step;
    high[i] += step;
    gradient[i] = (formula_value(formula, high) - formula_value(formula, low)) / (2 * step);
  }
  return formula_value(formula, x);
}

bool stationary_arrays_create(StationaryArrays *a, const CellMesh *mesh, const StationaryElement *element,
                              Error *error) {
  const int nodes = mesh->node_count, n = nodes * element->node_dof;
  *a = (StationaryArrays){ .held = array_new(nodes, 1, "held nodes", error),
                           .fixed = array_new(n, 1, "held unknowns", error),
                           .source = array_new(nodes, sizeof *a->source, "sources", error),
                           .share = array_new(nodes, sizeof *a->share, "loads", error),
                           .load = array_new(n, sizeof *a->load, "loads", error),
                           .value = array_new(n, sizeof *a->value, "values", error) };
  return a->held && a->fixed && a->source && a->share && a->load && a->value;
}

void stationary_arrays_destroy(StationaryArrays *a) {
  free(a->held);
  free(a->fixed);
  free(a->source);
  free(a->share);
  free(a->load);
  free(a->value);
  *a = (StationaryArrays){ 0 };
}

// Prescribes slopes of a plate on the boundary sides where the deflection w is prescribed. On a clamped side, w_x and
// w_y are prescribed. On a simply supported side, only the slope along the side is prescribed, and only if the side is
// parallel to x or y. Values come from the formulas of slopes or, without these, from the gradient of the formula of w.
static bool hold_slopes(const CellMesh *mesh, const StationaryOptions *options, const StationaryFormulas *f,
                        StationaryArrays *a, Error *error) {
  const bool clamped = options->support;
  int count = 0, skew = 0;
  CellFacet *facet = cell_mesh_facets(mesh, &count, error);
  for (int k = 0; facet && k < count; k++) {
    int local[CELL_FACET_NODES_MAX];
    cell_shape_facet(mesh->shape, facet[k].number, local, NULL);
    const int *node = mesh->cell + (int64_t)facet[k].cell * cell_shape_info(mesh->shape)->nodes;
    const int p = node[local[0]], q = node[local[1]];
    if (!a->held[p] || !a->held[q]) continue;
    const double dx = fabs(mesh->X[p][0] - mesh->X[q][0]), dy = fabs(mesh->X[p][1] - mesh->X[q][1]);
    const bool along[2] = { dy <= 1e-9 * dx, dx <= 1e-9 * dy };
    skew += !along[0] && !along[1];
    for (int i = 0; i < 2; i++)
      if (along[i] || clamped) a->fixed[3 * p + 1 + i] = a->fixed[3 * q + 1 + i] = 1;
  }

  const bool ok = facet;
  free(facet);
  if (skew > 0 && !clamped && !a->warned)
    log_notice(
        "number of boundary sides that are not parallel to x or y: %d; on these sides only the deflection w is fixed, "
        "not its slopes",
        skew);
  a->warned = true;
  for (int node = 0; node < mesh->node_count; node++) {
    double gradient[3] = { 0 };
    if (a->held[node] && is_given(f, STATIONARY_BOUNDARY)) {
      enter_node(f, STATIONARY_BOUNDARY, mesh, node);
      stationary_formula_at(&f->of[STATIONARY_BOUNDARY], mesh->X[node], gradient);
    }
    for (int i = 0; i < 2; i++) {
      const StationaryFormulaName slope = i == 0 ? STATIONARY_SLOPE_X : STATIONARY_SLOPE_Y;
      const double value = is_given(f, slope) ? value_at(f, slope, mesh, node) : gradient[i];
      a->value[3 * node + 1 + i] = a->fixed[3 * node + 1 + i] ? options->boundary_times * value : 0;
    }
  }
  return ok;
}

// Adds a load on the boundary, multiplied by `times`, to unknown i of each node in a->load. The user gives this load as
// the formula `name`; without it, the function does nothing. `dof` is the number of unknowns per node. `part` is
// STATIONARY_WHOLE for the formula itself, or 0, 1 or 2 for the formula times this component of the outward normal.
static bool add_boundary_load(const CellMesh *mesh, const StationaryFormulas *f, StationaryFormulaName name, int part,
                              double times, int dof, int i, StationaryArrays *a, Error *error) {
  const int points = cell_shape_info(mesh->shape)->degree + 2;
  if (!is_given(f, name)) return true;
  const OnBoundary on = { mesh, &f->of[name], f->largest };
  const StationaryBoundary g = boundary_of(&on);
  memset(a->share, 0, sizeof *a->share * (size_t)mesh->node_count);
  if (!stationary_boundary_load(mesh, a->held, &g, part, points, a->share, error)) return false;
  for (int k = 0; k < mesh->node_count; k++) a->load[dof * k + i] += times * a->share[k];
  return true;
}

// Adds all loads on the boundary to a->load: flux of Poisson's equation, shear forces and moments of a plate, or
// tractions and pressure of a body.
static bool add_boundary_loads(const CellMesh *mesh, const StationaryElement *element, const StationaryOptions *options,
                               const StationaryFormulas *f, StationaryArrays *a, Error *error) {
  const int dof = element->node_dof;
  const double times = options->edge_times;
  const StationaryFormulaName first = element->solid ? STATIONARY_TRACTION_X : STATIONARY_FLUX;
  if (dof == 3 && !element->solid) {
    const OnBoundary on[2] = { { mesh, &f->of[STATIONARY_SHEAR], f->largest },
                               { mesh, &f->of[STATIONARY_MOMENT], f->largest } };
    const StationaryBoundary shear = boundary_of(&on[0]), moment = boundary_of(&on[1]);
    const bool shears = is_given(f, STATIONARY_SHEAR), turns = is_given(f, STATIONARY_MOMENT);
    return (!shears && !turns) || stationary_plate_edge_load(mesh, a->held, shears ? &shear : NULL,
                                                             turns ? &moment : NULL, times, a->load, error);
  }
  for (int i = 0; i < dof; i++)
    if (!add_boundary_load(mesh, f, (StationaryFormulaName)(first + i), STATIONARY_WHOLE, times, dof, i, a, error) ||
        // a pressure acts inward, against the outward normal
        (element->solid && !add_boundary_load(mesh, f, STATIONARY_PRESSURE, i, -times, dof, i, a, error)))
      return false;
  return true;
}

// Adds the force per volume along axis i, which the user gave as a formula, to the loads of a body. With
// STATIONARY_LOAD_POINTS the formula is evaluated at integration points. Otherwise it is interpolated between nodes.
static void add_force(const CellMesh *mesh, int dof, int i, const StationaryOptions *options,
                      const StationaryFormulas *f, StationaryArrays *a) {
  const StationaryFormulaName name = (StationaryFormulaName)(STATIONARY_FORCE_X + i);
  if (options->load == STATIONARY_LOAD_POINTS) {
    stationary_load(mesh, stationary_formula_at, &f->of[name], cell_shape_info(mesh->shape)->degree + 2, a->share);
  } else {
    for (int k = 0; k < mesh->node_count; k++) a->source[k] = value_at(f, name, mesh, k);
    stationary_nodal_load(mesh, a->source, a->share);
  }
  for (int k = 0; k < mesh->node_count; k++) a->load[dof * k + i] += options->source_times * a->share[k];
}

// Fills the arrays of a problem of elasticity: loads at nodes from the force per volume, and prescribed displacements
// from the formulas move_x, move_y and move_z. A direction without a formula has the displacement 0.
static bool fill_body(const CellMesh *mesh, const StationaryElement *element, const StationaryOptions *options,
                      const StationaryFormulas *f, StationaryArrays *a, Error *error) {
  const int dof = element->node_dof;
  const bool lumped = options->load == STATIONARY_LOAD_LUMPED;
  for (int k = 0; k < mesh->node_count; k++) a->source[k] = 1;
  if (!stationary_lumped_load(mesh, a->source, a->share, error)) return false;
  for (int k = 0; k < mesh->node_count; k++)
    for (int i = 0; i < dof; i++) {
      const StationaryFormulaName move = (StationaryFormulaName)(STATIONARY_MOVE_X + i);
      const StationaryFormulaName name = (StationaryFormulaName)(STATIONARY_FORCE_X + i);
      const double by_formula = lumped ? options->source_times * value_at(f, name, mesh, k) : 0;
      a->value[dof * k + i] = a->fixed[dof * k + i] ? options->boundary_times * value_at(f, move, mesh, k) : 0;
      a->load[dof * k + i] = a->share[k] * (is_given(f, name) ? by_formula : options->force[i]);
    }
  for (int i = 0; i < dof && !lumped; i++)
    if (is_given(f, (StationaryFormulaName)(STATIONARY_FORCE_X + i))) add_force(mesh, dof, i, options, f, a);
  return true;
}

static bool fill_field(const CellMesh *mesh, const StationaryElement *element, const StationaryOptions *options,
                       const StationaryFormulas *f, StationaryArrays *a, Error *error) {
  const int dof = element->node_dof, points = cell_shape_info(mesh->shape)->degree + 2;
  for (int k = 0; k < mesh->node_count; k++) {
    a->fixed[dof * k] = a->held[k];
    a->value[dof * k] = a->held[k] ? options->boundary_times * value_at(f, STATIONARY_BOUNDARY, mesh, k) : 0;
    a->source[k] = options->source_times * value_at(f, STATIONARY_SOURCE, mesh, k);
  }
  if (dof == 3 && !hold_slopes(mesh, options, f, a, error)) return false;
  memset(a->share, 0, sizeof *a->share * (size_t)mesh->node_count);
  if (options->load == STATIONARY_LOAD_POINTS)
    stationary_load(mesh, stationary_formula_at, &f->of[STATIONARY_SOURCE], points, a->share);
  if (options->load == STATIONARY_LOAD_LUMPED && !stationary_lumped_load(mesh, a->source, a->share, error))
    return false;
  const double times = options->load == STATIONARY_LOAD_POINTS ? options->source_times : 1;
  memset(a->load, 0, sizeof *a->load * (size_t)mesh->node_count * (size_t)dof);
  for (int k = 0; k < mesh->node_count; k++) {
    if (options->load != STATIONARY_LOAD_NODES) a->source[k] = 0;
    a->load[dof * k] = times * a->share[k];
  }
  return true;
}

// Fails if a formula had a value that is not finite. Without this check, a condition such as that of --held would count
// a NaN as false, and the node would get no prescribed value, without a message.
static bool check_formulas(const StationaryFormulas *f, Error *error) {
  bool ok = true;
  for (int k = 0; ok && k < STATIONARY_FORMULAS; k++) ok = formula_check(&f->of[k], rows[k].flag, error);
  return ok;
}

bool stationary_problem_fill(StationaryProblem *problem, StationaryArrays *a, const CellMesh *mesh,
                             const StationaryElement *element, const StationaryOptions *options,
                             const StationaryFormulas *f, Error *error) {
  const int dof = element->node_dof;
  int held = 0;
  if (!cell_mesh_boundary(mesh, a->held, error)) return false;
  for (int k = 0; k < mesh->node_count; k++) {
    const bool on_boundary = a->held[k];
    a->held[k] = on_boundary && value_at(f, STATIONARY_HELD, mesh, k) != 0;
    held += a->held[k];
    for (int i = 0; element->solid && i < dof; i++) {
      const StationaryFormulaName along = (StationaryFormulaName)(STATIONARY_HELD_X + i);
      a->fixed[dof * k + i] = a->held[k] || (on_boundary && value_at(f, along, mesh, k) != 0);
      held += a->fixed[dof * k + i];
    }
  }

  if (!check_formulas(f, error)) return false;
  if (held == 0)
    return error_set(error,
                     "--held: no part of the boundary is held, so the solution is not unique; "
                     "select boundary nodes, for a solid at least three that are not in line");
  if (!(element->solid ? fill_body : fill_field)(mesh, element, options, f, a, error) ||
      !add_boundary_loads(mesh, element, options, f, a, error) || !check_formulas(f, error))
    return false;
  *problem = (StationaryProblem){ .mesh = mesh,
                                  .element = element,
                                  .material = { options->conductivity },
                                  .source = element->solid ? NULL : a->source,
                                  .load = a->load,
                                  .fixed = a->fixed,
                                  .value = a->value };
  if (dof == 3) {
    problem->material[0] = options->rigidity;
    problem->material[1] = options->ratio;
  }
  if (element->solid) {
    problem->material[0] = lame_mu(options->young, options->ratio);
    problem->material[1] = lame_lambda(options->young, options->ratio);
    problem->material[2] = dof == 2 && options->plane;
  }
  return true;
}
