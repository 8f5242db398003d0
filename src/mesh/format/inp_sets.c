// Reads sets and surfaces of Abaqus input files: see inp_parts.h.
//
//   *NSET, NSET=name     numbers of nodes or names of node sets; with GENERATE: first, last, step; with ELSET=other:
//                        no data lines, the nodes are those of the element set `other`
//   *ELSET, ELSET=name   numbers of elements or names of element sets; with GENERATE: first, last, step
//   *SURFACE, NAME=name  an element or element set, then its face S1 to S6; with TYPE=NODE: nodes or node sets
//
// A node set, an element set and a surface with the same name become one set. The nodes of this set are those of the
// node set, if there is one. Sets of the part and sets of the assembly remain separate.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "mesh/format/inp_parts.h"

static const char *const WHAT = "sets of the mesh";

// Corners of the faces S1, S2, ... of a tet and of a hex, as indices of corners in the order of Abaqus. A face of a tet
// has no fourth corner (-1).
static const int tet_side[4][4] = { { 0, 1, 2, -1 }, { 0, 3, 1, -1 }, { 1, 3, 2, -1 }, { 2, 3, 0, -1 } };
static const int hex_side[6][4] = { { 0, 1, 2, 3 }, { 4, 7, 6, 5 }, { 0, 4, 5, 1 },
                                    { 1, 5, 6, 2 }, { 2, 6, 7, 3 }, { 3, 7, 4, 0 } };

static bool is_named(const InpSet *set, const InpWord *name) {
  return (int)strlen(set->name) == name->length && strncasecmp(set->name, name->at, (size_t)name->length) == 0;
}

// Returns the index in inp->set of the set with this name; -1 if there is none. The part and the assembly may each have
// a set with this name: `of_part` selects the part's set.
static int find_set(const Inp *inp, const InpWord *name, bool of_part) {
  for (int k = 0; k < inp->set_count; k++)
    if (inp->set[k].of_part == of_part && is_named(&inp->set[k], name)) return k;
  return -1;
}

int inp_set(Inp *inp, const InpWord *name, bool internal, Error *error) {
  const bool of_part = inp->in_part || inp->in_instance;
  const Text *text = &inp->text;
  if (name->length == 0 || name->length >= INP_NAME) {
    error_set(error, "%s:%d: the name of a set has %d characters, expected 1 to %d", text->path, text->line,
              name->length, INP_NAME - 1);
    return -1;
  }
  const int found = find_set(inp, name, of_part);
  if (found >= 0) return found;
  if (inp->set_count == MESH_SETS_MAX) {
    error_set(error, "%s:%d: the file has more than %d sets, the maximum", text->path, text->line, MESH_SETS_MAX);
    return -1;
  }
  void *items = inp->set;
  const bool grown = array_reserve(&items, &inp->set_capacity, inp->set_count + 1, sizeof *inp->set, WHAT, error);
  inp->set = items;
  if (!grown) return -1;
  InpSet *set = &inp->set[inp->set_count];
  *set = (InpSet){ .of_part = of_part, .internal = internal };
  snprintf(set->name, sizeof set->name, "%.*s", name->length, name->at);
  return (int)inp->set_count++;
}

// Returns 0 if an entry with this kind of members adds nodes to a set, and 1 if it adds elements or sides.
static int adds(InpMember member) {
  return member != INP_NODES && member != INP_NODE_RANGE && member != INP_NODES_OF_SET &&
         member != INP_NODES_OF_ELEMENTS;
}

bool inp_add_entry(Inp *inp, const InpEntry *entry, Error *error) {
  void *items = inp->entry;
  const bool grown = array_reserve(&items, &inp->entry_capacity, inp->entry_count + 1, sizeof *inp->entry, WHAT, error);
  inp->entry = items;
  if (!grown) return false;
  inp->entry[inp->entry_count] = *entry;
  inp->entry[inp->entry_count++].line = inp->text.line;
  int64_t *first = &inp->set[entry->set].first[adds(entry->member)];
  if (*first == 0) *first = inp->entry_count;
  return true;
}

// Reads the lines "first, last, step" of a set with GENERATE.
static bool read_generated(Inp *inp, int set, bool nodes, Error *error) {
  Text *text = &inp->text;
  while (inp_next_data(text)) {
    InpEntry entry = { .set = set, .member = nodes ? INP_NODES : INP_ELEMENTS, .generated = true, .step = 1 };
    if (!inp_integer(text, "first number", 0, &entry.first, error) ||
        !inp_integer(text, "last number", entry.first, &entry.last, error))
      return false;
    if (!text_line_over(text) && !inp_integer(text, "step", 1, &entry.step, error)) return false;
    if (!inp_add_entry(inp, &entry, error)) return false;
  }
  return true;
}

// Returns the entry (instruction to add members) for a field of a data line. If the field is a number, the entry adds
// one node or element and has the kind `by_number`. Otherwise the field is the name of a set, and the entry has the
// kind `by_name`.
static InpEntry entry_of(int set, const InpWord *field, InpMember by_number, InpMember by_name) {
  InpEntry entry = { .set = set, .member = by_number, .step = 1, .name = *field };
  if (text_integer(field->at, field->length, &entry.first))
    entry.last = entry.first;
  else
    entry.member = by_name;
  return entry;
}

bool inp_read_set(Inp *inp, const InpKeyword *keyword, bool nodes, Error *error) {
  const InpWord *name = inp_parameter(keyword, nodes ? "NSET" : "ELSET");
  Text *text = &inp->text;

  // In an assembly, a set without INSTANCE= contains only reference points and connectors, if the file has parts.
  const bool of_points = inp->part[0] && inp->in_assembly && !inp->in_instance && !inp_parameter(keyword, "INSTANCE");
  if (!name) return error_set(error, "%s:%d: *%s needs %s=NAME", text->path, text->line, keyword->name, keyword->name);
  const int set = inp_set(inp, name, inp_parameter(keyword, "INTERNAL"), error);
  if (set < 0) return false;
  if (nodes) inp->set[set].members.lists_nodes = true;
  const InpWord *elements = nodes ? inp_parameter(keyword, "ELSET") : NULL;
  if (elements &&
      !inp_add_entry(inp, &(InpEntry){ .set = set, .member = INP_NODES_OF_ELEMENTS, .name = *elements }, error))
    return false;
  if (inp_parameter(keyword, "GENERATE")) return read_generated(inp, set, nodes, error);
  while (inp_next_data(text))
    for (InpWord field; inp_field(text, &field);) {
      if (field.length == 0) continue;
      InpEntry entry =
          entry_of(set, &field, nodes ? INP_NODES : INP_ELEMENTS, nodes ? INP_NODES_OF_SET : INP_ELEMENTS_OF_SET);
      entry.generated = of_points;
      if (!inp_add_entry(inp, &entry, error)) return false;
    }
  return true;
}

bool inp_read_surface(Inp *inp, const InpKeyword *keyword, Error *error) {
  const InpWord *name = inp_parameter(keyword, "NAME"), *type = inp_parameter(keyword, "TYPE");
  Text *text = &inp->text;
  const bool nodes = type && text_is(type->at, type->length, "NODE");
  if (type && !nodes && !text_is(type->at, type->length, "ELEMENT")) return true;  // an analytical surface is skipped
  if (!name) return error_set(error, "%s:%d: *SURFACE needs the parameter NAME", text->path, text->line);
  const int set = inp_set(inp, name, inp_parameter(keyword, "INTERNAL"), error);
  if (set < 0) return false;
  if (nodes) inp->set[set].members.lists_nodes = true;
  while (inp_next_data(text)) {
    InpWord field, side;
    char copy[TEXT_SHOWN + 4];
    if (!inp_field(text, &field) || field.length == 0) continue;
    InpEntry entry = entry_of(set, &field, nodes ? INP_NODES : INP_SIDES, nodes ? INP_NODES_OF_SET : INP_SIDES_OF_SET);
    if (!nodes && inp_field(text, &side) && side.length > 0) {
      const bool shell = text_is(side.at, side.length, "SPOS") || text_is(side.at, side.length, "SNEG");
      if (!shell &&
          (side.length != 2 || (side.at[0] != 'S' && side.at[0] != 's') || side.at[1] < '1' || side.at[1] > '6'))
        return error_set(error, "%s:%d: the face of a surface is \"%s\", expected S1 to S6, SPOS or SNEG", text->path,
                         text->line, text_shown(side.at, side.length, copy));
      entry.side = shell ? 0 : side.at[1] - '0';
    }
    if (!inp_add_entry(inp, &entry, error)) return false;
  }
  return true;
}

// ---- adding members to sets

// Data of the second stage, which adds members to sets by the instructions (InpEntry) that were read from the file.
// node and element: tags with their indices, sorted by tag. added: number of members added so far; added_max: limit of
// `added`. line: line of the present instruction in the file.
typedef struct Resolving {
  Inp *inp;
  const TetMesh *mesh;
  TagIndex *node, *element;  // [node_count], [element_count]: tags with their indices, sorted
  int64_t added, added_max;
  int line;
} Resolving;

// Counts one more member. Fails if there are more than added_max: in a small file, sets that contain sets could
// otherwise get so many members that they fill the memory.
static bool count_member(Resolving *r, Error *error) {
  return ++r->added <= r->added_max ||
         error_set(error, "%s:%d: sets that contain other sets have too many members; list nodes and elements directly",
                   r->inp->text.path, r->line);
}

// Adds one face of a cell to a set. `side` is the face's number in Abaqus, from 1 on. Fails if the cell has no such
// face.
static bool add_side(Resolving *r, MeshSet *set, const InpElement *element, int side, Error *error) {
  static const int tet_file[4] = { 1, 0, 2, 3 };  // index in Pliant's tet of each corner of the file's tet
  const TetMesh *mesh = r->mesh;
  const int corners = mesh->hex ? 4 : 3, sides = mesh->hex ? 6 : 4;
  int order[CELL_NODES_MAX];
  int64_t tag[MESH_FACET_CORNERS];
  if (side > sides)
    return error_set(error, "%s:%d: a surface names face S%d of element %lld, which has only the faces S1 to S%d",
                     r->inp->text.path, r->line, side, (long long)element->tag, sides);
  if (mesh->hex) cell_shape_file_order(CELL_HEX8, CELL_FILE_VTK, order);
  for (int c = 0; c < corners; c++) {
    const int at = mesh->hex ? hex_side[side - 1][c] : tet_side[side - 1][c];
    const int node = mesh->hex ? mesh->hex[element->cell][order[at]] : mesh->tet[element->cell][tet_file[at]];
    tag[c] = mesh->node_tag[node];
  }
  return mesh_set_add_facet(set, tag, corners, error);
}

// Adds an element to a set: a shell as a face, a tet or hex as a cell. If `sides` is true, adds face number `side` of a
// tet or hex instead of the cell; if `side` is 0, adds all faces of the cell.
static bool add_element(Resolving *r, MeshSet *set, const InpElement *element, bool sides, int side, Error *error) {
  const int count = r->mesh->hex ? 6 : 4;
  if (!count_member(r, error)) return false;
  if (element->face >= 0) {
    const int64_t *face = r->inp->face[element->face];
    return mesh_set_add_facet(set, face, face[3] < 0 ? 3 : 4, error);
  }
  if (element->cell < 0 || element->is_hex != (r->mesh->hex != NULL)) return true;
  if (!sides) return mesh_set_add_cell(set, element->cell, error);
  for (int s = side ? side : 1; s <= (side ? side : count); s++)
    if (!add_side(r, set, element, s, error)) return false;
  return true;
}

static bool add_numbers(Resolving *r, const InpEntry *e, MeshSet *set, Error *error) {
  const bool nodes = e->member == INP_NODES;
  const TagIndex *index = nodes ? r->node : r->element;
  const int64_t count = nodes ? r->inp->node_count : r->inp->element_count;
  bool found = false;
  for (int64_t k = tag_index_from(index, count, e->first); k < count && index[k].tag <= e->last; k++) {
    if ((index[k].tag - e->first) % e->step != 0) continue;
    found = true;
    if (nodes && (!count_member(r, error) || !mesh_set_add_node(set, index[k].tag, error))) return false;
    if (!nodes && !add_element(r, set, &r->inp->element[index[k].index], e->member == INP_SIDES, e->side, error))
      return false;
  }
  return found || e->generated ||
         error_set(error, "%s:%d: the set \"%s\" has the %s %lld, which the file does not define", r->inp->text.path,
                   e->line, r->inp->set[e->set].name, nodes ? "node" : "element", (long long)e->first);
}

// Returns the index of the set whose name an instruction (InpEntry) gives; -1 if there is none. Inside the part, the
// name means a set of the part. Inside the assembly, the name means a set of the assembly or, if there is none, of the
// part. "INSTANCE.NAME" is a set of the part.
static int named_set(const Resolving *r, const InpEntry *e) {
  const Inp *inp = r->inp;
  const char *dot = memchr(e->name.at, '.', (size_t)e->name.length);
  const bool of_part = inp->set[e->set].of_part;
  int found = find_set(inp, &e->name, of_part);
  if (found < 0 && !of_part) found = find_set(inp, &e->name, true);
  if (found >= 0 || !dot) return found;
  const InpWord rest = { dot + 1, e->name.length - (int)(dot + 1 - e->name.at) };
  return find_set(inp, &rest, true);
}

// Adds to `set` all nodes of the cells and faces of the set `from`. A search over all tets counts as one member for
// each tet.
static bool add_nodes_of_elements(Resolving *r, MeshSet *from, MeshSet *set, Error *error) {
  const bool searches = from->facet_count > 0 && r->mesh->middle;
  r->added += from->cell_count + from->facet_count + (searches ? r->mesh->tet_count : 0);
  return count_member(r, error) && mesh_set_add_nodes_of(set, from, r->mesh, error);
}

// Adds to `set` the members of another set, or the nodes of these members. Fails if the other set is defined only on
// later lines.
static bool add_set(Resolving *r, const InpEntry *e, MeshSet *set, Error *error) {
  Inp *inp = r->inp;
  char copy[TEXT_SHOWN + 4];
  const int k = named_set(r, e);
  if (k < 0)
    return error_set(error, "%s:%d: the set \"%s\" is not defined", inp->text.path, e->line,
                     text_shown(e->name.at, e->name.length, copy));
  if (k == e->set && e->member != INP_NODES_OF_ELEMENTS)
    return e->member == INP_SIDES_OF_SET ||
           error_set(error, "%s:%d: the set \"%s\" contains itself", inp->text.path, e->line, inp->set[k].name);
  const bool by_element = adds(e->member) || e->member == INP_NODES_OF_ELEMENTS;
  const int64_t first = inp->set[k].first[by_element];
  if (first > 1 + (e - inp->entry))
    return error_set(error, "%s:%d: the set \"%s\" is not defined before line %d; move its definition up",
                     inp->text.path, e->line, inp->set[k].name, inp->entry[first - 1].line);
  if (first == 0 && inp->set[k].first[!by_element] > 0)
    return error_set(error, "%s:%d: the set \"%s\" has only %s, but *%s needs a set of %s", inp->text.path, e->line,
                     inp->set[k].name, by_element ? "nodes" : "elements or faces",
                     e->member == INP_NODES_OF_ELEMENTS ? "NSET with ELSET"
                     : by_element                       ? "ELSET or *SURFACE"
                                                        : "NSET",
                     by_element ? "elements" : "nodes");
  if (e->member == INP_NODES_OF_ELEMENTS) return add_nodes_of_elements(r, &inp->set[k].members, set, error);
  const MeshSet *from = &inp->set[k].members;
  if (e->member == INP_NODES_OF_SET) {
    for (int64_t a = 0; a < from->node_count; a++)
      if (!count_member(r, error) || !mesh_set_add_node(set, from->node[a], error)) return false;
    return true;
  }

  for (int64_t c = 0; c < from->cell_count; c++) {
    const InpElement element = { .tag = c + 1, .cell = from->cell[c], .face = -1, .is_hex = r->mesh->hex };
    if (!add_element(r, set, &element, e->member == INP_SIDES_OF_SET, e->side, error)) return false;
  }
  for (int64_t f = 0; f < from->facet_count; f++)
    if (!count_member(r, error) || !mesh_set_add_facet(set, from->facet[f], from->facet[f][3] < 0 ? 3 : 4, error))
      return false;
  return true;
}

static bool add_entry(Resolving *r, const InpEntry *e, Error *error) {
  Inp *inp = r->inp;
  MeshSet *set = &inp->set[e->set].members;
  r->line = e->line;
  switch (e->member) {
    case INP_NODES:
    case INP_ELEMENTS:
    case INP_SIDES:
      return add_numbers(r, e, set, error);
    case INP_NODE_RANGE:
      for (int64_t a = e->first; a < e->last; a++)
        if (!count_member(r, error) || !mesh_set_add_node(set, inp->tag[a], error)) return false;
      return true;
    case INP_ELEMENT_RANGE:
      for (int64_t k = e->first; k < e->last; k++)
        if (!add_element(r, set, &inp->element[k], false, 0, error)) return false;
      return true;
    default:
      return add_set(r, e, set, error);
  }
}

// Moves the sets into mesh->sets. If the part and the assembly have sets with the same name, the part's set is renamed
// PART.NAME.
static bool move_sets(Inp *inp, TetMesh *mesh, Error *error) {
  for (int k = 0; k < inp->set_count; k++) {
    InpSet *set = &inp->set[k];
    char name[2 * INP_NAME + 1];
    const MeshSet *m = &set->members;
    const InpWord word = { set->name, (int)strlen(set->name) };
    if (set->internal || m->node_count + m->cell_count + m->facet_count == 0) continue;
    const bool twice = set->of_part && find_set(inp, &word, false) >= 0;
    snprintf(name, sizeof name, "%s%s%s", twice ? inp->part : "", twice ? "." : "", set->name);
    const int at = mesh_sets_add(mesh->sets, name, (int)strlen(name), error);
    if (at < 0) return false;
    MeshSet *to = &mesh->sets->set[at];

    // Two long names may become equal when they are truncated. Only the first of these sets is kept.
    if (to->node || to->cell || to->facet) continue;
    char kept[MESH_SET_NAME];
    memcpy(kept, to->name, sizeof kept);
    *to = *m;
    set->members = (MeshSet){ .name = "" };
    memcpy(to->name, kept, sizeof kept);
  }
  return mesh_sets_finish(mesh->sets, mesh, error);
}

bool inp_make_sets(Inp *inp, TetMesh *mesh, Error *error) {
  Resolving r = { .inp = inp, .mesh = mesh };
  r.added_max = 64 * (inp->node_count + inp->element_count) + 1024;
  r.node = tag_index_new(inp->tag, inp->node_count, error);
  r.element = array_new(inp->element_count, sizeof *r.element, WHAT, error);
  bool ok = r.node && r.element;
  for (int64_t k = 0; ok && k < inp->element_count; k++) r.element[k] = (TagIndex){ inp->element[k].tag, k };
  ok = ok && tag_index_sort(r.element, inp->element_count, error);
  for (int64_t k = 1; ok && k < inp->element_count; k++)
    if (r.element[k].tag == r.element[k - 1].tag)
      ok = error_set(error, "%s: two elements have the number %lld", inp->text.path, (long long)r.element[k].tag);
  for (int64_t k = 0; ok && k < inp->entry_count; k++) ok = add_entry(&r, &inp->entry[k], error);
  free(r.node);
  free(r.element);
  if (!ok || inp->set_count == 0) return ok;
  mesh->sets = mesh_sets_new(error);
  return mesh->sets && move_sets(inp, mesh, error);
}
