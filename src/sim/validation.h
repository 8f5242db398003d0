// Table 16.1 of paper 000: what float and the devices do to an assembly, held against a plain one in double.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// A mesh, deformed, with its plain assembly.
typedef struct Validation Validation;

/// `mesh` is borrowed and must outlive the Validation.
bool validation_create(Validation **validation, const TetMesh *mesh, Error *error);
void validation_destroy(Validation *validation);  // takes NULL

// Relative L2 differences of all entries from the plain assembly in double.
typedef struct ValidationErrors {
  double matrix, vector;
} ValidationErrors;

/// Runs an assembly into a matrix format, both of one precision.
bool validation_run(const Validation *validation, const Stage *assembly, const Stage *matrix, ValidationErrors *errors,
                    Error *error);

#ifdef __cplusplus
}
#endif
