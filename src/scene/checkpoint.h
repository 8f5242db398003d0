// Checkpoints: the state of a running session in a file, from which it goes on later, bit for bit.
//
// A sealed file (sealed_file.h), "PLIANTCK": the signature of what the motion depends on, and the session's state.
#pragma once
#include "scene/session.h"

/// Writes the session's present state. The file is whole on the disk before it replaces an older one. `fps`: the frames
/// per simulated second of the recording.
bool checkpoint_write(Session *session, double fps, const char *path, Error *error);

/// Puts the session where the checkpoint was. It must have been made of the same mesh, settings, pins, forces, drags,
/// twist and fps; what differs is named. A notice tells of other stages. Fails too where the file is cut off, damaged
/// or of another version; the session must then not be stepped.
bool checkpoint_read(Session *session, double fps, const char *path, Error *error);
