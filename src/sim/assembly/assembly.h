// Assembly: sums the vectors and matrices of all elements into the system's vector F and the values of its matrix
// (paper 000, Eq. 3). There are several methods, such as one loop over the cells, or one list of cells per matrix
// block. A method calls the element through element/element.h, so it works for any element. The operator (operator.h)
// gives the position of the matrix block of each pair of nodes, so most methods work for any matrix format.
#pragma once
#include "sim/assembly/partitioner.h"
#include "sim/element/assembly_parameters.h"
#include "sim/element/space.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Assembly Assembly;

// The arguments of operator_shift (operator.h), collected in a struct. operator_shift adds terms of single nodes, such
// as mass and contact, to the diagonal blocks of the assembled matrix.
typedef struct AssemblyShift {
  const void *shift;
  int crosses;
  void *diagonal;
  const int *wanted;
} AssemblyShift;

// One assembly method for one element on one device in one precision: a table of its functions.
typedef struct AssemblyMethod {
  Stage stage;
  // Prepares the method, and sets min_J, min_J_count, `parts` and `data` of the assembly.
  bool (*create)(Assembly *assembly, const Space *space, Error *error);
  void (*destroy_data)(Assembly *assembly);
  bool (*assemble)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                   Stream stream, Error *error);
  // The operator that is used with this method if the user names none. NULL: the method works with any operator.
  const char *matrix;
  const char *other_matrix;  // a second operator with which the method works, or NULL
  // True for a method that is tried first if the user names no assembly. It is used if it works with the chosen
  // operator, on its device, and `create` succeeds. Else the method with Stage.preferred is used.
  bool is_default;
  /// Does everything that assembly_run_shifted does, in one pass. NULL: assembly and operator_shift run one after the
  /// other. An assembly of the engine whose `matrix` is an operator without stored values must have this function.
  bool (*assemble_shifted)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                           Operator *A, const AssemblyShift *shift, Stream stream, Error *error);
  // True if the method uses the compact form of the material's tangent, a short formula
  // (element/material/neo_hookean.h). It then cannot be used if the ratio lambda / mu of a cell is negative and the
  // ratios of the cells differ.
  bool compact;
  // True if the method can limit its memory. It writes a record of each cell, its vector and matrix, to GPU memory
  // before it sums. Under a budget it processes the cells in chunks, as many at a time as fit. The result has the same
  // bits for any budget.
  bool chunks;
  // `reserve` and `split` update the assembly when the user cuts the body (space_split.h). First `reserve` allocates
  // memory for the new nodes and cells, including min_J; this may fail. Then the space and the layout change. Last,
  // `split` fills the memory. NULL: the assembly is created again instead.
  bool (*reserve)(Assembly *assembly, const Space *space, const SpaceSplit *split, Error *error);
  void (*split)(Assembly *assembly, const Space *space, const SpaceSplit *split);
} AssemblyMethod;

// Statistics of a method that divides the mesh into parts. A part is a group of nodes whose matrix rows are summed
// together. For each part, all tets that have one of its nodes are evaluated. So tets near a border of two parts are
// evaluated more than once.
typedef struct AssemblyParts {
  int count;
  // Number of evaluated tets, summed over all parts. A tet near a border counts once for each of its parts.
  int64_t tets;
  int64_t nodes;  // number of nodes that parts read, summed over all parts
} AssemblyParts;

// A zeroed Assembly is empty.
struct Assembly {
  const AssemblyMethod *method;  // borrowed
  // The operator that gives the positions of matrix blocks; only its arrays on the host are used. Borrowed.
  const Operator *layout;
  Partitioner partitioner;
  // Maximum number of bytes of GPU memory for the records (vector and matrix) of cells; 0: no bound. Only methods with
  // `chunks` have records.
  double budget;
  int chunk_count;  // number of chunks of cells, processed one after the other; 0: no chunks
  // [min_J_count] real on the device. Each entry is the smallest J = det F in a group of cells, or -inf if a J is NaN.
  // The groups cover all cells, so the smallest entry is the smallest J of the body. Owned.
  void *min_J;
  int min_J_count;
  AssemblyParts parts;
  // [cells][reals per cell], real, on the device: S(e), the constants that the element stores for each cell. Other
  // stages may read them. NULL: the method has no such array.
  const void *supplemental;
  void *data;  // the method's private data; owned
};

/// Prepares a method for a space and for the block positions of `layout`. assembly_run may later write to any array of
/// values with these positions. If `layout` stores no values, only the vector can be assembled. `budget`: see Assembly.
/// Fails if the budget is too small for the smallest chunk. Also fails if this method cannot keep within the budget
/// while another method for this element and device can.
bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const Space *space, const Operator *layout,
                     Partitioner partitioner, double budget, Error *error);
void assembly_destroy(Assembly *assembly);

/// Computes F [n], the sum of all element vectors, from the nodal data [node_count][ELEMENT_NODE_DATA]. If `values` is
/// not NULL, it also computes values [layout->value_count], the sum of all element matrices. Fills min_J. Arrays are
/// real, on the method's device. Sums run in a fixed order, so equal input gives equal bits. On the CPU it fails if the
/// user interrupts; F and `values` are then undefined.
bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                  Stream stream, Error *error);

/// Runs assembly_run for the values of A, which is on the assembly's device, and then operator_shift, which adds terms
/// to the diagonal blocks. If A stores no values, operator_linearise computes the tangent instead. A method with
/// assemble_shifted does everything in one pass, with the same bits.
bool assembly_run_shifted(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                          Operator *A, const AssemblyShift *shift, Stream stream, Error *error);

/// Returns an array `offset` [cells][cell_nodes][cell_nodes], which locates each pair of nodes of a cell in the space's
/// graph of neighbours. For local nodes a and b of cell e, node b is the neighbour number offset[(e * cell_nodes + a) *
/// cell_nodes + b] of node a. The caller frees the array. Returns NULL on failure.
uint16_t *assembly_offsets(const Space *space, Error *error);

/// Returns the number of nodes per part, for methods that divide a space of node_count nodes into ranges of nodes,
/// which threads process in parallel. The last part may have fewer. A small space is a single part, so that its
/// assembly stays on the caller's thread.
int assembly_part_nodes(int node_count);

#ifdef __cplusplus
}
#endif
