// The start page: pictures of the shipped examples, recently opened files, and buttons for a new scene and for a file.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_TILES_MAX = 24, HUD_RECENT_MAX = 10 };

// The size of an example's picture in its file, pixels.
enum { HUD_TILE_WIDTH = 192, HUD_TILE_HEIGHT = 120 };

// An example: its name and explanation, and OpenGL's number of the texture with its picture; 0: no picture.
typedef struct HudTile {
  const char *name, *help;
  unsigned texture;
} HudTile;

// State of the page. The caller fills it before hud_draw, which stores the user's actions in it.
typedef struct HudStart {
  int tile_count, recent_count;
  HudTile tile[HUD_TILES_MAX];
  const char *recent[HUD_RECENT_MAX];  // [recent_count], paths
  // actions of the user in this frame: index of the clicked example and of the clicked recent file; -1: none
  int chosen, reopened;
  bool fresh, browse, close;  // a button was clicked: "New scene", "Open...", "Close"
} HudStart;

/// Draws the page in the middle of the space between the x coordinates `left` and `right`. These, the height of the
/// window and the margin are in pixels. Must be called within a frame of Dear ImGui.
void hud_start_draw(HudStart *start, float left, float right, float height, float margin);

#ifdef __cplusplus
}
#endif
