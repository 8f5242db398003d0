// Checkpoints: files with the state of a running session, from which a run continues bit for bit. A checkpoint is a
// file with checksums (sealed_file.h) of the kind "PLIANTCK". It contains a text that describes the session
// (signature.h), then the session's state.
#pragma once
#include "scene/session.h"

/// Writes the session's present state. The new file is completely on the disk before it replaces an older one. fps:
/// frames of the recording per simulated second.
bool checkpoint_write(Session *session, double fps, const char *path, Error *error);

/// Sets the session to the state of a checkpoint. Fails if the signature (signature.h: mesh, settings, pins, forces,
/// fps and others) differs from that of the session that wrote it, and names the first difference. Another device or
/// method only causes a notice. Also fails if the file is incomplete, damaged or of another version. After a failure
/// the session must not be stepped.
bool checkpoint_read(Session *session, double fps, const char *path, Error *error);
