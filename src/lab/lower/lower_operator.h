// An operator (a stored matrix with its function y = A x) for a lower triangle that was built from cells, without a
// graph of nodes.
#pragma once
#include "lab/lower/lower_pattern.h"
#include "sim/operator/operator.h"

/// Creates an operator in format lcsr (lcsr_layout.h), on `device`, for products and solvers. Its entries are given by
/// a pattern and by values [pattern->start[rows]], real, on the host. `space` must have node_count, and node_dof 1, and
/// must outlive the operator; its graph is not needed. operator_destroy releases everything. Fails if memory runs out,
/// or if there are more entries than an int can count.
bool lower_operator_create(Operator *A, const Space *space, const LowerPattern *pattern, const void *values,
                           Device device, Precision precision, Error *error);
