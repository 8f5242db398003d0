// Storage of symmetric matrices, such as element matrices, as their upper triangle by rows.
#pragma once
#include "device/host_device.h"

// Returns the index of entry (row, column) of a symmetric n x n matrix in this storage.
HOST_DEVICE int symmetric_index(int n, int row, int column) {
  const int low = row < column ? row : column, high = row < column ? column : row;
  return low * (2 * n - 1 - low) / 2 + high;
}
