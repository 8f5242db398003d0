// Assembly: computes F, the vector of internal forces of a body, and K, its tangent matrix (paper 000, Eq. 3). Each
// cell of the mesh has a small element vector and element matrix. The assembly adds these up over all cells.
//
// Several methods compute the sums. Some loop over the cells, others over the blocks of K. A block is the submatrix of
// two nodes, 3 x 3 for a solid. All methods get element vectors and matrices from element/element.h, so they work for
// any element.
//
// An operator (operator.h) defines the matrix format and stores K. For each block, the operator gives the index of the
// block's first value in the array of matrix values. So most methods work with any matrix format.
#pragma once
#include "sim/assembly/partitioner.h"
#include "sim/element/assembly_parameters.h"
#include "sim/element/space.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Assembly Assembly;

// Terms that are added to the diagonal blocks of the matrix, such as masses and the stiffness of contacts. A diagonal
// block couples the DOFs of one node. The members are the arguments of operator_shift (operator.h). All pointers are to
// memory of the operator's device.
//   shift      [node_count][node_dof]: numbers that are added to the diagonal of the matrix; then
//              [node_count][crosses]: numbers that are added to off-diagonal entries of diagonal blocks
//   crosses    number of entries above the diagonal of each block to which numbers are added: 0; 1 for entry (x, y); 3
//              for (x, y), (x, z) and (y, z). The mirrored entries, such as (y, x), get the same numbers
//   diagonal   output: the diagonal of the matrix after the addition; NULL: not needed
//   wanted     an int on the device: if it is 0, nothing is added; NULL: always add
typedef struct AssemblyShift {
  const void *shift;
  int crosses;
  void *diagonal;
  const int *wanted;
} AssemblyShift;

// Functions of one assembly method, for one element, one device and one precision.
typedef struct AssemblyMethod {
  Stage stage;
  // Creates the method's private data, Assembly.data, for a space. Also sets the other members of Assembly that
  // describe the method, such as `parts` and the array min_J.
  bool (*create)(Assembly *assembly, const Space *space, Error *error);
  void (*destroy_data)(Assembly *assembly);
  bool (*assemble)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                   Stream stream, Error *error);
  // Name of the operator (matrix format) that is used with this method if the user names none. NULL: the method works
  // with any operator.
  const char *matrix;
  // name of a second operator with which the method works, besides `matrix`; NULL: there is none
  const char *other_matrix;
  // True if the program tries this method first when the user names no assembly. The method is chosen if it works with
  // the operator, runs on the operator's device, and its `create` succeeds. Otherwise the program chooses the method
  // whose Stage.preferred is true.
  bool is_default;
  /// Assembles the vector F and the matrix, and adds the terms of `shift` to the diagonal blocks, all in one pass over
  /// the cells. NULL: the program calls `assemble` and then operator_shift, which adds the terms in a second pass. A
  /// method must have this function if its `matrix` is an operator without a stored matrix.
  bool (*assemble_shifted)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                           Operator *A, const AssemblyShift *shift, Stream stream, Error *error);
  // True if the method computes blocks by the material's compact tangent formula (element/material/neo_hookean.h). For
  // a body whose cells differ in lambda / mu (Lame's constants), it computes sqrt(lambda / mu) in each cell. The method
  // is therefore refused if the ratio is negative in any cell.
  bool compact;
  // True if the method works only with operators that store a matrix. Other methods also work with operators without a
  // matrix; they then compute only the vector.
  bool needs_values;
  // True if the method can keep its GPU memory below Assembly.budget. Such a method stores the vector and matrix of
  // each cell before it adds them up. Under a budget it processes the cells in chunks, ranges of cells, one after the
  // other. The result has the same bits for any budget.
  bool chunks;
  // functions that assemble the systems of many bodies with one launch of each kernel; NULL: the method has none
  const struct AssemblyMany *many;
  // Two functions that update the assembly after the user cuts the body, which adds nodes (space_split.h). The steps
  // are, in order:
  //   1. `reserve` allocates memory for the new nodes and cells, also in the array Assembly.min_J. It may fail.
  //   2. The caller changes the space and the operator.
  //   3. `split` writes the data of the new nodes and cells into this memory. It cannot fail.
  // NULL: the program destroys the assembly and creates it again.
  bool (*reserve)(Assembly *assembly, const Space *space, const SpaceSplit *split, Error *error);
  void (*split)(Assembly *assembly, const Space *space, const SpaceSplit *split);
} AssemblyMethod;

// Functions that assemble the systems of many bodies with one launch of each kernel (sim/worlds). All bodies have equal
// numbers of nodes and cells and the same method.
typedef struct AssemblyMany {
  size_t bytes;  // bytes of the arguments of one body
  /// Writes the arguments of assembly_run for one body to *arguments. `wanted` points to an int on the GPU: if it is 0,
  /// the kernels skip the body. If `wanted` is NULL, they never skip it. The assembly must not process its cells in
  /// chunks.
  void (*prepare)(const Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                  void *values, const int *wanted, void *arguments);
  /// Queues the assembly of `count` bodies. `arguments` is an array on the GPU; `one` is the assembly of any of the
  /// bodies. `with_matrix` false: only the vectors are assembled.
  bool (*assemble)(const Assembly *one, const void *arguments, int count, bool with_matrix, Stream stream,
                   Error *error);
} AssemblyMany;

// Statistics of a method that divides the mesh into parts. A part is a group of nodes whose matrix rows one thread or
// thread block computes. Each part evaluates all tets that have one of its nodes. So a tet with nodes in several parts
// is evaluated once for each of them.
typedef struct AssemblyParts {
  int count;  // number of parts
  // Number of tets that a part evaluates, summed over all parts. A tet with nodes in several parts counts once for each
  // of them.
  int64_t tets;
  int64_t nodes;  // number of nodes that a part reads, summed over all parts
} AssemblyParts;

// An assembly method that is ready to run for one space and one matrix. A zeroed Assembly is empty.
struct Assembly {
  const AssemblyMethod *method;  // the functions of the assembly method; borrowed
  // The operator that stores the matrix; borrowed. Most methods use only its array `slots` on the host: for each block,
  // the index of its first value in the array of matrix values.
  const Operator *layout;
  // the algorithm that divides the mesh into parts; used only by methods with parts
  Partitioner partitioner;
  // Upper bound, in bytes of GPU memory, for the stored vectors and matrices of cells; 0: no bound. Only methods whose
  // AssemblyMethod.chunks is true use it.
  double budget;
  // number of chunks, ranges of cells that are processed one after the other to save memory; 0: no chunks
  int chunk_count;
  // [min_J_count] real (float or double), on the device. Each entry is the smallest J = det F in a group of cells, or
  // -inf if J of a cell is NaN. F here is the deformation gradient. The groups cover all cells, so the smallest entry
  // is the smallest J of the body. Owned.
  void *min_J;
  int min_J_count;      // number of groups of cells in min_J
  AssemblyParts parts;  // number of parts, and sums of their tets and nodes; zero for methods without parts
  // [cells][reals per cell], real, on the device: S(e), the constants that the element stores for cell e, such as
  // gradients and volume. Other stages, such as operators, may read them. NULL: the method has no such array.
  const void *supplemental;
  void *data;  // the method's private data; owned
};

/// Creates an assembly by `method` for a space and a matrix. `layout` is an operator that defines the matrix's format.
/// Each call of assembly_run names the array of values to which it writes. This array may belong to another operator of
/// this format. If `layout` stores no values, only the vector can be assembled.
///
/// `budget` is an upper bound, in bytes of GPU memory, for stored vectors and matrices of cells; 0: no bound. Fails if
/// the budget is too small even for the smallest chunk of cells. Also fails if this method ignores budgets while
/// another method for this element and device respects them.
bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const Space *space, const Operator *layout,
                     Partitioner partitioner, double budget, Error *error);
void assembly_destroy(Assembly *assembly);

/// Computes F [node_count][node_dof], the sum of all element vectors, from the nodal data
/// [node_count][ELEMENT_NODE_DATA], such as displacements. If `values` is not NULL, the function also computes values
/// [layout->value_count], the sum of all element matrices. Stores in assembly->min_J the smallest J = det F of each
/// group of cells, where F is the deformation gradient. All arrays are real, on the method's device. Sums run in a
/// fixed order, so equal input gives equal bits. Most methods on the CPU fail if the user interrupts; the vector F and
/// `values` are then undefined.
bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                  Stream stream, Error *error);

/// Assembles the vector F and the matrix A, and adds the terms of `shift` to the diagonal blocks of A. A is on the
/// assembly's device. A method with assemble_shifted does this in one pass over the cells. Other methods need two
/// passes, assembly_run and operator_shift; the result has the same bits. If A has no stored matrix, operator_linearise
/// prepares A's products with vectors instead.
bool assembly_run_shifted(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                          Operator *A, const AssemblyShift *shift, Stream stream, Error *error);

/// Returns an array `offset` [cells][cell_nodes][cell_nodes]. For two local nodes a and b of cell e, offset[e][a][b] is
/// the index of node b in the sorted list of node a's neighbours (space->graph). Example: if node a has the neighbours
/// 3, 7, 12 and b is node 12, the entry is 2. The caller frees the array. Returns NULL on failure.
uint16_t *assembly_offsets(const Space *space, Error *error);

/// Returns the number of nodes of a part, for methods that divide the mesh into ranges of consecutive nodes. Threads
/// process these parts in parallel. A small mesh is a single part, so that its assembly stays on the caller's thread.
int assembly_part_nodes(int node_count);

#ifdef __cplusplus
}
#endif
