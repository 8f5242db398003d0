// Contact of the body's surface with itself (sim/contact) as a step of Newton's method takes it: forces and energy at
// the end of the step, its tangent beside the matrix, and how long steps may be. Built for each precision, twins:
// self_contact.c and self_contact.cu.
#pragma once
#include "sim/contact/contact.h"
#include "sim/dynamics/motion.h"
#include "sim/dynamics/stage_clock.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// What recorded steps (step_graph.h, touching_graph.h) have of it: work to be recorded. Numbers that are recorded with
// it come to `key` [SELF_CONTACT_KEYS].
struct StepDecision;
struct NewtonProgress;
enum { SELF_CONTACT_KEYS = 9 };
typedef struct SelfContactLook {
  int *wanted;
  double *share;
  bool guessed;
  bool touches;  // something touches: lists are made so
  bool stands;   // the body does, while obstacles go on by what is ahead of them
} SelfContactLook;
typedef struct SelfContactRecorded {
  /// Whether a step can begin with the list of pairs that there is; and whether anything touches in the last state that
  /// the host looked at, or has heard of.
  bool (*serves)(const Motion *motion, bool *touches);
  void (*key)(const Motion *motion, double *key);

  /// A step begins: no forces and no tangent are left from any other. **free, on the GPU, is then 0 where the state
  /// touches itself, else 1.
  bool (*begin)(const Motion *motion, int **free, Stream stream, Error *error);

  /// Where *wanted, on the GPU, is not 0: how far the body may go along du from `trial`, or from its state to `trial`
  /// where that is `guessed`, or obstacles where it `stands`. With `share`, there as well, that comes there; with NULL
  /// *wanted becomes 0 unless it is all of it, and nothing touches there. So it does where the host has to look. Where
  /// the list does not serve, the graph's condition `search` is set: then `search` finds another one, of the first part
  /// of a long way, and does the same by that; and where with `share` nothing stops there it sets `again`: then another
  /// `search`, of all of it.
  bool (*bound)(const Motion *motion, const SelfContactLook *look, uint64_t search, Stream stream, Error *error);
  bool (*search)(const Motion *motion, const SelfContactLook *look, uint64_t again, Stream stream, Error *error);

  /// The host has heard that the step has ended, or that it is to go on from a state that does not touch.
  bool (*heard)(const Motion *motion, Error *error);

  // Where anything touches.

  /// Before it is recorded. Waits.
  bool (*prepare)(const Motion *motion, Stream stream, Error *error);

  /// What meet does at displacements u, and what shift does at `trial`, which was met last; `sliding` is on the GPU.
  bool (*meet)(const Motion *motion, const void *u, const int *sliding, Stream stream, Error *error);
  bool (*shift)(const Motion *motion, const struct TimeStep *step, const int *sliding, Stream stream, Error *error);

  /// On the GPU, by parts: how much higher the potential is at `trial` than at u1 but for cells and pairs; and the
  /// cells' energy there and here.
  bool (*energies)(const Motion *motion, const struct TimeStep *step, const double *material, const double **energies,
                   Stream stream, Error *error);

  /// Where obstacles move: `bound` has looked whether they may while the body stands, or `goes` on; or so far, the body
  /// being led: they go. And what `lead` does, by times on the GPU.
  bool (*way)(struct NewtonProgress *progress, bool goes, Stream stream, Error *error);
  bool (*led)(struct NewtonProgress *progress, Stream stream, Error *error);
  bool (*lead)(const Motion *motion, Stream stream, Error *error);

  /// What a decision takes of it. Before one is launched: what touches at the state that was met last comes to
  /// `progress`; false: there is no list of pairs to begin with. Once it was heard where that ended: what touches, and
  /// that lists were made as for states that touch, or not.
  void (*connect)(const Motion *motion, struct StepDecision *decision);
  bool (*ask)(const Motion *motion, struct NewtonProgress *progress);
  bool (*answer)(const Motion *motion, const struct NewtonProgress *progress, bool touches, Error *error);
} SelfContactRecorded;

typedef struct SelfContactFunctions {
  /// A step begins at displacements `from` [n], which nothing goes through, and for which the list of pairs serves from
  /// then on: the body's, or where BDF2 has extrapolated these, those before. Friction is that of what slides from the
  /// body's. Waits.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, const void *from, Stream stream, Error *error);

  /// Adds forces and energies where the nodes have moved by u [n] to Iterate.contact_force and contact_energy.
  /// `listed`: the list of pairs serves, u being the state at which the step began, or on the way that the last `bound`
  /// was of; else it is seen to.
  bool (*meet)(const Motion *motion, const void *u, bool listed, Stream stream, Error *error);

  /// The step, or a part of one, has ended at u1: what sticks then is for the next one.
  bool (*stick)(const Motion *motion, Stream stream, Error *error);

  /// The tangent at u1, which is listed: nodes' own blocks are added to Iterate.shift, the rest is what the operator's
  /// term has.
  bool (*shift)(const Motion *motion, const struct TimeStep *step, Stream stream, Error *error);

  /// The largest share of the way from displacements `from` to `to` [n], or along du where that is NULL, on which the
  /// surface does not meet itself, nor obstacles, which move on by Contact.ahead in it; a search that begins there
  /// looked at `from` last. Waits.
  bool (*bound)(const Motion *motion, const void *from, const void *to, double *share, Stream stream, Error *error);

  /// Whether anything touches in the trial state or at u1: the state that was met last, and that before the last
  /// `bound`.
  bool (*touched)(const Motion *motion);

  /// How much higher the step's potential, of which the residual is the negative gradient, is at the trial state than
  /// at u1, kg m²/s; these are as of `touched`. Waits.
  bool (*higher)(const Motion *motion, const struct TimeStep *step, const double *material, double *higher,
                 Stream stream, Error *error);

  /// Subtracts from the residual what the tangent at u1 says that forces change while obstacles move on by
  /// Contact.ahead: the solution then goes before them.
  bool (*lead)(const Motion *motion, Stream stream, Error *error);

  /// Whether the tangent at u1 has any pair, u1 being the state that was met last.
  bool (*touches)(const Motion *motion);

  /// The operator's term: the tangent's blocks between different nodes. Its context is the Contact.
  bool (*apply)(const OperatorTerm *term, const void *x, void *y, double *dots, int dot_count, Stream stream,
                Error *error);

  const SelfContactRecorded *recorded;  // NULL: there is none
} SelfContactFunctions;

extern const SelfContactFunctions self_contact_cpu_f32, self_contact_cpu_f64;
#ifdef PLIANT_CUDA
extern const SelfContactFunctions self_contact_cuda_f32, self_contact_cuda_f64;
#endif

/// meet and shift, timed.
static inline bool self_contact_meet(const SelfContactFunctions *f, const Motion *m, const Contact *c, const void *u,
                                     bool listed, Stream stream, Error *error) {
  int span;
  return stage_begin(c->clock, TIMED_CONTACT + TIMED_PAIRS, stream, &span, error) &&
         f->meet(m, u, listed, stream, error) && stage_end(c->clock, span, stream, error);
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
