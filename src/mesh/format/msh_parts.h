// What msh.c (sections, ASCII) and msh_binary.c share.
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/msh_types.h"
#include "mesh/format/text.h"

typedef enum MshVersion { MSH_NONE, MSH_2_2, MSH_4_1 } MshVersion;

typedef struct Msh {
  Text text;
  MshVersion version;
  bool binary, swap;  // swap: the other byte order
  MeshBuilder builder;
  bool has_elements;
} Msh;

/// After "$Nodes" or "$Elements" of a binary file, from the line end on.
bool msh_binary_nodes(Msh *msh, Error *error);
bool msh_binary_elements(Msh *msh, Error *error);
