// The stiffness matrix of linear elasticity over a tet mesh, of degree 1 to 3 in Bernstein-Bezier form (paper 004). It
// is built on the device of the mesh. The steps find edges and faces, list the columns of each row (the pattern),
// compute element matrices, and sum them. Three methods compute the sum, each on CPU and GPU:
//   persimplex  one thread per row of blocks: visits the tets at the row's node, reads their stored element matrices,
//               and finds the column of each block by binary search in the row
//   perentry    one thread per block of the matrix: sums the element-matrix blocks that a list names for it
//   inline      as persimplex, but computes element matrices when it needs them and stores none
// All methods add in the order of the tets. So each gives equal bits in every run, and their results agree up to
// rounding.
#pragma once
#include "lab/simplex/pattern.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Summation { SUM_PERSIMPLEX, SUM_PERENTRY, SUM_INLINE, SUMMATIONS } Summation;
extern const char *const summation_names[SUMMATIONS];

// The steps that build a matrix, in their order. Table 2 of paper 004 gives the times of all steps but BUILD_TOPOLOGY
// and BUILD_MAP. Comments name what a step computes.
typedef enum BuildStep {
  BUILD_TOPOLOGY,        // edges and faces of the mesh, and the tets at each of them
  BUILD_COUNT,           // number of blocks in each row
  BUILD_OFFSETS,         // index of the first block of each row
  BUILD_RESERVE_MATRIX,  // memory for columns and values, set to 0
  BUILD_COLUMNS,         // column of each block, ascending in each row
  BUILD_RESERVE_ELEMENTS,
  BUILD_ELEMENTS,
  BUILD_MAP,  // for each block of the matrix, the list of element-matrix blocks to sum; only for perentry
  BUILD_SUM,
  BUILD_STEPS
} BuildStep;
extern const char *const build_step_names[BUILD_STEPS];

// Choices for building a matrix: precision of its values, method that sums element matrices, matrix format, and
// material (Lame's constants).
typedef struct SimplexBuild {
  Precision precision;
  Summation summation;
  const char *format;  // matrix format, a name of simplex_formats: "binbcsr", "binbcsr_sorted" or "bcsr"
  double lambda, mu;   // Pa
} SimplexBuild;

// The matrix, and the data from which it is summed. A zeroed SimplexMatrix is empty.
typedef struct SimplexMatrix {
  SimplexBuild build;
  const SimplexTopology *topology;  // borrowed, outlives the matrix
  SimplexPattern pattern;
  EntryMap map;  // for each 3 x 3 block of the matrix, the blocks of element matrices to sum; only for perentry
  // [16][pairs] real: numbers from which the element matrix of any tet is computed (bernstein_weights)
  void *weight;
  void *records;  // [tets][pairs][9] real: the 3 x 3 blocks of the element matrices; NULL for the method inline
  int64_t value_count;
  void *values;           // [value_count] real
  void *diagonal_blocks;  // [nodes][9], the last part of `values`; NULL if diagonal blocks are stored among the others
  double elapsed_ms[BUILD_STEPS];  // ms, time of each BuildStep, by the device's clock
} SimplexMatrix;

/// Builds the topology (edges, faces, and the tets at each vertex, edge and face) and the matrix. simplex_topology_open
/// must have copied the mesh to the device before. Fails if memory runs out, or if an index does not fit an int.
bool simplex_matrix_build(SimplexMatrix *A, SimplexTopology *topology, const SimplexBuild *build, Error *error);
void simplex_matrix_destroy(SimplexMatrix *A);

/// Computes the element matrices and their sum again, in the existing arrays of A. Callers use it after they have
/// changed A->build.lambda or A->build.mu. Measures the times of these two steps again.
bool simplex_matrix_sum(SimplexMatrix *A, Error *error);

/// Changes the matrix after cells of the mesh were removed or put back, for example by a cut. absent [tets] is 1 for
/// each tet that is no longer part of the matrix; changed [count] are the tets whose entry in `absent` has changed
/// since the matrix was built or updated. Only rows of nodes of these tets are computed: their columns and values
/// become those of a matrix that is built without the absent tets. Nodes keep their numbers; a node without tets has a
/// row of zeros. The work is proportional to the number of these rows, except for an array with a byte for each node.
/// Fails on a GPU, for the method perentry, whose lists would have to be made again, and for the format
/// "binbcsr_sorted", in which rows would change their places. A->topology must be the topology from which the matrix
/// was built.
bool simplex_matrix_update(SimplexMatrix *A, const uint8_t *absent, const int *changed, int count, Error *error);

/// simplex_matrix_bytes returns the bytes of memory of the matrix. simplex_summation_bytes returns those of the element
/// matrices and of the lists by which they are summed.
double simplex_matrix_bytes(const SimplexMatrix *A);
double simplex_summation_bytes(const SimplexMatrix *A);

/// Makes `op`, an operator for products with the matrix A, and fills `space`, the description of its nodes. Both borrow
/// arrays from A, which must outlive them. simplex_operator_close frees the memory that they do not borrow.
bool simplex_operator_open(Operator *op, Space *space, const SimplexMatrix *A, Error *error);
void simplex_operator_close(Operator *op);

// Functions for one device and precision: `elements` computes the element matrices, and `sum` adds them to the matrix.
// `update` computes the rows of the given nodes again (simplex_matrix_update); NULL on a GPU. summation.c defines the
// functions for the CPU, and summation.cu those for the GPU.
typedef struct SummationOperations {
  Device device;
  Precision precision;
  bool (*elements)(const SimplexMatrix *A, Error *error);
  bool (*sum)(const SimplexMatrix *A, Error *error);
  bool (*update)(SimplexMatrix *A, const uint8_t *absent, const int *node, int count, Error *error);
} SummationOperations;

#ifdef __cplusplus
}
#endif
