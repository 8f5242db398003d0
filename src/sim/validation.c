// Compares assembly methods with a simple assembly in double (validation.h).
#include "sim/validation.h"

#include <stdlib.h>

#include "base/array.h"
#include "sim/assembly/reference_assembly.h"

// Largest random displacement of a node, in percent of the mean edge length; so small that no tet inverts.
enum { NOISE_PERCENT = 5 };

struct Validation {
  Space space;
  ReferenceAssembly reference;
};

bool validation_create(Validation **validation, const TetMesh *mesh, Error *error) {
  Validation *made = array_new(1, sizeof *made, "validation", error);
  if (made && space_create(&made->space, mesh, 3, error) &&
      reference_assembly_create(&made->reference, &made->space, NOISE_PERCENT / 100.0, error)) {
    *validation = made;
    return true;
  }
  validation_destroy(made);
  return false;
}

void validation_destroy(Validation *validation) {
  if (!validation) return;
  reference_assembly_destroy(&validation->reference);
  space_destroy(&validation->space);
  free(validation);
}

bool validation_run(const Validation *validation, const Stage *assembly, const Stage *matrix, ValidationErrors *errors,
                    Error *error) {
  ReferenceErrors e;
  if (!reference_assembly_compare(&validation->reference, (const AssemblyMethod *)assembly,
                                  (const OperatorMethod *)matrix, &e, error))
    return false;
  *errors = (ValidationErrors){ e.matrix, e.vector };
  return true;
}
