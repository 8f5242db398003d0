// The measured stages of a time step, and their names, for `pliant bench`, the window's panel and the JSON output. Here
// a stage is a part of a step's work. In sim/element/stage.h a stage is an interchangeable method, such as a solver.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TimedStage {
  TIMED_ASSEMBLY,
  TIMED_VECTOR,    // assemblies of the force vector without the matrix
  TIMED_PRODUCT,   // products of the linear solver (SpMV)
  TIMED_SOLVER,    // linear solves, without their products
  TIMED_TRANSFER,  // copies between stages on different devices
  TIMED_REST,      // everything else in a time step
  TIMED_STAGES
} TimedStage;

// The parts of TIMED_REST that are spent on self-contact. A pair is two primitives of the surface, such as a point and
// a triangle, that may touch.
typedef enum TimedContact {
  TIMED_SEARCHES,   // searches for pairs
  TIMED_BOUNDS,     // collision tests that limit Newton's steps; on a GPU, includes the host's waits
  TIMED_PAIRS,      // forces of contact pairs
  TIMED_COUPLINGS,  // tangent of contact pairs
  TIMED_HEIGHTS,    // contact energies, which the line search compares
  TIMED_CONTACTS
} TimedContact;

// Names of a TimedStage or of a TimedContact.
typedef struct TimedName {
  const char *name, *key;  // name: as users see it; key: in JSON output
  const char *brief;       // short name, for the head of a column or a plot
} TimedName;
extern const TimedName timed_names[TIMED_STAGES], timed_contact_names[TIMED_CONTACTS];

#ifdef __cplusplus
}
#endif
