// Stationary problems: a linear operator over cells of one shape, a source, prescribed values of some unknowns, and the
// solution. Elements, assemblies, operators and solvers are the stages that simulations use too; this module does not
// depend on their kinds.
//   poisson   -div(k grad phi) = f   one unknown per node: elements scalar_* and poisson_*
//   plate     D Laplace Laplace w = q   three unknowns, w, w_x and w_y: elements plate_*
//   elasticity   -div sigma = f   three displacements: the elements of simulations, at rest; in the plane two,
//       in plane strain or plane stress: elements plane_*
// An unknown with a prescribed value is called held. Held unknowns are eliminated: u = g + x. g has the prescribed
// values, and 0 elsewhere; x is 0 at held unknowns. Then A x = b - A g is solved for the unknowns that are not held.
// Only one thread at a time may use a Stationary.
#pragma once
#include "mesh/cell_mesh.h"
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STATIONARY_PARAMETERS = 3 };

// An element of stationary problems.
typedef struct StationaryElement {
  const char *name;     // "scalar_quad4", the name of its assemblies
  const char *problem;  // "poisson"
  CellShape shape;
  int node_dof;
  bool factors;         // it uses CellMesh.factor
  bool solid;           // its unknowns are displacements of a body; it supports loads, but no source f
  const char *summary;  // one line for the user
} StationaryElement;

/// All elements; ends with a row whose name is NULL. The first element of a problem and a shape is their default.
extern const StationaryElement stationary_elements[];

/// Returns the element of this name or, without a name (NULL or ""), the default of a problem and a shape. NULL with an
/// error that lists the choices.
const StationaryElement *stationary_element(const char *name, const char *problem, CellShape shape, Error *error);

// The problem to solve. All pointers are borrowed, only while stationary_create or stationary_change runs. n = node_dof
// node_count unknowns.
typedef struct StationaryProblem {
  const CellMesh *mesh;
  const StationaryElement *element;
  // For poisson the conductivity; for plates D and nu; for bodies mu and lambda, and in the plane also 1 for plane
  // stress or 0 for plane strain.
  double material[STATIONARY_PARAMETERS];
  // [node_count], the source f at nodes, which the shape functions interpolate (a consistent load); NULL: 0. Bodies use
  // only `load`.
  const double *source;
  const double *load;    // [n], added to the right-hand side; NULL: 0
  const uint8_t *fixed;  // [n], 1: the unknown is held
  const double *value;   // [n], values of held unknowns; NULL: 0
} StationaryProblem;

typedef struct StationarySettings {
  Device device;
  Precision precision;
  char assembly[SIMULATION_NAME], matrix[SIMULATION_NAME], solver[SIMULATION_NAME];  // empty: the default
  // MB of GPU memory for an assembly in chunks; 0: no bound. With a budget, assembly "chunked" integrates on the GPU.
  double memory_budget;
  double relative;  // stop at ||r|| <= relative ||b||
  int iterations_max;
  // chooses tuning numbers of assembly and matrix by timing, or from stored timings: see autotune.h
  bool autotune;
} StationarySettings;

/// Returns the defaults: on the CPU, in double, to the relative residual 1e-10.
StationarySettings stationary_defaults(void);

typedef struct StationaryReport {
  int n, free_count;  // number of unknowns, and of unknowns that are not held
  int64_t nonzeros;   // entries of the matrix, including those of held unknowns
  // stored values: less than `nonzeros` if symmetry is used, more with padding
  int64_t stored;
  int iterations;
  int tuning;  // tuning of the matrix; 0: it has none
  bool converged;
  const char *end;  // in words: "converged", "out of iterations", "the matrix is not positive definite"
  double relative;  // ||r|| / ||b|| as the solver updates it
  double residual;  // ||b - A x|| / ||b||, computed from the result
  double create_seconds, assemble_seconds, solve_seconds;
} StationaryReport;

typedef struct Stationary Stationary;

/// Creates all stages on the device of `settings`. Empty names in `settings` are replaced by the names of the chosen
/// stages. After a failure, *error states the fault and the available choices.
bool stationary_create(Stationary **stationary, const StationaryProblem *problem, StationarySettings *settings,
                       Error *error);
void stationary_destroy(Stationary *stationary);  // accepts NULL

/// Changes material, sources, loads and prescribed values to those of `problem`. Mesh, element and the set of held
/// unknowns must be unchanged. The caller must then call stationary_assemble and stationary_solve. Fails if a number is
/// not finite; a valid problem must then be set before a solve.
bool stationary_change(Stationary *stationary, const StationaryProblem *problem, Error *error);

/// Changes the solver, its tolerance and the max number of iterations. Matrix and right-hand side are kept. If
/// settings->matrix is empty, the present matrix must be the solver's default one. Fails, without any change, if the
/// solver does not work with the matrix.
bool stationary_change_solver(Stationary *stationary, StationarySettings *settings, Error *error);

/// Assembles the matrix and the right-hand side. Can be repeated to time it. Fails if a cell is inverted.
bool stationary_assemble(Stationary *stationary, Error *error);

/// Solves the assembled system, from zero. Can be repeated. If the solver does not converge, the function returns true,
/// and report.converged is false.
bool stationary_solve(Stationary *stationary, Error *error);

/// Copies the solution u [n], held unknowns included.
bool stationary_result(Stationary *stationary, double *u, Error *error);

/// Computes y = A x with the assembled matrix, held unknowns included; [n].
bool stationary_product(Stationary *stationary, const double *x, double *y, Error *error);

/// Returns the report of the last assembly and solve.
const StationaryReport *stationary_report(const Stationary *stationary);

/// A function of a point x, m. Returns its value and, unless `gradient` is NULL, sets its gradient [3].
typedef double (*StationaryFunction)(const void *user, const double x[3], double gradient[3]);

/// Computes load [node_count], the integral of f times each node's shape function, with `points` integration points per
/// direction in each cell. If f is not a polynomial of the shape's degree, this is more accurate than a source at
/// nodes.
void stationary_load(const CellMesh *mesh, StationaryFunction f, const void *user, int points, double *load);

/// As stationary_load, for f [node_count] given at nodes and interpolated by the shape functions (a consistent load).
void stationary_nodal_load(const CellMesh *mesh, const double *f, double *load);

// A function on the boundary.
typedef struct StationaryBoundary {
  StationaryFunction at;                                    // value at a point
  void (*enter)(const void *user, const CellFacet *facet);  // called before the points of each facet; may be NULL
  const void *user;
} StationaryBoundary;

enum { STATIONARY_WHOLE = -1 };

/// Adds to load [node_count] the integral over the boundary of a flux g = k dphi/dn times each shape function. Facets
/// whose nodes are all held, by held [node_count], are left out. `part`: STATIONARY_WHOLE for the flux g; 0, 1 or 2 for
/// g times that component of the outward normal n, as a pressure acts.
bool stationary_boundary_load(const CellMesh *mesh, const uint8_t *held, const StationaryBoundary *g, int part,
                              int points, double *load, Error *error);

/// Adds the loads on the edges of a plate to load [3 node_count], multiplied by `times`. `shear` is a force along w,
/// N/m; sides whose two nodes are both held are left out. `moment` is a moment, N m/m, that does work on the slope
/// dw/dn along the outward normal n. Either may be NULL. w is taken as cubic along each side, and dw/dn as linear. Only
/// for plate cells, whose sides are straight and have two nodes.
bool stationary_plate_edge_load(const CellMesh *mesh, const uint8_t *held, const StationaryBoundary *shear,
                                const StationaryBoundary *moment, double times, double *load, Error *error);

/// Computes a lumped source: f at each node times the node's area or volume, as in paper 003.
bool stationary_lumped_load(const CellMesh *mesh, const double *f, double *load, Error *error);

/// Computes the difference of u [node_count] from an exact solution: its L2 norm, and the L2 norm of the difference of
/// gradients (the H1 seminorm), which may be NULL.
void stationary_distance(const CellMesh *mesh, const double *u, StationaryFunction exact, const void *user, int points,
                         double *L2, double *H1);

/// Computes the mean stress of each cell of a body, sigma [cell_count] in Pa (xx, yy, zz, xy, yz, xz), and its von
/// Mises stress mises [cell_count], for small displacements u [node_count][2 or 3] in m. material: as in
/// StationaryProblem.
void stationary_stress(const CellMesh *mesh, const double *u, const double material[STATIONARY_PARAMETERS],
                       double (*sigma)[6], double *mises);

#ifdef __cplusplus
}
#endif
