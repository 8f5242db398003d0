// Times products with the matrix of a tet mesh in several matrix formats, for the study of paper 004 (Mueller-Roemer
// and Stork).
#pragma once
#include "lab/simplex/simplex_matrix.h"

// Time and size of a matrix in one format.
typedef struct FormatTimes {
  double seconds;  // median time of a product y = A x
  double padding;  // number of stored zeros that fill rows, divided by the number of entries of the matrix
  double bytes;    // bytes of values and columns
  double off;      // relative L2 difference of y from the product with the matrix in format "bcsr"
} FormatTimes;

/// Names of the formats that are compared; ends with NULL. The first one is "bcsr".
extern const char *const product_formats[];

/// Copies the matrix A, which must be in format "bcsr" on the CPU, to the format number `format` of product_formats on
/// a device. Times `repeat` products with a random vector.
bool simplex_time_product(const SimplexMatrix *A, int format, Device device, int repeat, FormatTimes *times,
                          Error *error);
