// Values of scripted forces at a place and a time: numbers or formulas, and factors over time.
#pragma once
#include "base/formula.h"
#include "scene/scene.h"

/// Parses the formulas of force k, one per component; a component that is a number gets an empty formula. Fails with
/// the force and the position of the fault. The caller destroys all three, also after a failure.
bool force_values_read(const Scene *scene, int k, Formula formula[3], Error *error);

/// Returns the factor of the force by its key "over_time" at a time, s. An infinite time gives the last factor.
double force_factor(const SceneForce *force, double time);

/// Returns true if a formula of the force contains x, y, z or t.
bool force_is_uneven(const Formula formula[3]);

/// Returns true if the force's values differ between the times `before` and `now`, s. The caller knows that the force
/// acts at both times.
bool force_changes(const SceneForce *force, const Formula formula[3], double before, double now);

/// Returns component i of the value at a point at rest, m, without the factor of "over_time". In a formula t is 0 if
/// the time is infinite. A value that is too large or not a number is recorded, and force_values_check then fails.
double force_value(const SceneForce *force, const Formula formula[3], int i, const double X[3], double time);

/// Fails if force_value has recorded such a value of force k.
bool force_values_check(const Scene *scene, int k, const Formula formula[3], Error *error);
