// Stages: the interchangeable parts that a simulation is made of. Every row of every list of methods begins with a
// Stage, so that one chooser finds them all, and --help, panel, sweep, validation, memory estimates and tests walk one
// list.
//
// A row is exported by the source that implements it, and named in a list: operator/formats.def, solver/solvers.def,
// element/elements.def. The rows that are built for an element are one array of that element (element_rows.c). They are
// linked, or a module that is opened when its element is first asked for by name (sim/element_module.h).
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "sim/element/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum StageKind {
  STAGE_ELEMENT,        // ElementRow, built for each element
  STAGE_ASSEMBLY,       // AssemblyMethod, built for each element
  STAGE_OPERATOR,       // the matrix in a format
  STAGE_SOLVER,         // SolverMethod
  STAGE_BODY,           // the body's own arithmetic
  STAGE_FIELD,          // fields to be coloured
  STAGE_STEADY_SOLVER,  // SolverMethod, for problems without time alone
  STAGE_KINDS,
} StageKind;

// What a stage's need of memory depends on.
typedef struct StageSize {
  double nodes, cells;
  double node_dof;
  double cell_nodes;    // of one cell
  double pairs;         // of different nodes that share a cell, each counted once: edges
  double supplemental;  // reals that the element keeps of a cell
  double budget;        // bytes of a GPU's memory for assemblies of chunks; 0: no bound
  double surface;       // triangles, obstacles' too, where self-contact has them; else 0
  bool consistent;      // masses couple nodes
} StageSize;

// A piece of the stages' work in a step, as Newton asks for it.
typedef enum StageWork {
  WORK_ASSEMBLY,    // the vector and the tangent: an assembly with its matrix, or an operator's own linearisation
  WORK_VECTOR,      // an assembly of the vector alone
  WORK_SHIFT,       // the body's share of the tangent, and its way into the operator
  WORK_PRODUCT,     // y = A x
  WORK_ITERATION,   // of a solver, without its product
  WORK_EVALUATION,  // the body's share of looking at a state: the state, its residual and the sums of that
  WORK_CHECK,       // the smallest det F of a trial state
  WORK_STEP,        // what the body does once in a step
  STAGE_WORKS
} StageWork;

// What a piece of work moves and waits for at the least: each value that a kernel, or a loop over the cores, needs is
// read once and each that it leaves is written once. Reading ahead, padding, partial sums and what is read again are
// left out, so the time that this takes is one that no work of this kind comes below.
typedef struct StageTraffic {
  double read, written;  // bytes
  double flops;          // additions and multiplications; 0: not counted
  // what comes one after another:
  double launches;   // kernels in a stream; on the CPU loops that several threads share whatever their length
  double nodes;      // kernels in a graph
  double exchanges;  // within a kernel: every multiprocessor hears from every other
  double waits;      // of the host, for a few bytes from the device
} StageTraffic;

// What a stage takes, by device, and what each piece of its work moves; none where it has no part in that work.
typedef struct StageBytes {
  double on[2];
  StageTraffic work[STAGE_WORKS];
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
  // average: right to a fifth or so; and what its work moves. NULL: next to nothing
  StageBytes (*bytes)(const struct Stage *stage, const StageSize *size);
} Stage;

/// The next row of any kind behind `after` (NULL: the first), or NULL.
const Stage *stage_after(const Stage *after);

/// Adds rows, a list that ends with NULL, after those that are there. A program calls it when it starts, before it
/// makes any simulation.
void stage_add(const Stage *const *rows);

/// For a row's `bytes`: so many on its own device, and no work yet.
StageBytes stage_takes(const Stage *stage, double bytes);

/// For a row's `bytes`: one kernel, or one loop over the cores, of a piece of its work, and what that reads and writes,
/// bytes. A light one is a parallel_for_light, which may stay on one thread.
void stage_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written);
void stage_light_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written);

/// The next row of a kind behind `after` (NULL: the first), for a device, a precision and an element (NULL: any), or
/// NULL. Rows that serve any element count for each. Methods of a kind have the order in which people are shown them.
const Stage *stage_next(const Stage *after, StageKind kind, Device device, Precision precision, const char *element);

/// Whether this is what people mean by a name.
bool stage_is_named(const Stage *stage, const char *name);

/// The row of this name; without one (NULL or ""), the preferred row, or the first. NULL: there is none. Of
/// STAGE_ELEMENT, where `element` is the shape and the name the material, it opens their module.
const Stage *stage_find(StageKind kind, const char *name, Device device, Precision precision, const char *element);

/// The same, or NULL with an error that names what there is.
const Stage *stage_choose(StageKind kind, const char *name, Device device, Precision precision, const char *element,
                          Error *error);

/// The operators that a solver or an assembly works with, the usual one first; NULL: any, and NULL: no other.
void stage_matrices(const Stage *stage, const char *names[2]);

/// Whether a solver or an assembly works with an operator.
bool stage_fits(const Stage *stage, const Stage *matrix);

/// The operator that a solver or an assembly is taken with where nobody names one.
const Stage *stage_matrix_of(const Stage *stage);

/// "material", "assembly", "matrix", "solver": the key by which a scene chooses it.
const char *stage_kind_name(StageKind kind);

#ifdef __cplusplus
}
#endif
