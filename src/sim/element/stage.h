// Stages: the interchangeable parts of a simulation, such as assemblies, matrix formats and solvers. Each
// implementation is a struct (a row of a table) whose first member is a Stage. Therefore one function finds all of
// them, and --help, panel, sweep, validation, memory estimates and tests loop over one list.
//
// The source file that implements a row exports it, and one of these lists names it: operator/formats.def,
// solver/solvers.def, element/elements.def. Rows that are compiled for an element are in one array per element
// (element_rows.c). The array is linked, or in a shared module that is opened when the element is first requested
// (sim/element_module.h).
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "sim/element/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum StageKind {
  STAGE_ELEMENT,            // ElementRow, compiled for each element: energy, det F, fields
  STAGE_ASSEMBLY,           // AssemblyMethod, compiled for each element
  STAGE_OPERATOR,           // OperatorMethod: a matrix in a format, or an operator without matrix
  STAGE_SOLVER,             // SolverMethod: a linear solver
  STAGE_BODY,               // MotionMethod: loops over the nodes of a body
  STAGE_FIELD,              // FieldOperations or StressSearchMethod: fields for display, and the search for torn tets
  STAGE_STATIONARY_SOLVER,  // SolverMethod, only for stationary problems
  STAGE_KINDS,
} StageKind;

// Sizes of a simulation, from which the memory of a stage is estimated.
typedef struct StageSize {
  double nodes, cells;
  double node_dof;
  double cell_nodes;    // nodes per cell
  double pairs;         // pairs of different nodes with a common cell, each counted once
  double supplemental;  // reals that the element stores per cell, S(e)
  double budget;        // settings.memory_budget in bytes: GPU memory for assemblies that process the cells in chunks,
                        // as many cells at a time as fit; 0: no limit
  double surface;       // triangles in self-contact, obstacles included; 0 without self-contact
  bool consistent;      // true if masses are consistent: the mass matrix has entries between different nodes
} StageSize;

// Kinds of work in a step, as Newton's method requests it from the stages.
typedef enum StageWork {
  WORK_ASSEMBLY,    // computation of the force vector and of the tangent, as a matrix or as data of an operator without
                    // matrix
  WORK_VECTOR,      // computation of the force vector only
  WORK_SHIFT,       // computation of the tangent's diagonal blocks from mass, springs and contact of single nodes
                    // (Iterate.shift), and their addition to the operator
  WORK_PRODUCT,     // y = A x
  WORK_ITERATION,   // an iteration of a solver, without its product
  WORK_EVALUATION,  // loops over nodes to evaluate a trial state of Newton's method: its displacements, residual and
                    // norms
  WORK_CHECK,       // smallest det F of a trial state
  WORK_STEP,        // loops over nodes once per step
  STAGE_WORKS
} StageWork;

// Minimum memory traffic and waits of one piece of work. A kernel, or a parallel loop on the CPU, reads each value that
// it needs once and writes each result once. Prefetching, padding, partial sums and repeated reads are not counted. The
// time for this traffic is therefore a lower bound for every implementation.
typedef struct StageTraffic {
  double read, written;  // bytes
  double flops;          // additions and multiplications; 0: not counted
  // numbers of these events, which happen one after the other:
  double launches;   // kernels launched in a stream; on the CPU parallel loops, which start threads
  double nodes;      // kernels in a CUDA graph
  double exchanges;  // synchronisations of all multiprocessors within a kernel
  double waits;      // waits of the host for a result from the device
} StageTraffic;

// Memory of a stage on each device (on[Device]), bytes, and its traffic for each kind of work; 0 if it has none.
typedef struct StageBytes {
  double on[2];
  StageTraffic work[STAGE_WORKS];
} StageBytes;

// Returns the number of blocks of a matrix: each node with itself and with its neighbours.
static inline double stage_blocks(const StageSize *size) {
  return size->nodes + 2 * size->pairs;
}

// Returns the number of entries of all blocks.
static inline double stage_entries(const StageSize *size) {
  return size->node_dof * size->node_dof * stage_blocks(size);
}

typedef struct Stage {
  StageKind kind;
  const char *name, *summary;  // name by which users select it, such as "dcsr"; one line for --help
  const char *element;         // element for which the row is compiled; NULL: the row works with every element
  Device device;               // device of its functions and arrays
  Precision precision;
  bool preferred;  // the row is taken if the user names none
  // Estimates the memory of the stage's arrays, to about 20 %, and the traffic of its work. For lists whose length
  // depends on the mesh it uses averages. NULL: both are negligible.
  StageBytes (*bytes)(const struct Stage *stage, const StageSize *size);
  // Returns the reason why this implementation cannot be used on this machine, as one clause, or NULL if it can.
  // Searches skip rows that cannot be used. NULL: the row can always be used.
  const char *(*absence)(void);
} Stage;

/// Returns the next row of any kind after `after` (NULL: the first row), or NULL at the end.
const Stage *stage_after(const Stage *after);

/// Adds rows, an array that ends with NULL, to the list of all stages. A program calls it at its start, before it
/// creates a simulation.
void stage_add(const Stage *const *rows);

/// For implementations of Stage.bytes: returns an estimate of `bytes` bytes on the row's device, without work.
StageBytes stage_takes(const Stage *stage, double bytes);

/// For implementations of Stage.bytes: add one kernel, or one parallel loop on the CPU, to a kind of work, with the
/// bytes that it reads and writes. stage_light_pass is for loops by parallel_for_light, which may run on one thread.
void stage_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written);
void stage_light_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written);

/// Returns the next row of a kind after `after` (NULL: the first), for a device, a precision and an element (NULL:
/// any), or NULL at the end. Rows without an element match every element. Rows of a kind are in the order in which
/// users see them.
const Stage *stage_next(const Stage *after, StageKind kind, Device device, Precision precision, const char *element);

/// Returns true if `name` is the name of this stage.
bool stage_is_named(const Stage *stage, const char *name);

/// Returns the row with this name. If `name` is NULL or "", returns the preferred row or, if none is preferred, the
/// first. Returns NULL if there is none. For STAGE_ELEMENT, `element` is the shape and `name` the material; their
/// module is opened if necessary.
const Stage *stage_find(StageKind kind, const char *name, Device device, Precision precision, const char *element);

/// As stage_find. If there is no such row, sets an error with a list of the valid names.
const Stage *stage_choose(StageKind kind, const char *name, Device device, Precision precision, const char *element,
                          Error *error);

/// Writes the names of the operators (matrix formats) with which a solver or an assembly works, the default first.
/// names[0] is NULL if it works with all of them, and names[1] is NULL if it works with only one.
void stage_matrices(const Stage *stage, const char *names[2]);

/// Returns true if a solver or an assembly (`stage`) works with an operator (`matrix`).
bool stage_fits(const Stage *stage, const Stage *matrix);

/// Returns the default operator of a solver or an assembly.
const Stage *stage_matrix_of(const Stage *stage);

/// Returns the key by which a scene selects a stage of this kind: "material", "assembly", "matrix" or "solver".
const char *stage_kind_name(StageKind kind);

#ifdef __cplusplus
}
#endif
