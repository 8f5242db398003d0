// `pliant make SHAPE -o FILE`: a mesh of a simple shape, so that nobody needs another program to begin.
#pragma once
#include "app/option_terms.h"
#include "mesh/cell_grid.h"
#include "scene/options.h"

typedef struct MakeOptions {
  char output[1024];
  GridOptions grid;  // of other shapes size and cells alone count
  uint64_t given;    // see option_given
} MakeOptions;

extern const Option make_options[];
extern const OptionTerm make_terms[];

bool run_make(const char *shape, const MakeOptions *options, Error *error);
