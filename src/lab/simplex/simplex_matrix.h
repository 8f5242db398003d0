// The stiffness matrix of linear elasticity over a tet mesh, of degree 1 to 3 in Bernstein-Bezier form (paper 004). It
// is built on the mesh's device: edges and faces, pattern, element matrices and their sum. There are three methods of
// summation, each on CPU and GPU:
//   persimplex  sums a row over the tets at its node; reads element matrices, finds slots by binary search
//   perentry    sums each block over a list of its sources, which are blocks of element matrices, in registers
//   inline      as persimplex, but computes element matrices when it needs them and stores none
// All three methods add in the order of the tets. So each gives equal bits in every run, and their results agree up to
// rounding.
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
  void *records;  // [tets][pairs][9] real: element matrices; NULL for the method inline
  int64_t value_count;
  void *values;                    // [value_count] real
  void *diagonal_blocks;           // [nodes][9], the last part of `values`; NULL if diagonal blocks have slots
  double elapsed_ms[BUILD_STEPS];  // time of each step, by the device's clock
} SimplexMatrix;

/// Builds the topology and the matrix over a mesh that simplex_topology_open has uploaded. Fails if memory runs out, or
/// if numbers do not fit an int.
bool simplex_matrix_build(SimplexMatrix *A, SimplexTopology *topology, const SimplexBuild *build, Error *error);
void simplex_matrix_destroy(SimplexMatrix *A);

/// Computes the element matrices and their sum again after a change of the material, in the arrays of A. Measures the
/// times of these two steps again.
bool simplex_matrix_sum(SimplexMatrix *A, Error *error);

/// The first returns the bytes of the matrix. The second returns the bytes of element matrices and lists, which only
/// the summation needs.
double simplex_matrix_bytes(const SimplexMatrix *A);
double simplex_summation_bytes(const SimplexMatrix *A);

/// Makes an operator `op` for products with the matrix, and fills the `space` of its nodes. Both borrow arrays from A,
/// which must outlive them. simplex_operator_close releases the rest of their memory.
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
