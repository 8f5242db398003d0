// Pins that move: the motions of a scene's pins, and the nodes that follow them in each form of the body.
#pragma once
#include "scene/session.h"

/// The bits of a pin on its nodes: its axes, and PIN_FOLLOWS if it has a motion.
uint8_t pin_bits(const ScenePin *pin);

/// Fills Session.motions with the motions of pins, and Session.support with the number of the motion that each unknown
/// of the scene's mesh follows. If several pins move an unknown, the last one counts. Fails for a scene with "twist"
/// and a motion.
bool session_find_supports(Session *session, Error *error);

/// Lets the pinned nodes of a simulation follow the motions. `form` is the form of its mesh; NULL: the scene's. Does
/// nothing if there are no motions, or for `pliant solve` (quasi_static), which moves the nodes itself.
bool session_give_supports(const Session *session, const Form *form, const uint8_t *pinned, Simulation *simulation,
                           Error *error);

/// The time at which all motions have ended, s: the last time of their paths and angles; 0 without motions.
double session_supports_end(const Session *session);
