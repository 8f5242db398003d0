// The option --engine of commands that compute: one process, or several processes of an MPI run with PETSc.
#pragma once
#include "scene/scene.h"
#include "sim/ranks_module.h"

typedef enum EngineKind { ENGINE_OWN, ENGINE_PETSC } EngineKind;

enum { PETSC_OPTIONS_LENGTH = 1024 };

typedef struct EngineOptions {
  EngineKind engine;
  char petsc[PETSC_OPTIONS_LENGTH];  // options of PETSc, such as "-pc_type hypre"
} EngineOptions;

// Two rows for a command's table of options, which set an EngineOptions. `type` is the struct of the command's options,
// and `field` its member of type EngineOptions.
#define ENGINE_OPTIONS(type, field)                                                                               \
  { "engine", OPTION_CHOICE, OPTION_AT(type, field.engine), .choices = "own|petsc",                               \
    .help =                                                                                                       \
        "own: compute in this process; petsc: divide the body among the processes that mpirun starts, and solve " \
        "by PETSc, in double precision on the CPU" },                                                             \
  {                                                                                                               \
    "petsc", OPTION_TEXT, OPTION_AT(type, field.petsc),                                                           \
        .unit = "OPTIONS", .help = "options of PETSc for --engine petsc, such as \"-pc_type hypre -ksp_monitor\"" \
  }

// A running engine. A zeroed Engine is ENGINE_OWN: it computes in this process only.
typedef struct Engine {
  const RanksModule *module;
  bool follows;  // true: this is not the first process of an MPI run, so another process reports failures of all
} Engine;

/// Must run before engine_report. words [count]: the command line. If they contain --engine petsc, reads from the
/// environment variables of mpirun how many processes it has started.
void engine_expect(int count, char **words);

/// Prints the error with which the command has failed. If mpirun has started several processes for --engine petsc and
/// all fail before MPI starts, only the first one prints its error. For this purpose, the function starts and ends MPI.
/// A process that fails alone prints its rank too, and ends the others, which would wait for it without end.
void engine_report(const Error *error);

/// Starts the engine that the options name, and changes the settings of the scene to suit it. Fails if the engine is
/// not built, or does not support the scene.
bool engine_begin(Engine *engine, const EngineOptions *options, Scene *scene, Error *error);

/// Ends the engine and returns `ok`, the result of the command. If this process has failed but others have not, ends
/// all processes, because the others would wait for it without end. If all have failed, returns true in all processes
/// but the first one: mpirun kills all other processes when one of them reports a failure, and would kill the first
/// process before it has printed the message.
bool engine_end(Engine *engine, bool ok, const Error *error);
