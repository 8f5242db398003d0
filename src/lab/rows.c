// Adds the methods of the lab to the program's list of methods: see rows.h. A stage is one exchangeable method: a
// matrix format, an assembly, a solver or the formulas of an element.
#include "lab/rows.h"

#include <stddef.h>

#include "sim/operator/operator.h"
#include "sim/solver/solver.h"

#define FORMAT(row) extern const OperatorMethod row##_f32, row##_f64;
#define SOLVER(row) extern const SolverMethod row##_f32, row##_f64;
#include "lab/formats.def"
#include "lab/solvers.def"
#undef FORMAT
#undef SOLVER

#define FORMAT(row) &row##_f32.stage, &row##_f64.stage,
#define SOLVER FORMAT
static const Stage *const rows_of_all[] = {
#include "lab/formats.def"
#include "lab/solvers.def"
  NULL
};

#define ELEMENT(name, header, shape, features) \
  extern const Stage *const element_rows_##name##_f32[], *const element_rows_##name##_f64[];
#include "lab/elements.def"
#undef ELEMENT

#define ELEMENT(name, header, shape, features) element_rows_##name##_f32, element_rows_##name##_f64,
// Lists of the methods for quadrilaterals of degree 1 to 4: the matrix formats of lma.c and lazyell.c, and the
// assemblies of localreuse.c. Lists of the assemblies for tets of degree 1 to 3 in simplex_assembly.c.
extern const Stage *const lma_rows_f32[], *const lazyell_rows_f32[], *const localreuse_rows_f32[];
extern const Stage *const lma_rows_f64[], *const lazyell_rows_f64[], *const localreuse_rows_f64[];
extern const Stage *const simplices_rows_f32[], *const simplices_rows_f64[];
static const Stage *const *const lists[] = {
  rows_of_all,
#include "lab/elements.def"
  lma_rows_f32,        lma_rows_f64,        lazyell_rows_f32,   lazyell_rows_f64,
  localreuse_rows_f32, localreuse_rows_f64, simplices_rows_f32, simplices_rows_f64,
};

void lab_add_stages(void) {
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) stage_add(lists[k]);
}
