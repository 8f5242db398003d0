// What a session's motion depends on, as text: a line "name<TAB>value" each for mesh, settings, pins, forces, drags and
// the initial state. Instead of a value that is too long to be shown there is "#" and its checksum. Stages are left
// out: they change the last bits only.
#pragma once
#include <stdio.h>

#include "scene/session.h"

/// Writes the signature. `fps`: the frames per simulated second of the recording. Errors of writing show at fclose.
bool signature_write(const Session *session, double fps, FILE *file, Error *error);

/// Fails, naming the first thing that differs, where the two are not alike. `theirs` need not be a signature at all; it
/// may lack settings that are at their defaults here, as one does that is older than they are.
bool signature_compare(const char *theirs, const char *ours, Error *error);
