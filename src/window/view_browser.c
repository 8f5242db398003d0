// The file browser with mouse and keys: see view.h. The HUD draws it and returns clicks.
#include <stdio.h>
#include <string.h>

#include "window/view.h"

static void show_folder(View *view, const char *path, const char *chosen) {
  HudBrowser *b = &view->browser;
  Error error = { 0 };
  if (!folder_list_read(&view->files, path, &error)) {
    view_fail(view, "%.390s", error.message);
    return;
  }
  *b = (HudBrowser){
    .folder = view->files.path, .file = view->files.file, .count = (int)view->files.count, .entered = -1
  };
  for (int k = 0; k < b->count; k++)
    if (chosen && strcmp(b->file[k].name, chosen) == 0) b->chosen = k;
  b->moved = true;
  view->browses = true;
}

void view_browse(View *view) {
  view->opens = view_open;
  char folder[PATH_LENGTH] = ".", name[PATH_LENGTH] = "";
  const char *path = view->sim ? view->sim->live.session.scene.path : "", *slash = strrchr(path, '/');
  if (view->files.path[0]) {  // begins with the folder that was last shown
    snprintf(folder, sizeof folder, "%s", view->files.path);
  } else if (slash) {
    snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    snprintf(name, sizeof name, "%s", slash + 1);
  }
  show_folder(view, folder, name);
  if (!view->browses) show_folder(view, ".", NULL);  // if this folder no longer exists, show the working folder
}

static void go_up(View *view) {
  char path[PATH_LENGTH], from[PATH_LENGTH];
  char *slash = strrchr(memcpy(path, view->files.path, sizeof path), '/');
  if (!slash || !slash[1]) return;  // the root of the file system
  snprintf(from, sizeof from, "%s", slash + 1);
  slash[slash == path] = '\0';
  show_folder(view, path, from);
}

static void enter(View *view, int line) {
  const HudBrowser *b = &view->browser;
  char path[PATH_LENGTH + sizeof b->file->name];
  if (line < 0 || line >= b->count) return;
  snprintf(path, sizeof path, "%s/%s", view->files.path[1] ? view->files.path : "", b->file[line].name);
  if (b->file[line].folder) {
    show_folder(view, path, NULL);
  } else if (strlen(path) >= SCENE_PATH_LENGTH) {
    view_fail(view, "%.300s...: the path is too long", path);
  } else {
    view->browses = false;
    view->opens(view, path);
  }
}

// Searches for a line that begins with this letter, A to Z: below the highlighted line, then from the first line on.
// Returns its index, or the index of the highlighted line if there is none.
static int next_with(const HudBrowser *b, int letter) {
  for (int k = 1; k <= b->count; k++) {
    const int line = (b->chosen + k) % b->count, first = (unsigned char)b->file[line].name[0];
    if (first == letter || (first >= 'a' && first <= 'z' && first - 'a' + 'A' == letter)) return line;
  }
  return b->chosen;
}

void view_browser_key(View *view, const WindowEvent *event) {
  enum { PAGE = 10 };
  HudBrowser *b = &view->browser;
  const int last = b->count - 1, letter = event->letter ? event->letter : event->code;
  int line = b->chosen;
  switch (event->code) {
    case KEY_UP:
      line--;
      break;
    case KEY_DOWN:
      line++;
      break;
    case KEY_PAGE_UP:
      line -= PAGE;
      break;
    case KEY_PAGE_DOWN:
      line += PAGE;
      break;
    case KEY_HOME:
      line = 0;
      break;
    case KEY_END:
      line = last;
      break;
    case KEY_LEFT:
    case KEY_BACKSPACE:
      go_up(view);
      return;
    case KEY_RIGHT:
      if (b->count > 0 && b->file[line].folder) enter(view, line);
      return;
    case KEY_ENTER:
    case KEY_KEYPAD_ENTER:
      enter(view, line);
      return;
    case KEY_ESCAPE:
      view->browses = false;
      return;
    default:
      if (letter > ' ' && letter < 127 && b->count > 0) line = next_with(b, letter);
      break;
  }

  b->chosen = line > last ? last : line;
  if (b->chosen < 0) b->chosen = 0;
  b->moved = true;
}

void view_apply_browser(View *view) {
  const HudBrowser did = view->browser;
  view->browser.entered = -1;
  view->browser.up = view->browser.cancel = view->browser.moved = false;
  if (did.cancel)
    view->browses = false;
  else if (did.up)
    go_up(view);
  else
    enter(view, did.entered);
}
