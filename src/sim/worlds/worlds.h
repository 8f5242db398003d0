// Time steps of many small bodies on one GPU. The bodies have equal numbers of nodes and cells and the same stages, for
// example copies of one simulation in different states. Each launch of a kernel processes all bodies, so the GPU is
// busy although each body is small. Each body has its own tolerances, Newton iterations and linear solve. Its results
// are bit-identical to those of a step that the GPU takes for this body only.
//
// All bodies must have the solver "block", which solves a linear system in one thread block. If the step of a body
// needs a line search or must be repeated, the host continues the step of this body only (Newton.taken).
#pragma once
#include "sim/newton/newton.h"

#ifdef __cplusplus
extern "C" {
#endif

// Memory for the steps of many bodies, and a second stream. A zeroed Worlds is empty.
typedef struct Worlds {
  int bodies;                       // number of bodies for which memory exists
  size_t capacity;                  // bytes of `host` and of `device`
  unsigned char *host;              // pinned memory: arguments of the kernels
  unsigned char *device;            // copy of `host` on the GPU
  Stream stream;                    // copies arguments while kernels run that do not need them
  Event copied;                     // event: `stream` has copied the arguments to the GPU
  struct NewtonProgress *progress;  // [bodies], pinned: state in which Newton's method of each body has ended
  struct WorldResult *result;       // [bodies], pinned: other results of each body's step
} Worlds;

void worlds_destroy(Worlds *worlds);

typedef struct WorldsFunctions {
  /// Returns true if the present step of `other` can be taken together with the step of `first`. `first` and `other`
  /// may be the same body.
  bool (*fit)(const Newton *first, const Newton *other);

  /// Takes a step of all bodies in list [count] on the GPU, as far as this is possible without the host, and waits for
  /// it. Newton.taken of each body gets the results. The caller must then call NewtonFunctions.step for each body,
  /// which completes its step. `fit` must be true for the first body with each of the others.
  bool (*take)(Worlds *worlds, Newton *const *list, int count, Error *error);
} WorldsFunctions;

extern const WorldsFunctions worlds_f32, worlds_f64;

#ifdef __cplusplus
}
#endif
