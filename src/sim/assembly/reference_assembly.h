// What every assembly is held against, by tests and `pliant validate`: the system of a deformed neo-Hookean body,
// assembled in double by the formulas of paper 000 as they stand, from positions, with nothing that the program's own
// assemblies use. So it holds tets of that material alone: methods built for other elements are held against the sum of
// their cells, whose vectors and matrices are held against their energies.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed ReferenceAssembly is empty. Displacements are floats, so that both precisions start from the same numbers.
typedef struct ReferenceAssembly {
  const Space *space;             // borrowed
  double (*u)[3];                 // [node_count], m: bent, stretched and shaken
  double *F, *K;                  // [n], and [pairs][3][3] by pairs of the space
  AssemblyParameters parameters;  // that F and K were made with
} ReferenceAssembly;

/// Bends and stretches the mesh, shakes its nodes by `noise` times the average edge, and assembles. Fails where that
/// inverts a tet.
bool reference_assembly_create(ReferenceAssembly *reference, const Space *space, double noise, Error *error);
void reference_assembly_destroy(ReferenceAssembly *reference);

// How far an assembly is from the reference: relative L2 differences of all entries.
typedef struct ReferenceErrors {
  double matrix, vector;
} ReferenceErrors;

/// Runs a method, built for tets of that material, into a format and compares. The two may be on different devices.
bool reference_assembly_compare(const ReferenceAssembly *reference, const AssemblyMethod *method,
                                const OperatorMethod *format, ReferenceErrors *errors, Error *error);

#ifdef __cplusplus
}
#endif
