// A specimen is the body of a verification case: a box or another mesh of tetrahedra or hexahedra, with its simulation
// and the arrays of the case.
#pragma once
#include "base/random.h"
#include "sim/load_path.h"
#include "sim/simulation.h"

/// Tests if this build has an element for hexahedra (meson option -Delements). If it has none, cases leave out the
/// checks of hexahedra.
bool hexes_are_built(void);

/// Returns `stages`, the choice of methods, for bodies of hexahedra. If a method that `stages` names does not exist for
/// hexahedra, the default methods are chosen.
SimulationSettings stages_of_hexes(const SimulationSettings *stages);

// A body with its simulation. Arrays have the length mesh.node_count. A zeroed Specimen is empty.
typedef struct Specimen {
  TetMesh mesh;
  double size[3];  // m
  double young;    // Pa
  SimulationSettings settings;
  Simulation *simulation;  // NULL before specimen_start creates it
  uint8_t *pinned;
  double *mass;                  // kg
  double (*x)[3], (*p)[3];       // positions, m, and momenta, kg m/s
  double (*f)[3];                // loads, or internal forces, N
  const PressureLoad *pressure;  // pressures that specimen_load applies, borrowed; NULL: none
} Specimen;

/// Creates a box of cells[0] x cells[1] x cells[2] cells, from the origin to `size`. The cells are tets of degree
/// stages->degree, or hexahedra if stages->hexes is true. Tolerances of the solvers are near rounding errors. No node
/// is pinned, x has the rest positions, and p and f are 0.
bool specimen_box(Specimen *specimen, const SimulationSettings *stages, const int cells[3], const double size[3],
                  double young, double poisson, double density, Error *error);

/// As specimen_box, for a given mesh of linear tets, which the specimen then owns. The member `size` stays 0.
bool specimen_mesh(Specimen *specimen, const SimulationSettings *stages, TetMesh *mesh, double young, double poisson,
                   double density, Error *error);

/// Adds another body before the simulation is created: a mesh of linear tets, moved by `by`, m. Frees `mesh`.
bool specimen_add(Specimen *specimen, TetMesh *mesh, const double by[3], Error *error);

/// Enables contact of bodies with themselves and with each other at distances below `distance`, m. All methods then run
/// on the device of the body.
void specimen_touches(Specimen *specimen, double distance);

void specimen_destroy(Specimen *specimen);

/// Creates the simulation with the present members `pinned` and `settings`.
bool specimen_start(Specimen *specimen, Error *error);

/// Sets the velocities of the nodes to the array `p`, which here contains velocities, m/s. Afterwards the contents of
/// `p` are undefined.
bool specimen_throw(Specimen *specimen, Error *error);

/// Computes the equilibrium under the loads f, by load_path_run with `increments` load increments at first. Pinned
/// nodes move to their positions in x. At the end, x has the positions of all nodes in equilibrium.
bool specimen_load(Specimen *specimen, int increments, Error *error);

/// Computes the mean first Piola-Kirchhoff stress P, Pa: the sum over the nodes a of f_a X_a^T, divided by the volume.
/// f_a is the internal force and X_a the rest position of node a. The array f gets the internal forces.
bool specimen_mean_stress(Specimen *specimen, double P[3][3], Error *error);

/// Tests if node a is on the side of the box at the low (end 0) or high end (end 1) of an axis.
bool specimen_on_face(const Specimen *specimen, int a, int axis, int end);

/// Returns in_double or in_float, the bound of a check for the precision in use. Bounds are at most ten times the
/// largest error that was measured on CPU and GPU, with all assemblies and matrix formats, and with both choices of the
/// setting `supplemental`.
double bound_in(const SimulationSettings *stages, double in_double, double in_float);

// Shape functions N of a tet at one point, and their gradients B, 1/m. `nodes` is the number of the tet's nodes: 4, 10
// or 20.
typedef struct ShapeAt {
  int nodes, node[20];
  double N[20], B[20][3];
} ShapeAt;
ShapeAt specimen_shape(const Specimen *specimen, int e, const double barycentric[4]);

// Quadrature points in a tet, as barycentric coordinates, and their weights, which add up to 1.
enum { SPECIMEN_POINTS_MAX = 64 };
typedef struct Quadrature {
  int count;
  double barycentric[SPECIMEN_POINTS_MAX][4], weight[SPECIMEN_POINTS_MAX];
} Quadrature;

/// Adds to f the loads under which a body with the deformation gradient F(X) is in equilibrium. Node a, with shape
/// function phi_a, gets the integral of P(F) grad phi_a over the body. P is the first Piola-Kirchhoff stress of the
/// neo-Hookean material.
void specimen_stress_load(Specimen *specimen, const Quadrature *quadrature,
                          void (*gradient)(const double X[3], double F[3][3]));

/// Computes fraction [node_count]: the part of a uniform traction on the box's side at the high end of Z that acts on
/// each node. All triangles or quadrilaterals of the mesh on this side must have the same area. A node sums these parts
/// of its triangles or quadrilaterals:
///   linear tets      corner 1/3
///   quadratic tets   corner 0, middle of a side 1/3
///   cubic tets       corner 1/30, node on a side 3/40, middle of the triangle 9/20
///   hexahedra        corner of a quadrilateral 1/4
void specimen_share_over_end(const Specimen *specimen, double *fraction);

// Order of convergence and extrapolated limit of three results, computed on three meshes, of which each has half the
// cell size of the one before.
typedef struct Richardson {
  double order, limit;
} Richardson;
Richardson richardson(const double results[3]);
