// A reference system, a vector F and a matrix K, with which tests and `pliant validate` compare all assemblies. It
// belongs to a deformed neo-Hookean body. It is assembled in double from the formulas of paper 000, without the
// functions that the assemblies use. For other materials, tests compare an assembly with the sum of its element
// matrices, and element matrices with derivatives of the energy.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reference force vector and matrix of a deformed body, with which assemblies are compared. Displacements are rounded
// to float, so that assemblies in float and double have equal input. A zeroed ReferenceAssembly is empty.
typedef struct ReferenceAssembly {
  const Space *space;  // the mesh's nodes and cells; borrowed
  double (*u)[3];      // [node_count], displacements in m: bending, stretch and noise
  // F [node_count][3], N: the reference vector of forces. K [pairs][3][3], N/m: the blocks of the reference matrix, one
  // for each pair of neighbouring nodes, in the order of space->graph.
  double *F, *K;
  AssemblyParameters parameters;  // parameters with which F and K were computed
} ReferenceAssembly;

/// Bends and stretches the mesh, displaces its nodes at random by up to `noise` times the average edge length (times
/// 0.25 in quadratic tets, 0.08 in cubic tets), and assembles F and K. Fails if a cell is inverted.
bool reference_assembly_create(ReferenceAssembly *reference, const Space *space, double noise, Error *error);
void reference_assembly_destroy(ReferenceAssembly *reference);

// Relative errors of an assembly: the Frobenius norm (matrix) or the Euclidean norm (vector) of the difference from the
// reference, divided by the norm of the reference.
typedef struct ReferenceErrors {
  double matrix, vector;
} ReferenceErrors;

/// Runs an assembly method with a matrix in the given format, and computes the errors of its matrix and vector. The
/// method must be for the reference's neo-Hookean material. Method and format may be on different devices.
bool reference_assembly_compare(const ReferenceAssembly *reference, const AssemblyMethod *method,
                                const OperatorMethod *format, ReferenceErrors *errors, Error *error);

#ifdef __cplusplus
}
#endif
