// Functions of an element (a shape with a material) other than its assembly. Some are loops over all cells of a space,
// for energies, displayed fields and the smallest det F; F is the deformation gradient. Others evaluate a single cell.
// A struct ElementRow has pointers to them. It is the element's row in the table of all elements; there is one for each
// device and precision.
//
// element_row.c and element_row.cu are compiled for each element and precision. Only the CPU's row has the functions of
// single cells, and the one that computes S(e), the constants that are stored for each cell e.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// maximum number of parts, groups of cells with one result, of a loop over cells on a GPU
enum { ELEMENT_PARTS_MAX = 512 };

// The cells of a space, as input of the loops of an ElementRow. Arrays are on the row's device. On the CPU `cell` is
// the array of the space, on a GPU a copy.
typedef struct ElementCells {
  int count;                 // number of cells
  int *cell;                 // [count][nodes of a cell], the nodes of all cells
  const void *supplemental;  // [count][supplemental] real (float or double), the constants S(e) of all cells
  void *owned;               // equals `supplemental` if this struct must free the array; NULL if the array is borrowed
} ElementCells;

// The functions of an element on one device in one precision.
typedef struct ElementRow {
  // stage.name is the material, such as "stvk", and stage.element the shape, such as "tet4". Users choose a material
  // for a shape.
  Stage stage;
  // Shape and material, such as "tet4_stvk". Assemblies for this element have this name in their Stage.element.
  const char *element;
  int nodes;         // nodes of a cell
  int supplemental;  // number of reals in S(e), the constants of a cell
  bool positions;    // true: nodal data [nodes][3] are positions, m; false: displacements, m

  // The loops `smallest_J` and `energy` divide the cells into parts, ranges or groups of cells. parts(cell_count) is
  // the number of parts. A loop writes one result for each part, a double, to memory of the device. The caller combines
  // the results in order, so they have the same bits in every run. `nodal` is [node_count][3] real (float or double),
  // and `material` [MATERIAL_PARAMETERS].
  int (*parts)(int cell_count);

  /// Computes smallest [parts], the smallest det F over the cells of each part; -infinity if one is NaN.
  bool (*smallest_J)(const ElementCells *cells, const void *nodal, double *smallest, Stream stream, Error *error);

  /// Computes sum [parts], the strain energy of the cells of each part, in joules.
  bool (*energy)(const ElementCells *cells, const void *nodal, const double *material, double *sum, Stream stream,
                 Error *error);

  /// For each cell, computes value [cell_count][2] real: the field times the cell's volume, m^3, and the volume. The
  /// ratio of the two numbers is the field's mean in the cell. Both are 0 if the field is not finite. This loop has no
  /// parts.
  bool (*field)(const ElementCells *cells, const void *nodal, FieldKind kind, const double *material, void *value,
                Stream stream, Error *error);

  // Only the CPU's row has the following members.

  /// Computes S(e), the constants of each cell e: S [cell_count][supplemental] real.
  void (*supplementals)(const Space *space, void *S);

  bool softens;  // true if the material loses its stiffness under compression

  /// Fails unless the material's parameters are valid. The message names the scene's key and the valid range.
  bool (*check)(const double *material, Error *error);

  /// Computes sigma, the mean Cauchy stress of cell e, Pa, at displacements u [node_count][3], m: xx, yy, zz, xy, yz,
  /// xz. Returns the mean of det F. In an inverted cell both may be NaN.
  double (*stress)(const Space *space, const double (*u)[3], int e, const double *material, double sigma[6]);

  /// As `stress`, but at one point of the cell. `part` are the four barycentric coordinates of the point in a tet, or
  /// its three reference coordinates, 0 to 1, in a hex.
  double (*stress_at)(const Space *space, const double (*u)[3], int e, const double *material, const double part[4],
                      double sigma[6]);

  /// Two functions that evaluate a single cell e from its nodal data [nodes][3] real. `evaluate` computes F [3 *
  /// nodes], the element vector. Unless A is NULL, it also computes A, the upper triangle of the element matrix by
  /// rows. It returns the smallest det F. cell_energy returns the strain energy in joules.
  double (*evaluate)(const Space *space, const void *nodal, int e, const double *material, void *F, void *A);
  double (*cell_energy)(const Space *space, const void *nodal, int e, const double *material);
} ElementRow;

/// Returns the row of a shape ("tet4") and a material ("stvk"), or NULL if there is none. If `material` is NULL,
/// returns the row of the first material of the shape.
const ElementRow *element_row(const char *shape, const char *material, Device device, Precision precision);

/// Opens the modules (element_module.h) of a shape and a material. A module is a shared library with the compiled code
/// of one element. Does nothing if the element is linked into the program or already open. If `material` is NULL, opens
/// the first material of the shape. On failure, the message names the file that is missing or invalid, and the command
/// that builds it.
bool element_open(const char *shape, const char *material, Error *error);

/// Returns true if the list of elements, elements.def, has a line with this material, for any shape.
bool material_is_listed(const char *material);

/// Opens all existing modules (shared libraries) of elements of a shape, or of all shapes if `shape` is NULL.
/// stage_next then lists these elements.
void elements_open_all(const char *shape);

/// Returns the functions of an element on the CPU in double. `element` is its name, such as "tet4_stvk". NULL: there is
/// no such element.
const ElementRow *element_named(const char *element);

/// Creates `cells` from a space, which must outlive them. `supplemental` are the constants S(e) of all cells on the
/// row's device; they are borrowed. If it is NULL, they are computed. After a failure `cells` is empty.
/// element_cells_destroy accepts an empty object.
bool element_cells_create(ElementCells *cells, const ElementRow *row, const Space *space, const void *supplemental,
                          Error *error);
void element_cells_destroy(ElementCells *cells, const ElementRow *row);

#ifdef __cplusplus
}
#endif
