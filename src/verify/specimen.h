// Specimens of the cases: a box of tetrahedra or hexahedra with its simulation, and the arrays of a case.
#pragma once
#include "base/random.h"
#include "sim/load_path.h"
#include "sim/simulation.h"

/// Tests if this build has an element of hexahedra (meson option -Delements). Cases leave out the checks of hexahedra
/// if it has none.
bool hexes_are_built(void);

/// Returns the stages for bodies of hexahedra. If a stage that `stages` name does not exist for hexahedra, the result
/// names the default stages.
SimulationSettings stages_of_hexes(const SimulationSettings *stages);

// A zeroed Specimen is empty. Arrays are [mesh.node_count].
typedef struct Specimen {
  TetMesh mesh;
  double size[3];  // m
  double young;    // Pa
  SimulationSettings settings;
  Simulation *simulation;  // NULL before specimen_start
  uint8_t *pinned;
  double *mass;                  // kg
  double (*x)[3], (*p)[3];       // state, m and kg m/s
  double (*f)[3];                // loads or internal forces, N
  const PressureLoad *pressure;  // pressures of specimen_load, borrowed; NULL: none
} Specimen;

/// Creates a box of cells[0] x cells[1] x cells[2] cells from the origin to `size`. The cells are tets of
/// stages->degree, or hexahedra if stages->hexes. Tolerances are near round-off. Nothing is pinned; x is at rest, p and
/// f are zero.
bool specimen_box(Specimen *specimen, const SimulationSettings *stages, const int cells[3], const double size[3],
                  double young, double poisson, double density, Error *error);

/// As specimen_box for a mesh of linear tets, which the specimen then owns; `size` stays zero.
bool specimen_mesh(Specimen *specimen, const SimulationSettings *stages, TetMesh *mesh, double young, double poisson,
                   double density, Error *error);

/// Adds a mesh of linear tets, moved by `by` m, as another body, before the simulation is created. Frees `mesh`.
bool specimen_add(Specimen *specimen, TetMesh *mesh, const double by[3], Error *error);

/// Enables contact of bodies with themselves and each other below this distance, m. All stages then run on the device
/// of the body.
void specimen_touches(Specimen *specimen, double distance);

void specimen_destroy(Specimen *specimen);

/// Creates the simulation with the present `pinned` and `settings`.
bool specimen_start(Specimen *specimen, Error *error);

/// Sets the velocities of the nodes to the values in the array `p`, which here are m/s. Afterwards the contents of `p`
/// are undefined.
bool specimen_throw(Specimen *specimen, Error *error);

/// Computes the equilibrium under the loads f by load_path_run, with `increments` load increments at first. Held
/// unknowns move to their positions in x. At the end, x has the positions in equilibrium.
bool specimen_load(Specimen *specimen, int increments, Error *error);

/// Computes the mean first Piola-Kirchhoff stress, Pa: sum over nodes of the internal force f_a X_a^T, over the volume.
/// f becomes the internal forces.
bool specimen_mean_stress(Specimen *specimen, double P[3][3], Error *error);

/// Tests if node a is on the low (end 0) or high (end 1) face of an axis.
bool specimen_on_face(const Specimen *specimen, int a, int axis, int end);

/// Returns the bound for the precision in use. Bounds are at most ten times the largest error that was measured over
/// CPU and GPU, all assemblies and formats, and both choices of the setting `supplemental`.
double bound_in(const SimulationSettings *stages, double in_double, double in_float);

// Shape functions of a specimen's tet at a point with barycentric coordinates, and their gradients, 1/m. A tet has 4,
// 10 or 20 `nodes`.
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

/// Adds to f the nodal loads under which the deformation gradient F(X) is in equilibrium: node a, with shape function
/// phi_a, gets the integral of P(F) grad phi_a. P is the stress of the neo-Hookean material.
void specimen_stress_load(Specimen *specimen, const Quadrature *quadrature,
                          void (*gradient)(const double X[3], double F[3][3]));

/// Computes fraction [node_count], each node's fraction of a uniform traction on the face at the high end of Z. Each
/// boundary triangle or quadrilateral there must have the same area. A node adds up these fractions of its triangles:
/// linear tets, corner 1/3; quadratic tets, corner 0, middle of a side 1/3; cubic tets, corner 1/30, node on a side
/// 3/40, middle 9/20. Hexahedra: corner of a quadrilateral 1/4.
void specimen_share_over_end(const Specimen *specimen, double *fraction);

// Order of convergence and limit of three results on meshes, each twice as fine as the one before.
typedef struct Richardson {
  double order, limit;
} Richardson;
Richardson richardson(const double results[3]);
