// Turns the rows of settings_list.h into initialisers of struct Option (base/option.h). A file includes this one
// between the braces of an array of Option. It must first define these macros:
//   SETTING_OF       the struct that holds the values
//   SETTING(field)   the path of a setting's field inside that struct
//   SETTING_NOTED    a function that is called after the value of a MODULUS row was read (Option.noted)
//   SETTING_CHOSEN(key)   a function that is called after the value of a CHOSEN_FLAG row was read
//   SETTING_DEVICE   all members of the row `device` except its key
// clang-format off
#define TAB_NOWHERE .tab = NULL
#define TAB_BODY(low, high) .tab = "Body", .slider = { low, high }
#define TAB_SOLVER(low, high) .tab = "Solver", .slider = { low, high }
// The saved state, with which the motion continues after an edit of the scene, counts the time in steps of dt, and
// self-contact must begin with separate surfaces.
#define TAB_RESTARTS_NOWHERE TAB_NOWHERE, .edit = EDIT_RESTARTS
#define TAB_RESTARTS_SOLVER(low, high) TAB_SOLVER(low, high), .edit = EDIT_RESTARTS
#define TAB_ADVANCED_NOWHERE TAB_NOWHERE, .advanced = true
#define TAB_ADVANCED_BODY(low, high) TAB_BODY(low, high), .advanced = true
#define TAB_ADVANCED_SOLVER(low, high) TAB_SOLVER(low, high), .advanced = true
#define FIELD(field) OPTION_AT(SETTING_OF, SETTING(field))
#define ROW(key, kind, when) #key, .type = OPTION_##kind, .applies = APPLIES_##when
#define NUMBER(key, value, range, what, when, panel, words) \
  { ROW(key, NUMBER, when), FIELD(key), OPTION_##range, .unit = what, TAB_##panel, .help = words },
#define MODULUS(key, value, range, what, when, panel, words)                                     \
  { ROW(key, NUMBER, when), FIELD(key), OPTION_##range, .unit = what, TAB_##panel, .help = words, \
    .noted = SETTING_NOTED },
#define INTEGER(key, value, range, what, when, panel, words) \
  { ROW(key, INTEGER, when), FIELD(key), OPTION_##range, .unit = what, TAB_##panel, .help = words },
#define CHOICE(key, type, value, names, when, panel, words) \
  { ROW(key, CHOICE, when), FIELD(key), .choices = names, TAB_##panel, .help = words },
#define FLAG(key, when, panel, words) { ROW(key, FLAG, when), FIELD(key), TAB_##panel, .help = words },
#define CHOSEN_FLAG(key, when, panel, words) \
  { ROW(key, FLAG, when), FIELD(key), TAB_##panel, .help = words, .noted = SETTING_CHOSEN(key) },
#define VECTOR(key, what, when, panel, words) \
  { ROW(key, VECTOR, when), FIELD(key), OPTION_ANY, .unit = what, TAB_##panel, .help = words },
#define OPTIONAL(key, has, field, what, when, panel, words)                                                  \
  { ROW(key, OPTIONAL, when), FIELD(field), .present = offsetof(SETTING_OF, SETTING(has)), OPTION_ANY,       \
    .unit = what, TAB_##panel, .help = words },
#define NUMBER_OR(word, key, range, what, when, panel, words)                                       \
  { ROW(key, OPTIONAL, when), FIELD(key), .zero_is_absent = true, .absent = word, OPTION_##range,     \
    .unit = what, TAB_##panel, .help = words },
#define STAGE(key, words) { ROW(key, TEXT, TO_STAGE), FIELD(key), .unit = "NAME", .help = words },
#define MATERIAL(key, words) { ROW(key, TEXT, ON_REBUILD), FIELD(key), .unit = "NAME", .help = words },
#define DEVICE(key) { #key, SETTING_DEVICE },
#include "sim/settings_list.h"
#undef TAB_NOWHERE
#undef TAB_BODY
#undef TAB_SOLVER
#undef TAB_ADVANCED_NOWHERE
#undef TAB_ADVANCED_BODY
#undef TAB_ADVANCED_SOLVER
#undef FIELD
#undef ROW
// clang-format on
