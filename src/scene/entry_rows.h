// The keys of the entries of a scene's lists, such as "pins", as rows of options for the scene editor: with type,
// choices, range and help. The keys of bodies are rows of body_options (scene_bodies.h). The values themselves are read
// by scene_parts.c.
#pragma once
#include "base/option.h"

/// Returns the row of a key of the entries of `list`; NULL: none. A row with an empty word among its choices belongs to
/// a key that an entry may lack.
const Option *entry_row(const char *list, const char *key);
