// Values of scripted forces at a point and a time. A value is a number or a formula, times a factor that may depend on
// time.
#pragma once
#include "base/formula.h"
#include "scene/scene.h"

/// Parses the formulas of force k of the scene, one per component. A component that is a number gets an empty formula.
/// The message of an error names the force and the position of the fault. The caller destroys all three formulas, also
/// after a failure.
bool force_values_read(const Scene *scene, int k, Formula formula[3], Error *error);

/// Returns the factor that the key "over_time" of the force has at a time, s. An infinite time gives the last factor.
double force_factor(const SceneForce *force, double time);

/// Returns true if a formula of the force contains x, y, z or t.
bool force_is_uneven(const Formula formula[3]);

/// Returns true if the values of the force at the times `before` and `now`, s, differ. The force must act at both
/// times.
bool force_changes(const SceneForce *force, const Formula formula[3], double before, double now);

/// Returns component i of the value at X, a point of the undeformed body, m, without the factor of "over_time". If the
/// time is infinite, t is 0 in formulas. If the value is too large or not a number, force_values_check will fail.
double force_value(const SceneForce *force, const Formula formula[3], int i, const double X[3], double time);

/// Fails if force_value has computed a value of force k that is too large or not a number.
bool force_values_check(const Scene *scene, int k, const Formula formula[3], Error *error);
