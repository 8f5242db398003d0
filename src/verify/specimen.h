// A specimen: the body of a verification case with its simulation and arrays. It is a box or another mesh of tets or
// hexes.
#pragma once
#include "base/random.h"
#include "sim/statics/load_path.h"
#include "sim/simulation.h"

/// Returns true if this build has elements for hexes (meson option -Delements). If it has none, verification cases skip
/// their checks of hexes.
bool hexes_are_built(void);

/// Returns a copy of `stages`, the settings with the chosen methods, for bodies of hexes. Default methods replace
/// methods that hexes do not have.
SimulationSettings stages_of_hexes(const SimulationSettings *stages);

// A body with its simulation. Arrays are [mesh.node_count]. A zeroed Specimen is empty.
typedef struct Specimen {
  TetMesh mesh;
  double size[3];  // m, edges of the box; 0 for other meshes
  double young;    // Pa, Young's modulus
  SimulationSettings settings;
  Simulation *simulation;        // NULL before specimen_start
  uint8_t *pinned;               // axes along which each node is held, as bits
  double *mass;                  // kg, lumped masses
  double (*x)[3], (*p)[3];       // m, positions; kg m/s, momenta
  double (*f)[3];                // N, loads or internal forces
  const PressureLoad *pressure;  // pressures for specimen_load, not owned; NULL: none
} Specimen;

/// Makes a box from the origin to `size`, m, with cells[i] cells along axis i: tets of degree stages->degree, or hexes
/// if stages->hexes. The solvers' tolerances are near rounding errors. No node is pinned; x has the positions at rest;
/// p and f are 0.
bool specimen_box(Specimen *specimen, const SimulationSettings *stages, const int cells[3], const double size[3],
                  double young, double poisson, double density, Error *error);

/// As specimen_box, for a mesh of linear tets. The specimen then owns the mesh. `size` stays 0.
bool specimen_mesh(Specimen *specimen, const SimulationSettings *stages, TetMesh *mesh, double young, double poisson,
                   double density, Error *error);

/// Adds another body, a mesh of linear tets, moved by `by`, m. Must be called before specimen_start. Frees `mesh`.
bool specimen_add(Specimen *specimen, TetMesh *mesh, const double by[3], Error *error);

/// Switches on contact of bodies with themselves and each other if they are closer than `distance`, m. Also sets what
/// contact needs in these cases: backward Euler, lumped masses, and the solver on the device of the assembly.
void specimen_touches(Specimen *specimen, double distance);

void specimen_destroy(Specimen *specimen);

/// Creates the simulation with the specimen's pins and settings.
bool specimen_start(Specimen *specimen, Error *error);

/// Sets the velocities of nodes to the values that the caller has stored in the array p, m/s. The call overwrites p.
bool specimen_throw(Specimen *specimen, Error *error);

/// Computes the equilibrium under the loads f by load_path_run, which begins with `increments` increments. Pinned nodes
/// move to their positions in x; then x has the positions of all nodes.
bool specimen_load(Specimen *specimen, int increments, Error *error);

/// Computes the mean first Piola-Kirchhoff stress P, Pa, of a box: the sum over nodes a of f_a X_a^T / volume, with
/// internal force f_a and rest position X_a. The array f gets the internal forces.
bool specimen_mean_stress(Specimen *specimen, double P[3][3], Error *error);

/// Returns true if node a is on the face of the box at the low (end 0) or high end (end 1) of an axis.
bool specimen_on_face(const Specimen *specimen, int a, int axis, int end);

/// Returns the bound of a check for the present precision: in_double or in_float. Bounds are at most ten times the
/// largest error that was measured on CPU and GPU with all assemblies, formats and values of `supplemental`.
double bound_in(const SimulationSettings *stages, double in_double, double in_float);

// Shape functions of a tet at one point. N[a] is the value for the tet's node a, and B[a] the gradient, 1/m. node[a] is
// the node's number in the mesh. nodes: number of nodes, 4, 10 or 20.
typedef struct ShapeAt {
  int nodes, node[20];
  double N[20], B[20][3];
} ShapeAt;
ShapeAt specimen_shape(const Specimen *specimen, int e, const double barycentric[4]);

// Quadrature points in a tet as barycentric coordinates, with weights whose sum is 1.
enum { SPECIMEN_POINTS_MAX = 64 };
typedef struct Quadrature {
  int count;
  double barycentric[SPECIMEN_POINTS_MAX][4], weight[SPECIMEN_POINTS_MAX];
} Quadrature;

/// Adds to f the loads under which the deformation gradient F(X) is in equilibrium: node a with shape function phi_a
/// gets the integral of P(F) grad phi_a, with the neo-Hookean first Piola-Kirchhoff stress P.
void specimen_stress_load(Specimen *specimen, const Quadrature *quadrature,
                          void (*gradient)(const double X[3], double F[3][3]));

/// Computes fraction [node_count]: how much of a uniform traction on the box's face at the high end of Z acts on each
/// node. All faces of cells there must have the same area. Each of them gives its nodes these parts:
///   linear tets      corner 1/3
///   quadratic tets   corner 0, middle of an edge 1/3
///   cubic tets       corner 1/30, node on an edge 3/40, middle of the triangle 9/20
///   hexahedra        corner of a quadrilateral 1/4
void specimen_share_over_end(const Specimen *specimen, double *fraction);

// Order of convergence and extrapolated limit of results on three meshes, each with half the cell size of the previous
// one.
typedef struct Richardson {
  double order, limit;
} Richardson;
Richardson richardson(const double results[3]);
