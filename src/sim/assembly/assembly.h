// Assembly: element vectors and matrices summed into the system's vector F and the matrix values (paper 000, Eq. 3).
// A method knows neither the element it runs (a black box, element/element.h) nor the layout of the matrix (its map K).
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/sparse/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Assembly Assembly;

// What an element is evaluated with; see its element_parameters.
typedef struct AssemblyParameters {
  double material[2];                 // mu and lambda, Pa
  double vector_scale, matrix_scale;  // on F and on A
} AssemblyParameters;

// One method for one element on one device in one precision.
typedef struct AssemblyMethod {
  const char *name, *summary;
  const char *element;  // "neo_hookean_tet": the header of src/sim/element that it was built with
  Device device;
  Precision precision;
  bool (*create)(Assembly *assembly, const TetMesh *mesh, Error *error);  // fills min_J, min_J_count, parts and data
  void (*destroy_data)(Assembly *assembly);
  bool (*assemble)(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                   Stream stream, Error *error);
} AssemblyMethod;

// What the parts of a method cost, for those that have parts: how often tets are evaluated and nodes are read.
typedef struct AssemblyParts {
  int count;
  int64_t tets;   // sum of |E_k|, the tets that part k evaluates; over the mesh's, how often each is
  int64_t nodes;  // sum of the nodes that parts read
  int tets_most;  // largest |E_k|
  int tets_fit;   // what the device's shared memory would take
} AssemblyParts;

// A zeroed Assembly is empty.
struct Assembly {
  const AssemblyMethod *method;  // borrowed
  const Matrix *layout;          // borrowed: gives the map K; only its host side counts
  Partitioner partitioner;
  void *min_J;  // [min_J_count] real on the device, smallest J of each part, -inf for NaN; owned
  int min_J_count;
  AssemblyParts parts;
  void *data;  // the method's own; owned
};
extern const AssemblyMethod *const assembly_methods[];  // NULL-terminated; the only list there is

/// The index-th method of an element, or NULL past the last.
const AssemblyMethod *assembly_method(const char *element, int index);

/// Prepares a method for a mesh and for matrices of `layout`'s format and pattern, wherever those lie.
bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const TetMesh *mesh, const Matrix *layout,
                     Partitioner partitioner, Error *error);
void assembly_destroy(Assembly *assembly);

/// F [n] = sum of element vectors and, unless `values` is NULL, values [layout->slot_count] = sum of element matrices in
/// the slots that K reaches, at the nodal data [node_count][ELEMENT_NODE_DATA]; and min_J. Arrays are real, on the
/// method's device. Same input, same bits. On the CPU it fails where interrupt_wanted, with what it was to fill undefined.
bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                  Stream stream, Error *error);

/// Which block of a node's rows is which other node's: offsets [tet_count][4][4], so that the entry of local node a's
/// unknown i and local node b's unknown k stands at row_start[node_dof node_a + i] + offset[e][a][b] + k in the pattern.
/// free() releases it.
uint16_t (*assembly_offsets(const TetMesh *mesh, const Pattern *pattern, Error *error))[4][4];

#ifdef __cplusplus
}
#endif
