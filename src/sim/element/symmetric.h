// Storage of symmetric matrices, such as element matrices, as their upper triangle by rows. A 3 x 3 matrix is stored as
// the entries 00, 01, 02, 11, 12, 22.
#pragma once
#include "device/host_device.h"

// Returns the index of entry (row, column) of a symmetric n x n matrix that is stored as its upper triangle by rows.
// Example: n = 3, row 1, column 2 gives 4.
HOST_DEVICE int symmetric_index(int n, int row, int column) {
  const int low = row < column ? row : column, high = row < column ? column : row;
  return low * (2 * n - 1 - low) / 2 + high;
}
