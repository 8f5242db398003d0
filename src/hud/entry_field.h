// A field of the scene editor: the name of a key, and its value as text. Depending on the row of the key (option.h),
// the value also has a colour picker, a list of words, or a box to tick, and a drag of the name changes a number.
#pragma once
#include "base/option.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_FIELD_TEXT = 1024 };

// A key of the selected entry, and its value as text.
typedef struct HudField {
  char key[40], text[HUD_FIELD_TEXT];
  const Option *option;  // row of the key; NULL: unknown. If it is advanced, the field is below a heading (advanced.h)
} HudField;

/// Draws a field on its own line. refused: the last typed value was refused, for `reason`. Returns true if the user has
/// changed field->text: by Enter, Tab or a click after typing, or at the end of a drag.
bool hud_entry_field_draw(HudField *field, bool refused, const char *reason);

#ifdef __cplusplus
}
#endif
