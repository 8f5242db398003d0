// What there is of an element besides its assembly: loops over all cells of a space for energies, the smallest J and
// fields, and what is asked of a single cell. Nobody else runs over cells or knows what one keeps of itself. Twins
// element_row.c and element_row.cu are built for each element and precision; the functions for single cells and S(e)
// are the host's, in the CPU's row alone.
#pragma once
#include "base/field_kind.h"
#include "sim/element/space.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ELEMENT_PARTS_MAX = 512 };  // of a loop on a GPU

// The cells of a space as a row's loops take them; arrays on the row's device. On the CPU `cell` is the space's own.
typedef struct ElementCells {
  int count;
  int *cell;                 // [count][nodes of a cell]
  const void *supplemental;  // [count][supplemental] real, S(e)
  void *owned;               // the same, unless it is borrowed
} ElementCells;

typedef struct ElementRow {
  Stage stage;          // its name is the material's, its element the shape: of a shape people choose a material
  const char *element;  // both, "tet4_stvk": by it assemblies are found
  int nodes;            // of a cell
  int supplemental;     // reals of S(e)
  bool positions;       // nodal data [nodes][3], m, are positions, else displacements

  // Each loop leaves parts(cell_count) results in double on the device, to be put together in their order: the same
  // bits in every run. `nodal` is [node_count][3] real, `material` [MATERIAL_PARAMETERS].
  int (*parts)(int cell_count);

  /// The smallest det F; -inf where one is not a number.
  bool (*smallest_J)(const ElementCells *cells, const void *nodal, double *smallest, Stream stream, Error *error);

  /// The strain energy, J.
  bool (*energy)(const ElementCells *cells, const void *nodal, const double *material, double *sum, Stream stream,
                 Error *error);

  /// value [cell_count][2] real: a field times the cell's volume, m^3, and that volume; both 0 where the field is not
  /// finite.
  bool (*field)(const ElementCells *cells, const void *nodal, FieldKind kind, const double *material, void *value,
                Stream stream, Error *error);

  // From here on in the CPU's row alone.

  /// S(e) of all cells, S [cell_count][supplemental] real.
  void (*supplementals)(const Space *space, void *S);

  bool softens;  // under compression the material loses its stiffness

  /// Whether the material can be: fails with the key and what would be right.
  bool (*check)(const double *material, Error *error);

  /// Of cell e at displacements u [node_count][3] m: Cauchy stress (xx, yy, zz, xy, yz, xz), Pa, and det F, means over
  /// the cell. They need not be numbers where the cell is inverted.
  double (*stress)(const Space *space, const double (*u)[3], int e, const double *material, double sigma[6]);

  /// The same at barycentric coordinates `part` of a tet's corners, of a hex at reference coordinates.
  double (*stress_at)(const Space *space, const double (*u)[3], int e, const double *material, const double part[4],
                      double sigma[6]);

  /// Of cell e from its own nodal data [nodes][3] real: element vector F [3 * nodes] and, unless NULL, the upper
  /// triangle of the element matrix A, by rows; returns the smallest det F. And the strain energy, J.
  double (*evaluate)(const Space *space, const void *nodal, int e, const double *material, void *F, void *A);
  double (*cell_energy)(const Space *space, const void *nodal, int e, const double *material);
} ElementRow;

/// The row of a shape ("tet4") and a material ("stvk"; NULL: the first), or NULL.
const ElementRow *element_row(const char *shape, const char *material, Device device, Precision precision);

/// The CPU's row in double of an element as assemblies name it, or NULL where it is no solid.
const ElementRow *element_named(const char *element);

/// The cells of a space, which outlives them, on the row's device. `supplemental`, unless NULL, is S(e) there, which is
/// borrowed. `cells` is empty on failure; destroying takes what is empty.
bool element_cells_create(ElementCells *cells, const ElementRow *row, const Space *space, const void *supplemental,
                          Error *error);
void element_cells_destroy(ElementCells *cells, const ElementRow *row);

#ifdef __cplusplus
}
#endif
