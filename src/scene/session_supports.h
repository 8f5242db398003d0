// Pins that move along given paths: lists their motions, and the nodes that follow each motion. The nodes are also
// found after cuts have changed the mesh.
#pragma once
#include "scene/session.h"

/// Returns the bits that a pin sets in Session.pinned for its nodes: the axes that it holds, and PIN_FOLLOWS if it
/// moves.
uint8_t pin_bits(const ScenePin *pin);

/// Fills Session.motions with the motions of pins. Fills Session.support: for each displacement component of each node,
/// the number (from 1) of the motion that it follows; 0: none. If several pins move the component of a node, the last
/// of them counts. Fails if a pin has a motion and the scene has "twist" or "initial_fields".
bool session_find_supports(Session *session, Error *error);

/// Passes the motions of pins to a simulation, whose pinned nodes then follow them. form: mesh of the simulation; NULL:
/// the scene's mesh. Does nothing without motions, or for `pliant solve`, which moves the nodes itself.
bool session_give_supports(const Session *session, const Form *form, const uint8_t *pinned, Simulation *simulation,
                           Error *error);

/// Returns the time, s, at which all motions have ended; 0 without motions.
double session_supports_end(const Session *session);
