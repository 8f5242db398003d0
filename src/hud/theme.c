// The tables of colours of the HUD: see theme.h.
#include "hud/theme.h"

#define RGBA(r, g, b, a) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(g) << 8 | (uint32_t)(r))
#define RGB(r, g, b) RGBA(r, g, b, 255)

static const HudColors themes[HUD_THEME_COUNT] = {
  [HUD_DARK] = {
    .text = RGB(235, 238, 242), .dim = RGB(128, 128, 128), .highlight = RGB(242, 191, 150),
    .window = RGB(22, 26, 31), .popup = RGBA(27, 31, 37, 250), .border = RGBA(255, 255, 255, 26),
    .line = RGBA(255, 255, 255, 31), .field = RGB(42, 48, 56), .field_lit = RGB(59, 68, 78),
    .button = RGB(59, 68, 78), .button_lit = RGB(79, 89, 101), .pressed = RGB(165, 84, 38),
    .row = RGBA(219, 125, 71, 107), .row_lit = RGBA(219, 125, 71, 153), .tab = RGBA(219, 125, 71, 217),
    .selection = RGBA(219, 125, 71, 115), .mark = RGB(219, 125, 71), .refused = RGB(128, 26, 20),
    .plate = RGBA(14, 18, 24, 180), .words = RGB(238, 242, 246), .warning = RGB(255, 196, 104),
    .error = RGB(255, 192, 182), .alarm = RGB(240, 72, 60),
    .plot = RGB(12, 16, 22), .grid = RGBA(255, 255, 255, 26), .axis = RGB(176, 186, 198),
    .pointer = RGBA(255, 255, 255, 150),
    .series = { RGB(240, 158, 88), RGB(98, 176, 240), RGB(150, 206, 120), RGB(236, 236, 240), RGB(214, 130, 200),
                RGB(140, 150, 162) },
  },
  [HUD_LIGHT] = {
    .light = true,
    .text = RGB(24, 29, 36), .dim = RGB(98, 106, 116), .highlight = RGB(146, 62, 12),
    .window = RGB(244, 246, 248), .popup = RGBA(252, 253, 254, 250), .border = RGBA(0, 0, 0, 48),
    .line = RGBA(0, 0, 0, 48), .field = RGB(222, 226, 231), .field_lit = RGB(208, 214, 221),
    .button = RGB(206, 212, 219), .button_lit = RGB(188, 196, 206), .pressed = RGB(236, 156, 108),
    .row = RGBA(236, 156, 108, 107), .row_lit = RGBA(236, 156, 108, 170), .tab = RGBA(236, 156, 108, 240),
    .selection = RGBA(236, 156, 108, 150), .mark = RGB(184, 84, 28), .refused = RGB(255, 203, 196),
    .plate = RGBA(248, 250, 252, 220), .words = RGB(22, 27, 33), .warning = RGB(150, 56, 0),
    .error = RGB(150, 0, 24), .alarm = RGB(214, 30, 40),
    .plot = RGB(255, 255, 255), .grid = RGBA(0, 0, 0, 30), .axis = RGB(80, 88, 98),
    .pointer = RGBA(0, 0, 0, 150),
    .series = { RGB(176, 82, 14), RGB(24, 104, 178), RGB(50, 118, 30), RGB(40, 44, 50), RGB(166, 56, 146),
                RGB(100, 109, 120) },
  },
};

static HudTheme chosen;

void hud_set_theme(HudTheme theme) {
  chosen = theme;
}

const HudColors *hud_colors(void) {
  return &themes[chosen];
}
