// Integrals over a mesh, computed on the host: loads, differences from an exact solution, and stresses. See
// stationary.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/stationary/stationary.h"
#include "sim/element/moduli.h"
#include "sim/element/space.h"
#include "sim/report/tet_stress.h"

// A cell, and quantities at one point of it. node, X: the cell's nodes and their positions. The other members belong to
// the point: shape functions N, their gradients B by position, the position x, and det J of the map from the reference
// cell.
typedef struct CellAt {
  const int *node;
  double X[CELL_NODES_MAX][3], N[CELL_NODES_MAX], B[CELL_NODES_MAX][3], x[3], det;
} CellAt;

static void cell_take(CellAt *c, const CellMesh *mesh, int e) {
  const int nodes = cell_shape_info(mesh->shape)->nodes;
  c->node = mesh->cell + (int64_t)e * nodes;
  for (int a = 0; a < nodes; a++) memcpy(c->X[a], mesh->X[c->node[a]], sizeof c->X[a]);
}

// Evaluates shape functions, their gradients, position and det J at the point with reference coordinates xi.
static void cell_at(CellAt *c, const CellMesh *mesh, const double *xi) {
  double J[3][3], dN[CELL_NODES_MAX][3];
  c->det = cell_shape_map(mesh->shape, (const double(*)[3])c->X, xi, c->x, J);
  cell_shape_at(mesh->shape, xi, c->N, dN);
  for (int a = 0; a < cell_shape_info(mesh->shape)->nodes; a++)
    for (int i = 0; i < 3; i++) {
      c->B[a][i] = 0;
      for (int j = 0; j < 3; j++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        c->B[a][i] += (J[i1][j1] * J[i2][j2] - J[i1][j2] * J[i2][j1]) / c->det * dN[a][j];
      }
    }
}

// Computes load [node_count]: for each node, the integral of a source times the node's shape function. The source is f
// or, if f is NULL, the shape functions interpolate it from its values at_nodes [node_count].
static void integrate_load(const CellMesh *mesh, StationaryFunction f, const void *user, const double *at_nodes,
                           int points, double *load) {
  double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX];
  const int count = cell_shape_rule(mesh->shape, points, xi, weight), nodes = cell_shape_info(mesh->shape)->nodes;
  memset(load, 0, sizeof *load * (size_t)mesh->node_count);
  for (int e = 0; e < mesh->cell_count; e++) {
    CellAt c;
    cell_take(&c, mesh, e);
    for (int q = 0; q < count; q++) {
      cell_at(&c, mesh, xi[q]);
      double value = at_nodes ? 0 : f(user, c.x, NULL);
      for (int a = 0; at_nodes && a < nodes; a++) value += at_nodes[c.node[a]] * c.N[a];
      const double share = weight[q] * c.det * value;
      for (int a = 0; a < nodes; a++) load[c.node[a]] += share * c.N[a];
    }
  }
}

void stationary_load(const CellMesh *mesh, StationaryFunction f, const void *user, int points, double *load) {
  integrate_load(mesh, f, user, NULL, points, load);
}

void stationary_nodal_load(const CellMesh *mesh, const double *f, double *load) {
  integrate_load(mesh, NULL, NULL, f, cell_shape_info(mesh->shape)->degree + 1, load);
}

static void enter(const StationaryBoundary *g, const CellFacet *facet) {
  if (g && g->enter) g->enter(g->user, facet);
}

bool stationary_boundary_load(const CellMesh *mesh, const uint8_t *held, const StationaryBoundary *g, int part,
                              int points, double *load, Error *error) {
  int count = 0;
  CellFacet *facet = cell_mesh_facets(mesh, &count, error);
  double xi[CELL_RULE_MAX * CELL_RULE_MAX][3], weight[CELL_RULE_MAX * CELL_RULE_MAX], direction[2][3];
  for (int k = 0; facet && k < count; k++) {
    CellAt c;
    int node[CELL_FACET_NODES_MAX];
    const int nodes = cell_shape_facet(mesh->shape, facet[k].number, node, NULL);
    bool whole = true;
    double middle[3] = { 0 };
    cell_take(&c, mesh, facet[k].cell);
    const int all = cell_shape_info(mesh->shape)->nodes;
    for (int a = 0; a < all; a++)
      for (int i = 0; i < 3; i++) middle[i] += c.X[a][i] / all;
    for (int a = 0; a < nodes; a++) whole = whole && held[c.node[node[a]]];
    if (whole) continue;
    enter(g, &facet[k]);
    const int rule = cell_shape_facet_rule(mesh->shape, facet[k].number, points, xi, weight, direction);
    for (int q = 0; q < rule; q++) {
      double J[3][3], t[2][3] = { { 0 } };
      cell_shape_map(mesh->shape, (const double(*)[3])c.X, xi[q], c.x, J);
      cell_shape_at(mesh->shape, xi[q], c.N, NULL);
      for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) t[s][i] += J[i][j] * direction[s][j];
      if (cell_shape_info(mesh->shape)->dimension == 2) t[1][2] = 1;
      double measure = 0, normal[3], outward = 0;
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        normal[i] = t[0][j] * t[1][m] - t[0][m] * t[1][j];
        measure += normal[i] * normal[i];
        outward += normal[i] * (c.x[i] - middle[i]);
      }
      const double size = part == STATIONARY_WHOLE ? sqrt(measure) : outward > 0 ? normal[part] : -normal[part];
      const double share = weight[q] * size * g->at(g->user, c.x, NULL);
      for (int a = 0; a < nodes; a++) load[c.node[node[a]]] += share * c.N[node[a]];
    }
  }

  const bool ok = facet;
  free(facet);
  return ok;
}

bool stationary_plate_edge_load(const CellMesh *mesh, const uint8_t *held, const StationaryBoundary *shear,
                                const StationaryBoundary *moment, double times, double *load, Error *error) {
  // 4 Gauss points per side are exact up to degree 7, for example for a cubic deflection w times a load of degree 4.
  enum { POINTS = 4 };
  static const double abscissa[2] = { 0.3399810435848563, 0.8611363115940526 };
  static const double weight[2] = { 0.6521451548625461, 0.3478548451374538 };
  int count = 0;
  CellFacet *facet = cell_mesh_facets(mesh, &count, error);
  for (int k = 0; facet && k < count; k++) {
    int local[CELL_FACET_NODES_MAX];
    CellAt c;
    cell_take(&c, mesh, facet[k].cell);
    cell_shape_facet(mesh->shape, facet[k].number, local, NULL);
    const int p = c.node[local[0]], q = c.node[local[1]];
    const double *A = mesh->X[p], *B = mesh->X[q], dx = B[0] - A[0], dy = B[1] - A[1], L = hypot(dx, dy);

    // Choose the sign of the outward normal: it points away from the cell's first node that is not on the side.
    const double tx = dx / L, ty = dy / L;
    int other = 0;
    while (c.node[other] == p || c.node[other] == q) other++;
    const double inward = ty * (c.X[other][0] - A[0]) - tx * (c.X[other][1] - A[1]), side = inward > 0 ? -1 : 1;
    const double nx = side * ty, ny = -side * tx;
    const bool whole = held[p] && held[q];
    enter(shear, &facet[k]);
    enter(moment, &facet[k]);
    for (int g = 0; g < POINTS; g++) {
      const double xi = abscissa[g / 2] * (g % 2 ? 1 : -1), s = (1 + xi) / 2, ds = times * weight[g / 2] / 2 * L;
      const double x[3] = { A[0] + s * dx, A[1] + s * dy, 0 };
      const double V = shear && !whole ? ds * shear->at(shear->user, x, NULL) : 0;
      const double M = moment ? ds * moment->at(moment->user, x, NULL) : 0;

      // s is the position on the side, 0 to 1. The deflection w is cubic along the side. Its shape functions are w[end]
      // for the deflection at each end, and turn[end] for the slope along the side at each end.
      const double w[2] = { 1 - s * s * (3 - 2 * s), s * s * (3 - 2 * s) };
      const double turn[2] = { L * s * (1 - s) * (1 - s), -L * s * s * (1 - s) }, part[2] = { 1 - s, s };
      for (int end = 0; end < 2; end++) {
        double *at = load + 3 * (int64_t)(end == 0 ? p : q);
        at[0] += V * w[end];
        at[1] += V * turn[end] * tx + M * part[end] * nx;
        at[2] += V * turn[end] * ty + M * part[end] * ny;
      }
    }
  }

  const bool ok = facet;
  free(facet);
  return ok;
}

bool stationary_lumped_load(const CellMesh *mesh, const double *f, double *load, Error *error) {
  Space space;
  if (!space_create_cells(&space, mesh, 1, error)) return false;
  space_weight(&space, 1, load);
  space_destroy(&space);
  for (int a = 0; a < mesh->node_count; a++) load[a] *= f[a];
  return true;
}

void stationary_distance(const CellMesh *mesh, const double *u, StationaryFunction exact, const void *user, int points,
                         double *L2, double *H1) {
  double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX], values = 0, slopes = 0;
  const int count = cell_shape_rule(mesh->shape, points, xi, weight), nodes = cell_shape_info(mesh->shape)->nodes;
  for (int e = 0; e < mesh->cell_count; e++) {
    CellAt c;
    cell_take(&c, mesh, e);
    for (int q = 0; q < count; q++) {
      double gradient[3] = { 0 };
      cell_at(&c, mesh, xi[q]);
      double value = -exact(user, c.x, H1 ? gradient : NULL);
      for (int a = 0; a < nodes; a++) {
        value += u[c.node[a]] * c.N[a];
        for (int i = 0; i < 3; i++) gradient[i] -= u[c.node[a]] * c.B[a][i];
      }
      const double w = weight[q] * c.det;
      values += w * value * value;
      for (int i = 0; i < cell_shape_info(mesh->shape)->dimension; i++) slopes += w * gradient[i] * gradient[i];
    }
  }
  *L2 = sqrt(values);
  if (H1) *H1 = sqrt(slopes);
}

void stationary_stress(const CellMesh *mesh, const double *u, const double material[STATIONARY_PARAMETERS],
                       double (*sigma)[6], double *mises) {
  const CellShapeInfo *shape = cell_shape_info(mesh->shape);
  const bool plane = shape->dimension == 2;
  const double mu = material[0], lambda = plane ? lame_plane_lambda(mu, material[1], material[2] != 0) : material[1];
  static const int row[6] = { 0, 1, 2, 0, 1, 0 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX];
  const int count = cell_shape_rule(mesh->shape, shape->degree + 1, xi, weight);
  for (int e = 0; e < mesh->cell_count; e++) {
    CellAt c;
    double G[3][3] = { { 0 } }, volume = 0;  // integral of the displacement's gradient over the cell
    cell_take(&c, mesh, e);
    for (int q = 0; q < count; q++) {
      cell_at(&c, mesh, xi[q]);
      volume += weight[q] * c.det;
      for (int a = 0; a < shape->nodes; a++)
        for (int i = 0; i < shape->dimension; i++)
          for (int j = 0; j < shape->dimension; j++)
            G[i][j] += weight[q] * c.det * u[(int64_t)shape->dimension * c.node[a] + i] * c.B[a][j];
    }
    const double factor = (mesh->factor ? mesh->factor[e] : 1) / volume, trace = G[0][0] + G[1][1] + G[2][2];
    for (int k = 0; k < 6; k++) {
      const int i = row[k], j = column[k];
      sigma[e][k] = factor * (mu * (G[i][j] + G[j][i]) + (i == j ? lambda * trace : 0));
    }
    if (plane && material[2] != 0) sigma[e][2] = 0;  // plane stress: no stress along z
    mises[e] = von_mises(sigma[e]);
  }
}
