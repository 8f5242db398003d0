// Functions of an element (a shape with a material) other than its assembly: loops over all cells of a space for
// energies, the smallest det F (determinant of the deformation gradient) and fields, and functions of single cells.
// They are collected in a struct, the element's row in the table of all elements. element_row.c and element_row.cu are
// built for each element and precision. Only the CPU's row has functions of single cells and of S(e), the element's
// stored data of cell e at rest; they run on the host.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ELEMENT_PARTS_MAX = 512 };  // maximum number of partial results of a loop on a GPU

// The cells of a space as input of a row's loops. Arrays are on the row's device. On the CPU `cell` is the space's
// array.
typedef struct ElementCells {
  int count;
  int *cell;                 // [count][nodes of a cell]
  const void *supplemental;  // [count][supplemental] real, S(e) of all cells
  void *owned;               // the same address if this struct owns `supplemental`; NULL if it is borrowed
} ElementCells;

typedef struct ElementRow {
  Stage stage;          // stage.name is the material and stage.element the shape, since users choose a material for a
                        // shape
  const char *element;  // shape and material, such as "tet4_stvk": the name by which assemblies are found
  int nodes;            // nodes of a cell
  int supplemental;     // number of reals in S(e)
  bool positions;       // nodal data [nodes][3], m, are positions if true, else displacements

  // The following loops divide the cells into parts and write one partial result for each part, in double on the
  // device; parts(cell_count) is their number. The caller combines them in order, so that results are bit-identical in
  // every run. `nodal` is [node_count][3] real, and `material` [MATERIAL_PARAMETERS].
  int (*parts)(int cell_count);

  /// Computes the smallest det F over the cells of each part; -infinity if one is NaN.
  bool (*smallest_J)(const ElementCells *cells, const void *nodal, double *smallest, Stream stream, Error *error);

  /// Computes the strain energy of each part, J.
  bool (*energy)(const ElementCells *cells, const void *nodal, const double *material, double *sum, Stream stream,
                 Error *error);

  /// Computes value [cell_count][2] real: a field times the cell's volume, m^3, and this volume. Both are 0 if the
  /// field is not finite.
  bool (*field)(const ElementCells *cells, const void *nodal, FieldKind kind, const double *material, void *value,
                Stream stream, Error *error);

  // Only the CPU's row has the following members.

  /// Computes S(e) of all cells: S [cell_count][supplemental] real.
  void (*supplementals)(const Space *space, void *S);

  bool softens;  // true if the material loses its stiffness under compression

  /// Fails unless the material's parameters are valid; the message names the key and the valid range.
  bool (*check)(const double *material, Error *error);

  /// Computes sigma, the mean Cauchy stress of cell e at displacements u [node_count][3] m: xx, yy, zz, xy, yz, xz, Pa.
  /// Returns the mean of det F. In an inverted cell both may be NaN.
  double (*stress)(const Space *space, const double (*u)[3], int e, const double *material, double sigma[6]);

  /// As `stress`, but at one point of the cell. `part` has its barycentric coordinates in a tet, or reference
  /// coordinates in a hex.
  double (*stress_at)(const Space *space, const double (*u)[3], int e, const double *material, const double part[4],
                      double sigma[6]);

  /// Evaluates cell e from its nodal data [nodes][3] real. F [3 * nodes] gets the element vector, and A, unless it is
  /// NULL, the upper triangle of the element matrix by rows. Returns the smallest det F. cell_energy returns the strain
  /// energy, J.
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

/// Creates `cells` from a space, which must outlive them. `supplemental` has the data that the element stores of each
/// undeformed cell, such as Dm^-1, on the row's device. It is borrowed; NULL: it is computed. `cells` is empty after a
/// failure. element_cells_destroy accepts an empty object.
bool element_cells_create(ElementCells *cells, const ElementRow *row, const Space *space, const void *supplemental,
                          Error *error);
void element_cells_destroy(ElementCells *cells, const ElementRow *row);

#ifdef __cplusplus
}
#endif
