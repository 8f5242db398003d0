// Converts error codes of PETSc and MPI to messages for the user.
#pragma once
#include <petscksp.h>
#include <petscsf.h>
#include <stdbool.h>

#include "base/error.h"

// Returns true if `code`, the result of a call of PETSc, means success. Otherwise sets the error: the task that failed,
// and PETSc's text for the code.
static inline bool petsc_ok(PetscErrorCode code, const char *task, Error *error) {
  const char *text = NULL;
  char *specific = NULL;
  if (code == 0) return true;
  PetscErrorMessage(code, &text, &specific);
  return error_set(error, "PETSc cannot %s: %s%s%s", task, text ? text : "unknown error",
                   specific && specific[0] ? ": " : "", specific ? specific : "");
}
