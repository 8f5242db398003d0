// Sparse matrices: one fixed pattern, one array of values, several layouts.
// A format is a one-to-one map K(i,j) -> slot (paper 000, section 16.3), so assembly never knows the layout.
#pragma once
#include "sim/simulation.h"
#include "sim/sparse/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Matrix Matrix;

// One format on one device in one precision. csr.c and csr.cu export theirs; matrix.c lists them all.
typedef struct MatrixFormat {
  const char *name, *summary;  // as the user types it, "dcsr"; one line for --help
  Device device;               // where the functions run and the values lie
  Precision precision;
  bool diagonal_first;                      // a D-format: the diagonal is in slots [0, n)
  bool (*create)(Matrix *A, Error *error);  // fills slot, slot_count, layout, dot_count; called by matrix_create
  void (*destroy_layout)(Matrix *A);
  bool (*spmv)(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error);
} MatrixFormat;

// A zeroed Matrix is empty.
struct Matrix {
  const MatrixFormat *format;  // borrowed
  const Pattern *pattern;      // borrowed, outlives the matrix
  int64_t slot_count;          // >= nnz: padded formats have more
  int *slot;                   // [nnz], host: the map K, from positions in pattern->col to slots; owned
  int *diagonal;               // [n], on the device: slots of the diagonal; owned
  int *cross;                  // [n / 3][2], on the device: slots of (x, y) and (y, x) of a node's own block, or NULL
  void *values;                // [slot_count] real, on the device; slots that K does not reach must hold zero; owned
  void *layout;                // the format's index arrays; owned
  int dot_count;               // how many partial sums a product leaves
};
extern const MatrixFormat *const matrix_formats[];  // NULL-terminated; the only list there is

/// A matrix of zeros. `pattern` must have a diagonal entry in every row for matrix_shift; D-formats keep a slot
/// for it in any case. Fails for lack of memory.
bool matrix_create(Matrix *A, const MatrixFormat *format, const Pattern *pattern, Error *error);
void matrix_destroy(Matrix *A);

/// y = A x. x and y are [n] real on A's device and do not overlap. Sums in a fixed order: same input, same bits.
/// Unless `dots` is NULL, also x.y in [dot_count] parts on the device, which a Krylov method needs next: the product
/// has x and y at hand, so they cost no pass of their own.
bool matrix_spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error);

/// A += diag(shift), and the diagonal that results. shift and diagonal are [n] real on A's device. With `with_cross`
/// shift has [n / 3] more, for (x, y) and (y, x) of each node's own block; the pattern must have three unknowns a node.
bool matrix_shift(Matrix *A, const void *shift, bool with_cross, void *diagonal, Stream stream, Error *error);

/// How many slots a D-format sets aside in front for the diagonal: n, or 0 for the others.
static inline int matrix_diagonal_slots(const Matrix *A) {
  return A->format->diagonal_first ? A->pattern->n : 0;
}

size_t precision_size(Precision precision);  // bytes of a real

// The shift's twins, diagonal.c and diagonal.cu; the same for all formats.
typedef struct DiagonalOperations {
  Device device;
  Precision precision;
  bool (*shift)(Matrix *A, const void *shift, bool with_cross, void *diagonal, Stream stream, Error *error);
} DiagonalOperations;

#ifdef __cplusplus
}
#endif
