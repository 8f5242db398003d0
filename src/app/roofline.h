// Roofline of the stages of a step: the measured time of each stage, and the lower bound by the machine's limits.
#pragma once
#include "app/measure.h"

/// Measures the limits of the devices that the session uses (device/ceilings.h) and prints them. Prints for every timed
/// stage the bytes that it must move, its lower bound in time (floor), and the ratio of measured time and floor. Adds
/// all to the JSON object as "roofline". `measurement` must be of this session, with timed stages.
bool roofline_measure(const Session *session, const Measurement *measurement, cJSON *object, Error *error);
