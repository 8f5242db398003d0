// A Poisson problem on quadrilaterals of one degree, whose stages are created, checked and timed one by one: parts of
// the study of paper 001 (Reguly and Giles).
#pragma once
#include "mesh/cell_mesh.h"
#include "sim/assembly/assembly.h"
#include "sim/element/space.h"
#include "sim/solver/solver.h"

// Numbering of nodes (paper 001, section 10.4).
typedef enum QuadNumbering {
  QUAD_ORIGINAL,         // in the order of cells
  QUAD_ALIGNED,          // corners, then nodes of edges, then inner nodes
  QUAD_BLOCKED,          // cells are visited by blocks of 16 x 16, nodes in the order of cells
  QUAD_BLOCKED_ALIGNED,  // blocked and aligned
  // Nodes with local number 0 of all cells come first, then those with local number 1, and so on. So loads of
  // neighbouring threads are coalesced.
  QUAD_BY_LOCAL_INDEX,
  QUAD_NUMBERINGS
} QuadNumbering;
extern const char *const quad_numbering_names[QUAD_NUMBERINGS];

/// Creates a unit square of cells with about `dof` unknowns, whose inner corners are moved at random by up to `distort`
/// of a cell's side, different for each seed; f = sin pi x sin pi y. Blocks of the numbering are 16 x 16 cells.
bool quad_square(CellMesh *mesh, int degree, double dof, double distort, int seed, QuadNumbering numbering,
                 Error *error);

// Arrays on the device are real. A zeroed QuadBench is empty.
typedef struct QuadBench {
  int degree;
  const char *element;
  Precision precision;
  Stream stream;
  const CellMesh *mesh;  // borrowed
  Space space;
  uint8_t *fixed;  // [n] on the device: the boundary
  // x: random numbers; b: random numbers, 0 at fixed unknowns
  void *nodal, *F, *shift, *x, *y, *b;
} QuadBench;

bool quad_bench_open(QuadBench *bench, const CellMesh *mesh, Device device, Precision precision, Error *error);
void quad_bench_close(QuadBench *bench);

// A matrix and its assembly. A zeroed QuadSystem is empty.
typedef struct QuadSystem {
  Operator A;
  Assembly assembly;
} QuadSystem;

/// Creates and assembles a system with these stages. Fails if memory runs out, or if they do not exist.
bool quad_system_open(QuadSystem *system, QuadBench *bench, const char *matrix, const char *assembly, Error *error);
void quad_system_close(QuadSystem *system);

/// Replaces the assembly of the system by another method.
bool quad_system_assemble_by(QuadSystem *system, QuadBench *bench, const char *assembly, Error *error);

/// Tests if the device has these stages in this precision.
bool quad_system_exists(const QuadBench *bench, const char *matrix, const char *assembly);

/// Measure the time of the assembly of load and matrix, and of the product y = A x. *seconds gets the median of
/// `repeat` runs after a warm-up run.
bool quad_time_assembly(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);
bool quad_time_product(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);

/// Measures the mean time of an iteration of a solver. The right-hand side is random: on a uniform grid the load of f
/// is an eigenvector of the matrix, for which CG would stop at once.
bool quad_time_iteration(QuadSystem *system, QuadBench *bench, const char *solver, int iterations, double *seconds,
                         Error *error);

/// Selects the tuning with the fastest product, if the matrix has any, and times its products.
bool quad_tune(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);

/// Computes y = A x in double on the host; y [n].
bool quad_take_product(QuadSystem *system, QuadBench *bench, double *y, Error *error);

/// Solves A u = load with u = 0 on the boundary, to the relative residual `relative`. load and u [n] are on the host;
/// u may be NULL. Fails if the solver does not converge.
bool quad_solve(QuadSystem *system, QuadBench *bench, const char *solver, const double *load, double relative,
                double *u, int *iterations, Error *error);
