// Declarations that inp.c (nodes, elements), inp_lines.c (keywords, fields) and inp_sets.c share.
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/text.h"

enum { INP_PARAMETERS = 16, INP_KEYWORD = 32, INP_NAME = MESH_SET_NAME };

// Words of a keyword line such as *NSET, NSET=tip, GENERATE. They point into the text.
typedef struct InpWord {
  const char *at;
  int length;
} InpWord;

typedef struct InpKeyword {
  char name[INP_KEYWORD];  // in capitals, without blanks: "ENDPART"
  int count;
  InpWord key[INP_PARAMETERS], value[INP_PARAMETERS];  // a parameter without "=" has an empty value
} InpKeyword;

/// Advances to the next line that is not blank and no comment. Returns false at the end of the file. *is_keyword tells
/// that it begins with "*".
bool inp_next_line(Text *text, bool *is_keyword);

/// Advances to the next line of data of the present keyword; returns false if there is none.
bool inp_next_data(Text *text);

/// Reads the present line as a keyword with its parameters, and the lines that continue it after a comma.
bool inp_read_keyword(Text *text, InpKeyword *keyword, Error *error);

/// Finds a parameter; NULL if the line does not have it.
const InpWord *inp_parameter(const InpKeyword *keyword, const char *key);

/// Reads the next field of a line of data, up to a comma or the end of the line, without blanks around it and without
/// quotes. Returns false at the end of the line.
bool inp_field(Text *text, InpWord *field);

/// Read a field as a number; `what` names it in messages.
bool inp_integer(Text *text, const char *what, int64_t low, int64_t *value, Error *error);
bool inp_real(Text *text, const char *what, double *value, Error *error);

// An element of the file. Cells are tets and hexes; faces are shells and membranes, which are used in sets only.
typedef struct InpElement {
  int64_t tag;
  int cell;  // index of the cell; -1: none
  int face;  // index of the face; -1: none
  bool is_hex;
} InpElement;

// Members that a line adds to a set. Lines are resolved after the whole file has been read.
typedef enum InpMember {
  INP_NODES,          // tags first, first + step, ... last
  INP_ELEMENTS,       // likewise
  INP_SIDES,          // side `side` of these elements; 0: all sides
  INP_NODE_RANGE,     // nodes by their index, from `first` to before `last`
  INP_ELEMENT_RANGE,  // elements by their index
  INP_NODES_OF_SET,   // members of the set `name`
  INP_ELEMENTS_OF_SET,
  INP_SIDES_OF_SET,
} InpMember;

typedef struct InpEntry {
  int set, line;
  InpMember member;
  bool generated;  // numbers that do not exist are skipped
  int side;
  int64_t first, last, step;
  InpWord name;
} InpEntry;

typedef struct InpSet {
  char name[INP_NAME];
  bool of_part, internal;
  MeshSet members;
} InpSet;

typedef struct Inp {
  Text text;
  MeshBuilder builder;
  int64_t node_count, node_capacity, position_capacity;
  int64_t *tag;    // [node_count], in the order of the file
  double (*X)[3];  // [node_count]
  InpElement *element;
  int64_t element_count, element_capacity;
  int64_t (*face)[4];  // [face_count], tags of the corners of a face; the last of a triangle is -1
  int64_t face_count, face_capacity;
  InpSet *set;
  int64_t set_count, set_capacity;
  InpEntry *entry;
  int64_t entry_count, entry_capacity;
  char part[INP_NAME];  // name of the part with nodes; empty: a file without parts
  bool in_part, in_assembly, in_instance;
  int instances, meshes;  // numbers of instances, and of parts or instances that have nodes
  bool has_nodes_here;    // the present part or instance has nodes
} Inp;

/// Returns the index of the set with this name, and adds it if there is none; -1 with an error.
int inp_set(Inp *inp, const InpWord *name, bool internal, Error *error);

/// Records members of a set; `entry` is copied.
bool inp_add_entry(Inp *inp, const InpEntry *entry, Error *error);

/// Read the data of *NSET, *ELSET or *SURFACE.
bool inp_read_set(Inp *inp, const InpKeyword *keyword, bool nodes, Error *error);
bool inp_read_surface(Inp *inp, const InpKeyword *keyword, Error *error);

/// Resolves all entries and creates mesh->sets.
bool inp_make_sets(Inp *inp, TetMesh *mesh, Error *error);
