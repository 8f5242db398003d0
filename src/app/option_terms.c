// Refuses options that have no effect because another option is given or missing (option_terms.h).
#include "app/option_terms.h"

#include <stdio.h>
#include <string.h>

enum { LIST = 200 };

bool option_given(const Option *own, const bool *given, const char *key) {
  const Option *row = own ? option_find(own, key) : NULL;
  return row && given[row - own];
}

// Writes a list of keys, such as "output|video", as options to `list`: "--output or --video". Sets *any to true if one
// of these options was given, otherwise to false.
static void flags_of(const GivenOptions *g, const char *keys, char list[LIST], bool *any) {
  size_t length = 0;
  *any = false;
  list[0] = '\0';
  for (int k = 0;; k++) {
    char key[64], next[64];
    choice_text(keys, k, key, sizeof key);
    if (!key[0]) return;
    choice_text(keys, k + 1, next, sizeof next);
    *any = *any || option_given(g->own, g->command_given, key);
    char flag[64];
    option_flag(&(Option){ .key = key }, flag);
    length += (size_t)snprintf(list + length, LIST - length, "%s%s", k == 0 ? "" : next[0] ? ", " : " or ", flag);
  }
}

// Returns true if the option of a table row was given on the command line. own: the row is in the command's table, not
// in the scene's.
static bool is_given(const GivenOptions *g, const Option *row, bool own) {
  return own ? option_given(g->own, g->command_given, row->key) : g->scene->given[row - scene_options] != NULL;
}

// Fails if the option `key`, which was given, does not satisfy the condition `term`.
static bool check_term(const GivenOptions *g, const OptionTerm *term, const char *key, Error *error) {
  char flag[64], list[LIST];
  bool any;
  option_flag(&(Option){ .key = key }, flag);
  if (term->where) {
    flags_of(g, term->where, list, &any);
    if (!any) return true;
  }
  if (term->needs) {
    flags_of(g, term->needs, list, &any);
    if (!any) return error_set(error, "%s: %s has no effect without %s", g->command, flag, list);
  }
  if (!term->not_with) return true;
  flags_of(g, term->not_with, list, &any);
  return !any || error_set(error, "%s: %s has no effect together with %s", g->command, flag, list);
}

// Returns true if a row of the table of conditions names the options that `key` needs.
static bool has_needs(const OptionTerm *terms, const char *key) {
  for (const OptionTerm *term = terms; term && term->key; term++)
    if (strcmp(term->key, key) == 0 && term->needs) return true;
  return false;
}

static bool check_terms(const GivenOptions *g, const Option *rows, bool own, Error *error) {
  for (const Option *row = rows; row && row->key; row++) {
    if (!is_given(g, row, own)) continue;
    const bool draws = !own && row->applies == APPLIES_TO_VIEW && !has_needs(g->terms, row->key);
    for (const OptionTerm *term = g->terms; term && term->key; term++) {
      const bool of_view = draws && strcmp(term->key, "view") == 0;
      if ((of_view || strcmp(term->key, row->key) == 0) && !check_term(g, term, row->key, error)) return false;
    }
  }
  return true;
}

static bool touches(const Scene *s) {
  return s->simulation.self_contact;
}

static bool rubs(const Scene *s) {
  return s->simulation.self_contact || s->simulation.has_floor;
}

static bool tears(const Scene *s) {
  return s->tear_stress > 0;
}

static bool colours(const Scene *s) {
  return s->style.field != FIELD_NONE;
}

static bool cuts_off_extremes(const Scene *s) {
  return s->style.range == FIELD_RANGE_PERCENTILES;
}

static bool is_cut_open(const Scene *s) {
  return s->style.section;
}

static bool computes_on_gpu(const Scene *s) {
  return scene_device(s) == DEVICE_CUDA || s->simulation.solver_device == SOLVER_DEVICE_CUDA;
}

// Scene keys that have an effect only if the scene has a certain property, which `has_effect` tests. `needs` names the
// options that give the scene this property.
static const struct {
  const char *keys;
  bool (*has_effect)(const Scene *scene);
  const char *needs;
  bool may_come;     // the user can add the property later, in a window
  bool is_reported;  // commands with reports_gpu use the key even without the property
} scene_rules[] = {
  { "contact_distance|contact_modulus|friction_speed|friction_sticks", touches, "--self-contact", false, false },
  { "friction", rubs, "--floor or --self-contact", true, false },
  { "tear_by", tears, "--tear-stress", false, false },
  { "color_range|field_range|range_percentile|color_map|color_scale", colours, "--field", true, false },
  { "range_percentile", cuts_off_extremes, "--field-range percentiles", true, false },
  { "section_cut", is_cut_open, "--section", true, false },
  { "partitioner", computes_on_gpu, "--device cuda", false, false },
  { "memory_budget", computes_on_gpu, "--device cuda", false, true },
};

static bool check_scene(const GivenOptions *g, Error *error) {
  for (size_t k = 0; k < sizeof scene_rules / sizeof *scene_rules; k++) {
    if ((scene_rules[k].may_come && g->changes_later) || (scene_rules[k].is_reported && g->reports_gpu)) continue;
    for (const Option *o = scene_options; o->key; o++) {
      if (!g->scene->given[o - scene_options] || choice_index(scene_rules[k].keys, o->key) < 0) continue;
      char flag[64];
      option_flag(o, flag);
      if (!scene_rules[k].has_effect(g->scene))
        return error_set(error, "%s: %s has no effect without %s", g->command, flag, scene_rules[k].needs);
    }
  }
  return true;
}

bool option_terms_check(const GivenOptions *g, Error *error) {
  if (!check_terms(g, g->own, true, error)) return false;
  return !g->scene || (check_terms(g, scene_options, false, error) && check_scene(g, error));
}
