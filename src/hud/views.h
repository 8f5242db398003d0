// The list of stored views in the panel's tab View.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_VIEWS_MAX = 16, HUD_VIEW_NAME = 32 };

// Contents of the list. The caller fills it before hud_draw, which stores the user's actions in it.
typedef struct HudViews {
  int count;                                // number of places for views; not all of them have a view
  bool given[HUD_VIEWS_MAX];                // [count], the place has a view
  char name[HUD_VIEWS_MAX][HUD_VIEW_NAME];  // [count], names of the views; may be empty
  // actions of the user in this frame: place of the view that was shown, deleted, or got another name; -1: none
  int shown, removed, renamed;
  bool add;  // button: store the present view
} HudViews;

/// Clears the user's actions.
void hud_views_clear(HudViews *views);

/// Draws the list. Must be called within a frame of Dear ImGui.
void hud_views_draw(HudViews *views);

#ifdef __cplusplus
}
#endif
