// Values of a scene's forces at a point and a time. A value is a number or a formula of x, y, z and t, times a factor
// that may depend on time.
#pragma once
#include "base/formula.h"
#include "scene/scene.h"

/// Parses the three components of force k of the scene. A component that is a number gets an empty formula. The error
/// names the force and the position of the fault. The caller destroys all three formulas, also after a failure.
bool force_values_read(const Scene *scene, int k, Formula formula[3], Error *error);

/// Returns the factor that the force's key "over_time" gives at `time`, s. INFINITY gives the last factor.
double force_factor(const SceneForce *force, double time);

/// Returns true if a component of the force is a formula, whose value may depend on x, y, z and t.
bool force_is_uneven(const Formula formula[3]);

/// Returns true if the force may have different values at the times `before` and `now`, s. The steps in which the force
/// acts (key "steps") are not tested: the caller must ensure that it acts at both times.
bool force_changes(const SceneForce *force, const Formula formula[3], double before, double now);

/// Returns component i of the force's value at X, m, a point of the undeformed body, without the factor of "over_time".
/// At time INFINITY formulas have t = 0. The value may be NaN or too large; force_values_check then fails.
double force_value(const SceneForce *force, const Formula formula[3], int i, const double X[3], double time);

/// Fails if force_value has returned a value of force k that is NaN or too large.
bool force_values_check(const Scene *scene, int k, const Formula formula[3], Error *error);
