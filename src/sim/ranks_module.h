// The module src/petsc, with which several processes compute one body by MPI and PETSc. It is a shared library that is
// opened only when it is needed, so other runs do not need MPI and PETSc.
#pragma once
#include "base/ranks.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

// Functions of the module for MPI and PETSc, which exports this struct under the name ranks_module.
typedef struct RanksModule {
  const char *version;       // version of Pliant for which the module was built
  const Stage *const *rows;  // the module's stages, the variants of the solver "petsc"; the array ends with NULL

  /// Starts MPI and PETSc. `options`: PETSc's options in the form of a command line, such as "-pc_type hypre". Output
  /// of all ranks but 0 is discarded. Returns NULL on failure.
  const Ranks *(*begin)(const char *options, Error *error);

  /// Ends MPI and PETSc. `ok`: this rank has succeeded. If it has failed, other ranks may wait for it forever. So the
  /// function then writes error->message and ends all processes.
  void (*end)(bool ok, const Error *error);
} RanksModule;

/// Opens the module and adds its stages to the table of stages. Returns NULL if it is not built or its libraries are
/// missing; the message names the packages.
const RanksModule *ranks_module_open(Error *error);

#ifdef __cplusplus
}
#endif
