// What bounds each stage of a scene: its time beside the floor that the machine's ceilings put under it.
#pragma once
#include "app/measure.h"

/// Measures what the devices of the session's stages can do (device/ceilings.h), prints that and for every timed stage
/// what it moves at the least, its floor and how many times that it took; adds all of it to the JSON object as
/// "roofline". The measurement is of this session, with its stages timed.
bool roofline_measure(const Session *session, const Measurement *measurement, cJSON *object, Error *error);
