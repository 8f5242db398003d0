// A sim of pliant.h: a session, and memory for the caller's views.
#pragma once
#include "api/scene.h"
#include "scene/observable.h"
#include "scene/session.h"

enum { API_FIELDS_MAX = 32 };

// Memory to which a caller's view points. It stays allocated until the sim is destroyed, because callers may still use
// the view.
typedef struct Buffer Buffer;
struct Buffer {
  void *data;
  size_t capacity;  // allocated bytes
  Device device;
  Buffer *next;  // next entry in the sim's list of all buffers
};

// An observable that was requested by pliant_observe. It is stored until the sim is destroyed, since some observables
// are integrals over time: each call adds the time since the last call for this observable.
typedef struct Asked {
  char text[OBSERVABLE_LABEL];
  const Observable *row;
  ObservedSubject subject;
} Asked;

struct pliant_sim {
  Session session;
  pliant_scene *scene;  // copy of the scene from which the sim was created
  StepReport report;    // results of the last step
  bool stepped;         // a step was taken, so `report` is valid
  char cause[480];      // reason why the last step did not converge; may be empty
  uint64_t generation;
  int (*stop)(void *user);  // interrupt callback of pliant_set_interrupt; NULL: none
  void *stop_user;
  Listener listener;
  double stop_polled;                                     // time of the last call of `stop`, s
  bool stopping;                                          // the callback has asked to end the present call
  Buffer *host[API_FIELDS_MAX], *device[API_FIELDS_MAX];  // present memory of each field on the host and on the device;
                                                          // NULL: none
  Buffer *buffers;                                        // list of all memory to which views of this sim point
  Asked *asked;                                           // [asked_count], observables that were requested so far
  int64_t asked_count, asked_capacity;
  int *grab;  // [grab_count], numbers of the grabs that the caller has made
  int64_t grab_count, grab_capacity;
};

/// As API_CALL, for calls that may take long: until the enclosing block ends, the interrupt callback of
/// pliant_set_interrupt is polled, and the sim's listener gets progress and notices. Declares `heard`.
#define API_SIM_CALL(sim)                                                      \
  API_CALL;                                                                    \
  __attribute__((cleanup(api_sim_cleanup))) pliant_sim *const in_call = (sim); \
  api_sim_begin(in_call);                                                      \
  API_HEAR(in_call ? &in_call->listener : NULL)
void api_sim_begin(pliant_sim *sim);
void api_sim_cleanup(pliant_sim *const *sim);

/// Increases pliant_generation. By this number callers detect that their views are out of date.
void api_sim_changed(pliant_sim *sim);

/// Returns the status of a call: PLIANT_OK if there is no error, PLIANT_STOPPED if the interrupt callback has ended the
/// call, otherwise `status`.
int api_sim_result(const pliant_sim *sim, const Error *error, pliant_status status);
