// A Poisson problem on quadrilaterals of one degree, for the study of paper 001 (Reguly and Giles). Its matrix,
// assembly and solver can be created, checked and timed separately.
#pragma once
#include "mesh/cell_mesh.h"
#include "sim/assembly/assembly.h"
#include "sim/element/space.h"
#include "sim/solver/solver.h"

// Order in which nodes get their numbers (paper 001, section 10.4).
typedef enum QuadNumbering {
  QUAD_ORIGINAL,  // cell by cell: each cell numbers those of its nodes that have no number yet
  QUAD_ALIGNED,   // first the corners of all cells, then the nodes on all edges, then the inner nodes of all cells
  QUAD_BLOCKED,   // as QUAD_ORIGINAL, but cells are visited in blocks of 16 x 16
  QUAD_BLOCKED_ALIGNED,  // as QUAD_ALIGNED, but cells are visited in blocks of 16 x 16
  // local node 0 of all cells, then local node 1 of all cells, and so on; threads that process neighbouring cells then
  // load neighbouring numbers
  QUAD_BY_LOCAL_INDEX,
  QUAD_NUMBERINGS
} QuadNumbering;
extern const char *const quad_numbering_names[QUAD_NUMBERINGS];

/// Creates the mesh of a unit square with about `dof` unknowns. Corners of cells inside it are moved at random by up to
/// `distort` of a cell's side. Another `seed` gives other random moves.
bool quad_square(CellMesh *mesh, int degree, double dof, double distort, int seed, QuadNumbering numbering,
                 Error *error);

/// Renumbers the nodes of a mesh: first the nodes inside the domain, then those on its boundary, each in their old
/// order.
bool quad_boundary_last(CellMesh *mesh, Error *error);

// The treatment of the nodes on the boundary, whose value is 0 (paper 001, section 3.2).
typedef enum QuadBoundary {
  QUAD_MASKED,  // the matrix has their rows and columns; solvers skip these unknowns
  // method 1: the matrix has only the rows and columns of the other nodes, which have the lower numbers
  QUAD_ELIMINATED,
  // method 2: after the assembly, their rows and columns are set to those of the identity matrix. On a GPU the values
  // pass through the host, so the time of this step is not that of a method for GPUs.
  QUAD_IDENTITY,
  QUAD_BOUNDARIES
} QuadBoundary;
extern const char *const quad_boundary_names[QUAD_BOUNDARIES];

// A Poisson problem with n unknowns, one per node, and its vectors. A zeroed QuadBench is empty.
typedef struct QuadBench {
  int degree;
  const char *element;
  Precision precision;
  Stream stream;
  const CellMesh *mesh;  // the mesh of the problem; borrowed
  Space space;
  // Treatment of nodes on the boundary in systems that are opened. QUAD_ELIMINATED works only for formats that list the
  // columns of their rows, such as csr and ell, and for a mesh from quad_boundary_last.
  QuadBoundary boundary;
  Space inner;               // the nodes inside the domain and their neighbours, without cells; for QUAD_ELIMINATED
  uint8_t *fixed_on_host;    // [n]; 1: node on the boundary
  uint8_t *fixed, *unfixed;  // [n], on the device; fixed is a copy of fixed_on_host, and unfixed has only zeros
  // The `void *` members are arrays on the device with elements of type real. x [n]: random numbers. b [n]: random
  // numbers, and 0 at fixed unknowns. y [n]: result of a product A x or of a solve. F [n]: load vector. nodal [n][3]:
  // position (x, y) and source of each node. shift [n]: diagonal added to A; it is 0.
  void *nodal, *F, *shift, *x, *y, *b;
} QuadBench;

bool quad_bench_open(QuadBench *bench, const CellMesh *mesh, Device device, Precision precision, Error *error);
void quad_bench_close(QuadBench *bench);

// A matrix and the assembly that fills it. A zeroed QuadSystem is empty.
typedef struct QuadSystem {
  Operator A;
  Assembly assembly;
} QuadSystem;

/// Creates a matrix in the format `matrix` and fills it by the assembly method `assembly`. Fails if memory runs out, or
/// if these methods do not exist.
bool quad_system_open(QuadSystem *system, QuadBench *bench, const char *matrix, const char *assembly, Error *error);
void quad_system_close(QuadSystem *system);

/// Replaces the assembly method of the system by the method `assembly`.
bool quad_system_assemble_by(QuadSystem *system, QuadBench *bench, const char *assembly, Error *error);

/// Tests if matrix format and assembly exist for the element, device and precision of the bench.
bool quad_system_exists(const QuadBench *bench, const char *matrix, const char *assembly);

/// quad_time_assembly times the assembly of load vector and matrix, and quad_time_product the product y = A x. *seconds
/// gets the median time of `repeat` runs, s. An additional run before them is a warm-up and is not counted.
bool quad_time_assembly(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);
bool quad_time_product(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);

/// Measures the mean time, s, of one iteration of a solver. The right-hand side is random. The load vector of the
/// bench's source cannot be used: on a uniform grid it is an eigenvector of the matrix, so CG would stop after one
/// iteration.
bool quad_time_iteration(QuadSystem *system, QuadBench *bench, const char *solver, int iterations, double *seconds,
                         Error *error);

/// Runs a fixed number of iterations of a solver, from u = 0, with the load vector load [n] on the host. u [n], on the
/// host, gets the result; u is 0 at nodes on the boundary.
bool quad_iterate(QuadSystem *system, QuadBench *bench, const char *solver, const double *load, int count, double *u,
                  Error *error);

/// A matrix format may have a tuning number, such as the number of threads per row. Sets this number to the value with
/// the fastest product A x. *seconds gets the time of this product, s. A format without such a number is only timed.
bool quad_tune(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);

/// Computes y = A x for the vector x of random numbers of the bench; y [A.n] is in double, on the host.
bool quad_take_product(QuadSystem *system, QuadBench *bench, double *y, Error *error);

/// Solves A u = load with u = 0 on the boundary, to the relative residual `relative`. load [n] and u [n] are on the
/// host; u may be NULL. Fails if the solver does not converge.
bool quad_solve(QuadSystem *system, QuadBench *bench, const char *solver, const double *load, double relative,
                double *u, int *iterations, Error *error);

// Result of quad_time_solve. iterations: of the solve; setup: time to create the solver and its preconditioner, s;
// seconds: time of the solve, s.
typedef struct QuadSolveTime {
  bool converged;
  int iterations;
  double setup, seconds;
} QuadSolveTime;

/// Solves A u = load, as quad_solve, in at most `maximum` iterations, and measures the time of the solve and of its
/// set-up. Does not fail if the solver does not converge.
bool quad_time_solve(QuadSystem *system, QuadBench *bench, const char *solver, const double *load, double relative,
                     int maximum, QuadSolveTime *time, Error *error);
