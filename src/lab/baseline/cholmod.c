// Measures how long the library CHOLMOD takes to convert triplets (row, column, value) to a sparse matrix: see
// cholmod.h.
#include "lab/baseline/cholmod.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/array.h"
#include "base/library.h"
#include "base/timer.h"

typedef struct Library {
  __typeof__(&cholmod_start) start;
  __typeof__(&cholmod_finish) finish;
  __typeof__(&cholmod_triplet_to_sparse) to_sparse;
  __typeof__(&cholmod_free_sparse) free_sparse;
  const char *absence;
} Library;

static const Library *library(void) {
  static Library found;
  static bool asked = false;
  static const LibraryFunction functions[] = { { "cholmod_start", offsetof(Library, start) },
                                               { "cholmod_finish", offsetof(Library, finish) },
                                               { "cholmod_triplet_to_sparse", offsetof(Library, to_sparse) },
                                               { "cholmod_free_sparse", offsetof(Library, free_sparse) } };
  char name[32];
  if (asked) return &found;
  asked = true;
  snprintf(name, sizeof name, "libcholmod.so.%d", CHOLMOD_MAIN_VERSION);
  void *opened = dlopen(name, RTLD_NOW);
  if (!opened) found.absence = "SuiteSparse's CHOLMOD is not installed";
  if (opened && library_functions(opened, functions, sizeof functions / sizeof *functions, &found))
    found.absence = "the installed CHOLMOD lacks a required function";
  return &found;
}

const char *cholmod_absence(void) {
  return library()->absence;
}

// Copies the matrix A, which CHOLMOD has made: rows and columns of its entries to the pattern `p`, values to `values`.
// CHOLMOD stores the upper triangle column by column, and Pliant stores the lower triangle row by row. A is symmetric,
// so column j of the upper triangle is row j of the lower triangle, and the arrays are copied unchanged.
static bool take(LowerPattern *p, const cholmod_sparse *A, double **values, Error *error) {
  const int *start = A->p;
  *p = (LowerPattern){ .rows = (int)A->ncol };
  p->start = array_new((int64_t)p->rows + 1, sizeof *p->start, "matrix rows", error);
  p->col = array_new(start[p->rows], sizeof *p->col, "matrix columns", error);
  *values = array_new(start[p->rows], sizeof **values, "matrix values", error);
  if (!p->start || !p->col || !*values) {
    lower_pattern_destroy(p);
    free(*values);
    *values = NULL;
    return false;
  }
  for (int row = 0; row <= p->rows; row++) p->start[row] = start[row];
  memcpy(p->col, A->i, sizeof *p->col * (size_t)start[p->rows]);
  memcpy(*values, A->x, sizeof **values * (size_t)start[p->rows]);
  return true;
}

bool cholmod_pattern(LowerPattern *p, const LowerTriplets *t, const double *value, double **values, double *seconds,
                     Error *error) {
  const Library *l = library();
  cholmod_common common;
  *p = (LowerPattern){ 0 };
  *values = NULL;
  if (l->absence) return error_set(error, "%s", l->absence);
  if (t->count > INT32_MAX) return error_set(error, "%lld triplets are too many for CHOLMOD", (long long)t->count);
  l->start(&common);
  common.print = 0;
  cholmod_triplet triplets = { .nrow = (size_t)t->rows,
                               .ncol = (size_t)t->rows,
                               .nzmax = (size_t)t->count,
                               .nnz = (size_t)t->count,
                               .i = t->col,
                               .j = t->row,
                               .x = (void *)(uintptr_t)value,  // the cast removes const; CHOLMOD only reads the values
                               .stype = 1,
                               .itype = CHOLMOD_INT,
                               .xtype = CHOLMOD_REAL,
                               .dtype = CHOLMOD_DOUBLE };
  const double begin = timer_seconds();
  cholmod_sparse *A = l->to_sparse(&triplets, 0, &common);
  *seconds = timer_seconds() - begin;
  const bool ok = A ? take(p, A, values, error) : error_set(error, "CHOLMOD failed with status %d", common.status);
  l->free_sparse(&A, &common);
  l->finish(&common);
  return ok;
}
