// Divides a graph by METIS: see divide.h. METIS cannot be interrupted, so it runs in another thread on a copy of the
// data. After an interrupt the caller returns at once, while the other thread runs until METIS or the program ends.
#include "mesh/divide.h"

#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/timer.h"

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS with 32-bit indices");

// METIS draws random numbers from libc's rand() and sets handlers of two signals. Both affect the whole process, so
// only one thread at a time runs METIS. Meanwhile, rand() uses a separate state of RANDOM_BYTES bytes, libc's default
// size. So METIS always draws the numbers that follow srand(seed) in a new process.
static atomic_bool metis_runs;
enum { METIS_SIGNALS = 2, RANDOM_BYTES = 128 };
static const int metis_signals[METIS_SIGNALS] = { SIGABRT, SIGTERM };

// One division of a graph into part_count parts. The caller and the thread that runs METIS share this struct. After an
// interrupt the caller returns while the thread still runs. So the one that uses the struct last frees it.
typedef struct Division {
  idx_t nodes, part_count;
  // The graph and the result. neighbour[k] for start[a] <= k < start[a + 1] are the neighbours of node a, without a
  // itself. part [nodes] is the part of each node.
  idx_t *start, *neighbour, *part;
  idx_t *weight;                           // [nodes], weights of the nodes; NULL: all 1
  bool divided;                            // METIS has ended without an error: `part` is valid
  atomic_int users;                        // number of threads that still use this struct; the last one frees it
  struct sigaction before[METIS_SIGNALS];  // the caller's handlers of SIGABRT and SIGTERM, to be restored
  // true while METIS runs for this division, and its handlers have replaced the caller's
  atomic_bool inside;
} Division;

static void leave(Division *d) {
  if (!d || atomic_fetch_sub(&d->users, 1) > 1) return;
  free(d->start);
  free(d->neighbour);
  free(d->part);
  free(d->weight);
  free(d);
}

static bool graph(Division *d, const Adjacency *adjacency, const int *weight, Error *error) {
  if (adjacency->start[d->nodes] - d->nodes > INT32_MAX)
    return error_set(
        error,
        "METIS counts edges of the mesh in 32 bits: %lld are too many; choose another --order, or --partitioner greedy",
        (long long)(adjacency->start[d->nodes] - d->nodes));
  d->start = array_new((int64_t)d->nodes + 1, sizeof *d->start, "graph", error);
  d->neighbour = array_new(adjacency->start[d->nodes], sizeof *d->neighbour, "graph", error);
  d->part = array_new(d->nodes, sizeof *d->part, "graph", error);
  if (weight) d->weight = array_new(d->nodes, sizeof *d->weight, "graph", error);
  if (!d->start || !d->neighbour || !d->part || (weight && !d->weight)) return false;
  if (weight) memcpy(d->weight, weight, sizeof *weight * (size_t)d->nodes);
  for (int a = 0; a < d->nodes; a++) {  // METIS accepts no edge from a node to itself
    d->start[a + 1] = d->start[a];
    for (int64_t s = adjacency->start[a]; s < adjacency->start[a + 1]; s++)
      if (adjacency->neighbour[s] != a) d->neighbour[d->start[a + 1]++] = adjacency->neighbour[s];
  }
  return interrupt_check(error);
}

static void restore_signals(const Division *d) {
  for (int k = 0; k < METIS_SIGNALS; k++) sigaction(metis_signals[k], &d->before[k], NULL);
}

static void *divide(void *argument) {
  Division *d = argument;
  int32_t random_state[RANDOM_BYTES / sizeof(int32_t)];
  idx_t constraints = 1, cut, options[METIS_NOPTIONS];
  char *callers_state = initstate(1, (char *)random_state, sizeof random_state);
  for (int k = 0; k < METIS_SIGNALS; k++) sigaction(metis_signals[k], NULL, &d->before[k]);
  atomic_store(&d->inside, true);

  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  d->divided = METIS_PartGraphKway(&d->nodes, &constraints, d->start, d->neighbour, d->weight, NULL, NULL,
                                   &d->part_count, NULL, NULL, options, &cut, d->part) == METIS_OK;

  atomic_store(&d->inside, false);
  restore_signals(d);
  setstate(callers_state);
  atomic_store(&metis_runs, false);
  leave(d);
  return NULL;
}

// Sleeps for *pause seconds, and sets *pause for the next call in the same wait: from 0.1 ms to a few milliseconds.
static void wait_some(double *pause) {
  timer_sleep(*pause);
  if (*pause < 5e-3) *pause *= 1.5;
}

// Waits until no other division runs METIS, and sets metis_runs. This happens before the thread for METIS starts, so
// METIS runs in at most one thread, even after many interrupts.
static bool wait_for_turn(Error *error) {
  double pause = 1e-4;
  while (atomic_exchange(&metis_runs, true)) {
    if (!interrupt_check(error)) return false;
    wait_some(&pause);
  }
  return true;
}

// Starts METIS in another thread and waits until it ends or the user interrupts. During the wait this function restores
// the caller's signal handlers, which METIS has replaced.
static bool run(Division *d, Error *error) {
  if (!wait_for_turn(error)) return false;
  pthread_t thread;
  atomic_store(&d->users, 2);
  if (pthread_create(&thread, NULL, divide, d) == 0)
    pthread_detach(thread);
  else
    divide(d);
  double pause = 1e-4;
  while (atomic_load(&d->users) > 1) {
    if (atomic_load(&d->inside)) restore_signals(d);
    if (!interrupt_check(error)) return false;
    wait_some(&pause);
  }
  return d->divided ||
         error_set(error,
                   "METIS could not divide %d nodes into %d parts; choose another --order, or --partitioner greedy",
                   d->nodes, d->part_count);
}

bool adjacency_divide(const Adjacency *adjacency, int part_count, const int *weight, int *part, Error *error) {
  const int nodes = adjacency->node_count;
  if (part_count < 2 || part_count >= nodes) {
    for (int a = 0; a < nodes; a++) part[a] = part_count < 2 ? 0 : a;
    return true;
  }
  Division *d = array_new(1, sizeof *d, "graph", error);
  if (!d) return false;
  d->nodes = nodes;
  d->part_count = part_count;
  d->users = 1;
  const bool ok = graph(d, adjacency, weight, error) && run(d, error);
  if (ok) memcpy(part, d->part, sizeof *part * (size_t)nodes);
  leave(d);
  return ok;
}

bool adjacency_divide_among(const Adjacency *adjacency, int part_count, int *part, Error *error) {
  const int nodes = adjacency->node_count;
  if (nodes < part_count)
    return error_set(error, "the mesh has %d nodes, too few for %d processes; start fewer processes", nodes,
                     part_count);
  int *held = array_new(part_count, sizeof *held, "graph", error);  // number of nodes of each part
  const bool ok = held && adjacency_divide(adjacency, part_count, NULL, part, error);
  for (int a = 0; ok && a < nodes; a++) held[part[a]]++;
  for (int k = 0; ok && k < part_count; k++) {
    if (held[k] > 0) continue;
    int largest = 0, a = 0;
    for (int other = 1; other < part_count; other++)
      if (held[other] > held[largest]) largest = other;
    while (part[a] != largest) a++;
    part[a] = k;
    held[largest]--;
    held[k]++;
  }
  free(held);
  return ok;
}
