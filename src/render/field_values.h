// Percentiles of a field's values, for ranges of colours that a few extreme values do not change.
#pragma once
#include <stdbool.h>

/// Computes two percentiles of the finite values in `values` [count], or only of the positive ones if `positive`.
/// range[0] is the value below which `percent` % of these values lie, and range[1] is the value above which `percent` %
/// of them lie. Uses the nearest rank, without interpolation; `percent` 0 gives the smallest and the largest value.
/// Returns false if there is no such value. Changes the order of `values`. Takes O(count) operations on average.
bool field_percentiles(float *values, int count, double percent, bool positive, double range[2]);
