// The HUD: see hud.h. C++ only because Dear ImGui is.
#include "render/hud.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "render/color_map.h"
#include "render/hud_panel.h"

#include <cmath>
#include <cstdio>

static GLFWwindow *window_of_hud;  // NULL: none
static float text_scale;
static bool frame_open;  // of Dear ImGui

bool hud_create(Window *window, Error *error) {
  window_of_hud = window ? static_cast<GLFWwindow *>(window_handle(window)) : nullptr;
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // leaves no files behind
  ImGui::StyleColorsDark();
  text_scale = window ? static_cast<float>(window_scale(window)) : 1;
  ImGui::GetStyle().ScaleAllSizes(text_scale);
  // no callbacks of its own: hud_begin hands it the window's events
  if (window && !ImGui_ImplGlfw_InitForOpenGL(window_of_hud, false)) {
    ImGui::DestroyContext();
    return error_set(error, "Dear ImGui does not take the window");
  }
  if (!ImGui_ImplOpenGL3_Init("#version 450 core")) {
    if (window) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    return error_set(error, "Dear ImGui does not take OpenGL: is libGL.so.1 there?");
  }
  return true;
}

void hud_destroy(void) {
  if (!ImGui::GetCurrentContext()) return;
  if (frame_open) ImGui::EndFrame();
  frame_open = false;
  ImGui_ImplOpenGL3_Shutdown();
  if (window_of_hud) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

// where the mouse is and which of its buttons are down, by the events that were handed on so far
static ImVec2 mouse_at(-1, -1);
static bool mouse_down[3];

static void hand_on(const WindowEvent *event) {
  GLFWwindow *w = window_of_hud;
  const bool down = event->kind == WINDOW_PRESS;
  switch (event->kind) {
    case WINDOW_PRESS:
    case WINDOW_RELEASE:
      mouse_down[event->code] = down;
#if IMGUI_VERSION_NUM >= 18700
      ImGui_ImplGlfw_MouseButtonCallback(w, event->code, down ? GLFW_PRESS : GLFW_RELEASE, event->mods);
#endif
      break;
    case WINDOW_SCROLL:
      ImGui_ImplGlfw_ScrollCallback(w, event->scroll[0], event->scroll[1]);
      break;
    case WINDOW_KEY:
    case WINDOW_KEY_UP:
      ImGui_ImplGlfw_KeyCallback(w, event->code, event->scancode, event->kind == WINDOW_KEY ? GLFW_PRESS : GLFW_RELEASE,
                                 event->mods);
      break;
    case WINDOW_TEXT:
      ImGui_ImplGlfw_CharCallback(w, static_cast<unsigned>(event->code));
      break;
    case WINDOW_MOVE:
      break;
  }
}

// the events' pixels in the screen's units, which are Dear ImGui's
static ImVec2 place_of(const WindowEvent *event) {
  int width, height, wide, high;
  glfwGetWindowSize(window_of_hud, &width, &height);
  glfwGetFramebufferSize(window_of_hud, &wide, &high);
  return ImVec2(static_cast<float>(event->pixel[0] * width / (wide > 0 ? wide : 1) - 0.5),
                static_cast<float>(event->pixel[1] * height / (high > 0 ? high : 1) - 0.5));
}

void hud_begin(const WindowEvent *events, int count) {
  ImGuiIO &io = ImGui::GetIO();
  if (frame_open) ImGui::EndFrame();
  frame_open = true;
  for (int k = 0; k < count; k++) {
    mouse_at = place_of(&events[k]);
#if IMGUI_VERSION_NUM >= 18700
    io.ConfigInputTrickleEventQueue = false;  // window_next_event has done that
    ImGui_ImplGlfw_CursorPosCallback(window_of_hud, static_cast<double>(mouse_at.x), static_cast<double>(mouse_at.y));
#endif
    hand_on(&events[k]);
  }
  io.FontGlobalScale = text_scale;
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700
  // Dear ImGui has asked for the mouse's present position; its position at the events counts
  io.MousePos = mouse_at;
  for (int k = 0; k < 3; k++) io.MouseDown[k] = mouse_down[k];
#endif
  ImGui::NewFrame();
}

bool hud_close_list(void) {
  const bool open = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  if (open) hud_panel_close_list();
  return open;
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

static void draw_keys(const char *keys, ImVec2 size) {
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoNav |
                                 ImGuiWindowFlags_NoFocusOnAppearing;
  ImGui::SetNextWindowPos(ImVec2(size.x / 2, size.y / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowBgAlpha(0.85f);
  ImGui::Begin("keys", nullptr, flags);
  ImGui::TextUnformatted(keys);
  hud_panel_note("all keys");
  ImGui::End();
}

static ImU32 color_of(const float rgb[3]) {
  return ImGui::GetColorU32(ImVec4(rgb[0], rgb[1], rgb[2], 1));
}

static void text_on_plate(ImDrawList *list, ImVec2 place, const char *text) {
  const ImVec2 size = ImGui::CalcTextSize(text);
  const ImVec2 low(place.x - 4, place.y - 2), high(place.x + size.x + 4, place.y + size.y + 2);
  list->AddRectFilled(low, high, IM_COL32(12, 16, 22, 170), 4);
  list->AddText(place, IM_COL32(240, 244, 248, 255), text);
}

// a bar of colours at the left, with its title above and five values beside it
static void draw_legend(ImDrawList *list, const HudOverlay *o, ImVec2 size) {
  enum { VALUES = 5 };
  const float line = ImGui::GetFontSize(), width = 1.2f * line, height = 0.36f * size.y;
  const ImVec2 top(1.2f * line, 0.5f * (size.y - height));
  char text[96];
  snprintf(text, sizeof text, "%s%s%s%s", o->title, o->unit[0] ? " [" : "", o->unit, o->unit[0] ? "]" : "");
  text_on_plate(list, ImVec2(top.x, top.y - 2 * line), text);
  for (int k = 0; k + 1 < COLOR_MAP_POINTS; k++) {
    const float step = height / (COLOR_MAP_POINTS - 1), y = top.y + height - step * static_cast<float>(k);
    const ImU32 low = color_of(o->colors[k]), high = color_of(o->colors[k + 1]);
    list->AddRectFilledMultiColor(ImVec2(top.x, y - step), ImVec2(top.x + width, y), high, high, low, low);
  }
  list->AddRect(top, ImVec2(top.x + width, top.y + height), IM_COL32(12, 16, 22, 200));
  for (int k = 0; k < VALUES; k++) {
    const double part = static_cast<double>(k) / (VALUES - 1);
    double value = o->range[0] + part * (o->range[1] - o->range[0]);
    if (std::fabs(value) < 1e-9 * (o->range[1] - o->range[0])) value = 0;
    const bool beyond = (k == 0 && o->below) || (k == VALUES - 1 && o->above);
    snprintf(text, sizeof text, "%.4g%s", value, !beyond ? "" : k ? " and more" : " and less");
    text_on_plate(list, ImVec2(top.x + width + 10, top.y + height * static_cast<float>(1 - part) - 0.5f * line), text);
  }
}

static void draw_overlay(const HudOverlay *o, ImVec2 size) {
  ImDrawList *list = ImGui::GetBackgroundDrawList();
  if (o->title) draw_legend(list, o, size);
  for (int k = 0; k < o->label_count; k++)
    text_on_plate(list,
                  ImVec2(static_cast<float>(o->labels[k].pixel[0]) + 14, static_cast<float>(o->labels[k].pixel[1]) - 8),
                  o->labels[k].text);
}

void hud_draw_overlay(const HudOverlay *overlay, int width, int height) {
  ImGuiIO &io = ImGui::GetIO();
  if (frame_open) ImGui::EndFrame();
  frame_open = false;
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.FontGlobalScale = std::fmax(1.0f, static_cast<float>(height) / 720);
  io.DeltaTime = 1.0f / 60;
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  draw_overlay(overlay, io.DisplaySize);
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void hud_draw(const HudOverlay *overlay, const char *line, const char *warning, const char *help, HudPanel *panel,
              const char *keys) {
  if (!frame_open) hud_begin(nullptr, 0);
  frame_open = false;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float margin = 8;
  draw_overlay(overlay, size);
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
  if (panel)
    hud_panel_draw(panel, size.x, margin);
  else
    hud_panel_forget();
  if (keys) draw_keys(keys, size);
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}
