// Makes an Operator, a matrix for products y = A x and for solvers, from the lower triangle of a symmetric matrix. The
// builders of lower triangles need no graph of nodes (Space.graph), so this operator has none.
#pragma once
#include "lab/lower/lower_pattern.h"
#include "sim/operator/operator.h"

/// Creates an operator in format lcsr (lcsr_layout.h) on `device`. The pattern gives rows and columns; values
/// [pattern->start[rows]], real, on the host, gives the entries. `space` needs node_count and node_dof = 1, but no
/// graph, and must outlive the operator. operator_destroy releases everything. Fails if memory runs out, or if there
/// are more entries than an int can count.
bool lower_operator_create(Operator *A, const Space *space, const LowerPattern *pattern, const void *values,
                           Device device, Precision precision, Error *error);
