// Where the time of a step goes: the shares that are told, each of them once, and what they are called. Benchmark,
// sweep, panel and JSON walk this list.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TimedStage {
  TIMED_ASSEMBLY,
  TIMED_VECTOR,    // assemblies of the vector alone
  TIMED_PRODUCT,   // the linear solver's products, from the kernel before to the kernel after
  TIMED_SOLVER,    // the rest of the linear solves
  TIMED_TRANSFER,  // copies between stages on different devices; in none of the others
  TIMED_REST,      // of the steps
  TIMED_STAGES
} TimedStage;

// What contact of a body with itself takes of TIMED_REST.
typedef enum TimedContact {
  TIMED_SEARCHES,   // for pairs
  TIMED_BOUNDS,     // how far steps may go; on a GPU with the waits for it
  TIMED_PAIRS,      // forces
  TIMED_COUPLINGS,  // the tangent
  TIMED_HEIGHTS,    // energies, for line searches
  TIMED_CONTACTS
} TimedContact;

typedef struct TimedName {
  const char *name, *key;  // for people; in JSON
  const char *brief;       // above a column or a plot
} TimedName;
extern const TimedName timed_names[TIMED_STAGES], timed_contact_names[TIMED_CONTACTS];

#ifdef __cplusplus
}
#endif
