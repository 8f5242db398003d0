// Makes an operator, the interface for products and solvers, from the lower triangle of a matrix: see lower_operator.h.
#include "lab/lower/lower_operator.h"

#include <stdlib.h>

#include "base/array.h"
#include "lab/lower/lcsr_layout.h"

// Sets A->diagonal_slots: the slot (index in the values) of each node's diagonal entry, which is the last entry of its
// row. The slot is -1 if the row is empty. Also allocates A->blocks, an array for the values of the diagonal.
static bool take_diagonal(Operator *A, const LowerPattern *p, Error *error) {
  const Device device = A->method->stage.device;
  const size_t nodes = (size_t)p->rows, real = precision_size(A->method->stage.precision);
  BlockSlots *diagonal = array_new(p->rows, sizeof *diagonal, "diagonal blocks", error);
  for (int a = 0; diagonal && a < p->rows; a++)
    diagonal[a] = (BlockSlots){ p->start[a + 1] > p->start[a] ? (int)p->start[a + 1] - 1 : -1, 1, 1 };
  A->diagonal_slots = diagonal ? device_clone(device, diagonal, sizeof *diagonal * nodes, error) : NULL;
  A->blocks = A->diagonal_slots ? device_alloc(device, real * nodes, error) : NULL;
  free(diagonal);
  return A->blocks;
}

bool lower_operator_create(Operator *A, const Space *space, const LowerPattern *p, const void *values, Device device,
                           Precision precision, Error *error) {
  *A = (Operator){ 0 };
  const Stage *stage = stage_choose(STAGE_OPERATOR, "lcsr", device, precision, NULL, error);
  if (!stage) return false;
  *A = (Operator){ .method = (const OperatorMethod *)stage, .space = space, .n = p->rows };
  const bool ok = lcsr_layout_take(A, p->start, p->col, error) && take_diagonal(A, p, error) &&
                  (A->values = device_clone(device, values, precision_size(precision) * (size_t)A->value_count, error));
  if (ok)
    A->dot_count = A->method->count_dots(A);
  else
    operator_destroy(A);
  return ok;
}
