// Reads and writes the look of the window: see look.h.
#include "window/look.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/input_file.h"
#include "hud/hud.h"
#include "record/frame_writer.h"
#include "scene/json_file.h"
#include "scene/options.h"
#include "window/state_path.h"

#define AT(field) OPTION_AT(Look, field)
static const Option rows[] = {
  { "text_size", OPTION_NUMBER, AT(text_size), OPTION_FROM_TO(TEXT_SIZE_MIN, TEXT_SIZE_MAX) },
  { "theme", OPTION_CHOICE, AT(theme), .choices = HUD_THEMES },
  { "hints", OPTION_INTEGER, AT(hints), OPTION_FROM_TO(0, 1000) },
  { "panel_width", OPTION_NUMBER, AT(panel_width), OPTION_FROM_TO(HUD_PANEL_WIDTH, HUD_PANEL_WIDTH_MAX) },
  { "panel_side", OPTION_CHOICE, AT(panel_side), .choices = HUD_SIDES },
  { "docked", OPTION_FLAG, AT(docked) },
  { "dock_height", OPTION_NUMBER, AT(dock_height), OPTION_FROM_TO(HUD_DOCK_HEIGHT_MIN, HUD_DOCK_HEIGHT_MAX) },
  { "advanced", OPTION_FLAG, AT(advanced) },
  { 0 },
};

static const char *const FILE_NAME = "look.json";

// Reads the values of a file into `look`.
static bool read_file(Look *look, const char *path, Error *error) {
  char text[4096];
  FILE *file = input_file_open(path, INPUT_FILE, error);
  if (!file) return false;
  const size_t length = fread(text, 1, sizeof text - 1, file);
  const bool whole = feof(file);
  text[length] = '\0';
  fclose(file);
  if (!whole) return error_set(error, "%s: cannot be read to its end, or is longer than 4 KiB", path);
  cJSON *object = json_parse(text, length, path, error);
  const bool ok = object && options_set_object(rows, look, object, path, error);
  cJSON_Delete(object);
  return ok;
}

// Reads the stored look. Values without a stored one are the default ones.
static bool read_look(Look *look, Error *error) {
  const Look defaults = {
    .text_size = 1, .theme = HUD_DARK, .panel_width = HUD_PANEL_WIDTH, .dock_height = HUD_DOCK_HEIGHT
  };
  char folder[PATH_LENGTH], path[STATE_PATH];
  Look stored = defaults;
  *look = defaults;
  if (!state_path(FILE_NAME, folder, path) || (access(path, F_OK) != 0 && errno == ENOENT)) return true;
  if (!read_file(&stored, path, error)) return false;
  *look = stored;
  return true;
}

void look_show(const Look *look) {
  hud_set_text_size(look->text_size);
  hud_set_theme(look->theme);
}

bool look_begin(Look *look, const WindowOptions *options, Error *error) {
  const bool ok = read_look(look, error);
  if (options->text_size > 0) look->text_size = options->text_size;
  if (options->theme != THEME_LAST) look->theme = options->theme == THEME_LIGHT ? HUD_LIGHT : HUD_DARK;
  // the user changes the size in steps
  look->text_size = TEXT_SIZE_STEP * round(look->text_size / TEXT_SIZE_STEP);
  look_show(look);
  return ok;
}

bool look_store(const Look *before, const Look *now, Error *error) {
  char folder[PATH_LENGTH], path[STATE_PATH];
  Look stored;
  Error ignored = { 0 };
  if (!state_path(FILE_NAME, folder, path)) return true;  // without a home folder, nothing is stored
  read_look(&stored, &ignored);  // another window may have stored a look; a damaged file is replaced
  options_copy_rows(rows, ~options_alike(rows, before, now), &stored, now);
  cJSON *object = cJSON_CreateObject();
  for (const Option *row = rows; row->key; row++) json_put(object, row->key, option_json(row, &stored));
  const bool ok = make_folders(folder, error) && atomic_file_check(path, error) && write_json_file(path, object, error);
  cJSON_Delete(object);
  return ok;
}
