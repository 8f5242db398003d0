// Creates, writes and reads forms, the meshes of a body between two cuts: see form.h.
#include "scene/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gather.h"
#include "base/sort.h"
#include "mesh/quadratic.h"

static void form_destroy(Form *form) {
  mesh_destroy(&form->mesh);
  surface_destroy(&form->surface);
  free(form->node_first);
  free(form->tet_first);
  node_numbering_destroy(&form->numbering);
  free(form);
}

static Form *new_form(Error *error) {
  Form *form = array_new(1, sizeof *form, "a form", error);
  if (form) atomic_init(&form->holders, 1);
  return form;
}

// Returns the estimated memory of a form with this mesh, bytes, without its surface.
static size_t bytes_of(const TetMesh *mesh) {
  const size_t nodes = (size_t)mesh->node_count, tets = (size_t)mesh->tet_count;
  return nodes * (sizeof *mesh->X + sizeof *mesh->node_tag + 2 * sizeof(int)) + tets * sizeof(int) * 10;
}

Form *form_create(TetMesh *mesh, Surface *surface, Error *error) {
  Form *form = new_form(error);
  if (!form) return NULL;
  form->mesh = *mesh;
  form->surface = *surface;
  form->bytes = bytes_of(mesh);
  return form;
}

Form *form_hold(Form *form) {
  if (form) atomic_fetch_add(&form->holders, 1);
  return form;
}

void form_release(Form *form) {
  if (form && atomic_fetch_sub(&form->holders, 1) == 1) form_destroy(form);
}

// Computes to[k] = from[list[k]] for k < count, or to[k] = from[k] if `list` is NULL.
static void take_items(int *to, const int *from, const int *list, int count) {
  if (list)
    gather_items(to, from, list, count, sizeof *to);
  else
    copy_bytes(to, from, sizeof *to * (size_t)count);
}

// Computes the order of nodes after a cut. Each copy of a node comes directly after its original, and belongs to the
// original's part (group of neighbouring nodes).
static bool follow_numbering(Form *made, const Separation *s, const NodeNumbering *numbering, int old_count,
                             Error *error) {
  const int count = s->mesh.node_count, *order = numbering->order;
  int64_t *start = array_new((int64_t)old_count + 1, sizeof *start, "node order", error);
  int *node = array_new(count, sizeof *node, "node order", error), next = 0;
  made->numbering.order = array_new(count, sizeof *order, "node order", error);
  made->numbering.part_count = numbering->part_count;
  if (numbering->part) made->numbering.part = array_new(count, sizeof *numbering->part, "parts", error);
  const bool ok = start && node && made->numbering.order && (made->numbering.part || !numbering->part) &&
                  sort_by_key(s->node_from, count, old_count, 1, start, node, error);
  for (int k = 0; ok && k < old_count; k++)
    for (int64_t j = start[order[k]]; j < start[order[k] + 1]; j++) made->numbering.order[next++] = node[j];
  for (int a = 0; ok && numbering->part && a < count; a++) made->numbering.part[a] = numbering->part[s->node_from[a]];
  free(start);
  free(node);
  return ok;
}

// Computes the order of nodes after a cut, which removes some nodes and duplicates others: first the remaining nodes in
// the old order, then all copies. Also computes ranks, by which tets are sorted. A node's rank is its position in the
// order before the first cut. A copy has the rank of its original, so tets keep their order.
static bool append_numbering(Form *made, const Separation *s, const NodeNumbering *numbering, int old_count,
                             Error *error) {
  const int count = s->mesh.node_count, kept = count - s->copies;

  // now[a]: new index of old node a, plus 1; 0: the node was removed
  int *now = array_new(old_count, sizeof *now, "node order", error), next = 0;
  int *was = numbering->rank ? NULL : array_new(old_count, sizeof *was, "node order", error);
  int *order = made->numbering.order = array_new(count, sizeof *order, "node order", error);
  int *rank = made->numbering.rank = array_new(count, sizeof *rank, "node order", error);
  const bool ok = now && (was || numbering->rank) && order && rank;
  for (int a = 0; ok && a < kept; a++) now[s->node_from[a]] = a + 1;
  for (int k = 0; ok && k < old_count; k++)
    if (now[numbering->order[k]]) order[next++] = now[numbering->order[k]] - 1;
  for (int a = kept; ok && a < count; a++) order[next++] = a;
  for (int k = 0; ok && was && k < old_count; k++) was[numbering->order[k]] = k;
  if (ok) gather_items(rank, was ? was : numbering->rank, s->node_from, count, sizeof *rank);
  free(now);
  free(was);
  if (ok && numbering->batch) {
    const int tets = s->mesh.tet_count;
    if (!(made->numbering.batch = array_capacity(tets, sizeof *numbering->batch, "tets", error))) return false;
    take_items(made->numbering.batch, numbering->batch, s->tet_from, tets);
  }
  return ok;
}

Form *form_separate(const Form *form, Separation *s, const NodeNumbering *numbering, bool last, MeshOrder order_kind,
                    Error *error) {
  const int nodes = s->mesh.node_count, tets = s->mesh.tet_count;
  Form *made = new_form(error);
  if (!made) return NULL;
  made->order_kind = order_kind;

  // allocates the arrays of origins, and computes the order of nodes
  made->node_first = array_capacity(nodes, sizeof *made->node_first, "nodes", error);
  const bool gone = s->tet_from || form->tet_first;
  if (gone) made->tet_first = array_capacity(tets, sizeof *made->tet_first, "tets", error);
  if (!made->node_first || (gone && !made->tet_first) ||
      !(last ? append_numbering : follow_numbering)(made, s, numbering, form->mesh.node_count, error)) {
    form_destroy(made);
    return NULL;
  }

  // stores the origin of each node and tet, which is a node or tet of the scene's mesh. s->node_from and s->tet_from
  // are not yet origins: they are indices in the form before this cut
  if (form->node_first)
    gather_items(made->node_first, form->node_first, s->node_from, nodes, sizeof *made->node_first);
  else
    copy_bytes(made->node_first, s->node_from, sizeof *made->node_first * (size_t)nodes);
  if (gone && form->tet_first)
    take_items(made->tet_first, form->tet_first, s->tet_from, tets);
  else if (gone)
    copy_bytes(made->tet_first, s->tet_from, sizeof *made->tet_first * (size_t)tets);

  made->mesh = s->mesh;
  s->mesh = (TetMesh){ 0 };
  made->bytes = bytes_of(&made->mesh);
  return made;
}

enum { HAS_RANKS = 1, HAS_BATCHES = 2 };  // bits of head[5] in the file: the file has the array `rank`, or `batch`

void form_write(const Form *form, FILE *file) {
  const TetMesh *mesh = &form->mesh;
  const NodeNumbering *numbering = &form->numbering;
  const int parts = numbering->part ? numbering->part_count : 0;
  const int own = (numbering->rank ? HAS_RANKS : 0) | (numbering->batch ? HAS_BATCHES : 0);
  const int head[6] = { mesh->node_count, mesh->tet_count, form->tet_first != NULL, (int)form->order_kind, parts, own };
  fwrite(head, sizeof head, 1, file);
  fwrite(form->node_first, sizeof *form->node_first, (size_t)mesh->node_count, file);
  fwrite(numbering->order, sizeof *numbering->order, (size_t)mesh->node_count, file);
  if (numbering->rank) fwrite(numbering->rank, sizeof *numbering->rank, (size_t)mesh->node_count, file);
  if (parts) fwrite(numbering->part, sizeof *numbering->part, (size_t)mesh->node_count, file);
  if (numbering->batch) fwrite(numbering->batch, sizeof *numbering->batch, (size_t)mesh->tet_count, file);
  if (form->tet_first) fwrite(form->tet_first, sizeof *form->tet_first, (size_t)mesh->tet_count, file);
  fwrite(mesh->tet, sizeof *mesh->tet, (size_t)mesh->tet_count, file);
  if (mesh->middle) fwrite(mesh->middle, sizeof *mesh->middle, (size_t)mesh->tet_count, file);
}

// Reads `count` ints, each at least 0 and less than `below`, into an array, which the caller frees. Returns NULL if
// bytes are missing, an int is out of this range, or memory is short.
static int *take_numbers(Bytes *bytes, int64_t count, int below, Error *error) {
  const int64_t capacity = (bytes->end - bytes->at) / (int64_t)sizeof(int);
  int *number = bytes->exhausted || count > capacity ? NULL : array_new(count, sizeof *number, "a form", error);
  if (number) bytes_take(bytes, number, sizeof *number * (size_t)count);
  for (int64_t k = 0; number && k < count; k++)
    if (number[k] < 0 || number[k] >= below) {
      free(number);
      return NULL;
    }
  return number;
}

// Returns true if the array `number` [count] contains no value twice. All values must be less than `below`.
static bool each_once(const int *number, int count, int below, Error *error) {
  uint8_t *seen = array_new(below, 1, "node order", error);
  bool ok = seen;
  for (int k = 0; ok && k < count; k++) {
    ok = !seen[number[k]];
    seen[number[k]] = 1;
  }
  free(seen);
  return ok;
}

// Checks a form that was read from a file. node_first and tet_first give the original of each node and tet: the node or
// tet of the scene's mesh from which cuts have made it. Returns true if these originals fit together. Let tet f be the
// original of tet e: then, for each c, node c of tet e must be node c of tet f, or a copy of it.
static bool is_of_scene(const Form *made, const TetMesh *m, const TetMesh *scene) {
  for (int e = 0; e < m->tet_count; e++) {
    const int was = made->tet_first ? made->tet_first[e] : e;
    for (int c = 0; c < 4; c++)
      if (made->node_first[m->tet[e][c]] != scene->tet[was][c]) return false;
    for (int c = 0; m->middle && c < 6; c++)
      if (made->node_first[m->middle[e][c]] != scene->middle[was][c]) return false;
  }
  return true;
}

Form *form_read(const Form *scene, Bytes *bytes, Error *error) {
  const TetMesh *mesh = &scene->mesh;
  int head[6] = { 0 };
  Form *made = new_form(error);
  Separation s = { 0 };
  if (!made) return NULL;
  bytes_take(bytes, head, sizeof head);
  const int nodes = head[0], tets = head[1];
  const int slots_max = simulation_batch_slots(mesh->tet_count);

  // A rank is the position of a node in an order of all nodes, so it is less than the number of nodes. After many cuts,
  // a mesh has at most as many nodes as if no two cells shared a node: cells * nodes per cell.
  const int64_t corners = (int64_t)mesh_cell_nodes(mesh) * mesh->tet_count;
  const int ranks_max = corners < INT32_MAX ? (int)corners : INT32_MAX;

  bool ok =
      !bytes->exhausted && nodes > 0 && tets > 0 && tets <= mesh->tet_count && head[3] >= 0 && head[3] <= ORDER_AUTO;
  made->order_kind = (MeshOrder)head[3];
  made->numbering.part_count = head[4];
  ok = ok && (made->node_first = take_numbers(bytes, nodes, mesh->node_count, error));
  ok = ok && (made->numbering.order = take_numbers(bytes, nodes, nodes, error));
  ok = ok && each_once(made->numbering.order, nodes, nodes, error);
  ok = ok && (!(head[5] & HAS_RANKS) || (made->numbering.rank = take_numbers(bytes, nodes, ranks_max, error)));
  ok = ok && (!head[4] || (made->numbering.part = take_numbers(bytes, nodes, head[4], error)));
  ok = ok && (!(head[5] & HAS_BATCHES) || ((made->numbering.batch = take_numbers(bytes, tets, slots_max, error)) &&
                                           each_once(made->numbering.batch, tets, slots_max, error)));
  ok = ok && (!head[2] || (made->tet_first = take_numbers(bytes, tets, mesh->tet_count, error)));
  ok = ok && (head[2] || tets == mesh->tet_count);
  ok = ok && (s.mesh.tet = (int(*)[4])take_numbers(bytes, 4 * (int64_t)tets, nodes, error));
  ok = ok && (!mesh->middle || (s.mesh.middle = (int(*)[6])take_numbers(bytes, 6 * (int64_t)tets, nodes, error)));

  // copies the other arrays of the mesh, such as the positions, from the scene's mesh
  s.mesh.node_count = nodes;
  s.mesh.tet_count = tets;
  s.node_from = made->node_first;
  s.tet_from = made->tet_first;
  ok = ok && is_of_scene(made, &s.mesh, mesh) && separation_fill(&s, mesh, error);
  made->mesh = s.mesh;
  made->bytes = bytes_of(&made->mesh);
  if (ok) return made;
  form_destroy(made);
  error_set(error, "the checkpoint is damaged: the cut mesh is not valid");
  return NULL;
}
