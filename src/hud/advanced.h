// The heading "Advanced" in the tabs of the panel. The settings that beginners do not need are below it. Used by the
// files of src/hud only.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Draws the heading, which opens and closes at a click, and updates *open. must_open: opens the group in any case.
/// Returns true if the caller must draw the rows of the group. While the user searches (search.h), the result is
/// true, no heading is drawn, and *open does not change.
bool hud_advanced_heading(bool *open, bool must_open);

#ifdef __cplusplus
}
#endif
