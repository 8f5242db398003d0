// Stationary problems: linear partial differential equations whose solution does not depend on time, on a mesh of cells
// of one shape. The unknowns are values at the nodes, some of which are prescribed. Elements, assemblies, matrix
// formats and solvers are those of simulations, and further ones that only the program pliant-lab has (src/lab).
//   poisson      -div(k grad phi) = f; one unknown per node; elements scalar_* and poisson_*
//   plate        D Laplace Laplace w = q; three unknowns per node, w, w_x and w_y; elements plate_*
//   elasticity   -div sigma = f; two or three displacements per node. In space: the elements of simulations, linearised
//                at the undeformed body. In the plane: the elements plane_*, in plane strain or plane stress
// An unknown with a prescribed value is called held. The solution is u = g + x: g is the prescribed value at held
// unknowns and 0 elsewhere, and x is 0 at held unknowns. With the assembled matrix A and right-hand side b, the solver
// finds x from A x = b - A g, without the equations of held unknowns. Only one thread at a time may use a Stationary.
#pragma once
#include "mesh/cell_mesh.h"
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STATIONARY_PARAMETERS = 3 };

// One element of stationary problems: the formulas of one problem on cells of one shape.
typedef struct StationaryElement {
  const char *name;     // such as "scalar_quad4"; an assembly refers to its element by this name
  const char *problem;  // the problem that it discretises, such as "poisson"
  CellShape shape;
  int node_dof;
  bool factors;         // the element uses CellMesh.factor, a factor for each cell
  bool solid;           // the unknowns are displacements of a body; forces are given as loads, not as a source f
  const char *summary;  // one line for the user
} StationaryElement;

/// All elements of stationary problems; ends with a row whose name is NULL. For each problem and cell shape, the first
/// element is the default.
extern const StationaryElement stationary_elements[];

/// Returns the element with this name or, if the name is NULL or "", the default element for the problem and cell
/// shape. If there is no such element, returns NULL with an error that lists the choices.
const StationaryElement *stationary_element(const char *name, const char *problem, CellShape shape, Error *error);

// The problem to solve, with n = node_dof * node_count unknowns. Pointers are used only while stationary_create or
// stationary_change runs.
typedef struct StationaryProblem {
  const CellMesh *mesh;
  const StationaryElement *element;
  // material parameters. poisson: conductivity; plate: rigidity D, N m, and Poisson's ratio nu; elasticity: mu, Pa;
  // lambda, Pa; and for a plane body 1 for plane stress or 0 for plane strain
  double material[STATIONARY_PARAMETERS];
  // [node_count], the source f at nodes, which the shape functions interpolate; NULL: f is 0. Not used in elasticity.
  const double *source;
  const double *load;    // [n], added to the right-hand side; NULL: 0
  const uint8_t *fixed;  // [n], 1: the unknown has a prescribed value
  const double *value;   // [n], prescribed values; NULL: 0
} StationaryProblem;

// Device, precision and methods by which a problem is solved, and the tolerance of the solver.
typedef struct StationarySettings {
  Device device;
  Precision precision;
  // names of assembly, matrix format and solver; an empty name means the default method
  char assembly[SIMULATION_NAME], matrix[SIMULATION_NAME], solver[SIMULATION_NAME];
  // MB of GPU memory in which the assembly "chunked" computes element matrices; 0: it computes them on the CPU
  double memory_budget;
  double relative;  // the solver stops at ||r|| <= relative ||b||, where r is the residual
  int iterations_max;
  // Assemblies and matrix formats have tuning numbers, such as the number of threads per row. true: these numbers are
  // chosen by timing, or taken from stored choices (autotune.h); false: defaults are used
  bool autotune;
} StationarySettings;

/// Returns the default settings: on the CPU, in double, to the relative residual 1e-10.
StationarySettings stationary_defaults(void);

// Sizes of the system A x = b, and results of the last assembly and solve. Times are in seconds.
typedef struct StationaryReport {
  int n, free_count;  // number of unknowns, and of those without a prescribed value
  int64_t nonzeros;   // number of entries of the matrix, including the rows of prescribed unknowns
  // number of values that the format stores: fewer than `nonzeros` if it stores only the lower triangle of the matrix,
  // more if it fills rows up to a common length
  int64_t stored;
  int iterations;
  int tuning;  // tuning number of the matrix format, such as threads per row; 0: it has none
  bool converged;
  // reason why the solve ended, in words: "converged", "the limit of iterations is reached", and others
  const char *end;
  double relative;  // ||r|| / ||b|| with the residual r that the solver updates in each iteration
  double residual;  // ||b - A x|| / ||b||, computed from the solution x
  double create_seconds, assemble_seconds, solve_seconds;
} StationaryReport;

typedef struct Stationary Stationary;

/// Creates assembly, matrix and solver on the device of `settings`. Empty names in `settings` are replaced by the names
/// of the chosen methods. On failure, *error describes the fault and lists the available methods.
bool stationary_create(Stationary **stationary, const StationaryProblem *problem, StationarySettings *settings,
                       Error *error);
void stationary_destroy(Stationary *stationary);  // accepts NULL

/// Replaces material, sources, loads and prescribed values by those of `problem`. Mesh, element and the set of unknowns
/// with prescribed values must not differ from those given before. Afterwards, stationary_assemble and stationary_solve
/// must run again before the solution is read. Fails if a number is not finite; then a valid problem must be set before
/// the next solve.
bool stationary_change(Stationary *stationary, const StationaryProblem *problem, Error *error);

/// Changes the solver, its tolerance and its maximum number of iterations. Keeps matrix and right-hand side, so the new
/// solver must work with the present matrix format. This format must also be the one that settings->matrix names or, if
/// settings->matrix is empty, the solver's default. Otherwise fails without any change.
bool stationary_change_solver(Stationary *stationary, StationarySettings *settings, Error *error);

/// Assembles the matrix and the right-hand side. The call can be repeated, for example to time it. Fails if a cell is
/// inverted.
bool stationary_assemble(Stationary *stationary, Error *error);

/// Solves the assembled system, beginning with x = 0. The call can be repeated. If the solver does not converge, the
/// function returns true, and StationaryReport.converged is false.
bool stationary_solve(Stationary *stationary, Error *error);

/// Copies the solution into u [n], including the prescribed values.
bool stationary_result(Stationary *stationary, double *u, Error *error);

/// Computes y = A x [n] with the assembled matrix, including the rows and columns of prescribed unknowns.
bool stationary_product(Stationary *stationary, const double *x, double *y, Error *error);

/// Returns the report of the last assembly and solve.
const StationaryReport *stationary_report(const Stationary *stationary);

/// A function of a point x, m. It returns its value and, unless `gradient` is NULL, sets its gradient [3].
typedef double (*StationaryFunction)(const void *user, const double x[3], double gradient[3]);

/// Computes load [node_count]: for each node, the integral of f times the node's shape function, with `points`
/// integration points per direction of a cell. This is more accurate than stationary_nodal_load, which interpolates f
/// between nodes, unless f is a polynomial of the degree of the shape functions.
void stationary_load(const CellMesh *mesh, StationaryFunction f, const void *user, int points, double *load);

/// Computes load [node_count]: for each node, the integral of a function times the node's shape function. The function
/// has the values f [node_count] at nodes, and the shape functions interpolate it in between.
void stationary_nodal_load(const CellMesh *mesh, const double *f, double *load);

// A function on the boundary of a mesh, which consists of facets. A facet is a side of a cell.
typedef struct StationaryBoundary {
  StationaryFunction at;  // value at a point of the boundary
  // called once for each facet, before `at` is called for points on this facet; may be NULL
  void (*enter)(const void *user, const CellFacet *facet);
  const void *user;
} StationaryBoundary;

enum { STATIONARY_WHOLE = -1 };

/// Adds to load [node_count], for each node, the integral over the boundary of g times the node's shape function. g is
/// a flux k dphi/dn, or another load on the boundary. Facets (cell sides on the boundary) whose nodes are all marked in
/// held [node_count] are left out. part: STATIONARY_WHOLE for g itself; 0, 1 or 2 for g times this component of the
/// outward normal n, as for a pressure.
bool stationary_boundary_load(const CellMesh *mesh, const uint8_t *held, const StationaryBoundary *g, int part,
                              int points, double *load, Error *error);

/// Adds the loads on the edges of a plate, multiplied by `times`, to load [3 node_count]. `shear`, N/m, is a force per
/// length in the direction of the deflection w. `moment`, N m/m, does work on the slope dw/dn along the outward normal
/// n. Either may be NULL. Along a side of a cell, w is cubic and dw/dn linear. On sides whose two nodes are marked in
/// held [node_count], `shear` is left out. Cells must have straight sides with two nodes.
bool stationary_plate_edge_load(const CellMesh *mesh, const uint8_t *held, const StationaryBoundary *shear,
                                const StationaryBoundary *moment, double times, double *load, Error *error);

/// Computes load [node_count] of a lumped source, as in paper 003: each node's value f [node_count], times the part of
/// the area or volume that belongs to the node.
bool stationary_lumped_load(const CellMesh *mesh, const double *f, double *load, Error *error);

/// Computes the error of u [node_count], its difference from the solution `exact`: the L2 norm *L2, and *H1, the L2
/// norm of the error's gradient (H1 seminorm). The integrals use `points` integration points per direction of a cell.
/// H1 may be NULL.
void stationary_distance(const CellMesh *mesh, const double *u, StationaryFunction exact, const void *user, int points,
                         double *L2, double *H1);

/// Computes for each cell of a body the mean stress sigma [cell_count], Pa, with the components xx, yy, zz, xy, yz, xz,
/// and its von Mises stress mises [cell_count], Pa. u [node_count][2 or 3] are small displacements, m. material: mu,
/// Pa; lambda, Pa; and, for a plane body, 1 for plane stress or 0 for plane strain.
void stationary_stress(const CellMesh *mesh, const double *u, const double material[STATIONARY_PARAMETERS],
                       double (*sigma)[6], double *mises);

#ifdef __cplusplus
}
#endif
