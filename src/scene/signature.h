// The signature of a session is a text with all properties on which its motion depends. A checkpoint can be continued
// only by a session with an equal signature. The text has a line "name<TAB>value" for each property of mesh, settings,
// pins, forces, drags and initial state. A value that is too long for a message is replaced by "#" and its checksum.
// Device, assembly, matrix and solver are left out, since they change only the last bits of results.
#pragma once
#include <stdio.h>

#include "scene/session.h"

/// Writes the signature. `fps` is the number of frames of the recording per simulated second. The caller checks the
/// stream for errors.
bool signature_write(const Session *session, double fps, FILE *file, Error *error);

/// Fails if two signatures differ; the message has the first difference. `theirs` comes from a file and may be any
/// text. It may lack a setting whose value in `ours` is the default, since an older version of Pliant did not have this
/// setting.
bool signature_compare(const char *theirs, const char *ours, Error *error);
