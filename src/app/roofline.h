// Roofline of the stages of a step: the measured time of each stage, and the shortest time that the machine's memory
// rate and latencies permit.
#pragma once
#include "app/measure.h"

/// Measures the limits of the devices that the session uses (device/ceilings.h), and prints them. For every timed
/// stage, prints the bytes that it must move, the shortest possible time (its floor), and the measured time divided by
/// the floor. Adds all these to the JSON object as "roofline". `measurement` must belong to this session and contain
/// timed stages.
bool roofline_measure(const Session *session, const Measurement *measurement, cJSON *object, Error *error);
