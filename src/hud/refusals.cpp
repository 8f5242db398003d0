// Marks fields whose last value was refused: see refusals.h.
#include "hud/refusals.h"

#include <imgui.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "hud/items.h"
#include "hud/theme.h"

static HudRefusals *used;  // marks of the fields that are drawn; nullptr: none
static int drawn = -1;     // index of the mark of the field that is being drawn; -1: none

// Returns the index of the mark of a row, or -1.
static int mark_of(const HudRefusals *refusals, const char *name) {
  for (int k = 0; k < refusals->count; k++)
    if (strcmp(refusals->row[k].name, name) == 0) return k;
  return -1;
}

static void remove_mark(HudRefusals *refusals, int index) {
  refusals->count--;
  memmove(&refusals->row[index], &refusals->row[index + 1],
          sizeof *refusals->row * static_cast<size_t>(refusals->count - index));
}

void hud_refuse(HudRefusals *refusals, const char *key, const char *reason) {
  char name[sizeof refusals->row->name];
  snprintf(name, sizeof name, "%s", key);
  for (char *c = name; *c; c++)
    if (*c == '_') *c = ' ';  // names of rows have spaces in place of underscores
  const int old = mark_of(refusals, name);
  if (old >= 0)
    remove_mark(refusals, old);
  else if (refusals->count == HUD_REFUSALS_MAX)
    remove_mark(refusals, 0);
  auto *row = &refusals->row[refusals->count++];
  memcpy(row->name, name, sizeof name);
  snprintf(row->reason, sizeof row->reason, "%s", reason);
}

void hud_refusals_use(HudRefusals *refusals) {
  used = refusals;
}

void hud_refused_begin(const char *name) {
  drawn = used ? mark_of(used, name) : -1;
  if (drawn < 0) return;
  for (const ImGuiCol which : { ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive })
    ImGui::PushStyleColor(which, hud_colors()->refused);
}

void hud_refused_end(void) {
  if (drawn < 0) return;
  char name[48];
  ImGui::PopStyleColor(3);
  snprintf(name, sizeof name, "refused:%s", used->row[drawn].name);
  hud_items_note(name);
  hud_items_tooltip(used->row[drawn].reason);
  if (ImGui::IsItemActivated()) remove_mark(used, drawn);
  drawn = -1;
}
