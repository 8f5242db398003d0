// Computes size, material, mass, energy and momentum of each body of a mesh (simulation.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/element/moduli.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"
#include "sim/stage_choice.h"

// Returns the number of the body to which a node belongs; 0 for a mesh without body numbers.
static int body_of(const Simulation *w, int node) {
  return w->space.body ? w->space.body[node] : 0;
}

// Completes the bounding box and the material of a body that is divided among processes. Each process has computed the
// values for its part of the body. The smallest or largest value of all processes is the value of the whole body.
static bool complete_body(const Simulation *w, double bounds[2][3], BodyTraits *traits, Error *error) {
  // Numbers that take the place of a ratio or density while the smallest value of all processes is found. NONE: this
  // process has no cell of the body. AS_SETTINGS: the value is NAN, which means the value of the settings.
  const double NONE = HUGE_VAL, AS_SETTINGS = -1e300;
  double v[9], *own[2] = { &traits->ratio, &traits->density };
  if (!w->halo) return true;
  for (int i = 0; i < 3; i++) {
    v[i] = bounds[0][i];
    v[3 + i] = -bounds[1][i];
  }
  v[6] = -traits->stiffness;
  for (int k = 0; k < 2; k++) v[7 + k] = traits->stiffness == 0 ? NONE : isnan(*own[k]) ? AS_SETTINGS : *own[k];
  for (int k = 0; k < 9; k++)
    if (!halo_smallest(w->halo, &v[k], error)) return false;
  for (int i = 0; i < 3; i++) {
    bounds[0][i] = v[i];
    bounds[1][i] = -v[3 + i];
  }
  traits->stiffness = -v[6];
  for (int k = 0; k < 2; k++) *own[k] = v[7 + k] == AS_SETTINGS ? (double)NAN : v[7 + k];
  return true;
}

bool simulation_find_bodies(Simulation *w, Error *error) {
  const Space *space = &w->space;
  w->body_count = 1;
  for (int a = 0; a < space->node_count; a++)
    if (body_of(w, a) >= w->body_count) w->body_count = body_of(w, a) + 1;
  double least = -w->body_count;
  if (!halo_smallest(w->halo, &least, error)) return false;
  w->body_count = -(int)least;

  w->body_traits = array_new(w->body_count, sizeof *w->body_traits, "bodies", error);
  double(*bounds)[2][3] = array_new(w->body_count, sizeof *bounds, "bodies", error);
  bool ok = w->body_traits && bounds;
  for (int k = 0; ok && k < w->body_count; k++) {
    w->body_traits[k] = (BodyTraits){ .ratio = NAN, .density = NAN };
    for (int i = 0; i < 3; i++) {
      bounds[k][0][i] = HUGE_VAL;
      bounds[k][1][i] = -HUGE_VAL;
    }
  }

  // Find the bounding boxes of the bodies; their diagonals are the extents.
  for (int a = 0; ok && a < space->node_count; a++)
    for (int i = 0; i < 3; i++) {
      double(*b)[3] = bounds[body_of(w, a)];
      b[0][i] = fmin(b[0][i], space->X[a][i]);
      b[1][i] = fmax(b[1][i], space->X[a][i]);
    }
  for (int e = 0; ok && e < space->cell_count; e++) {
    BodyTraits *t = &w->body_traits[body_of(w, space_cell(space, e)[0])];
    t->stiffness = fmax(t->stiffness, space->stiffness ? space->stiffness[e] : 1);
    if (space->ratio) t->ratio = space->ratio[e];
    if (space->density) t->density = space->density[e];
  }

  for (int k = 0; ok && k < w->body_count; k++) ok = complete_body(w, bounds[k], &w->body_traits[k], error);
  for (int k = 0; ok && k < w->body_count; k++) {
    double diagonal2 = 0;
    for (int i = 0; i < 3; i++) diagonal2 += (bounds[k][1][i] - bounds[k][0][i]) * (bounds[k][1][i] - bounds[k][0][i]);
    w->body_traits[k].extent = sqrt(diagonal2);
  }

  free(bounds);
  return ok;
}

int simulation_body_count(const Simulation *w) {
  return w->body_count;
}

// Writes mu and lambda, Pa, and the density, kg/m^3, of a body. If `body` is negative or the mesh has no body numbers,
// these are the values of the settings.
static void material_of_body(const Simulation *w, int body, double *mu, double *lambda, double *density) {
  const SimulationSettings *s = &w->settings;
  *mu = s->mu;
  *lambda = s->lambda;
  *density = s->density;
  if (!w->space.body || body < 0) return;
  const BodyTraits *t = &w->body_traits[body];
  *mu = t->stiffness * s->mu;
  *lambda = isnan(t->ratio) ? t->stiffness * s->lambda : t->ratio * *mu;
  if (!isnan(t->density)) *density = t->density;
}

double simulation_mouse_stiffness(const Simulation *w, int body) {
  double mu, lambda, density;
  material_of_body(w, body, &mu, &lambda, &density);
  // A cube with edges of length `extent` and Young's modulus E has the stiffness E * extent under tension. A hundredth
  // of this is more than the stiffness of thin parts of the body, so that these follow the mouse. It is far less than
  // the stiffness of the whole body.
  return 0.01 * young_modulus(mu, lambda) * (w->space.body && body >= 0 ? w->body_traits[body].extent : w->extent);
}

double simulation_mouse_speed(const Simulation *w, int body) {
  double mu, lambda, density;
  material_of_body(w, body, &mu, &lambda, &density);
  return 0.5 * sqrt(mu / density);
}

// Adds a node of `mass`, kg, at x, m, with momentum p, kg m/s, to the sums of its body: mass, centre, linear and
// angular momentum.
static void add_node(BodyMotion *m, double mass, const double x[3], const double p[3]) {
  m->nodes++;
  m->mass += mass;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    m->centre[i] += mass * x[i];
    m->linear[i] += p[i];
    m->angular[i] += x[j] * p[k] - x[k] * p[j];
  }
}

// Adds the strain energy of each cell to the sum of its body. u [node_count][3] are displacements, m.
static void add_elastic(const Simulation *w, const double (*u)[3], BodyMotion *motion) {
  const Space *space = &w->space;
  const ElementRow *row = element_row(stages_shape(space), w->settings.material, DEVICE_CPU, PRECISION_F64);
  double material[MATERIAL_PARAMETERS], nodal[CELL_NODES_MAX][3];
  settings_material(&w->settings, material);
  for (int e = 0; e < halo_cells(w->halo, space->cell_count); e++) {
    const int *node = space_cell(space, e);
    BodyMotion *m = &motion[body_of(w, node[0])];
    for (int a = 0; a < space->cell_nodes; a++) memcpy(nodal[a], u[node[a]], sizeof *nodal);
    m->tets++;
    m->elastic += row->cell_energy(space, nodal, e, material);
  }
}

// Replaces the sums over the nodes and cells of this process by sums over all processes. At this point `centre` is not
// yet divided by the mass: it is the sum of mass times position.
static bool add_ranks(const Simulation *w, BodyMotion *motion, Error *error) {
  enum { VALUES = 14 };
  for (int k = 0; w->halo && k < w->body_count; k++) {
    BodyMotion *m = &motion[k];
    double v[VALUES] = { m->nodes, m->tets, m->mass, m->kinetic, m->elastic };
    for (int i = 0; i < 3; i++) {
      v[5 + i] = m->centre[i];
      v[8 + i] = m->linear[i];
      v[11 + i] = m->angular[i];
    }
    if (!halo_sum(w->halo, v, VALUES, error)) return false;
    *m = (BodyMotion){ .nodes = (int)v[0], .tets = (int)v[1], .mass = v[2], .kinetic = v[3], .elastic = v[4] };
    for (int i = 0; i < 3; i++) {
      m->centre[i] = v[5 + i];
      m->linear[i] = v[8 + i];
      m->angular[i] = v[11 + i];
    }
  }
  return true;
}

bool simulation_bodies(Simulation *w, BodyMotion *motion, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const int nodes = w->space.node_count;
  const Stream stream = simulation_stream(w);
  double(*u)[3] = array_new(nodes, sizeof *u, "displacements", error);
  double(*p)[3] = array_new(nodes, sizeof *p, "momenta", error);
  const bool consistent = w->masses.diagonal;
  const int own_nodes = halo_nodes(w->halo, nodes);
  double(*v)[3] = consistent ? array_new(nodes, sizeof *v, "velocities", error) : NULL;
  bool ok = u && p && w->arrays->displacements(w->motion, u, stream, error) &&
            w->arrays->read(w->motion, MOTION_P, &p[0][0], stream, error) &&
            (!consistent || (v && simulation_inside_velocities(w, v, error)));

  memset(motion, 0, sizeof *motion * (size_t)w->body_count);
  for (int a = 0; ok && a < own_nodes; a++) {
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = w->space.X[a][i] + u[a][i];

    // With consistent masses, mass and centre are sums over w->weight, the integrals of density times shape function.
    add_node(&motion[body_of(w, a)], consistent ? w->weight[a] : w->mass[a], x, p[a]);
    for (int i = 0; i < 3; i++)
      motion[body_of(w, a)].kinetic += consistent ? 0.5 * p[a][i] * v[a][i] : p[a][i] * p[a][i] / (2 * w->mass[a]);
  }

  if (ok) add_elastic(w, (const double(*)[3])u, motion);
  ok = ok && add_ranks(w, motion, error);
  for (int k = 0; ok && k < w->body_count; k++)
    for (int i = 0; i < 3; i++) motion[k].centre[i] /= motion[k].mass;
  free(u);
  free(p);
  free(v);
  return ok;
}
