// Sparse matrices: one fixed pattern, one array of values, several layouts.
// A format is a one-to-one map K(i,j) -> slot (paper 000, section 16.3), so assembly never knows the layout.
#pragma once
#include "sim/simulation.h"
#include "sim/sparse/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Matrix Matrix;

// One format on one device in one precision. dcsr.c and dcsr.cu export theirs; matrix.c lists them all.
typedef struct MatrixFormat {
  const char *name, *summary;  // as the user types it, "dcsr"; one line for --help
  Device device;               // where the functions run and the values lie
  Precision precision;
  bool (*create)(Matrix *A, Error *error);  // fills slot, slot_count, layout, dot_count; called by matrix_create
  void (*destroy_layout)(Matrix *A);
  bool (*spmv)(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error);
} MatrixFormat;

// A zeroed Matrix is empty. All D-formats keep the diagonal in slots [0, n).
struct Matrix {
  const MatrixFormat *format;  // borrowed
  const Pattern *pattern;      // borrowed, outlives the matrix
  int64_t slot_count;          // >= nnz: padded formats have more
  int *slot;                   // [nnz], host: the map K, from positions in pattern->col to slots; owned
  void *values;                // [slot_count] real, on the device; slots that K does not reach must hold zero; owned
  void *layout;                // the format's index arrays; owned
  int dot_count;               // how many partial sums a product leaves
};
extern const MatrixFormat *const matrix_formats[];  // NULL-terminated; the only list there is

/// A matrix of zeros. `pattern` must have a diagonal entry in every row for D-formats. Fails for lack of memory.
bool matrix_create(Matrix *A, const MatrixFormat *format, const Pattern *pattern, Error *error);
void matrix_destroy(Matrix *A);

/// y = A x. x and y are [n] real on A's device and do not overlap. Sums in a fixed order: same input, same bits.
/// Unless `dots` is NULL, also x.y in [dot_count] parts on the device, which a Krylov method needs next: the product
/// has x and y at hand, so they cost no pass of their own.
bool matrix_spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error);

/// The diagonal [n] real on A's device. Points into the values.
void *matrix_diagonal(const Matrix *A);

size_t precision_size(Precision precision);  // bytes of a real

#ifdef __cplusplus
}
#endif
