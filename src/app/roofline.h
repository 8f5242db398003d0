// Roofline of the stages of a step: the measured time of each stage, and the shortest time that the machine's memory
// rate and latencies permit.
#pragma once
#include "app/measure.h"

/// Measures the limits of the devices that the session uses (device/ceilings.h) and prints them. Prints for every timed
/// stage the bytes that it must move, the shortest possible time (floor), and measured time divided by floor. Adds all
/// to the JSON object as "roofline". `measurement` must be of this session, with timed stages.
bool roofline_measure(const Session *session, const Measurement *measurement, cJSON *object, Error *error);
