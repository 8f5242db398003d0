// Percentiles of a field's values: see field_values.h.
#include "render/field_values.h"

#include <math.h>
#include <stdint.h>

// Returns the value that would have the index `rank` if the values were sorted in ascending order, by quickselect
// (Hoare, 1961). Also moves the values: smaller ones before this index, larger ones after it. Pivots come from a fixed
// sequence of random numbers, so that runs are reproducible.
static float select_value(float *value, int count, int rank) {
  uint32_t seed = 1;
  for (int low = 0, high = count - 1; low < high;) {
    seed = seed * 1664525 + 1013904223;
    const float pivot = value[low + (int)((uint64_t)seed * (uint32_t)(high - low + 1) >> 32)];
    int i = low, j = high;
    while (i <= j) {
      while (value[i] < pivot) i++;
      while (value[j] > pivot) j--;
      if (i > j) break;
      const float swap = value[i];
      value[i++] = value[j];
      value[j--] = swap;
    }
    if (rank <= j)
      high = j;
    else if (rank >= i)
      low = i;
    else
      break;
  }
  return value[rank];
}

bool field_percentiles(float *values, int count, double percent, bool positive, double range[2]) {
  int chosen = 0;
  for (int k = 0; k < count; k++)
    if (isfinite(values[k]) && (values[k] > 0 || !positive)) values[chosen++] = values[k];
  if (chosen == 0) return false;
  const int below = (int)lround(percent / 100 * (chosen - 1));
  range[0] = select_value(values, chosen, below);
  range[1] = select_value(values, chosen, chosen - 1 - below);
  return true;
}
