// Problems without time: a linear operator over cells of one shape, a source, values that some unknowns are held at,
// and what balances. Elements, assemblies, operators and solvers are those that motion has; nothing here knows which.
//   poisson   -div(k grad phi) = f   one unknown a node: elements scalar_* and poisson_*
//   plate     D Laplace Laplace w = q   three, w, w_x and w_y: elements plate_*
//   elasticity   -div sigma = f   three displacements: the tangent at rest of a body's own elements; in the plane two,
//       in plane strain or plane stress: elements plane_*
// Held unknowns are not solved for: with u = g + x, where g has their values and x is 0 there, A x = b - A g on the
// rest. One thread at a time may use a Steady.
#pragma once
#include "mesh/cell_mesh.h"
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STEADY_PARAMETERS = 3 };

// An element that a steady problem can be made of.
typedef struct SteadyElement {
  const char *name;     // "scalar_quad4", as assemblies are built for it
  const char *problem;  // "poisson"
  CellShape shape;
  int node_dof;
  bool factors;         // whether it takes CellMesh.factor
  bool solid;           // a body: its unknowns are displacements, and it takes loads alone, no sources
  const char *summary;  // one line for people
} SteadyElement;

/// All there are; ends with a row whose name is NULL. Of a problem and a shape the first is the usual one.
extern const SteadyElement steady_elements[];

/// The element of this name, or, without one (NULL or ""), the usual one of a problem and a shape. NULL with an error
/// that lists what there is.
const SteadyElement *steady_element(const char *name, const char *problem, CellShape shape, Error *error);

// What is to be solved; all is borrowed, and only while steady_create runs. n = node_dof node_count unknowns.
typedef struct SteadyProblem {
  const CellMesh *mesh;
  const SteadyElement *element;
  double material[STEADY_PARAMETERS];  // the element's: of scalars the conductivity, of plates D and nu, of
                                       // solids mu and lambda, and in the plane 1 for plane stress, 0 for plane strain
  const double *source;  // [node_count], f at nodes, as the shape functions spread it: a consistent load; NULL: 0.
                         // Not of solids, which have `load` alone
  const double *load;    // [n], on the right side besides; NULL: 0
  const uint8_t *fixed;  // [n], 1: held
  const double *value;   // [n], the values of those; NULL: 0
} SteadyProblem;

typedef struct SteadySettings {
  Device device;
  Precision precision;
  char assembly[SIMULATION_NAME], matrix[SIMULATION_NAME], solver[SIMULATION_NAME];  // empty: the usual one
  double memory_budget;  // MB of a GPU for an assembly of chunks; "chunked" then integrates there; 0: no bound
  double relative;       // stop at ||r|| <= relative ||b||
  int iterations_max;
  bool autotune;  // assembly and matrix are tuned by time, or as is known from before: see sim/autotune.h
} SteadySettings;

/// On the CPU, in double, to 1e-10.
SteadySettings steady_defaults(void);

typedef struct SteadyReport {
  int n, free_count;  // unknowns, and those that are not held
  int64_t nonzeros;   // entries of the matrix, held unknowns included
  int64_t stored;     // values that are kept of it: fewer by symmetry, more by padding
  int iterations;
  int tuning;  // of the matrix; 0: it has none
  bool converged;
  const char *end;  // in words: "converged", "out of iterations", "the matrix is not positive definite"
  double relative;  // ||r|| / ||b|| by the solver's recurrence
  double residual;  // the same, computed anew from the result
  double create_seconds, assemble_seconds, solve_seconds;
} SteadyReport;

typedef struct Steady Steady;

/// Everything is made and put on the device; empty names in `settings` become those of what was taken. Fails with what
/// is wrong and what there is.
bool steady_create(Steady **steady, const SteadyProblem *problem, SteadySettings *settings, Error *error);
void steady_destroy(Steady *steady);  // takes NULL

/// Another material, sources, loads and held values, as `problem` has them; its mesh, element and which unknowns are
/// held are those of before. steady_assemble and steady_solve follow. Fails where one is no number; what is solved next
/// has to be given anew then.
bool steady_change(Steady *steady, const SteadyProblem *problem, Error *error);

/// Another solver, bound and number of iterations from now on; matrix and right side stay. Where settings->matrix is
/// empty, that must be the solver's usual one. Fails where the solver does not work with it; then nothing has changed.
bool steady_change_solver(Steady *steady, SteadySettings *settings, Error *error);

/// The matrix, and the right side. Can be repeated, for its time. Fails where a cell is inverted.
bool steady_assemble(Steady *steady, Error *error);

/// Solves what was assembled, from zero. Can be repeated. A solver that does not converge is no error: see the report.
bool steady_solve(Steady *steady, Error *error);

/// What was solved, u [n], held unknowns included.
bool steady_result(Steady *steady, double *u, Error *error);

/// y = A x of what was assembled, held unknowns included; [n].
bool steady_product(Steady *steady, const double *x, double *y, Error *error);

/// Of the last assembly and solve.
const SteadyReport *steady_report(const Steady *steady);

/// A value at a point x, m, and, unless NULL, its gradient [3].
typedef double (*SteadyFunction)(const void *user, const double x[3], double gradient[3]);

/// load [node_count] = the integral of f times each shape function, by a rule with `points` points a direction in each
/// cell: exacter than a source at nodes where f is no polynomial of the shape's degree.
void steady_load(const CellMesh *mesh, SteadyFunction f, const void *user, int points, double *load);

/// The same of values at nodes f [node_count], as the shape functions spread them: a consistent load.
void steady_nodal_load(const CellMesh *mesh, const double *f, double *load);

// What is said of a boundary.
typedef struct SteadyBoundary {
  SteadyFunction at;                                        // its value at a point
  void (*enter)(const void *user, const CellFacet *facet);  // before the points of each facet; NULL: nobody asks
  const void *user;
} SteadyBoundary;

enum { STEADY_WHOLE = -1 };

/// load [node_count] += the integral of a flux g = k dphi/dn times each shape function over the boundary, but over
/// facets all of whose nodes are held (held [node_count]). `part`: STEADY_WHOLE, or 0 to 2 for g times that component
/// of the outward normal, as of a pressure.
bool steady_boundary_load(const CellMesh *mesh, const uint8_t *held, const SteadyBoundary *g, int part, int points,
                          double *load, Error *error);

/// Loads on the edges of a plate, load [3 node_count] += times what their work is: a force `shear` along w, N/m, but on
/// sides both of whose nodes are held, and a moment, N m/m, that turns the edge with the slope dw/dn along the outward
/// normal. w is taken as cubic along each side, dw/dn as linear. Either of the two may be NULL. Plates' cells alone,
/// whose sides are straight and have two nodes.
bool steady_plate_edge_load(const CellMesh *mesh, const uint8_t *held, const SteadyBoundary *shear,
                            const SteadyBoundary *moment, double times, double *load, Error *error);

/// A source by lumping: f at each node times its share of the area or volume, as paper 003.
bool steady_lumped_load(const CellMesh *mesh, const double *f, double *load, Error *error);

/// Distances of u [node_count] from an exact solution: in L2, and of the gradients (the H1 seminorm; NULL: not asked
/// for).
void steady_distance(const CellMesh *mesh, const double *u, SteadyFunction exact, const void *user, int points,
                     double *L2, double *H1);

/// The mean stress of each cell of a body, sigma [cell_count] Pa (xx, yy, zz, xy, yz, xz), and von Mises' equivalent of
/// that, mises [cell_count], at displacements u [node_count][2 or 3] m that are small. material: as in SteadyProblem.
void steady_stress(const CellMesh *mesh, const double *u, const double material[STEADY_PARAMETERS], double (*sigma)[6],
                   double *mises);

#ifdef __cplusplus
}
#endif
