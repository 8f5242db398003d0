// Contact of the body's surface with itself (sim/contact) as a step of Newton's method takes it: forces and energy at
// the end of the step, its tangent beside the matrix, and how long steps may be. Built for each precision; on the CPU
// alone so far.
#pragma once
#include "sim/contact/contact.h"
#include "sim/newton/motion.h"

typedef struct SelfContactFunctions {
  /// A step begins at the body's state.
  bool (*begin)(const Motion *motion, const struct TimeStep *step, Error *error);

  /// Adds forces and energies where the nodes have moved by u [n] to Iterate.contact_force and contact_energy.
  bool (*meet)(const Motion *motion, const void *u, Error *error);

  /// The tangent at u1: nodes' own blocks are added to Iterate.shift, the rest is what operator_term has.
  bool (*shift)(const Motion *motion, const struct TimeStep *step, Error *error);

  /// The largest share of the way from displacements `from` to `to` [n], or along du where that is NULL, on which the
  /// surface does not meet itself.
  bool (*bound)(const Motion *motion, const void *from, const void *to, double *share, Error *error);

  /// How much higher the step's potential, of which the residual is the negative gradient, is at the trial state than
  /// at u1, kg m²/s; `touches` where anything does in one of them, else it is not looked at.
  bool (*higher)(const Motion *motion, const struct TimeStep *step, const double *material, bool *touches,
                 double *higher, Error *error);

  /// y += the tangent's blocks between different nodes times x; `dots`, unless NULL, x.y of these.
  void (*apply)(const void *contact, const void *x, void *y, double *dots);
} SelfContactFunctions;

extern const SelfContactFunctions self_contact_f32, self_contact_f64;
