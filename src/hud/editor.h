// The scene editor, a tab of the panel: a list of the scene's entries, and the keys of the selected entry as fields.
#pragma once
#include <stdbool.h>

#include "hud/entry_field.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_ENTRIES_MAX = 256, HUD_FIELDS_MAX = 48, HUD_HANDLES = 3 };

// State of the editor. The caller fills it before hud_draw, which stores the user's actions in it.
typedef struct HudEditor {
  const char *const *kinds;         // kinds of entries that can be added; NULL ends the list
  char entry[HUD_ENTRIES_MAX][64];  // [entry_count], labels
  HudField field[HUD_FIELDS_MAX];   // [field_count], keys of the selected entry
  // [entry_count] each. hideable: the entry is a body or obstacle, which the user can hide. hidden: it is hidden now
  bool hideable[HUD_ENTRIES_MAX], hidden[HUD_ENTRIES_MAX];
  char name[HUD_ENTRIES_MAX][40];  // [entry_count], names of the entries; empty: none
  bool nameable[HUD_ENTRIES_MAX];  // [entry_count], the user can give the entry a name
  bool renames;                    // the caller has set this: the user types a name for the selected entry
  int entry_count, field_count;
  int selected;              // index of the selected entry
  int handles;               // handles in the picture: 0 move the selected entry, 1 turn it, 2 scale it
  bool usable[HUD_HANDLES];  // [0], [1], [2]: the selected entry can be moved, turned, scaled
  bool moved;                // the caller has changed `selected`, so the list scrolls to it
  bool away;                 // the selected entry has moved since the start, so that its handles are not shown
  // key for which the last typed value was refused, and the reason, which is the tooltip of the key's field; "": none
  const char *refused, *reason;
  // actions of the user in this frame
  int add;      // index in `kinds`; -1: none
  int chosen;   // entry that the user has clicked; -1: none
  int toggled;  // entry that the user has hidden or shown again; -1: none
  int pressed;  // pressed button, the new `handles`: 0 Move, 1 Turn, 2 Scale; -1: none
  int renamed;  // entry that the user has given the name `new_name`; -1: none
  char new_name[40];
  int changed;  // field whose text the user has changed; -1: none
  // pressed buttons: add a body or an obstacle from a file, copy, delete, make a new scene
  bool add_mesh, add_obstacle, duplicate, remove, fresh;
  bool lands;     // pressed button: place the selected entry on the floor
  bool restarts;  // pressed button: go to the start of the simulation, where the handles are shown
} HudEditor;

/// Draws the editor in the open tab of the panel. Must be called within a frame of Dear ImGui. advanced: the fields
/// below the heading "Advanced" are shown (advanced.h).
void hud_editor_draw(HudEditor *editor, bool *advanced);

/// Draws only the fields for the keys of the selected entry, for the panel's search (search.h).
void hud_editor_draw_fields(HudEditor *editor, bool *advanced);

/// Clears the user's actions. Must be called before each frame, even if it does not draw the editor.
void hud_editor_clear(HudEditor *editor);

#ifdef __cplusplus
}
#endif
