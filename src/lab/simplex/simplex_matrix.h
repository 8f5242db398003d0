// The stiffness matrix of linear elasticity over a tet mesh, of degree 1 to 3 in Bernstein-Bezier form (paper 004). It
// is built on the mesh's device: edges and faces, pattern, element matrices and their sum. There are three methods of
// summation, each on CPU and GPU:
//   persimplex  sums a row over the tets at its node: element matrices from memory, slots by binary search
//   perentry    sums a block over the list of its sources, in registers; needs these lists
//   inline      as persimplex, but computes element matrices when needed; needs no memory for them
// All sum in the order of the tets, so they agree to rounding, and each repeats bit for bit.
#pragma once
#include "lab/simplex/pattern.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Summation { SUM_PERSIMPLEX, SUM_PERENTRY, SUM_INLINE, SUMMATIONS } Summation;
extern const char *const summation_names[SUMMATIONS];

// Steps of building a matrix, in order, as in the paper's Table 2. The paper starts from an existing topology.
typedef enum BuildStep {
  BUILD_TOPOLOGY,        // edges, faces, and the tets at each
  BUILD_COUNT,           // lengths of rows
  BUILD_OFFSETS,         // starts of rows
  BUILD_RESERVE_MATRIX,  // memory of columns and values, cleared
  BUILD_COLUMNS,
  BUILD_RESERVE_ELEMENTS,
  BUILD_ELEMENTS,
  BUILD_MAP,  // the lists of sources, for perentry
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
  EntryMap map;   // lists of sources, for perentry
  void *weight;   // [16][pairs] real: bernstein_weights
  void *records;  // [tets][pairs][9] real: element matrices; NULL inline
  int64_t value_count;
  void *values;                    // [value_count] real
  void *diagonal_blocks;           // [nodes][9], the end of values, if diagonal blocks are stored apart; else NULL
  double elapsed_ms[BUILD_STEPS];  // time of each step, by the device's clock
} SimplexMatrix;

/// Builds the topology and the matrix over a mesh that simplex_topology_open has uploaded. Fails if memory runs out, or
/// if numbers do not fit an int.
bool simplex_matrix_build(SimplexMatrix *A, SimplexTopology *topology, const SimplexBuild *build, Error *error);
void simplex_matrix_destroy(SimplexMatrix *A);

/// Computes the element matrices and their sum again, in place, after a change of the material. Only the times of these
/// two steps are measured again.
bool simplex_matrix_sum(SimplexMatrix *A, Error *error);

/// Bytes of the matrix; and bytes of element matrices and lists, which only its summation needs.
double simplex_matrix_bytes(const SimplexMatrix *A);
double simplex_summation_bytes(const SimplexMatrix *A);

/// Makes an operator `op` of the matrix, for products, and its space `space`, which the function fills. Both borrow
/// arrays from A, which must outlive them. simplex_operator_close releases their own memory.
bool simplex_operator_open(Operator *op, Space *space, const SimplexMatrix *A, Error *error);
void simplex_operator_close(Operator *op);

// Implementations in each precision, summation.c and summation.cu.
typedef struct SummationOperations {
  Device device;
  Precision precision;
  bool (*elements)(const SimplexMatrix *A, Error *error);
  bool (*sum)(const SimplexMatrix *A, Error *error);
} SummationOperations;

#ifdef __cplusplus
}
#endif
