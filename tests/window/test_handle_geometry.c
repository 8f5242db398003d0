// Tests the geometry of the handles of the scene editor, which move, turn and scale entries. A dragged handle must
// follow the mouse: with perspective and without it, from many directions, and for each axis.
#include "../testing.h"

#include "window/handles.h"

enum { WIDTH = 800, HEIGHT = 600, CAMERAS = 40 };

static Camera camera_of(int index) {
  const double low[3] = { -1, -1, -1 }, high[3] = { 1, 1, 1 };
  Camera camera = camera_fit(low, high, 35, (double)WIDTH / HEIGHT);
  camera_orbit(&camera, 0.7 * index, 0.37 * (index % 5) - 0.8);
  camera.orthographic = index % 2;
  return camera;
}

static Handles handles_of(TransformKind kind) {
  return (Handles){ .kind = kind, .position = { 0.25, 0.5, 1 }, .centre = { 0.3, -0.2, 0.1 } };
}

static void pixel_of(const HandleView *view, const double point[3], double pixel[2]) {
  assert_true(camera_project(view->camera, point, view->width, view->height, pixel));
}

static void a_ring_turns_by_the_angle_of_the_mouse(void **state) {
  (void)state;
  int exact = 0, flat = 0;
  for (int c = 0; c < CAMERAS; c++)
    for (int k = 0; k < 3; k++) {
      const Camera camera = camera_of(c);
      const HandleView view = { &camera, WIDTH, HEIGHT };
      Handles h = handles_of(TRANSFORM_TURN);
      HandleLine line;
      double eye[3], pixel[2], away[3], length = 0;
      camera_viewpoint(&camera, eye);
      for (int i = 0; i < 3; i++) {
        away[i] = eye[i] - h.centre[i];
        length += away[i] * away[i];
      }
      const double cosine = fabs(away[k]) / sqrt(length);
      handle_line(&h, &view, k, true, &line);
      const int from = line.knob, step = 4;
      pixel_of(&view, line.point[from], pixel);
      assert_true(handle_grab(&h, &view, k, pixel));
      pixel_of(&view, line.point[from + step], pixel);
      handle_drag(&h, &view, pixel);
      const double expected = 360.0 * step / (HANDLE_POINTS - 1);
      if (cosine > 0.3) {                               // the ring of a turn is not seen edge-on
        assert_true(fabs(h.amount - expected) < 0.11);  // degrees; the amount is rounded to 0.1 degrees
        exact++;
      } else if (cosine < 0.2) {
        // if the ring is seen edge-on, angles are exact only at its front
        assert_true(h.amount > 0 && h.amount < 2 * expected);
        flat++;
      }
      h.snaps = true;
      handle_drag(&h, &view, pixel);
      assert_true(fmod(h.amount, 15) == 0);
      if (cosine < 0.3) continue;

      // one more full turn without snapping, after the first 30 degrees
      h.snaps = false;
      for (int p = 0; p < HANDLE_POINTS - 1; p++) {
        pixel_of(&view, line.point[(from + step + 1 + p) % (HANDLE_POINTS - 1)], pixel);
        handle_drag(&h, &view, pixel);
      }
      assert_true(fabs(h.amount - expected - 360) < 0.11);
    }
  assert_true(exact > CAMERAS && flat > CAMERAS / 4);
}

static void an_arrow_follows_the_mouse(void **state) {
  (void)state;
  int followed = 0;
  for (int c = 0; c < CAMERAS; c++)
    for (int k = 0; k < 3; k++) {
      const Camera camera = camera_of(c);
      const HandleView view = { &camera, WIDTH, HEIGHT };
      Handles h = handles_of(TRANSFORM_MOVE);
      HandleLine line;
      double pixel[2];
      handle_line(&h, &view, k, false, &line);
      pixel_of(&view, line.point[1], pixel);
      if (!handle_grab(&h, &view, k, pixel)) continue;
      line.point[1][k] += 0.375;
      pixel_of(&view, line.point[1], pixel);
      handle_drag(&h, &view, pixel);
      assert_true(fabs(h.amount - 0.375) < 1e-3);

      // snapped positions are multiples of 0.1 m
      h.snaps = true;
      handle_drag(&h, &view, pixel);
      const double tenths = 10 * (h.position[k] + h.amount);
      assert_true(fabs(tenths - round(tenths)) < 1e-9 && fabs(h.amount - 0.375) <= 0.05 + 1e-9);
      followed++;
    }
  assert_true(followed > 2 * CAMERAS);
}

// The mouse moves from a point of the circle to 1.74 times its distance from the centre, which scales by 1.74. Snapped
// factors are multiples of 0.1. Finally the mouse moves to the centre.
static void the_circle_scales_by_the_distance_from_its_centre(void **state) {
  (void)state;
  for (int c = 0; c < CAMERAS; c++) {
    const Camera camera = camera_of(c);
    const HandleView view = { &camera, WIDTH, HEIGHT };
    Handles h = handles_of(TRANSFORM_SCALE);
    HandleLine line;
    double pixel[2], middle[2], far[2];
    handle_line(&h, &view, 0, false, &line);
    assert_int_equal(handles_count(&h), 1);
    pixel_of(&view, line.point[c], pixel);
    pixel_of(&view, h.centre, middle);
    assert_true(handle_grab(&h, &view, 0, pixel));
    assert_false(handles_change(&h));
    for (int i = 0; i < 2; i++) far[i] = middle[i] + 1.74 * (pixel[i] - middle[i]);
    handle_drag(&h, &view, far);
    assert_true(handles_change(&h) && fabs(h.amount - 1.74) < 1e-9);
    h.snaps = true;
    handle_drag(&h, &view, far);
    assert_true(fabs(h.amount - 1.7) < 1e-9);
    handle_drag(&h, &view, middle);
    assert_true(fabs(h.amount - 0.1) < 1e-9);  // 0.1 is the smallest factor, so that a body cannot vanish
    const Transform t = handles_transform(&h);
    double corner[3] = { 1.3, -0.2, 0.1 };
    transform_point(&t, corner);
    assert_true(fabs(corner[0] - 0.4) < 1e-9);  // the centre is at x = 0.3, and the corner 0.1 times 1 from it
  }
}

static void a_line_scales_along_its_local_axis(void **state) {
  (void)state;
  int followed = 0;
  for (int c = 0; c < CAMERAS; c++)
    for (int k = 0; k < 3; k++) {
      const Camera camera = camera_of(c);
      const HandleView view = { &camera, WIDTH, HEIGHT };
      Handles h = handles_of(TRANSFORM_SCALE);
      const double local[3][3] = { { 0.6, 0.8, 0 }, { -0.8, 0.6, 0 }, { 0, 0, 1 } };
      HandleLine line;
      double pixel[2], end[3];
      h.stretches = true;
      memcpy(h.local, local, sizeof local);
      assert_int_equal(handles_count(&h), 4);
      handle_line(&h, &view, k + 1, false, &line);
      pixel_of(&view, line.point[1], pixel);
      if (!handle_grab(&h, &view, k + 1, pixel)) continue;
      for (int i = 0; i < 3; i++) end[i] = h.centre[i] + 1.3 * (line.point[1][i] - h.centre[i]);
      pixel_of(&view, end, pixel);
      handle_drag(&h, &view, pixel);
      assert_true(fabs(h.amount - 1.3) < 1e-9);

      // the transform moves the end of the line with the mouse, and no point of the plane through the centre
      const Transform t = handles_transform(&h);
      double across[3];
      for (int i = 0; i < 3; i++) across[i] = h.centre[i] + local[(k + 1) % 3][i];
      transform_point(&t, line.point[1]);
      transform_point(&t, across);
      for (int i = 0; i < 3; i++) {
        assert_true(fabs(line.point[1][i] - end[i]) < 1e-9);
        assert_true(fabs(across[i] - h.centre[i] - local[(k + 1) % 3][i]) < 1e-12);
      }
      followed++;
    }
  assert_true(followed > 2 * CAMERAS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_ring_turns_by_the_angle_of_the_mouse),
    cmocka_unit_test(an_arrow_follows_the_mouse),
    cmocka_unit_test(the_circle_scales_by_the_distance_from_its_centre),
    cmocka_unit_test(a_line_scales_along_its_local_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
