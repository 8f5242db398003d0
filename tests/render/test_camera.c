// Tests the camera: pixels to rays and back, agreement with OpenGL's matrix, and views of bodies of any size.
#include "../testing.h"

#include "render/camera.h"

enum { WIDTH = 320, HEIGHT = 200 };

static bool orthographic;  // true: the tested cameras are orthographic; false: they have perspective

static Camera turned_camera(double size) {
  const double low[3] = { 2 * size, -size, 0 }, high[3] = { 3 * size, size, 2.5 * size };
  Camera camera = camera_fit(low, high, 35, (double)WIDTH / HEIGHT);
  camera.orthographic = orthographic;
  camera_orbit(&camera, 0.7, 0.4);
  camera_pan(&camera, 9, -5, HEIGHT);
  camera_zoom(&camera, 0.8);
  return camera;
}

static void rays_pass_through_the_point_seen_at_their_pixel(void **state) {
  (void)state;
  for (double size = 1e-3; size < 2e3; size *= 1e3) {
    const Camera camera = turned_camera(size);
    const double pixels[][2] = { { 160, 100 }, { 0.5, 0.5 }, { 319.5, 199.5 }, { 12, 180 } };
    for (int k = 0; k < 4; k++) {
      double origin[3], direction[3], point[3], seen[2], eye[3];
      camera_ray(&camera, pixels[k], WIDTH, HEIGHT, origin, direction);
      camera_eye(&camera, eye);
      for (int i = 0; i < 3; i++) {
        point[i] = origin[i] + 3.7 * size * direction[i];
        assert_true(orthographic || fabs(origin[i] - eye[i]) <= 1e-12 * size);
      }
      assert_true(camera_project(&camera, point, WIDTH, HEIGHT, seen));

      // tolerance: about 1e5 times the rounding error of a double of this size
      assert_true(fabs(seen[0] - pixels[k][0]) < 1e-8 && fabs(seen[1] - pixels[k][1]) < 1e-8);
    }
  }
}

static void matrix_agrees_with_projection(void **state) {
  (void)state;
  for (double size = 1e-3; size < 2e3; size *= 1e3) {
    const Camera camera = turned_camera(size);
    float m[4][4];
    camera_matrix(&camera, (double)WIDTH / HEIGHT, m);
    for (int corner = 0; corner < 8; corner++) {
      double point[3], seen[2], clip[4];
      for (int i = 0; i < 3; i++) point[i] = camera.centre[i] + (corner >> i & 1 ? 1 : -1) * camera.half[i];
      for (int i = 0; i < 4; i++) clip[i] = m[0][i] * point[0] + m[1][i] * point[1] + m[2][i] * point[2] + m[3][i];
      assert_true(camera_project(&camera, point, WIDTH, HEIGHT, seen));

      // tolerance: the matrix consists of floats with 24 bits, so a few rounding errors add up over 320 pixels
      assert_true(fabs(0.5 * WIDTH * (1 + clip[0] / clip[3]) - seen[0]) < 1e-2);
      assert_true(fabs(0.5 * HEIGHT * (1 - clip[1] / clip[3]) - seen[1]) < 1e-2);
      assert_true(clip[2] > -clip[3] && clip[2] < clip[3]);  // within the range of OpenGL's depth buffer
    }
  }
}

static void fit_shows_the_whole_box(void **state) {
  (void)state;
  const double aspects[] = { 0.4, 1, 1.6, 3 };
  for (double size = 1e-6; size < 2e6; size *= 1e3)
    for (int k = 0; k < 4; k++) {
      const double low[3] = { -size, 0, 5 * size }, high[3] = { size, 0.3 * size, 9 * size };
      const int height = 100, width = (int)(height * aspects[k]);
      const Camera camera = camera_fit(low, high, 35, (double)width / height);
      for (int corner = 0; corner < 8; corner++) {
        double seen[2], point[3];
        for (int i = 0; i < 3; i++) point[i] = corner >> i & 1 ? high[i] : low[i];
        assert_true(camera_project(&camera, point, width, height, seen));
        assert_true(seen[0] > 0 && seen[0] < width && seen[1] > 0 && seen[1] < height);
      }
    }
}

// camera_look sets the eye, the target, which is drawn in the middle of the picture, and the direction that is upward
// in the picture. It refuses an eye at the target, and an upward direction along the line of sight.
static void look_sets_eye_target_and_up(void **state) {
  (void)state;
  Camera camera = turned_camera(1);
  Error error = { 0 };
  const double eye[3] = { 1, 4, -2 }, target[3] = { 0, 1, 1 }, up[3] = { 0, 2, 0 };
  double seen[2], at[3], above[3] = { 0, 1.1, 1 };
  assert_true(camera_look(&camera, eye, target, up, &error));
  camera_eye(&camera, at);
  for (int i = 0; i < 3; i++) assert_true(fabs(at[i] - eye[i]) < 1e-12);
  assert_true(camera_project(&camera, target, WIDTH, HEIGHT, seen));
  assert_true(fabs(seen[0] - 160) < 1e-9 && fabs(seen[1] - 100) < 1e-9);
  assert_true(camera_project(&camera, above, WIDTH, HEIGHT, seen));
  assert_true(fabs(seen[0] - 160) < 1e-9 && seen[1] < 99);  // a point above the target is drawn above the middle
  assert_false(camera_look(&camera, eye, eye, up, &error));
  assert_true(error.message[0]);
  const double along[3] = { -1, -3, 3 };
  error = (Error){ 0 };
  assert_false(camera_look(&camera, eye, target, along, &error));

  // the elevation is limited to 89.9 degrees, as that of a camera that the mouse turns
  const double origin[3] = { 0, 0, 0 }, z[3] = { 0, 0, 1 }, steep[3] = { 0, -1.2e-3, 1 };
  error = (Error){ 0 };
  assert_true(camera_look(&camera, steep, origin, z, &error));
  assert_true(fabs(camera.elevation * 180 / M_PI - 89.9) < 1e-9);
}

// camera_on_plane moves a point parallel to the picture, so not along the line of sight, to where a pixel shows it.
static void dragging_keeps_the_point_under_the_mouse(void **state) {
  (void)state;
  const Camera camera = turned_camera(1);
  const double point[3] = { 2.2, 0.3, 1.4 }, pixel[2] = { 77, 31 };
  double moved[3], seen[2], right[3], up[3], forward[3], along = 0;
  camera_on_plane(&camera, pixel, WIDTH, HEIGHT, point, moved);
  camera_axes(&camera, right, up, forward);
  for (int i = 0; i < 3; i++) along += forward[i] * (moved[i] - point[i]);
  assert_true(fabs(along) < 1e-12);
  assert_true(camera_project(&camera, moved, WIDTH, HEIGHT, seen));
  assert_true(fabs(seen[0] - pixel[0]) < 1e-9 && fabs(seen[1] - pixel[1]) < 1e-9);
}

static void panning_moves_the_target_with_the_mouse(void **state) {
  (void)state;
  Camera camera = turned_camera(1);
  const double target[3] = { camera.target[0], camera.target[1], camera.target[2] };
  double seen[2];
  camera_pan(&camera, 20, -7, HEIGHT);  // pixels; the target was in the middle, at (160, 100)
  assert_true(camera_project(&camera, target, WIDTH, HEIGHT, seen));
  assert_true(fabs(seen[0] - 180) < 1e-9 && fabs(seen[1] - 93) < 1e-9);
}

static void zooming_keeps_the_point_under_the_mouse(void **state) {
  (void)state;

  // with the last two factors, the camera's distance from its target reaches its bounds
  const double pixel[2] = { 41, 170 }, factors[] = { 0.5, 1.7, 1e-9, 1e9 };
  for (int k = 0; k < 4; k++) {
    Camera camera = turned_camera(1);
    const double before = camera.distance;
    double point[3], seen[2];
    camera_on_plane(&camera, pixel, WIDTH, HEIGHT, camera.target, point);
    camera_zoom_at(&camera, factors[k], pixel, WIDTH, HEIGHT);
    assert_true((camera.distance < before) == (factors[k] < 1));
    assert_true(camera_project(&camera, point, WIDTH, HEIGHT, seen));
    assert_true(fabs(seen[0] - pixel[0]) < 1e-6 && fabs(seen[1] - pixel[1]) < 1e-6);
  }
}

// Views from the front, from the right and from the top show sides of the world (z or y upward). They do not depend on
// the direction of the camera before.
static void sides_are_those_of_the_world(void **state) {
  (void)state;
  const double quarter = acos(0), views[3][2] = { { 0, 0 }, { quarter, 0 }, { 0, quarter } };
  const struct {
    double up[3], from[3][3];
  } worlds[] = { { { 0, 0, 1 }, { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } } },
                 { { 0, 1, 0 }, { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } } } };
  for (int w = 0; w < 2; w++)
    for (int k = 0; k < 3; k++) {
      Camera camera = turned_camera(1);
      Error error = { 0 };
      const double eye[3] = { 3, 4, 5 }, target[3] = { 2, 0, 1 };
      double right[3], up[3], forward[3];
      assert_true(camera_look(&camera, eye, target, worlds[w].up, &error));
      camera_orbit(&camera, 1, 0.2);
      camera_look_from(&camera, views[k][0], views[k][1]);
      camera_axes(&camera, right, up, forward);
      for (int i = 0; i < 3; i++) {
        // the view from the top is tilted by 0.1 degrees, because "up" is undefined if the camera looks exactly down
        assert_true(fabs(forward[i] + worlds[w].from[k][i]) < 2e-3);
        assert_true(fabs(right[i] - (k == 1 ? worlds[w].from[0][i] * -1 : worlds[w].from[1][i])) < 1e-12);
      }
      assert_true(camera.target[0] == 2 && camera.target[1] == 0 && camera.target[2] == 1);

      // looks along each axis of the world
      for (int axis = 0; axis < 6; axis++) {
        double from[3] = { 0, 0, 0 };
        from[axis / 2] = axis % 2 ? -1 : 1;
        camera_look_along(&camera, from);
        camera_axes(&camera, right, up, forward);
        for (int i = 0; i < 3; i++) assert_true(fabs(forward[i] + from[i]) < 2e-3);
      }
      camera_look_from(&camera, views[k][0], views[k][1]);

      // a camera that is defined by this eye and target, as in a scene file, gives the same view
      double seen[3];
      camera_eye(&camera, seen);
      assert_true(camera_look(&camera, seen, target, worlds[w].up, &error));
    }
}

// camera_show makes the whole body visible, also after the body has moved and grown.
static void a_body_elsewhere_is_shown_as_a_whole(void **state) {
  (void)state;
  for (double grown = 0.1; grown < 200; grown *= 10) {
    Camera camera = turned_camera(1);
    const double azimuth = camera.azimuth, aspect = (double)WIDTH / HEIGHT;
    double low[3], high[3], seen[2];
    float m[4][4];
    for (int i = 0; i < 3; i++) {
      low[i] = -70 * i - grown;
      high[i] = -70 * i + 2 * grown;
    }
    camera_show(&camera, low, high, aspect);
    camera_matrix(&camera, aspect, m);
    assert_true(camera.azimuth == azimuth);
    for (int corner = 0; corner < 8; corner++) {
      double point[3], clip[4];
      for (int i = 0; i < 3; i++) point[i] = corner >> i & 1 ? low[i] : high[i];
      for (int i = 0; i < 4; i++) clip[i] = m[0][i] * point[0] + m[1][i] * point[1] + m[2][i] * point[2] + m[3][i];
      assert_true(camera_project(&camera, point, WIDTH, HEIGHT, seen));
      assert_true(seen[0] > 0 && seen[0] < WIDTH && seen[1] > 0 && seen[1] < HEIGHT);
      assert_true(clip[2] > -clip[3] && clip[2] < clip[3]);
    }
  }
}

// An orthographic camera draws two points at the same pixels when they move along the line of sight.
static void parallel_lines_keep_their_distance_at_any_depth(void **state) {
  (void)state;
  const Camera camera = turned_camera(1);
  double right[3], up[3], forward[3], near[2][2], far[2][2];
  camera_axes(&camera, right, up, forward);
  for (int k = 0; k < 2; k++) {
    double point[3], behind[3];
    for (int i = 0; i < 3; i++) {
      point[i] = camera.target[i] + k * camera.radius * up[i];
      behind[i] = point[i] - 4 * camera.distance * forward[i];  // behind the eye
    }
    assert_true(camera_project(&camera, point, WIDTH, HEIGHT, near[k]));
    assert_true(camera_project(&camera, behind, WIDTH, HEIGHT, far[k]));
    for (int i = 0; i < 2; i++) assert_true(fabs(near[k][i] - far[k][i]) < 1e-9);
  }

  // objects at the target have the same size in the orthographic and in the perspective picture
  Camera perspective = camera;
  perspective.orthographic = false;
  for (int k = 0; k < 2; k++) {
    double point[3];
    for (int i = 0; i < 3; i++) point[i] = camera.target[i] + k * camera.radius * up[i];
    assert_true(camera_project(&perspective, point, WIDTH, HEIGHT, far[k]));
    for (int i = 0; i < 2; i++) assert_true(fabs(near[k][i] - far[k][i]) < 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rays_pass_through_the_point_seen_at_their_pixel),
    cmocka_unit_test(matrix_agrees_with_projection),
    cmocka_unit_test(fit_shows_the_whole_box),
    cmocka_unit_test(look_sets_eye_target_and_up),
    cmocka_unit_test(dragging_keeps_the_point_under_the_mouse),
    cmocka_unit_test(a_body_elsewhere_is_shown_as_a_whole),
    cmocka_unit_test(panning_moves_the_target_with_the_mouse),
    cmocka_unit_test(zooming_keeps_the_point_under_the_mouse),
    cmocka_unit_test(sides_are_those_of_the_world),
  };
  const struct CMUnitTest parallel[] = {
    cmocka_unit_test(rays_pass_through_the_point_seen_at_their_pixel),
    cmocka_unit_test(matrix_agrees_with_projection),
    cmocka_unit_test(dragging_keeps_the_point_under_the_mouse),
    cmocka_unit_test(panning_moves_the_target_with_the_mouse),
    cmocka_unit_test(zooming_keeps_the_point_under_the_mouse),
    cmocka_unit_test(parallel_lines_keep_their_distance_at_any_depth),
  };
  const int failed = cmocka_run_group_tests_name("perspective", tests, NULL, NULL);
  orthographic = true;
  return failed + cmocka_run_group_tests_name("orthographic", parallel, NULL, NULL);
}
