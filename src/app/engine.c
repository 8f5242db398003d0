// Starts and ends the engine, which computes the steps of a command: either this process alone does, or several MPI
// processes with PETSc (engine.h).
#include "app/engine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/parallel.h"

// Fails if the scene uses a feature that engine "petsc" does not support. Simulation settings are checked later, in
// simulation_create.
static bool check_scene(const Scene *scene, Error *error) {
  const SimulationSettings *s = &scene->simulation;
  if (scene->cut_count > 0 || scene->tear_stress > 0)
    return error_set(error, "%s: engine \"petsc\" does not support cuts and tears yet; use engine \"own\"",
                     scene->path);
  if (strncmp(scene->device, "cuda", 4) == 0)
    return error_set(error, "%s: engine \"petsc\" computes on the CPU; use device \"cpu\"", scene->path);
  if (s->solver[0] && strcmp(s->solver, "petsc") != 0)
    return error_set(error,
                     "engine \"petsc\" has its own solvers; remove solver \"%s\", and choose a solver of PETSc by "
                     "--petsc \"-ksp_type NAME\"",
                     s->solver);
  return !s->matrix[0] || strcmp(s->matrix, "bcsr") == 0 ||
         error_set(error, "engine \"petsc\" supports only the matrix format \"bcsr\"; remove matrix \"%s\"", s->matrix);
}

// Fails if the text does not begin with an option of PETSc, which would ignore its first word.
static bool check_petsc_options(const char *text, Error *error) {
  const char *word = text + strspn(text, " \t\n");
  return !word[0] || word[0] == '-' ||
         error_set(error, "--petsc \"%.100s\": an option of PETSc begins with \"-\", as in \"-pc_type jacobi\"", text);
}

// Sends a notice if mpirun has started several processes, because this command does not divide the body among them.
// Open MPI and MPICH give each process its rank and the number of processes by environment variables.
static void note_copies(void) {
  static const char *const names[][2] = { { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" },
                                          { "PMI_SIZE", "PMI_RANK" } };
  for (int k = 0; k < 2; k++) {
    const char *count = getenv(names[k][0]), *rank = getenv(names[k][1]);
    if (!count || !rank || atoi(count) < 2 || strcmp(rank, "0") != 0) continue;
    log_notice(
        "mpirun has started %s processes, and each computes the whole scene and writes the same files; with "
        "--engine petsc they would divide the body",
        count);
    return;
  }
}

bool engine_begin(Engine *engine, const EngineOptions *options, Scene *scene, Error *error) {
  *engine = (Engine){ 0 };
  if (options->engine == ENGINE_OWN) {
    if (options->petsc[0]) return error_set(error, "--petsc has no effect without --engine petsc");
    note_copies();
    return true;
  }
  if (!check_petsc_options(options->petsc, error)) return false;
  const RanksModule *module = ranks_module_open(error);
  const Ranks *ranks = module ? module->begin(options->petsc, error) : NULL;
  if (!ranks) return false;
  engine->module = module;
  engine->follows = ranks->rank > 0;
  if (ranks->rank > 0) atomic_file_discard_all();
  // A signal must end the program at once. With Pliant's handlers, each process would first finish its present step, so
  // the processes would stop at different steps.
  for (int k = 0; k < 3; k++) signal((const int[]){ SIGINT, SIGTERM, SIGHUP }[k], SIG_DFL);
  if (ranks->count > 1) parallel_set_threads(1);  // one thread in each process: the processes together use the cores
  if (!check_scene(scene, error)) return false;
  SimulationSettings *s = &scene->simulation;
  s->ranks = ranks;
  s->precision = PRECISION_F64;
  snprintf(scene->device, sizeof scene->device, "cpu");
  snprintf(s->solver, sizeof s->solver, "petsc");
  snprintf(s->matrix, sizeof s->matrix, "bcsr");
  return true;
}

bool engine_end(Engine *engine, bool ok, const Error *error) {
  if (engine->module) engine->module->end(ok, error);
  engine->module = NULL;
  return ok || engine->follows;
}
