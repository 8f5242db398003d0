// Assembly: sums element vectors and matrices into the system's vector F and the matrix values (paper 000, Eq. 3). A
// method depends neither on the element, which it calls through element/element.h, nor on the matrix format, whose
// block slots it takes from the operator.
#pragma once
#include "sim/assembly/partitioner.h"
#include "sim/element/assembly_parameters.h"
#include "sim/element/space.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Assembly Assembly;

// Arguments of operator_shift, which adds to the diagonal blocks of an assembled matrix.
typedef struct AssemblyShift {
  const void *shift;
  int crosses;
  void *diagonal;
  const int *wanted;
} AssemblyShift;

// One method for one element on one device in one precision.
typedef struct AssemblyMethod {
  Stage stage;
  bool (*create)(Assembly *assembly, const Space *space, Error *error);  // fills min_J, min_J_count, parts and data
  void (*destroy_data)(Assembly *assembly);
  bool (*assemble)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                   Stream stream, Error *error);
  const char *matrix;        // the operator paired with it if the user names none; NULL: it works with any
  const char *other_matrix;  // a second operator that it works with, or NULL
  // The default before the preferred method if the user names no assembly. It must work with the chosen operator, on the
  // operator's device, and `create` must succeed.
  bool is_default;
  /// Does all of assembly_run_shifted, operator_settle included; NULL: assembly and shift run in turn. In the engine,
  /// if the operator stores no values, only an assembly that names it in `matrix` has this function.
  bool (*assemble_shifted)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                           Operator *A, const AssemblyShift *shift, Stream stream, Error *error);
  bool compact;  // uses the compact form of the tangent; if cells differ in lambda / mu, no ratio may be below 0
  // works on chunks of cells, as many at a time as fit a budget of GPU memory; the result has the same bits
  bool chunks;
  // For a space whose mesh is cut (space_split.h): `reserve` allocates the capacity for the new nodes and cells,
  // `min_J` included; `split` fills it after space and layout have changed. NULL: the assembly is created anew.
  bool (*reserve)(Assembly *assembly, const Space *space, const SpaceSplit *split, Error *error);
  void (*split)(Assembly *assembly, const Space *space, const SpaceSplit *split);
} AssemblyMethod;

// Redundancy of a method that divides the mesh into parts: counts of evaluated tets and of nodes read.
typedef struct AssemblyParts {
  int count;
  int64_t tets;   // sum of |E_k|, the tets that part k evaluates; a tet near a border counts once for each part
  int64_t nodes;  // sum of the nodes that parts read
} AssemblyParts;

// A zeroed Assembly is empty.
struct Assembly {
  const AssemblyMethod *method;  // borrowed
  const Operator *layout;        // borrowed; gives the slots of values; only its arrays on the host are used
  Partitioner partitioner;
  double budget;    // bytes of GPU memory for element records, in methods with `chunks`; 0: no bound
  int chunk_count;  // number of chunks of cells, processed in turn; 0: not in chunks
  void *min_J;      // [min_J_count] real on the device, smallest J of each part, -inf for NaN; owned
  int min_J_count;
  AssemblyParts parts;
  const void *supplemental;  // S(e) of all cells [cells][..], real, on the device, for other stages to borrow; or NULL
  void *data;                // the method's private data; owned
};

/// Prepares a method for a space and for the slots of `layout`. The values that assembly_run fills may be another
/// array. If `layout` stores no values, only the vector can be assembled. `budget`: see Assembly. Fails if the budget
/// holds less than the smallest chunk, or if the method has no chunks but another one for this element and device has.
bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const Space *space, const Operator *layout,
                     Partitioner partitioner, double budget, Error *error);
void assembly_destroy(Assembly *assembly);

/// Computes F [n] = sum of element vectors and, unless `values` is NULL, values [layout->value_count] = sum of element
/// matrices, from the nodal data [node_count][ELEMENT_NODE_DATA]. Also fills min_J. Arrays are real, on the method's
/// device. Sums run in a fixed order, so equal input gives equal bits. On the CPU it fails if interrupt_requested; F
/// and values are then undefined.
bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                  Stream stream, Error *error);

/// Runs assembly_run with the values of A, which is on the assembly's device, then operator_shift. If A stores no
/// values, operator_linearise computes the tangent. A method with assemble_shifted does both in one pass, with the same
/// bits.
bool assembly_run_shifted(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                          Operator *A, const AssemblyShift *shift, Stream stream, Error *error);

/// Returns offset[(e cell_nodes + a) cell_nodes + b]: the pair of nodes a and b of cell e is at graph.start[node a] +
/// offset. The caller releases it with free(). Returns NULL on failure.
uint16_t *assembly_offsets(const Space *space, Error *error);

/// Number of nodes of each part (the last has fewer) of a method that divides a space of `node_count` nodes among
/// threads. A small space is a single part, so that its assembly stays on the caller's thread.
int assembly_part_nodes(int node_count);

#ifdef __cplusplus
}
#endif
