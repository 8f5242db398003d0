// The HUD: see hud.h. C++ only because Dear ImGui is.
#include "render/hud.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <cmath>
#include <cstdio>

bool hud_create(Window *window, Error *error) {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // leaves no files behind
  ImGui::StyleColorsDark();
  const float scale = static_cast<float>(window_scale(window));
  ImGui::GetStyle().ScaleAllSizes(scale);
  ImGui::GetIO().FontGlobalScale = scale;
  // chains the window's own callbacks
  if (!ImGui_ImplGlfw_InitForOpenGL(static_cast<GLFWwindow *>(window_handle(window)), true)) {
    ImGui::DestroyContext();
    return error_set(error, "Dear ImGui does not take the window");
  }
  if (!ImGui_ImplOpenGL3_Init("#version 450 core")) {
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    return error_set(error, "Dear ImGui does not take OpenGL");
  }
  return true;
}

void hud_destroy(void) {
  if (!ImGui::GetCurrentContext()) return;
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

bool hud_wants_mouse(void) {
  return ImGui::GetIO().WantCaptureMouse;
}

// a line of text without frame or buttons, that lets the mouse through
static void begin_strip(const char *name, ImVec2 place, ImVec2 pivot, float opacity) {
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoFocusOnAppearing |
                                 ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoMove;
  ImGui::SetNextWindowPos(place, ImGuiCond_Always, pivot);
  ImGui::SetNextWindowBgAlpha(opacity);
  ImGui::Begin(name, nullptr, flags);
  ImGui::PushTextWrapPos(ImGui::GetIO().DisplaySize.x - 4 * place.x);
}

static void end_strip() {
  ImGui::PopTextWrapPos();
  ImGui::End();
}

bool hud_wants_keys(void) {
  return ImGui::GetIO().WantTextInput;
}

static void heading(const char *name) {
  ImGui::Separator();
  ImGui::TextUnformatted(name);
}

// a slider over decades for a double
static bool decades(const char *name, double *value, double low, double high, const char *format) {
  return ImGui::SliderScalar(name, ImGuiDataType_Double, value, &low, &high, format, ImGuiSliderFlags_Logarithmic);
}

static void plot(const char *name, const char *unit, const float *values, int count) {
  char label[64];
  float most = 0;
  for (int k = 0; k < count; k++) most = values[k] > most ? values[k] : most;
  snprintf(label, sizeof label, "%s %.3g %s", name, static_cast<double>(count ? values[count - 1] : 0), unit);
  ImGui::PlotLines("##plot", values, count, 0, label, 0, most > 0 ? 1.1f * most : 1,
                   ImVec2(ImGui::GetFontSize() * 19, ImGui::GetFontSize() * 3));
}

static void draw_panel(HudPanel *p, ImVec2 size, float margin) {
  struct Material {
    const char *name;
    double young, poisson;
  };
  static const Material presets[] = { { "jelly", 3e3, 0.45 }, { "sponge", 2e4, 0.2 }, { "rubber", 1e6, 0.47 } };
  ImGui::SetNextWindowPos(ImVec2(size.x - margin, margin), ImGuiCond_Once, ImVec2(1, 0));
  ImGui::SetNextWindowBgAlpha(0.75f);
  ImGui::Begin("Panel", nullptr, ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoNav);
  ImGui::PushItemWidth(ImGui::GetFontSize() * 13);
  p->pause = ImGui::Button(p->paused ? "Go on" : "Pause");
  ImGui::SameLine();
  p->step = ImGui::Button("Step");
  ImGui::SameLine();
  p->reset = ImGui::Button("Reset");
  ImGui::SameLine();
  p->release = ImGui::Button("Let go");
  p->changed = decades("speed", &p->speed, 1.0 / 64, 4, "%.3f x real time");
  heading("Material");
  p->changed |= decades("E", &p->young, 1e-3, 1e12, "%.4g Pa");
  const double low = -0.9, high = 0.499;
  p->changed |= ImGui::SliderScalar("nu", ImGuiDataType_Double, &p->poisson, &low, &high, "%.3f");
  for (const Material &m : presets) {
    if (ImGui::SmallButton(m.name)) p->young = m.young, p->poisson = m.poisson, p->changed = true;
    ImGui::SameLine();
  }
  ImGui::NewLine();
  heading("World");
  p->changed |= ImGui::InputScalarN("gravity", ImGuiDataType_Double, p->gravity, 3, nullptr, nullptr, "%.3g");
  p->changed |= decades("damping", &p->damping, 0, 100, "%.3g 1/s");
  heading("Solver");
  p->changed |= decades("dt", &p->dt, 1e-5, 1, "%.4g s");
  int digits = static_cast<int>(std::lround(-std::log10(p->newton_relative)));
  if (ImGui::SliderInt("Newton bound", &digits, 1, 12, "1e-%d of its terms"))
    p->newton_relative = std::pow(10.0, -digits), p->changed = true;
  p->changed |= ImGui::SliderInt("Newton at most", &p->newton_max, 1, 100);
  heading("Energy and iterations");
  const float *series[] = { p->kinetic, p->elastic, p->newton, p->cg };
  static const char *const names[] = { "kinetic", "elastic", "Newton", "CG" };
  static const char *const units[] = { "J", "J", "a step", "a step" };
  for (int k = 0; k < 4; k++) {
    ImGui::PushID(k);
    plot(names[k], units[k], series[k], p->samples);
    ImGui::PopID();
  }
  ImGui::PopItemWidth();
  ImGui::End();
}

static void draw_keys(const char *keys, ImVec2 size) {
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoNav;
  ImGui::SetNextWindowPos(ImVec2(size.x / 2, size.y / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowBgAlpha(0.85f);
  ImGui::Begin("keys", nullptr, flags);
  ImGui::TextUnformatted(keys);
  ImGui::End();
}

void hud_draw(const char *line, const char *warning, const char *help, HudPanel *panel, const char *keys) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float margin = 8;
  begin_strip("status", ImVec2(margin, margin), ImVec2(0, 0), 0.62f);
  ImGui::TextUnformatted(line);
  if (warning[0]) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1.0f, 0.72f, 0.30f, 1.0f));
    ImGui::TextUnformatted(warning);
    ImGui::PopStyleColor();
  }
  end_strip();
  begin_strip("help", ImVec2(margin, size.y - margin), ImVec2(0, 1), 0.40f);
  ImGui::TextUnformatted(help);
  end_strip();
  if (panel) draw_panel(panel, size, margin);
  if (keys) draw_keys(keys, size);
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}
