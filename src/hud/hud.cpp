// The HUD, text and widgets over the picture: see hud.h. This file is C++, because Dear ImGui is a C++ library.
#include "hud/hud.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "hud/draw_overlay.h"
#include "hud/font.h"
#include "hud/icon.h"
#include "hud/items.h"
#include "render/pixels.h"

#include <cmath>
#include <cstdio>
#include <cstring>

// One unit of length in Dear ImGui is one pixel of the framebuffer, as in events and overlays (pixels.h).

static const Window *window_of_hud;  // window in which the HUD is drawn; NULL: none
static double text_size = 1;         // the user's factor on the height of text in windows
static float text_pixels;            // present height of text, pixels; 0: not set
static const HudColors *present;     // colours of widgets
static bool has_glyphs;              // OpenGL has the texture with the font's letters (after the first frame)
static bool frame_open;              // ImGui::NewFrame was called, but not yet EndFrame or Render

static ImVec4 color_of(uint32_t color) {
  return ImGui::ColorConvertU32ToFloat4(color);
}

// Sets colours and sizes of Dear ImGui's widgets for text of 15 * scale pixels.
static void set_style(const HudColors *now, float scale) {
  ImGuiStyle style;
  (now->light ? ImGui::StyleColorsLight : ImGui::StyleColorsDark)(&style);
  style.WindowPadding = ImVec2(12, 10);
  style.FramePadding = ImVec2(8, 4);
  style.ItemSpacing = ImVec2(7, 5);
  style.ScrollbarSize = 11;
  style.GrabMinSize = 9;
  style.WindowBorderSize = 0;
  style.PopupBorderSize = 1;
  style.WindowRounding = 7;
  style.FrameRounding = 4;
  style.PopupRounding = 5;
  style.TabRounding = 4;
  style.ScrollbarRounding = 6;
  style.GrabRounding = 4;
  const struct {
    ImGuiCol which;
    uint32_t color;
  } colors[] = { { ImGuiCol_Text, now->text },
                 { ImGuiCol_TextDisabled, now->dim },
                 { ImGuiCol_WindowBg, now->window },
                 { ImGuiCol_PopupBg, now->popup },
                 { ImGuiCol_Border, now->border },
                 { ImGuiCol_FrameBg, now->field },
                 { ImGuiCol_FrameBgHovered, now->field_lit },
                 { ImGuiCol_FrameBgActive, now->field_lit },
                 { ImGuiCol_Button, now->button },
                 { ImGuiCol_ButtonHovered, now->button_lit },
                 { ImGuiCol_ButtonActive, now->pressed },
                 { ImGuiCol_Header, now->row },
                 { ImGuiCol_HeaderHovered, now->row_lit },
                 { ImGuiCol_HeaderActive, now->pressed },
                 { ImGuiCol_CheckMark, now->mark },
                 { ImGuiCol_SliderGrab, now->mark },
                 { ImGuiCol_SliderGrabActive, now->mark },
                 { ImGuiCol_Tab, 0 },
                 { ImGuiCol_TabHovered, now->row_lit },
                 { ImGuiCol_TabActive, now->tab },
                 { ImGuiCol_Separator, now->line },
                 { ImGuiCol_ScrollbarBg, 0 },
                 { ImGuiCol_TextSelectedBg, now->selection } };
  for (const auto &c : colors) style.Colors[c.which] = color_of(c.color);
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;
}

// Draws the letters of text again from the font, so that they are sharp at any size.
static void set_font(float pixels) {
  ImGuiIO &io = ImGui::GetIO();
  size_t bytes;
  static const ImWchar glyphs[] = { 0x20, 0xff, 0x2264, 0x2265, 0 };  // Latin-1, and the signs ≤ and ≥ of the legend
  ImFontConfig config;
  config.GlyphRanges = glyphs;
  config.FontDataOwnedByAtlas = false;
  config.OversampleH = 2;
  unsigned char *file = const_cast<unsigned char *>(font_file(&bytes));  // Dear ImGui only reads the font
  io.Fonts->Clear();
  io.Fonts->AddFontFromMemoryTTF(file, static_cast<int>(bytes), pixels, &config);
  if (has_glyphs) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
}

// Sets the height of text, and the colours of the theme. Must be called between two frames.
static void set_text(float pixels) {
  const HudColors *now = hud_colors();
  if (pixels == text_pixels && now == present) return;
  if (pixels != text_pixels) set_font(pixels);
  set_style(now, pixels / static_cast<float>(text_height(1, 1, 0, 0)));
  text_pixels = pixels;
  present = now;
}

void hud_set_text_size(double size) {
  text_size = size;
}

static GLFWwindow *handle() {
  return static_cast<GLFWwindow *>(window_handle(window_of_hud));
}

bool hud_create(Window *window, Error *error) {
  window_of_hud = window;
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;              // Dear ImGui writes no settings file
  ImGui::GetIO().ConfigDragClickToInputText = true;  // a click into a number field begins typing
  text_pixels = 0;
  has_glyphs = false;

  // hud_begin passes the window's events to Dear ImGui, so GLFW's callbacks are not used
  if (window && !ImGui_ImplGlfw_InitForOpenGL(handle(), false)) {
    ImGui::DestroyContext();
    return error_set(error, "the panel (library Dear ImGui) cannot use the window");
  }
  if (!ImGui_ImplOpenGL3_Init("#version 450 core")) {
    if (window) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    return error_set(error, "the panel (library Dear ImGui) cannot use OpenGL; check that libGL.so.1 is installed");
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

// position of the mouse in pixels, and its pressed buttons, after the last event that was passed to Dear ImGui
static ImVec2 mouse_at(-1, -1);
static bool mouse_down[3];

static void hand_on(const WindowEvent *event) {
  GLFWwindow *w = handle();
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

// Sets the size of the picture in Dear ImGui, with one unit of length per pixel.
static void set_size(int width, int height) {
  ImGuiIO &io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DisplayFramebufferScale = ImVec2(1, 1);
}

void hud_begin(const WindowEvent *events, int count) {
  ImGuiIO &io = ImGui::GetIO();
  int width, height;
  if (frame_open) ImGui::EndFrame();
  frame_open = true;
  window_size(window_of_hud, &width, &height);
  set_text(static_cast<float>(text_height(window_scale(window_of_hud), text_size, width, height)));
  for (int k = 0; k < count; k++) {
    mouse_at = ImVec2(static_cast<float>(events[k].pixel[0] - 0.5), static_cast<float>(events[k].pixel[1] - 0.5));
#if IMGUI_VERSION_NUM >= 18700
    // Dear ImGui must not spread events over several frames, because window_next_event does this already.
    io.ConfigInputTrickleEventQueue = false;
    io.AddMousePosEvent(mouse_at.x, mouse_at.y);
#endif
    hand_on(&events[k]);
  }

  ImGui_ImplOpenGL3_NewFrame();
  has_glyphs = true;
  ImGui_ImplGlfw_NewFrame();

  // ImGui_ImplGlfw_NewFrame has set size and mouse position in window units. They are replaced by the size in pixels
  // and the mouse position at the last event.
  set_size(width, height);
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(mouse_at.x, mouse_at.y);
#else
  io.MousePos = mouse_at;
  for (int k = 0; k < 3; k++) io.MouseDown[k] = mouse_down[k];
#endif
  ImGui::NewFrame();
}

static bool list_must_close;

bool hud_close_list(void) {
  const bool open = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  list_must_close = open;
  return open;
}

bool hud_wants_mouse(void) {
  return ImGui::GetIO().WantCaptureMouse;
}

void hud_choose_cursor(bool chooses) {
  ImGuiConfigFlags *flags = &ImGui::GetIO().ConfigFlags;
  *flags = chooses ? *flags & ~ImGuiConfigFlags_NoMouseCursorChange : *flags | ImGuiConfigFlags_NoMouseCursorChange;
}

bool hud_wants_keys(void) {
  return ImGui::GetIO().WantTextInput;
}

// A line of the page that lists the keys of the keyboard: indentation in characters, text in one or two columns, and an
// icon (HudButton.icon), which may be empty.
struct KeyLine {
  float indent;
  char left[64], right[160], icon[160];
};

static int split_keys(const char *keys, KeyLine *line, int capacity) {
  int count = 0;
  while (*keys && count < capacity) {
    const size_t length = strcspn(keys, "\n"), indent = strspn(keys, " ");
    KeyLine *l = &line[count++];
    const char *begin = keys + (indent < length ? indent : length), *gap = strstr(begin, "  "), *last = keys + length;
    const char *icon = static_cast<const char *>(memchr(keys, '\t', length)), *end = icon ? icon : last;
    if (!gap || gap > end) gap = end;
    const char *rest = gap;
    while (rest < end && *rest == ' ') rest++;
    l->indent = static_cast<float>(indent);
    snprintf(l->left, sizeof l->left, "%.*s", static_cast<int>(gap - begin), begin);
    snprintf(l->right, sizeof l->right, "%.*s", static_cast<int>(end - rest), rest);
    snprintf(l->icon, sizeof l->icon, "%.*s", icon ? static_cast<int>(last - icon) - 1 : 0, icon ? icon + 1 : "");
    keys = *last ? last + 1 : last;
  }
  return count;
}

// Draws the pictures of a line of the page of keys into two squares side by side: the icon, and a mouse or a key.
static void draw_pictures(ImDrawList *list, const KeyLine *line, float x, float y, float side) {
  const HudColors *c = hud_colors();
  if (line->icon[0]) hud_icon_draw(list, line->icon, x, y, side, c->text);
  const float right = x + 1.3f * side;
  const bool mouse = hud_mouse_draw(list, line->left, right, y, side, c->text, c->mark);
  if (!mouse && !line->icon[0]) hud_key_draw(list, right, y, side, c->dim);
  char name[32];
  const double pixel[2] = { static_cast<double>(right), static_cast<double>(y) };
  snprintf(name, sizeof name, "mouse:%.24s", line->left);
  if (mouse) hud_items_add(name, pixel);
}

// Draws the page that lists the keys of the keyboard, in the middle of the picture. Scales the page down if it does not
// fit.
static void draw_keys(const char *keys, ImVec2 size) {
  enum { LINES = 64 };
  static KeyLine line[LINES];
  const int count = split_keys(keys, line, LINES);
  const float em = ImGui::GetFontSize(), pad = 1.2f * em;
  float left = 0, right = 0, alone = 0;
  for (int k = 0; k < count; k++) {
    const float pictures = line[k].right[0] ? 2.8f * em : 0;
    const float indent = 0.6f * em * line[k].indent + pictures, width = indent + ImGui::CalcTextSize(line[k].left).x;
    if (line[k].right[0]) {
      left = std::fmax(left, width);
      right = std::fmax(right, ImGui::CalcTextSize(line[k].right).x);
    } else
      alone = std::fmax(alone, width);
  }

  const float wide = std::fmax(left + em + right, alone) + 2 * pad;
  const float tall = 1.3f * em * static_cast<float>(count) + 2 * pad;
  hud_items_check("page of keys", count < LINES);
  const float scale = std::fmin(1, std::fmin(0.98f * size.x / wide, 0.98f * size.y / tall));
  const float across = std::ceil(scale * wide), down = std::ceil(scale * tall);
  const ImVec2 low(std::floor(0.5f * (size.x - across)), std::floor(0.5f * (size.y - down)));
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoNav |
                                 ImGuiWindowFlags_NoFocusOnAppearing;
  ImGui::SetNextWindowPos(low, ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(across, down), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.94f);
  ImGui::Begin("keys", nullptr, flags);
  ImDrawList *list = ImGui::GetWindowDrawList();
  for (int k = 0; k < count; k++) {
    const float y = low.y + scale * (pad + 1.3f * em * static_cast<float>(k));
    float x = low.x + scale * (pad + 0.6f * em * line[k].indent);
    if (line[k].right[0]) {
      draw_pictures(list, &line[k], x, y + scale * 0.05f * em, scale * em);
      x += scale * 2.8f * em;
    }
    const ImU32 color = line[k].right[0] ? hud_colors()->highlight : hud_colors()->text;
    list->AddText(ImGui::GetFont(), scale * em, ImVec2(x, y), color, line[k].left);
    list->AddText(ImGui::GetFont(), scale * em, ImVec2(low.x + scale * (pad + left + em), y), hud_colors()->text,
                  line[k].right);
  }

  ImGui::SetCursorScreenPos(low);
  ImGui::Dummy(ImVec2(across, down));
  hud_items_note("all keys");
  ImGui::End();
}

// Begins a frame of Dear ImGui for a picture of width x height pixels without a window.
static void begin_picture(int width, int height, double content_scale, double size_of_text) {
  if (frame_open) ImGui::EndFrame();
  frame_open = true;
  set_text(static_cast<float>(text_height(content_scale, size_of_text, width, height)));
  set_size(width, height);
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  ImGui_ImplOpenGL3_NewFrame();
  has_glyphs = true;
  ImGui::NewFrame();
}

void hud_begin_picture(int width, int height, double content_scale) {
  begin_picture(width, height, content_scale, text_size);
}

static void end_frame() {
  frame_open = false;
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void hud_draw_overlay(const HudOverlay *overlay, int width, int height) {
  begin_picture(width, height, height / 720.0, 1);  // the height of text is proportional to that of the picture
  const float margin = ImGui::GetFontSize();
  const float low[2] = { margin, 0 };
  const float high[2] = { static_cast<float>(width) - 0.5f * margin, static_cast<float>(height) - 0.5f * margin };
  hud_overlay_draw(overlay, low, high, high[1], nullptr);
  end_frame();
}

// Copies a text that consists of parts with three or more spaces in between. Copies as many of the first parts as fit
// on `lines` lines of `width` pixels. keeps_last: the last part is always copied.
static void fit_parts(const char *text, float width, int lines, bool keeps_last, char *fitted, size_t size) {
  static const char *const GAP = "    ";
  float used = 0;
  const float gap = ImGui::CalcTextSize(GAP).x;
  const char *last = text;
  for (const char *c = text; (c = strstr(c, "   "));) {
    c += strspn(c, " ");
    if (*c) last = c;
  }
  const float reserved = keeps_last && last != text ? gap + ImGui::CalcTextSize(last).x : 0;
  size_t length = 0;
  fitted[0] = '\0';
  for (const char *c = text; *c && length + 1 < size;) {
    const char *end = strstr(c, "   ");
    if (!end) end = c + strlen(c);
    const float part = ImGui::CalcTextSize(c, end).x, available = width - (lines == 1 && c != last ? reserved : 0);
    if (used > 0 && used + gap + part > available) {
      if (lines-- <= 1) {
        const char *between = used + reserved > width ? "\n" : GAP;  // a long first part may fill the whole line
        if (keeps_last && c != last)
          length += static_cast<size_t>(snprintf(fitted + length, size - length, "%s%s", between, last));
        break;
      }
      length += static_cast<size_t>(snprintf(fitted + length, size - length, "\n"));
      used = 0;
    }
    if (length + 1 < size)
      length += static_cast<size_t>(
          snprintf(fitted + length, size - length, "%s%.*s", used > 0 ? GAP : "", static_cast<int>(end - c), c));
    used += (used > 0 ? gap : 0) + part;
    c = end + strspn(end, " ");
  }
}

void hud_draw(const HudOverlay *overlay, const char *line, const HudNotices *notices, const char *help,
              const HudTools *tools, const char *keys) {
  if (!frame_open) hud_begin(nullptr, 0);
  if (list_must_close) ImGui::ClosePopupToLevel(0, false);
  list_must_close = false;
  const ImVec2 whole = ImGui::GetIO().DisplaySize;
  const ImVec2 size(whole.x, whole.y - static_cast<float>(tools->dock ? tools->dock->pixels : 0));
  const float em = ImGui::GetFontSize(), margin = std::round(0.6f * em);
  char text[768];

  // the panel is at an edge, and other widgets share the rest of the picture
  float space[2] = { margin, size.x - margin };
  if (tools->panel)
    hud_panel_draw(tools->panel, size.x, size.y, margin, space);
  else if (tools->rows)
    hud_rows_draw(tools->rows, size.x, size.y, margin, space);
  else
    hud_items_clear();
  const float right = space[1];
  if (tools->dock) hud_dock_draw(tools->dock, whole.x, whole.y);

  // the toolbar is at the left edge of this space, unless the window is too small
  float left = space[0];
  const float taken =
      tools->toolbar ? hud_toolbar_draw(tools->toolbar, left, margin, right - left, size.y - 2 * margin) : 0;
  if (taken > 0) left += taken + margin;
  const float wrap = right - left - 0.8f * em;
  float top = margin, bottom = size.y - margin;
  if (wrap > 6 * em) {
    fit_parts(line, wrap, 2, false, text, sizeof text);
    top = hud_text_on_plate(left, top, text, HUD_INFORMATION, wrap) + 0.4f * em;
    if (notices) top = hud_notices_draw(notices, left, top, std::fmax(top, 0.45f * size.y), wrap);
    fit_parts(help, wrap, 1, true, text, sizeof text);
    bottom -= hud_plate_height(text, wrap);
    hud_text_on_plate(left, bottom, text, HUD_INFORMATION, wrap);
    bottom -= 0.4f * em;
  } else if (notices) {
    hud_newest_notice_draw(notices, margin, size.y - margin, size.x - 2.8f * margin);
  }

  // the legend is above the axes; small windows do not show the axes
  float above = bottom;
  if (tools->axes) tools->axes->clicked = -1;
  if (tools->axes && wrap > 6 * em && size.y >= 24 * em && bottom - top > (overlay->title ? 20 : 14) * em)
    above -= hud_axes_draw(tools->axes, left, bottom);
  const float low[2] = { left, top }, high[2] = { right, bottom };
  if (tools->legend) tools->legend->changed = false;
  hud_overlay_draw(overlay, low, high, above, tools->legend);
  if (tools->hint) hud_hint_draw(tools->hint, low, high);

  // these windows cover the panel if the space beside the panel is too narrow
  const float beside = space[1] - space[0], all[2] = { margin, size.x - margin };
  const float *large = beside < 36 * em ? all : space, *small = beside < 24 * em ? all : space;
  if (tools->start) hud_start_draw(tools->start, large[0], large[1], size.y, margin);
  if (tools->browser) hud_browser_draw(tools->browser, small[0], small[1], size.y, margin);
  if (tools->messages) hud_message_list_draw(tools->messages, small[0], small[1], size.y, margin);
  if (keys) draw_keys(keys, size);
  if (tools->palette) hud_palette_draw(tools->palette, large[0], large[1], size.y, margin);
  end_frame();
}
