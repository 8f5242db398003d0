// Validation: see validation.h.
#include "sim/validation.h"

#include <stdlib.h>

#include "base/array.h"
#include "sim/assembly/yardstick.h"

enum { NOISE_PERCENT = 5 };  // of an edge: the nodes are shaken, and no tet inverts

struct Validation {
  Yardstick yardstick;
};

bool validation_create(Validation **validation, const TetMesh *mesh, Error *error) {
  Validation *made = array_new(1, sizeof *made, "validation", error);
  if (made && yardstick_create(&made->yardstick, mesh, NOISE_PERCENT / 100.0, error)) {
    *validation = made;
    return true;
  }
  free(made);
  return false;
}

void validation_destroy(Validation *validation) {
  if (validation) yardstick_destroy(&validation->yardstick);
  free(validation);
}

bool validation_run(const Validation *validation, int assembly, int matrix, ValidationErrors *errors, Error *error) {
  const AssemblyMethod *method = assembly_method("neo_hookean_tet", assembly);
  YardstickErrors e;
  if (!yardstick_compare(&validation->yardstick, method, matrix_formats[matrix], &e, error)) return false;
  *errors = (ValidationErrors){ e.matrix, e.vector };
  return true;
}
