// Stages: the interchangeable parts that a simulation is made of. Every row of every list of methods begins with a
// Stage, so that one chooser finds them all, and --help, panel, sweep, validation, memory estimates and tests walk one
// list.
//
// A row is exported by the source that implements it. The list is made from the words in sim/meson.build: a new method
// is its file, or its CPU and CUDA twins, and its name there.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "sim/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum StageKind {
  STAGE_ELEMENT,   // ElementRow, built for each element
  STAGE_ASSEMBLY,  // AssemblyMethod, built for each element
  STAGE_OPERATOR,  // the matrix in a format
  STAGE_SOLVER,    // SolverMethod
  STAGE_BODY,      // the body's own arithmetic
  STAGE_FIELD,     // fields to be coloured
  STAGE_KINDS,
} StageKind;

// What a stage's need of memory depends on.
typedef struct StageSize {
  double nodes, cells;
  double node_dof;
  double pairs;         // of different nodes that share a cell, each counted once: edges
  double supplemental;  // reals that the element keeps of a cell
} StageSize;

// By device.
typedef struct StageBytes {
  double on[2];
} StageBytes;

// blocks of a matrix: a node with itself and with its neighbours
static inline double stage_blocks(const StageSize *size) {
  return size->nodes + 2 * size->pairs;
}

// and their entries
static inline double stage_entries(const StageSize *size) {
  return size->node_dof * size->node_dof * stage_blocks(size);
}

typedef struct Stage {
  StageKind kind;
  const char *name, *summary;  // as the user types it, "dcsr"; one line for --help
  const char *element;         // the element that the row is built for, NULL where it serves any
  Device device;               // where its functions run and its arrays lie
  Precision precision;
  bool preferred;  // taken where nobody names one
  // what it will take, counted from the arrays that it makes, lists whose length depends on the mesh's shape by their
  // average: right to a fifth or so. NULL: next to nothing
  StageBytes (*bytes)(const struct Stage *stage, const StageSize *size);
} Stage;

// All there are, NULL-terminated; methods of a kind in the order in which people are shown them.
extern const Stage *const stage_list[];

/// The next row of a kind behind `after` (NULL: the first), for a device, a precision and an element (NULL: any), or
/// NULL. Rows that serve any element count for each.
const Stage *stage_next(const Stage *after, StageKind kind, Device device, Precision precision, const char *element);

/// Whether this is what people mean by a name.
bool stage_is_named(const Stage *stage, const char *name);

/// The row of this name; without one (NULL or ""), the preferred row, or the first. NULL: there is none.
const Stage *stage_find(StageKind kind, const char *name, Device device, Precision precision, const char *element);

/// The same, or NULL with an error that names what there is.
const Stage *stage_choose(StageKind kind, const char *name, Device device, Precision precision, const char *element,
                          Error *error);

/// "material", "assembly", "matrix", "solver": the key by which a scene chooses it.
const char *stage_kind_name(StageKind kind);

#ifdef __cplusplus
}
#endif
