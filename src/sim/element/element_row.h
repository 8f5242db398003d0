// Functions of an element (a cell shape with a material) other than its assembly. Some loop over all cells of a space,
// for energies, displayed fields and the smallest det F, with F the deformation gradient. Others evaluate a single
// cell. A struct ElementRow has pointers to these functions, for one element on one device in one precision.
//
// element_row.c and element_row.cu define these structs; the two files are compiled for each element and precision. The
// CPU's struct has additional functions.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// maximum number of partial results of a loop over cells on a GPU; each is the result of a group of cells
enum { ELEMENT_PARTS_MAX = 512 };

// The cells of a space, as input of the loops of an ElementRow. The arrays are on the device of the ElementRow. On the
// CPU, `cell` is the space's array; on a GPU, it is a copy.
typedef struct ElementCells {
  int count;                 // number of cells
  int *cell;                 // [count][nodes of a cell], the nodes of all cells
  const void *supplemental;  // [count][supplemental] float or double: S(e), the constants of each cell
  void *owned;               // equal to `supplemental` if this struct must free that array; otherwise NULL
} ElementCells;

// The arguments for one body of the loops smallest_J_many and energy_many, which process many bodies. Pointers are to
// memory of the GPU.
typedef struct ElementLoop {
  ElementCells cells;
  const void *nodal;      // [node_count][3] float or double
  double *result;         // output: one number for each part, a group of cells (ElementRow.parts)
  const int *wanted;      // if *wanted is 0, the loop skips this body; NULL: it never skips the body
  double parameters[16];  // the element's ElementParameters, written by ElementRow.set_material
} ElementLoop;

// The functions of an element on one device in one precision.
typedef struct ElementRow {
  // stage.name is the material, such as "stvk", which users choose. stage.element is the shape, such as "tet4".
  Stage stage;
  // Shape and material, such as "tet4_stvk". Assemblies that are compiled for this element have this name in
  // Stage.element.
  const char *element;
  int nodes;         // nodes of a cell
  int supplemental;  // number of reals in S(e), the constants of a cell
  bool positions;    // true: nodal data [nodes][3] are positions, m; false: displacements, m

  // The loops `smallest_J` and `energy` divide the cells into groups, called parts; parts(cell_count) is their number.
  // A loop writes one double for each part to memory of the device. The caller combines these in order, so the result
  // has the same bits in every run. `nodal` is [node_count][3] float or double; `material` is [MATERIAL_PARAMETERS].
  int (*parts)(int cell_count);

  /// Computes smallest [parts], the smallest det F of the cells of each part; -infinity if det F of a cell is NaN.
  bool (*smallest_J)(const ElementCells *cells, const void *nodal, double *smallest, Stream stream, Error *error);

  /// Computes sum [parts], the strain energy of the cells of each part, in joules.
  bool (*energy)(const ElementCells *cells, const void *nodal, const double *material, double *sum, Stream stream,
                 Error *error);

  /// These two functions do the work of smallest_J and energy for many bodies, which have `cell_count` cells each.
  /// loops [bodies] is on the GPU. Both pointers are NULL on the CPU.
  bool (*smallest_J_many)(const ElementLoop *loops, int bodies, int cell_count, Stream stream, Error *error);
  bool (*energy_many)(const ElementLoop *loops, int bodies, int cell_count, Stream stream, Error *error);

  /// Sets the material of a loop for energy_many, from material [MATERIAL_PARAMETERS]. The pointer is NULL on the CPU.
  void (*set_material)(ElementLoop *loop, const double *material);

  /// Computes value [cell_count][2], float or double. value[e][0] is the field's mean in cell e times the cell's
  /// volume, and value[e][1] the volume, m^3. The mean and the volume leave out integration points whose field is
  /// infinite or NaN.
  bool (*field)(const ElementCells *cells, const void *nodal, FieldKind kind, const double *material, void *value,
                Stream stream, Error *error);

  // The functions below, and `softens`, are set only in the ElementRow of the CPU.

  /// Computes S [cell_count][supplemental], float or double: the constants that are stored for each cell.
  void (*supplementals)(const Space *space, void *S);

  bool softens;  // true if the material loses its stiffness under compression

  /// Fails if a parameter of the material is invalid. The message names the scene's key and the valid range.
  bool (*check)(const double *material, Error *error);

  /// Computes sigma, the mean Cauchy stress of cell e, Pa: xx, yy, zz, xy, yz, xz. u [node_count][3] are the
  /// displacements of all nodes, m. Returns the mean of det F. In an inverted cell all results may be NaN.
  double (*stress)(const Space *space, const double (*u)[3], int e, const double *material, double sigma[6]);

  /// Computes the Cauchy stress and det F as `stress` does, but at one point of the cell. `part` has the point's four
  /// barycentric coordinates in a tet, or its three reference coordinates, 0 to 1, in a hex.
  double (*stress_at)(const Space *space, const double (*u)[3], int e, const double *material, const double part[4],
                      double sigma[6]);

  /// Two functions for a single cell e. `nodal` has the positions or displacements of the cell's nodes, [nodes][3]
  /// float or double. evaluate: computes F [3 * nodes], the element vector, and A, the upper triangle of the element
  /// matrix by rows. A may be NULL. Returns the smallest determinant of the deformation gradient. cell_energy: returns
  /// the strain energy, J.
  double (*evaluate)(const Space *space, const void *nodal, int e, const double *material, void *F, void *A);
  double (*cell_energy)(const Space *space, const void *nodal, int e, const double *material);
} ElementRow;

/// Returns the functions of the element with this shape, such as "tet4", and material, such as "stvk". Returns NULL if
/// there is none. If `material` is NULL, the first material of the shape is taken.
const ElementRow *element_row(const char *shape, const char *material, Device device, Precision precision);

/// Opens the shared library with the code of an element (element_module.h), if the element is not linked into the
/// program and its library is not open yet. If `material` is NULL, takes the first material of the shape. On failure,
/// the message names the missing or invalid file, and the command that builds it.
bool element_open(const char *shape, const char *material, Error *error);

/// Returns true if elements.def, the list of all elements, has this material for at least one shape.
bool material_is_listed(const char *material);

/// Opens the shared libraries of all elements of a shape, or of all shapes if `shape` is NULL, as far as the files
/// exist. stage_next then lists these elements.
void elements_open_all(const char *shape);

/// Returns the ElementRow of the CPU in double precision for the element with this name, such as "tet4_stvk". Returns
/// NULL if there is no such element.
const ElementRow *element_named(const char *element);

/// Sets *cells to the cells of a space. The space must outlive *cells. `supplemental` has the constants S(e) of all
/// cells on the row's device and is borrowed. If `supplemental` is NULL, the constants are computed. After a failure
/// *cells is empty. element_cells_destroy accepts an empty object.
bool element_cells_create(ElementCells *cells, const ElementRow *row, const Space *space, const void *supplemental,
                          Error *error);
void element_cells_destroy(ElementCells *cells, const ElementRow *row);

#ifdef __cplusplus
}
#endif
