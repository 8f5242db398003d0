// Draws the HUD (text and widgets over the picture, hud/hud.h) in pictures of many sizes, without a window. Its
// panel has all kinds of contents. All widgets and texts must fit into the HUD's windows and into the picture.
#include "../testing.h"

#include "hud/hud.h"
#include "hud/items.h"
#include "record/png_file.h"
#include "render/gl_check.h"
#include "render/offscreen.h"
#include "render/pixels.h"
#include "render/render_target.h"
#include "scene/scene.h"

// width and height of pictures, pixels; the user's text size, in percent; width of the panel, in heights of text
static const int SIZES[][4] = { { 640, 400, 100, 25 },   { 760, 640, 100, 25 },   { 1280, 720, 100, 25 },
                                { 1920, 1080, 100, 25 }, { 3840, 2160, 100, 25 }, { 1280, 800, 200, 25 },
                                { 640, 400, 200, 25 },   { 640, 400, 75, 25 },    { 640, 400, 100, 60 },
                                { 1280, 800, 125, 60 },  { 1280, 720, 100, 32 } };
enum { MESSAGES = 30 };
static const char *const TABS[] = { "Body", "Solver", "View", "Plots", "Files", "Scene" };
static const char *const PRESETS[] = { "jelly", "sponge", "rubber", "another material", "and one more of them", NULL };

static const char *const TIPS[] = {
  "a", "b", "c", "d", "what this material is, where that comes from, and more", NULL
};

static void begin_picture(const int size[4]) {
  hud_set_text_size(size[2] / 100.0);
  hud_begin_picture(size[0], size[1], 1);
  hud_set_text_size(1);
}

// Describes a row of SIZES. The text is valid until the next call.
static const char *name_of(const int size[4]) {
  static char text[80];
  snprintf(text, sizeof text, "%dx%d, text %d %%, panel %d", size[0], size[1], size[2], size[3]);
  return text;
}

static HudChoice choice_of(const char *name) {
  HudChoice choice = { .count = 1 };
  snprintf(choice.names[0], sizeof choice.names[0], "%s", name);
  return choice;
}

static HudChoice choice_of_side(HudSide side) {
  return (HudChoice){ .names = { "right", "left" }, .count = HUD_SIDE_COUNT, .chosen = (int)side };
}

enum { ENERGY, MOMENTUM_DRIFT, ANGULAR_DRIFT, NEWTON, CG, REAL_TIME, STEP_TIME, PLOTS };

static void fill_plots(HudPanel *p) {
  static const HudPlot plots[PLOTS] = {
    [ENERGY] = { .title = "energy",
                 .unit = "J",
                 .series_count = 4,
                 .name = { "kinetic", "elastic", "potential", "total" } },
    [MOMENTUM_DRIFT] = { .title = "momentum drift", .unit = "kg m/s", .series_count = 1 },
    [ANGULAR_DRIFT] = { .title = "angular momentum drift", .unit = "kg m²/s", .series_count = 1 },
    [NEWTON] = { .title = "Newton iterations per step", .unit = "", .series_count = 1 },
    [CG] = { .title = "CG iterations per step", .unit = "", .series_count = 1 },
    [REAL_TIME] = { .title = "speed (× real time)", .unit = "", .series_count = 1 },
    [STEP_TIME] = { .title = "time per step",
                    .unit = "ms",
                    .stacked = true,
                    .series_count = 6,
                    .name = { "assembly", "vector", "SpMV", "CG rest", "transfer", "rest" } },
  };
  p->samples = HUD_SAMPLES;
  p->plot_count = PLOTS;
  memcpy(p->plot, plots, sizeof plots);
  for (int k = 0; k < HUD_SAMPLES; k++) {
    p->time[k] = 0.1f * (float)k;
    p->plot[ENERGY].values[0][k] = 1e-5f * (float)k;
    p->plot[ENERGY].values[1][k] = -1e-5f * (float)(k * k);
    p->plot[ENERGY].values[2][k] = p->plot[ENERGY].values[3][k] = 1e-3f;
    p->plot[MOMENTUM_DRIFT].values[0][k] = 1e-12f * (float)k;
    p->plot[ANGULAR_DRIFT].values[0][k] = 1e9f * (float)k;
    p->plot[NEWTON].values[0][k] = 20;
    p->plot[CG].values[0][k] = 12345;
    p->plot[REAL_TIME].values[0][k] = 0.001f;
    for (int s = 0; s < 6; s++) p->plot[STEP_TIME].values[s][k] = 123.4f;
  }
}

static void fill_editor(HudEditor *e) {
  static const char *const kinds[] = { "box", "obstacle: capsule", NULL };
  static const Option rows[] = { { .key = "region.center", .type = OPTION_CUSTOM },
                                 { .key = "contact_distance", .type = OPTION_NUMBER, .help = "distance" },
                                 { .key = "newton_absolute", .type = OPTION_NUMBER, .advanced = true },
                                 { .key = "self_contact", .type = OPTION_FLAG },
                                 { .key = "color", .type = OPTION_CUSTOM, .color = true },
                                 { .key = "shape.kind", .type = OPTION_TEXT, .choices = "box|cylinder" } };
  static const char *const texts[] = { "", "-1", "1e-12", "true", "0.1, 0.25, 0.123456", "cylinder" };
  *e = (HudEditor){ .kinds = kinds, .entry_count = 40, .selected = 39, .moved = true, .field_count = 6 };
  e->refused = rows[1].key;
  e->reason = "scene.json: key \"contact_distance\": is -1, expected 0 or more";
  for (int k = 0; k < e->entry_count; k++) snprintf(e->entry[k], sizeof *e->entry, "obstacle %d: capsule", k + 1);
  for (int k = 0; k < e->field_count; k++) {
    HudField *f = &e->field[k];
    snprintf(f->key, sizeof f->key, "%s", rows[k].key);
    snprintf(f->text, sizeof f->text, "%s", texts[k]);
    f->option = &rows[k];
  }
  memset(e->field[0].text, '1', sizeof e->field->text - 1);
}

// Fills the list of curves with as many curves as possible: one of an observable, the others of probes.
static void fill_curves(HudCurves *c) {
  HudPlot *vector = &c->curve[HUD_SERIES_MAX - 1];
  c->count = HUD_SERIES_MAX;
  c->plot.series_count = HUD_SERIES_MAX - 1;
  c->samples = HUD_SAMPLES;
  c->plot.title = "displacement of nodes";
  c->plot.unit = "m";
  for (int k = 0; k < c->count; k++) {
    snprintf(c->name[k], sizeof *c->name, "node 123456789");
    c->plot.name[k] = c->name[k];
    for (int s = 0; s < HUD_SAMPLES; s++) {
      c->time[s] = 0.1f * (float)s;
      c->plot.values[k][s] = -1.234567e-10f * (float)s;
    }
    c->series[k] = k;
  }
  c->series[HUD_SERIES_MAX - 1] = -1;
  snprintf(c->name[HUD_SERIES_MAX - 1], sizeof *c->name, "reaction_moment:12");
  memset(c->wanted, 'W', sizeof c->wanted - 1);
  *vector = (HudPlot){ .unit = "kg m^2/s", .series_count = 3, .name = { "x", "y", "z" } };
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < HUD_SAMPLES; k++) vector->values[s][k] = -1.234567e-10f * (float)k;
}

// Fills the toolbar. `all` selects as many buttons as HudToolbar can have; otherwise it gets the number of buttons that
// the program's window has.
static void fill_toolbar(HudToolbar *t, bool all) {
  t->count = all ? HUD_BUTTONS_MAX : 11;
  for (int k = 0; k < t->count; k++)
    t->button[k] =
        (HudButton){ .name = "button", .help = "Explains the button.", .icon = "M2 2 L14 14 O8 8 4", .spaced = k == 5 };
}

// Fills the panel with all kinds of contents and with long numbers.
static void fill(HudPanel *p, int tab) {
  static Scene scene;
  scene_defaults(&scene);
  *p = (HudPanel){ .presets = PRESETS, .preset_tips = TIPS, .section = true, .fixed_range = true, .advanced = true };
  for (const Option *o = scene_options; o->key; o++) {
    if (!o->tab) continue;
    assert_true(p->setting_count < HUD_SETTINGS_MAX);
    HudSetting *s = &p->settings[p->setting_count++];
    *s = (HudSetting){ .option = o, .value = option_value(o, &scene), .low = o->slider[0], .high = o->slider[1] };
    s->value.present = true;
    if (o->type == OPTION_NUMBER || o->type == OPTION_OPTIONAL || o->type == OPTION_VECTOR)
      for (int i = 0; i < 3; i++) s->value.number[i] = -1.234567e-10;
    if (!(s->high > s->low)) {
      s->low = 0;
      s->high = 1;
    }
  }

  p->mouse_stiffness = p->natural_stiffness = 1.234567e-10;
  snprintf(p->rates, sizeof p->rates, "12345 steps/s, 12.3 Newton and 12345 CG iterations per step");
  p->speed = 1.0 / 64;
  p->material = choice_of("mooney_rivlin");
  p->device = choice_of("cuda");
  p->precision = choice_of("double");
  p->assembly = choice_of("sharednz");
  p->matrix = choice_of("matrixfree");
  p->solver = choice_of("resident_schwarz");
  p->text_size = choice_of("0.875");
  p->theme = choice_of("light");
  p->section_axis = choice_of("x");
  p->section_at = 0.123456;
  p->low = -1.234567e-10;
  p->high = 1.234567e10;
  p->scenes = choice_of("stiff_soft_coarse.json");
  p->recent = choice_of("a_scene_with_a_long_name.pliant.json");
  p->first = 1234567;
  p->now = 2345678;
  p->newest = 2346678;
  p->timeline_mib = 1234.5;
  snprintf(p->film_name, sizeof p->film_name, "film.webp");
  p->record_size[0] = p->record_size[1] = 8192;
  p->record_fps = 1.234567e-10;
  p->record_message = "12345 frames in /a/folder/with/quite/a/long/name/that/has/no/spaces/at/all, and film.mp4";
  fill_editor(&p->editor);
  fill_plots(p);
  fill_curves(&p->curves);
  p->views.count = HUD_VIEWS_MAX;
  for (int k = 0; k < HUD_VIEWS_MAX; k++) {
    p->views.given[k] = true;
    memset(p->views.name[k], 'W', HUD_VIEW_NAME - 1);
  }
  p->show_tab = TABS[tab];
}

// Returns as many lines of text as possible: a warning, and messages of all kinds.
static HudNotices all_notices(void) {
  HudNotices n = { 0 };
  hud_notices_add(&n, HUD_WARNING, "12 steps used backward Euler, which damps");
  n.lasting = n.count;
  for (int k = 0; n.count < HUD_NOTICES_MAX; k++)
    hud_notices_add(&n, (HudMessageKind)(k % HUD_MESSAGE_KINDS), "a message of some words, which ends here");
  return n;
}

static void every_widget_fits(void **state) {
  (void)state;
  const HudNotices notices = all_notices();
  static HudPanel panel;
  const HudOverlay overlay = { .title = "largest principal stress",
                               .unit = "Pa",
                               .range = { -2e6, 2e6 },
                               .above = true,
                               .note = "\npercentiles 0.0123 to 99.99\nlogarithmic",
                               .grid = 0.2,
                               .arrow = 2e-7,
                               .arrow_title = "external force",
                               .arrow_unit = "N" };
  char wrong[1024] = "";
  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
    for (int tab = 0; tab < (int)(sizeof TABS / sizeof *TABS); tab++) {
      const char *name;
      double pixel[2];
      int seen = 0;

      // the first of three rounds computes the layout, the second opens the tab, and the third shows it
      HudToolbar toolbar;
      HudLegend legend = { 0 };
      fill_toolbar(&toolbar, 100 * SIZES[s][0] > 640 * SIZES[s][2]);
      for (int round = 0; round < 3; round++) {
        fill(&panel, tab);
        panel.width = SIZES[s][3];
        panel.side = choice_of_side((s + (size_t)tab) % 2 ? HUD_LEFT : HUD_RIGHT);
        panel.editor.away = s % 2;  // a button in place of the buttons of the handles
        begin_picture(SIZES[s]);
        hud_draw(&overlay, "Real time ×0.00 · 31 fps · 56,988 nodes, 125,159 tets · NVIDIA H200   PAUSED", &notices,
                 "Drag the surface to pull it    drag background: rotate    wheel: zoom    F1: all keys",
                 &(HudTools){ .panel = &panel, .toolbar = &toolbar, .legend = &legend }, NULL);
      }
      assert_false(legend.changed);
      for (int k = 0; hud_clipped(k, &name); k++) {
        const size_t length = strlen(wrong);
        snprintf(wrong + length, sizeof wrong - length, " %s %s: %s;", name_of(SIZES[s]), TABS[tab], name);
      }
      for (int k = 0; hud_item(k, &name, pixel); k++, seen++)
        assert_true(pixel[0] > 0 && pixel[1] > 0 && pixel[0] < SIZES[s][0] && pixel[1] < SIZES[s][1]);
      assert_true(seen > 10);
    }
  if (wrong[0]) fail_msg("these do not fit:%s", wrong);
}

// Draws the panel while the user searches words. The tab Body is open.
static void draw_search(const int size[4], const char *words) {
  static HudPanel panel;
  const HudOverlay none = { 0 };
  for (int round = 0; round < 4; round++) {
    fill(&panel, 0);
    panel.width = size[3];
    panel.advanced = false;  // the search shows advanced rows, too
    if (round > 1) panel.show_tab = NULL;
    if (round > 1) snprintf(panel.search, sizeof panel.search, "%s", words);
    begin_picture(size);
    hud_draw(&none, "", NULL, "", &(HudTools){ .panel = &panel }, NULL);
  }
}

static bool shows(const char *wanted) {
  const char *name;
  double pixel[2];
  for (int k = 0; hud_item(k, &name, pixel); k++)
    if (strcmp(name, wanted) == 0) return true;
  return false;
}

static void the_search_shows_rows_of_all_tabs(void **state) {
  (void)state;
  static const int size[4] = { 1280, 1600, 100, 25 };
  static const struct {
    const char *words;
    const char *shown[3], *hidden[3];
  } rows[] = {
    { "damp", { "damping", "found:Body", "search" }, { "density", "found:View", "jelly" } },
    { "CG iter",
      { "cg relative auto", "found:Solver" },
      { "newton max", "found:Body" } },                                   // words in any order and case
    { "tolerance", { "newton relative", "found:Solver" }, { "young" } },  // the label of the row
    { "color_map", { "color map", "found:View" }, { "color scale" } },    // its key
    { "newton_absolute", { "key:newton_absolute", "found:Scene" }, { "key:self_contact" } },
    { "frame", { "frames/s", "size", "found:Files" }, { "Record", "film" } },
    { "no such setting", { "none found" }, { "damping" } },
    { " ", { "damping", "jelly" }, { "found:Body" } },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    draw_search(size, rows[k].words);
    for (int i = 0; i < 3; i++) {
      if (rows[k].shown[i] && !shows(rows[k].shown[i])) fail_msg("%s: no %s", rows[k].words, rows[k].shown[i]);
      if (rows[k].hidden[i] && shows(rows[k].hidden[i])) fail_msg("%s: %s is shown", rows[k].words, rows[k].hidden[i]);
    }
  }

  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
    const char *name;
    draw_search(SIZES[s], "e");
    if (hud_clipped(0, &name)) fail_msg("%s: %s does not fit", name_of(SIZES[s]), name);
  }
}

// Draws the panel with a tab open, without changing its contents.
static void draw_tab(HudPanel *panel, int tab) {
  static const int size[4] = { 1280, 1600, 100, 25 };
  const HudOverlay none = { 0 };
  for (int round = 0; round < 4; round++) {
    if (round < 2 && tab >= 0) panel->show_tab = TABS[tab];
    begin_picture(size);
    hud_draw(&none, "", NULL, "", &(HudTools){ .panel = panel }, NULL);
  }
}

static void advanced_rows_are_below_a_heading(void **state) {
  (void)state;
  static HudPanel panel;
  static const char *const rows[][2] = {
    { "poisson", "second invariant" },
    { "dt", "newton relative" },
    { "field range", "range percentile" },
    { "energy", NULL },
    { "scenes", NULL },
    { "key:self_contact", "key:newton_absolute" },
  };
  for (int tab = 0; tab < (int)(sizeof rows / sizeof *rows); tab++)
    for (int open = 0; open < 2; open++) {
      fill(&panel, tab);
      panel.advanced = open;
      draw_tab(&panel, tab);
      const bool grouped = rows[tab][1];
      if (!shows(rows[tab][0])) fail_msg("%s: no %s", TABS[tab], rows[tab][0]);
      if (shows("Advanced") != grouped) fail_msg("%s: heading", TABS[tab]);
      if (grouped && shows(rows[tab][1]) != open) fail_msg("%s: %s is hidden or shown", TABS[tab], rows[tab][1]);
      assert_true(panel.advanced == open);
    }

  // the panel opens the group if it must show one of its rows
  static const char *const wanted[][2] = { { "newton_relative", "newton relative" }, { "matrix", "matrix" } };
  for (int k = 0; k < 2; k++) {
    fill(&panel, 0);
    panel.advanced = false;
    draw_tab(&panel, 0);
    hud_panel_show(&panel, wanted[k][0], "Solver");
    draw_tab(&panel, -1);
    assert_true(panel.advanced && shows(wanted[k][1]));
  }
}

static void the_browser_fits_names_of_any_length(void **state) {
  (void)state;
  const HudNotices notices = all_notices();
  enum { FILES = 30 };
  static HudFile files[FILES];
  static char folder[1000];
  memset(folder, 'f', sizeof folder - 1);
  const HudOverlay overlay = { .title = "largest principal stress", .unit = "Pa", .range = { -2e6, 2e6 } };
  for (int k = 0; k < FILES; k++) {
    files[k] = (HudFile){ .folder = k < 5, .bytes = pow(10, k) };

    // file names are long, and contain multi-byte and control characters
    for (int c = 0; c < 1 + 8 * k; c++) memcpy(files[k].name + c, k % 3 == 2 ? "\xc3\xa9" : k % 3 ? "w" : "\x1b", 2);
  }

  char wrong[1024] = "";
  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
    for (int with = 0; with < 2; with++) {
      static HudPanel panel;
      HudBrowser browser = { .folder = folder, .file = files, .count = FILES, .chosen = 20, .moved = true };
      HudAxes axes = { .direction = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } } };
      const HudTools tools = { .panel = with ? &panel : NULL, .browser = &browser, .axes = &axes };
      const char *name;
      double pixel[2];
      bool open = false;
      for (int round = 0; round < 3; round++) {
        fill(&panel, 0);
        begin_picture(SIZES[s]);
        hud_draw(&overlay, "Real time ×1.00 · 60 fps", &notices, "Drag body: pull    F1: all keys", &tools, NULL);
      }
      assert_int_equal(browser.entered, -1);
      for (int k = 0; hud_item(k, &name, pixel); k++) open = open || strcmp(name, "Open file") == 0;
      assert_true(open);
      for (int k = 0; hud_clipped(k, &name); k++) {
        const size_t length = strlen(wrong);
        snprintf(wrong + length, sizeof wrong - length, " %s: %s;", name_of(SIZES[s]), name);
      }
    }
  if (wrong[0]) fail_msg("these do not fit:%s", wrong);
}

static void a_panel_as_wide_as_the_window_leaves_the_newest_message(void **state) {
  (void)state;
  static HudPanel panel;
  const HudOverlay none = { 0 };
  HudNotices notices = { 0 };
  hud_notices_add(&notices, HUD_INFORMATION, "an older message");
  hud_notices_add(&notices, HUD_ERROR, "an error of some words, which needs two lines in such a window");
  for (int width = 400; width <= 800; width += 400) {
    for (int round = 0; round < 3; round++) {
      fill(&panel, 0);
      hud_begin_picture(width, 600, 1);
      hud_draw(&none, "", &notices, "", &(HudTools){ .panel = &panel }, NULL);
    }
    assert_int_equal(shows("error"), width == 400);    // above the panel
    assert_int_equal(shows("error:1"), width == 800);  // beside it
  }
}

static void old_messages_make_way_for_warnings_and_new_ones(void **state) {
  (void)state;
  const HudNotices notices = all_notices();
  const HudOverlay none = { 0 };
  HudMessage message[MESSAGES] = { { 0 } };
  for (int k = 0; k < MESSAGES; k++) {
    message[k] = (HudMessage){ .kind = (HudMessageKind)(k % HUD_MESSAGE_KINDS), .time = "12:34:56" };
    memset(message[k].text, 'w', sizeof message->text - 1);
  }
  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
    HudMessageList list = { .message = message, .count = MESSAGES };
    const char *name;
    int shown = 0;
    double pixel[2], height = 0;
    for (int round = 0; round < 3; round++) {
      begin_picture(SIZES[s]);
      hud_draw(&none, "Real time ×1.00 · 60 fps", &notices, "F1: all keys", &(HudTools){ .messages = &list }, NULL);
    }
    for (int k = 0; hud_item(k, &name, pixel); k++) {
      const char *age = strchr(name, ':');
      if (!age || strchr(age, ' ') || strncmp(name, "listed", 6) == 0) continue;  // a widget of the list
      shown++;
      if (pixel[1] <= height) fail_msg("%s: %s is above the line before", name_of(SIZES[s]), name);
      height = pixel[1];
    }

    // all lines fit into a large picture; in a small one the warning and the newest message remain
    const bool all = shown == HUD_NOTICES_MAX, large = SIZES[s][1] > 1000, small = SIZES[s][1] == 400;
    if (!shows("warning:0") || !shows("warning:1") || height > 0.5 * SIZES[s][1] || (all ? small : large))
      fail_msg("%s: %d lines, down to %g", name_of(SIZES[s]), shown, height);
    if (!shows("messages: clear") || !shows("messages: close") || list.clear || list.close)
      fail_msg("%s: buttons of the list", name_of(SIZES[s]));
    if (hud_clipped(0, &name)) fail_msg("%s: %s does not fit", name_of(SIZES[s]), name);
  }
}

static void a_hint_is_beside_the_point_that_it_explains(void **state) {
  (void)state;
  const HudOverlay none = { 0 };
  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
    for (int k = 0; k < 4; k++) {
      const double at[2] = { (k % 2 ? 0.9 : 0.5) * SIZES[s][0], (k / 2 ? 0.9 : 0.5) * SIZES[s][1] };
      HudHint hint = { .name = "a",
                       .text = "a text of some words, which explains an action",
                       .pixel = { at[0], at[1] } };
      const char *name;
      double pixel[2];
      hint.number = 1;
      hint.count = 5;
      for (int round = 0; round < 3; round++) {
        begin_picture(SIZES[s]);
        hud_draw(&none, "Real time ×1.00 · 60 fps", NULL, "F1: all keys", &(HudTools){ .hint = &hint }, NULL);
      }
      if (!shows("hint:a") || !shows("hint: next") || !shows("hint: end")) fail_msg("%s: no hint", name_of(SIZES[s]));
      for (int i = 0; hud_item(i, &name, pixel); i++)
        assert_true(pixel[0] > 0 && pixel[1] > 0 && pixel[0] < SIZES[s][0] && pixel[1] < SIZES[s][1]);
      if (hud_clipped(0, &name)) fail_msg("%s: %s does not fit", name_of(SIZES[s]), name);
    }
}

static void the_page_of_keys_shows_mice_for_actions_of_the_mouse(void **state) {
  (void)state;
  static const char *const page =
      "Mouse\n"
      "  left drag  turn the view\n"
      "  N / Shift + click  pin\tM2 2 L14 14 O8 8 4\n"
      "  wheel  zoom\n"
      "Keys\n"
      "  S  step\tM2 2 L14 14\n"
      "  Tab  panel\n";
  const HudOverlay none = { 0 };
  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
    const char *name;
    double pixel[2];
    int mice = 0;
    for (int round = 0; round < 2; round++) {
      begin_picture(SIZES[s]);
      hud_draw(&none, "", NULL, "", &(HudTools){ 0 }, page);
    }
    for (int k = 0; hud_item(k, &name, pixel); k++) mice += strncmp(name, "mouse:", 6) == 0;
    if (mice != 3 || !shows("mouse:wheel") || !shows("all keys")) fail_msg("%s: %d mice", name_of(SIZES[s]), mice);
    if (hud_clipped(0, &name)) fail_msg("%s: %s does not fit", name_of(SIZES[s]), name);
  }
}

static void the_start_page_fits_its_names(void **state) {
  (void)state;
  static char path[HUD_RECENT_MAX][400];
  char wrong[1024] = "";
  HudStart start = { .tile_count = 18, .recent_count = HUD_RECENT_MAX };
  for (int k = 0; k < start.tile_count; k++) start.tile[k] = (HudTile){ "Stiff and soft", "two beams", 0 };
  for (int k = 0; k < HUD_RECENT_MAX; k++) {
    memset(path[k], 'w', (size_t)(9 + 40 * k));
    memcpy(path[k], "/folder/", 8);
    start.recent[k] = path[k];
  }

  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
    const HudOverlay none = { 0 };
    const char *name;
    double pixel[2];
    int tiles = 0, buttons = 0;
    for (int round = 0; round < 3; round++) {
      begin_picture(SIZES[s]);
      hud_draw(&none, "Real time ×1.00 · 60 fps", NULL, "F1: all keys", &(HudTools){ .start = &start }, NULL);
    }
    assert_true(start.chosen == -1 && start.reopened == -1 && !start.fresh && !start.browse && !start.close);
    for (int k = 0; hud_item(k, &name, pixel); k++) {
      tiles += strncmp(name, "start:", 6) == 0;
      buttons += strncmp(name, "start page:", 11) == 0;
    }
    if (tiles < 4 || buttons != 3) fail_msg("%s: %d examples, %d buttons", name_of(SIZES[s]), tiles, buttons);
    for (int k = 0; hud_clipped(k, &name); k++) {
      const size_t length = strlen(wrong);
      snprintf(wrong + length, sizeof wrong - length, " %s: %s;", name_of(SIZES[s]), name);
    }
  }
  if (wrong[0]) fail_msg("these do not fit:%s", wrong);
}

static void the_palette_fits_its_names_and_notes(void **state) {
  (void)state;
  enum { ROWS = 60 };
  static HudPaletteRow rows[ROWS];
  char wrong[1024] = "";
  for (int k = 0; k < ROWS; k++) {
    rows[k] = (HudPaletteRow){ .name = "a name as long as any setting", .setting = k % 2 };
    rows[k].help = "a long explanation, which needs more than one line in a small window, but not more than two lines";
    snprintf(rows[k].note, sizeof rows[k].note, "double click on background");
  }

  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
    for (int count = 0; count <= ROWS; count += ROWS) {
      HudPalette palette = { .typed = "words", .row = rows, .count = count, .chosen = count - 1, .moved = true };
      const HudOverlay none = { 0 };
      const char *name;
      double pixel[2];
      int lines = 0;
      bool empty = false;
      for (int round = 0; round < 3; round++) {
        begin_picture(SIZES[s]);
        hud_draw(&none, "Real time ×1.00 · 60 fps", NULL, "Ctrl+P: all commands", &(HudTools){ .palette = &palette },
                 NULL);
      }
      assert_int_equal(palette.entered, -1);
      for (int k = 0; hud_item(k, &name, pixel); k++) {
        lines += strncmp(name, "setting:", 8) == 0 || strncmp(name, "command:", 8) == 0;
        empty = empty || strcmp(name, "no match") == 0;
      }
      assert_true(count ? lines > 3 && lines < ROWS : empty && lines == 0);  // the list scrolls to the highlighted line
      for (int k = 0; hud_clipped(k, &name); k++) {
        const size_t length = strlen(wrong);
        snprintf(wrong + length, sizeof wrong - length, " %s: %s;", name_of(SIZES[s]), name);
      }
    }
  if (wrong[0]) fail_msg("these do not fit:%s", wrong);
}

// Returns the x coordinate of a widget of the last picture, pixels. Fails if it was not drawn.
static double x_of(const char *wanted) {
  const char *name;
  double pixel[2];
  for (int k = 0; hud_item(k, &name, pixel); k++)
    if (strcmp(name, wanted) == 0) return pixel[0];
  fail_msg("%s was not drawn", wanted);
  return 0;
}

static void the_panel_may_be_at_the_left_edge(void **state) {
  (void)state;
  static HudPanel panel;
  const HudOverlay none = { 0 };
  const int size[4] = { 1600, 900, 100, 25 };
  static HudPaletteRow row = { .name = "row", .help = "help" };
  double pause[2], button[2], command[2];
  for (int side = 0; side < HUD_SIDE_COUNT; side++) {
    HudToolbar toolbar;
    HudPalette palette = { .typed = "", .row = &row, .count = 1 };
    fill_toolbar(&toolbar, false);
    for (int round = 0; round < 3; round++) {
      fill(&panel, 0);
      panel.side = choice_of_side((HudSide)side);
      begin_picture(size);
      hud_draw(&none, "", NULL, "", &(HudTools){ .panel = &panel, .toolbar = &toolbar, .palette = &palette }, NULL);
    }
    pause[side] = x_of("Pause");
    button[side] = x_of("button");
    command[side] = x_of("command:row");
  }

  // The panel, 25 heights of text wide, moves to the left edge, and everything else to the right of it.
  const double em = text_height(1, 1, size[0], size[1]), moved = pause[HUD_RIGHT] - pause[HUD_LEFT];
  const double beside = button[HUD_LEFT] - button[HUD_RIGHT];
  assert_true(pause[HUD_LEFT] < 5 * em && fabs(moved - (size[0] - 26.2 * em)) < 0.1 * em);
  assert_true(fabs(beside - 25.6 * em) < 0.1 * em);
  assert_true(fabs(command[HUD_LEFT] - command[HUD_RIGHT] - beside) < 0.1 * em);
}

static void small_windows_have_no_toolbar(void **state) {
  (void)state;
  static const int sizes[][2] = { { 640, 400 }, { 300, 200 }, { 200, 100 }, { 64, 64 } };
  static HudPanel panel;
  const HudOverlay none = { 0 };
  for (int s = 0; s < 4; s++)
    for (int with = 0; with < 2; with++) {
      HudToolbar toolbar;
      const char *name;
      double pixel[2];
      int found = 0;
      fill_toolbar(&toolbar, false);
      for (int round = 0; round < 3; round++) {
        fill(&panel, 0);
        hud_begin_picture(sizes[s][0], sizes[s][1], 1);
        hud_draw(&none, "", NULL, "", &(HudTools){ .panel = with ? &panel : NULL, .toolbar = &toolbar }, NULL);
      }
      for (int k = 0; hud_item(k, &name, pixel); k++) {
        if (strcmp(name, "button") != 0) continue;
        found++;
        assert_true(pixel[0] < sizes[s][0] / 3.0 && pixel[1] < sizes[s][1]);
      }

      // the largest of these windows has space for the toolbar; the second largest has it only without the panel
      assert_int_equal(found, s == 0 || (s == 1 && !with) ? toolbar.count : 0);
    }
}

static void clipped_items_are_detected(void **state) {
  (void)state;
  static HudPanel panel;
  const HudOverlay none = { 0 };
  const char *name;
  for (int round = 0; round < 3; round++) {
    fill(&panel, 0);
    // the picture is far narrower than the panel, so the panel must be reported as clipped
    hud_begin_picture(200, 400, 1);
    hud_draw(&none, "", NULL, "", &(HudTools){ .panel = &panel }, NULL);
  }
  assert_true(hud_clipped(0, &name));
}

static void hidden_plots_are_not_drawn(void **state) {
  (void)state;
  static HudPanel panel;
  const HudOverlay none = { 0 };
  const char *name;
  double pixel[2];
  for (int hidden = 0; hidden < 2; hidden++) {
    int found = 0;
    for (int round = 0; round < 3; round++) {
      fill(&panel, 3);
      panel.plot[MOMENTUM_DRIFT].hidden = hidden;
      hud_begin_picture(1280, 1600, 1);
      hud_draw(&none, "", NULL, "", &(HudTools){ .panel = &panel }, NULL);
    }
    for (int k = 0; hud_item(k, &name, pixel); k++) found += strcmp(name, "momentum drift") == 0;
    assert_int_equal(found, !hidden);
  }
}

static void docked_plots_are_below_everything_else(void **state) {
  (void)state;
  static HudPanel panel;
  const HudOverlay none = { 0 };
  for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
    for (int with = 0; with < 2; with++) {
      const double em = text_height(1, SIZES[s][2] / 100.0, SIZES[s][0], SIZES[s][1]);
      HudDock dock = { .panel = &panel, .height = HUD_DOCK_HEIGHT };
      HudToolbar toolbar;
      const char *name;
      double pixel[2];
      int docked = 0;
      dock.pixels = hud_dock_pixels(dock.height, em, SIZES[s][1]);
      assert_true(dock.pixels >= HUD_DOCK_HEIGHT_MIN * em && dock.pixels <= HUD_DOCK_HEIGHT * em);
      fill_toolbar(&toolbar, false);
      for (int round = 0; round < 3; round++) {
        fill(&panel, 3);
        panel.docked = true;
        begin_picture(SIZES[s]);
        hud_draw(&none, "Real time x1.00", NULL, "F1: all keys",
                 &(HudTools){ .panel = with ? &panel : NULL, .dock = &dock, .toolbar = &toolbar }, NULL);
      }
      bool below = false;  // the docked plots are listed after the panel and before the toolbar
      for (int k = 0; hud_item(k, &name, pixel); k++) {
        if (strcmp(name, "plots: panel") == 0) below = true;
        if (below != (pixel[1] > SIZES[s][1] - dock.pixels) && strcmp(name, "plots edge") != 0)
          fail_msg("%s: %s is at %g", name_of(SIZES[s]), name, pixel[1]);
        docked += below;
        if (strcmp(name, "plots edge") == 0) below = false;
      }
      if (docked < 2) fail_msg("%s: %d docked widgets", name_of(SIZES[s]), docked);
      assert_false(dock.close || dock.drags);
      if (hud_clipped(0, &name)) fail_msg("%s: %s does not fit", name_of(SIZES[s]), name);
    }
  assert_int_equal(hud_dock_pixels(HUD_DOCK_HEIGHT, 15, 300), 0);
}

// Returns the colour that `front` makes on an opaque `back`. channel: 0 red, 1 green, 2 blue; the result is 0 to 1.
static double mixed(uint32_t front, uint32_t back, int channel) {
  const double alpha = (double)(front >> 24) / 255;
  const uint32_t f = front >> (8 * channel) & 0xff, b = back >> (8 * channel) & 0xff;
  return (alpha * f + (1 - alpha) * b) / 255;
}

// Returns the relative luminance of WCAG 2.1.
static double luminance(uint32_t front, uint32_t back) {
  static const double weight[3] = { 0.2126, 0.7152, 0.0722 };
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double c = mixed(front, back, k);
    sum += weight[k] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

// Fails unless text of a colour has at least this contrast ratio on a background, which covers `behind`.
static void check_contrast(const char *name, double least, uint32_t text, uint32_t background, uint32_t behind) {
  const double a = luminance(text, behind), b = luminance(background, behind);
  const double ratio = (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
  if (!(ratio >= least)) fail_msg("%s: contrast %.2f, expected at least %.1f", name, ratio, least);
}

static void both_themes_have_good_contrast(void **state) {
  (void)state;
  static const uint32_t black = 0xff000000, white = 0xffffffff;

  // 4.5 and 3 are the ratios that WCAG 2.1 requires of text and of symbols
  const double text = 4.5, symbol = 3;
  for (int theme = 0; theme < HUD_THEME_COUNT; theme++) {
    hud_set_theme((HudTheme)theme);
    const HudColors *c = hud_colors();
    const uint32_t backs[] = { c->window, c->popup,   c->field,   c->field_lit, c->button,   c->button_lit,
                               c->row,    c->row_lit, c->pressed, c->refused,   c->selection };
    for (size_t k = 0; k < sizeof backs / sizeof *backs; k++)
      check_contrast("text", text, c->text, backs[k], c->window);
    check_contrast("warnings in the list", text, c->warning, c->window, c->window);
    check_contrast("errors in the list", text, c->error, c->window, c->window);
    check_contrast("open tab", symbol, c->text, c->tab, c->window);
    check_contrast("notes", 4, c->dim, c->window, c->window);
    check_contrast("names in lists", text, c->highlight, c->window, c->window);
    check_contrast("ticks", symbol, c->mark, c->field, c->window);
    check_contrast("numbers of plots", text, c->axis, c->window, c->window);
    for (int k = 0; k < HUD_SERIES_MAX; k++) {
      check_contrast("values of plots", text, c->series[k], c->window, c->window);
      check_contrast("curves", symbol, c->series[k], c->plot, c->window);
    }

    // the picture behind a plate has any colour
    for (int k = 0; k < 2; k++) {
      check_contrast("plate", text, c->words, c->plate, k ? white : black);
      check_contrast("warning", text, c->warning, c->plate, k ? white : black);
      check_contrast("error", text, c->error, c->plate, k ? white : black);
    }
  }
  hud_set_theme(HUD_DARK);
}

// Draws only the plots, for test_golden.py. Writes the picture to a file. density: 1, or 2 for twice as many pixels in
// each direction.
static bool draw_plots(RenderTarget *target, const char *path, int density, Error *error) {
  enum { WIDE = 400, TALL = 820 };
  static HudPanel panel;
  static uint8_t rgba[2 * TALL * 2 * WIDE * 4];
  const int wide = density * WIDE, tall = density * TALL;
  const float grey[] = { 0.75f, 0.78f, 0.81f, 1 };
  const HudOverlay none = { 0 };
  if (!render_target_resize(target, wide, tall, true, error)) return false;
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  glViewport(0, 0, wide, tall);
  for (int round = 0; round < 3; round++) {
    fill(&panel, 3);
    panel.curves.count = 0;
    for (int k = 0; k < HUD_SAMPLES; k++) {
      float(*energy)[HUD_SAMPLES] = panel.plot[ENERGY].values;
      energy[0][k] = 2 - 2 * cosf(0.2f * (float)k);
      energy[1][k] = 4 - energy[0][k];
      energy[2][k] = -0.02f * (float)k;
      energy[3][k] = 4 + energy[2][k];
      panel.plot[CG].values[0][k] = (float)(30 + k % 7);
      panel.plot[REAL_TIME].values[0][k] = k < 20 ? 0.5f : 1;
      for (int s = 0; s < 6; s++) panel.plot[STEP_TIME].values[s][k] = 1 + 0.2f * (float)(s + k % 5);
    }
    panel.plot[MOMENTUM_DRIFT].hidden = panel.plot[ANGULAR_DRIFT].hidden = true;
    glClearBufferfv(GL_COLOR, 0, grey);
    hud_begin_picture(wide, tall, density);
    hud_draw(&none, "", NULL, "", &(HudTools){ .panel = &panel }, NULL);
  }

  if (!render_target_read(target, rgba, error)) return false;
  return png_write(path, rgba, wide, tall, error);
}

int main(int count, char **words) {
  Offscreen offscreen;
  RenderTarget target = { 0 };
  Error error = { 0 };
  if (!offscreen_create(&offscreen, DEVICE_CPU, &error)) {
    printf("skipped: %s\n", error.message);
    return 77;
  }

  // The tests measure widgets but compare no pixels, so a small target suffices.
  if (!render_target_resize(&target, 16, 16, true, &error) || !hud_create(NULL, &error)) {
    printf("%s\n", error.message);
    return 1;
  }
  if (count > 1) {
    const int density = count > 2 && strcmp(words[2], "2") == 0 ? 2 : 1;
    const bool drawn = draw_plots(&target, words[1], density, &error);
    if (!drawn) printf("%s\n", error.message);
    return drawn ? 0 : 1;
  }

  glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_widget_fits),
    cmocka_unit_test(the_search_shows_rows_of_all_tabs),
    cmocka_unit_test(advanced_rows_are_below_a_heading),
    cmocka_unit_test(the_browser_fits_names_of_any_length),
    cmocka_unit_test(a_panel_as_wide_as_the_window_leaves_the_newest_message),
    cmocka_unit_test(old_messages_make_way_for_warnings_and_new_ones),
    cmocka_unit_test(a_hint_is_beside_the_point_that_it_explains),
    cmocka_unit_test(the_page_of_keys_shows_mice_for_actions_of_the_mouse),
    cmocka_unit_test(the_start_page_fits_its_names),
    cmocka_unit_test(the_palette_fits_its_names_and_notes),
    cmocka_unit_test(small_windows_have_no_toolbar),
    cmocka_unit_test(clipped_items_are_detected),
    cmocka_unit_test(hidden_plots_are_not_drawn),
    cmocka_unit_test(the_panel_may_be_at_the_left_edge),
    cmocka_unit_test(docked_plots_are_below_everything_else),
    cmocka_unit_test(both_themes_have_good_contrast),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  hud_destroy();
  render_target_destroy(&target);
  offscreen_destroy(&offscreen);
  return failed;
}
