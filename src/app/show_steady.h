// What `pliant solve --problem` found, as a picture and in a window.
#pragma once
#include "base/option.h"
#include "render/cell_view.h"

typedef struct ShowOptions {
  char picture[1024], quantity[64];
  int size[2];  // of the picture, pixels
  int color_map, section;
  bool edges, has_factor;
  double factor;  // of displacements
} ShowOptions;

// The rows of these options, for a struct with ShowOptions at `field`.
#define SHOW_OPTIONS(type, field)                                                                                    \
  { "picture", OPTION_TEXT, OPTION_AT(type, field.picture), .unit = "FILE",                                          \
    .help = "a picture of the result, .png, which needs no display" },                                               \
      { "picture_size", OPTION_SIZE, OPTION_AT(type, field.size), OPTION_FROM_TO(16, 8192), .unit = "WxH",           \
        .help = "of it, pixels" },                                                                                   \
      { "quantity", OPTION_TEXT, OPTION_AT(type, field.quantity), .unit = "NAME, UNIT",                              \
        .help = "what the picture's legend calls phi: \"temperature, K\"" },                                         \
      { "color_map", OPTION_CHOICE, OPTION_AT(type, field.color_map), .choices = COLOR_MAP_NAMES,                    \
        .help = "of the result" },                                                                                   \
      { "warp", OPTION_OPTIONAL, OPTION_AT(type, field.factor), .present = offsetof(type, field.has_factor),         \
        .absent = "auto", OPTION_ANY,                                                                                \
        .help = "what is shown is displaced by so many times w, u, or of a plane phi; auto: so that it is seen" },   \
      { "section", OPTION_CHOICE, OPTION_AT(type, field.section), .choices = "auto|none|x|y|z",                      \
        .help = "the inside of a body, cut across an axis; auto: where phi stands in space" },                       \
  {                                                                                                                  \
    "wireframe", OPTION_FLAG, OPTION_AT(type, field.edges), .help = "edges of triangles in the picture"              \
  }

ShowOptions show_defaults(void);

/// Whether what is asked for can be written: a look before the work.
bool show_check(const ShowOptions *options, Error *error);

/// Writes the picture where one is asked for. `values` are named as the quantity says.
bool show_picture(const ShowOptions *options, const CellMesh *mesh, const CellValues *values, Error *error);
