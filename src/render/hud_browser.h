// The file browser: a list of the scenes, meshes and folders in a folder. The user can open one of them.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// One line of the list.
typedef struct HudFile {
  char name[256];
  bool folder;
  double bytes;
} HudFile;

// State of the browser. The caller fills it; hud_draw stores the user's actions in it.
typedef struct HudBrowser {
  const char *folder;   // path of the folder
  const HudFile *file;  // [count], the lines of the list
  int count, chosen;
  bool moved;  // `chosen` was changed by other means than the mouse, so the list scrolls to it
  // actions of the user in this frame
  int entered;  // index of the line to open, -1: none
  bool up, cancel;
} HudBrowser;

/// Draws the browser in the middle of the space to the left of `right`. `height` is the height of the window. All are
/// in pixels. Called within a frame of Dear ImGui.
void hud_browser_draw(HudBrowser *browser, float right, float height, float margin);

#ifdef __cplusplus
}
#endif
