// What every assembly is held against: the system of a deformed body, assembled in double by the formulas of paper 000
// as they stand, from positions, with nothing that the program's own assemblies use.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Yardstick is empty. Displacements are floats, so that both precisions start from the same numbers.
typedef struct Yardstick {
  const TetMesh *mesh;  // borrowed
  Pattern pattern;
  double (*u)[3];                 // [node_count], m: bent, stretched and shaken
  double *F, *K;                  // [n], and [nnz] by position in the pattern
  AssemblyParameters parameters;  // that F and K were made with
} Yardstick;

/// Bends and stretches the mesh, shakes its nodes by `noise` times the average edge, and assembles. Fails where that
/// inverts a tet.
bool yardstick_create(Yardstick *yardstick, const TetMesh *mesh, double noise, Error *error);
void yardstick_destroy(Yardstick *yardstick);

// How far an assembly is from the yardstick: relative L2 differences of all entries.
typedef struct YardstickErrors {
  double matrix, vector;
} YardstickErrors;

/// Runs a method into a format and compares. The two may be on different devices.
bool yardstick_compare(const Yardstick *yardstick, const AssemblyMethod *method, const MatrixFormat *format,
                       YardstickErrors *errors, Error *error);

#ifdef __cplusplus
}
#endif
