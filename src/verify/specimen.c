// Makes the bodies of the verification cases: see specimen.h.
#include "verify/specimen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/grid.h"
#include "mesh/join.h"
#include "mesh/quadratic.h"
#include "sim/element/moduli.h"

// Allocates the specimen's arrays per node, with masses and positions at rest.
static bool make_arrays(Specimen *s, Error *error) {
  const int nodes = s->mesh.node_count;
  free(s->pinned);
  free(s->mass);
  free(s->x);
  free(s->p);
  free(s->f);
  s->pinned = array_new(nodes, sizeof *s->pinned, "pins", error);
  s->mass = array_new(nodes, sizeof *s->mass, "masses", error);
  s->x = array_new(nodes, sizeof *s->x, "positions", error);
  s->p = array_new(nodes, sizeof *s->p, "momenta", error);
  s->f = array_new(nodes, sizeof *s->f, "forces", error);
  if (!s->pinned || !s->mass || !s->x || !s->p || !s->f) return false;
  mesh_lumped_mass(&s->mesh, s->settings.density, s->mass);
  memcpy(s->x, s->mesh.X, sizeof *s->x * (size_t)nodes);
  return true;
}

bool specimen_mesh(Specimen *s, const SimulationSettings *stages, TetMesh *mesh, double young, double poisson,
                   double density, Error *error) {
  *s = (Specimen){ .settings = *stages, .young = young, .mesh = *mesh };
  *mesh = (TetMesh){ 0 };
  SimulationSettings *t = &s->settings;
  t->mu = lame_mu(young, poisson);
  t->lambda = lame_lambda(young, poisson);
  t->density = density;
  t->damping = 0;
  memset(t->gravity, 0, sizeof t->gravity);
  t->newton = NEWTON_ROBUST;
  t->newton_absolute = 0;
  t->newton_max = 50;
  t->newton_relative = t->precision == PRECISION_F64 ? 1e-11 : 1e-6;
  t->cg_relative = t->precision == PRECISION_F64 ? 1e-10 : 1e-5;
  t->cg_max = 100000;
  return mesh_raise(&s->mesh, t->degree, error) && make_arrays(s, error);
}

// Returns true if hexes have the method `name` of this kind (assembly, matrix or solver) or, for an empty name, any
// method.
static bool there_is(StageKind kind, const char *name, const SimulationSettings *s) {
  const Stage *stage;
  for (int k = 0; (stage = simulation_stage(kind, simulation_shape(s), k)); k++)
    if (stage->precision == s->precision && (!name[0] || stage_is_named(stage, name))) return true;
  return false;
}

bool hexes_are_built(void) {
  return simulation_element("hex8");
}

SimulationSettings stages_of_hexes(const SimulationSettings *stages) {
  SimulationSettings s = *stages;
  s.hexes = true;
  s.degree = 1;
  s.supplemental = SUPPLEMENTAL_FULL;
  s.mass = MASS_LUMPED;
  if (!there_is(STAGE_ASSEMBLY, s.assembly, &s) || !there_is(STAGE_OPERATOR, s.matrix, &s))
    s.assembly[0] = s.matrix[0] = s.solver[0] = '\0';
  return s;
}

static bool box_of_hexes(const int cells[3], const double size[3], TetMesh *mesh, Error *error) {
  Grid grid = { .shape = CELL_HEX8 };
  CellMesh made = { 0 };
  memcpy(grid.cells, cells, sizeof grid.cells);
  memcpy(grid.size, size, sizeof grid.size);
  return grid_make(&grid, &made, error) && cell_mesh_to_body(&made, mesh, error);
}

bool specimen_box(Specimen *s, const SimulationSettings *stages, const int cells[3], const double size[3], double young,
                  double poisson, double density, Error *error) {
  TetMesh mesh = { 0 };
  *s = (Specimen){ 0 };
  if (!(stages->hexes ? box_of_hexes(cells, size, &mesh, error)
                      : mesh_make_box(cells[0], cells[1], cells[2], size, &mesh, error)))
    return false;
  const bool ok = specimen_mesh(s, stages, &mesh, young, poisson, density, error);
  memcpy(s->size, size, sizeof s->size);
  return ok;
}

bool specimen_add(Specimen *s, TetMesh *mesh, const double by[3], Error *error) {
  const int before = s->mesh.node_count, last = before > 0 ? mesh_body(&s->mesh, before - 1) : 0;
  for (int a = 0; a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) mesh->X[a][i] += by[i];
  bool ok = mesh_raise(mesh, s->settings.degree, error);
  int *body = ok ? array_new((int64_t)before + mesh->node_count, sizeof *body, "bodies", error) : NULL;
  for (int a = 0; body && a < before + mesh->node_count; a++) body[a] = a < before ? mesh_body(&s->mesh, a) : last + 1;
  ok = body && mesh_join(&s->mesh, mesh, error);
  if (ok)
    s->mesh.body = body;
  else
    free(body);
  mesh_destroy(mesh);
  return ok && make_arrays(s, error);
}

void specimen_touches(Specimen *s, double distance) {
  SimulationSettings *t = &s->settings;
  t->self_contact = true;
  t->integrator = INTEGRATOR_EULER;
  t->contact_distance = distance;
  t->solver_device = SOLVER_DEVICE_SAME;  // contact supports only one device
}

void specimen_destroy(Specimen *s) {
  simulation_destroy(s->simulation);
  mesh_destroy(&s->mesh);
  free(s->pinned);
  free(s->mass);
  free(s->x);
  free(s->p);
  free(s->f);
  *s = (Specimen){ 0 };
}

bool specimen_start(Specimen *s, Error *error) {
  simulation_destroy(s->simulation);
  s->simulation = NULL;
  return simulation_create(&s->simulation, &s->mesh, &s->settings, s->pinned, error);
}

bool specimen_throw(Specimen *s, Error *error) {
  if (s->settings.mass == MASS_CONSISTENT)
    return simulation_set_velocities(s->simulation, (const double(*)[3])s->p, error);
  for (int a = 0; a < s->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) s->p[a][i] *= s->mass[a];
  return simulation_set_state(s->simulation, NULL, (const double(*)[3])s->p, error);
}

bool specimen_load(Specimen *s, int increments, Error *error) {
  const int nodes = s->mesh.node_count;
  LoadPathReport report;
  double(*move)[3] = array_new(nodes, sizeof *move, "moves", error);
  double(*from)[3] = array_new(nodes, sizeof *from, "positions", error);
  bool ok = move && from && simulation_state(s->simulation, from, NULL, error);
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) move[a][i] = s->x[a][i] - from[a][i];
  const LoadPath path = { .increments = increments,
                          .force = (const double(*)[3])s->f,
                          .pressure = s->pressure,
                          .move = (const double(*)[3])move,
                          .pinned = s->pinned };
  ok = ok && load_path_run(s->simulation, &s->mesh, &path, &report, error) &&
       simulation_state(s->simulation, s->x, NULL, error);
  free(move);
  free(from);
  return ok;
}

bool specimen_mean_stress(Specimen *s, double P[3][3], Error *error) {
  if (!simulation_internal_force(s->simulation, s->f, error)) return false;
  const double volume = s->size[0] * s->size[1] * s->size[2];
  memset(P, 0, 9 * sizeof(double));
  for (int a = 0; a < s->mesh.node_count; a++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) P[i][k] += s->f[a][i] * s->mesh.X[a][k] / volume;
  return true;
}

// Computes the gradients b[c], 1/m, of the barycentric coordinates of tet e.
static void corner_gradients(const TetMesh *mesh, int e, double b[4][3]) {
  const int *tet = mesh->tet[e];
  double D[3][3];
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) D[a][i] = mesh->X[tet[a]][i] - mesh->X[tet[3]][i];
  const double det = 6 * mesh_tet_volume(mesh, e);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) {
      const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      b[a][i] = (D[a1][i1] * D[a2][i2] - D[a1][i2] * D[a2][i1]) / det;
    }
  for (int i = 0; i < 3; i++) b[3][i] = -(b[0][i] + b[1][i] + b[2][i]);
}

ShapeAt specimen_shape(const Specimen *s, int e, const double l[4]) {
  ShapeAt at = { .nodes = mesh_cell_nodes(&s->mesh) };
  double b[4][3], dN[CELL_NODES_MAX][3];
  corner_gradients(&s->mesh, e, b);
  cell_shape_at(mesh_shape(&s->mesh), l, at.N, dN);
  for (int a = 0; a < at.nodes; a++) {
    at.node[a] = mesh_cell_node(&s->mesh, e, a);
    for (int i = 0; i < 3; i++) at.B[a][i] = dN[a][0] * b[0][i] + dN[a][1] * b[1][i] + dN[a][2] * b[2][i];
  }
  return at;
}

// Computes the neo-Hookean first Piola-Kirchhoff stress P = mu (F - F^-T) + lambda ln J F^-T from F, with J = det F.
static void stress(double F[3][3], double mu, double lambda, double P[3][3]) {
  double cof[3][3], J = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      cof[i][k] = F[i1][k1] * F[i2][k2] - F[i1][k2] * F[i2][k1];
    }
  for (int k = 0; k < 3; k++) J += F[0][k] * cof[0][k];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) P[i][k] = mu * (F[i][k] - cof[i][k] / J) + lambda * log(J) * cof[i][k] / J;
}

void specimen_stress_load(Specimen *s, const Quadrature *q, void (*gradient)(const double X[3], double F[3][3])) {
  for (int e = 0; e < s->mesh.tet_count; e++) {
    const double volume = mesh_tet_volume(&s->mesh, e);
    for (int n = 0; n < q->count; n++) {
      const ShapeAt at = specimen_shape(s, e, q->barycentric[n]);
      double X[3] = { 0 }, F[3][3], P[3][3];
      for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++) X[i] += q->barycentric[n][c] * s->mesh.X[at.node[c]][i];
      gradient(X, F);
      stress(F, s->settings.mu, s->settings.lambda, P);
      for (int a = 0; a < at.nodes; a++)
        for (int i = 0; i < 3; i++)
          for (int k = 0; k < 3; k++) s->f[at.node[a]][i] += q->weight[n] * volume * P[i][k] * at.B[a][k];
    }
  }
}

void specimen_share_over_end(const Specimen *s, double *fraction) {
  double total = 0;
  for (int e = 0; s->mesh.hex && e < s->mesh.tet_count; e++)
    for (int c = 4; c < 8 && specimen_on_face(s, s->mesh.hex[e][7], 2, 1); c++) {
      fraction[s->mesh.hex[e][c]] += 1;
      total++;
    }
  for (int e = 0; !s->mesh.hex && e < s->mesh.tet_count; e++)
    for (int d = 0; d < 4; d++) {
      // count the corners of the triangle opposite to corner d that are on the box's face at the high end of Z
      int count = 0;
      for (int c = 0; c < 4; c++) count += c != d && specimen_on_face(s, s->mesh.tet[e][c], 2, 1);
      if (count < 3) continue;
      total += 3;
      for (int c = 0; c < 4 && !s->mesh.middle; c++)
        if (c != d) fraction[s->mesh.tet[e][c]] += s->mesh.outer ? 0.1 : 1;
      for (int m = 0; m < 12 && s->mesh.outer; m++)
        if (tet_edge_corners[m / 2][0] != d && tet_edge_corners[m / 2][1] != d)
          fraction[s->mesh.outer[e][m]] += 9.0 / 40;
      if (s->mesh.outer) fraction[s->mesh.outer[e][12 + d]] += 27.0 / 20;
      for (int m = 0; m < 6 && s->mesh.middle; m++)
        if (tet_edge_corners[m][0] != d && tet_edge_corners[m][1] != d) fraction[s->mesh.middle[e][m]] += 1;
    }
  for (int a = 0; a < s->mesh.node_count; a++) fraction[a] /= total;
}

bool specimen_on_face(const Specimen *s, int a, int axis, int end) {
  return fabs(s->mesh.X[a][axis] - end * s->size[axis]) < 1e-9 * s->size[axis];
}

double bound_in(const SimulationSettings *stages, double in_double, double in_float) {
  return stages->precision == PRECISION_F64 ? in_double : in_float;
}

Richardson richardson(const double r[3]) {
  const double ratio = (r[1] - r[0]) / (r[2] - r[1]);
  const Richardson answer = { log2(ratio), r[2] + (r[2] - r[1]) / (ratio - 1) };
  return answer;
}
