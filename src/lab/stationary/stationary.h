// Stationary problems: a linear operator over cells of one shape, a source, held values of some unknowns, and the
// solution. Elements, assemblies, operators and solvers are those of motion; this module does not depend on their
// kinds.
//   poisson   -div(k grad phi) = f   one unknown per node: elements scalar_* and poisson_*
//   plate     D Laplace Laplace w = q   three, w, w_x and w_y: elements plate_*
//   elasticity   -div sigma = f   three displacements: the tangent at rest of a body's elements; in the plane two,
//       in plane strain or plane stress: elements plane_*
// Held unknowns are eliminated: with u = g + x, where g has their values and x is 0 there, A x = b - A g on the other
// unknowns. Only one thread at a time may use a Stationary.
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
  bool solid;           // a body: its unknowns are displacements; it takes only loads, no sources
  const char *summary;  // one line for the user
} StationaryElement;

/// All elements; ends with a row whose name is NULL. The first of a problem and a shape is the default.
extern const StationaryElement stationary_elements[];

/// Returns the element of this name or, without a name (NULL or ""), the default of a problem and a shape. NULL with an
/// error that lists the choices.
const StationaryElement *stationary_element(const char *name, const char *problem, CellShape shape, Error *error);

// The problem to solve; all is borrowed, and only while stationary_create runs. n = node_dof node_count unknowns.
typedef struct StationaryProblem {
  const CellMesh *mesh;
  const StationaryElement *element;
  double
      material[STATIONARY_PARAMETERS];  // for scalars the conductivity, for plates D and nu, for solids mu and lambda,
                                        // and in the plane 1 for plane stress, 0 for plane strain
  const double *source;  // [node_count], f at nodes, interpolated by the shape functions: a consistent load; NULL: 0.
                         // Solids use only `load`
  const double *load;    // [n], added to the right-hand side; NULL: 0
  const uint8_t *fixed;  // [n], 1: held
  const double *value;   // [n], values of held unknowns; NULL: 0
} StationaryProblem;

typedef struct StationarySettings {
  Device device;
  Precision precision;
  char assembly[SIMULATION_NAME], matrix[SIMULATION_NAME], solver[SIMULATION_NAME];  // empty: the default
  double memory_budget;  // MB of a GPU for an assembly in chunks; "chunked" then integrates there; 0: no bound
  double relative;       // stop at ||r|| <= relative ||b||
  int iterations_max;
  bool autotune;  // tunes assembly and matrix by timing, or from stored timings: see autotune.h
} StationarySettings;

/// Defaults: on the CPU, in double, to 1e-10.
StationarySettings stationary_defaults(void);

typedef struct StationaryReport {
  int n, free_count;  // unknowns, and those that are not held
  int64_t nonzeros;   // entries of the matrix, held unknowns included
  int64_t stored;     // stored values: fewer by symmetry, more by padding
  int iterations;
  int tuning;  // tuning of the matrix; 0: it has none
  bool converged;
  const char *end;  // in words: "converged", "out of iterations", "the matrix is not positive definite"
  double relative;  // ||r|| / ||b|| by the solver's recurrence
  double residual;  // ||b - A x|| / ||b||, computed from the result
  double create_seconds, assemble_seconds, solve_seconds;
} StationaryReport;

typedef struct Stationary Stationary;

/// Creates all stages on the device; empty names in `settings` are replaced by those of the chosen stages. The error of
/// a failure states the fault and the choices.
bool stationary_create(Stationary **stationary, const StationaryProblem *problem, StationarySettings *settings,
                       Error *error);
void stationary_destroy(Stationary *stationary);  // accepts NULL

/// Changes material, sources, loads and held values to those of `problem`; mesh, element and the set of held unknowns
/// must be unchanged. Call stationary_assemble and stationary_solve afterwards. Fails if a number is not finite; the
/// problem must then be set again before a solve.
bool stationary_change(Stationary *stationary, const StationaryProblem *problem, Error *error);

/// Changes solver, tolerance and maximum of iterations; matrix and right-hand side are kept. If settings->matrix is
/// empty, the matrix must be the solver's default. Fails, without any change, if the solver does not work with the
/// matrix.
bool stationary_change_solver(Stationary *stationary, StationarySettings *settings, Error *error);

/// Assembles the matrix and the right-hand side. Can be repeated to time it. Fails if a cell is inverted.
bool stationary_assemble(Stationary *stationary, Error *error);

/// Solves the assembled system, from zero. Can be repeated. A solver that does not converge is no error: see the
/// report.
bool stationary_solve(Stationary *stationary, Error *error);

/// Copies the solution u [n], held unknowns included.
bool stationary_result(Stationary *stationary, double *u, Error *error);

/// Computes y = A x with the assembled matrix, held unknowns included; [n].
bool stationary_product(Stationary *stationary, const double *x, double *y, Error *error);

/// Returns the report of the last assembly and solve.
const StationaryReport *stationary_report(const Stationary *stationary);

/// A value at a point x, m, and, unless NULL, its gradient [3].
typedef double (*StationaryFunction)(const void *user, const double x[3], double gradient[3]);

/// Computes load [node_count] = the integral of f times each shape function, with `points` quadrature points per
/// direction in each cell. This is more accurate than a nodal source if f is no polynomial of the shape's degree.
void stationary_load(const CellMesh *mesh, StationaryFunction f, const void *user, int points, double *load);

/// As stationary_load, for f [node_count] given at nodes and interpolated by the shape functions: a consistent load.
void stationary_nodal_load(const CellMesh *mesh, const double *f, double *load);

// A function on the boundary.
typedef struct StationaryBoundary {
  StationaryFunction at;                                    // value at a point
  void (*enter)(const void *user, const CellFacet *facet);  // called before the points of each facet; may be NULL
  const void *user;
} StationaryBoundary;

enum { STATIONARY_WHOLE = -1 };

/// Adds to load [node_count] the integral of a flux g = k dphi/dn times each shape function over the boundary, without
/// facets whose nodes are all held (held [node_count]). `part`: STATIONARY_WHOLE, or 0 to 2 for g times that component
/// of the outward normal, as for a pressure.
bool stationary_boundary_load(const CellMesh *mesh, const uint8_t *held, const StationaryBoundary *g, int part,
                              int points, double *load, Error *error);

/// Adds the loads on the edges of a plate, times `times`, to load [3 node_count]: a force `shear` along w, N/m, without
/// sides whose two nodes are held, and a moment, N m/m, whose work is that on the slope dw/dn along the outward normal.
/// w is taken as cubic along each side, dw/dn as linear. Either may be NULL. Only for plate cells, whose sides are
/// straight and have two nodes.
bool stationary_plate_edge_load(const CellMesh *mesh, const uint8_t *held, const StationaryBoundary *shear,
                                const StationaryBoundary *moment, double times, double *load, Error *error);

/// Computes a lumped source: f at each node times the node's area or volume, as in paper 003.
bool stationary_lumped_load(const CellMesh *mesh, const double *f, double *load, Error *error);

/// Computes the distance of u [node_count] from an exact solution: in L2, and of the gradients (the H1 seminorm; may be
/// NULL).
void stationary_distance(const CellMesh *mesh, const double *u, StationaryFunction exact, const void *user, int points,
                         double *L2, double *H1);

/// Computes the mean stress of each cell of a body, sigma [cell_count] Pa (xx, yy, zz, xy, yz, xz), and its von Mises
/// stress, mises [cell_count], for small displacements u [node_count][2 or 3] m. material: as in StationaryProblem.
void stationary_stress(const CellMesh *mesh, const double *u, const double material[STATIONARY_PARAMETERS],
                       double (*sigma)[6], double *mises);

#ifdef __cplusplus
}
#endif
