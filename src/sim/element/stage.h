// Stages: the interchangeable parts of a simulation, such as assemblies, matrix formats and solvers. Each
// implementation is a struct, called a row, whose first member is a Stage. Example: the matrix format "csr" on the GPU
// in float is one row. All rows form one table. The program's --help, panel, memory estimates and tests loop over this
// table.
//
// A row is defined in a source file. Rows that work with every element are named in sim/stages.def, which includes
// operator/formats.def and solver/solvers.def. All other rows are compiled once for each element. element_rows.c puts
// them into one array for each line of element/elements.def. This array is linked into the program, or it is in a
// shared library that is opened when the element is first requested (sim/element_module.h).
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "sim/element/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

// Kinds of implementations (rows of the table). Each comment names the struct of such a row, and the task of its
// functions.
typedef enum StageKind {
  STAGE_ELEMENT,            // ElementRow, compiled for each element: computes energy, det F and displayed fields
  STAGE_ASSEMBLY,           // AssemblyMethod, compiled for each element: computes the force vector and the matrix
  STAGE_OPERATOR,           // OperatorMethod: a matrix in a format, or an operator without matrix
  STAGE_SOLVER,             // SolverMethod: solves linear systems A x = b
  STAGE_BODY,               // MotionMethod: loops over the nodes of a body, such as those of time integration
  STAGE_FIELD,              // FieldOperations or StressSearchMethod: computes displayed fields, or finds torn tets
  STAGE_STATIONARY_SOLVER,  // SolverMethod, only for stationary problems
  STAGE_KINDS,
} StageKind;

// Sizes of a simulation, from which the memory and the work of a stage (assembly, operator, solver) are estimated.
typedef struct StageSize {
  double nodes, cells;  // numbers of nodes and of cells of the mesh
  double node_dof;      // number of unknowns of a node, 3 for a solid
  double cell_nodes;    // nodes per cell
  double pairs;         // pairs of different nodes with a common cell, each counted once
  // number of real numbers that the element stores for each cell: the length of S(e), the constants of cell e at rest
  double supplemental;
  // settings.memory_budget, bytes of GPU memory; 0: no limit. Under a limit, some assemblies process the cells in
  // chunks that fit into this memory.
  double budget;
  double surface;   // number of triangles in self-contact, triangles of obstacles included; 0 without self-contact
  bool consistent;  // true if masses are consistent: the mass matrix has entries between different nodes
} StageSize;

// Kinds of work in a time step, which is solved by Newton's method.
typedef enum StageWork {
  // computation of the force vector and of the tangent; the tangent is a matrix, or the data of a matrix-free operator
  WORK_ASSEMBLY,
  WORK_VECTOR,  // computation of the force vector only
  // computation of the terms that concern one node (mass, springs, contact), and their addition to the diagonal blocks
  // of the tangent
  WORK_SHIFT,
  WORK_PRODUCT,    // product y = A x of the tangent A with a vector
  WORK_ITERATION,  // an iteration of a solver, without its product A x, which is WORK_PRODUCT
  // loops over nodes that compute displacements, residual and norms of a trial state of Newton's method
  WORK_EVALUATION,
  WORK_CHECK,  // loop over cells that computes the smallest det F of a trial state
  WORK_STEP,   // loops over nodes that run once per time step, such as those at its start and at its end
  STAGE_WORKS
} StageWork;

// Lower bound of the memory traffic of one piece of work, and the numbers of events that take a fixed time, such as
// kernel launches. A kernel, or a parallel loop on the CPU, must read each value that it needs at least once, and write
// each result once. The bound leaves out padding, partial sums and repeated reads.
typedef struct StageTraffic {
  double read, written;  // bytes of memory that are read, and that are written
  double flops;          // number of additions and multiplications; 0: not counted
  // The four members below count events. Each event of one kind takes a fixed time. No event begins before the previous
  // one has ended, so their times add up.
  double launches;   // kernels launched in a stream; on the CPU: parallel loops, each of which starts threads
  double nodes;      // kernels that run as nodes of a CUDA graph
  double exchanges;  // synchronisations of all multiprocessors of a GPU within a kernel
  double waits;      // waits of the host for a result from the device
} StageTraffic;

// Memory of a stage, and its memory traffic for each kind of work. Traffic is 0 for work that the stage does not do.
typedef struct StageBytes {
  double on[2];                    // bytes of memory: on[DEVICE_CPU] on the CPU, on[DEVICE_CUDA] on the GPU
  StageTraffic work[STAGE_WORKS];  // memory traffic of one piece of each kind of work
} StageBytes;

// Returns the number of blocks of a matrix. A block is the submatrix of two nodes. There is one block for each node
// with itself, and there are two for each pair of neighbours.
static inline double stage_blocks(const StageSize *size) {
  return size->nodes + 2 * size->pairs;
}

// Returns the number of entries of all blocks of a matrix.
static inline double stage_entries(const StageSize *size) {
  return size->node_dof * size->node_dof * stage_blocks(size);
}

// The common part of all implementations: the name by which users select one, and the conditions for its use.
typedef struct Stage {
  StageKind kind;              // kind of the implementation: assembly, operator, solver and so on
  const char *name, *summary;  // name by which users select it, such as "dcsr"; one line for --help
  const char *element;         // element for which the implementation is compiled; NULL: it works with every element
  Device device;               // device of its functions and arrays
  Precision precision;         // precision of its arrays and of its arithmetic
  // true: this implementation is the default of its kind for its device and precision, if the user names none. Before
  // the default, the program tries special solvers and assemblies, which are faster but support only some bodies.
  bool preferred;
  // Estimates the memory of the stage's arrays, with an error of about 20 %, and the memory traffic of its work.
  // Lengths that depend on the mesh, such as the lengths of matrix rows, are averages. NULL: memory and traffic are
  // negligible.
  StageBytes (*bytes)(const struct Stage *stage, const StageSize *size);
  // Returns the reason why this implementation cannot be used on this machine, as one clause for a message; NULL if it
  // can be used. Searches skip implementations that cannot be used. If this pointer is NULL, the implementation can
  // always be used.
  const char *(*absence)(void);
} Stage;

/// Returns the next row of the table of all implementations after the row `after`. Returns the first row if `after` is
/// NULL, and NULL at the end of the table.
const Stage *stage_after(const Stage *after);

/// Adds `rows`, an array of implementations that ends with NULL, to the table of all stages. A program must call this
/// function before it creates a simulation.
void stage_add(const Stage *const *rows);

/// Returns an estimate with `bytes` bytes of memory on the stage's device, and no memory traffic. Each function
/// Stage.bytes calls this function first, and then adds the traffic.
StageBytes stage_takes(const Stage *stage, double bytes);

/// Adds one kernel, or one parallel loop on the CPU, to work of the kind `work` in an estimate. `read` and `written`
/// are the numbers of bytes that the kernel or loop reads and writes. stage_pass: for loops by parallel_for.
/// stage_light_pass: for loops by parallel_for_light, which may run on one thread. The functions Stage.bytes call these
/// two functions.
void stage_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written);
void stage_light_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written);

/// Returns the next implementation of a kind after `after` (NULL: the first one), for a device, a precision and an
/// element; NULL at the end. If `element` is NULL, implementations of all elements are returned. Implementations that
/// work with every element are always returned. The implementations come in the order in which users see them.
const Stage *stage_next(const Stage *after, StageKind kind, Device device, Precision precision, const char *element);

/// Returns true if `name` is the name of this stage.
bool stage_is_named(const Stage *stage, const char *name);

/// Returns the implementation (row of a table) with this name, or NULL if there is none. If `name` is NULL or "",
/// returns the implementation whose Stage.preferred is true or, if there is none, the first one. For STAGE_ELEMENT,
/// `element` is the shape and `name` the material; the element's shared library is opened if necessary.
const Stage *stage_find(StageKind kind, const char *name, Device device, Precision precision, const char *element);

/// Returns the implementation with this name, as stage_find does. If there is none, returns NULL and sets an error with
/// a list of the valid names.
const Stage *stage_choose(StageKind kind, const char *name, Device device, Precision precision, const char *element,
                          Error *error);

/// Writes the names of the operators (matrix formats) with which a solver or an assembly works, at most two. If the
/// user names no operator, the program takes names[0]. names[0] is NULL if the solver or assembly works with all
/// operators. names[1] is NULL if it works with only one operator.
void stage_matrices(const Stage *stage, const char *names[2]);

/// Returns true if a solver or an assembly (`stage`) works with an operator (`matrix`).
bool stage_fits(const Stage *stage, const Stage *matrix);

/// Returns the operator (matrix format) that the program takes with a solver or an assembly if the user names none.
const Stage *stage_matrix_of(const Stage *stage);

/// Returns the name of a kind: "material", "assembly", "matrix", "solver", "body" or "field". The first four are also
/// the keys by which a scene selects a stage.
const char *stage_kind_name(StageKind kind);

#ifdef __cplusplus
}
#endif
