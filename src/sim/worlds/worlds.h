// Steps of many small bodies on one GPU. The bodies have equal numbers of nodes and cells and the same stages, for
// example copies of one simulation in different states. All kernels of a step process all bodies in one launch, so the
// GPU is busy although each body is small. Each body has its own tolerances, Newton iterations and linear solve. Its
// results are bit-identical to those of a step of this body only.
//
// The solver of the bodies must be "block", which solves a system in one thread block. If the step of a body needs a
// line search or must be repeated, the host continues this step alone (Newton.taken).
#pragma once
#include "sim/newton/newton.h"

#ifdef __cplusplus
extern "C" {
#endif

// Memory for the steps of many bodies. A zeroed Worlds is empty.
typedef struct Worlds {
  int bodies;                       // number of bodies for which memory exists
  size_t capacity;                  // bytes of `host` and of `device`
  unsigned char *host;              // pinned memory: arguments of the kernels
  unsigned char *device;            // copy of `host` on the GPU
  struct NewtonProgress *progress;  // [bodies], pinned: how Newton's method of each body has ended
  struct WorldResult *result;       // [bodies], pinned: other results of each body's step
} Worlds;

void worlds_destroy(Worlds *worlds);

typedef struct WorldsFunctions {
  /// Returns true if the present step of `other` can be taken together with that of `first`. Both may be the same
  /// body.
  bool (*fit)(const Newton *first, const Newton *other);

  /// Takes a step of all bodies on the GPU, as far as it can be taken without the host, and stores the results in
  /// Newton.taken of each body. NewtonFunctions.step then completes each step. Waits. list [count]; all bodies fit.
  bool (*take)(Worlds *worlds, Newton *const *list, int count, Error *error);
} WorldsFunctions;

extern const WorldsFunctions worlds_f32, worlds_f64;

#ifdef __cplusplus
}
#endif
