// Pins that move: the motions of a scene's pins, and the nodes that follow these motions in each form of the body. A
// form is the mesh of the body after some cuts (form.h).
#pragma once
#include "scene/session.h"

/// Returns the bits of a pin for its nodes: its axes, and PIN_FOLLOWS if it has a motion.
uint8_t pin_bits(const ScenePin *pin);

/// Fills Session.motions with the motions of pins, and Session.support with the number of the motion that each unknown
/// of the scene's mesh follows. If several pins move an unknown, the unknown follows the last of them. Fails for a
/// scene with "twist" and a motion.
bool session_find_supports(Session *session, Error *error);

/// Passes the motions to a simulation, whose pinned nodes then follow them. `form` is the form of the simulation's
/// mesh; NULL: the scene's mesh. Does nothing without motions, or for `pliant solve` (quasi_static), which moves the
/// nodes itself.
bool session_give_supports(const Session *session, const Form *form, const uint8_t *pinned, Simulation *simulation,
                           Error *error);

/// Returns the time, s, at which all motions have ended: the last time of their paths and angles. Returns 0 without
/// motions.
double session_supports_end(const Session *session);
