// Draws small pictures of icons, mice and keys: see icon.h.
#include "hud/icon.h"

#include <imgui.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

// Reads the next number of an icon's text, and moves *text to the character after the number.
static float number(const char **text) {
  char *end;
  const float value = strtof(*text, &end);
  *text = end;
  return value;
}

void hud_icon_draw(ImDrawList *list, const char *icon, float x, float y, float side, unsigned color) {
  const float unit = side / 16, thickness = std::fmax(1.4f, 1.5f * unit);
  const auto point = [&icon, x, y, unit] {
    const float right = number(&icon), down = number(&icon);
    return ImVec2(x + unit * right, y + unit * down);
  };
  list->PathClear();
  while (*icon && *icon != '\n') {
    const char stroke = *icon++;
    if (stroke == 'M') {
      list->PathStroke(color, ImDrawFlags_None, thickness);
      list->PathLineTo(point());
    } else if (stroke == 'L') {
      list->PathLineTo(point());
    } else if (stroke == 'Z') {
      list->PathStroke(color, ImDrawFlags_Closed, thickness);
    } else if (stroke == 'O') {
      list->PathStroke(color, ImDrawFlags_None, thickness);
      const ImVec2 middle = point();
      list->AddCircle(middle, unit * number(&icon), color, 0, thickness);
    }
  }
  list->PathStroke(color, ImDrawFlags_None, thickness);
}

bool hud_mouse_draw(ImDrawList *list, const char *words, float x, float y, float side, unsigned color, unsigned lit) {
  const auto has = [words](const char *word) { return strstr(words, word) != nullptr; };
  const float unit = side / 16, thickness = std::fmax(1.0f, unit);
  const auto at = [x, y, unit](float right, float down) { return ImVec2(x + unit * right, y + unit * down); };
  if (has("drop")) {
    hud_icon_draw(list, "M4 1 L12 1 L12 15 L4 15 Z M8 4 L8 11 M5.5 8.5 L8 11 L10.5 8.5", x, y, side, color);
    return true;
  }
  const bool wheel = has("wheel") || has("middle"), right = has("right");
  if (!wheel && !right && !has("drag") && !has("click")) return false;

  // the lit button, the outline with the line between the buttons, and the wheel
  if (!wheel)
    list->AddRectFilled(at(right ? 8.0f : 3.5f, 1), at(right ? 12.5f : 8.0f, 7), lit, 2 * unit,
                        right ? ImDrawFlags_RoundCornersTopRight : ImDrawFlags_RoundCornersTopLeft);
  list->AddRect(at(3.5f, 1), at(12.5f, 15), color, 4 * unit, ImDrawFlags_None, thickness);
  list->AddLine(at(3.5f, 7), at(12.5f, 7), color, thickness);
  list->AddLine(at(8, 1), at(8, 7), color, thickness);
  list->AddRectFilled(at(6.8f, 2.5f), at(9.2f, 6.2f), wheel ? lit : color, unit);
  if (has("drag")) hud_icon_draw(list, "M2 9 L0 11 L2 13 M14 9 L16 11 L14 13", x, y, side, color);
  if (has("double")) hud_icon_draw(list, "M1 4 L1 1 L3 1 M0 6 L0 0 L3 0", x, y, side, color);
  return true;
}

void hud_key_draw(ImDrawList *list, float x, float y, float side, unsigned color) {
  const float unit = side / 16, thickness = std::fmax(1.0f, unit);
  list->AddRect(ImVec2(x + 2 * unit, y + 2 * unit), ImVec2(x + 14 * unit, y + 14 * unit), color, 3 * unit,
                ImDrawFlags_None, thickness);
  list->AddLine(ImVec2(x + 5 * unit, y + 11 * unit), ImVec2(x + 11 * unit, y + 11 * unit), color, thickness);
}
