// A sim of pliant.h: a session, and memory for the caller's views.
#pragma once
#include "api/scene.h"
#include "scene/observable.h"
#include "scene/session.h"

enum { API_FIELDS_MAX = 32 };

// Memory of a view. It stays allocated until the sim is destroyed, because callers may still hold the view.
typedef struct Buffer Buffer;
struct Buffer {
  void *data;
  size_t capacity;  // bytes
  Device device;
  Buffer *next;  // in the list of all buffers of a sim
};

// An observable that pliant_observe was asked for. It is kept until the sim is destroyed, since some observables are
// integrals over time: each call adds the time since the last call with this name.
typedef struct Asked {
  char text[OBSERVABLE_LABEL];
  const Observable *row;
  ObservedSubject subject;
} Asked;

struct pliant_sim {
  Session session;
  pliant_scene *scene;  // a copy of the scene from which it was created
  StepReport report;    // of the last step
  bool stepped;         // there was a step
  char cause[480];      // why that step did not converge; may be empty
  uint64_t generation;
  int (*stop)(void *user);  // interrupt callback, or NULL
  void *stop_user;
  double stop_polled;                                     // s, time of the callback's last call
  bool stopping;                                          // the callback has asked to end the present call
  Buffer *host[API_FIELDS_MAX], *device[API_FIELDS_MAX];  // present memory of each field; NULL: none
  Buffer *buffers;                                        // all memory of views
  Asked *asked;                                           // [asked_count]
  int64_t asked_count, asked_capacity;
  int *grab;  // [grab_count], ids of the caller's grabs
  int64_t grab_count, grab_capacity;
};

/// For calls that may take long: polls the interrupt callback of pliant_set_interrupt until the enclosing block ends.
#define API_SIM_CALL(sim)                                                      \
  API_CALL;                                                                    \
  __attribute__((cleanup(api_sim_cleanup))) pliant_sim *const in_call = (sim); \
  api_sim_begin(in_call)
void api_sim_begin(pliant_sim *sim);
void api_sim_cleanup(pliant_sim *const *sim);

/// Counts a change of the state (pliant_generation), by which callers detect that their views are out of date.
void api_sim_changed(pliant_sim *sim);

/// Status of a failed call: PLIANT_STOPPED if the interrupt callback has ended it, else `status`; PLIANT_OK without an
/// error.
int api_sim_result(const pliant_sim *sim, const Error *error, pliant_status status);
