// Times NVIDIA's libraries cuSPARSE and cuBLAS on Pliant's matrix: see cusparse.h.
#include "lab/baseline/cusparse.h"

#include <cublas_v2.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>

#include <vector>

#include "base/library.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/csr_layout.h"

enum { WARM = 5, TIMED = 50, CG_MAX = 5000 };

// Lists of the functions of cuSPARSE and cuBLAS that are loaded at run time. SPARSE_FUNCTIONS(X) and BLAS_FUNCTIONS(X)
// call the macro X once with each name.
#define SPARSE_FUNCTIONS(X) \
  X(cusparseCreate)         \
  X(cusparseDestroy)        \
  X(cusparseSetStream)      \
  X(cusparseCreateCsr)      \
  X(cusparseCreateBsr)      \
  X(cusparseDestroySpMat)   \
  X(cusparseCreateDnVec)    \
  X(cusparseDestroyDnVec)   \
  X(cusparseSpMV_bufferSize) X(cusparseSpMV_preprocess) X(cusparseSpMV) X(cusparseGetErrorString)
#define BLAS_FUNCTIONS(X) \
  X(cublasCreate_v2)      \
  X(cublasDestroy_v2)     \
  X(cublasSetStream_v2)   \
  X(cublasSdot_v2)        \
  X(cublasDdot_v2) X(cublasSaxpy_v2) X(cublasDaxpy_v2) X(cublasSscal_v2) X(cublasDscal_v2) X(cublasSdgmm) X(cublasDdgmm)

// Pointers to the functions of cuSPARSE and cuBLAS, which are loaded at run time. `absence` is the reason why the
// libraries cannot be used, or NULL if they can.
typedef struct Libraries {
#define DECLARE(name) decltype(&::name) name##_;
  SPARSE_FUNCTIONS(DECLARE)
  BLAS_FUNCTIONS(DECLARE)
#undef DECLARE
  const char *absence;
} Libraries;

#define FUNCTION(name) { #name, offsetof(Libraries, name##_) },
static const LibraryFunction sparse_functions[] = { SPARSE_FUNCTIONS(FUNCTION) };
static const LibraryFunction blas_functions[] = { BLAS_FUNCTIONS(FUNCTION) };
#undef FUNCTION
enum {
  SPARSE_COUNT = sizeof sparse_functions / sizeof *sparse_functions,
  BLAS_COUNT = sizeof blas_functions / sizeof *blas_functions,
};

static const Libraries *libraries(void) {
  static Libraries found;
  static bool asked = false;
  static char lacking[100];
  if (asked) return &found;
  asked = true;
  char names[2][32];
  snprintf(names[0], sizeof names[0], "libcusparse.so.%d", CUSPARSE_VER_MAJOR);
  snprintf(names[1], sizeof names[1], "libcublas.so.%d", CUBLAS_VER_MAJOR);
  void *sparse = dlopen(names[0], RTLD_NOW), *blas = dlopen(names[1], RTLD_NOW);
  if (!sparse || !blas) {
    found.absence = "cuSPARSE or cuBLAS is not installed";
    return &found;
  }
  const char *missing = library_functions(sparse, sparse_functions, SPARSE_COUNT, &found);
  if (!missing) missing = library_functions(blas, blas_functions, BLAS_COUNT, &found);
  if (missing) {
    snprintf(lacking, sizeof lacking, "the installed cuSPARSE or cuBLAS lacks the function %s", missing);
    found.absence = lacking;
  }
  return &found;
}

#define SPARSE_TRY(call)                                                     \
  do {                                                                       \
    cusparseStatus_t sparse_status = (call);                                 \
    if (sparse_status != CUSPARSE_STATUS_SUCCESS)                            \
      return error_set(error, "%s:%d: %s: %s", __FILE__, __LINE__, #call,    \
                       libraries()->cusparseGetErrorString_(sparse_status)); \
  } while (0)
#define BLAS_TRY(call)                                                                              \
  do {                                                                                              \
    cublasStatus_t blas_status = (call);                                                            \
    if (blas_status != CUBLAS_STATUS_SUCCESS)                                                       \
      return error_set(error, "%s:%d: %s: status %d", __FILE__, __LINE__, #call, (int)blas_status); \
  } while (0)

// Overloads of cuBLAS functions for float and double, for use in templates. `dot` computes *r = x . y, `axpy` y += a x,
// `scale` x = a x, and `multiply` y_i = d_i x_i.
static cublasStatus_t dot(cublasHandle_t h, int n, const float *x, const float *y, float *r) {
  return libraries()->cublasSdot_v2_(h, n, x, 1, y, 1, r);
}
static cublasStatus_t dot(cublasHandle_t h, int n, const double *x, const double *y, double *r) {
  return libraries()->cublasDdot_v2_(h, n, x, 1, y, 1, r);
}
static cublasStatus_t axpy(cublasHandle_t h, int n, float a, const float *x, float *y) {
  return libraries()->cublasSaxpy_v2_(h, n, &a, x, 1, y, 1);
}
static cublasStatus_t axpy(cublasHandle_t h, int n, double a, const double *x, double *y) {
  return libraries()->cublasDaxpy_v2_(h, n, &a, x, 1, y, 1);
}
static cublasStatus_t scale(cublasHandle_t h, int n, float a, float *x) {
  return libraries()->cublasSscal_v2_(h, n, &a, x, 1);
}
static cublasStatus_t scale(cublasHandle_t h, int n, double a, double *x) {
  return libraries()->cublasDscal_v2_(h, n, &a, x, 1);
}
static cublasStatus_t multiply(cublasHandle_t h, int n, const float *d, const float *x, float *y) {
  return libraries()->cublasSdgmm_(h, CUBLAS_SIDE_RIGHT, 1, n, x, 1, d, 1, y, 1);
}
static cublasStatus_t multiply(cublasHandle_t h, int n, const double *d, const double *x, double *y) {
  return libraries()->cublasDdgmm_(h, CUBLAS_SIDE_RIGHT, 1, n, x, 1, d, 1, y, 1);
}

// Library handles and GPU arrays of one measurement; the destructor releases them. `csr` and `bsr` are the matrix in
// the formats CSR (rows of numbers) and BSR (rows of 3 x 3 blocks). `in` and `out` are the vectors x and y of a product
// y = A x.
template <typename Real>
struct Work {
  cusparseHandle_t sparse = NULL;
  cublasHandle_t blas = NULL;
  cusparseSpMatDescr_t csr = NULL, bsr = NULL;
  cusparseDnVecDescr_t in = NULL, out = NULL;
  int *row_start = NULL, *col = NULL, *block_start = NULL, *block_col = NULL;
  Real *values = NULL, *block_values = NULL, *x = NULL, *y = NULL, *r = NULL, *z = NULL, *inverse = NULL;
  void *csr_buffer = NULL, *bsr_buffer = NULL;
  Event first = {}, last = {};

  ~Work() {
    const Libraries *l = libraries();
    if (csr) l->cusparseDestroySpMat_(csr);
    if (bsr) l->cusparseDestroySpMat_(bsr);
    if (in) l->cusparseDestroyDnVec_(in);
    if (out) l->cusparseDestroyDnVec_(out);
    if (sparse) l->cusparseDestroy_(sparse);
    if (blas) l->cublasDestroy_v2_(blas);
    void *arrays[] = { row_start, col, block_start, block_col, values,     block_values, x,
                       y,         r,   z,           inverse,   csr_buffer, bsr_buffer };
    for (void *array : arrays) cuda_free_any(array);
    event_destroy(&first);
    event_destroy(&last);
  }
  static void cuda_free_any(void *array) {
    if (array) device_free(DEVICE_CUDA, array);
  }
};

template <typename T>
static bool put(T **dev, const std::vector<T> &host, Error *error) {
  *dev = (T *)device_clone(DEVICE_CUDA, host.data(), host.size() * sizeof(T), error);
  return *dev != NULL;
}

// Copies the matrix A, which is on the GPU, to GPU arrays in two formats of cuSPARSE, which *w holds. The formats are
// CSR (rows of numbers) and BSR (rows of blocks, one for each pair of nodes that share a cell). Rows are in the order
// of Pliant's nodes.
template <typename Real>
static bool put_matrix(Work<Real> *w, const Operator *A, Stream stream, Error *error) {
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof, nodes = A->space->node_count;
  const size_t pairs = (size_t)space_pairs(A->space), size = (size_t)(dof * dof);
  std::vector<Real> slots((size_t)A->value_count), values, blocks(pairs * size);
  std::vector<int> row_start(1, 0), col, block_start(1, 0);
  if (pairs * size > INT32_MAX)
    return error_set(error, "the matrix has too many entries for the 32-bit indices of cuSPARSE");
  if (!device_download(stream, slots.data(), A->values, slots.size() * sizeof(Real), error) ||
      !stream_sync(stream, error))
    return false;
  for (int a = 0; a < nodes; a++) {
    for (int i = 0; i < dof; i++) {
      for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
        for (int k = 0; k < dof; k++) {
          const Real value = slots[(size_t)operator_slot(A, a, pair, i, k)];
          blocks[(size_t)pair * size + (size_t)(i * dof + k)] = value;
          values.push_back(value);
          col.push_back(dof * graph->neighbour[pair] + k);
        }
      row_start.push_back((int)col.size());
    }
    block_start.push_back((int)graph->start[a + 1]);
  }

  if (!put(&w->row_start, row_start, error)) return false;
  if (!put(&w->col, col, error)) return false;
  if (!put(&w->values, values, error)) return false;
  if (!put(&w->block_start, block_start, error)) return false;
  if (!put(&w->block_col, std::vector<int>(graph->neighbour, graph->neighbour + pairs), error)) return false;
  return put(&w->block_values, blocks, error);
}

template <typename Real>
static bool product(Work<Real> *w, cusparseSpMatDescr_t A, void *buffer, Error *error) {
  const Real one = 1, zero = 0;
  SPARSE_TRY(libraries()->cusparseSpMV_(w->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, w->in, &zero, w->out,
                                        sizeof(Real) == 4 ? CUDA_R_32F : CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                                        buffer));
  return true;
}

template <typename Real>
static bool prepare(Work<Real> *w, cusparseSpMatDescr_t A, void **buffer, Error *error) {
  const Libraries *l = libraries();
  const Real one = 1, zero = 0;
  const cudaDataType type = sizeof(Real) == 4 ? CUDA_R_32F : CUDA_R_64F;
  size_t bytes = 0;
  SPARSE_TRY(l->cusparseSpMV_bufferSize_(w->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, w->in, &zero, w->out,
                                         type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
  *buffer = device_alloc(DEVICE_CUDA, bytes, error);
  if (!*buffer) return false;
  SPARSE_TRY(l->cusparseSpMV_preprocess_(w->sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, w->in, &zero, w->out,
                                         type, CUSPARSE_SPMV_ALG_DEFAULT, *buffer));
  return true;
}

template <typename Real>
static bool time_products(Work<Real> *w, cusparseSpMatDescr_t A, void *buffer, Stream stream, double *us,
                          Error *error) {
  double elapsed_ms;
  for (int k = 0; k < WARM + TIMED; k++) {
    if (k == WARM && !event_record(&w->first, stream, error)) return false;
    if (!product(w, A, buffer, error)) return false;
  }
  if (!event_record(&w->last, stream, error) || !stream_sync(stream, error) ||
      !event_elapsed(&w->first, &w->last, &elapsed_ms, error))
    return false;
  *us = 1e3 * elapsed_ms / TIMED;
  return true;
}

// Solves A x = b by conjugate gradients with a diagonal preconditioner. On entry w->r holds b. Sets the number of
// iterations and the time per iteration in *baseline. The CPU waits for each scalar product, as in NVIDIA's samples.
// During the loop w->x holds the search direction p, w->y holds A p, and w->r the residual. Fixed unknowns stay 0.
template <typename Real>
static bool run_loop(Work<Real> *w, const SolverSystem *system, Baseline *baseline, Stream stream, Error *error) {
  const int n = system->A->n;
  Real *solution = (Real *)system->x, rz, rr, rr0, pAp, rz_next;
  double elapsed_ms;
  if (!event_record(&w->first, stream, error)) return false;
  CUDA_TRY(cudaMemsetAsync(solution, 0, sizeof(Real) * (size_t)n, (cudaStream_t)stream.handle));
  BLAS_TRY(multiply(w->blas, n, w->inverse, w->r, w->x));
  BLAS_TRY(dot(w->blas, n, w->r, w->x, &rz));
  BLAS_TRY(dot(w->blas, n, w->r, w->r, &rr0));
  rr = rr0;
  baseline->cg_iterations = 0;
  while (rr > system->relative * system->relative * rr0 && baseline->cg_iterations < CG_MAX) {
    if (!product(w, w->csr, w->csr_buffer, error)) return false;
    BLAS_TRY(dot(w->blas, n, w->x, w->y, &pAp));
    if (!(pAp > 0)) break;
    const Real alpha = rz / pAp;
    BLAS_TRY(axpy(w->blas, n, alpha, w->x, solution));
    BLAS_TRY(axpy(w->blas, n, -alpha, w->y, w->r));
    BLAS_TRY(multiply(w->blas, n, w->inverse, w->r, w->z));
    BLAS_TRY(dot(w->blas, n, w->r, w->z, &rz_next));
    BLAS_TRY(dot(w->blas, n, w->r, w->r, &rr));
    BLAS_TRY(scale(w->blas, n, rz_next / rz, w->x));
    BLAS_TRY(axpy(w->blas, n, (Real)1, w->z, w->x));
    rz = rz_next;
    baseline->cg_iterations++;
  }

  if (!event_record(&w->last, stream, error) || !stream_sync(stream, error) ||
      !event_elapsed(&w->first, &w->last, &elapsed_ms, error))
    return false;
  baseline->cg_us = baseline->cg_iterations ? 1e3 * elapsed_ms / baseline->cg_iterations : 0;
  return true;
}

// Computes *difference = ||a - b|| / ||b|| in the L2 norm. a_dev and b_dev are vectors of length n on the GPU.
template <typename Real>
static bool compare(const Real *a_dev, const Real *b_dev, int n, Stream stream, double *difference, Error *error) {
  std::vector<Real> a((size_t)n), b((size_t)n);
  double sum = 0, norm = 0;
  if (!device_download(stream, a.data(), a_dev, sizeof(Real) * a.size(), error) ||
      !device_download(stream, b.data(), b_dev, sizeof(Real) * b.size(), error) || !stream_sync(stream, error))
    return false;
  for (int i = 0; i < n; i++) {
    sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    norm += (double)b[i] * b[i];
  }
  *difference = sqrt(sum / norm);
  return true;
}

template <typename Real>
static bool measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error) {
  const Libraries *l = libraries();
  const Operator *A = system->A;
  const int n = A->n, dof = A->space->node_dof;
  const int64_t block_count = space_pairs(A->space), nnz = dof * dof * block_count;
  const cudaDataType type = sizeof(Real) == 4 ? CUDA_R_32F : CUDA_R_64F;
  Work<Real> w;
  std::vector<Real> own((size_t)n * dof), inverse((size_t)n), b((size_t)n), x((size_t)n);
  std::vector<uint8_t> fixed((size_t)n);
  *baseline = {};
  if (!event_create(DEVICE_CUDA, &w.first, error) || !event_create(DEVICE_CUDA, &w.last, error)) return false;
  if (!put_matrix(&w, A, stream, error)) return false;
  if (!device_download(stream, own.data(), A->blocks, sizeof(Real) * own.size(), error)) return false;
  if (!device_download(stream, b.data(), system->b, sizeof(Real) * (size_t)n, error)) return false;
  if (!device_download(stream, fixed.data(), system->fixed, (size_t)n, error)) return false;
  if (!stream_sync(stream, error)) return false;
  for (int i = 0; i < n; i++) {
    inverse[i] = fixed[i] ? 0 : 1 / own[((size_t)(i / dof) * dof + i % dof) * dof + i % dof];
    x[i] = (Real)sin(i);
    if (fixed[i]) b[i] = 0;
  }

  if (!put(&w.x, x, error)) return false;
  if (!put(&w.y, x, error)) return false;
  if (!put(&w.r, b, error)) return false;
  if (!put(&w.z, b, error)) return false;
  if (!put(&w.inverse, inverse, error)) return false;

  SPARSE_TRY(l->cusparseCreate_(&w.sparse));
  SPARSE_TRY(l->cusparseSetStream_(w.sparse, (cudaStream_t)stream.handle));
  BLAS_TRY(l->cublasCreate_v2_(&w.blas));
  BLAS_TRY(l->cublasSetStream_v2_(w.blas, (cudaStream_t)stream.handle));
  SPARSE_TRY(l->cusparseCreateDnVec_(&w.in, n, w.x, type));
  SPARSE_TRY(l->cusparseCreateDnVec_(&w.out, n, w.y, type));
  SPARSE_TRY(l->cusparseCreateCsr_(&w.csr, n, n, nnz, w.row_start, w.col, w.values, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
  if (!prepare(&w, w.csr, &w.csr_buffer, error)) return false;
  if (!time_products(&w, w.csr, w.csr_buffer, stream, &baseline->csr_us, error)) return false;
  if (!operator_apply(A, w.x, system->x, NULL, stream, error)) return false;
  if (!compare(w.y, (const Real *)system->x, n, stream, &baseline->product_difference, error)) return false;

  // Older versions of cuSPARSE cannot multiply by a BSR matrix. Their error goes to `missing`, which is ignored, and
  // bsr_us becomes 0.
  Error missing = {};
  SPARSE_TRY(l->cusparseCreateBsr_(&w.bsr, n / dof, n / dof, block_count, dof, dof, w.block_start, w.block_col,
                                   w.block_values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                   type, CUSPARSE_ORDER_ROW));
  if (!prepare(&w, w.bsr, &w.bsr_buffer, &missing) ||
      !time_products(&w, w.bsr, w.bsr_buffer, stream, &baseline->bsr_us, &missing))
    baseline->bsr_us = 0;

  // Solve twice, because the first solve also loads the kernels of the libraries. The time of the second solve replaces
  // that of the first one.
  for (int run = 0; run < 2; run++) {
    if (!device_upload(stream, w.r, b.data(), sizeof(Real) * (size_t)n, error)) return false;
    if (!run_loop(&w, system, baseline, stream, error)) return false;
  }
  return true;
}

template <typename Real>
static bool measure_product(const Operator *A, Stream stream, double *seconds, double *difference, Error *error) {
  const Libraries *l = libraries();
  const CsrLayout *rows = (const CsrLayout *)A->layout;
  const int n = A->n;
  const cudaDataType type = sizeof(Real) == 4 ? CUDA_R_32F : CUDA_R_64F;
  Work<Real> w;
  std::vector<Real> x((size_t)n);
  double us;
  for (int i = 0; i < n; i++) x[i] = (Real)sin(i);
  if (!event_create(DEVICE_CUDA, &w.first, error) || !event_create(DEVICE_CUDA, &w.last, error)) return false;
  if (!put(&w.x, x, error) || !put(&w.y, x, error) || !put(&w.z, x, error)) return false;
  SPARSE_TRY(l->cusparseCreate_(&w.sparse));
  SPARSE_TRY(l->cusparseSetStream_(w.sparse, (cudaStream_t)stream.handle));
  SPARSE_TRY(l->cusparseCreateDnVec_(&w.in, n, w.x, type));
  SPARSE_TRY(l->cusparseCreateDnVec_(&w.out, n, w.y, type));
  SPARSE_TRY(l->cusparseCreateCsr_(&w.csr, n, n, A->value_count, rows->row_start, rows->col, A->values,
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
  if (!prepare(&w, w.csr, &w.csr_buffer, error)) return false;
  if (!time_products(&w, w.csr, w.csr_buffer, stream, &us, error)) return false;
  *seconds = 1e-6 * us;
  return operator_apply(A, w.x, w.z, NULL, stream, error) && compare(w.y, w.z, n, stream, difference, error);
}

extern "C" {

const char *baseline_absence(void) {
  return libraries()->absence;
}

bool baseline_measure(const SolverSystem *system, Stream stream, Baseline *baseline, Error *error) {
  if (baseline_absence()) return error_set(error, "%s", baseline_absence());
  return (system->A->method->stage.precision == PRECISION_F32 ? measure<float> : measure<double>)(system, stream,
                                                                                                  baseline, error);
}

bool baseline_product(const Operator *csr, Stream stream, double *seconds, double *difference, Error *error) {
  if (baseline_absence()) return error_set(error, "%s", baseline_absence());
  return (csr->method->stage.precision == PRECISION_F32
              ? measure_product<float>
              : measure_product<double>)(csr, stream, seconds, difference, error);
}

}  // extern "C"
