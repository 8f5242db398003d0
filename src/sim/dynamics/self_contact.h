// Contact of the body's surface with itself (sim/contact) in Newton's method: forces and energy at the end of the step,
// the tangent, which is partly a term of the operator, and bounds on the length of steps. self_contact.c and its CUDA
// version self_contact.cu are built for each precision.
#pragma once
#include "sim/contact/contact.h"
#include "sim/dynamics/motion.h"
#include "sim/dynamics/stage_clock.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// Functions for recorded steps (step_graph.h, touching_graph.h). Most of them queue work while a graph is recorded.
struct StepDecision;
struct NewtonProgress;
enum { SELF_CONTACT_KEYS = 10 };

// Arguments of a recorded bound on displacements; see `bound`. Pointers are to the GPU.
typedef struct SelfContactQuery {
  int *wanted;
  double *fraction;
  bool guessed;
  bool touches;  // some pair touches: this affects only the length of lists
  bool stands;   // the body is at rest and obstacles move for the time Contact.ahead
} SelfContactQuery;

typedef struct SelfContactRecorded {
  /// Returns true if the current list of pairs is valid for the start of a step. *touches: some pair touches in the
  /// last state whose results the host has.
  bool (*is_usable)(const Motion *motion, bool *touches);

  /// Writes the numbers that recorded work contains: key [SELF_CONTACT_KEYS].
  void (*key)(const Motion *motion, double *key);

  /// Queues the begin of a step: clears the forces and tangent of the previous step. **free, on the GPU, becomes 0 if
  /// any pair touches in the state, else 1.
  bool (*begin)(const Motion *motion, int **free, Stream stream, Error *error);

  /// Queue tests for the largest free fraction of the displacements; they do nothing if *wanted is 0. By default the
  /// displacements are du from `trial`. With `guessed` they go from the body's state to `trial`; with `stands` the
  /// body is at rest and only obstacles move. With `fraction` the fraction is stored there. Without it, *wanted becomes
  /// 0 unless all displacements are free and no pair touches at their end. *wanted also becomes 0 if the host must
  /// repeat the tests.
  ///
  /// `bound` uses the current list of pairs. If that is not valid, it sets the graph's condition `search`, which must
  /// run the function `search`. This makes a new list, for the first part of long displacements, and tests again.
  /// If, with `fraction`, all of that part is free, it sets the condition `again`: another `search` tests all of them.
  bool (*bound)(const Motion *motion, const SelfContactQuery *query, uint64_t search, Stream stream, Error *error);
  bool (*search)(const Motion *motion, const SelfContactQuery *query, uint64_t again, Stream stream, Error *error);

  /// Call after the graph has ended with a state in which no pair touches: takes over its list of pairs.
  bool (*received)(const Motion *motion, Error *error);

  // The functions below are for steps in which pairs touch (touching_graph.h).

  /// Call before work is recorded. Waits.
  bool (*prepare)(const Motion *motion, Stream stream, Error *error);

  /// Queue the work of SelfContactFunctions.evaluate at displacements u, and of SelfContactFunctions.shift at `trial`,
  /// the last state of `evaluate`. `sliding`, on the GPU: number of sliding pairs.
  bool (*evaluate)(const Motion *motion, const void *u, const int *sliding, Stream stream, Error *error);
  bool (*shift)(const Motion *motion, const struct TimeStep *step, const int *sliding, Stream stream, Error *error);

  /// Queues three sums, [3] on the GPU at *energies. First: the change of the potential from u1 to `trial` without
  /// cells and pairs, kg m^2/s. Second and third: the elastic energy at `trial` and at u1, J.
  bool (*energies)(const Motion *motion, const struct TimeStep *step, const double *material, const double **energies,
                   Stream stream, Error *error);

  /// For moving obstacles, with times on the GPU. `displacement` queues the decision after a `bound` of their motion,
  /// with the body at rest or, if `goes`, moved by its velocity. `led` queues their motion by the fraction that was
  /// found for a system that pushes the body ahead. `push_ahead` queues the work of SelfContactFunctions.push_ahead.
  bool (*displacement)(struct NewtonProgress *progress, bool goes, Stream stream, Error *error);
  bool (*led)(struct NewtonProgress *progress, Stream stream, Error *error);
  bool (*push_ahead)(const Motion *motion, Stream stream, Error *error);

  /// `connect` sets the decision's pointers to results of contact. `ask`, before a launch, stores the contact of the
  /// last evaluated state in `progress`; it returns false if there is no list of pairs. `answer`, after the graph has
  /// ended, takes over its contact and its list of pairs; `touches` as in SelfContactQuery.
  void (*connect)(const Motion *motion, struct StepDecision *decision);
  bool (*ask)(const Motion *motion, struct NewtonProgress *progress);
  bool (*answer)(const Motion *motion, const struct NewtonProgress *progress, bool touches, Error *error);
} SelfContactRecorded;

typedef struct SelfContactFunctions {
  /// Begins a step at displacements `from` [n], which must be free of intersections, and makes the list of pairs valid
  /// there. `from` is the body's state, or the state before BDF2 extrapolated it. Sliding of pairs is measured from the
  /// body's state, if pairs do not stick. Waits.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, const void *from, Stream stream, Error *error);

  /// Adds forces and energies at displacements u [n] to Iterate.contact_force and contact_energy. `listed`: the list of
  /// pairs is valid at u, which is the start of the step or lies on the displacements of the last `bound`. Otherwise
  /// the list is made valid first.
  bool (*evaluate)(const Motion *motion, const void *u, bool listed, Stream stream, Error *error);

  /// Ends a step or a part of one at u1: stores the anchors of sticking pairs for the next one.
  bool (*stick)(const Motion *motion, Stream stream, Error *error);

  /// Computes the tangent at u1, for which the list of pairs must be valid. Diagonal blocks are added to Iterate.shift;
  /// blocks between different nodes become the operator's term.
  bool (*shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Computes the largest fraction of the displacements `to` - `from` [n], or du if `to` is NULL, in which no pair
  /// collides. Obstacles move for the time Contact.ahead meanwhile. Before a line search, `from` must be the last
  /// evaluated state, whose energies are stored for `higher`. Waits.
  bool (*bound)(const Motion *motion, const void *from, const void *to, double *fraction, Stream stream, Error *error);

  /// Returns true if any pair touches in the trial state or at u1, that is in the last state of `evaluate` or in the
  /// state before the last `bound`.
  bool (*touched)(const Motion *motion);

  /// Computes the change of the step's potential from u1 to the trial state, kg m²/s; the residual is its negative
  /// gradient. Both states as in `touched`. Waits.
  bool (*higher)(const Motion *motion, const struct TimeStep *step, const double *material, double *higher,
                 Stream stream, Error *error);

  /// Subtracts from the residual the change of contact forces, by the tangent at u1, while obstacles move for the time
  /// Contact.ahead. The solution then moves the body ahead of them.
  bool (*push_ahead)(const Motion *motion, Stream stream, Error *error);

  /// Returns true if the tangent at u1, the last state of `evaluate`, has any pair.
  bool (*touches)(const Motion *motion);

  /// Adds the product of the operator's term, the tangent's blocks between different nodes, with x to y. The term's
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

/// Call `evaluate` and `shift`, and measure their times.
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
