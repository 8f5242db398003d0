// Stages: the interchangeable parts of a simulation. Every row of every list of methods begins with a Stage. So one
// function finds them all, and --help, panel, sweep, validation, memory estimates and tests loop over one list.
//
// The source that implements a row exports it, and a list names it: operator/formats.def, solver/solvers.def,
// element/elements.def. The rows that are built for an element are one array of that element (element_rows.c). The
// array is linked, or in a module that is opened when its element is first requested (sim/element_module.h).
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "sim/element/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum StageKind {
  STAGE_ELEMENT,            // ElementRow, built for each element
  STAGE_ASSEMBLY,           // AssemblyMethod, built for each element
  STAGE_OPERATOR,           // the matrix in a format
  STAGE_SOLVER,             // SolverMethod
  STAGE_BODY,               // the body's arithmetic
  STAGE_FIELD,              // fields for colouring
  STAGE_STATIONARY_SOLVER,  // SolverMethod, only for stationary problems
  STAGE_KINDS,
} StageKind;

// Sizes that determine the memory of a stage.
typedef struct StageSize {
  double nodes, cells;
  double node_dof;
  double cell_nodes;    // nodes per cell
  double pairs;         // pairs of different nodes with a common cell, each counted once: edges
  double supplemental;  // reals that the element stores per cell
  double budget;        // bytes of GPU memory for assemblies by chunks; 0: no bound
  double surface;       // triangles in self-contact, obstacles included; 0 without self-contact
  bool consistent;      // masses couple nodes
} StageSize;

// A piece of the stages' work in a step, as Newton requests it.
typedef enum StageWork {
  WORK_ASSEMBLY,    // the vector and the tangent: an assembly with its matrix, or an operator's linearisation
  WORK_VECTOR,      // an assembly of only the vector
  WORK_SHIFT,       // the body's part of the tangent, and its addition to the operator
  WORK_PRODUCT,     // y = A x
  WORK_ITERATION,   // an iteration of a solver, without its product
  WORK_EVALUATION,  // the body's part of evaluating a state: the state, its residual and their sums
  WORK_CHECK,       // the smallest det F of a trial state
  WORK_STEP,        // work of the body once per step
  STAGE_WORKS
} StageWork;

// Minimum traffic and waits of a piece of work: each value that a kernel, or a loop over the cores, needs is read once,
// and each result is written once. Prefetching, padding, partial sums and repeated reads are left out, so no
// implementation can take less time than this traffic does.
typedef struct StageTraffic {
  double read, written;  // bytes
  double flops;          // additions and multiplications; 0: not counted
  // Events in sequence.
  double launches;   // kernels in a stream; on the CPU loops that run on several threads at any length
  double nodes;      // kernels in a graph
  double exchanges;  // within a kernel: an exchange between all multiprocessors
  double waits;      // waits of the host for a few bytes from the device
} StageTraffic;

// Memory of a stage by device, and the traffic of each piece of its work; 0 if it has no part in that work.
typedef struct StageBytes {
  double on[2];
  StageTraffic work[STAGE_WORKS];
} StageBytes;

// Number of blocks of a matrix: each node with itself and with its neighbours.
static inline double stage_blocks(const StageSize *size) {
  return size->nodes + 2 * size->pairs;
}

// Number of entries of all blocks.
static inline double stage_entries(const StageSize *size) {
  return size->node_dof * size->node_dof * stage_blocks(size);
}

typedef struct Stage {
  StageKind kind;
  const char *name, *summary;  // the user's name for it, "dcsr"; one line for --help
  const char *element;         // the element that the row is built for; NULL: any
  Device device;               // device of its functions and arrays
  Precision precision;
  bool preferred;  // the default if the user names no other
  // Estimates the memory of the arrays that it creates, accurate to about a fifth, with averages for lists that depend
  // on the mesh, and the traffic of its work. NULL: negligible.
  StageBytes (*bytes)(const struct Stage *stage, const StageSize *size);
  // Returns why the row is not available on this machine, as one clause, or NULL if it is. Rows that are not available
  // are in no list. NULL: it is always available.
  const char *(*absence)(void);
} Stage;

/// The next row of any kind after `after` (NULL: the first), or NULL.
const Stage *stage_after(const Stage *after);

/// Appends rows, a list that ends with NULL. A program calls it at its start, before it creates any simulation.
void stage_add(const Stage *const *rows);

/// For a row's `bytes`: so many bytes on the row's device, and no work yet.
StageBytes stage_takes(const Stage *stage, double bytes);

/// For a row's `bytes`: adds one kernel, or one loop over the cores, to a piece of work, with the bytes that it reads
/// and writes. A light pass is a parallel_for_light, which may stay on one thread.
void stage_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written);
void stage_light_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written);

/// The next row of a kind after `after` (NULL: the first), for a device, a precision and an element (NULL: any), or
/// NULL. Rows without an element match every element. Methods of a kind are in the order in which users see them.
const Stage *stage_next(const Stage *after, StageKind kind, Device device, Precision precision, const char *element);

/// Returns true if `name` denotes this stage.
bool stage_is_named(const Stage *stage, const char *name);

/// The row of this name; if it is NULL or "", the preferred row, or else the first. NULL if there is none. For
/// STAGE_ELEMENT, with the shape as `element` and the material as name, it opens their module.
const Stage *stage_find(StageKind kind, const char *name, Device device, Precision precision, const char *element);

/// As stage_find; if there is no such row, an error lists the names.
const Stage *stage_choose(StageKind kind, const char *name, Device device, Precision precision, const char *element,
                          Error *error);

/// The operators that a solver or an assembly works with, the default first. names[0] NULL: any; names[1] NULL: only
/// one.
void stage_matrices(const Stage *stage, const char *names[2]);

/// Returns true if a solver or an assembly works with an operator.
bool stage_fits(const Stage *stage, const Stage *matrix);

/// The default operator of a solver or an assembly.
const Stage *stage_matrix_of(const Stage *stage);

/// "material", "assembly", "matrix", "solver": the key by which a scene selects the stage.
const char *stage_kind_name(StageKind kind);

#ifdef __cplusplus
}
#endif
