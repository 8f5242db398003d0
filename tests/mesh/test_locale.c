// Tests meshes and formulas under a locale with decimal commas. The test creates the locale, and is skipped if the
// system cannot do that.
#include "base/number.h"
#include "german_locale.h"
#include "mesh/mesh_write.h"
#include "mesh_testing.h"

static void every_format_has_the_numbers_of_any_locale(void **state) {
  (void)state;
  static const char *const endings[] = {
    "msh", "mesh", "meshb", "node", "ele", "vtk", "vtu", "veg", "msh.gz", "node.gz"
  };
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    Error error = { 0 };
    char path[100];
    TetMesh mesh = { 0 }, again = { 0 };
    const MeshWriting how = { 0 };
    snprintf(path, sizeof path, "%s/box.%s", folder, endings[k]);
    if (!mesh_make_box(2, 1, 1, (double[3]){ 0.3, 1.7, 2.1 }, &mesh, &error)) fail_msg("%s", error.message);
    if (!mesh_write(path, &mesh, &how, &error)) fail_msg("%s", error.message);
    if (!mesh_read(path, 1, &again, &error)) fail_msg("%s", error.message);
    assert_int_equal(again.node_count, mesh.node_count);
    assert_memory_equal(again.X, mesh.X, sizeof *mesh.X * (size_t)mesh.node_count);
    assert_string_equal(localeconv()->decimal_point, ",");
    mesh_destroy(&mesh);
    mesh_destroy(&again);
  }
}

static void numbers_may_lack_a_digit_on_one_side(void **state) {
  (void)state;
  double value;
  assert_true(number_is(".3", &value) && value == 0.3);
  assert_true(number_is("+.3", &value) && value == 0.3);
  assert_true(number_is("-5.", &value) && value == -5);
  static const char *const wrong[] = { "", ".", "+", "0,3", "inf", "nan", "0x10", "1e999", "3 ", " 3", "--3" };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) assert_false(number_is(wrong[k], &value));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_format_has_the_numbers_of_any_locale),
    cmocka_unit_test(numbers_may_lack_a_digit_on_one_side),
  };
  if (!take_german()) {
    puts("skipped: localedef cannot make de_DE.UTF-8");
    return 77;
  }
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return remove_folder() != 0 || failed;
}
