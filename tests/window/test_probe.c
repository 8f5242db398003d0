// Tests the text that the window shows about the point under the mouse, for tets and hexes with known deformations.
#include "../testing.h"

#include "sim/element/moduli.h"
#include "window/probe.h"

static double X[4][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } };
static int tet[1][4] = { { 0, 1, 2, 3 } };
static int64_t tag[4] = { 11, 12, 13, 14 };

static void a_stretched_tet_shows_its_stress_and_its_nearest_node(void **state) {
  (void)state;
  const TetMesh mesh = { .node_count = 4, .tet_count = 1, .X = X, .tet = tet, .node_tag = tag };
  SimulationSettings s = simulation_defaults();
  s.mu = 1000;
  s.lambda = 0;
  snprintf(s.material, sizeof s.material, "neo_hookean");
  double x[4][3];
  for (int a = 0; a < 4; a++) {
    x[a][0] = 2 * X[a][0] + 5;  // the deformation gradient is F = diag(2, 1, 1)
    x[a][1] = X[a][1];
    x[a][2] = X[a][2];
  }

  char text[320];

  // At rest the point is (0.1, 0.7, 0.1). It is displaced by (0.1 + 5, 0, 0), and the nearest node is the tet's second
  // corner.
  probe_text(&mesh, 0, (const double(*)[3])x, (const double[3]){ 5.2, 0.7, 0.1 }, &s, "ball", text, sizeof text);

  // sigma = mu (F F^T - 1) / J: sigma_xx = 1000 * 3 / 2, and other entries are 0
  static const char *const expected[] = {
    "ball\nnode 12, tet 1\n", "displacement 5.1 m\n  5.1, ", "det F 2\n",         "von Mises 1500 Pa\n",
    "principal 1500 Pa\n",    "xx, yy, zz 1.5e+03, 0, 0\n",  "xy, yz, xz 0, 0, 0"
  };
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    if (!strstr(text, expected[k])) fail_msg("\"%s\" is not in:\n%s", expected[k], text);
}

// With the deformation x0 = X0 + 0.1 X0^2, F00 = 1 + 0.2 X0 varies within the tet, so the text must have its value at
// the point.
static void a_quadratic_tet_shows_the_values_at_the_point(void **state) {
  (void)state;
  double all[10][3], x[10][3];
  int middle[1][6] = { { 4, 5, 6, 7, 8, 9 } };
  int64_t tags[10] = { 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
  memcpy(all, X, sizeof X);
  for (int m = 0; m < 6; m++)
    for (int i = 0; i < 3; i++) all[4 + m][i] = (X[tet_edge_corners[m][0]][i] + X[tet_edge_corners[m][1]][i]) / 2;
  memcpy(x, all, sizeof x);
  for (int a = 0; a < 10; a++) x[a][0] += 0.1 * all[a][0] * all[a][0];
  const TetMesh mesh = { .node_count = 10, .tet_count = 1, .X = all, .tet = tet, .middle = middle, .node_tag = tags };
  SimulationSettings s = simulation_defaults();
  s.mu = 1000;
  s.lambda = 0;
  snprintf(s.material, sizeof s.material, "neo_hookean");
  char text[320];

  // At rest the point is (0.3, 0.2, 0.1). The nearest node is in the middle of the edge from the tet's first to its
  // last corner.
  probe_text(&mesh, 0, (const double(*)[3])x, (const double[3]){ 0.309, 0.2, 0.1 }, &s, "", text, sizeof text);
  static const char *const expected[] = { "node 18, tet 1\n", "displacement 0.009 m\n  0.009, ", "det F 1.06\n",
                                          "xx, yy, zz 117, " };  // mu (1.06^2 - 1) / 1.06
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    if (!strstr(text, expected[k])) fail_msg("\"%s\" is not in:\n%s", expected[k], text);
}

static void an_inverted_tet_has_no_stress(void **state) {
  (void)state;
  const TetMesh mesh = { .node_count = 4, .tet_count = 1, .X = X, .tet = tet };
  SimulationSettings s = simulation_defaults();
  snprintf(s.material, sizeof s.material, "neo_hookean");
  double x[4][3];
  memcpy(x, X, sizeof x);
  x[0][0] = -1;
  char text[320];
  probe_text(&mesh, 0, (const double(*)[3])x, (const double[3]){ -0.5, 0.2, 0.2 }, &s, "", text, sizeof text);
  assert_true(strstr(text, "node 1, tet 1\n") == text);
  assert_non_null(strstr(text, "det F -1\ninverted: no stress"));
}

// The displacement u = (0.2 X0 X1, 0, 0) of a box has F00 = 1 + 0.2 X1 and F01 = 0.2 X0. A hex represents it exactly.
static void a_hex_shows_the_values_at_the_point(void **state) {
  (void)state;
  double all[8][3], x[8][3];
  int hex[1][8] = { { 0, 1, 2, 3, 4, 5, 6, 7 } };
  int64_t tags[8] = { 11, 12, 13, 14, 15, 16, 17, 18 };
  for (int a = 0; a < 8; a++) {
    for (int i = 0; i < 3; i++) all[a][i] = x[a][i] = (i + 1) * (a >> i & 1);
    x[a][0] += 0.2 * all[a][0] * all[a][1];
  }
  const TetMesh mesh = { .node_count = 8, .tet_count = 1, .X = all, .hex = hex, .node_tag = tags };
  SimulationSettings s = simulation_defaults();
  s.mu = 1000;
  s.lambda = 0;
  snprintf(s.material, sizeof s.material, "neo_hookean");
  char text[320];

  // At rest the point is (0.55, 1.5, 0.6), so F00 = 1.3, F01 = 0.11, and (1, 2, 0) is the nearest corner. The stress is
  // sigma = mu (F F^T - 1) / J.
  probe_text(&mesh, 0, (const double(*)[3])x, (const double[3]){ 0.55 + 0.2 * 0.55 * 1.5, 1.5, 0.6 }, &s, "", text,
             sizeof text);
  static const char *const expected[] = { "node 14, hex 1\n", "displacement 0.165 m\n  0.165, 0, 0\n", "det F 1.3\n",
                                          "xx, yy, zz 540, 0, 0\n", "xy, yz, xz 84.6, " };
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    if (!strstr(text, expected[k])) fail_msg("\"%s\" is not in:\n%s", expected[k], text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_stretched_tet_shows_its_stress_and_its_nearest_node),
    cmocka_unit_test(a_hex_shows_the_values_at_the_point),
    cmocka_unit_test(a_quadratic_tet_shows_the_values_at_the_point),
    cmocka_unit_test(an_inverted_tet_has_no_stress),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
