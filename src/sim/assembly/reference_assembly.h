// Reference system for the tests of all assemblies and for `pliant validate`. It is the system of a deformed
// neo-Hookean body, assembled in double by the formulas of paper 000, without any function that the program's
// assemblies use. It covers only cells of that material. Methods for other elements are compared with the sum of their
// element matrices, which are compared with derivatives of the energy.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed ReferenceAssembly is empty. Displacements have float values, so that both precisions start from equal
// numbers.
typedef struct ReferenceAssembly {
  const Space *space;             // borrowed
  double (*u)[3];                 // [node_count], m: bending, stretch and noise
  double *F, *K;                  // [n], and [pairs][3][3] by pairs of the space
  AssemblyParameters parameters;  // parameters of F and K
} ReferenceAssembly;

/// Bends and stretches the mesh, displaces its nodes by `noise` times the average edge, and assembles. Fails if a cell
/// is inverted.
bool reference_assembly_create(ReferenceAssembly *reference, const Space *space, double noise, Error *error);
void reference_assembly_destroy(ReferenceAssembly *reference);

// Errors of an assembly: relative L2 differences of all entries from the reference.
typedef struct ReferenceErrors {
  double matrix, vector;
} ReferenceErrors;

/// Runs a method, built for the reference's material, into a format and compares. Method and format may be on different
/// devices.
bool reference_assembly_compare(const ReferenceAssembly *reference, const AssemblyMethod *method,
                                const OperatorMethod *format, ReferenceErrors *errors, Error *error);

#ifdef __cplusplus
}
#endif
