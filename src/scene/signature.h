// The signature of a session: a text with all that its motion depends on. It has a line "name<TAB>value" for each
// property of mesh, settings, pins, forces, drags and initial state. A value too long for a message is replaced by "#"
// and its checksum. Device, assembly, matrix and solver are left out: they change only the last bits.
#pragma once
#include <stdio.h>

#include "scene/session.h"

/// Writes the signature. `fps`: frames of the recording per simulated second. Errors of the stream appear at fclose.
bool signature_write(const Session *session, double fps, FILE *file, Error *error);

/// Fails, with the first difference, if two signatures differ. `theirs` comes from a file and may be any text. It may
/// lack settings whose value in `ours` is the default, since an older version of Pliant did not have them.
bool signature_compare(const char *theirs, const char *ours, Error *error);
