// Assembly: sums the vectors and matrices of all elements into the system's vector F and the values of its matrix
// (paper 000, Eq. 3). There are several methods. A method calls the element through element/element.h, so it works for
// any element. It takes the positions of matrix blocks (one for each pair of nodes) from the operator, so most methods
// work for any matrix format. S(e) is the data that the element stores for a cell e at rest, such as gradients and
// volume.
#pragma once
#include "sim/assembly/partitioner.h"
#include "sim/element/assembly_parameters.h"
#include "sim/element/space.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Assembly Assembly;

// Arguments of operator_shift (operator.h), which adds numbers to the diagonal blocks of the assembled matrix.
typedef struct AssemblyShift {
  const void *shift;
  int crosses;
  void *diagonal;
  const int *wanted;
} AssemblyShift;

// One assembly method for one element on one device in one precision: a table of its functions.
typedef struct AssemblyMethod {
  Stage stage;
  bool (*create)(Assembly *assembly, const Space *space, Error *error);  // fills min_J, min_J_count, parts and data
  void (*destroy_data)(Assembly *assembly);
  bool (*assemble)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                   Stream stream, Error *error);
  // the operator that is used with this method if the user names none; NULL: the method works with any operator
  const char *matrix;
  const char *other_matrix;  // a second operator that it works with, or NULL
  // If the user names no assembly, this method is used before the preferred one. It must work with the chosen operator,
  // on its device, and `create` must succeed.
  bool is_default;
  /// Does all of assembly_run_shifted in one pass, including operator_settle. NULL: assembly and shift run one after
  /// the other. Among the assemblies of the engine, only those with this function can have an operator without stored
  /// values as their `matrix`.
  bool (*assemble_shifted)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                           Operator *A, const AssemblyShift *shift, Stream stream, Error *error);
  // True if the method uses the compact form of the material's tangent (element/material/neo_hookean.h). If cells
  // differ in lambda / mu, none of these ratios may be negative.
  bool compact;
  // Some methods write a record for each cell (its vector and matrix) to GPU memory before they sum. `chunks` is true
  // if the method can process the cells in chunks, as many at a time as a budget of memory allows. The result has the
  // same bits for any budget.
  bool chunks;
  // The next two serve a body that the user cuts (space_split.h). `reserve` allocates memory for the new nodes and
  // cells, including min_J. `split` fills it after space and layout have changed. NULL: the assembly is created again.
  bool (*reserve)(Assembly *assembly, const Space *space, const SpaceSplit *split, Error *error);
  void (*split)(Assembly *assembly, const Space *space, const SpaceSplit *split);
} AssemblyMethod;

// Statistics of a method that divides the mesh into parts, groups of nodes whose matrix rows are summed together. A tet
// whose nodes belong to several parts is evaluated by each of them.
typedef struct AssemblyParts {
  int count;
  // number of evaluated tets, summed over all parts; a tet near a border counts once for each part
  int64_t tets;
  int64_t nodes;  // number of nodes that parts read, summed over all parts
} AssemblyParts;

// A zeroed Assembly is empty.
struct Assembly {
  const AssemblyMethod *method;  // borrowed
  // Gives the positions of matrix blocks. Only its arrays on the host are used. Borrowed.
  const Operator *layout;
  Partitioner partitioner;
  // maximum number of bytes of GPU memory for records (vector and matrix of each cell), in methods with `chunks`; 0: no
  // bound
  double budget;
  int chunk_count;  // number of chunks of cells, processed one after the other; 0: no chunks
  // [min_J_count] real on the device: each number is the smallest J = det F of some of the cells, -inf for NaN;
  // together they cover all cells. Owned.
  void *min_J;
  int min_J_count;
  AssemblyParts parts;
  // S(e), the element's constant data of all cells, [cells][reals per cell], real, on the device, which other stages
  // may read; or NULL.
  const void *supplemental;
  void *data;  // the method's private data; owned
};

/// Prepares a method for a space and for the block positions of `layout`. assembly_run may fill another array of values
/// with equal positions. If `layout` stores no values, only the vector can be assembled. `budget`: see Assembly. Fails
/// if the budget is too small for the smallest chunk. Also fails if this method ignores the budget but another method
/// for this element and device respects it.
bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const Space *space, const Operator *layout,
                     Partitioner partitioner, double budget, Error *error);
void assembly_destroy(Assembly *assembly);

/// Computes F [n], the sum of all element vectors, from the nodal data [node_count][ELEMENT_NODE_DATA]. Unless `values`
/// is NULL, also computes values [layout->value_count], the sum of all element matrices. Fills min_J. Arrays are real,
/// on the method's device. Sums run in a fixed order, so equal input gives equal bits. On the CPU it fails if the user
/// interrupts; F and values are then undefined.
bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                  Stream stream, Error *error);

/// Runs assembly_run for the values of A, which is on the assembly's device, and then operator_shift. If A stores no
/// values, operator_linearise computes the tangent. A method with assemble_shifted does both in one pass, with the same
/// bits.
bool assembly_run_shifted(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                          Operator *A, const AssemblyShift *shift, Stream stream, Error *error);

/// Returns an array `offset`, which locates the pair of nodes a and b of each cell e in the space's graph: it is at
/// graph.start[node a] + offset[(e * cell_nodes + a) * cell_nodes + b]. The caller releases the array with free().
/// Returns NULL on failure.
uint16_t *assembly_offsets(const Space *space, Error *error);

/// For methods that divide a space of node_count nodes into parts for the threads: the number of nodes of each part
/// (the last may have fewer). A small space is a single part, so that its assembly stays on the caller's thread.
int assembly_part_nodes(int node_count);

#ifdef __cplusplus
}
#endif
