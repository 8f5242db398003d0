// Self-contact (sim/contact) as Newton's method uses it: forces and energy at the end of the step, the tangent, and
// bounds on the length of Newton's steps. The diagonal 3x3 blocks of the tangent are added to the matrix. The other
// blocks are an additional term of the operator (OperatorTerm). self_contact.c and its CUDA version self_contact.cu are
// compiled for each precision.
//
// A pair consists of a point and a triangle, of two edges, or of a point and a half space (contact.h). It touches if
// its distance is below the reach of contact; a force then pushes its nodes apart. A search for pairs takes long, so
// the list of pairs also has pairs that are a little further apart, and is used for many states. The list is valid for
// a state if no pair outside the list can touch in this state. A pair with static friction sticks by a spring. The
// stretch of this spring is the anchor of the pair, and is kept for the next step. Obstacles are rigid surfaces with a
// prescribed motion.
//
// Symbols are as in integrator.h. u0 are the displacements at the start of the step. u1 is the present iterate and du
// Newton's direction. `trial` is the candidate for the next iterate, which was evaluated last. n is the number of
// unknowns, 3 per node.
#pragma once
#include "sim/contact/contact.h"
#include "sim/dynamics/motion.h"
#include "device/stage_clock.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// Some steps are recorded as a CUDA graph, so that the GPU takes the whole step without the host (step_graph.h,
// touching_graph.h). SelfContactRecorded, below, has the functions for these steps. Functions that "queue" work are
// called once, while the graph is recorded. The work runs at each launch of the graph.
struct StepDecision;
struct NewtonProgress;
enum { SELF_CONTACT_KEYS = 10 };

// Arguments of SelfContactRecorded.bound and search, which test for the largest fraction of displacements that is free
// of collisions. The comment of these functions explains `wanted`, `fraction` and `guessed`.
typedef struct SelfContactQuery {
  int *wanted;
  double *fraction;
  bool guessed;
  bool touches;  // a pair touches at the start: searches then list pairs up to a larger distance, so that the list is
                 // valid for more states. Results do not depend on this flag
  bool stands;   // true: the body rests, and only obstacles move, for the time Contact.ahead
} SelfContactQuery;

typedef struct SelfContactRecorded {
  /// Returns true if the current list of pairs is valid for the start of a step. *touches becomes true if a pair
  /// touched in the last state whose results the host has received.
  bool (*is_usable)(const Motion *motion, bool *touches);

  /// Writes the parameters that a recorded CUDA graph contains as constants into key [SELF_CONTACT_KEYS]. If one
  /// changes, the graph must be recorded again.
  void (*key)(const Motion *motion, double *key);

  /// Queues the start of a step: sets the forces and the tangent of contact to 0, and tests if pairs touch in the
  /// body's state. *free becomes the address on the GPU of the result: 0 if a pair touches, else 1.
  bool (*begin)(const Motion *motion, int **free, Stream stream, Error *error);

  /// `bound` and `search` queue tests for the largest fraction of displacements without a collision. If *query->wanted
  /// is 0, the tests do nothing. The tested displacements are du, from `trial` on. With query->guessed, they are the
  /// displacements from the body's state to `trial`. With query->stands, the body rests and only obstacles move.
  ///
  /// If query->fraction is not NULL, the fraction is stored at this address. If it is NULL, *wanted becomes 0 unless
  /// all displacements are free of collisions and no pair touches at their end. *wanted also becomes 0 if the GPU
  /// cannot do the tests, so that the host must repeat them.
  ///
  /// `bound` tests with the current list of pairs. If the list is not valid for the displacements, the conditional
  /// handle `search` of the graph is set to 1. The graph must then run the work of the function `search`, which makes a
  /// new list and tests again. For long displacements, `search` first tests only their beginning. If the beginning is
  /// free of collisions and query->fraction is not NULL, the conditional handle `again` is set to 1. The graph must
  /// then run a second `search`, which tests the whole displacements.
  bool (*bound)(const Motion *motion, const SelfContactQuery *query, uint64_t search, Stream stream, Error *error);
  bool (*search)(const Motion *motion, const SelfContactQuery *query, uint64_t again, Stream stream, Error *error);

  /// Must be called after a graph has ended with a state in which no pair touches. The graph may have made a new list
  /// of pairs: copies the length of the list to the host.
  bool (*received)(const Motion *motion, Error *error);

  // The functions after this line are for steps in which pairs touch (touching_graph.h).

  /// Allocates the memory that the graph will use. Must be called before the graph is recorded. Waits.
  bool (*prepare)(const Motion *motion, Stream stream, Error *error);

  /// `evaluate` queues the computation of contact forces and energies at displacements u. `shift` queues the addition
  /// of contact to the tangent at Newton's trial state, which must be the last evaluated one. *sliding, on the GPU, is
  /// the number of pairs that have friction in this step.
  bool (*evaluate)(const Motion *motion, const void *u, const int *sliding, Stream stream, Error *error);
  bool (*shift)(const Motion *motion, const struct TimeStep *step, const int *sliding, Stream stream, Error *error);

  /// Queues three sums for newton_higher. *energies becomes their address on the GPU. [0]: change of the step's
  /// potential from u1 to `trial`, kg m^2/s, without energies of cells and contact pairs. [1]: elastic energy at
  /// `trial`, J. [2]: elastic energy at u1, J.
  bool (*energies)(const Motion *motion, const struct TimeStep *step, const double *material, const double **energies,
                   Stream stream, Error *error);

  /// Three functions for moving obstacles, which must be at the step's end before Newton's method begins. `progress`,
  /// on the GPU, has the times of their motion. `displacement` is called after `bound` has tested the motion: it queues
  /// newton_decide_motion, which moves the obstacles if their path is free. `goes` is true if the body moved by its
  /// velocity in the test.
  ///
  /// If the path is not free, linear systems push the body out of the way. `push_ahead` queues the work of
  /// SelfContactFunctions.push_ahead before such a solve. `led` is called after the solve: it moves the obstacles by
  /// the fraction of their motion that `bound` has found to be free.
  bool (*displacement)(struct NewtonProgress *progress, bool goes, Stream stream, Error *error);
  bool (*led)(struct NewtonProgress *progress, Stream stream, Error *error);
  bool (*push_ahead)(const Motion *motion, Stream stream, Error *error);

  /// `connect` sets the pointers in `decision` to results of contact on the GPU. `ask` is called before a graph is
  /// launched: it stores the contact energies of the last evaluated state in `progress`, and returns false if there is
  /// no list of pairs yet. `answer` is called after the graph has ended: it copies the results of contact and the
  /// length of the list of pairs to the host. `touches` is as in SelfContactQuery.
  void (*connect)(const Motion *motion, struct StepDecision *decision);
  bool (*ask)(const Motion *motion, struct NewtonProgress *progress);
  bool (*answer)(const Motion *motion, const struct NewtonProgress *progress, bool touches, Error *error);
} SelfContactRecorded;

typedef struct SelfContactFunctions {
  /// Begins a step at displacements `from` [n], m, and makes the list of pairs valid for them. The surface must not
  /// intersect itself at `from`. `from` is the body's state or, with BDF2, the state before its extrapolation. Friction
  /// depends on the distance that a pair slides in the step. Smoothed friction measures this distance from the body's
  /// state, friction springs (sliding.h) measure it from `from`. Waits.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, const void *from, Stream stream, Error *error);

  /// Adds forces and energies at displacements u [n] to Iterate.contact_force and contact_energy. `listed` is true if u
  /// is the start of the step or on the path of the last `bound`, so that the list of pairs is valid for u. If it is
  /// false, the list is made valid first.
  bool (*evaluate)(const Motion *motion, const void *u, bool listed, Stream stream, Error *error);

  /// Ends a step, or a part of a divided step, at u1: stores the anchors of sticking pairs for the next step or part.
  bool (*stick)(const Motion *motion, Stream stream, Error *error);

  /// Computes the tangent of contact at u1, for which the list of pairs must be valid. Adds its diagonal blocks to
  /// Iterate.shift. Stores its blocks between different nodes, which `apply` multiplies with vectors.
  bool (*shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// Computes *fraction, 0 to 1: the body can move from `from` [n] by this fraction of its displacements without a
  /// collision. The displacements are `to` - `from`, or du if `to` is NULL. Meanwhile obstacles move for the time
  /// Contact.ahead. If a line search follows, `from` must be the last evaluated state, whose energies are then stored
  /// for `higher`. Waits.
  bool (*bound)(const Motion *motion, const void *from, const void *to, double *fraction, Stream stream, Error *error);

  /// Returns true if a pair touches in the trial state or at u1. The trial state is that of the last call of
  /// `evaluate`. u1 is the state that was evaluated before the last call of `bound`.
  bool (*touched)(const Motion *motion);

  /// Computes *higher, the change of the step's potential from u1 to the trial state, kg m^2/s. The residual is the
  /// negative gradient of this potential. u1 and the trial state are as in `touched`. Waits.
  bool (*higher)(const Motion *motion, const struct TimeStep *step, const double *material, double *higher,
                 Stream stream, Error *error);

  /// Prepares a linear system whose solution moves the body out of the way of moving obstacles. The obstacles' motion
  /// during the time Contact.ahead changes the contact forces. Subtracts this change from the residual, in the linear
  /// approximation at u1.
  bool (*push_ahead)(const Motion *motion, Stream stream, Error *error);

  /// Returns true if pairs contribute to the tangent at u1, which must be the last evaluated state.
  bool (*touches)(const Motion *motion);

  /// Adds T x to y, with T the 3x3 blocks of the tangent between different nodes of pairs. Implements
  /// OperatorTerm.apply (operator.h); the context of the term is the Contact.
  bool (*apply)(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                Error *error);

  /// Calls `take` for each 3x3 block of T (see `apply`), as OperatorTerm.entries. NULL on the GPU.
  void (*entries)(const OperatorTerm *term, OperatorTake take, void *user);

  const SelfContactRecorded *recorded;  // NULL on the CPU
} SelfContactFunctions;

extern const SelfContactFunctions self_contact_cpu_f32, self_contact_cpu_f64;
#ifdef PLIANT_CUDA
extern const SelfContactFunctions self_contact_cuda_f32, self_contact_cuda_f64;
#endif

/// These two functions call SelfContactFunctions.evaluate and SelfContactFunctions.shift, and measure their times.
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
