// Table 16.1 of paper 000: errors of assemblies in float and on the devices, relative to a reference assembly in
// double.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// A deformed mesh with its reference assembly.
typedef struct Validation Validation;

/// `mesh` is borrowed and must outlive the Validation.
bool validation_create(Validation **validation, const TetMesh *mesh, Error *error);
void validation_destroy(Validation *validation);  // accepts NULL

// Relative L2 errors over all entries.
typedef struct ValidationErrors {
  double matrix, vector;
} ValidationErrors;

/// Runs an assembly into a matrix format of the same precision, and writes the errors.
bool validation_run(const Validation *validation, const Stage *assembly, const Stage *matrix, ValidationErrors *errors,
                    Error *error);

#ifdef __cplusplus
}
#endif
