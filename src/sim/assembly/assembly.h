// Assembly: element vectors and matrices summed into the system's vector F and the matrix values (paper 000, Eq. 3).
// A method knows neither the element it runs (element/tet4.h is a black box) nor the layout of the matrix (its map K).
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/sparse/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Assembly Assembly;

// What an element is evaluated with; see ElementParameters.
typedef struct AssemblyParameters {
  double mu, lambda;                  // Pa
  double vector_scale, matrix_scale;  // on F and on A
} AssemblyParameters;

// One method on one device in one precision.
typedef struct AssemblyMethod {
  const char *name, *summary;
  Device device;
  Precision precision;
  bool (*create)(Assembly *assembly, const TetMesh *mesh, Error *error);  // fills min_J, min_J_count and data
  void (*destroy_data)(Assembly *assembly);
  bool (*assemble)(Assembly *assembly, const AssemblyParameters *parameters, const void *u, void *F, Matrix *A,
                   Stream stream, Error *error);
} AssemblyMethod;

// A zeroed Assembly is empty.
struct Assembly {
  const AssemblyMethod *method;  // borrowed
  const Matrix *matrix;          // borrowed: the layout that was prepared for
  void *min_J;                   // [min_J_count] real on the device, smallest J of each part, -inf for NaN; owned
  int min_J_count;
  void *data;  // the method's own; owned
};
extern const AssemblyMethod *const assembly_methods[];  // NULL-terminated; the only list there is

/// Prepares a method for a mesh and for matrices of `matrix`'s layout, on the same device and in the same precision.
bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const TetMesh *mesh, const Matrix *matrix,
                     Error *error);
void assembly_destroy(Assembly *assembly);

/// F [n] = sum of element vectors and, unless A is NULL, all of A's values = sum of element matrices, at the nodal
/// displacements u [node_count][3]; and min_J. Arrays are real, on the device. Same input, same bits.
bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *u, void *F, Matrix *A,
                  Stream stream, Error *error);

/// Which node of `pattern`'s row block is which: offsets [tet_count][4][4], so that the entry of local node a's unknown
/// i and local node b's unknown k stands at row_start[3 node_a + i] + offset[e][a][b] + k. free() releases it.
uint16_t (*assembly_offsets(const TetMesh *mesh, const Pattern *pattern, Error *error))[4][4];

#ifdef __cplusplus
}
#endif
