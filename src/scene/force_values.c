// Computes the values of a scene's forces at a point and a time: see force_values.h.
#include "scene/force_values.h"

#include <math.h>
#include <stdio.h>

#include "base/waypoints.h"

static const double LARGEST = 1e30;  // N, N/m^2 or Pa; sums of larger values could overflow a float

static void name_of(const Scene *scene, int k, char name[SCENE_PATH_LENGTH + 64]) {
  snprintf(name, SCENE_PATH_LENGTH + 64, "%s: forces entry %d", scene->path, k + 1);
}

bool force_values_read(const Scene *scene, int k, Formula formula[3], Error *error) {
  static const char *const words[] = { "t" };
  static const FormulaWords known = { 1, words, "the words" };
  const SceneForce *force = &scene->forces[k];
  char name[SCENE_PATH_LENGTH + 64];
  name_of(scene, k, name);
  for (int i = 0; i < 3; i++) {
    if (force->formula[i][0] == '\0') continue;
    if (!formula_read(&formula[i], force->formula[i], name, &known, error)) return false;
    if (force->kind == FORCE_TOTAL && formula[i].of_place)
      return error_set(
          error,
          "%s: the formula \"%s\" of \"total\" may contain t, but not x, y or z; use \"traction\" for a force that "
          "varies in space",
          name, force->formula[i]);
  }
  return true;
}

double force_factor(const SceneForce *force, double time) {
  double factor = 1;
  if (force->point_count > 0) waypoints_values(force->over_time[0], 1, force->point_count, time, &factor);
  return factor;
}

bool force_is_uneven(const Formula formula[3]) {
  return formula[0].parser || formula[1].parser || formula[2].parser;
}

bool force_changes(const SceneForce *force, const Formula formula[3], double before, double now) {
  bool timed = false;
  for (int i = 0; i < 3; i++) timed = timed || formula[i].word_count > 0;
  return (timed && before != now) || force_factor(force, before) != force_factor(force, now);
}

double force_value(const SceneForce *force, const Formula formula[3], int i, const double X[3], double time) {
  if (!formula[i].parser) return force->value[i];
  formula_set(&formula[i], 0, isfinite(time) ? time : 0);
  return formula_checked(&formula[i], X, LARGEST);
}

bool force_values_check(const Scene *scene, int k, const Formula formula[3], Error *error) {
  char name[SCENE_PATH_LENGTH + 64];
  name_of(scene, k, name);
  for (int i = 0; i < 3; i++)
    if (!formula_check(&formula[i], name, error)) return false;
  return true;
}
