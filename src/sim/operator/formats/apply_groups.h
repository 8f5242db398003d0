// Product y = A x on the CPU for formats that store rows of blocks in groups, such as bins or slices. Each piece of the
// parallel loop is a fixed number of groups, so partial sums of x.y do not depend on the number of threads.
#pragma once
#include "base/wide.h"
#include "sim/operator/formats/apply_rows.h"

/// Defines the functions `apply` and `count_dots` of an OperatorMethod. group_count(A) returns the number of groups.
/// group_product(A, x, y, group, dof) is an inline function, so that the compiler optimises it for each number `dof` of
/// unknowns per node. It computes y in the rows of one group, and returns their contribution to x.y. PART: number of
/// groups in a piece of the parallel loop.
#define APPLY_BY_GROUPS(group_count, group_product, PART)                                                   \
  static inline double groups_product(const RowsProduct *p, int first, int last, int dof) {                 \
    double dot = 0;                                                                                         \
    for (int group = first; group < last; group++) dot += group_product(p->A, p->x, p->y, group, dof);      \
    return dot;                                                                                             \
  }                                                                                                         \
  WIDE static double groups_of_threes(const RowsProduct *p, int first, int last) {                          \
    return groups_product(p, first, last, 3);                                                               \
  }                                                                                                         \
  static void apply_part(const void *product, int first, int last) {                                        \
    const RowsProduct *p = product;                                                                         \
    const int dof = p->A->space->node_dof;                                                                  \
    const double dot = dof == 3   ? groups_of_threes(p, first, last)                                        \
                       : dof == 2 ? groups_product(p, first, last, 2)                                       \
                                  : groups_product(p, first, last, 1);                                      \
    if (p->dots) p->dots[first / (PART)] = dot;                                                             \
  }                                                                                                         \
  static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) { \
    (void)stream, (void)error;                                                                              \
    parallel_for(group_count(A), PART, apply_part, &(RowsProduct){ A, x, y, dots });                        \
    return true;                                                                                            \
  }                                                                                                         \
  static int count_dots(const Operator *A) {                                                                \
    return group_count(A) / (PART) + (group_count(A) % (PART) > 0);                                         \
  }
