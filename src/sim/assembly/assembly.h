// Assembly: element vectors and matrices summed into the system's vector F and the matrix values (paper 000, Eq. 3).
// A method knows neither the element it runs (a black box, element/element.h) nor the format of the matrix (its
// places).
#pragma once
#include "sim/assembly/partitioner.h"
#include "sim/element/assembly_parameters.h"
#include "sim/element/space.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Assembly Assembly;

// What operator_shift adds to a matrix that has been assembled: its arguments.
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
  const char *matrix;        // the operator that it is taken with where nobody names one; NULL: it works with any
  const char *other_matrix;  // and one more that it works with, or NULL
  bool leads;  // taken before the preferred one where nobody names an assembly, if it works with the operator
               // that was taken, on the same device, and can be made
  /// All of assembly_run_shifted in one; NULL: one after the other. Where an operator stores no values, only an
  /// assembly that names it has this.
  bool (*assemble_shifted)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                           Operator *A, const AssemblyShift *shift, Stream stream, Error *error);
  bool compact;  // makes blocks of a compact tangent: where cells differ in lambda over mu, none may be below 0
  // whether it puts cells' matrices where an operator's `target` says, too
  bool targets;
  // how many cells a block of threads takes from now on: 64, 128 or 256; NULL: it has no choice
  bool (*set_block)(Assembly *assembly, int block, Error *error);
  // whether it works on chunks of cells, as many at a time as fit a budget of a GPU's memory, with the same bits
  bool chunks;
  // Of a space that is taken apart (space_split.h): room for what is new, `min_J` too, and the rest when space and
  // layout have changed. NULL: it is made anew
  bool (*reserve)(Assembly *assembly, const Space *space, const SpaceSplit *split, Error *error);
  void (*split)(Assembly *assembly, const Space *space, const SpaceSplit *split);
} AssemblyMethod;

// What the parts of a method cost, for those that have parts: how often tets are evaluated and nodes are read.
typedef struct AssemblyParts {
  int count;
  int64_t tets;   // sum of |E_k|, the tets that part k evaluates; over the mesh's, how often each is
  int64_t nodes;  // sum of the nodes that parts read
} AssemblyParts;

// A zeroed Assembly is empty.
struct Assembly {
  const AssemblyMethod *method;  // borrowed
  const Operator *layout;        // borrowed: its places say where values go; only its host side counts
  Partitioner partitioner;
  double budget;    // bytes of a GPU's memory for what cells leave to be added up, with methods of chunks; 0: no bound
  int chunk_count;  // chunks of cells that it takes one after another; 0: all at once, or in parts
  void *min_J;      // [min_J_count] real on the device, smallest J of each part, -inf for NaN; owned
  int min_J_count;
  AssemblyParts parts;
  const void *supplemental;  // S(e) of all cells [cells][..] real on the device, for others to borrow; NULL: not so
  void *data;                // the method's own; owned
};

/// Prepares a method for a space and for values of `layout`'s format, wherever those lie. Where `layout` stores
/// nothing, only the vector can be assembled. `budget`: see Assembly; fails where it does not hold the least chunk, or
/// where the method has no chunks and another of this element and device has.
bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const Space *space, const Operator *layout,
                     Partitioner partitioner, double budget, Error *error);
void assembly_destroy(Assembly *assembly);

/// F [n] = sum of element vectors and, unless `values` is NULL, values [layout->value_count] = sum of element matrices
/// in the slots that its places reach, at the nodal data [node_count][ELEMENT_NODE_DATA]; and min_J. Arrays are real,
/// on the method's device. Same input, same bits. On the CPU it fails where interrupt_requested, with what it was to
/// fill undefined.
bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                  Stream stream, Error *error);

/// assembly_run with the values of A, which is on the assembly's device, or beside operator_linearise where it stores
/// none; then operator_shift. In one where the method can; same bits.
bool assembly_run_shifted(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                          Operator *A, const AssemblyShift *shift, Stream stream, Error *error);

/// Which of a node's neighbours is which other: offset[(e cell_nodes + a) cell_nodes + b], so that the pair of cell e's
/// nodes a and b is at graph.start[node a] + offset. free() releases it.
uint16_t *assembly_offsets(const Space *space, Error *error);

/// Number of nodes of each part (the last has fewer) of a method that divides a space of `node_count` nodes among
/// threads. A small space is a single part, so its assembly stays on the caller's thread.
int assembly_part_nodes(int node_count);

#ifdef __cplusplus
}
#endif
