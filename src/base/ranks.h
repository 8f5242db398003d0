// The processes of an MPI run, called ranks, which divide the nodes of one body among them. The struct Ranks has the
// functions by which they communicate; src/petsc implements them. All functions are collective: each rank must call
// them in the same order, and they wait for the other ranks.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lists of the nodes whose values are sent from one rank to another. Each rank stores first the nodes that it owns,
// then its ghosts: copies of nodes that other ranks own.
typedef struct HaloExchange HaloExchange;

typedef struct Ranks {
  int rank, count;  // number of this process, from 0, and number of processes

  /// Replaces values [n] by their sums over all ranks. Terms are added in the order of ranks, so the same number of
  /// ranks gives the same bits.
  bool (*sum)(const struct Ranks *ranks, double *values, int n, Error *error);

  /// Replaces *value by the smallest value of all ranks; the result is -infinity if one of them is NaN.
  bool (*smallest)(const struct Ranks *ranks, double *value, Error *error);

  /// Gives all ranks all entries of the array values [n]. Before the call, each entry is non-zero on at most one rank;
  /// the values are then added over all ranks, as `sum` does.
  bool (*gather)(const struct Ranks *ranks, double *values, int64_t n, Error *error);

  /// Copies data [bytes] from rank 0 to all ranks.
  bool (*broadcast)(const struct Ranks *ranks, void *data, size_t bytes, Error *error);

  /// Called by a rank that has failed. Returns if all ranks have failed. Otherwise writes error->message and ends all
  /// processes, because the other ranks would wait for this one forever.
  void (*fail)(const struct Ranks *ranks, const Error *error);

  /// Creates an exchange, which copies values of nodes from their owners to ghosts. A ghost is this rank's copy of a
  /// node that another rank owns. Nodes have global numbers: rank 0 owns the first ones, rank 1 the next ones, and so
  /// on. ghost [ghost_count] has the global numbers of this rank's ghosts. Returns NULL on failure.
  HaloExchange *(*create_halo)(const struct Ranks *ranks, int owned_count, const int *ghost, int ghost_count,
                               Error *error);
  void (*destroy_halo)(HaloExchange *exchange);  // accepts NULL

  /// Copies the values of nodes from the ranks that own them to their ghosts on other ranks. values [owned +
  /// ghosts][width]: `width` numbers per node of this rank.
  bool (*refresh)(const HaloExchange *exchange, double *values, int width, Error *error);
} Ranks;

/// Returns true if `ok` is true on all ranks. Otherwise returns false on all ranks. *error then becomes the error of
/// the first rank that failed, so that all ranks end in the same way. NULL stands for one rank: returns `ok`.
bool ranks_agree(const Ranks *ranks, bool ok, Error *error);

/// Sends a result of rank 0 to all ranks: `ok`, and data [bytes] if `ok` is true. Otherwise returns false on all ranks
/// with the error of rank 0. Other ranks ignore their `ok`. NULL stands for one rank: returns `ok`.
bool ranks_follow(const Ranks *ranks, bool ok, void *data, size_t bytes, Error *error);

/// Ends all processes if this rank has failed but others have not (Ranks.fail). A rank that has failed must call this
/// function before it exchanges values with other ranks again, for example to write its last state. NULL stands for one
/// rank.
void ranks_fail(const Ranks *ranks, const Error *error);

/// Returns true on rank 0, and if `ranks` is NULL.
static inline bool ranks_is_first(const Ranks *ranks) {
  return !ranks || ranks->rank == 0;
}

#ifdef __cplusplus
}
#endif
