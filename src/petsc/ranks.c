// Implements the communication between the processes of an MPI run (base/ranks.h). Defines the table of functions that
// Pliant calls when it has opened this module (sim/ranks_module.h).
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/log.h"
#include "petsc/check.h"
#include "sim/ranks_module.h"
#include "sim/solver/solver.h"

// END_WAIT_S: time, s, for which a failed process waits for the other processes, which may fail too. GATHER_MAX:
// largest number of values, and BROADCAST_MAX: largest number of bytes, in one call of MPI; longer arrays need several
// calls. MPI_Allreduce allocates a copy of its values, so GATHER_MAX is small. MPI counts bytes by an int.
enum { END_WAIT_S = 2, GATHER_MAX = 1 << 18, BROADCAST_MAX = 1 << 26 };

struct HaloExchange {
  PetscSF sf;       // sends values from roots (owned nodes) to leaves (ghosts, copies on other processes)
  int owned_count;  // number of owned nodes
};

// Pliant's own options of PETSc. The user's options override them.
//   pc_gamg_aggressive_coarsening  0: the finest level of multigrid gets small aggregates of nodes, as the other levels
//                                  do. The number of CG iterations is then nearly independent of the mesh size, but
//                                  multigrid takes more memory.
//   matstash_reproduce             Sums of matrix entries that other processes send have a fixed order.
//   matptap_via                    Sums in the coarse matrices P^T A P of multigrid have a fixed order. PETSc's default
//                                  method adds rows in the order in which messages arrive.
// needs_several: the option is set only if there are several processes.
static const struct {
  const char *name, *value;
  bool needs_several;
} defaults[] = {
  { "-pc_gamg_aggressive_coarsening", "0", false },
  { "-matstash_reproduce", "true", true },
  { "-matptap_via", "backend", true },
};

enum { DEFAULT_COUNT = sizeof defaults / sizeof *defaults };

static int errors_fd = -1;  // copy of the standard error, on which a process with discarded output reports a failure

// Replaces values [n] by their sums over all processes. Adds in the order of ranks, so that results repeat;
// MPI_Allreduce may add in any order.
static bool sum(const Ranks *ranks, double *values, int n, Error *error) {
  double *all = array_capacity((int64_t)n * ranks->count, sizeof *all, "sums over processes", error);
  if (!all) return false;
  (void)MPI_Allgather(values, n, MPI_DOUBLE, all, n, MPI_DOUBLE, PETSC_COMM_WORLD);
  for (int k = 0; k < n; k++) {
    values[k] = 0;
    for (int r = 0; r < ranks->count; r++) values[k] += all[(size_t)r * (size_t)n + (size_t)k];
  }
  free(all);
  return true;
}

static bool smallest(const Ranks *ranks, double *value, Error *error) {
  double own = isnan(*value) ? -INFINITY : *value;
  (void)ranks, (void)error;
  (void)MPI_Allreduce(&own, value, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD);
  return true;
}

// Sums values [n] over all processes by MPI_Allreduce. Each entry is nonzero on at most one process, so the order of
// terms does not change the result.
static bool gather(const Ranks *ranks, double *values, int64_t n, Error *error) {
  (void)ranks, (void)error;
  for (int64_t first = 0; first < n; first += GATHER_MAX) {
    const int count = n - first < GATHER_MAX ? (int)(n - first) : GATHER_MAX;
    (void)MPI_Allreduce(MPI_IN_PLACE, values + first, count, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  }
  return true;
}

static bool broadcast(const Ranks *ranks, void *data, size_t bytes, Error *error) {
  (void)ranks, (void)error;
  for (size_t first = 0; first < bytes; first += BROADCAST_MAX) {
    const int count = bytes - first < BROADCAST_MAX ? (int)(bytes - first) : BROADCAST_MAX;
    (void)MPI_Bcast((char *)data + first, count, MPI_BYTE, 0, PETSC_COMM_WORLD);
  }
  return true;
}

// Called by a process that has failed. Waits until all other processes have called this function too, but not longer
// than END_WAIT_S. Returns true if all have called it.
static bool all_have_failed(void) {
  MPI_Request request;
  int done = 0;
  const time_t begun = time(NULL);
  (void)MPI_Ibarrier(PETSC_COMM_WORLD, &request);
  while (!done && time(NULL) - begun <= END_WAIT_S) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
  }
  return done;
}

static void fail(const Ranks *ranks, const Error *error) {
  if (all_have_failed()) return;
  const int fd = errors_fd >= 0 ? errors_fd : STDERR_FILENO;
  dprintf(fd, "pliant: process %d of %d: %s\n", ranks->rank, ranks->count, error->message);
  MPI_Abort(PETSC_COMM_WORLD, 1);
}

static void destroy_halo(HaloExchange *exchange) {
  if (exchange) PetscSFDestroy(&exchange->sf);
  free(exchange);
}

// Creates x->sf, PETSc's "star forest", which connects each owned node with its ghosts, the copies of this node on
// other processes. ghost [ghost_count] has the global numbers of those nodes of other processes of which this process
// has copies. Each process owns a range of global numbers, which `layout` stores.
static PetscErrorCode create_forest(HaloExchange *x, const int *ghost, int ghost_count) {
  PetscLayout layout;
  PetscCall(PetscSFCreate(PETSC_COMM_WORLD, &x->sf));
  PetscCall(PetscLayoutCreateFromSizes(PETSC_COMM_WORLD, x->owned_count, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFSetGraphLayout(x->sf, layout, ghost_count, NULL, PETSC_COPY_VALUES, ghost));
  PetscCall(PetscLayoutDestroy(&layout));
  return PetscSFSetUp(x->sf);
}

static HaloExchange *create_halo(const Ranks *ranks, int owned_count, const int *ghost, int ghost_count, Error *error) {
  (void)ranks;
  HaloExchange *x = array_new(1, sizeof *x, "the halo", error);
  if (!x) return NULL;
  x->owned_count = owned_count;
  if (petsc_ok(create_forest(x, ghost, ghost_count), "exchange values of nodes", error)) return x;
  destroy_halo(x);
  return NULL;
}

static bool refresh(const HaloExchange *x, double *values, int width, Error *error) {
  MPI_Datatype unit;
  double *ghosts = values + (size_t)width * (size_t)x->owned_count;
  MPI_Type_contiguous(width, MPI_DOUBLE, &unit);
  MPI_Type_commit(&unit);
  PetscErrorCode code = PetscSFBcastBegin(x->sf, unit, values, ghosts, MPI_REPLACE);
  if (code == 0) code = PetscSFBcastEnd(x->sf, unit, values, ghosts, MPI_REPLACE);
  MPI_Type_free(&unit);
  return petsc_ok(code, "exchange values of nodes", error);
}

static Ranks world = {
  .sum = sum,
  .smallest = smallest,
  .gather = gather,
  .broadcast = broadcast,
  .fail = fail,
  .create_halo = create_halo,
  .destroy_halo = destroy_halo,
  .refresh = refresh,
};

// Discards all later output of this process, because rank 0 writes the same output.
static void discard_output(void) {
  fflush(stdout);
  fflush(stderr);
  errors_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return;
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  close(nothing);
}

// Appends the user's options to the environment variable that PETSc reads when it starts. Some options, such as
// -log_view, have an effect only if they are known then.
static bool pass_options(const char *options, Error *error) {
  const char *given = getenv("PETSC_OPTIONS");
  if (!options[0]) return true;
  const size_t size = (given ? strlen(given) : 0) + strlen(options) + 2;
  char *all = array_new((int64_t)size, 1, "options of PETSc", error);
  if (!all) return false;
  snprintf(all, size, "%s %s", given ? given : "", options);
  const bool ok = setenv("PETSC_OPTIONS", all, 1) == 0;
  free(all);
  return ok || error_set(error, "no memory for the options of PETSc");
}

// Sets an option of PETSc unless the user has set it.
static PetscErrorCode set_default(int k) {
  PetscBool given;
  PetscCall(PetscOptionsHasName(NULL, NULL, defaults[k].name, &given));
  return given ? 0 : PetscOptionsSetValue(NULL, defaults[k].name, defaults[k].value);
}

// Starts PETSc with Pliant's own options, and those of the environment variable. PETSc's handlers of signals and errors
// are replaced, because Pliant handles signals and prints errors itself.
static PetscErrorCode start(void) {
  // A process that waits for a message of Open MPI releases its core, unless the user has set this variable to 0. If it
  // kept the core, a run beside other programs could take 25 times as long.
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
  PetscCall(PetscInitializeNoArguments());
  MPI_Comm_rank(PETSC_COMM_WORLD, &world.rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &world.count);
  for (int k = 0; k < DEFAULT_COUNT; k++)
    if (world.count > 1 || !defaults[k].needs_several) PetscCall(set_default(k));
  return 0;
}

// Returns true if PETSc reads the option only when it ends, or if Pliant has set the option.
static bool may_be_unread(const char *name) {
  static const char *const late[] = { "log_", "malloc_", "memory_", "objects_", "options_" };
  for (size_t k = 0; k < sizeof late / sizeof *late; k++)
    if (strncmp(name, late[k], strlen(late[k])) == 0) return true;
  for (int k = 0; k < DEFAULT_COUNT; k++)
    if (strcmp(name, defaults[k].name + 1) == 0) return true;
  return false;
}

// Reports the options that PETSc has not read, for example because a name is misspelt.
static void report_unread(void) {
  PetscInt count = 0;
  char **names, **values;
  if (PetscOptionsLeftGet(NULL, &count, &names, &values) != 0) return;
  for (PetscInt k = 0; k < count; k++)
    if (!may_be_unread(names[k]))
      log_notice("PETSc has not used the option -%s: its name is misspelt, or the solver does not have this option",
                 names[k]);
  PetscOptionsLeftRestore(NULL, &count, &names, &values);
}

static const Ranks *begin(const char *options, Error *error) {
  if (!pass_options(options, error) || !petsc_ok(start(), "start", error)) return NULL;
  if (world.rank > 0) discard_output();
  return &world;
}

static void end(bool ok, const Error *error) {
  if (!ok) fail(&world, error);
  if (ok) report_unread();
  PetscFinalize();
}

extern const SolverMethod petsc_solver;
static const Stage *const rows[] = { &petsc_solver.stage, NULL };

extern const RanksModule ranks_module;
const RanksModule ranks_module = { .version = PLIANT_VERSION, .rows = rows, .begin = begin, .end = end };
