// The signature of a session: a text with all properties on which its motion depends. A checkpoint can be restored only
// by sessions with an equal signature. The signature has a line "name<TAB>value" for each property of mesh, settings,
// pins, forces, drags and initial state. Long values are replaced by "#" and a checksum. Device and methods change only
// the last bits of results, so they are left out.
#pragma once
#include <stdio.h>

#include "scene/session.h"

/// Writes the signature. fps: frames of the recording per simulated second. The caller checks the stream for errors.
bool signature_write(const Session *session, double fps, FILE *file, Error *error);

/// Fails if two signatures differ; the message contains the first difference. `theirs` comes from a file and may be any
/// text. `theirs` may lack settings that an older version of Pliant did not have, if these settings have their default
/// values in `ours`.
bool signature_compare(const char *theirs, const char *ours, Error *error);
