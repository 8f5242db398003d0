// All table rows of one element in one precision, as one array. A row is a struct of functions, such as an assembly or
// an operator. stage.c adds the array to its table. The element's seal identifies the version of Pliant for which this
// code was compiled (element_module.h). This file is compiled for each element and precision. The macros HAS_... are
// the features in the element's line of elements.def, and HAS_SOLID for solids; each includes the rows of its feature.
#include "sim/assembly/assembly.h"
#include "sim/element/element.h"
#include "sim/element/element_row.h"
#include "sim/element_module.h"
#include "sim/field/stress_search.h"
#include "sim/operator/operator.h"

#ifdef PLIANT_CUDA
#define ON_CUDA(...) __VA_ARGS__
#else
#define ON_CUDA(...)
#endif
#ifdef HAS_SOLID
#define SOLID(...) __VA_ARGS__
#else
#define SOLID(...)
#endif
#ifdef HAS_LANES
#define LANES(...) __VA_ARGS__
#else
#define LANES(...)
#endif
#ifdef HAS_SMALL
#define SMALL(...) ON_CUDA(__VA_ARGS__)
#else
#define SMALL(...)
#endif
#ifdef HAS_COMPARED
#define COMPARED(...) ON_CUDA(__VA_ARGS__)
#else
#define COMPARED(...)
#endif
#ifdef HAS_COMPACT
#define COMPACT(...) __VA_ARGS__
#else
#define COMPACT(...)
#endif
#ifdef HAS_POINTS
#define POINTS(...) ON_CUDA(__VA_ARGS__)
#else
#define POINTS(...)
#endif
#ifdef HAS_TEARS
#define TEARS(...) __VA_ARGS__
#else
#define TEARS(...)
#endif
#ifdef HAS_NODES
#define NODES(...) ON_CUDA(__VA_ARGS__)
#else
#define NODES(...)
#endif
#ifdef HAS_BRICKS
#define BRICKS(...) __VA_ARGS__
#else
#define BRICKS(...)
#endif

// clang-format off
#define ROWS(ELEMENT_OF, ASSEMBLY, OPERATOR, SEARCH)                                                   \
  SOLID(ELEMENT_OF(element_cpu) ON_CUDA(ELEMENT_OF(element_cuda)))                                     \
  LANES(ASSEMBLY(cpu_simd)) ASSEMBLY(cpu_opt) ASSEMBLY(cpu)                                            \
  COMPACT(ASSEMBLY(parts_cpu) ON_CUDA(ASSEMBLY(parts_cuda)))                                           \
  SMALL(ASSEMBLY(sharednz)) NODES(ASSEMBLY(pernode)) ON_CUDA(ASSEMBLY(globalnz))                       \
  COMPARED(ASSEMBLY(sharednz16) ASSEMBLY(sharednz48))                                                  \
  COMPARED(ASSEMBLY(globalnz_entries) ASSEMBLY(globalnz_symmetric) ASSEMBLY(globalnz_product))         \
  POINTS(ASSEMBLY(partial)) BRICKS(ASSEMBLY(chunked))                                                  \
  OPERATOR(matrixfree_cpu) ON_CUDA(OPERATOR(matrixfree_cuda))                                          \
  SOLID(OPERATOR(partial_cpu)) POINTS(OPERATOR(partial_cuda))                                          \
  TEARS(SEARCH(stress_search_cpu) ON_CUDA(SEARCH(stress_search_cuda)))

#define DECLARE_ELEMENT(row) extern const ElementRow ELEMENT_ROW(row);
#define DECLARE_ASSEMBLY(row) extern const AssemblyMethod ELEMENT_ROW(row);
#define DECLARE_OPERATOR(row) extern const OperatorMethod ELEMENT_ROW(row);
#define DECLARE_SEARCH(row) extern const StressSearchMethod ELEMENT_ROW(row);
ROWS(DECLARE_ELEMENT, DECLARE_ASSEMBLY, DECLARE_OPERATOR, DECLARE_SEARCH)

#define LIST(row) &ELEMENT_ROW(row).stage,
extern const Stage *const ELEMENT_ROW(element_rows)[];
const Stage *const ELEMENT_ROW(element_rows)[] = { ROWS(LIST, LIST, LIST, LIST) NULL };
// clang-format on

extern const ElementSeal ELEMENT_ROW(element_seal);
const ElementSeal ELEMENT_ROW(element_seal) = ELEMENT_SEAL;
