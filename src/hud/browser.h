// The file browser: lists the scenes, meshes and subfolders of a folder. The user opens one of them.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// One line of the list: a file or a folder.
typedef struct HudFile {
  char name[256];
  bool folder;
  double bytes;  // size of the file
} HudFile;

// State of the browser. The caller fills it before hud_draw, which stores the user's actions in it.
typedef struct HudBrowser {
  const char *folder;   // path of the folder that is listed
  const HudFile *file;  // [count], lines of the list
  int count, chosen;    // number of lines, and index of the highlighted one
  bool moved;           // a key has changed `chosen`, so the list scrolls to it
  // actions of the user in this frame
  int entered;      // index of the line that the user opens; -1: none
  bool up, cancel;  // up: the user goes to the parent folder; cancel: the user closes the browser
} HudBrowser;

/// Copies a name of a file. Replaces its middle by "..." if the name is wider than `width` pixels, since names of files
/// often differ at both ends. Must be called within a frame of Dear ImGui.
void hud_shorten(const char *name, float width, char *fitted, size_t size);

/// Draws the browser in the middle of the space between the x coordinates `left` and `right`. These, the height of the
/// window and the margin are in pixels. Must be called within a frame of Dear ImGui.
void hud_browser_draw(HudBrowser *browser, float left, float right, float height, float margin);

#ifdef __cplusplus
}
#endif
