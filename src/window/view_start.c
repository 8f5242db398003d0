// The start page: see view.h. A click on an example or on a recent file opens it in place of the present scene.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/png_file.h"
#include "render/gl_picture.h"
#include "window/view.h"

// The examples in the order of the page. Each has a scene assets/scenes/NAME.json, or only NAME_coarse.json, and a
// picture assets/pictures/NAME.png, which scripts/make-pictures makes.
static const struct {
  const char *file, *name, *help;
} examples[] = {
  { "demo", "Hand", "a soft hand, held at the wrist: pull its fingers" },
  { "fist", "Fist", "a hand closes around a ball" },
  { "pinch", "Pinch", "two fingers are pulled towards each other and collide" },
  { "octopus", "Octopus", "an octopus is pulled through a ring" },
  { "pile", "Pile", "four bodies fall onto each other" },
  { "bricks", "Bricks", "a pile of blocks that stands by friction" },
  { "heap", "Heap", "ten bodies fall into a bowl" },
  { "basin", "Basin", "balls fall into a bowl; then the bowl shakes" },
  { "tumbler", "Tumbler", "four bodies in a rotating drum" },
  { "cradle", "Cradle", "a ball on rails rolls into a row of balls" },
  { "drop", "Drop", "a ring and a ball fall on a floor" },
  { "course", "Course", "a ball rolls over four obstacles" },
  { "stiff_soft", "Stiff and soft", "two beams under gravity, one ten times as stiff as the other" },
  { "hang", "Hanging ring", "a soft ring hangs from pinned nodes" },
  { "cut", "Cut", "a hanging ring is cut" },
  { "twist", "Twisted beam", "a twisted beam is released" },
  { "twisted_bar", "Twisting bar", "a moving pin twists a bar and turns it back" },
  { "hexes", "Hexahedra", "a beam of distorted hexahedra is pulled and released" },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };
static_assert((int)EXAMPLES <= (int)HUD_TILES_MAX && (int)RECENT_MAX <= (int)HUD_RECENT_MAX,
              "the start page has too few entries for all examples and all recent files");

// Reads the pictures. An example without a picture, for example because a file was removed, has a grey tile.
static void load(View *view) {
  Start *s = &view->start;
  Error ignored = { 0 };
  char path[PATH_LENGTH];
  uint8_t *rgba = array_new((int64_t)HUD_TILE_WIDTH * HUD_TILE_HEIGHT, 4, "the pictures of the examples", &ignored);
  s->loaded = true;
  s->page.tile_count = EXAMPLES;
  for (int k = 0; k < EXAMPLES; k++) {
    char name[64];
    HudTile *tile = &s->page.tile[k];
    *tile = (HudTile){ examples[k].name, examples[k].help, 0 };
    snprintf(name, sizeof name, "pictures/%s.png", examples[k].file);
    asset_path(name, path);
    if (rgba && png_read(path, rgba, HUD_TILE_WIDTH, HUD_TILE_HEIGHT, &ignored))
      tile->texture = gl_picture_texture(rgba, HUD_TILE_WIDTH, HUD_TILE_HEIGHT, &ignored);
  }
  free(rgba);
  asset_path("scenes", path);
  char *folder = realpath(path, NULL);
  if (folder) snprintf(s->examples, sizeof s->examples, "%s/", folder);
  free(folder);
}

void view_open_start(View *view) {
  view->start.shown = true;
}

void view_fill_start(View *view) {
  Start *s = &view->start;
  if (!s->loaded) load(view);
  s->page.recent_count = 0;
  for (int k = 0; k < view->recent.count; k++) {
    const char *path = view->recent.path[k];
    const bool example = s->examples[0] && strncmp(path, s->examples, strlen(s->examples)) == 0;
    if (!example) s->page.recent[s->page.recent_count++] = path;
  }
}

// Writes the path of an example's scene. Without a GPU, the coarse version is chosen, if there is one, because the CPU
// computes it in real time.
static void path_of_example(const View *view, int k, char path[PATH_LENGTH]) {
  for (int attempt = 0; attempt < 2; attempt++) {
    char name[64], file[80];
    const bool coarse = device_present(DEVICE_CUDA) == (attempt == 1);
    snprintf(name, sizeof name, "%s%s.json", examples[k].file, coarse ? "_coarse" : "");
    snprintf(file, sizeof file, "scenes/%s", name);
    asset_path(file, path);
    for (int s = 0; s < view->scene_count; s++)
      if (strcmp(view->scene_names[s], name) == 0) return;
  }
}

void view_apply_start(View *view) {
  Start *s = &view->start;
  const HudStart *page = &s->page;
  char path[PATH_LENGTH] = "";
  if (page->chosen >= 0) path_of_example(view, page->chosen, path);
  if (page->reopened >= 0) snprintf(path, sizeof path, "%s", page->recent[page->reopened]);
  if (page->fresh) asset_path("scenes/new.json", path);
  if (path[0]) {
    snprintf(s->chosen, sizeof s->chosen, "%s", path);
    s->paused = page->fresh;
  }
  if (path[0] || page->browse || page->close) s->shown = false;
  if (page->browse) view_browse(view);
}

void view_open_chosen(View *view) {
  char path[SCENE_PATH_LENGTH];
  if (!view->start.chosen[0] || view->next) return;
  memcpy(path, view->start.chosen, sizeof path);
  view->start.chosen[0] = '\0';
  (view->start.paused ? view_open_paused : view_open)(view, path);
}

void view_destroy_start(View *view) {
  for (int k = 0; k < view->start.page.tile_count; k++) gl_picture_delete(&view->start.page.tile[k].texture);
}
