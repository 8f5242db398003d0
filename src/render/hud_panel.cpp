// The panel: see hud_panel.h.
#include "render/hud_panel.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>
#include <cstring>

// what can be clicked, so that tests find it
struct Item {
  char name[32];
  double pixel[2];
};
static Item items[128];
static int item_count;

static bool list_must_close;

void hud_panel_forget(void) {
  item_count = 0;
}

void hud_panel_close_list(void) {
  list_must_close = true;
}

bool hud_item(int index, const char **name, double pixel[2]) {
  if (index >= item_count) return false;
  *name = items[index].name;
  pixel[0] = items[index].pixel[0], pixel[1] = items[index].pixel[1];
  return true;
}

void hud_panel_note(const char *name) {
  // a window that appears is laid out first, and stands elsewhere when it is drawn
  if (item_count == sizeof items / sizeof *items || !ImGui::IsItemVisible() || ImGui::IsWindowAppearing()) return;
  Item *item = &items[item_count++];
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(),
               scale = ImGui::GetIO().DisplayFramebufferScale;
  snprintf(item->name, sizeof item->name, "%s", name);
  // the field alone: its label stands at its right
  const float width = std::fmin(high.x - low.x, ImGui::CalcItemWidth());
  item->pixel[0] = static_cast<double>((low.x + 0.5f * width) * scale.x);
  item->pixel[1] = static_cast<double>(0.5f * (low.y + high.y) * scale.y);
}

static bool button(const char *name) {
  const bool pressed = ImGui::Button(name);
  hud_panel_note(name);
  return pressed;
}

static bool check(const char *name, bool *value) {
  const bool changed = ImGui::Checkbox(name, value);
  hud_panel_note(name);
  return changed;
}

// a slider over decades for a double
static bool decades(const char *name, double *value, double low, double high, const char *format) {
  const bool changed =
      ImGui::SliderScalar(name, ImGuiDataType_Double, value, &low, &high, format, ImGuiSliderFlags_Logarithmic);
  hud_panel_note(name);
  return changed;
}

static bool slider(const char *name, double *value, double low, double high, const char *format) {
  const bool changed = ImGui::SliderScalar(name, ImGuiDataType_Double, value, &low, &high, format);
  hud_panel_note(name);
  return changed;
}

static bool choose(const char *name, HudChoice *choice) {
  if (choice->count == 0) return false;
  bool changed = false;
  const char *now = choice->chosen >= 0 && choice->chosen < choice->count ? choice->names[choice->chosen] : "";
  const bool opened = ImGui::BeginCombo(name, now, ImGuiComboFlags_HeightLarge);
  hud_panel_note(name);
  if (!opened) return false;
  if (list_must_close) ImGui::CloseCurrentPopup();
  for (int k = 0; k < choice->count; k++) {
    ImGui::PushID(k);  // files in different folders may have one name
    if (ImGui::Selectable(choice->names[k], k == choice->chosen) && k != choice->chosen)
      choice->chosen = k, changed = true;
    char entry[48];
    snprintf(entry, sizeof entry, "%.14s:%.30s", name, choice->names[k]);
    hud_panel_note(entry);
    ImGui::PopID();
  }
  ImGui::EndCombo();
  return changed;
}

// a range of decades needs a logarithmic slider
static bool spans_decades(const HudSetting *s) {
  return s->high >= 100 || (s->low > 0 && s->high >= 1000 * s->low);
}

static bool change_number(const HudSetting *s, const char *name, double *value) {
  const char *unit = s->option->unit ? s->option->unit : "";
  char format[32];
  snprintf(format, sizeof format, "%%.4g %s", unit);
  if (s->option->applies == APPLIES_ON_REBUILD) {  // not at every digit
    const bool entered = ImGui::InputDouble(name, value, 0, 0, format, ImGuiInputTextFlags_EnterReturnsTrue);
    hud_panel_note(name);
    return entered;
  }
  return spans_decades(s) ? decades(name, value, s->low, s->high, format)
                          : slider(name, value, s->low, s->high, format);
}

static bool change_choice(const HudSetting *s, const char *name, double *value) {
  HudChoice choice = {};
  choice.chosen = static_cast<int>(*value);
  while (choice.count < HUD_NAMES_MAX) {
    choice_text(s->option->choices, choice.count, choice.names[choice.count], sizeof *choice.names);
    if (!choice.names[choice.count][0]) break;
    choice.count++;
  }
  const bool changed = choose(name, &choice);
  *value = choice.chosen;
  return changed;
}

static bool change_setting(HudSetting *s) {
  double *v = s->value.number;
  char name[32], place[40];
  snprintf(name, sizeof name, "%s", s->option->key);
  for (char *c = name; *c; c++)
    if (*c == '_') *c = ' ';
  bool changed = false;
  switch (s->option->type) {
    case OPTION_NUMBER:
      return change_number(s, name, v);
    case OPTION_INTEGER: {
      int whole = static_cast<int>(*v);
      changed = ImGui::SliderInt(name, &whole, static_cast<int>(s->low), static_cast<int>(s->high));
      hud_panel_note(name);
      *v = whole;
      return changed;
    }
    case OPTION_CHOICE:
      return change_choice(s, name, v);
    case OPTION_VECTOR:
      changed = ImGui::InputScalarN(name, ImGuiDataType_Double, v, 3, nullptr, nullptr, "%.3g");
      hud_panel_note(name);
      return changed;
    case OPTION_OPTIONAL: {
      const char *absent = s->option->absent;  // what the box says, where it does not say that there is a number
      bool ticked = s->value.present == !absent;
      snprintf(place, sizeof place, "%s %s", name, absent ? absent : "at");
      changed = check(absent ? place : name, &ticked);
      s->value.present = ticked == !absent;
      return (s->value.present && change_number(s, absent ? name : place, v)) || changed;
    }
    case OPTION_FLAG: {
      bool on = *v != 0;
      changed = check(name, &on);
      *v = on;
      return changed;
    }
    case OPTION_TEXT:
    case OPTION_SIZE:
    case OPTION_CUSTOM:
      break;
  }
  return false;
}

static void change_settings(HudPanel *p, const char *tab) {
  for (int k = 0; k < p->setting_count; k++) {
    HudSetting *s = &p->settings[k];
    if (strcmp(s->option->tab, tab) != 0) continue;
    s->changed = change_setting(s);
    (s->option->applies == APPLIES_ON_REBUILD ? p->rebuild_changed
     : s->option->applies == APPLIES_TO_VIEW  ? p->view_changed
                                              : p->live_changed) |= s->changed;
  }
}

static void body_tab(HudPanel *p) {
  for (int k = 0; p->presets[k]; k++) {
    if (k % 5 != 0) ImGui::SameLine();
    if (ImGui::SmallButton(p->presets[k])) p->preset = k, p->live_changed = true;
    hud_panel_note(p->presets[k]);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", p->preset_tips[k]);
  }
  p->rebuild_changed |= choose("material", &p->material);
  change_settings(p, "Body");
  p->mouse_changed |=
      decades("mouse", &p->mouse_stiffness, p->natural_stiffness / 100, p->natural_stiffness * 100, "%.3g N/m");
}

static void solver_tab(HudPanel *p) {
  p->rebuild_changed |= choose("device", &p->device);
  p->rebuild_changed |= choose("precision", &p->precision);
  p->rebuild_changed |= choose("assembly", &p->assembly);
  p->rebuild_changed |= choose("matrix", &p->matrix);
  p->rebuild_changed |= choose("solver", &p->solver);
  change_settings(p, "Solver");
}

static void view_tab(HudPanel *p) {
  change_settings(p, "View");
  p->view_changed |= check("fixed range", &p->fixed_range);
  if (p->fixed_range) {
    p->view_changed |= ImGui::InputDouble("low", &p->low, 0, 0, "%.4g");
    p->view_changed |= ImGui::InputDouble("high", &p->high, 0, 0, "%.4g");
  }
  p->view_changed |= check("section", &p->section);
  if (!p->section) return;
  p->view_changed |= choose("across", &p->section_axis);
  p->view_changed |= slider("at", &p->section_at, 0, 1, "%.3f");
  p->view_changed |= check("other side", &p->section_flip);
}

static void plot(const char *name, const char *unit, const float *values, int count) {
  char label[64];
  float most = 0, least = 0;
  for (int k = 0; k < count; k++) most = std::fmax(most, values[k]), least = std::fmin(least, values[k]);
  snprintf(label, sizeof label, "%s %.3g %s", name, static_cast<double>(count ? values[count - 1] : 0), unit);
  ImGui::PushID(name);
  ImGui::PlotLines("##plot", values, count, 0, label, 1.1f * least, most > least ? 1.1f * most : 1,
                   ImVec2(ImGui::GetFontSize() * 20, ImGui::GetFontSize() * 2.6f));
  ImGui::PopID();
}

// the parts of a step's time on top of each other
static void plot_stages(const HudPanel *p) {
  static const ImU32 colors[HUD_STAGES] = { IM_COL32(236, 160, 70, 255),  IM_COL32(240, 214, 120, 255),
                                            IM_COL32(90, 160, 230, 255),  IM_COL32(50, 100, 170, 255),
                                            IM_COL32(200, 100, 190, 255), IM_COL32(130, 140, 150, 255) };
  const float width = ImGui::GetFontSize() * 20, height = ImGui::GetFontSize() * 5;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImDrawList *list = ImGui::GetWindowDrawList();
  float most = 1e-6f;
  for (int k = 0; k < p->samples; k++) {
    float sum = 0;
    for (int s = 0; s < p->stage_count; s++) sum += p->stages[s][k];
    most = std::fmax(most, sum);
  }
  list->AddRectFilled(low, ImVec2(low.x + width, low.y + height), IM_COL32(20, 26, 34, 255));
  const float bar = width / HUD_SAMPLES;
  for (int k = 0; k < p->samples; k++) {
    float y = low.y + height;
    for (int s = 0; s < p->stage_count; s++) {
      const float part = height * std::fmax(0.0f, p->stages[s][k]) / (1.05f * most),
                  x = low.x + bar * static_cast<float>(k);
      list->AddRectFilled(ImVec2(x, y - part), ImVec2(x + bar, y), colors[s]);
      y -= part;
    }
  }
  ImGui::Dummy(ImVec2(width, height));
  for (int s = 0; s < p->stage_count; s++) {
    if (s > 0) ImGui::SameLine();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colors[s]), "%s", p->stage_name[s]);
  }
  ImGui::Text("a step: %.3g ms at most", static_cast<double>(most));
}

static void plots_tab(HudPanel *p) {
  plot("kinetic", "J", p->kinetic, p->samples);
  plot("elastic", "J", p->elastic, p->samples);
  plot("potential", "J", p->potential, p->samples);
  plot("total", "J", p->total, p->samples);
  plot("momentum drift", "kg m/s", p->linear, p->samples);
  plot("angular drift", "kg m^2/s", p->angular, p->samples);
  plot("Newton", "a step", p->newton, p->samples);
  plot("CG", "a step", p->cg, p->samples);
  plot("real time", "x", p->real_time, p->samples);
  plot_stages(p);
}

static void files_tab(HudPanel *p) {
  ImGui::TextUnformatted("scene or mesh; or drop one onto the window");
  bool open = ImGui::InputText("##path", p->path, sizeof p->path, ImGuiInputTextFlags_EnterReturnsTrue);
  hud_panel_note("path");
  ImGui::SameLine();
  open |= button("Open");
  p->scenes.chosen = p->recent.chosen = -1;
  open = choose("scenes", &p->scenes) || (open && p->path[0]);
  p->open = choose("recent", &p->recent) || open;
  ImGui::Separator();
  p->save = button("Save scene");
  ImGui::SameLine();
  p->picture = button("Picture");
  ImGui::Separator();
  p->record = button(p->recording ? "Stop recording" : "Record");
  if (!p->recording) {
    check("PNG files", &p->png);
    ImGui::SameLine();
    check("film", &p->film);
    ImGui::SameLine();
    check("VTU series", &p->vtu);
    ImGui::InputInt2("size", p->record_size);
    ImGui::InputDouble("frames/s", &p->record_fps, 0, 0, "%.4g");
  }
  if (p->record_message[0]) ImGui::TextWrapped("%s", p->record_message);
}

// always there, so that nothing moves when the first step is taken
static void timeline(HudPanel *p) {
  const int64_t last = p->newest > p->first ? p->newest : p->first + 1;
  ImGui::BeginDisabled(p->newest == p->first);
  p->go = ImGui::SliderScalar("timeline", ImGuiDataType_S64, &p->now, &p->first, &last, "step %lld",
                              ImGuiSliderFlags_AlwaysClamp);
  ImGui::EndDisabled();
  hud_panel_note("timeline");
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("the last %lld steps, %.3g MiB", static_cast<long long>(p->newest - p->first), p->timeline_mib);
}

void hud_panel_draw(HudPanel *p, float width, float margin) {
  item_count = 0;
  p->live_changed = p->mouse_changed = p->rebuild_changed = p->view_changed = false;
  p->open = p->record = p->save = p->picture = false;
  p->preset = -1;
  for (int k = 0; k < p->setting_count; k++) p->settings[k].changed = false;
  ImGui::SetNextWindowPos(ImVec2(width - margin, margin), ImGuiCond_Once, ImVec2(1, 0));
  ImGui::SetNextWindowSize(ImVec2(ImGui::GetFontSize() * 22, 0), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.78f);
  ImGui::Begin("Panel", nullptr, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoResize);
  ImGui::PushItemWidth(ImGui::GetFontSize() * 12);
  p->pause = button(p->paused ? "Go on" : "Pause");
  ImGui::SameLine();
  p->step = button("Step");
  ImGui::SameLine();
  p->reset = button("Reset");
  ImGui::SameLine();
  p->release = button("Let go");
  p->live_changed = decades("speed", &p->speed, 1.0 / 64, 4, "%.3f x real time");
  timeline(p);
  const struct {
    const char *name;
    void (*draw)(HudPanel *p);
  } tabs[] = {
    { "Body", body_tab }, { "Solver", solver_tab }, { "View", view_tab }, { "Plots", plots_tab }, { "Files", files_tab }
  };
  if (ImGui::BeginTabBar("tabs")) {
    for (const auto &tab : tabs) {
      const bool open = ImGui::BeginTabItem(tab.name);
      hud_panel_note(tab.name);
      if (!open) continue;
      tab.draw(p);
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }
  ImGui::PopItemWidth();
  ImGui::End();
  list_must_close = false;
}
