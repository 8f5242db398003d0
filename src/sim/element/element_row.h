// Functions of an element (a shape with a material) other than its assembly. There are loops over all cells of a space,
// for energies, fields and the smallest det F (F is the deformation gradient), and functions of a single cell. A struct
// ElementRow holds them: the element's row in the table of all elements.
//
// element_row.c and element_row.cu are compiled for each element and precision. Functions of single cells, and the one
// that computes S(e), the constants stored for each cell e, exist only in the CPU's row.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ELEMENT_PARTS_MAX = 512 };  // maximum number of partial results of a loop on a GPU

// The cells of a space as input of the loops of an ElementRow. Arrays are on the row's device. On the CPU `cell` is the
// space's array, on a GPU a copy.
typedef struct ElementCells {
  int count;
  int *cell;                 // [count][nodes of a cell]
  const void *supplemental;  // [count][supplemental] real, S(e) of all cells
  void *owned;               // equals `supplemental` if this struct must free it; NULL if it is borrowed
} ElementCells;

typedef struct ElementRow {
  // stage.name is the material and stage.element the shape, since users choose a material for a shape.
  Stage stage;
  // Shape and material, such as "tet4_stvk". Assemblies for this element have this name in their Stage.element.
  const char *element;
  int nodes;         // nodes of a cell
  int supplemental;  // number of reals in S(e)
  bool positions;    // true: nodal data [nodes][3] are positions, m; false: displacements, m

  // The loops `smallest_J` and `energy` divide the cells into parts, whose number is parts(cell_count). For each part
  // they write one result in double to memory of the device. The caller combines the results in order, so they have the
  // same bits in every run. `nodal` is [node_count][3] real, and `material` [MATERIAL_PARAMETERS].
  int (*parts)(int cell_count);

  /// Computes the smallest det F over the cells of each part; -infinity if one is NaN.
  bool (*smallest_J)(const ElementCells *cells, const void *nodal, double *smallest, Stream stream, Error *error);

  /// Computes the strain energy of each part, J.
  bool (*energy)(const ElementCells *cells, const void *nodal, const double *material, double *sum, Stream stream,
                 Error *error);

  /// For each cell, computes value [cell_count][2] real: the field times the cell's volume, m^3, and the volume. The
  /// ratio is the field's mean in the cell. Both are 0 if the field is not finite. This loop has no parts.
  bool (*field)(const ElementCells *cells, const void *nodal, FieldKind kind, const double *material, void *value,
                Stream stream, Error *error);

  // Only the CPU's row has the following members.

  /// Computes S(e), the constants of each cell e: S [cell_count][supplemental] real.
  void (*supplementals)(const Space *space, void *S);

  bool softens;  // true if the material loses its stiffness under compression

  /// Fails unless the material's parameters are valid; the message names the key and the valid range.
  bool (*check)(const double *material, Error *error);

  /// Computes sigma, the mean Cauchy stress of cell e at displacements u [node_count][3] m: xx, yy, zz, xy, yz, xz, Pa.
  /// Returns the mean of det F. In an inverted cell both may be NaN.
  double (*stress)(const Space *space, const double (*u)[3], int e, const double *material, double sigma[6]);

  /// As `stress`, but at one point of the cell. `part` has the point's four barycentric coordinates in a tet, or its
  /// three reference coordinates in a hex.
  double (*stress_at)(const Space *space, const double (*u)[3], int e, const double *material, const double part[4],
                      double sigma[6]);

  /// Evaluate a single cell e from its nodal data [nodes][3] real. `evaluate` returns the smallest det F. It computes F
  /// [3 * nodes], the element vector, and unless A is NULL, A, the upper triangle of the element matrix by rows.
  /// cell_energy returns the strain energy, J.
  double (*evaluate)(const Space *space, const void *nodal, int e, const double *material, void *F, void *A);
  double (*cell_energy)(const Space *space, const void *nodal, int e, const double *material);
} ElementRow;

/// Returns the row of a shape ("tet4") and a material ("stvk"; NULL: the first of the shape), or NULL if there is none.
const ElementRow *element_row(const char *shape, const char *material, Device device, Precision precision);

/// Opens the modules (element_module.h) of a shape and a material (NULL: the first of the shape), unless the element is
/// linked or already open. If that fails, the message names the file that is missing or invalid, and the command that
/// builds it.
bool element_open(const char *shape, const char *material, Error *error);

/// Returns true if elements.def has a line with this material, for any shape.
bool material_is_listed(const char *material);

/// Opens all existing modules of elements of a shape (NULL: of all shapes), so that stage_next lists them.
void elements_open_all(const char *shape);

/// Returns the CPU's row in double of an element, by its name as in ElementRow.element; NULL if there is none.
const ElementRow *element_named(const char *element);

/// Creates `cells` from a space, which must outlive them. `supplemental` are the constants S(e) of all cells on the
/// row's device, which are borrowed; if it is NULL, they are computed. After a failure `cells` is empty.
/// element_cells_destroy accepts an empty object.
bool element_cells_create(ElementCells *cells, const ElementRow *row, const Space *space, const void *supplemental,
                          Error *error);
void element_cells_destroy(ElementCells *cells, const ElementRow *row);

#ifdef __cplusplus
}
#endif
