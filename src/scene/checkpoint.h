// Checkpoints: files with the state of a running session, from which the run continues bit for bit.
//
// A checkpoint is a file with checksums (sealed_file.h) that begins with the letters "PLIANTCK". It contains a text
// that describes the session (signature.h), then the session's state.
#pragma once
#include "scene/session.h"

/// Writes the session's present state. The new file is completely on the disk before it replaces an older one. `fps` is
/// the number of frames of the recording per simulated second.
bool checkpoint_write(Session *session, double fps, const char *path, Error *error);

/// Sets the session to the state of a checkpoint. Mesh, settings, pins, forces, drags, twist and fps must be equal to
/// those of the session that wrote the checkpoint. If they are not, the function fails, and the message names the first
/// difference. Another device, assembly, matrix or solver only causes a notice. Also fails if the file is cut off,
/// damaged or of another version. After a failure the session must not be stepped.
bool checkpoint_read(Session *session, double fps, const char *path, Error *error);
