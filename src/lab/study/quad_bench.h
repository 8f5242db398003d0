// A Poisson problem on quads of one degree, whose stages are made, checked and timed one by one: what the study of
// Reguly and Giles is made of.
#pragma once
#include "mesh/cell_mesh.h"
#include "sim/assembly/assembly.h"
#include "sim/element/space.h"
#include "sim/solver/solver.h"

// Which number nodes have (paper 001, section 10.4).
typedef enum QuadNumbering {
  QUAD_ORIGINAL,         // as cells come, and their nodes
  QUAD_ALIGNED,          // corners, then nodes of edges, then those within cells
  QUAD_BLOCKED,          // cells by blocks of n x n, then as original
  QUAD_BLOCKED_ALIGNED,  // both
  QUAD_BY_PLACE,         // the first nodes of all cells, then the second ones: what neighbouring threads read lies side
                         // by side
  QUAD_NUMBERINGS
} QuadNumbering;
extern const char *const quad_numbering_names[QUAD_NUMBERINGS];

/// About `dof` unknowns: a unit square of cells, its inner corners moved by up to `distort` of a cell's side, by a draw
/// of its own for each seed; f = sin pi x sin pi y. Numbered so, in blocks of 16 x 16.
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
  uint8_t *fixed;                       // [n] on the device: the boundary
  void *nodal, *F, *shift, *x, *y, *b;  // x: random; b: random, 0 where held
} QuadBench;

bool quad_bench_open(QuadBench *bench, const CellMesh *mesh, Device device, Precision precision, Error *error);
void quad_bench_close(QuadBench *bench);

// A matrix by an assembly. A zeroed QuadSystem is empty.
typedef struct QuadSystem {
  Operator A;
  Assembly assembly;
} QuadSystem;

/// Makes and assembles it. Fails for lack of memory, or where there are no such stages.
bool quad_system_open(QuadSystem *system, QuadBench *bench, const char *matrix, const char *assembly, Error *error);
void quad_system_close(QuadSystem *system);

/// The same matrix by another assembly from now on.
bool quad_system_assemble_by(QuadSystem *system, QuadBench *bench, const char *assembly, Error *error);

/// Whether the device has them in this precision.
bool quad_system_exists(const QuadBench *bench, const char *matrix, const char *assembly);

/// Times, s: medians of `repeat`, after one that is not counted. An assembly is that of load and matrix together.
bool quad_time_assembly(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);
bool quad_time_product(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);

/// Of one iteration out of so many, with a right side that is random: f is a discrete eigenvector on uniform grids.
bool quad_time_iteration(QuadSystem *system, QuadBench *bench, const char *solver, int iterations, double *seconds,
                         Error *error);

/// Takes the tuning of the fastest product, where the matrix has any; times its products then.
bool quad_tune(QuadSystem *system, QuadBench *bench, int repeat, double *seconds, Error *error);

/// y = A x in double on the host; y [n].
bool quad_take_product(QuadSystem *system, QuadBench *bench, double *y, Error *error);

/// Solves for `load` [n] with the boundary at 0 to `relative`; u [n] on the host unless NULL. Fails where that does not
/// converge.
bool quad_solve(QuadSystem *system, QuadBench *bench, const char *solver, const double *load, double relative,
                double *u, int *iterations, Error *error);
