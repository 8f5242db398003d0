// A sim of pliant.h: the state of a simulation, and memory for the arrays (views) that the caller reads.
#pragma once
#include "api/scene.h"
#include "base/interrupt.h"
#include "base/work_arrays.h"
#include "device/graph.h"
#include "scene/observable.h"
#include "scene/session.h"

enum { API_FIELDS_MAX = 32 };  // maximum number of fields

// Memory to which views of the caller point. It is freed only with the sim, because the caller may still read a view.
typedef struct Buffer Buffer;
struct Buffer {
  void *data;
  size_t capacity;  // allocated bytes
  Device device;
  Buffer *next;  // next entry in the sim's list of all buffers
};

// An observable that the caller has requested by pliant_observe. It is kept until the sim is destroyed, because some
// observables are integrals over time: each call of pliant_observe adds the integral over the time since the previous
// call.
typedef struct Asked {
  char text[OBSERVABLE_LABEL];  // name with argument, such as "position:17"
  const Observable *row;
  ObservedSubject subject;
} Asked;

// Work on the GPU that the caller has recorded by pliant_record_force. It computes forces from positions before each
// step.
typedef struct RecordedForce {
  Graph work;         // kernels of the caller; an empty graph: no work is recorded
  Graph whole;        // writes x, runs `work`, and sets `force` as the forces of the next step
  int64_t replaced;   // session.replaced when `whole` was recorded, since it contains addresses of the simulation
  int nodes, gpu;     // number of nodes, and number of the GPU, at the time of the recording
  Buffer *x, *force;  // [nodes][3] float, on the sim's GPU: present positions, m, and the computed forces, N
} RecordedForce;

struct pliant_sim {
  Session session;
  pliant_scene *scene;  // copy of the scene from which the sim was created
  StepReport report;    // results of the last step
  bool stepped;         // a step was taken, so `report` is valid
  char cause[480];      // reason why the last step failed or did not converge; may be empty
  int calls;            // number of functions of pliant.h that run for this sim; above 1 within its callbacks
  // During a call for a list of sims, such as pliant_step_many: index of this sim in the list, and the status and the
  // error of this sim
  int listed, listed_status;
  Error listed_error;
  uint64_t generation;      // counts changes of the state, so that callers detect outdated views
  int (*stop)(void *user);  // interrupt callback of pliant_set_interrupt; NULL: none
  void *stop_user;
  Listener listener;
  double stop_polled;  // clock time of the last call of `stop`, s
  bool stopping;       // `stop` has asked to end the present call
  // for each field, the buffer of its last copy in host memory, and in the memory of the sim's device; NULL: no copy
  // was requested
  Buffer *host[API_FIELDS_MAX], *device[API_FIELDS_MAX];
  Buffer *buffers;  // all memory to which views of this sim point
  Asked *asked;     // [asked_count], observables that the caller has requested so far
  int64_t asked_count, asked_capacity;
  int *grab;  // [grab_count], numbers of the grabs that the caller has made
  int64_t grab_count, grab_capacity;
  // the state of the sim as bytes: state [state_size], written by state_stream (memory_stream.h). Both are kept for the
  // next call that writes the state. NULL: no state was written so far
  FILE *state_stream;
  char *state;
  size_t state_size;
  RecordedForce recorded;
  WorkArrays work;  // memory of pliant_reset_many, if this sim is the first one of its list
  Event given;  // orders the streams of sim and caller when the caller passes an array on the GPU; created at first use
};

// A running function of pliant.h for a sim. `former` is the thread's interrupt function before the call: a callback of
// the sim may call further functions, after which the outer call must still be interruptible.
typedef struct SimCall {
  pliant_sim *sim;  // NULL: the caller has passed no sim
  InterruptListener former;
} SimCall;

/// As API_CALL, for functions that may take long. Until the enclosing block ends, the thread uses the sim's GPU, the
/// callback of pliant_set_interrupt is polled, and progress and notices go to the sim's listener. Declares `heard`.
#define API_SIM_CALL(called)                                                               \
  API_CALL;                                                                                \
  __attribute__((cleanup(api_sim_cleanup))) const SimCall in_call = api_sim_begin(called); \
  API_HEAR(in_call.sim ? &in_call.sim->listener : NULL)
SimCall api_sim_begin(pliant_sim *sim);
void api_sim_cleanup(const SimCall *call);

/// As API_SIM_CALL, for functions that change the sim. Callbacks of the sim, which run within another call for it, get
/// the status PLIANT_NOT_NOW.
#define API_SIM_CHANGE(called) \
  API_SIM_CALL(called);        \
  if (api_refuse_within(in_call.sim, 1)) return PLIANT_NOT_NOW

/// Fails if more than `calls` functions of pliant.h run for the sim: the caller is then a callback of the sim. Returns
/// the status.
int api_refuse_within(const pliant_sim *sim, int calls);

/// Makes sure that *buffer has at least `bytes` bytes: if it is smaller, replaces it by a new buffer, without its
/// contents. The old buffer stays allocated until the sim is destroyed, because the caller may have views (pointers) to
/// it.
bool api_reserve(pliant_sim *sim, Buffer **buffer, Device device, size_t bytes, Error *error);

/// Prepares the work of pliant_record_force, so that the next step runs it first. Does nothing if no work is recorded.
bool api_prepare_recorded_force(pliant_sim *sim, Error *error);

/// Queues the work of pliant_record_force, for a step of simulations_take, which does not run it.
bool api_queue_recorded_force(pliant_sim *sim, Error *error);

/// Deletes the work that pliant_record_force has recorded. The forces that it computed last still act.
void api_delete_recorded_force(pliant_sim *sim);

/// For work on one of several sims, within a call for all of them, perhaps in another thread: until the enclosing block
/// ends, the thread uses the sim's GPU, and progress and notices go to the sim's listener. Declares `heard`.
#define API_SIM_PART(called)                                                                 \
  DEVICE_RESTORE_HERE;                                                                       \
  __attribute__((cleanup(api_part_end))) pliant_sim *const in_part = api_part_begin(called); \
  API_HEAR(&in_part->listener)
pliant_sim *api_part_begin(pliant_sim *sim);
void api_part_end(pliant_sim *const *sim);
void api_use_gpu(const pliant_sim *sim);

/// The two parts of the reset of a sim on the host. Between the two calls, the state of the sim's simulation must be
/// set to zero, as simulation_end_reset (simulation.h) does.
bool api_begin_reset(pliant_sim *sim, Error *error);
bool api_end_reset(pliant_sim *sim, Error *error);

/// Begins a call for sims [count]: sets `listed`, and clears status and error of each sim. Fails if the list contains
/// NULL, or the same sim twice. Returns the status.
int api_begin_listed(pliant_sim *const *sims, int count);

/// Ends a call for sims [count]. statuses [count] receives the status of each sim, unless it is NULL. Returns the first
/// status that is not PLIANT_OK, and stores the message of this failure for pliant_error. Returns PLIANT_OK if all are
/// PLIANT_OK.
int api_end_listed(pliant_sim *const *sims, int count, int *statuses);

/// Increases the number that pliant_generation returns, by which callers detect that their views are outdated.
void api_sim_changed(pliant_sim *sim);

/// Returns the status of a call: PLIANT_OK without an error, PLIANT_STOPPED if the interrupt callback ended the call,
/// otherwise `status`.
int api_sim_result(const pliant_sim *sim, const Error *error, pliant_status status);
