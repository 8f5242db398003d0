// Tests drawing, normals and picking without a window, with positions on the CPU, and on the GPU if there is one.
#include "../testing.h"

#include "mesh/tet_mesh.h"
#include "render/gl_picture.h"
#include "render/color_map.h"
#include "render/offscreen.h"
#include "render/picker.h"
#include "render/render_target.h"
#include "render/surface_renderer.h"

enum { WIDTH = 160, HEIGHT = 120 };

// A box of 5 x 4 x 3 cells, whose nodes a function may move to another shape, and the objects that draw the box.
typedef struct Stage {
  TetMesh mesh;
  Surface surface;
  Device device;
  Stream stream;
  Offscreen offscreen;
  RenderTarget target;
  Programs programs;
  SurfaceRenderer renderer;
  Camera camera;
  float (*x)[3];  // [node_count] positions
} Stage;

// Returns zeroed memory for surface_renderer_update, which begins with the positions. The caller frees it.
static float *stage_values(const Stage *s) {
  float *whole = calloc(1, surface_renderer_bytes(s->mesh.node_count));
  memcpy(whole, s->x, sizeof *s->x * (size_t)s->mesh.node_count);
  return whole;
}

// Opens a stage. body: number of the body to which all nodes belong; -1: the mesh has no bodies.
static void stage_open_body(Stage *s, Device device, double size, void (*shape)(float x[3]), int body) {
  Error error = { 0 };
  const double edges[3] = { size, size, size };
  double low[3], high[3];
  *s = (Stage){ .device = device };
  MUST(mesh_make_box(5, 4, 3, edges, &s->mesh, &error));
  MUST(surface_create(&s->surface, &s->mesh, &error));
  if (body >= 0) s->mesh.body = malloc(sizeof *s->mesh.body * (size_t)s->mesh.node_count);
  for (int a = 0; s->mesh.body && a < s->mesh.node_count; a++) s->mesh.body[a] = body;
  s->x = malloc(sizeof *s->x * (size_t)s->mesh.node_count);
  for (int a = 0; a < s->mesh.node_count; a++) {
    for (int i = 0; i < 3; i++) s->x[a][i] = (float)s->mesh.X[a][i];
    if (shape) shape(s->x[a]);
  }
  MUST(offscreen_create(&s->offscreen, device, &error));
  MUST(render_target_resize(&s->target, WIDTH, HEIGHT, true, &error));
  MUST(programs_create(&s->programs, &error));
  MUST(surface_renderer_create(&s->renderer, &s->programs, &s->surface, &s->mesh, device, &error));
  MUST(stream_create(device, &s->stream, &error));
  float *whole = stage_values(s);
  void *memory = device_clone(device, whole, surface_renderer_bytes(s->mesh.node_count), &error);
  free(whole);
  MUST(memory != NULL);
  MUST(surface_renderer_update(&s->renderer, s->stream, memory, FIELD_NONE, VECTORS_NONE, &error));
  MUST(stream_sync(s->stream, &error));
  device_free(device, memory);
  mesh_bounds(&s->mesh, low, high);
  s->camera = camera_fit(low, high, 40, (double)WIDTH / HEIGHT);
  camera_orbit(&s->camera, 0.3, 0.25);
}

static void stage_open(Stage *s, Device device, double size, void (*shape)(float x[3])) {
  stage_open_body(s, device, size, shape, -1);
}

// Draws a picture, and stores its pixels in `rgba`.
static void stage_draw(Stage *s, const Picture *picture, uint8_t (*rgba)[WIDTH][4]) {
  Error error = { 0 };
  MUST(surface_renderer_draw(&s->renderer, s->target.framebuffer, WIDTH, HEIGHT, picture, &error));
  MUST(render_target_read(&s->target, &rgba[0][0][0], &error));
}

static void stage_close(Stage *s) {
  surface_renderer_destroy(&s->renderer);
  programs_destroy(&s->programs);
  render_target_destroy(&s->target);
  offscreen_destroy(&s->offscreen);
  stream_destroy(&s->stream);
  surface_destroy(&s->surface);
  mesh_destroy(&s->mesh);
  free(s->x);
}

// Maps the box [0, 1]^3 to a ball of radius 1 about the origin, so that its surface becomes the sphere.
static void shape_ball(float x[3]) {
  float largest = 0, length2 = 0;
  for (int i = 0; i < 3; i++) {
    x[i] = 2 * x[i] - 1;
    largest = fmaxf(largest, fabsf(x[i]));
    length2 += x[i] * x[i];
  }
  for (int i = 0; i < 3 && length2 > 0; i++) x[i] *= largest / sqrtf(length2);
}

static void shape_wave(float x[3]) {
  x[0] += 0.1f * sinf(4 * x[2]);
  x[1] += 0.15f * sinf(5 * x[0] + 2 * x[2]);
}

// A body is drawn in its own colour. The patch under the mouse is highlighted only on the body under the mouse.
static void bodies_have_colours_and_are_highlighted_separately(void **state) {
  (void)state;
  static uint8_t rgba[4][HEIGHT][WIDTH][4];
  const BodyLook colors[LOOKS_MAX] = { { true, { 0.1, 0.9, 0.1 }, ROUGHNESS_DEFAULT, 0 },
                                       { true, { 0.1, 0.2, 0.9 }, ROUGHNESS_DEFAULT, 0 } };
  const BodyLook none[LOOKS_MAX] = { { .roughness = ROUGHNESS_DEFAULT }, { .roughness = ROUGHNESS_DEFAULT } };
  Error error = { 0 };
  Stage s;
  stage_open_body(&s, DEVICE_CPU, 1, NULL, 1);
  for (int k = 0; k < 4; k++) {
    // picture k: 0 without the body's colour, 1 with it, 2 with the mouse over body 0, 3 with the mouse over body 1
    const Hover hover = { .X = { 0.5, 0.5, 0.5 }, .radius = 5, .body = k - 2 };
    const Picture picture = { .camera = &s.camera, .hover = k < 2 ? NULL : &hover };
    MUST(surface_renderer_set_looks(&s.renderer, k == 0 ? none : colors, &error));
    stage_draw(&s, &picture, rgba[k]);
    const uint8_t *middle = rgba[k][HEIGHT / 2][WIDTH / 2];
    const bool red = middle[0] > middle[2] + 30, blue = middle[2] > middle[0] + 30 && middle[2] > middle[1] + 30;
    if (red != (k == 0) || (blue != (k > 0) && k < 3))
      fail_msg("picture %d: the middle has red %d, green %d, blue %d, expected mainly %s", k, middle[0], middle[1],
               middle[2], k == 0 ? "red" : "blue");
  }

  assert_memory_equal(rgba[1], rgba[2], sizeof rgba[1]);
  assert_true(rgba[3][HEIGHT / 2][WIDTH / 2][0] > rgba[2][HEIGHT / 2][WIDTH / 2][0] + 30);
  stage_close(&s);
}

// A ball has a highlight, which is brighter and smaller if the surface is smoother. The roughness of another body does
// not change it.
static void smoother_bodies_have_smaller_and_brighter_highlights(void **state) {
  (void)state;
  enum { PICTURES = 4 };
  static uint8_t rgba[PICTURES][HEIGHT][WIDTH][4];
  const double roughness[PICTURES] = { ROUGHNESS_DEFAULT, 0.5, 1, 0.3 };
  int brightest[PICTURES] = { 0 }, bright[PICTURES] = { 0 };
  Error error = { 0 };
  Stage s;
  stage_open_body(&s, DEVICE_CPU, 1, shape_ball, 1);
  for (int k = 0; k < PICTURES; k++) {
    const BodyLook look[LOOKS_MAX] = { { .roughness = k == 0 ? 0.8 : 0.2 },
                                       { true, { 0.1, 0.1, 0.1 }, roughness[k], 0 } };
    MUST(surface_renderer_set_looks(&s.renderer, look, &error));
    stage_draw(&s, &(Picture){ .camera = &s.camera }, rgba[k]);
  }

  for (int k = 0; k < PICTURES; k++)
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        const int more = rgba[k][y][x][2] - rgba[2][y][x][2];
        brightest[k] = more > brightest[k] ? more : brightest[k];
        bright[k] += more > 4;
      }
  assert_memory_equal(rgba[0], rgba[1], sizeof rgba[0]);
  if (!(brightest[3] > brightest[1] + 5 && brightest[1] > 20))
    fail_msg("brightest pixels: %d smooth, %d default", brightest[3], brightest[1]);
  if (!(bright[3] > 0 && 2 * bright[3] < bright[1])) fail_msg("pixels: %d smooth, %d default", bright[3], bright[1]);
  stage_close(&s);
}

// Behind a body, the picture shows a part of the background that depends on the body's transparency. All nodes belong
// to body 1. The transparency of another body changes nothing.
static void transparent_bodies_show_what_is_behind_them(void **state) {
  (void)state;
  enum { PICTURES = 5 };
  static uint8_t rgba[PICTURES][HEIGHT][WIDTH][4];
  const BodyLook look[PICTURES][2] = {
    { { .roughness = 0.5 }, { true, { 0, 0, 0 }, 1, 0 } },   { { .transparency = 0.5 }, { true, { 0, 0, 0 }, 1, 0 } },
    { { .roughness = 0.5 }, { true, { 0, 0, 0 }, 1, 0.4 } }, { { .roughness = 0.5 }, { true, { 0, 0, 0 }, 1, 0.9 } },
    { { .roughness = 0.5 }, { true, { 0, 0, 0 }, 1, 0 } },  // the body is hidden in this picture
  };
  Error error = { 0 };
  Stage s;
  int middle[PICTURES];
  stage_open_body(&s, DEVICE_CPU, 1, shape_ball, 1);
  for (int i = 0; i < 3; i++) s.camera.target[i] = 0;
  for (int k = 0; k < PICTURES; k++) {
    BodyLook all[LOOKS_MAX] = { look[k][0], look[k][1] };
    const Picture picture = { .camera = &s.camera, .hidden = k == 4 ? 2 : 0 };
    MUST(surface_renderer_set_looks(&s.renderer, all, &error));
    stage_draw(&s, &picture, rgba[k]);
    middle[k] = rgba[k][HEIGHT / 2][WIDTH / 2][1];
  }

  assert_memory_equal(rgba[0], rgba[1], sizeof rgba[0]);

  // the brightness rises with the transparency, from that of the black body to that of the background
  const bool rises = middle[0] < middle[2] - 20 && middle[2] < middle[3] - 20 && middle[3] <= middle[4];
  if (!rises) fail_msg("%d opaque, %d and %d transparent, %d background", middle[0], middle[2], middle[3], middle[4]);
  stage_close(&s);
}

// Light of the surroundings from the right makes the right side of a ball brighter than light from the left does, and
// the left side darker. Without surroundings, the picture has the same bits as before.
static void surroundings_light_the_body_from_their_side(void **state) {
  (void)state;
  static uint8_t rgba[4][HEIGHT][WIDTH][4];
  Error error = { 0 };
  Stage s;
  EnvironmentLight *light = calloc(1, sizeof *light);
  stage_open(&s, DEVICE_CPU, 1, shape_ball);
  for (int i = 0; i < 3; i++) s.camera.target[i] = 0;
  camera_look_from(&s.camera, 0, 0);
  for (int k = 0; k < 4; k++) {  // picture k: 0 and 3 without surroundings, 1 light from the right, 2 from the left
    for (int c = 0; c < 3; c++) {
      light->diffuse[0][c] = 0.5f;
      light->diffuse[3][c] = k == 1 ? 0.5f : -0.5f;
    }
    MUST(surface_renderer_set_environment(&s.renderer, k % 3 == 0 ? NULL : light, &error));
    stage_draw(&s, &(Picture){ .camera = &s.camera }, rgba[k]);
  }

  free(light);
  assert_memory_equal(rgba[0], rgba[3], sizeof rgba[0]);
  int more[2] = { 0 };  // brightness of the left and the right side in picture 1 minus that in picture 2
  for (int x = WIDTH / 2 - 20; x < WIDTH / 2 + 20; x++)
    more[x >= WIDTH / 2] += rgba[1][HEIGHT / 2][x][1] - rgba[2][HEIGHT / 2][x][1];
  if (!(more[0] < -40 && more[1] > 40)) fail_msg("%d on the left side, %d on the right side", more[0], more[1]);
  stage_close(&s);
}

// All nodes belong to body 1. If it is hidden, it leaves no trace in the picture, whatever the style draws. If body 0
// is hidden, which has no nodes, the picture does not change.
static void hidden_bodies_are_not_drawn(void **state) {
  (void)state;
  static uint8_t rgba[3][HEIGHT][WIDTH][4];
  const Style styles[] = { { .occlusion = OCCLUSION_ON },
                           { .wireframe = true, .pins = true },
                           { .xray = true, .wireframe = true },
                           { .section = true, .section_at = 0.5, .cut = SECTION_SMOOTH },
                           { .section = true, .section_at = 0.5, .cut = SECTION_TETS } };
  const double floor = -0.1;
  Error error = { 0 };
  Stage s;
  stage_open_body(&s, DEVICE_CPU, 1, NULL, 1);
  uint8_t *pinned = malloc((size_t)s.mesh.node_count);
  memset(pinned, 1, (size_t)s.mesh.node_count);
  MUST(surface_renderer_set_pins(&s.renderer, pinned, &error));
  free(pinned);
  for (size_t r = 0; r < sizeof styles / sizeof *styles; r++) {
    // `hidden` has one bit per body: 0 shows all bodies, 1 hides body 0, 2 hides body 1
    for (uint32_t hidden = 0; hidden < 3; hidden++) {
      const Picture picture = { .camera = &s.camera, .style = &styles[r], .floor = &floor, .hidden = hidden };
      stage_draw(&s, &picture, rgba[hidden]);
    }
    assert_memory_equal(rgba[0], rgba[1], sizeof rgba[0]);
    int differ = 0;
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
      const uint8_t *hidden = rgba[2][k / WIDTH][k % WIDTH], *shown = rgba[0][k / WIDTH][k % WIDTH];
      if (hidden[0] > hidden[2] + 30) fail_msg("style %zu: pixel %d shows a hidden body", r, k);
      differ += memcmp(hidden, shown, sizeof rgba[0][0][0]) != 0;
    }
    if (differ < 1000) fail_msg("style %zu: only %d pixels show the body", r, differ);

    // a hidden body casts no shadow, so all styles show the same picture
    static uint8_t first[HEIGHT][WIDTH][4];
    if (r == 0) memcpy(first, rgba[2], sizeof first);
    assert_memory_equal(rgba[2], first, sizeof first);
  }
  stage_close(&s);
}

// An obstacle of each kind is placed around or in front of the body and hides it, so the middle of the picture is grey
// instead of red. If the obstacle is far below the body, or hidden, the middle stays red, and has no shadow. Another
// obstacle, a ball far below, is hidden or not.
static void obstacles_are_drawn_at_their_positions(void **state) {
  (void)state;
  static uint8_t rgba[HEIGHT][WIDTH][4];
  Error error = { 0 };
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  for (int kind = OBSTACLE_PLANE; kind <= OBSTACLE_CAPSULE; kind++) {
    uint8_t unhidden = 0;
    for (int round = 0; round < 3; round++) {
      // Round 0: a plane is put in front of the body, other obstacles around it. Round 1: the obstacle is 10 m below
      // instead. Round 2: as round 0, but the obstacle is hidden.
      const bool away = round == 1;
      Obstacle o = { .kind = (ObstacleKind)kind, .size = { 1, 1, 1 } };
      double eye[3], length2 = 0;
      camera_eye(&s.camera, eye);
      for (int i = 0; i < 3; i++) {
        o.centre[i] = 0.5 + (away && i == 2 ? -10 : 0);
        o.axis[i][i] = 1;
        length2 += (eye[i] - 0.5) * (eye[i] - 0.5);
      }
      if (kind == OBSTACLE_PLANE && !away)
        for (int i = 0; i < 3; i++) {
          o.axis[2][i] = (eye[i] - 0.5) / sqrt(length2);
          o.centre[i] += 1.5 * o.axis[2][i];
        }
      if (kind == OBSTACLE_PLANE && !away) {
        // two axes within the plane
        const double *n = o.axis[2], flat = hypot(n[0], n[1]);
        const double side[3] = { -n[1] / flat, n[0] / flat, 0 };
        for (int i = 0; i < 3; i++) {
          o.axis[0][i] = side[i];
          o.axis[1][i] = n[(i + 1) % 3] * side[(i + 2) % 3] - n[(i + 2) % 3] * side[(i + 1) % 3];
        }
      }
      Obstacle both[2] = { { .kind = OBSTACLE_SPHERE, .size = { 1 }, .centre = { 0.5, 0.5, -9 } }, o };
      for (int i = 0; i < 3; i++) both[0].axis[i][i] = 1;
      const Picture picture = { .camera = &s.camera, .hidden_obstacles = round == 0 ? 1 : round == 2 ? 2 : 0 };
      MUST(surface_renderer_set_obstacles(&s.renderer, both, 2, 0, &error));
      stage_draw(&s, &picture, rgba);
      const uint8_t *middle = rgba[HEIGHT / 2][WIDTH / 2];
      const bool red = middle[0] > middle[2] + 30;
      if (red != (round > 0)) fail_msg("kind %d, round %d: %d %d %d", kind, round, middle[0], middle[1], middle[2]);
      if (away) unhidden = middle[0];

      // a selected obstacle is orange
      Picture lit = picture;
      lit.lit_obstacles = 2;
      stage_draw(&s, &lit, rgba);
      assert_true(middle[0] > middle[2] + 30);
      if (round == 2 && abs(middle[0] - unhidden) > 10) fail_msg("kind %d: %d, not %d", kind, middle[0], unhidden);
    }
  }
  stage_close(&s);
}

// Rays from above hit obstacles of each kind at the heights of their surfaces. A sphere is drawn as a polyhedron, so
// its surface is a little lower.
static void rays_hit_obstacles_where_they_are_drawn(void **state) {
  (void)state;
  static double X[4][3] = { { -1, -1, 0 }, { 1, -1, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  static int triangle[2][3] = { { 0, 1, 2 }, { 0, 1, 3 } };
  const ObstacleSurface surface = { .vertex_count = 4, .triangle_count = 2, .X = X, .triangle = triangle };
  const double origin[3] = { 0.1, -0.2, 20 }, beside[3] = { 7, 0, 20 }, outside[3] = { 11, 0, 20 };
  const double down[3] = { 0, 0, -1 }, up[3] = { 0, 0, 1 }, centre[3] = { 0 };
  static const double tops[OBSTACLE_KINDS] = { 0, 0.9747, 2, 3.9747, 1.8 };  // m, heights above the centre
  Error error = { 0 };
  for (int kind = 0; kind < OBSTACLE_KINDS; kind++) {
    Obstacle o = { .kind = (ObstacleKind)kind, .size = { 1, 1, 2 }, .motion.point_count = 2, .surface = &surface };
    for (int i = 0; i < 3; i++) o.axis[i][i] = 1;
    if (kind == OBSTACLE_CAPSULE) o.size[2] = 3;
    if (kind == OBSTACLE_MESH) o.size[0] = 2;
    o.motion.path[1][0] = 1;
    o.motion.path[1][3] = 5;  // 5 m upward in 1 s
    for (int time = 0; time < 2; time++) {
      double hit[2], missed[2];
      const Obstacle both[2] = { { .kind = OBSTACLE_PLANE, .axis = { { 1 }, { 0, 1 }, { 0, 0, 1 } } }, o };
      MUST(obstacle_shapes_hit(both, 2, time, centre, 10, origin, down, hit, &error));
      const double top = tops[kind] + 5 * time;
      if (!(fabs(20 - hit[1] - top) < 0.005)) fail_msg("kind %d: hit at z = %g, not %g", kind, 20 - hit[1], top);
      assert_true(fabs(hit[0] - 20) < 1e-6);
      MUST(obstacle_shapes_hit(both, 2, time, centre, 10, beside, down, missed, &error));
      assert_true(isinf(missed[1]) == (kind != OBSTACLE_PLANE) && !isinf(missed[0]));
      MUST(obstacle_shapes_hit(both, 2, time, centre, 10, outside, down, missed, &error));
      assert_true(isinf(missed[0]) && isinf(missed[1]));
      MUST(obstacle_shapes_hit(both, 2, time, centre, 10, origin, up, missed, &error));
      assert_true(isinf(missed[0]) && isinf(missed[1]));
    }
  }
}

static void draws_the_body_amid_the_background(void **state) {
  (void)state;
  for (Device device = DEVICE_CPU; device <= DEVICE_CUDA; device++) {
    if (!device_present(device)) continue;
    static uint8_t rgba[HEIGHT][WIDTH][4];
    Error error = { 0 };
    Stage s;
    stage_open(&s, device, 1, NULL);

    // two drawings, so that the second starts from the OpenGL state that the first leaves
    for (int round = 0; round < 2; round++)
      MUST(surface_renderer_draw(&s.renderer, s.target.framebuffer, WIDTH, HEIGHT, &(Picture){ .camera = &s.camera },
                                 &error));
    MUST(render_target_read(&s.target, &rgba[0][0][0], &error));
    const uint8_t *middle = rgba[HEIGHT / 2][WIDTH / 2];

    // the body's colour is warm (more red than blue)
    if (middle[0] <= middle[2] + 30)
      fail_msg("%s, %s: the middle is %d, %d, %d", device_name(device), gl_renderer_name(), middle[0], middle[1],
               middle[2]);
    for (int k = 0; k < 4; k++) {
      const uint8_t *corner = rgba[k & 1 ? HEIGHT - 2 : 1][k & 2 ? WIDTH - 2 : 1];

      // the background is cool (more blue than red), and not black
      assert_true(corner[2] >= corner[0] && corner[0] > 60);
    }

    // the picture is upright: it is brighter at the top
    assert_true(rgba[1][WIDTH / 2][1] > rgba[HEIGHT - 2][WIDTH / 2][1]);
    stage_close(&s);
  }
}

// Compares three pictures: of the body with a floor, of the body without a floor, and of the background only.
static void the_floor_is_drawn_where_there_is_one(void **state) {
  (void)state;
  static uint8_t bare[HEIGHT][WIDTH][4], floored[HEIGHT][WIDTH][4], empty[HEIGHT][WIDTH][4];
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  const double height = -0.2;
  Camera away = s.camera;
  away.target[2] += 100;
  const struct {
    const Camera *camera;
    const double *floor;
    uint8_t (*rgba)[WIDTH][4];
  } pictures[] = { { &s.camera, NULL, bare }, { &s.camera, &height, floored }, { &away, NULL, empty } };
  for (int k = 0; k < 3; k++) {
    const Picture picture = { .camera = pictures[k].camera, .floor = pictures[k].floor };
    stage_draw(&s, &picture, pictures[k].rgba);
  }

  // the lowest rows are below the body, where only the floor is drawn
  int drawn = 0, painted = 0;
  for (int y = HEIGHT - 4; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      painted += abs(bare[y][x][0] - empty[y][x][0]) > 1;
      drawn += abs(floored[y][x][0] - empty[y][x][0]) > 1;
    }
  assert_int_equal(painted, 0);
  assert_true(drawn > 2 * WIDTH);
  stage_close(&s);
}

static void a_smooth_cut_closes_the_body(void **state) {
  (void)state;
  static uint8_t whole[HEIGHT][WIDTH][4], cut[HEIGHT][WIDTH][4], empty[HEIGHT][WIDTH][4];
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  Camera front = s.camera, away = s.camera;
  front.azimuth = front.elevation = 0;
  away.target[2] += 100;

  // A section removes the near half of the box. The cut face is then visible. It appears smaller than the front of the
  // whole box, because it is farther away.
  const Style style = { .section = true, .section_axis = 1, .section_at = 0.5, .section_flip = true };
  const struct {
    const Camera *camera;
    const Style *style;
    uint8_t (*rgba)[WIDTH][4];
  } pictures[] = { { &front, NULL, whole }, { &front, &style, cut }, { &away, NULL, empty } };
  int covered[2] = { 0 };
  for (int k = 0; k < 3; k++) {
    const Picture picture = { .camera = pictures[k].camera, .style = pictures[k].style };
    stage_draw(&s, &picture, pictures[k].rgba);
  }
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      covered[0] += abs(whole[y][x][2] - empty[y][x][2]) > 8;
      covered[1] += abs(cut[y][x][2] - empty[y][x][2]) > 8;
    }

  // The cut face is a square with edges of 1 m at the camera's distance. Its number of pixels may be inexact only
  // because of pixels on the rim.
  const double edge = HEIGHT / (2 * tan(front.fov / 2) * front.distance);
  assert_true(fabs(covered[1] - edge * edge) < 4 * edge);
  assert_true(covered[0] > covered[1] + 2 * edge);

  // All pixels of the cut face must have the same colour. Otherwise the face would have a hole.
  const uint8_t *middle = cut[HEIGHT / 2][WIDTH / 2];
  const int reach = (int)(0.45 * edge);
  for (int y = -reach; y <= reach; y++)
    for (int x = -reach; x <= reach; x++)
      for (int i = 0; i < 3; i++) assert_true(abs(cut[HEIGHT / 2 + y][WIDTH / 2 + x][i] - middle[i]) < 12);
  stage_close(&s);
}

static void one_sample_a_pixel_shows_the_same_but_for_edges(void **state) {
  (void)state;
  static uint8_t smooth[HEIGHT][WIDTH][4], rough[HEIGHT][WIDTH][4];
  Error error = { 0 };
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, shape_ball);
  for (int k = 0; k < 2; k++) {
    MUST(render_target_resize(&s.target, WIDTH, HEIGHT, k == 0, &error));
    stage_draw(&s, &(Picture){ .camera = &s.camera }, k == 0 ? smooth : rough);
  }
  int far = 0, differ = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      far += abs(smooth[y][x][2] - rough[y][x][2]) > 24;
      differ += abs(smooth[y][x][2] - rough[y][x][2]) > 4;
    }

  // smoothing must change pixels on the rim of the ball, which is up to HEIGHT pixels wide, and no others
  assert_true(differ > HEIGHT / 4 && far < 4 * HEIGHT);
  stage_close(&s);
}

static void shape_plate(float x[3]) {
  x[2] *= 0.02f;
}

// Draws the plate above a grey plane, which is `gap` m below it. Returns the mean width in pixels of the
// edges of the plate's shadow on the plane, that is, of the pixels in a row that are neither bright nor dark.
static double softness_of_shadow(Stage *s, double gap) {
  enum { WIDE = 480, HIGH = 360 };
  static uint8_t rgba[2][HIGH][WIDE][4];
  Error error = { 0 };
  Obstacle plane = { .kind = OBSTACLE_PLANE, .centre = { 0, 0, -gap } };
  for (int i = 0; i < 3; i++) plane.axis[i][i] = 1;
  MUST(surface_renderer_set_obstacles(&s->renderer, &plane, 1, 0, &error));
  MUST(render_target_resize(&s->target, WIDE, HIGH, false, &error));
  for (int k = 0; k < 2; k++) {
    MUST(surface_renderer_draw(&s->renderer, s->target.framebuffer, WIDE, HIGH, &(Picture){ .camera = &s->camera },
                               &error));
    MUST(render_target_read(&s->target, &rgba[k][0][0][0], &error));
  }

  assert_memory_equal(rgba[0], rgba[1], sizeof rgba[0]);  // the samples are the same in each picture
  int dark = 255, bright = 0, rows = 0, between = 0;
  for (int round = 0; round < 2; round++)
    for (int y = 0; y < HIGH; y++) {
      int darks = 0, greys = 0;
      for (int x = 0; x < WIDE; x++) {
        const uint8_t *c = rgba[0][y][x];
        if (c[0] > c[2] + 20) continue;  // the plate is red
        if (round == 0) {
          dark = c[1] < dark ? c[1] : dark;
          bright = c[1] > bright ? c[1] : bright;
        }
        const double part = (double)(c[1] - dark) / fmax(bright - dark, 1);
        darks += part < 0.25;
        greys += part >= 0.25 && part < 0.75;
      }
      rows += round == 1 && darks > 4;
      between += round == 1 && darks > 4 ? greys : 0;
    }
  assert_true(bright > dark + 20 && rows > 20);
  return (double)between / rows;
}

static void shadows_are_softer_far_from_the_body(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, shape_plate);
  camera_look_from(&s.camera, 0.4, 1);
  const double near = softness_of_shadow(&s, 0.1), far = softness_of_shadow(&s, 1);
  if (!(far > 2 * near)) fail_msg("edges of %.2f pixels near, of %.2f pixels far", near, far);
  stage_close(&s);
}

// A red ball stands above the floor. With reflections, the floor in front of it is redder. The ball itself does not
// change, and the next picture without reflections has the same bits as the first one.
// The floor reflects a red ball. The reflection of a transparent ball is weaker.
static void the_floor_reflects_the_body(void **state) {
  (void)state;
  enum { PICTURES = 5 };
  static uint8_t rgba[PICTURES][HEIGHT][WIDTH][4];
  const double floor = -1.1;
  Error error = { 0 };
  Stage s;
  stage_open_body(&s, DEVICE_CPU, 1, shape_ball, 0);
  for (int i = 0; i < 3; i++) s.camera.target[i] = 0;
  for (int k = 0; k < PICTURES; k++) {  // pictures 1 and 4 have reflections; the ball is transparent in 3 and 4
    const BodyLook red[LOOKS_MAX] = { { true, { 0.9, 0.1, 0.1 }, 1, k < 3 ? 0 : 0.5 } };
    const Style style = { .reflections = k % 3 == 1 };
    const Picture picture = { .camera = &s.camera, .style = &style, .floor = &floor };
    MUST(surface_renderer_set_looks(&s.renderer, red, &error));
    stage_draw(&s, &picture, rgba[k]);
  }

  assert_memory_equal(rgba[0], rgba[2], sizeof rgba[0]);
  int redder = 0, changed = 0, sum[2] = { 0 };
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      int more[2];
      for (int k = 0; k < 2; k++) {
        const uint8_t *with = rgba[3 * k + 1][y][x], *without = rgba[3 * k][y][x];
        more[k] = with[0] - with[1] - (without[0] - without[1]);

        // pixels that are not red do not show the ball
        sum[k] += y > HEIGHT / 2 && rgba[0][y][x][0] < 2 * rgba[0][y][x][1] ? more[k] : 0;
      }
      redder += y > HEIGHT / 2 && more[0] > 8;
      changed += memcmp(rgba[0][y][x], rgba[1][y][x], 4) != 0 && rgba[0][y][x][0] > rgba[0][y][x][1] + 90;
    }
  if (!(redder > 20 && changed == 0)) fail_msg("%d pixels are redder, %d of the ball have changed", redder, changed);
  if (!(5 * sum[1] > sum[0] && sum[1] < sum[0])) fail_msg("redder by %d opaque, %d transparent", sum[0], sum[1]);
  stage_close(&s);
}

static void the_shadow_map_fits_the_picture(void **state) {
  (void)state;
  Error error = { 0 };
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  const int height[] = { HEIGHT, 800, 1080, 2160, 10000 }, size[] = { 512, 1024, 2048, 4096, 4096 };
  for (int k = 0; k < 5; k++) assert_int_equal(shadow_map_size(height[k]), size[k]);
  for (int k = 0; k < 3; k++) {  // the second and third picture need other maps than the ones before them
    const int high = k == 1 ? 600 : HEIGHT;
    MUST(render_target_resize(&s.target, WIDTH, high, false, &error));
    MUST(surface_renderer_draw(&s.renderer, s.target.framebuffer, WIDTH, high, &(Picture){ .camera = &s.camera },
                               &error));
    assert_int_equal(s.renderer.shadow_map.size, shadow_map_size(high));
  }
  stage_close(&s);
}

// Moves the nodes of the box so that its face towards the camera has a deep groove.
static void shape_groove(float x[3]) {
  x[1] += 0.9f * (1 - x[1]) * (1 - fabsf(2 * x[0] - 1));
}

// Returns the sum of all colour channels in the middle of the picture, a measure of brightness.
static int brightness_of_middle(Stage *s, const Style *style, bool hasty) {
  enum { AROUND = 6 };
  static uint8_t rgba[HEIGHT][WIDTH][4];
  int sum = 0;
  const Picture picture = { .camera = &s->camera, .style = style, .hasty = hasty };
  stage_draw(s, &picture, rgba);
  for (int y = HEIGHT / 2 - AROUND; y < HEIGHT / 2 + AROUND; y++)
    for (int x = WIDTH / 2 - AROUND; x < WIDTH / 2 + AROUND; x++)
      for (int c = 0; c < 3; c++) sum += rgba[y][x][c];
  return sum;
}

static void a_groove_is_darker_and_a_ball_is_not(void **state) {
  (void)state;
  const Style on = { .occlusion = OCCLUSION_ON }, off = { .occlusion = OCCLUSION_OFF };
  for (int groove = 0; groove < 2; groove++) {
    Stage s;
    stage_open(&s, DEVICE_CPU, 1, groove ? shape_groove : shape_ball);
    camera_look_from(&s.camera, 0.6, 0);  // the camera looks along the lit wall of the groove onto its dark wall
    const int with = brightness_of_middle(&s, &on, false), without = brightness_of_middle(&s, &off, false);
    const double left = (double)with / without;
    if (groove ? !(left < 0.98 && left > 0.3) : !(left > 0.995 && left <= 1))
      fail_msg("%s: %.3f of the light is left", groove ? "groove" : "ball", left);

    // Pictures with the flag `hasty`, which must be drawn fast, have no ambient occlusion. Their shadows have other
    // samples than those of other pictures.
    assert_int_equal(brightness_of_middle(&s, &on, true), brightness_of_middle(&s, &off, true));
    assert_int_equal(brightness_of_middle(&s, &on, false), with);
    stage_close(&s);
  }
}

// If all nodes have a velocity to the right, arrows reach beyond the right end of the box, never beyond the left end.
// Arrows are drawn only if the style has them.
static void arrows_point_in_the_right_direction(void **state) {
  (void)state;
  static uint8_t rgba[2][HEIGHT][WIDTH][4];
  Error error = { 0 };
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  camera_look_from(&s.camera, 0, 0);
  const int n = s.mesh.node_count;
  float *whole = stage_values(&s), *vector = whole + 4 * n + FIELD_EXTRA;
  for (int a = 0; a < n; a++) vector[3 * a] = 3;  // velocity 3 m/s along x
  MUST(surface_renderer_update(&s.renderer, s.stream, whole, FIELD_NONE, VECTORS_VELOCITY, &error));
  for (int on = 0; on < 2; on++) {
    const Style style = { .vectors = on ? VECTORS_VELOCITY : VECTORS_NONE };
    assert_true(surface_renderer_longest(&s.renderer, &style) == (on ? 5 : 0));
    stage_draw(&s, &(Picture){ .camera = &s.camera, .style = &style }, rgba[on]);
  }

  // pixels of the left and the right end of the box
  double left[2], right[2];
  camera_project(&s.camera, (double[3]){ 0, 0, 0.5 }, WIDTH, HEIGHT, left);
  camera_project(&s.camera, (double[3]){ 1, 0, 0.5 }, WIDTH, HEIGHT, right);
  int beside[2] = { 0, 0 };
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      if (x < left[0] - 2 || x > right[0] + 2) beside[x > right[0]] += memcmp(rgba[0][y][x], rgba[1][y][x], 4) != 0;
  if (beside[0] != 0 || beside[1] < 50)
    fail_msg("arrows cover %d pixels to the left of the box and %d to the right", beside[0], beside[1]);
  free(whole);
  stage_close(&s);
}

// If the lower nodes of the box have a contact force, a dark line crosses its front between these nodes and the next
// row of nodes. Nothing else changes.
static void contact_lines_surround_nodes_with_a_force(void **state) {
  (void)state;
  static uint8_t rgba[2][HEIGHT][WIDTH][4];
  const Style lines = { .vectors = VECTORS_CONTACT_LINES };
  Error error = { 0 };
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  camera_look_from(&s.camera, 0, 0);
  const int n = s.mesh.node_count;
  float *whole = stage_values(&s), *vector = whole + 4 * n + FIELD_EXTRA;
  double low = -HUGE_VAL, high = HUGE_VAL;  // m, highest node with a force, and lowest node without
  for (int a = 0; a < n; a++) {
    const double z = s.mesh.X[a][2];
    vector[3 * a + 1] = z < 0.4 ? -2e-6f : 0;
    if (z < 0.4) low = fmax(low, z);
    if (z >= 0.4) high = fmin(high, z);
  }

  MUST(surface_renderer_update(&s.renderer, s.stream, whole, FIELD_NONE, VECTORS_CONTACT_LINES, &error));
  assert_true(surface_renderer_longest(&s.renderer, &lines) == 0);
  for (int on = 0; on < 2; on++) {
    stage_draw(&s, &(Picture){ .camera = &s.camera, .style = on ? &lines : NULL }, rgba[on]);
  }
  double below[2], above[2], middle[2];
  camera_project(&s.camera, (double[3]){ 0.5, 0, low }, WIDTH, HEIGHT, below);
  camera_project(&s.camera, (double[3]){ 0.5, 0, high }, WIDTH, HEIGHT, above);
  camera_project(&s.camera, (double[3]){ 0.5, 0, (low + high) / 2 }, WIDTH, HEIGHT, middle);
  assert_true(rgba[1][(int)middle[1]][(int)middle[0]][0] < rgba[0][(int)middle[1]][(int)middle[0]][0] / 3);
  int outside = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      outside += (y < above[1] || y > below[1]) && memcmp(rgba[0][y][x], rgba[1][y][x], 4) != 0;
  assert_int_equal(outside, 0);
  free(whole);
  stage_close(&s);
}

// Uploads positions and values of von Mises stress. The values are 0, 1, 2 ... Pa in another order of the nodes, except
// that the largest one is replaced by `extreme`.
static void show_ramp(Stage *s, float extreme) {
  Error error = { 0 };
  const int n = s->mesh.node_count;
  float *whole = stage_values(s), *field = whole + 3 * n;
  for (int a = 0; a < n; a++) field[(a * 7) % n] = a == n - 1 ? extreme : (float)a;
  field[n + FIELD_LARGEST] = extreme;
  field[n + FIELD_MEAN] = extreme / (float)n;
  field[n + FIELD_SPREAD] = extreme;
  MUST(surface_renderer_update(&s->renderer, s->stream, whole, FIELD_VON_MISES, VECTORS_NONE, &error));
  free(whole);
}

static void percentiles_leave_out_extreme_values(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  const int n = s.mesh.node_count;
  assert_true(n % 7 != 0 && n > 40);  // then 7 a % n takes each value from 0 to n - 1 once
  Style style = { .field = FIELD_VON_MISES, .range = FIELD_RANGE_PERCENTILES, .percentile = 10 };
  double range[2], all[2];
  show_ramp(&s, 1e6f);
  surface_renderer_range(&s.renderer, &style, range);
  const double below = round(0.1 * (n - 1));
  assert_true(range[0] == below && range[1] == n - 1 - below);

  // Percentile 0 gives the range from the smallest to the largest value. With percentile 10, the range does not change
  // if the largest value grows.
  style.percentile = 0;
  surface_renderer_range(&s.renderer, &style, range);
  assert_true(range[0] == 0 && range[1] == 1e6);
  style.percentile = 10;
  show_ramp(&s, 1e9f);
  surface_renderer_range(&s.renderer, &style, range);
  assert_true(range[0] == below && range[1] == n - 1 - below);

  // Before a scene is saved, surface_renderer_fix_range stores the present range in the style. It does so for the range
  // of all values so far (FIELD_RANGE_SEEN), but not for a range by percentiles.
  surface_renderer_fix_range(&s.renderer, &style);
  assert_true(style.low == 0 && style.high == 0);
  style.range = FIELD_RANGE_SEEN;
  surface_renderer_range(&s.renderer, &style, all);
  surface_renderer_fix_range(&s.renderer, &style);
  assert_true(style.low == all[0] && style.high == all[1] && all[1] >= 1e6);
  stage_close(&s);
}

static void a_logarithmic_scale_covers_the_positive_values(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  Style style = { .field = FIELD_VON_MISES, .range = FIELD_RANGE_FOLLOW, .color_scale = COLOR_SCALE_LOG };
  double range[2];
  show_ramp(&s, 4e4f);  // values 0, 1, 2 ... and 4e4
  surface_renderer_range(&s.renderer, &style, range);
  assert_true(color_scale_is_log(&style, range));
  assert_true(fabs(range[0] - 1) < 1e-12 && fabs(range[1] / 5e4 - 1) < 1e-12);

  // a fixed range keeps its ends, but a low end of 0 becomes positive
  style.high = 30;
  surface_renderer_range(&s.renderer, &style, range);
  assert_true(fabs(range[0] - 1) < 1e-12 && range[1] == 30);
  style.low = 4;
  surface_renderer_range(&s.renderer, &style, range);
  assert_true(range[0] == 4 && range[1] == 30);

  // without positive values, the scale is linear
  style.low = -2;
  style.high = -1;
  surface_renderer_range(&s.renderer, &style, range);
  assert_true(range[0] == -2 && range[1] == -1 && !color_scale_is_log(&style, range));
  stage_close(&s);
}

// Gives all nodes this field value, draws them, and returns the colour in the middle of the picture.
static int color_of_value(Stage *s, float value, const Style *style) {
  static uint8_t rgba[HEIGHT][WIDTH][4];
  Error error = { 0 };
  const int n = s->mesh.node_count;
  float *whole = stage_values(s);
  for (int a = 0; a < n; a++) whole[3 * n + a] = value;
  MUST(surface_renderer_update(&s->renderer, s->stream, whole, FIELD_VON_MISES, VECTORS_NONE, &error));
  free(whole);
  const Picture picture = { .camera = &s->camera, .style = style };
  stage_draw(s, &picture, rgba);
  const uint8_t *middle = rgba[HEIGHT / 2][WIDTH / 2];
  return middle[0] << 16 | middle[1] << 8 | middle[2];
}

// The middle colour belongs to the geometric mean of the ends on a logarithmic scale, and to their arithmetic mean on a
// linear scale.
static void colours_of_a_logarithmic_scale_have_equal_ratios(void **state) {
  (void)state;
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  Style linear = { .field = FIELD_VON_MISES, .low = 1, .high = 10000 }, log = linear;
  log.color_scale = COLOR_SCALE_LOG;
  assert_int_equal(color_of_value(&s, 100, &log), color_of_value(&s, 5000.5f, &linear));
  assert_int_equal(color_of_value(&s, 10, &log), color_of_value(&s, 2500.75f, &linear));
  assert_int_equal(color_of_value(&s, -3, &log), color_of_value(&s, 1, &linear));
  assert_int_not_equal(color_of_value(&s, 100, &log), color_of_value(&s, 100, &linear));
  stage_close(&s);
}

static void springs_are_seen_over_the_body(void **state) {
  (void)state;
  static uint8_t rgba[HEIGHT][WIDTH][4];
  Stage s;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  Spring spring = { .barycentric = { 0.2, 0.3, 0.5 } };
  memcpy(spring.nodes, s.surface.triangle[0], sizeof spring.nodes);
  // the free end of the spring is in the middle of the picture
  memcpy(spring.target, s.camera.target, sizeof spring.target);
  stage_draw(&s, &(Picture){ .camera = &s.camera, .springs = &spring, .spring_count = 1 }, rgba);
  const uint8_t *middle = rgba[HEIGHT / 2][WIDTH / 2];
  assert_true(middle[2] > middle[0] && middle[0] < 60);
  stage_close(&s);
}

// Computes the expected normal of a vertex in double precision: the mean of the normals of the vertex's triangles,
// weighted by area.
static void expected_normal(const Stage *s, const SurfaceVertices *v, int vertex, double normal[3]) {
  double sum[3] = { 0 }, length2 = 0;
  for (int k = v->fan_start[vertex]; k < v->fan_start[vertex + 1]; k++) {
    const int *t = s->surface.triangle[v->fan[k]];
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
      u[i] = (double)s->x[t[1]][i] - s->x[t[0]][i];
      v[i] = (double)s->x[t[2]][i] - s->x[t[0]][i];
    }
    for (int i = 0; i < 3; i++) sum[i] += u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
  }
  for (int i = 0; i < 3; i++) length2 += sum[i] * sum[i];
  for (int i = 0; i < 3; i++) normal[i] = length2 > 0 ? sum[i] / sqrt(length2) : 0;
}

static void normals_are_unit_and_outward_at_any_size(void **state) {
  (void)state;
  const struct {
    double size;
    void (*shape)(float x[3]);
  } cases[] = { { 1, shape_ball }, { 1e-4, NULL }, { 1e4, NULL }, { 1, shape_wave } };
  for (Device device = DEVICE_CPU; device <= DEVICE_CUDA; device++)
    for (int c = 0; c < 4 && device_present(device); c++) {
      Error error = { 0 };
      Stage s;
      stage_open(&s, device, cases[c].size, cases[c].shape);
      SurfaceVertices v;
      MUST(surface_vertices_create(&v, &s.surface, &s.mesh, &error));
      assert_int_equal(v.count, s.renderer.vertex_count);
      float(*normals)[3] = malloc(sizeof *normals * (size_t)v.count);
      MUST(surface_renderer_normals(&s.renderer, normals, &error));
      for (int k = 0; k < v.count; k++) {
        const int a = v.node[k];
        double expected[3], outward = 0, radius = 0;
        expected_normal(&s, &v, k, expected);

        // tolerance: differences of float positions near 1 have a relative error of about 1e-6
        for (int i = 0; i < 3; i++)
          if (!(fabs(normals[k][i] - expected[i]) < 2e-5))
            fail_msg("case %d node %d: %g instead of %g", c, a, (double)normals[k][i], expected[i]);

        // Edges of the box stay creases of the ball. There, a normal differs from the radial direction by up to half
        // the angle of a cell, 13 degrees.
        for (int i = 0; i < 3; i++) {
          outward += normals[k][i] * s.x[a][i];
          radius += s.x[a][i] * s.x[a][i];
        }
        if (cases[c].shape == shape_ball) assert_true(outward > 0.9 * sqrt(radius));

        // On a box, each vertex has the normal of a face, also at the edges of the box.
        if (c == 1 || c == 2)
          assert_true(fmaxf(fabsf(normals[k][0]), fmaxf(fabsf(normals[k][1]), fabsf(normals[k][2]))) > 1 - 1e-6f);
      }
      surface_vertices_destroy(&v);
      free(normals);
      stage_close(&s);
    }
}

// Returns the index of the triangle that the ray hits first; -1: the ray hits none.
static int nearest_triangle(const Stage *s, const double origin[3], const double direction[3]) {
  int best = -1;
  double nearest = INFINITY;
  for (int t = 0; t < s->surface.triangle_count; t++) {
    const int *n = s->surface.triangle[t];
    double u[3], v[3], w[3], p[3], q[3];
    for (int i = 0; i < 3; i++) {
      u[i] = (double)s->x[n[1]][i] - s->x[n[0]][i];
      v[i] = (double)s->x[n[2]][i] - s->x[n[0]][i];
      w[i] = origin[i] - s->x[n[0]][i];
    }
    double det = 0, b = 0, c = 0, along = 0;  // the method of Moeller and Trumbore
    for (int i = 0; i < 3; i++)
      p[i] = direction[(i + 1) % 3] * v[(i + 2) % 3] - direction[(i + 2) % 3] * v[(i + 1) % 3];
    for (int i = 0; i < 3; i++) q[i] = w[(i + 1) % 3] * u[(i + 2) % 3] - w[(i + 2) % 3] * u[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {
      det += u[i] * p[i];
      b += w[i] * p[i];
      c += direction[i] * q[i];
      along += v[i] * q[i];
    }
    b /= det;
    c /= det;
    along /= det;
    if (b >= 0 && c >= 0 && b + c <= 1 && along > 0 && along < nearest) {
      nearest = along;
      best = t;
    }
  }
  return best;
}

static void picking_finds_the_triangle_under_the_mouse(void **state) {
  (void)state;
  for (Device device = DEVICE_CPU; device <= DEVICE_CUDA; device++) {
    if (!device_present(device)) continue;
    Error error = { 0 };
    Picker picker;
    Stage s;
    stage_open(&s, device, 1, shape_wave);
    MUST(picker_create(&picker, &error));
    int hits = 0, misses = 0, edges = 0;
    for (int y = 3; y < HEIGHT; y += 13)
      for (int x = 2; x < WIDTH; x += 11) {
        const double pixel[2] = { x + 0.5, y + 0.5 };
        double origin[3], direction[3], seen[2], sum = 0;
        Pick pick;
        MUST(picker_pick(&picker, &s.renderer, &s.surface, &(Picture){ .camera = &s.camera }, pixel, WIDTH, HEIGHT,
                         &pick, &error));
        camera_ray(&s.camera, pixel, WIDTH, HEIGHT, origin, direction);
        const int expected = nearest_triangle(&s, origin, direction);
        edges += pick.triangle != expected;
        if (pick.triangle != expected) continue;
        hits += expected >= 0;
        misses += expected < 0;
        if (expected < 0) continue;
        assert_int_equal(pick.tet, s.surface.owner[expected]);
        assert_memory_equal(pick.nodes, s.surface.triangle[expected], sizeof pick.nodes);
        assert_true(camera_project(&s.camera, pick.point, WIDTH, HEIGHT, seen));
        assert_true(fabs(seen[0] - pixel[0]) < 1e-6 && fabs(seen[1] - pixel[1]) < 1e-6);
        for (int a = 0; a < 3; a++) {
          assert_true(pick.barycentric[a] >= 0 && pick.barycentric[a] <= 1);
          sum += pick.barycentric[a];
        }
        assert_true(fabs(sum - 1) < 1e-12);
      }
    assert_true(hits > 20 && misses > 20);

    // number of pixels whose centre is on an edge; for these, rounding in OpenGL decides between two triangles
    assert_true(edges <= 2);
    const double outside[2] = { -3, 5000 };
    Pick pick;
    MUST(picker_pick(&picker, &s.renderer, &s.surface, &(Picture){ .camera = &s.camera }, outside, WIDTH, HEIGHT, &pick,
                     &error));
    assert_int_equal(pick.triangle, -1);
    picker_destroy(&picker);
    stage_close(&s);
  }
}

static void picking_finds_the_tet_that_a_smooth_cut_shows(void **state) {
  (void)state;
  Error error = { 0 };
  Picker picker;
  Stage s;
  Pick pick;
  stage_open(&s, DEVICE_CPU, 1, NULL);
  MUST(picker_create(&picker, &error));
  s.camera.azimuth = s.camera.elevation = 0;
  const Style style = { .section = true, .section_axis = 1, .section_at = 0.4, .section_flip = true };
  const Picture picture = { .camera = &s.camera, .style = &style };
  MUST(surface_renderer_draw(&s.renderer, s.target.framebuffer, WIDTH, HEIGHT, &picture, &error));
  for (int k = 0; k < 5; k++) {
    const double pixel[2] = { WIDTH / 2 + 7 * k - 13.5, HEIGHT / 2 + 5 * k - 9.5 };
    MUST(picker_pick(&picker, &s.renderer, &s.surface, &picture, pixel, WIDTH, HEIGHT, &pick, &error));

    // no triangle of the surface: the picked point is on the cut face of a section, which cannot be grabbed
    assert_int_equal(pick.triangle, -1);
    assert_true(pick.tet >= 0);
    assert_true(fabs(pick.point[1] - 0.4) < 1e-6);
    double low[3] = { 1, 1, 1 }, high[3] = { 0 };
    for (int a = 0; a < 4; a++)
      for (int i = 0; i < 3; i++) {
        const double X = s.mesh.X[s.mesh.tet[pick.tet][a]][i];
        low[i] = fmin(low[i], X);
        high[i] = fmax(high[i], X);
      }
    for (int i = 0; i < 3; i++) assert_true(pick.point[i] > low[i] - 1e-6 && pick.point[i] < high[i] + 1e-6);
  }

  const double outside[2] = { 1.5, 1.5 };
  MUST(picker_pick(&picker, &s.renderer, &s.surface, &picture, outside, WIDTH, HEIGHT, &pick, &error));
  assert_true(pick.triangle == -1 && pick.tet == -1);
  picker_destroy(&picker);
  stage_close(&s);
}

static void destroying_takes_zeroed_objects(void **state) {
  (void)state;
  SurfaceRenderer renderer = { 0 };
  Picker picker = { 0 };
  Offscreen offscreen = { 0 };
  RenderTarget target = { 0 };
  Programs programs = { 0 };
  programs_destroy(&programs);
  surface_renderer_destroy(&renderer);
  picker_destroy(&picker);
  render_target_destroy(&target);
  offscreen_destroy(&offscreen);
}

int main(void) {
  Offscreen offscreen;
  Error error = { 0 };
  if (!offscreen_create(&offscreen, DEVICE_CPU, &error)) {
    printf("skipped: %s\n", error.message);
    return 77;
  }
  offscreen_destroy(&offscreen);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_have_colours_and_are_highlighted_separately),
    cmocka_unit_test(smoother_bodies_have_smaller_and_brighter_highlights),
    cmocka_unit_test(transparent_bodies_show_what_is_behind_them),
    cmocka_unit_test(surroundings_light_the_body_from_their_side),
    cmocka_unit_test(hidden_bodies_are_not_drawn),
    cmocka_unit_test(obstacles_are_drawn_at_their_positions),
    cmocka_unit_test(rays_hit_obstacles_where_they_are_drawn),
    cmocka_unit_test(draws_the_body_amid_the_background),
    cmocka_unit_test(the_floor_is_drawn_where_there_is_one),
    cmocka_unit_test(a_smooth_cut_closes_the_body),
    cmocka_unit_test(one_sample_a_pixel_shows_the_same_but_for_edges),
    cmocka_unit_test(shadows_are_softer_far_from_the_body),
    cmocka_unit_test(the_floor_reflects_the_body),
    cmocka_unit_test(the_shadow_map_fits_the_picture),
    cmocka_unit_test(a_groove_is_darker_and_a_ball_is_not),
    cmocka_unit_test(arrows_point_in_the_right_direction),
    cmocka_unit_test(contact_lines_surround_nodes_with_a_force),
    cmocka_unit_test(percentiles_leave_out_extreme_values),
    cmocka_unit_test(a_logarithmic_scale_covers_the_positive_values),
    cmocka_unit_test(colours_of_a_logarithmic_scale_have_equal_ratios),
    cmocka_unit_test(springs_are_seen_over_the_body),
    cmocka_unit_test(normals_are_unit_and_outward_at_any_size),
    cmocka_unit_test(picking_finds_the_triangle_under_the_mouse),
    cmocka_unit_test(picking_finds_the_tet_that_a_smooth_cut_shows),
    cmocka_unit_test(destroying_takes_zeroed_objects),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
