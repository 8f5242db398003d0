// Self-contact (sim/contact) as Newton's method uses it: forces and energy at the end of the step, the tangent, and
// bounds on the length of Newton's steps. The diagonal blocks of the tangent go into the matrix; the others are an
// extra term of the operator. self_contact.c and its CUDA version self_contact.cu are built for each precision.
#pragma once
#include "sim/contact/contact.h"
#include "sim/dynamics/motion.h"
#include "sim/dynamics/stage_clock.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// Functions for steps that are recorded as CUDA graphs (step_graph.h, touching_graph.h) follow. Most of them queue work
// while a graph is recorded.
struct StepDecision;
struct NewtonProgress;
enum { SELF_CONTACT_KEYS = 10 };

// Arguments of SelfContactRecorded.bound. Pointers are addresses on the GPU.
typedef struct SelfContactQuery {
  int *wanted;
  double *fraction;
  bool guessed;
  bool touches;  // a pair touches: searches then use a larger slack, with the same results
  bool stands;   // the body rests, and obstacles move for the time Contact.ahead
} SelfContactQuery;

typedef struct SelfContactRecorded {
  /// Returns true if the current list of pairs is valid for the start of a step. *touches is true if a pair touched in
  /// the last state whose results the host has received.
  bool (*is_usable)(const Motion *motion, bool *touches);

  /// Writes the parameters that recorded work contains as constants into key [SELF_CONTACT_KEYS]. If one changes, the
  /// graph must be recorded again.
  void (*key)(const Motion *motion, double *key);

  /// Queues the begin of a step: clears the forces and tangent of the previous step, and tests if pairs touch. *free
  /// becomes the address of the result on the GPU: 0 if a pair touches in the body's state, else 1.
  bool (*begin)(const Motion *motion, int **free, Stream stream, Error *error);

  /// Queue tests for the largest fraction of displacements without a collision. If *wanted is 0 they do nothing. The
  /// displacements are du from `trial`. With `guessed` they are those from the body's state to `trial`. With `stands`
  /// the body rests and only obstacles move. If query->fraction is not NULL, the fraction is stored there. If it is
  /// NULL, *wanted becomes 0 unless all displacements are free of collisions and no pair touches at their end. *wanted
  /// also becomes 0 if the GPU cannot do the tests and the host must repeat them.
  ///
  /// `bound` uses the current list of pairs. If the list is not valid, it sets the conditional handle `search` of the
  /// graph to 1. The graph must then run the work that the function `search` queues: this makes a new list and tests
  /// again. It first tests only the beginning of long displacements. If query->fraction is set and the beginning is
  /// free, it sets the handle `again` to 1, and another `search` tests all of them.
  bool (*bound)(const Motion *motion, const SelfContactQuery *query, uint64_t search, Stream stream, Error *error);
  bool (*search)(const Motion *motion, const SelfContactQuery *query, uint64_t again, Stream stream, Error *error);

  /// Called after a graph has ended with a state in which no pair touches. Updates the host's data to the list of pairs
  /// that the graph made.
  bool (*received)(const Motion *motion, Error *error);

  // The functions below are for steps in which pairs touch (touching_graph.h).

  /// Allocates memory for recorded work, before it is recorded. Waits.
  bool (*prepare)(const Motion *motion, Stream stream, Error *error);

  /// Queue the work of SelfContactFunctions.evaluate at displacements u, and of SelfContactFunctions.shift at `trial`,
  /// which must be the last evaluated state. *sliding, on the GPU, is the number of sliding pairs.
  bool (*evaluate)(const Motion *motion, const void *u, const int *sliding, Stream stream, Error *error);
  bool (*shift)(const Motion *motion, const struct TimeStep *step, const int *sliding, Stream stream, Error *error);

  /// Queues three sums for newton_higher. *energies becomes their address on the GPU: [0] the change of the step's
  /// potential from u1 to `trial`, without cells and pairs, kg m^2/s; [1] the elastic energy at `trial`, J; [2] the
  /// elastic energy at u1, J.
  bool (*energies)(const Motion *motion, const struct TimeStep *step, const double *material, const double **energies,
                   Stream stream, Error *error);

  /// For moving obstacles, whose times are in `progress` on the GPU. `displacement` queues newton_decide_motion, after
  /// `bound` has tested the obstacles' motion; `goes` is true if the body moves by its velocity meanwhile. `led` queues
  /// the motion of obstacles by the fraction that `bound` found, after a solve that pushes the body ahead of them.
  /// `push_ahead` queues the work of SelfContactFunctions.push_ahead.
  bool (*displacement)(struct NewtonProgress *progress, bool goes, Stream stream, Error *error);
  bool (*led)(struct NewtonProgress *progress, Stream stream, Error *error);
  bool (*push_ahead)(const Motion *motion, Stream stream, Error *error);

  /// `connect` sets the pointers in `decision` to results of contact on the GPU. `ask` is called before a launch: it
  /// stores the energies of contact in the last evaluated state in `progress`. It returns false if there is no list of
  /// pairs. `answer` is called after the graph has ended: it copies the results of contact to the host's data, and
  /// updates them to the graph's list of pairs. `touches` is as in SelfContactQuery.
  void (*connect)(const Motion *motion, struct StepDecision *decision);
  bool (*ask)(const Motion *motion, struct NewtonProgress *progress);
  bool (*answer)(const Motion *motion, const struct NewtonProgress *progress, bool touches, Error *error);
} SelfContactRecorded;

typedef struct SelfContactFunctions {
  /// Begins a step at displacements `from` [n], m, at which the surface must not intersect itself. Makes the list of
  /// pairs valid there. `from` is the body's state or, with BDF2, the state before its extrapolation. Sliding distances
  /// of smoothed friction are measured from the body's state, those of friction springs from `from`. Waits.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, const void *from, Stream stream, Error *error);

  /// Adds forces and energies at displacements u [n] to Iterate.contact_force and contact_energy. `listed` is true if
  /// the list of pairs is known to be valid at u: if u is the start of the step or on the path of the last `bound`.
  /// Otherwise the list is made valid first.
  bool (*evaluate)(const Motion *motion, const void *u, bool listed, Stream stream, Error *error);

  /// Ends a step, or a part of a halved step, at u1: stores the anchors of sticking pairs for the next one.
  bool (*stick)(const Motion *motion, Stream stream, Error *error);

  /// Computes the tangent at u1, for which the list of pairs must be valid. Adds its diagonal blocks to Iterate.shift.
  /// The blocks between different nodes become the operator's term, for `apply`.
  bool (*shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Computes the largest fraction of displacements from `from` that is free of collisions. The displacements are `to`
  /// - `from` [n], or du if `to` is NULL. Obstacles move for the time Contact.ahead meanwhile. Before a line search,
  /// `from` must be the last evaluated state; its energies are stored for `higher`. Waits.
  bool (*bound)(const Motion *motion, const void *from, const void *to, double *fraction, Stream stream, Error *error);

  /// Returns true if a pair touches in the trial state (the last state of `evaluate`) or at u1 (the last evaluated
  /// state before the last `bound`).
  bool (*touched)(const Motion *motion);

  /// Computes *higher, the change of the step's potential from u1 to the trial state, kg m^2/s. The residual is the
  /// negative gradient of this potential. Both states are as in `touched`. Waits.
  bool (*higher)(const Motion *motion, const struct TimeStep *step, const double *material, double *higher,
                 Stream stream, Error *error);

  /// Prepares a linear system whose solution moves the body ahead of moving obstacles: subtracts from the residual the
  /// change of contact forces, in the linear approximation at u1, that the obstacles' motion during Contact.ahead
  /// causes.
  bool (*push_ahead)(const Motion *motion, Stream stream, Error *error);

  /// Returns true if pairs contribute to the tangent at u1, which must be the last evaluated state.
  bool (*touches)(const Motion *motion);

  /// Adds T x to y, with T the tangent's blocks between different nodes. This implements OperatorTerm.apply; the term's
  /// context is the Contact.
  bool (*apply)(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                Error *error);

  /// See OperatorTerm.entries. NULL on the GPU.
  void (*entries)(const OperatorTerm *term, OperatorTake take, void *user);

  const SelfContactRecorded *recorded;  // NULL on the CPU
} SelfContactFunctions;

extern const SelfContactFunctions self_contact_cpu_f32, self_contact_cpu_f64;
#ifdef PLIANT_CUDA
extern const SelfContactFunctions self_contact_cuda_f32, self_contact_cuda_f64;
#endif

/// Call SelfContactFunctions.evaluate and shift, and measure their times.
static inline bool self_contact_evaluate(const SelfContactFunctions *f, const Motion *m, const Contact *c,
                                         const void *u, bool listed, Stream stream, Error *error) {
  int span;
  return stage_begin(c->clock, TIMED_CONTACT + TIMED_PAIRS, stream, &span, error) &&
         f->evaluate(m, u, listed, stream, error) && stage_end(c->clock, span, stream, error);
}
static inline bool self_contact_shift(const SelfContactFunctions *f, const Motion *m, const Contact *c,
                                      const struct TimeStep *step, Stream stream, Error *error) {
  int span;
  return stage_begin(c->clock, TIMED_CONTACT + TIMED_COUPLINGS, stream, &span, error) &&
         f->shift(m, step, stream, error) && stage_end(c->clock, span, stream, error);
}

static inline const SelfContactFunctions *self_contact_functions(Device device, Precision precision) {
  const bool single = precision == PRECISION_F32;
#ifdef PLIANT_CUDA
  if (device == DEVICE_CUDA) return single ? &self_contact_cuda_f32 : &self_contact_cuda_f64;
#endif
  (void)device;
  return single ? &self_contact_cpu_f32 : &self_contact_cpu_f64;
}

#ifdef __cplusplus
}
#endif
