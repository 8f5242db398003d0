// The file browser: a folder's scenes, meshes and folders, to be opened.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A line of the file browser.
typedef struct HudFile {
  char name[256];
  bool folder;
  double bytes;
} HudFile;

// The file browser, which the caller fills; hud_draw writes back the mouse's choice.
typedef struct HudBrowser {
  const char *folder;   // the folder of these files
  const HudFile *file;  // [count]
  int count, chosen;
  bool moved;  // `chosen`, by other means than the mouse: it is brought into sight
  // actions of the user in this frame
  int entered;  // the line that is to be opened, -1: none
  bool up, cancel;
} HudBrowser;

/// Draws it in the middle of the space left of `right`, in a window of this height, within Dear ImGui's frame.
void hud_browser_draw(HudBrowser *browser, float right, float height, float margin);

#ifdef __cplusplus
}
#endif
