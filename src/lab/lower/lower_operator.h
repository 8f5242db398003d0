// A lower triangle that was built from cells without a graph, as an operator.
#pragma once
#include "lab/lower/lower_pattern.h"
#include "sim/operator/operator.h"

/// Creates the matrix `lcsr` from a pattern and its values [start[rows]], real, on the host; on a device, for products
/// and for a solver. `space` has node_count and node_dof 1, and must outlive it; its graph is not needed.
/// operator_destroy releases all. Fails if memory runs out, or if an int cannot count the entries.
bool lower_operator_create(Operator *A, const Space *space, const LowerPattern *pattern, const void *values,
                           Device device, Precision precision, Error *error);
