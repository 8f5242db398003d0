// `pliant make SHAPE -o FILE`: a mesh of a simple shape, so that nobody needs another program to begin.
#pragma once
#include "scene/options.h"

typedef struct MakeOptions {
  char output[1024];
  double size[3];  // m
  int cells;
} MakeOptions;

extern const Option make_options[];

bool run_make(const char *shape, const MakeOptions *options, Error *error);
