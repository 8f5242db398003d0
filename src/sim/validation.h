// Compares assembly methods with a reference: a tangent matrix and a force vector that simple code assembles in double
// on the CPU, as in Table 16.1 of paper 000.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// A deformed mesh with its reference assembly.
typedef struct Validation Validation;

/// Displaces the nodes of a mesh at random, and assembles the reference matrix and force vector of this state. `mesh`
/// is borrowed and must outlive the Validation.
bool validation_create(Validation **validation, const TetMesh *mesh, Error *error);
void validation_destroy(Validation *validation);  // accepts NULL

// Relative errors in the L2 norm, over all entries of the tangent matrix and of the force vector.
typedef struct ValidationErrors {
  double matrix, vector;  // error of the matrix, and error of the force vector
} ValidationErrors;

/// Assembles the deformed mesh by the method `assembly`, into the matrix format `matrix`; both must have the same
/// precision and device. Computes the errors of the matrix and of the force vector.
bool validation_run(const Validation *validation, const Stage *assembly, const Stage *matrix, ValidationErrors *errors,
                    Error *error);

#ifdef __cplusplus
}
#endif
