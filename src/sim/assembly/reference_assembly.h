// A reference system with which tests and `pliant validate` compare all assemblies. It is the system of a deformed
// neo-Hookean body, assembled in double by the formulas of paper 000. It uses none of the functions that the compared
// assemblies use. For other materials, tests compare an assembly with the sum of its element matrices, and these with
// derivatives of the energy.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed ReferenceAssembly is empty. Displacements are rounded to float, so that both precisions start from equal
// numbers.
typedef struct ReferenceAssembly {
  const Space *space;  // borrowed
  double (*u)[3];      // [node_count], m, displacements: bending, stretch and noise
  // the reference vector F [n], and the blocks K [pairs][3][3] of the reference matrix, in the order of space->graph
  double *F, *K;
  AssemblyParameters parameters;  // parameters with which F and K were computed
} ReferenceAssembly;

/// Bends and stretches the mesh, displaces its nodes at random by `noise` times the average edge length, and assembles
/// F and K. Fails if a cell is inverted.
bool reference_assembly_create(ReferenceAssembly *reference, const Space *space, double noise, Error *error);
void reference_assembly_destroy(ReferenceAssembly *reference);

// Errors of an assembly: the relative L2 norm of the difference from the reference, for the matrix and the vector.
typedef struct ReferenceErrors {
  double matrix, vector;
} ReferenceErrors;

/// Runs an assembly method, which must be for the reference's material, with a matrix in the given format, and compares
/// the result with the reference. Method and format may be on different devices.
bool reference_assembly_compare(const ReferenceAssembly *reference, const AssemblyMethod *method,
                                const OperatorMethod *format, ReferenceErrors *errors, Error *error);

#ifdef __cplusplus
}
#endif
