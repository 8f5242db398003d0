// Functions of an element other than its assembly: loops over all cells of a space for energies, the smallest J and
// fields, and functions of single cells. element_row.c and element_row.cu are built for each element and precision.
// Functions of single cells and S(e) run on the host, and only the CPU's row has them.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ELEMENT_PARTS_MAX = 512 };  // max number of parts of a loop on a GPU

// The cells of a space as input to a row's loops; arrays on the row's device. On the CPU `cell` is the space's array.
typedef struct ElementCells {
  int count;
  int *cell;                 // [count][nodes of a cell]
  const void *supplemental;  // [count][supplemental] real, S(e)
  void *owned;               // `supplemental`, unless it is borrowed
} ElementCells;

typedef struct ElementRow {
  Stage stage;          // name: the material, element: the shape; users choose a material for a shape
  const char *element;  // shape and material, "tet4_stvk": the key for assemblies
  int nodes;            // nodes of a cell
  int supplemental;     // reals of S(e)
  bool positions;       // nodal data [nodes][3], m, are positions, else displacements

  // Each loop writes parts(cell_count) partial results, in double on the device. The caller combines them in their
  // order, which gives the same bits in every run. `nodal` is [node_count][3] real, `material` [MATERIAL_PARAMETERS].
  int (*parts)(int cell_count);

  /// The smallest det F; -inf if one is NaN.
  bool (*smallest_J)(const ElementCells *cells, const void *nodal, double *smallest, Stream stream, Error *error);

  /// The strain energy, J.
  bool (*energy)(const ElementCells *cells, const void *nodal, const double *material, double *sum, Stream stream,
                 Error *error);

  /// Writes value [cell_count][2] real: a field times the cell's volume, m^3, and this volume; both are 0 if the field
  /// is not finite.
  bool (*field)(const ElementCells *cells, const void *nodal, FieldKind kind, const double *material, void *value,
                Stream stream, Error *error);

  // Only the CPU's row has the following members.

  /// S(e) of all cells, S [cell_count][supplemental] real.
  void (*supplementals)(const Space *space, void *S);

  bool softens;  // under compression the material loses its stiffness

  /// Fails unless the material's parameters are valid; the message names the key and the valid range.
  bool (*check)(const double *material, Error *error);

  /// Stress of cell e at displacements u [node_count][3] m: Cauchy stress (xx, yy, zz, xy, yz, xz), Pa, and as result
  /// det F, means over the cell. In an inverted cell they may be NaN.
  double (*stress)(const Space *space, const double (*u)[3], int e, const double *material, double sigma[6]);

  /// As `stress`, at barycentric coordinates `part` of a tet's corners, or at reference coordinates of a hex.
  double (*stress_at)(const Space *space, const double (*u)[3], int e, const double *material, const double part[4],
                      double sigma[6]);

  /// Evaluates cell e from its nodal data [nodes][3] real: element vector F [3 * nodes] and, unless A is NULL, the
  /// upper triangle of the element matrix, by rows. Returns the smallest det F. cell_energy returns the strain energy,
  /// J.
  double (*evaluate)(const Space *space, const void *nodal, int e, const double *material, void *F, void *A);
  double (*cell_energy)(const Space *space, const void *nodal, int e, const double *material);
} ElementRow;

/// The row of a shape ("tet4") and a material ("stvk"; NULL: the first), or NULL.
const ElementRow *element_row(const char *shape, const char *material, Device device, Precision precision);

/// Opens the modules of a shape and a material (NULL: the first), unless they are linked or open. Fails with the file
/// that is missing or does not fit, and the command that builds it.
bool element_open(const char *shape, const char *material, Error *error);

/// Returns true if elements.def has a line with this material, for any shape.
bool material_is_listed(const char *material);

/// Opens the modules of all elements of a shape (NULL: of all shapes) that there are, so that stage_next lists them.
void elements_open_all(const char *shape);

/// The CPU's row in double of an element, by the name that assemblies use; NULL if it is not a solid.
const ElementRow *element_named(const char *element);

/// Copies the cells of a space, which must outlive them, to the row's device. `supplemental`, unless NULL, is S(e) on
/// this device and is borrowed. `cells` is empty after a failure; element_cells_destroy accepts an empty object.
bool element_cells_create(ElementCells *cells, const ElementRow *row, const Space *space, const void *supplemental,
                          Error *error);
void element_cells_destroy(ElementCells *cells, const ElementRow *row);

#ifdef __cplusplus
}
#endif
