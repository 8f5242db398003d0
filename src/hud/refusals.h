// Marks of fields in the panel whose last value was refused. A marked field is red, and its tooltip is the reason. The
// mark disappears when the user begins to edit the field again. Drawing functions are used by files of src/hud only.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_REFUSALS_MAX = 8 };

typedef struct HudRefusals {
  int count;
  struct {
    char name[32];  // name of the row
    char reason[400];
  } row[HUD_REFUSALS_MAX];  // [count]
} HudRefusals;

/// Marks a field. key: key of its option, or name of its row. If too many fields are marked, removes the oldest mark.
void hud_refuse(HudRefusals *refusals, const char *key, const char *reason);

/// Chooses the marks of the fields that are drawn next; NULL: none. Borrows the pointer.
void hud_refusals_use(HudRefusals *refusals);

/// Must be called before and after a field is drawn. hud_refused_end also shows the reason while the mouse is over the
/// field. name: name of the row.
void hud_refused_begin(const char *name);
void hud_refused_end(void);

#ifdef __cplusplus
}
#endif
