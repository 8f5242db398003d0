// What a session's motion depends on, as text: one line "name<TAB>value" each for mesh, settings, pins, forces, drags and the
// beginning. A value that is too long to be shown stands as "#" and its checksum. Stages are left out: they change
// the last bits only.
#pragma once
#include <stdio.h>

#include "scene/session.h"

/// Writes the signature. `fps`: the pictures a second that frames are numbered by. Errors of writing show at fclose.
bool signature_write(const Session *session, double fps, FILE *file, Error *error);

/// Fails, naming the first thing that differs, where the two are not alike. `theirs` need not be a signature at all.
bool signature_compare(const char *theirs, const char *ours, Error *error);
