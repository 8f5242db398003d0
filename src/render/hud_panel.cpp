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
  if (item_count == sizeof items / sizeof *items || !ImGui::IsItemVisible()) return;
  Item *item = &items[item_count++];
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(),
               scale = ImGui::GetIO().DisplayFramebufferScale;
  snprintf(item->name, sizeof item->name, "%s", name);
  // a field's own part: its words stand at its right
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
    if (ImGui::Selectable(choice->names[k], k == choice->chosen) && k != choice->chosen)
      choice->chosen = k, changed = true;
    char entry[48];
    snprintf(entry, sizeof entry, "%.14s:%.30s", name, choice->names[k]);
    hud_panel_note(entry);
  }
  ImGui::EndCombo();
  return changed;
}

static void body_tab(HudPanel *p) {
  struct Material {
    const char *name;
    double young, poisson, density;
  };
  // moduli alone would be far too stiff for a scene whose body has a density of its own choice
  static const Material presets[] = { { "jelly", 3e3, 0.45, 1000 },
                                      { "sponge", 2e4, 0.2, 80 },
                                      { "rubber", 1e6, 0.47, 1100 } };
  for (const Material &m : presets) {
    const bool chosen = ImGui::SmallButton(m.name);
    hud_panel_note(m.name);
    if (chosen) p->young = m.young, p->poisson = m.poisson, p->density = m.density, p->changed = true;
    if (chosen) p->mu = -1;
    ImGui::SameLine();
  }
  ImGui::NewLine();
  // what is moved is what counts; the other way to say it follows
  const bool young = decades("E", &p->young, 1e-3, 1e12, "%.4g Pa") | slider("nu", &p->poisson, -0.9, 0.499, "%.3f");
  const bool lame =
      decades("mu", &p->mu, 1e-3, 1e12, "%.4g Pa") | decades("lambda", &p->lambda, -1e12, 1e12, "%.4g Pa");
  if (young) p->mu = -1;
  if (lame) p->young = -1;
  p->changed |= young || lame;
  p->changed |= decades("density", &p->density, 1e-3, 1e5, "%.4g kg/m^3");
  p->changed |= ImGui::InputScalarN("gravity", ImGuiDataType_Double, p->gravity, 3, nullptr, nullptr, "%.3g");
  hud_panel_note("gravity");
  p->changed |= decades("damping", &p->damping, 0, 100, "%.3g 1/s");
  p->changed |= check("floor", &p->has_floor);
  if (p->has_floor) {
    p->changed |= slider("height", &p->floor, p->floor_low, p->floor_high, "%.3g m");
    p->changed |= slider("friction", &p->friction, 0, 2, "%.2f");
  }
  p->mouse_changed |=
      decades("mouse", &p->mouse_stiffness, p->natural_stiffness / 100, p->natural_stiffness * 100, "%.3g N/m");
}

static void solver_tab(HudPanel *p) {
  p->switched |= choose("device", &p->device);
  p->switched |= choose("precision", &p->precision);
  p->switched |= choose("assembly", &p->assembly);
  p->switched |= choose("matrix", &p->matrix);
  p->switched |= choose("solver", &p->solver);
  p->changed |= choose("integrator", &p->integrator);
  p->changed |= decades("dt", &p->dt, 1e-5, 1, "%.4g s");
  int digits = static_cast<int>(std::lround(-std::log10(p->newton_relative)));
  if (ImGui::SliderInt("Newton bound", &digits, 1, 12, "1e-%d of its terms"))
    p->newton_relative = std::pow(10.0, -digits), p->changed = true;
  hud_panel_note("Newton bound");
  p->changed |= ImGui::SliderInt("Newton at most", &p->newton_max, 1, 100);
  hud_panel_note("Newton at most");
  // the solver is built with it, so not at every digit
  p->switched |= ImGui::InputDouble("CG bound", &p->cg_relative, 0, 0, "%.1e", ImGuiInputTextFlags_EnterReturnsTrue);
  hud_panel_note("CG bound");
}

static void view_tab(HudPanel *p) {
  p->viewed |= choose("colours", &p->field);
  if (p->field.chosen > 0) {
    p->viewed |= check("fixed range", &p->fixed_range);
    if (p->fixed_range) {
      p->viewed |= ImGui::InputDouble("low", &p->low, 0, 0, "%.4g");
      p->viewed |= ImGui::InputDouble("high", &p->high, 0, 0, "%.4g");
    }
  }
  p->viewed |= check("edges", &p->wireframe);
  p->viewed |= check("pinned nodes", &p->pins);
  p->viewed |= check("section", &p->section);
  if (!p->section) return;
  p->viewed |= choose("across", &p->section_axis);
  p->viewed |= slider("at", &p->section_at, 0, 1, "%.3f");
  p->viewed |= check("other side", &p->section_flip);
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
  static const char *const names[] = { "assembly", "vector", "solver", "transfers", "rest" };
  static const ImU32 colors[] = { IM_COL32(236, 160, 70, 255), IM_COL32(240, 214, 120, 255),
                                  IM_COL32(90, 160, 230, 255), IM_COL32(200, 100, 190, 255),
                                  IM_COL32(130, 140, 150, 255) };
  const float width = ImGui::GetFontSize() * 20, height = ImGui::GetFontSize() * 5;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImDrawList *list = ImGui::GetWindowDrawList();
  float most = 1e-6f;
  for (int k = 0; k < p->samples; k++) {
    float sum = 0;
    for (const auto &stage : p->stages) sum += stage[k];
    most = std::fmax(most, sum);
  }
  list->AddRectFilled(low, ImVec2(low.x + width, low.y + height), IM_COL32(20, 26, 34, 255));
  const float bar = width / HUD_SAMPLES;
  for (int k = 0; k < p->samples; k++) {
    float y = low.y + height;
    for (int s = 0; s < 5; s++) {
      const float part = height * std::fmax(0.0f, p->stages[s][k]) / (1.05f * most),
                  x = low.x + bar * static_cast<float>(k);
      list->AddRectFilled(ImVec2(x, y - part), ImVec2(x + bar, y), colors[s]);
      y -= part;
    }
  }
  ImGui::Dummy(ImVec2(width, height));
  for (int s = 0; s < 5; s++) {
    if (s > 0) ImGui::SameLine();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colors[s]), "%s", names[s]);
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
  p->scenes.chosen = -1;
  p->open = choose("scenes", &p->scenes) || (open && p->path[0]);
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
  if (p->record_told[0]) ImGui::TextWrapped("%s", p->record_told);
}

void hud_panel_draw(HudPanel *p, float width, float margin) {
  item_count = 0;
  p->changed = p->mouse_changed = p->switched = p->viewed = p->open = p->record = false;
  ImGui::SetNextWindowPos(ImVec2(width - margin, margin), ImGuiCond_Once, ImVec2(1, 0));
  ImGui::SetNextWindowSize(ImVec2(ImGui::GetFontSize() * 22, 0), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.78f);
  ImGui::Begin("Panel", nullptr, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoResize);
  ImGui::PushItemWidth(ImGui::GetFontSize() * 13);
  p->pause = button(p->paused ? "Go on" : "Pause");
  ImGui::SameLine();
  p->step = button("Step");
  ImGui::SameLine();
  p->reset = button("Reset");
  ImGui::SameLine();
  p->release = button("Let go");
  p->changed = decades("speed", &p->speed, 1.0 / 64, 4, "%.3f x real time");
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
