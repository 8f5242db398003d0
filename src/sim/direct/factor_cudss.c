// Factorisation by cuDSS on the GPU (factor.h). The matrix and the vectors are copied to the GPU and back.
#include <cudss.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/library.h"
#include "device/device.h"
#include "sim/direct/factor.h"

// The types of numbers in arrays. Since version 0.8, row starts and columns of a matrix can have different types.
#if CUDSS_VERSION >= 800
#define INDEX_TYPES CUDSS_R_32I, CUDSS_R_32I
#define VALUE_TYPE CUDSS_R_64F
#else
#define INDEX_TYPES CUDA_R_32I
#define VALUE_TYPE CUDA_R_64F
#endif

// The functions of cuDSS that this file calls.
typedef struct Library {
  __typeof__(&cudssCreate) create;
  __typeof__(&cudssDestroy) destroy;
  __typeof__(&cudssSetStream) set_stream;
  __typeof__(&cudssConfigCreate) config_create;
  __typeof__(&cudssConfigDestroy) config_destroy;
  __typeof__(&cudssConfigSet) config_set;
  __typeof__(&cudssDataCreate) data_create;
  __typeof__(&cudssDataDestroy) data_destroy;
  __typeof__(&cudssDataGet) data_get;
  __typeof__(&cudssMatrixCreateCsr) matrix_create;
  __typeof__(&cudssMatrixCreateDn) vector_create;
  __typeof__(&cudssMatrixDestroy) matrix_destroy;
  __typeof__(&cudssExecute) execute;
  __typeof__(&cudssGetProperty) get_property;
  char absence[200];
} Library;

static Library library;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

// Opens the library in the folders of the system, else in the folder CUDSS_FOLDER, beside the header of the build.
static void *open_file(void) {
  char name[32];
  snprintf(name, sizeof name, "libcudss.so.%d", CUDSS_VERSION_MAJOR);
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
#ifdef CUDSS_FOLDER
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", CUDSS_FOLDER, name);
  if (!handle) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
  return handle;
}

static void open_library(void) {
  static const LibraryFunction functions[] = {
    { "cudssCreate", offsetof(Library, create) },
    { "cudssDestroy", offsetof(Library, destroy) },
    { "cudssSetStream", offsetof(Library, set_stream) },
    { "cudssConfigCreate", offsetof(Library, config_create) },
    { "cudssConfigDestroy", offsetof(Library, config_destroy) },
    { "cudssConfigSet", offsetof(Library, config_set) },
    { "cudssDataCreate", offsetof(Library, data_create) },
    { "cudssDataDestroy", offsetof(Library, data_destroy) },
    { "cudssDataGet", offsetof(Library, data_get) },
    { "cudssMatrixCreateCsr", offsetof(Library, matrix_create) },
    { "cudssMatrixCreateDn", offsetof(Library, vector_create) },
    { "cudssMatrixDestroy", offsetof(Library, matrix_destroy) },
    { "cudssExecute", offsetof(Library, execute) },
    { "cudssGetProperty", offsetof(Library, get_property) },
  };
  int major = 0, minor = 0;
  void *handle = open_file();
  if (!handle) {
    snprintf(library.absence, sizeof library.absence,
             "it needs NVIDIA's cuDSS %d.%d, which is not installed (PyPI: nvidia-cudss-cu13; put the folder of "
             "libcudss.so.%d in LD_LIBRARY_PATH)",
             CUDSS_VERSION_MAJOR, CUDSS_VERSION_MINOR, CUDSS_VERSION_MAJOR);
    return;
  }

  const char *missing = library_functions(handle, functions, sizeof functions / sizeof *functions, &library);
  if (missing) {
    snprintf(library.absence, sizeof library.absence, "the installed cuDSS lacks the function %s", missing);
    return;
  }

  // The numbers of enumerations differ between versions, so the version must be that of the build.
  library.get_property(MAJOR_VERSION, &major);
  library.get_property(MINOR_VERSION, &minor);
  if (major != CUDSS_VERSION_MAJOR || minor != CUDSS_VERSION_MINOR)
    snprintf(library.absence, sizeof library.absence,
             "the installed cuDSS has version %d.%d, but Pliant was built for %d.%d", major, minor, CUDSS_VERSION_MAJOR,
             CUDSS_VERSION_MINOR);
}

static const char *absence(void) {
  pthread_once(&opened, open_library);
  if (*library.absence) return library.absence;
  return device_present(DEVICE_CUDA) ? NULL : device_absence();
}

// A factorisation by cuDSS. Functions that are called through the table at the end of this file get its first member.
typedef struct CudssFactor {
  Factor base;
  const SymmetricColumns *A;  // borrowed
  Stream stream;
  cudssHandle_t handle;
  cudssConfig_t config;
  cudssData_t data;
  cudssMatrix_t matrix, right, solution;  // A, b and x, with the arrays below
  // Arrays on the GPU. start [n + 1], column [entries], value [entries]: the lower triangle by rows, which is the upper
  // triangle by columns. b, x: [n].
  int *start, *column;
  double *value, *b, *x;
  bool factorised;  // true: an earlier call has computed a factor with this pattern
} CudssFactor;

static void destroy(Factor *factor) {
  CudssFactor *f = (CudssFactor *)factor;
  if (f->matrix) library.matrix_destroy(f->matrix);
  if (f->right) library.matrix_destroy(f->right);
  if (f->solution) library.matrix_destroy(f->solution);
  if (f->data) library.data_destroy(f->handle, f->data);
  if (f->config) library.config_destroy(f->config);
  if (f->handle) library.destroy(f->handle);
  void *arrays[] = { f->start, f->column, f->value, f->b, f->x };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  stream_destroy(&f->stream);
  free(f);
}

static bool failed(cudssStatus_t status, const char *step, Error *error) {
  if (status == CUDSS_STATUS_ALLOC_FAILED)
    return error_set(error, "not enough memory of the GPU for the factor of the matrix; choose another --solver");
  return error_set(error, "cuDSS failed in its %s with status %d", step, (int)status);
}

static bool execute(CudssFactor *f, int phase, const char *step, Error *error) {
  const cudssStatus_t status = library.execute(f->handle, phase, f->config, f->data, f->matrix, f->solution, f->right);
  return status == CUDSS_STATUS_SUCCESS || failed(status, step, error);
}

// Copies the pattern of A to the GPU, with 32-bit numbers.
static bool copy_pattern(CudssFactor *f, Error *error) {
  const SymmetricColumns *A = f->A;
  const int64_t n = A->n, entries = A->start[n];
  if (entries > INT_MAX)
    return error_set(error, "the matrix has more entries than cuDSS can number; choose another --solver");
  int *start = array_new(n + 1, sizeof *start, "the factor", error);
  int *column = start ? array_new(entries, sizeof *column, "the factor", error) : NULL;
  for (int64_t j = 0; column && j <= n; j++) start[j] = (int)A->start[j];
  for (int64_t k = 0; column && k < entries; k++) column[k] = (int)A->row[k];
  const bool ok = column && (f->start = device_clone(DEVICE_CUDA, start, sizeof *start * (size_t)(n + 1), error)) &&
                  (f->column = device_clone(DEVICE_CUDA, column, sizeof *column * (size_t)entries, error));
  free(start);
  free(column);
  return ok;
}

static bool create_objects(CudssFactor *f, Error *error) {
  const int64_t n = f->A->n, entries = f->A->start[n];
  cudssStatus_t s = library.create(&f->handle);
  if (s == CUDSS_STATUS_SUCCESS) s = library.set_stream(f->handle, (cudaStream_t)f->stream.handle);
  if (s == CUDSS_STATUS_SUCCESS) s = library.config_create(&f->config);
  if (s == CUDSS_STATUS_SUCCESS) s = library.data_create(f->handle, &f->data);
#if CUDSS_VERSION >= 700
  int on = 1;  // sums in a fixed order, so that results repeat bit for bit
  if (s == CUDSS_STATUS_SUCCESS) s = library.config_set(f->config, CUDSS_CONFIG_DETERMINISTIC_MODE, &on, sizeof on);
#endif
  if (s == CUDSS_STATUS_SUCCESS)
    s = library.matrix_create(&f->matrix, n, n, entries, f->start, NULL, f->column, f->value, INDEX_TYPES, VALUE_TYPE,
                              CUDSS_MTYPE_SYMMETRIC, CUDSS_MVIEW_LOWER, CUDSS_BASE_ZERO);
  if (s == CUDSS_STATUS_SUCCESS)
    s = library.vector_create(&f->right, n, 1, n, f->b, VALUE_TYPE, CUDSS_LAYOUT_COL_MAJOR);
  if (s == CUDSS_STATUS_SUCCESS)
    s = library.vector_create(&f->solution, n, 1, n, f->x, VALUE_TYPE, CUDSS_LAYOUT_COL_MAJOR);
  return s == CUDSS_STATUS_SUCCESS || failed(s, "start", error);
}

static Factor *create(const SymmetricColumns *A, Error *error) {
  CudssFactor *f = array_new(1, sizeof *f, "the factor", error);
  if (!f) return NULL;
  const size_t n = (size_t)A->n, entries = (size_t)A->start[A->n];
  f->base.library = &factor_cudss;
  f->A = A;
  if (copy_pattern(f, error) && stream_create(DEVICE_CUDA, &f->stream, error) &&
      (f->value = device_alloc(DEVICE_CUDA, sizeof *f->value * entries, error)) &&
      (f->b = device_alloc(DEVICE_CUDA, sizeof *f->b * n, error)) &&
      (f->x = device_alloc(DEVICE_CUDA, sizeof *f->x * n, error)) && create_objects(f, error) &&
      execute(f, CUDSS_PHASE_ANALYSIS, "analysis", error))
    return &f->base;
  destroy(&f->base);
  return NULL;
}

static bool compute(Factor *factor, FactorReport *report, Error *error) {
  CudssFactor *f = (CudssFactor *)factor;
  const size_t entries = (size_t)f->A->start[f->A->n];
  const int phase = f->factorised ? CUDSS_PHASE_REFACTORIZATION : CUDSS_PHASE_FACTORIZATION;
  int signs[2] = { 0, 0 }, replaced = 0;  // numbers of positive and negative pivots; of pivots that were 0
  size_t written;
  *report = (FactorReport){ 0 };
  if (!device_upload(f->stream, f->value, f->A->value, sizeof *f->value * entries, error) ||
      !execute(f, phase, "factorisation", error) || !stream_sync(f->stream, error))
    return false;
  f->factorised = true;
  cudssStatus_t s = library.data_get(f->handle, f->data, CUDSS_DATA_INERTIA, signs, sizeof signs, &written);
  if (s == CUDSS_STATUS_SUCCESS)
    s = library.data_get(f->handle, f->data, CUDSS_DATA_NPIVOTS, &replaced, sizeof replaced, &written);
  report->negative = signs[1];
  report->shifted = replaced > 0;
  return s == CUDSS_STATUS_SUCCESS || failed(s, "report", error);
}

static bool solve(Factor *factor, const double *b, double *x, Error *error) {
  CudssFactor *f = (CudssFactor *)factor;
  const size_t bytes = sizeof *b * (size_t)f->A->n;
  if (!device_upload(f->stream, f->b, b, bytes, error)) return false;
  if (!execute(f, CUDSS_PHASE_SOLVE, "solve", error)) return false;
  if (!device_download(f->stream, x, f->x, bytes, error)) return false;
  return stream_sync(f->stream, error);
}

static double entries(const Factor *factor) {
  const CudssFactor *f = (const CudssFactor *)factor;
  int64_t count = 0;
  size_t written;
  library.data_get(f->handle, f->data, CUDSS_DATA_LU_NNZ, &count, sizeof count, &written);
  return (double)count;
}

const FactorLibrary factor_cudss = {
  .absence = absence, .create = create, .destroy = destroy, .compute = compute, .solve = solve, .entries = entries
};
