// Compares the measured time of each stage of a time step with its floor: the shortest time that memory bandwidth and
// latencies of the machine permit.
#pragma once
#include "app/measure.h"

/// Measures the limits of the devices that the session uses (device/ceilings.h), and prints them. For each timed stage
/// prints the bytes that it must move, its floor (shortest possible time), and its time as a multiple of the floor.
/// Adds all to the JSON object as "roofline". `measurement` must belong to this session and contain timed stages.
bool roofline_measure(const Session *session, const Measurement *measurement, cJSON *object, Error *error);
