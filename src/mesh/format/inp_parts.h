// Declarations shared by the files of the Abaqus reader: inp.c (nodes, elements), inp_lines.c (keywords, fields) and
// inp_sets.c (sets).
#pragma once
#include "mesh/format/builder.h"
#include "mesh/format/text.h"

enum { INP_PARAMETERS = 16, INP_KEYWORD = 32, INP_NAME = MESH_SET_NAME };

// A word of a keyword line, for example "tip" in "*NSET, NSET=tip, GENERATE". `at` points into the file's text.
typedef struct InpWord {
  const char *at;
  int length;
} InpWord;

// A keyword line with `count` parameters. Parameter k is key[k] = value[k], for example TYPE = C3D4.
typedef struct InpKeyword {
  char name[INP_KEYWORD];  // name of the keyword, in capitals and without blanks: "ENDPART"
  int count;
  InpWord key[INP_PARAMETERS], value[INP_PARAMETERS];  // a parameter without "=" has an empty value
} InpKeyword;

/// Advances to the next line that is neither blank nor a comment. Returns false at the end of the file. *is_keyword
/// becomes true if the line begins with "*".
bool inp_next_line(Text *text, bool *is_keyword);

/// Advances to the next data line of the present keyword. Returns false if the next line is a keyword, or at the end of
/// the file.
bool inp_next_data(Text *text);

/// Reads the present line as a keyword with its parameters. If the line ends with a comma, the keyword continues on the
/// next line, which is read too.
bool inp_read_keyword(Text *text, InpKeyword *keyword, Error *error);

/// Returns the value of a parameter, or NULL if the line does not have this parameter.
const InpWord *inp_parameter(const InpKeyword *keyword, const char *key);

/// Reads the next field of a line of data, up to a comma or the line's end; removes blanks and quotes around the field.
/// Returns false at the end of the line.
bool inp_field(Text *text, InpWord *field);

/// Both functions read the next field of a data line. inp_integer: an integer of at least `low`. inp_real: a real
/// number; an empty field is 0. `what` describes the number in messages.
bool inp_integer(Text *text, const char *what, int64_t low, int64_t *value, Error *error);
bool inp_real(Text *text, const char *what, double *value, Error *error);

// An element of the file. Tets and hexes are cells of the mesh. Shells, membranes and plane elements are stored as
// faces, which are used only in sets.
typedef struct InpElement {
  int64_t tag;
  int cell;  // index of the cell; -1: the element is not a cell
  int face;  // index of the face; -1: the element is not a face
  bool is_hex;
} InpElement;

// Kinds of members that a line adds to a set. They are found after the whole file was read.
typedef enum InpMember {
  INP_NODES,          // nodes with tags first, first + step, ... last
  INP_ELEMENTS,       // elements with tags first, first + step, ... last
  INP_SIDES,          // side number `side` of the elements first, first + step, ... last; 0: all their sides
  INP_NODE_RANGE,     // nodes with indices from `first` to last - 1
  INP_ELEMENT_RANGE,  // elements with indices from `first` to last - 1
  // from the set `name`: its nodes, the nodes of its elements, its elements, or side number `side` of its elements (0:
  // all their sides)
  INP_NODES_OF_SET,
  INP_NODES_OF_ELEMENTS,
  INP_ELEMENTS_OF_SET,
  INP_SIDES_OF_SET,
} InpMember;

// An instruction from line `line` of the file: nodes, elements or sides to be added to the set with index `set`.
// `member` is the kind of these members, and determines which of the last fields are used (InpMember).
typedef struct InpEntry {
  int set, line;
  InpMember member;
  bool generated;  // from a line with GENERATE: numbers that do not exist are skipped
  int side;
  int64_t first, last, step;
  InpWord name;
} InpEntry;

// A set of nodes or elements that the file defines. of_part: true if it is defined in a part, false if in the assembly.
// internal: the file marks it as INTERNAL; such a set is not stored in the mesh. first: 1 + index of the first entry
// that adds nodes to the set, and of the first entry that adds elements or sides; 0: there is none.
typedef struct InpSet {
  char name[INP_NAME];
  bool of_part, internal;
  int64_t first[2];
  MeshSet members;
} InpSet;

// Data that the reader keeps while it reads a file: nodes, elements, faces, sets, and entries (instructions to fill the
// sets). in_part, in_assembly, in_instance: the present line is between *PART and *END PART, *ASSEMBLY and *END
// ASSEMBLY, or *INSTANCE and *END INSTANCE.
typedef struct Inp {
  Text text;
  MeshBuilder builder;
  int64_t node_count, node_capacity, position_capacity;
  int64_t *tag;    // [node_count], number of each node in the file, in the order of the file
  double (*X)[3];  // [node_count], positions of the nodes
  InpElement *element;
  int64_t element_count, element_capacity;
  int64_t (*face)[4];  // [face_count], tags of each face's corners; -1 for the fourth corner of a triangle
  int64_t face_count, face_capacity;
  InpSet *set;
  int64_t set_count, set_capacity;
  InpEntry *entry;
  int64_t entry_count, entry_capacity;
  char part[INP_NAME];  // name of the part that has the nodes; empty: the file has no parts
  bool in_part, in_assembly, in_instance;
  int instances, meshes;  // number of instances; number of parts and instances that have nodes
  bool has_nodes_here;    // the present part or instance has nodes
} Inp;

/// Returns the index in inp->set of the set with this name; adds an empty set if there is none. Returns -1 with an
/// error on failure.
int inp_set(Inp *inp, const InpWord *name, bool internal, Error *error);

/// Stores a copy of `entry`, an instruction to add members to a set. The instruction is executed after the whole file
/// was read.
bool inp_add_entry(Inp *inp, const InpEntry *entry, Error *error);

/// inp_read_set: reads the data lines after *NSET or, if `nodes` is false, after *ELSET. inp_read_surface: reads the
/// data lines after *SURFACE.
bool inp_read_set(Inp *inp, const InpKeyword *keyword, bool nodes, Error *error);
bool inp_read_surface(Inp *inp, const InpKeyword *keyword, Error *error);

/// Adds to each set the members that the entries (instructions from the file) describe. Then moves the sets to
/// mesh->sets.
bool inp_make_sets(Inp *inp, TetMesh *mesh, Error *error);
