// `pliant convert IN OUT`: a mesh from one format into another.
#pragma once
#include "app/option_terms.h"
#include "scene/options.h"

typedef struct ConvertOptions {
  int encoding;     // MeshEncoding
  int byte_order;   // 0 little, 1 big
  int msh_version;  // 0: 4.1, 1: 2.2
  uint64_t given;   // see option_given
} ConvertOptions;

extern const Option convert_options[];

bool run_convert(const char *from, const char *to, const ConvertOptions *options, Error *error);
