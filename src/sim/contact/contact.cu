// Allocates, fills and frees the arrays of contact on the GPU, struct ContactCuda (contact_cuda.h). The kernels that
// use them are in nearby.cu, bounds.cu, friction.cu and pushes.cu.
#include <string.h>

#include "device/cuda_try.h"
#include "device/upload_ring.h"
#include "sim/contact/contact_kernels.cuh"

// Creates the arrays that depend only on the surface, and copies the host's data to them.
static bool create_skin(ContactCuda *c, Error *error) {
  const Skin *skin = &c->host->skin;
  const size_t nodes = (size_t)skin->node_count, vertices = (size_t)skin->vertex_count;
  const size_t edges = (size_t)skin->edge_count;
  const size_t obstacles = nodes > (size_t)skin->body_nodes ? nodes - (size_t)skin->body_nodes : 1;
  int *vertex_of = (int *)array_new(skin->node_count, sizeof *vertex_of, "contact", error);
  if (!vertex_of) return false;
  for (size_t a = 0; a < nodes; a++) vertex_of[a] = -1;
  for (size_t v = 0; v < vertices; v++) vertex_of[skin->vertex[v]] = (int)v;
  const struct {
    void **to;
    const void *from;
    size_t bytes;
  } clones[] = {
    { (void **)&c->vertex, skin->vertex, sizeof(int) * vertices },
    { (void **)&c->vertex_of, vertex_of, sizeof(int) * nodes },
    { (void **)&c->vertex_area, skin->vertex_area, sizeof(double) * vertices },
    { (void **)&c->edge_area, skin->edge_area, sizeof(double) * edges },
    { (void **)&c->factor, skin->factor, sizeof(double) * nodes },
    { (void **)&c->X, skin->X, sizeof *skin->X * nodes },
    { (void **)&c->component, skin->component, sizeof(int) * nodes },
    { (void **)&c->friction, skin->friction, sizeof(double) * nodes },
    { (void **)&c->rigid, c->host->rigid, sizeof *c->rigid * obstacles },
    { (void **)&c->rigid_velocity, c->host->rigid_velocity, sizeof *c->rigid * obstacles },
  };
  bool ok = true;
  for (size_t k = 0; ok && k < sizeof clones / sizeof *clones; k++)
    ok = (*clones[k].to = device_clone(DEVICE_CUDA, clones[k].from, clones[k].bytes, error)) != NULL;
  free(vertex_of);
  return ok;
}

static bool create_arrays(ContactCuda *c, Error *error) {
  const size_t nodes = (size_t)c->node_count, vertices = (size_t)c->vertex_count;
  const struct {
    void **to;
    size_t bytes;
  } arrays[] = {
    { (void **)&c->x, sizeof *c->x * nodes },
    { (void **)&c->displacement, sizeof *c->displacement * nodes },
    { (void **)&c->to, sizeof *c->to * nodes },
    { (void **)&c->trial, sizeof *c->trial * nodes },
    { (void **)&c->from, sizeof *c->from * nodes },
    { (void **)&c->list_path, sizeof *c->list_path * nodes },
    { (void **)&c->start, sizeof *c->start * nodes },
    { (void **)&c->force, sizeof *c->force * vertices },
    { (void **)&c->energy, sizeof *c->energy * vertices },
    { (void **)&c->diagonal_blocks, sizeof *c->diagonal_blocks * vertices },
    { (void **)&c->list.start, sizeof(int) * (vertices + 1) },
    { (void **)&c->tangent_count, sizeof(int) * vertices },
    { (void **)&c->tangent_slides, sizeof(int) * vertices },
    { (void **)&c->sliding_rows.start, sizeof(int) * (vertices + 1) },
    { (void **)&c->sliding_rows.count, sizeof(int) * vertices },
    { (void **)&c->sliding_rows.couple_count, sizeof(int) * vertices },
    { (void **)&c->offset, sizeof(int) * (vertices + (size_t)c->edge_count + 1) },
    { (void **)&c->sums, sizeof *c->sums },
    { (void **)&c->row_index, sizeof *c->row_index * (vertices + 1) },
    { (void **)&c->row, sizeof *c->row * vertices },
    { (void **)&c->row_of, sizeof *c->row_of * nodes },
    { (void **)&c->slide_count, sizeof *c->slide_count },
    { (void **)&c->bound, sizeof *c->bound },
    { (void **)&c->partial, 3 * sizeof *c->partial * CONTACT_PARTS },
    { (void **)&c->energies, 3 * sizeof *c->energies },
  };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (!(*arrays[k].to = device_alloc(DEVICE_CUDA, arrays[k].bytes, error))) return false;
  CUDA_TRY(cudaMemset(c->bound, 0, sizeof *c->bound));

  // products with the tangent may read row_of before the first tangent is computed
  CUDA_TRY(cudaMemset(c->row_of, 0xff, sizeof *c->row_of * nodes));  // all elements -1: no node has a row
  const TermRows none = {};
  if (!(c->rows = (TermRows *)device_clone(DEVICE_CUDA, &none, sizeof none, error))) return false;
  const struct {
    void **to;
    size_t bytes;
  } pinned[] = {
    { (void **)&c->on_host, sizeof *c->on_host },
    { (void **)&c->slide_host, sizeof *c->slide_host },
    { (void **)&c->rows_host, sizeof *c->rows_host },
    { (void **)&c->bound_host, sizeof *c->bound_host },
    { (void **)&c->energies_host, 3 * sizeof *c->energies_host },
  };
  for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) {
    if (!(*pinned[k].to = device_alloc_pinned(DEVICE_CUDA, pinned[k].bytes, error))) return false;
    memset(*pinned[k].to, 0, pinned[k].bytes);
  }
  return true;
}

extern "C" bool contact_cuda_create(ContactCuda **contact, Contact *host, Error *error) {
  ContactCuda *c = *contact = (ContactCuda *)array_new(1, sizeof *c, "contact", error);
  if (!c) return false;
  const Skin *skin = &host->skin;
  c->host = host;
  host->anchors.device = DEVICE_CUDA;
  c->node_count = skin->node_count;
  c->body_nodes = skin->body_nodes;
  c->active_nodes = skin->active_nodes;
  c->vertex_count = skin->vertex_count;
  c->body_vertices = skin->body_vertices;
  c->active_planes = skin->active_planes;
  memcpy(c->plane, skin->plane, sizeof c->plane);
  c->edge_count = skin->edge_count;
  c->empty = true;
  const size_t rigid_bytes = 2 * sizeof *c->rigid * (size_t)(c->node_count - c->body_nodes);
  c->rigid_uploads = (UploadRing *)array_new(1, sizeof *c->rigid_uploads, "contact", error);
  if (!c->rigid_uploads) return false;
  if (!upload_ring_create(c->rigid_uploads, DEVICE_CUDA, rigid_bytes, error)) return false;
  if (!create_skin(c, error)) return false;
  if (!create_arrays(c, error)) return false;
  return nearby_cuda_create(c, error);
}

extern "C" bool contact_cuda_place_rigid(ContactCuda *c, Stream stream, Error *error) {
  const size_t bytes = sizeof *c->rigid * (size_t)(c->node_count - c->body_nodes);
  void *block;
  const Skin *skin = &c->host->skin;
  if (c->active_nodes != skin->active_nodes || c->active_planes != skin->active_planes) c->found = false;
  c->active_nodes = skin->active_nodes;
  c->active_planes = skin->active_planes;
  if (!upload_ring_begin(c->rigid_uploads, &block, error)) return false;
  memcpy(block, c->host->rigid, bytes);
  memcpy((char *)block + bytes, c->host->rigid_velocity, bytes);
  return device_upload(stream, c->rigid, block, bytes, error) &&
         device_upload(stream, c->rigid_velocity, (char *)block + bytes, bytes, error) &&
         upload_ring_end(c->rigid_uploads, stream, error);
}

extern "C" void contact_cuda_destroy(ContactCuda *c) {
  if (!c) return;
  if (c->rigid_uploads) upload_ring_destroy(c->rigid_uploads);
  free(c->rigid_uploads);
  nearby_cuda_destroy(c);
  void *arrays[] = { c->vertex,
                     c->vertex_of,
                     c->vertex_area,
                     c->edge_area,
                     c->factor,
                     c->X,
                     c->component,
                     c->friction,
                     c->rigid,
                     c->rigid_velocity,
                     c->x,
                     c->displacement,
                     c->to,
                     c->trial,
                     c->from,
                     c->list_path,
                     c->start,
                     c->force,
                     c->energy,
                     c->diagonal_blocks,
                     c->list.start,
                     c->offset,
                     c->sums,
                     c->row_index,
                     c->row,
                     c->row_of,
                     c->rows,
                     c->bound,
                     c->touch,
                     c->touches,
                     c->tangent,
                     c->in_tangent,
                     c->sliding,
                     c->slides,
                     c->rubs,
                     c->partial,
                     c->energies,
                     c->sliding_tangent,
                     c->led,
                     c->sliding_led,
                     c->entries,
                     c->sliding_entries,
                     c->tangent_count,
                     c->tangent_slides,
                     c->slide_count,
                     c->sliding_rows.start,
                     c->sliding_rows.entry,
                     c->sliding_rows.count,
                     c->sliding_rows.couple_count };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  void *pinned[] = { c->on_host, c->slide_host, c->rows_host, c->bound_host, c->energies_host };
  for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) device_free_pinned(DEVICE_CUDA, pinned[k]);
  free(c);
}
