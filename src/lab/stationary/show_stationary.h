// Shows the result of `pliant-lab solve` as a picture and in a window.
#pragma once
#include "base/option.h"
#include "lab/stationary/cell_window.h"

// Options of pictures and of the window. picture: file to write; empty: none. quantity: text of --quantity. has_factor:
// the user gave a factor on displacements. in_window: the user wants a window.
typedef struct ShowOptions {
  char picture[1024], quantity[64];
  int size[2];  // size of the picture, pixels
  int color_map, section;
  bool edges, has_factor;
  double factor;  // factor by which displacements are multiplied
  bool in_window;
  WindowOptions window;
} ShowOptions;

// Expands to rows of a table of options. The struct `type` must have a member `field` of the type ShowOptions; the
// options set this member.
#define SHOW_OPTIONS(type, field)                                                                             \
  { "picture", OPTION_TEXT, OPTION_AT(type, field.picture), .unit = "FILE",                                   \
    .help = "write a picture of the result as .png, without a display" },                                     \
      { "picture_size",           OPTION_SIZE,   OPTION_AT(type, field.size),                                 \
        OPTION_FROM_TO(16, 8192), .unit = "WxH", .help = "size of the picture, pixels" },                     \
      { "show", OPTION_FLAG, OPTION_AT(type, field.in_window),                                                \
        .help = "open a window with the result, to change loads and solve again" },                           \
      { "quantity", OPTION_TEXT, OPTION_AT(type, field.quantity), .unit = "NAME, UNIT",                       \
        .help = "name and unit of phi in the legend, such as \"temperature, K\"" },                           \
      { "color_map", OPTION_CHOICE, OPTION_AT(type, field.color_map), .choices = COLOR_MAP_NAMES,             \
        .help = "color map of the result" },                                                                  \
      { "warp",                                                                                               \
        OPTION_OPTIONAL,                                                                                      \
        OPTION_AT(type, field.factor),                                                                        \
        .present = offsetof(type, field.has_factor),                                                          \
        .absent = "auto",                                                                                     \
        OPTION_ANY,                                                                                           \
        .help = "factor on the drawn deformation (in 2D, phi is drawn as a height); auto: clearly visible" }, \
      { "section", OPTION_CHOICE, OPTION_AT(type, field.section), .choices = "auto|none|x|y|z",               \
        .help = "axis normal to the cutting plane; auto: a cut only for phi on a 3D mesh" },                  \
      { "wireframe", OPTION_FLAG, OPTION_AT(type, field.edges), .help = "draw the edges of triangles" },      \
      { "window_size",                                                                                        \
        OPTION_SIZE,                                                                                          \
        OPTION_AT(type, field.window.size),                                                                   \
        OPTION_FROM_TO(64, 16384),                                                                            \
        .unit = "WxH",                                                                                        \
        .help = "window size in pixels at display scale 1; a high-density display uses more" },               \
      { "frames", OPTION_INTEGER, OPTION_AT(type, field.window.frames), OPTION_FROM_TO(0, INT32_MAX),         \
        .help = "close after this number of drawn frames; 0: never" },                                        \
      { "trace", OPTION_TEXT, OPTION_AT(type, field.window.trace), .unit = "FILE",                            \
        .help = "write the window's events as JSON lines" },                                                  \
  {                                                                                                           \
    "screenshot", OPTION_TEXT, OPTION_AT(type, field.window.screenshot),                                      \
        .unit = "FILE", .help = "write the window's last frame as PNG"                                        \
  }

// The result to show. All pointers are borrowed. The members rows, target, size, solve and user let the window solve
// again, and are explained at CellProblem (cell_window.h).
typedef struct ShownResult {
  const CellMesh *mesh;
  CellValues values;  // values to show; the option --quantity replaces their title and unit
  bool flat;          // true: displacements are drawn only if the user asks for them
  const char *line;
  const Option *rows;
  void *target;
  size_t size;
  bool (*solve)(void *user, const void *target, Error *error);
  void *user;
} ShownResult;

ShowOptions show_defaults(void);

/// Fails if the picture that the user requested cannot be written. Called before the problem is solved, so that no
/// solve is wasted.
bool show_check(const ShowOptions *options, Error *error);

/// Writes the picture, if the user asked for one.
bool show_picture(const ShowOptions *options, const ShownResult *result, Error *error);

/// Opens the window, if the user asked for it, and runs until the user closes it.
bool show_window(const ShowOptions *options, const ShownResult *result, Error *error);
