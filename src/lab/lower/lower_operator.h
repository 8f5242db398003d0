// A lower triangle that was built from cells alone, as an operator.
#pragma once
#include "lab/lower/lower_pattern.h"
#include "sim/operator/operator.h"

/// The matrix `lcsr` of a pattern and its values [start[rows]] real on the host, on a device, for products and for a
/// solver. `space` has node_count, node_dof 1 and outlives it; its graph is not needed. operator_destroy releases all.
/// Fails for lack of memory, or where an int does not count the entries.
bool lower_operator_create(Operator *A, const Space *space, const LowerPattern *pattern, const void *values,
                           Device device, Precision precision, Error *error);
