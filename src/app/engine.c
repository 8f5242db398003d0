// Starts and ends the engine, which computes the steps of a command: either this process alone does, or several MPI
// processes with PETSc (engine.h).
#include "app/engine.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/parallel.h"

enum { WORD_MAX = 60 };  // largest number of characters of a wrong word that a message contains

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

// Returns true if PETSc reads this word of its options as the name of an option: "-" or "--", then a letter. Other
// words are values, such as -1e-3.
static bool names_option(const char *word) {
  return word[0] == '-' && isalpha((unsigned char)word[word[1] == '-' ? 2 : 1]);
}

// Fails if a word is neither the name of an option of PETSc nor the value after a name, because PETSc would ignore the
// word. Spaces end a word, except between double quotes.
static bool check_petsc_options(const char *text, Error *error) {
  static const char spaces[] = " \t\n\r";
  bool takes_value = false;
  for (const char *word = text + strspn(text, spaces); *word;) {
    bool quoted = false;
    int length = 0;
    for (; word[length] && (quoted || !strchr(spaces, word[length])); length++)
      if (word[length] == '"') quoted = !quoted;
    const bool is_name = names_option(word);
    if (!is_name && !takes_value)
      return error_set(
          error,
          "--petsc: \"%.*s\" is not the value of an option; an option of PETSc begins with \"-\" and has at "
          "most one value, as in \"-pc_type jacobi\"",
          length < WORD_MAX ? length : WORD_MAX, word);
    takes_value = is_name;
    word += length + strspn(word + length, spaces);
  }
  return true;
}

// Number of processes that mpirun or srun has started together with this one, and the rank of this process. A process
// that was started alone has the count 1.
typedef struct Launch {
  int count, rank;
} Launch;

// Reads the launch of this process from the environment variables that Open MPI, MPICH, and Slurm with PMIx set.
static Launch find_launch(void) {
  static const char *const names[][2] = { { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" },
                                          { "PMI_SIZE", "PMI_RANK" },
                                          { "SLURM_STEP_NUM_TASKS", "PMIX_RANK" } };
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const char *count = getenv(names[k][0]), *rank = getenv(names[k][1]);
    if (count && rank && atoi(count) > 1) return (Launch){ .count = atoi(count), .rank = atoi(rank) };
  }
  return (Launch){ .count = 1 };
}

// Sends a notice if mpirun has started several processes, because this command does not divide the body among them.
static void note_copies(void) {
  const Launch launch = find_launch();
  if (launch.count < 2 || launch.rank > 0) return;
  log_notice(
      "mpirun has started %d processes, and each computes the whole scene and writes the same files; with "
      "--engine petsc they would divide the body",
      launch.count);
}

// The launch of this process until MPI starts, if the command line has --engine petsc. Afterwards, and for other
// command lines, the count is 0.
static Launch expected;

void engine_expect(int count, char **words) {
  for (int w = 0; w < count && strcmp(words[w], "--") != 0; w++)
    if (strcmp(words[w], "--engine=petsc") == 0 ||
        (strcmp(words[w], "--engine") == 0 && w + 1 < count && strcmp(words[w + 1], "petsc") == 0))
      expected = find_launch();
}

// Starts MPI and PETSc. The module then discards the output of all processes but the first one.
static const Ranks *start(const RanksModule *module, const char *options, Error *error) {
  expected = (Launch){ 0 };
  // A signal must end the program at once. With Pliant's handlers, each process would first finish its present step, so
  // the processes would stop at different steps.
  for (int k = 0; k < 3; k++) signal((const int[]){ SIGINT, SIGTERM, SIGHUP }[k], SIG_DFL);
  return module ? module->begin(options, error) : NULL;
}

void engine_report(const Error *error) {
  const Launch launch = expected;
  const bool printed = launch.rank == 0;
  Error other = { 0 };
  if (printed) log_notice("%s", error->message);
  if (launch.count < 2) return;
  const RanksModule *module = ranks_module_open(&other);
  const Ranks *ranks = start(module, "", &other);
  if (!printed && (!ranks || ranks->rank == 0)) log_notice("%s", error->message);
  if (!ranks) return;
  error_set(&other, "the other processes have not failed");
  module->end(false, printed ? &other : error);
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
  const Ranks *ranks = module ? start(module, options->petsc, error) : NULL;
  if (!ranks) return false;
  engine->module = module;
  engine->follows = ranks->rank > 0;
  if (ranks->rank > 0) atomic_file_discard_all();
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
