// Divides obstacles into triangles: see obstacles.h. A sphere is divided into quadrilateral patches of two triangles:
// ROUND patches from pole to pole, and 2 * ROUND around its axis. A capsule is a sphere with its two halves moved
// apart. A mesh keeps its triangles.
#include "render/obstacles.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/vectors.h"
#include "render/gl_check.h"

// ROUND: number of patches of a sphere from pole to pole. VERTICES_MAX: largest number of vertices of an obstacle that
// is not a mesh: the number for a sphere, which has 2 * ROUND * ROUND patches with 6 vertices each.
enum { ROUND = 24, VERTICES_MAX = 6 * ROUND * 2 * ROUND };

typedef struct Vertex {
  float position[3], normal[3];
} Vertex;

// Obstacle `o`, for which vertices are being computed, and the array to which they are added. `count`: vertices so far.
typedef struct Maker {
  const Obstacle *o;
  Vertex *vertex;
  int count;
} Maker;

// Adds a vertex. Its position `at`, m, and `normal` are given in the obstacle's local axes, and stored in world
// coordinates.
static void put(Maker *m, const double at[3], const double normal[3]) {
  Vertex *v = &m->vertex[m->count++];
  for (int i = 0; i < 3; i++) {
    double x = m->o->centre[i], n = 0;
    for (int k = 0; k < 3; k++) {
      x += m->o->axis[k][i] * at[k];
      n += m->o->axis[k][i] * normal[k];
    }
    v->position[i] = (float)x;
    v->normal[i] = (float)n;
  }
}

// Adds two triangles for a patch. at, normal: positions and normals of the patch's four corners, in cyclic order.
static void put_patch(Maker *m, const double at[4][3], const double normal[4][3]) {
  static const int corners[6] = { 0, 1, 2, 0, 2, 3 };
  for (int k = 0; k < 6; k++) put(m, at[corners[k]], normal[corners[k]]);
}

// Adds a rectangle perpendicular to the obstacle's local axis `axis`, at the coordinate `distance`, m, on this axis.
// Its edges along the other two axes k have the length 2 * half[k], m.
static void put_face(Maker *m, int axis, double distance, const double half[3]) {
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  double at[4][3], normal[4][3] = { { 0 } };
  for (int k = 0; k < 4; k++) {
    at[k][axis] = distance;
    at[k][a] = k == 1 || k == 2 ? half[a] : -half[a];
    at[k][b] = k >= 2 ? half[b] : -half[b];
    normal[k][axis] = distance < 0 ? -1 : 1;
  }
  put_patch(m, (const double(*)[3])at, (const double(*)[3])normal);
}

// Adds a capsule: the upper half of a sphere, moved by `apart` m along z, its lower half, moved by -apart, and the
// cylinder between the halves. With apart = 0 the result is a sphere.
static void put_ball(Maker *m, double radius, double apart) {
  const double pi = acos(-1.0);
  for (int i = 0; i < ROUND; i++)
    for (int j = 0; j < 2 * ROUND; j++) {
      double at[4][3], normal[4][3];
      for (int k = 0; k < 4; k++) {
        // each half of the sphere has its own row of points on the equator; the patches between the two rows form the
        // cylinder of a capsule
        const int row = i + (k >= 2), turn = j + (k == 1 || k == 2), low = ROUND / 2;
        const bool upper = row > low;
        const double latitude = pi / 2 * (upper ? (row - low - 1) / (ROUND - low - 1.0) : row / (double)low - 1);
        const double longitude = pi * turn / ROUND;
        normal[k][0] = cos(latitude) * cos(longitude);
        normal[k][1] = cos(latitude) * sin(longitude);
        normal[k][2] = sin(latitude);
        for (int l = 0; l < 3; l++) at[k][l] = radius * normal[k][l];
        at[k][2] += upper ? apart : -apart;
      }
      put_patch(m, (const double(*)[3])at, (const double(*)[3])normal);
    }
}

// Adds the triangles of a mesh. The three corners of a triangle get the normal of the triangle.
static void put_mesh(Maker *m) {
  const ObstacleSurface *s = m->o->surface;
  for (int t = 0; t < s->triangle_count; t++) {
    double at[3][3], u[3], v[3], normal[3], length = 0;
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) at[j][i] = m->o->size[0] * s->X[s->triangle[t][j]][i];
    for (int i = 0; i < 3; i++) {
      u[i] = at[1][i] - at[0][i];
      v[i] = at[2][i] - at[0][i];
    }
    for (int i = 0; i < 3; i++) {
      normal[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
      length = hypot(length, normal[i]);
    }
    for (int i = 0; i < 3; i++) normal[i] /= length;
    for (int j = 0; j < 3; j++) put(m, at[j], normal);
  }
}

static void put_obstacle(Maker *m, const double centre[3], double reach) {
  const Obstacle *o = m->o;
  if (o->kind == OBSTACLE_BOX) {
    for (int axis = 0; axis < 3; axis++)
      for (int side = -1; side <= 1; side += 2) put_face(m, axis, side * o->size[axis], o->size);
  } else if (o->kind == OBSTACLE_PLANE) {
    Obstacle here = *o;
    double above = 0;
    for (int i = 0; i < 3; i++) above += (centre[i] - o->centre[i]) * o->axis[2][i];
    for (int i = 0; i < 3; i++) here.centre[i] = centre[i] - above * o->axis[2][i];
    m->o = &here;
    put_face(m, 2, 0, (const double[3]){ reach, reach, 0 });
  } else if (o->kind == OBSTACLE_MESH) {
    put_mesh(m);
  } else {
    put_ball(m, o->size[0], o->kind == OBSTACLE_CAPSULE ? o->size[2] : 0);
  }
}

// Computes the vertices of obstacles [count], at least one, and sets the members of *shapes that count vertices.
// Returns the vertices, which the caller frees, or NULL with an error.
static Vertex *make_vertices(ObstacleShapes *shapes, const Obstacle *obstacles, int count, double time,
                             const double centre[3], double reach, Error *error) {
  int64_t maximum = 0;
  for (int k = 0; k < count; k++)
    maximum += obstacles[k].kind == OBSTACLE_MESH ? 3 * (int64_t)obstacles[k].surface->triangle_count : VERTICES_MAX;
  if (maximum > INT32_MAX) {
    error_set(error, "the obstacles' meshes have too many triangles to be drawn; use coarser meshes");
    return NULL;
  }
  Maker m = { .vertex = array_new(maximum, sizeof *m.vertex, "obstacles' corners", error) };
  if (!m.vertex) return NULL;
  for (int planes = 0; planes < 2; planes++) {
    if (planes) shapes->casting_count = m.count;
    for (int k = 0; k < count; k++) {
      Obstacle there = obstacles[k];
      obstacle_place(&there, time);
      m.o = &there;
      if ((there.kind == OBSTACLE_PLANE) != planes) continue;
      shapes->first[k] = m.count;
      put_obstacle(&m, centre, reach);
      shapes->count[k] = m.count - shapes->first[k];
    }
  }

  shapes->vertex_count = m.count;
  shapes->obstacle_count = count;
  return m.vertex;
}

bool obstacle_shapes_create(ObstacleShapes *shapes, const Obstacle *obstacles, int count, double time,
                            const double centre[3], double reach, Error *error) {
  *shapes = (ObstacleShapes){ 0 };
  if (count == 0) return true;
  Vertex *vertex = make_vertices(shapes, obstacles, count, time, centre, reach, error);
  if (!vertex) return false;
  for (int i = 0; i < 3; i++) {
    shapes->low[i] = HUGE_VAL;
    shapes->high[i] = -HUGE_VAL;
    for (int k = 0; k < shapes->casting_count; k++) {
      const double x = (double)vertex[k].position[i];
      shapes->low[i] = fmin(shapes->low[i], x);
      shapes->high[i] = fmax(shapes->high[i], x);
    }
  }

  glCreateBuffers(1, &shapes->buffer);
  glNamedBufferStorage(shapes->buffer, (GLsizeiptr)(sizeof *vertex * (size_t)shapes->vertex_count), vertex, 0);
  free(vertex);
  glCreateVertexArrays(1, &shapes->vertex_array);
  glVertexArrayVertexBuffer(shapes->vertex_array, 0, shapes->buffer, 0, sizeof(Vertex));
  for (GLuint k = 0; k < 2; k++) {
    glVertexArrayAttribFormat(shapes->vertex_array, k, 3, GL_FLOAT, GL_FALSE, k * 3 * (GLuint)sizeof(float));
    glVertexArrayAttribBinding(shapes->vertex_array, k, 0);
    glEnableVertexArrayAttrib(shapes->vertex_array, k);
  }
  return GL_CHECK("creating the obstacles' buffers");
}

// Returns the distance from `origin` along the ray to a triangle; infinity: the ray does not hit it. Solves origin + t
// * direction = corner + a * u + b * v by Cramer's rule, where u and v are edges of the triangle.
static double triangle_distance(const Vertex corner[3], const double origin[3], const double direction[3]) {
  double u[3], v[3], from[3], n[3], m[3];
  for (int i = 0; i < 3; i++) {
    u[i] = (double)corner[1].position[i] - corner[0].position[i];
    v[i] = (double)corner[2].position[i] - corner[0].position[i];
    from[i] = origin[i] - corner[0].position[i];
  }
  vector_cross(direction, v, n);
  vector_cross(from, u, m);
  const double volume = vector_dot(u, n), a = vector_dot(from, n) / volume, b = vector_dot(direction, m) / volume;
  const double t = vector_dot(v, m) / volume;
  return volume != 0 && a >= 0 && b >= 0 && a + b <= 1 && t >= 0 ? t : HUGE_VAL;
}

bool obstacle_shapes_hit(const Obstacle *obstacles, int count, double time, const double centre[3], double reach,
                         const double origin[3], const double direction[3], double *distance, Error *error) {
  ObstacleShapes shapes = { 0 };
  if (count == 0) return true;
  Vertex *vertex = make_vertices(&shapes, obstacles, count, time, centre, reach, error);
  for (int k = 0; vertex && k < count; k++) {
    distance[k] = HUGE_VAL;
    for (int v = shapes.first[k]; v < shapes.first[k] + shapes.count[k]; v += 3)
      distance[k] = fmin(distance[k], triangle_distance(&vertex[v], origin, direction));
  }
  free(vertex);
  return vertex != NULL;
}

void obstacle_shapes_destroy(ObstacleShapes *shapes) {
  if (shapes->buffer) glDeleteBuffers(1, &shapes->buffer);
  if (shapes->vertex_array) glDeleteVertexArrays(1, &shapes->vertex_array);
  *shapes = (ObstacleShapes){ 0 };
}

void obstacle_shapes_draw(const ObstacleShapes *shapes, bool casting, uint32_t hidden, unsigned program) {
  const int end = casting ? shapes->casting_count : shapes->vertex_count;
  if (end == 0) return;
  glUseProgram(program);
  glBindVertexArray(shapes->vertex_array);
  for (int k = 0; k < shapes->obstacle_count; k++)
    if (!(hidden >> k & 1) && shapes->first[k] < end) glDrawArrays(GL_TRIANGLES, shapes->first[k], shapes->count[k]);
}

int obstacles_and_ball(const Obstacle *obstacles, int count, double radius, const double middle[3],
                       Obstacle all[OBSTACLES_MAX + 1]) {
  for (int k = 0; k < count; k++) all[k] = obstacles[k];
  if (!(radius > 0)) return count;
  all[count] = (Obstacle){ .kind = OBSTACLE_SPHERE, .size = { radius }, .motion.point_count = 1 };
  for (int i = 0; i < 3; i++) {
    all[count].centre[i] = middle[i];
    all[count].axis[i][i] = 1;
  }
  return count + 1;
}
