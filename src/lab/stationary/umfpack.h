// The functions of UMFPACK (SuiteSparse), which factorises sparse matrices, for 64-bit indices and double values. The
// library is opened at its first use. The constants below are equal in versions 5 and 6 of the library's header
// umfpack.h.
#pragma once
#include <stdint.h>

#include "base/error.h"

enum { UMFPACK_CONTROLS = 20, UMFPACK_INFOS = 90, UMFPACK_INFO_UNIT = 3, UMFPACK_INFO_PEAK_ESTIMATE = 21 };
enum { UMFPACK_GOOD = 0, UMFPACK_SINGULAR = 1, UMFPACK_PLAIN = 0 };

// Pointers to the functions of UMFPACK. A matrix is stored by columns: the entries of column j have the indices
// start[j] to start[j + 1] - 1 in `row` and `values`, in ascending order of rows.
typedef struct Umfpack {
  void (*defaults)(double control[UMFPACK_CONTROLS]);
  int64_t (*symbolic)(int64_t rows, int64_t columns, const int64_t *start, const int64_t *row, const double *values,
                      void **symbolic, const double *control, double *info);
  int64_t (*numeric)(const int64_t *start, const int64_t *row, const double *values, void *symbolic, void **numeric,
                     const double *control, double *info);
  int64_t (*solve)(int64_t system, const int64_t *start, const int64_t *row, const double *values, double *x,
                   const double *b, void *numeric, const double *control, double *info);
  void (*free_symbolic)(void **symbolic);
  void (*free_numeric)(void **numeric);
} Umfpack;

/// Returns the functions of the library, or NULL with an error that names the package to install.
const Umfpack *umfpack(Error *error);

/// Sets *error to a message about `status`, UMFPACK's status code. `step` names the work that failed, such as
/// "analysis". Returns false.
bool umfpack_error(int64_t status, const char *step, Error *error);
