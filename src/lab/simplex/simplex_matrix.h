// The stiffness matrix of linear elasticity over a simplex mesh, of degree 1 to 3 in Bernstein-Bezier form, built where
// the mesh lies: simplices, pattern, element matrices and their sum (paper 004). All of it has twins on CPU and GPU.
//   persimplex  a row by the tets at its simplex: element matrices from memory, places by binary search
//   perentry    a block by the list of what it is the sum of, in registers: needs the lists
//   inline      persimplex with element matrices made as they are needed: needs no memory for them
// Each adds up in one order, that of the tets, so all agree to rounding and repeat bit for bit.
#pragma once
#include "lab/simplex/pattern.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Summation { SUM_PERSIMPLEX, SUM_PERENTRY, SUM_INLINE, SUMMATIONS } Summation;
extern const char *const summation_names[SUMMATIONS];

// The steps of a construction, in their order, as rows of the paper's Table 2; the paper begins with a topology that is
// there.
typedef enum BuildStep {
  BUILD_TOPOLOGY,        // edges, faces, the tets at each
  BUILD_COUNT,           // rows' lengths
  BUILD_OFFSETS,         // and where they begin
  BUILD_RESERVE_MATRIX,  // memory of columns and values, set to zero
  BUILD_COLUMNS,
  BUILD_RESERVE_ELEMENTS,
  BUILD_ELEMENTS,
  BUILD_MAP,  // perentry's lists
  BUILD_SUM,
  BUILD_STEPS
} BuildStep;
extern const char *const build_step_names[BUILD_STEPS];

typedef struct SimplexBuild {
  Precision precision;
  Summation summation;
  const char *format;  // one of simplex_formats
  double lambda, mu;   // Pa
} SimplexBuild;

// A zeroed SimplexMatrix is empty.
typedef struct SimplexMatrix {
  SimplexBuild build;
  const SimplexTopology *topology;  // borrowed, outlives the matrix
  SimplexPattern pattern;
  EntryMap map;   // of perentry
  void *weight;   // [16][pairs] real: bernstein_weights
  void *records;  // [tets][pairs][9] real: element matrices; NULL inline
  int64_t value_count;
  void *values;                    // [value_count] real
  void *own_blocks;                // [nodes][9], the end of values, where nodes' own blocks are apart; else NULL
  double elapsed_ms[BUILD_STEPS];  // what each step took, on the device's clock
} SimplexMatrix;

/// Builds the matrix over what simplex_topology_open has put there, simplices included. Fails for lack of memory, or
/// where the numbers do not fit an int.
bool simplex_matrix_build(SimplexMatrix *A, SimplexTopology *topology, const SimplexBuild *build, Error *error);
void simplex_matrix_destroy(SimplexMatrix *A);

/// The element matrices and their sum once more, into the same places: what a change of the material takes; only the
/// times of these two are measured again.
bool simplex_matrix_sum(SimplexMatrix *A, Error *error);

/// Bytes of the matrix; and of what its summation takes besides: element matrices and lists.
double simplex_matrix_bytes(const SimplexMatrix *A);
double simplex_summation_bytes(const SimplexMatrix *A);

/// The matrix as an operator, for products; `space` [out] is what it stands on. Both borrow from A, which outlives
/// them. simplex_operator_close releases what is theirs alone.
bool simplex_operator_open(Operator *op, Space *space, const SimplexMatrix *A, Error *error);
void simplex_operator_close(Operator *op);

// The twins in each precision, summation.c and summation.cu.
typedef struct SummationOperations {
  Device device;
  Precision precision;
  bool (*elements)(const SimplexMatrix *A, Error *error);
  bool (*sum)(const SimplexMatrix *A, Error *error);
} SummationOperations;

#ifdef __cplusplus
}
#endif
