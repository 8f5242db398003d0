// The HUD: see hud.h. C++ only because Dear ImGui is.
#include "render/hud.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

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

void hud_draw(const char *line, const char *warning, const char *help) {
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
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}
