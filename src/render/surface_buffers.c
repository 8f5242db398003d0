// Creates the OpenGL buffers and the contact maps of a SurfaceRenderer: see surface_renderer.h.
#include "render/surface_buffers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/opened_faces.h"
#include "mesh/quadratic.h"
#include "render/gl_check.h"

GLuint surface_buffer(const void *data, size_t bytes) {
  GLuint buffer = 0;
  glCreateBuffers(1, &buffer);
  glNamedBufferStorage(buffer, bytes ? (GLsizeiptr)bytes : 4, bytes ? data : NULL, 0);
  return buffer;
}

size_t surface_renderer_bytes(int node_count) {
  return sizeof(float) * (7 * (size_t)node_count + FIELD_EXTRA);
}

size_t surface_first_vector(const SurfaceRenderer *r) {
  return 4 * (size_t)r->node_count + FIELD_EXTRA;
}

// Creates two maps for the body's soft shadow on the floor: the depth map of the body's underside, as seen from the
// floor, and the contact map, which is computed from it. For each point of the floor, the contact map has the fraction
// of the sky's light that the body hides.
static bool create_contact_maps(SurfaceRenderer *r, Error *error) {
  const float open[4] = { 0 };
  const struct {
    GLuint *texture, *target;
    GLenum format, attachment, filter;
  } maps[] = { { &r->underside, &r->underside_target, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, GL_NEAREST },
               { &r->contact, &r->contact_target, GL_R8, GL_COLOR_ATTACHMENT0, GL_LINEAR } };
  for (int k = 0; k < 2; k++) {
    glCreateTextures(GL_TEXTURE_2D, 1, maps[k].texture);
    glTextureStorage2D(*maps[k].texture, 1, maps[k].format, CONTACT_SIZE, CONTACT_SIZE);
    glTextureParameteri(*maps[k].texture, GL_TEXTURE_MIN_FILTER, (GLint)maps[k].filter);
    glTextureParameteri(*maps[k].texture, GL_TEXTURE_MAG_FILTER, (GLint)maps[k].filter);
    glTextureParameteri(*maps[k].texture, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    glTextureParameteri(*maps[k].texture, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
    glTextureParameterfv(*maps[k].texture, GL_TEXTURE_BORDER_COLOR, open);
    glCreateFramebuffers(1, maps[k].target);
    glNamedFramebufferTexture(*maps[k].target, maps[k].attachment, *maps[k].texture, 0);
    if (k == 0) glNamedFramebufferDrawBuffer(*maps[k].target, GL_NONE);
    if (k == 0) glNamedFramebufferReadBuffer(*maps[k].target, GL_NONE);
    if (glCheckNamedFramebufferStatus(*maps[k].target, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      return error_set(error, "OpenGL cannot draw the images for the floor's shadows");
  }
  return GL_CHECK("creating the floor's maps");
}

// Creates the buffer of the tets that are drawn if a section shows the inside of the body. Cells other than linear tets
// are divided into tets.
static bool create_tets(SurfaceRenderer *r, const TetMesh *mesh, Error *error) {
  const size_t count = (size_t)mesh->tet_count;
  r->tet_count = mesh->tet_count;
  if (mesh_shape(mesh) == CELL_TET4) {
    r->tets = surface_buffer(mesh->tet, count * sizeof *mesh->tet);
    return true;
  }
  int some[MESH_PARTS_MAX][4];
  const int parts = mesh->tet_count ? mesh_parts_of_tet(mesh, 0, some) : 1;
  if (mesh->tet_count > INT32_MAX / parts)
    return error_set(error,
                     "the mesh is too large to be drawn: it has %d %s, each drawn as %d tets; use a coarser mesh",
                     mesh->tet_count, mesh_cell_word(mesh), parts);
  int(*part)[4] = array_new((int64_t)parts * mesh->tet_count, sizeof *part, "tets to be drawn", error);
  for (int e = 0; part && e < mesh->tet_count; e++) {
    mesh_parts_of_tet(mesh, e, some);
    memcpy(part[(int64_t)parts * e], some, sizeof *part * (size_t)parts);
  }
  if (part) r->tets = surface_buffer(part, count * (size_t)parts * sizeof *part);
  r->tet_count = parts * mesh->tet_count;
  const bool ok = part;
  free(part);
  return ok;
}

// Divides cell e into linear tets, which are stored in `part`. Returns the one of these tets that has the surface
// triangle `triangle` as a face; if none has it, returns the last tet.
static const int *part_with(const TetMesh *mesh, int e, const int triangle[3], int part[MESH_PARTS_MAX][4]) {
  const int parts = mesh_parts_of_tet(mesh, e, part);
  for (int k = 0; k < parts; k++) {
    int found = 0;
    for (int c = 0; c < 12; c++) found += part[k][c / 3] == triangle[c % 3];
    if (found == 3) return part[k];
  }
  return part[parts - 1];
}

// Creates two buffers. r->rest stores three arrays one after the other: the rest position, the colour and the body of
// each node. r->owners stores, for each surface triangle, the centre at rest of the tet that has this triangle as a
// face, and 1 if a cut has opened the triangle, else 0.
static bool create_rest(SurfaceRenderer *r, const Surface *surface, const TetMesh *mesh, Error *error) {
  const size_t nodes = (size_t)mesh->node_count;
  float(*rest)[3] = array_new(mesh->node_count, 5 * sizeof **rest, "nodes", error);
  float(*owner)[4] = array_new(surface->triangle_count, sizeof *owner, "surface triangles", error);
  uint8_t *opened = array_new(surface->triangle_count, 1, "surface triangles", error);
  const bool ok = rest && owner && opened && surface_find_opened(surface, mesh, opened, error);
  for (int a = 0; ok && a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) rest[a][i] = (float)mesh->X[a][i];
  float *paint = (float *)rest + 3 * nodes;
  for (size_t a = 0; ok && a < nodes; a++) {
    paint[a] = -1;  // a negative number selects the default colour
    paint[nodes + a] = (float)mesh_body(mesh, (int)a);
  }
  for (int t = 0; ok && t < surface->triangle_count; t++) {
    int part[MESH_PARTS_MAX][4];

    // a surface without cells (NULL owner) uses the centre of the triangle
    const int *node =
        surface->owner ? part_with(mesh, surface->owner[t], surface->triangle[t], part) : surface->triangle[t];
    const int count = surface->owner ? 4 : 3;
    for (int a = 0; a < count; a++)
      for (int i = 0; i < 3; i++) owner[t][i] += (float)(mesh->X[node[a]][i] / count);
    owner[t][3] = opened[t];
  }

  glCreateBuffers(1, &r->rest);
  if (ok) glNamedBufferStorage(r->rest, (GLsizeiptr)(5 * sizeof(float) * nodes), rest, GL_DYNAMIC_STORAGE_BIT);
  if (ok) r->owners = surface_buffer(owner, sizeof *owner * (size_t)surface->triangle_count);
  free(rest);
  free(owner);
  free(opened);
  mesh_bounds(mesh, r->low, r->high);
  return ok;
}

static bool create_vertices(SurfaceRenderer *r, const Surface *surface, const TetMesh *mesh, Error *error) {
  SurfaceVertices v = { 0 };
  if (!surface_vertices_create(&v, surface, mesh, error)) return false;
  const size_t triangles = (size_t)surface->triangle_count, count = (size_t)v.count;
  r->vertex_count = v.count;
  r->nodes = surface_buffer(v.node, count * sizeof *v.node);
  r->corners = surface_buffer(v.triangle, triangles * sizeof *v.triangle);
  r->fan_start = surface_buffer(v.fan_start, (count + 1) * sizeof *v.fan_start);
  r->fan = surface_buffer(v.fan, 3 * triangles * sizeof *v.fan);
  r->normals = surface_buffer(NULL, count * 3 * sizeof(float));
  surface_vertices_destroy(&v);
  return true;
}

// Creates OpenGL's vertex arrays, which describe the data of vertices. A vertex of the surface has a node number and a
// normal. Shaders read all other data, such as the position, from the buffers of the nodes, at the node number.
static void create_arrays(SurfaceRenderer *r) {
  glCreateVertexArrays(1, &r->vertex_array);
  glCreateVertexArrays(1, &r->pin_array);
  glCreateVertexArrays(1, &r->no_vertices);
  glVertexArrayVertexBuffer(r->vertex_array, 0, r->nodes, 0, sizeof(int));
  glVertexArrayAttribIFormat(r->vertex_array, 0, 1, GL_INT, 0);
  glVertexArrayVertexBuffer(r->vertex_array, 1, r->normals, 0, 3 * sizeof(float));
  glVertexArrayAttribFormat(r->vertex_array, 1, 3, GL_FLOAT, GL_FALSE, 0);
  glVertexArrayElementBuffer(r->vertex_array, r->corners);
  glVertexArrayAttribIFormat(r->pin_array, 0, 1, GL_INT, 0);
  for (GLuint k = 0; k < 3; k++) {
    const GLuint array = k < 2 ? r->vertex_array : r->pin_array, attribute = k % 2;
    glVertexArrayAttribBinding(array, attribute, attribute);
    glEnableVertexArrayAttrib(array, attribute);
  }
  glCreateVertexArrays(1, &r->cap_array);
  glVertexArrayAttribIFormat(r->cap_array, 0, 2, GL_INT, offsetof(PlaneCutVertex, ends));
  glVertexArrayAttribFormat(r->cap_array, 1, 1, GL_FLOAT, GL_FALSE, offsetof(PlaneCutVertex, part));
  for (GLuint k = 0; k < 2; k++) {
    glVertexArrayAttribBinding(r->cap_array, k, 0);
    glEnableVertexArrayAttrib(r->cap_array, k);
  }
}

bool surface_renderer_create(SurfaceRenderer *renderer, const Programs *programs, const Surface *surface,
                             const TetMesh *mesh, Device device, Error *error) {
  SurfaceRenderer *r = renderer;
  const size_t triangles = (size_t)surface->triangle_count;
  *r = (SurfaceRenderer){
    .programs = programs, .mesh = mesh, .node_count = mesh->node_count, .triangle_count = surface->triangle_count
  };
  for (int k = 0; k < LOOKS_MAX; k++) {
    r->roughness[k] = ROUGHNESS_DEFAULT;
    r->opacity[k] = 1;
  }
  if (!(r->values = array_new(mesh->node_count, sizeof *r->values, "values of nodes", error))) goto failed;
  if (!shared_buffer_create(&r->positions, device, surface_renderer_bytes(mesh->node_count), error)) goto failed;
  if (!create_rest(r, surface, mesh, error)) goto failed;
  if (!create_vertices(r, surface, mesh, error)) goto failed;
  if (!create_tets(r, mesh, error)) goto failed;
  r->triangles = surface_buffer(surface->triangle, triangles * sizeof *surface->triangle);
  glCreateBuffers(1, &r->frame);
  glNamedBufferStorage(r->frame, sizeof(FrameUniforms), NULL, GL_DYNAMIC_STORAGE_BIT);
  create_arrays(r);
  if (GL_CHECK("creating the surface's buffers") && create_contact_maps(r, error)) return true;
failed:
  surface_renderer_destroy(r);
  return false;
}

void surface_renderer_destroy(SurfaceRenderer *renderer) {
  SurfaceRenderer *r = renderer;
  const GLuint buffers[] = { r->nodes, r->corners, r->normals, r->triangles, r->fan_start, r->fan, r->frame,
                             r->rest,  r->tets,    r->owners,  r->pins,      r->chosen,    r->cap };
  const GLuint arrays[] = { r->vertex_array, r->pin_array, r->no_vertices, r->cap_array };
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
    if (buffers[k]) glDeleteBuffers(1, &buffers[k]);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (arrays[k]) glDeleteVertexArrays(1, &arrays[k]);
  const GLuint targets[] = { r->underside_target, r->contact_target }, textures[] = { r->underside, r->contact };
  for (int k = 0; k < 2; k++) {
    if (targets[k]) glDeleteFramebuffers(1, &targets[k]);
    if (textures[k]) glDeleteTextures(1, &textures[k]);
  }
  shadow_map_destroy(&r->shadow_map);
  if (r->environment) glDeleteTextures(1, &r->environment);
  obstacle_shapes_destroy(&r->obstacles);
  free(r->paint);
  free(r->values);
  occlusion_map_destroy(&r->occlusion);
  mirror_map_destroy(&r->mirror);
  shared_buffer_destroy(&r->positions);
  plane_cut_destroy(&r->cut);
  *r = (SurfaceRenderer){ 0 };
}
