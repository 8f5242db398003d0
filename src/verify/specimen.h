// What the cases work on: a box of tetrahedra or hexahedra with its simulation, and the arrays that a case needs beside
// it.
#pragma once
#include "base/random.h"
#include "sim/load_path.h"
#include "sim/simulation.h"

/// Whether this build has an element of hexahedra (-Delements); else their numbers are left out.
bool hexes_are_built(void);

/// The same stages for bodies of hexahedra; where these lack one by name, what is taken by itself.
SimulationSettings stages_of_hexes(const SimulationSettings *stages);

// A zeroed Specimen is empty. Arrays are [mesh.node_count].
typedef struct Specimen {
  TetMesh mesh;
  double size[3];  // m
  double young;    // Pa
  SimulationSettings settings;
  Simulation *simulation;  // NULL before specimen_start
  uint8_t *pinned;
  double *mass;             // kg
  double (*x)[3], (*p)[3];  // state, m and kg m/s
  double (*f)[3];           // loads or internal forces, N
} Specimen;

/// A box of tets of the stages' degree, or of hexes where they are for these, from
/// the origin to `size`, cells[0] x cells[1] x cells[2], of a material with `stages`' stages and tolerances near
/// round-off. Nothing is pinned; x is at rest, p and f are zero.
bool specimen_box(Specimen *specimen, const SimulationSettings *stages, const int cells[3], const double size[3],
                  double young, double poisson, double density, Error *error);

/// The same of a mesh of linear tets, which it takes; `size` is left out.
bool specimen_mesh(Specimen *specimen, const SimulationSettings *stages, TetMesh *mesh, double young, double poisson,
                   double density, Error *error);

/// Adds a mesh of linear tets moved by `by` m as another body, before the simulation is made. `mesh` is taken.
bool specimen_add(Specimen *specimen, TetMesh *mesh, const double by[3], Error *error);

/// Bodies touch themselves and each other, below this distance, m. All stages are then on the body's device.
void specimen_touches(Specimen *specimen, double distance);

void specimen_destroy(Specimen *specimen);

/// Creates the simulation, with what `pinned` and `settings` now say.
bool specimen_start(Specimen *specimen, Error *error);

/// Sets the state's momenta to masses times the velocities, m/s, that `p` holds.
bool specimen_throw(Specimen *specimen, Error *error);

/// Equilibrium by load_path_run with the loads `f` and the moves of held unknowns given as positions `x`; x is then the
/// state reached. `increments` to begin with.
bool specimen_load(Specimen *specimen, int increments, Error *error);

/// The mean first Piola-Kirchhoff stress, Pa: sum over nodes of the internal force f_a X_a^T, over the volume. What
/// grips the body's boundary measures the same. Leaves the internal forces in f.
bool specimen_mean_stress(Specimen *specimen, double P[3][3], Error *error);

/// Whether node a lies on the low (end 0) or high (end 1) face of an axis.
bool specimen_on_face(const Specimen *specimen, int a, int axis, int end);

/// A bound for the precision that runs. Bounds are at most ten times the largest error that was measured of the numbers
/// they hold, over CPU and GPU, assemblies, formats and both forms of S(e).
double bound_in(const SimulationSettings *stages, double in_double, double in_float);

// Shape functions of a specimen's tets at a point with barycentric coordinates, and their gradients, 1/m. `nodes` of
// the tet are 4, 10 or 20.
typedef struct ShapeAt {
  int nodes, node[20];
  double N[20], B[20][3];
} ShapeAt;
ShapeAt specimen_shape(const Specimen *specimen, int e, const double barycentric[4]);

// Points within a tet, and their weights, which sum to 1.
enum { SPECIMEN_POINTS_MAX = 64 };
typedef struct Quadrature {
  int count;
  double barycentric[SPECIMEN_POINTS_MAX][4], weight[SPECIMEN_POINTS_MAX];
} Quadrature;

/// Adds to f what keeps a body in equilibrium whose deformation gradient at X is F(X), weakly: the integral of
/// P(F) grad phi_a, P of the neo-Hookean material.
void specimen_stress_load(Specimen *specimen, const Quadrature *quadrature,
                          void (*gradient)(const double X[3], double F[3][3]));

/// Each node's share of a uniform traction on the face at the high end of Z, [node_count]: the corners of a linear
/// tet's triangle have a third each, of a quadratic one's the nodes in the middle of its sides, of a
/// cubic one's 1/30 a corner, 3/40 a node of its sides and 9/20 its middle, of a hex's face a
/// quarter. All triangles, or faces, there are equal.
void specimen_share_over_end(const Specimen *specimen, double *share);

// Three results on meshes each twice as fine as the one before: the order at which they converge, and their limit.
typedef struct Richardson {
  double order, limit;
} Richardson;
Richardson richardson(const double results[3]);
