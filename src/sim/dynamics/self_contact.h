// Self-contact (sim/contact) as Newton's method uses it: forces and energy at the end of the time step, the tangent,
// and collision tests that limit the length of Newton's steps. The tangent's diagonal 3x3 blocks are added to the
// matrix; its off-diagonal blocks are a separate term of the operator (OperatorTerm). self_contact.c and its CUDA
// version self_contact.cu are compiled for each precision.
//
// A pair is a point and a triangle, two edges, or a point and a half space (contact.h). A pair touches if its distance
// is below the reach of contact; a force then pushes its nodes apart. A search for pairs takes long, so one list of
// pairs is used for many states: it is valid for a state if no pair outside the list can touch. With static friction, a
// spring holds a pair in place. The stretch of this spring, called the anchor of the pair, is kept for the next step.
// Obstacles are rigid surfaces with a prescribed motion.
//
// Symbols (integrator.h): u0 are the displacements at the start of the step, u1 the present iterate, du Newton's
// direction, and `trial` the candidate for the next iterate, which was evaluated last. n: number of unknowns.
#pragma once
#include "sim/contact/contact.h"
#include "sim/dynamics/motion.h"
#include "device/stage_clock.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// Recorded steps run as a CUDA graph, without the host (step_graph.h, touching_graph.h). Functions of
// SelfContactRecorded that "queue" work are called once, while a graph is recorded; the work runs at each launch.
struct StepDecision;
struct NewtonProgress;
enum { SELF_CONTACT_KEYS = 10 };

// Arguments of SelfContactRecorded.bound and SelfContactRecorded.search, which compute the collision-free fraction of
// displacements.
typedef struct SelfContactQuery {
  int *wanted;       // on the GPU: if *wanted is 0, the test does nothing. The test sets *wanted to 0 if the GPU must
                     // not continue the time step (see `bound`)
  double *fraction;  // on the GPU: gets the fraction that is free of collisions; or NULL
  bool guessed;      // true: the body moves from its state to `trial`; false: the body moves from `trial` by du
  bool touches;  // true if a pair touches before the motion. A search then lists pairs only for the tested motion, else
                 // also for later steps; forces do not depend on the length of the list
  bool stands;   // true: the body rests, and obstacles move for the time Contact.ahead
} SelfContactQuery;

typedef struct SelfContactRecorded {
  /// Returns true if the list of contact pairs is valid for the start of a step. *touches becomes true if a pair
  /// touched in the last state whose results the host has received.
  bool (*is_usable)(const Motion *motion, bool *touches);

  /// Writes the parameters that a graph contains as constants into key [SELF_CONTACT_KEYS]; if one changes, the graph
  /// must be recorded again.
  void (*key)(const Motion *motion, double *key);

  /// Queues the start of a step: sets forces and tangent of contact to 0, and tests if pairs touch in the body's state.
  /// *free becomes the address on the GPU of the result: 0 if a pair touches, else 1.
  bool (*begin)(const Motion *motion, int **free, Stream stream, Error *error);

  /// `bound` and `search` queue tests, which compute the largest fraction of the body's displacements that is free of
  /// collisions, if *query->wanted is not 0. The body moves as SelfContactQuery describes.
  ///
  /// If query->fraction is not NULL, *query->fraction becomes the result. If it is NULL, *wanted becomes 0 unless all
  /// displacements are free of collisions and no pair touches at their end. *wanted also becomes 0 if the GPU cannot do
  /// the tests, so that the host must do them.
  ///
  /// The arguments `search` and `again` are handles of two conditions of the graph. `bound` tests with the current list
  /// of contact pairs. If this list is not valid for the displacements, the condition `search` becomes 1. The graph
  /// must then run the work of the function `search`, which makes a new list and repeats the test. If displacements are
  /// long, `search` tests only their beginning. If the beginning is free of collisions and query->fraction is not NULL,
  /// the condition `again` becomes 1. The graph must then run a second `search` for the whole displacements.
  bool (*bound)(const Motion *motion, const SelfContactQuery *query, uint64_t search, Stream stream, Error *error);
  bool (*search)(const Motion *motion, const SelfContactQuery *query, uint64_t again, Stream stream, Error *error);

  /// Copies the length of the list of contact pairs to the host, since a graph may have made a new list. Also clears
  /// the host's energies and numbers of touching and sliding pairs. Must be called after each graph for steps in which
  /// no pair touches (step_graph.h).
  bool (*received)(const Motion *motion, Error *error);

  // The functions below are for steps in which contact pairs touch (touching_graph.h).

  /// Allocates the memory that a CUDA graph will use, before the graph is recorded. Waits for the device.
  bool (*prepare)(const Motion *motion, Stream stream, Error *error);

  /// `evaluate` queues the computation of contact forces and energies at displacements u. `shift` queues the addition
  /// of the contact stiffness to the tangent at the trial state, which must be the last evaluated one. *sliding, on the
  /// GPU, is the number of pairs that have friction in this step. *slip_fraction, on the GPU, replaces
  /// TimeStep.slip_fraction.
  bool (*evaluate)(const Motion *motion, const void *u, const int *sliding, Stream stream, Error *error);
  bool (*shift)(const Motion *motion, const struct TimeStep *step, const int *sliding, const double *slip_fraction,
                Stream stream, Error *error);

  /// Queues three sums, from which the GPU computes the change of the step's potential (potential.h). *energies becomes
  /// the address of the sums on the GPU. The first sum is the change of the potential from u1 to `trial`, kg m^2/s,
  /// without cells and contact pairs. The other two are the elastic energies at `trial` and at u1, J.
  bool (*energies)(const Motion *motion, const struct TimeStep *step, const double *material, const double **energies,
                   Stream stream, Error *error);

  /// `displacement`, `led` and `push_ahead` are for moving obstacles, which must reach the step's end before Newton's
  /// method begins. `progress`, on the GPU and also in `decision`, has the times of their motion. `displacement`
  /// follows a test of the motion by `bound`: it queues newton_decide_motion, which moves the obstacles if their path
  /// is free. `goes` is true if the body moved by its velocity in the test.
  ///
  /// If the path is not free, linear systems push the body out of the way. Before the solve of each of these systems,
  /// `push_ahead` queues the work of SelfContactFunctions.push_ahead. After the solve, `led` moves the obstacles by the
  /// fraction of their motion that `bound` has found to be free.
  bool (*displacement)(const struct StepDecision *decision, bool goes, Stream stream, Error *error);
  bool (*led)(struct NewtonProgress *progress, Stream stream, Error *error);
  bool (*push_ahead)(const Motion *motion, Stream stream, Error *error);

  /// `connect` sets the pointers in `decision` to results of contact on the GPU. `ask` is called before a graph is
  /// launched. It stores the contact energies of the last evaluated state in `progress`, and returns false if there is
  /// no list of contact pairs yet. `answer` is called after the graph has ended. It copies the results of contact and
  /// the length of this list to the host.
  void (*connect)(const Motion *motion, struct StepDecision *decision);
  bool (*ask)(const Motion *motion, struct NewtonProgress *progress);
  bool (*answer)(const Motion *motion, const struct NewtonProgress *progress, Error *error);
} SelfContactRecorded;

typedef struct SelfContactFunctions {
  /// Begins a step at displacements `from` [n], m, at which the surface must not intersect itself. Makes the list of
  /// contact pairs valid there. `from` is the body's state or, with BDF2, the state before its extrapolation. Smoothed
  /// friction measures sliding from the body's state; friction springs (sliding.h) measure it from `from`. Waits for
  /// the device, unless the list is already valid (Contact.settled).
  bool (*begin)(const Motion *motion, const struct TimeStep *step, const void *from, Stream stream, Error *error);

  /// Begins a further pass of a part of a divided time step (sim/newton/part_friction.h): finds the pairs that have
  /// friction, with their normal forces, at u1. Sliding is still measured from the start of the part.
  bool (*begin_pass)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Computes *limit, N: the sum of the largest friction forces of all pairs that have friction in this step
  /// (Sliding.limit). Waits for the device.
  bool (*friction_limit)(const Motion *motion, double *limit, Stream stream, Error *error);

  /// Adds contact forces and energies at displacements u [n] to Iterate.contact_force and contact_energy. `listed` is
  /// true if the list of contact pairs is known to be valid for u: u is the start of the step, or is on the path that
  /// the last call of `bound` tested. If it is false, the function first makes the list valid.
  bool (*evaluate)(const Motion *motion, const void *u, bool listed, Stream stream, Error *error);

  /// Ends a step, or a part of it, at u1: stores the anchors of sticking pairs (stretches of friction springs).
  bool (*stick)(const Motion *motion, Stream stream, Error *error);

  /// Computes the tangent of contact at u1, for which the list of contact pairs must be valid. Adds its diagonal blocks
  /// to Iterate.shift, and stores its off-diagonal blocks for `apply`. Pairs that slip on a moving obstacle get the
  /// fraction TimeStep.slip_fraction of their secant stiffness.
  bool (*shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Computes the collision-free fraction, 0 to 1, of a motion of the body. The motion begins at the displacements
  /// `from` [n] and ends at `to` [n], or at `from` + du if `to` is NULL. Meanwhile obstacles move for the time
  /// Contact.ahead. If a line search follows, `from` must be the last evaluated state, whose energies are stored for
  /// `higher`. Waits for the device.
  bool (*bound)(const Motion *motion, const void *from, const void *to, double *fraction, Stream stream, Error *error);

  /// Returns true if a contact pair touches in the trial state or at u1. The trial state must have been evaluated last,
  /// and u1 before the last `bound`.
  bool (*touched)(const Motion *motion);

  /// Computes *higher, kg m^2/s: the change of the step's potential from u1 to the trial state. The trial state must
  /// have been evaluated last, and u1 before the last `bound`. Waits for the device.
  bool (*higher)(const Motion *motion, const struct TimeStep *step, const double *material, double *higher,
                 Stream stream, Error *error);

  /// Prepares a linear system whose solution moves the body out of the way of moving obstacles. The obstacles' motion
  /// in the time Contact.ahead changes the contact forces. The function computes this change by the linear
  /// approximation at u1, and adds it, times TimeStep.impulse, to the residual.
  bool (*push_ahead)(const Motion *motion, Stream stream, Error *error);

  /// *slides becomes true if pairs have friction in this step. Waits for the GPU if the list of pairs is not empty.
  bool (*slides)(const Motion *motion, bool *slides, Stream stream, Error *error);

  /// Returns true if contact pairs contribute to the tangent at u1, which must be the last evaluated state. On the CPU,
  /// `shift` must have computed this tangent.
  bool (*touches)(const Motion *motion);

  /// Computes y += T x, with T the off-diagonal 3x3 blocks of the contact tangent. Implements OperatorTerm.apply
  /// (operator.h); the context of the term is the Contact.
  bool (*apply)(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                Error *error);

  /// Calls `take` for each 3x3 block of T below the diagonal. Implements OperatorTerm.entries; NULL on the GPU.
  void (*entries)(const OperatorTerm *term, OperatorTake take, void *user);

  const SelfContactRecorded *recorded;  // functions for recorded steps; NULL on the CPU
} SelfContactFunctions;

extern const SelfContactFunctions self_contact_cpu_f32, self_contact_cpu_f64;
#ifdef PLIANT_CUDA
extern const SelfContactFunctions self_contact_cuda_f32, self_contact_cuda_f64;
#endif

/// Call a function of *f and measure the time of the call. self_contact_evaluate: calls f->evaluate, which computes the
/// forces of contact. self_contact_shift: calls f->shift, which computes the tangent of contact.
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
