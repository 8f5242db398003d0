// Values of scripted forces at a place and a time: numbers or formulas, and factors over time.
#pragma once
#include "base/formula.h"
#include "scene/scene.h"

/// Parses the formulas of force k; those of numbers are empty. Fails with the force and the position of the fault. The
/// caller destroys all three, also after a failure.
bool force_values_read(const Scene *scene, int k, Formula formula[3], Error *error);

/// Returns the factor of "over_time" at a time, s. An infinite time is after all points.
double force_factor(const SceneForce *force, double time);

/// Returns true if a formula of the force contains x, y, z or t.
bool force_is_uneven(const Formula formula[3]);

/// Returns true if the values of the force at the times `before` and `now`, s, differ. It acts at both.
bool force_changes(const SceneForce *force, const Formula formula[3], double before, double now);

/// Returns component i of the value at a point at rest, m, without the factor of "over_time". In a formula t is 0 if
/// the time is infinite. A value that is too large or not a number makes the next force_values_check fail.
double force_value(const SceneForce *force, const Formula formula[3], int i, const double X[3], double time);

/// Fails if a formula of force k had a wrong value.
bool force_values_check(const Scene *scene, int k, const Formula formula[3], Error *error);
