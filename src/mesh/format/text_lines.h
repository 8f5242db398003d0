// Reads lines of equal form in a text file on several cores.
#pragma once
#include "mesh/format/text.h"

/// Reads line k from `line`, which is positioned at its beginning, and stores the result for index k.
typedef bool (*TextLine)(const void *context, int k, Text *line, Error *error);

/// Reads the next `count` lines, none of them blank, with `read`, in any order and on all cores. Afterwards the text is
/// at the end of the last one. Returns false if `read` rejects a line or leaves words unread, or if there are fewer
/// lines. Then the text's position is unchanged and no error is set; reading line by line gives the error, with its
/// line.
bool text_lines(Text *text, int count, TextLine read, const void *context);

/// As text_lines, but reads line by line if that fails, so the error is for the first bad line. `what` names the
/// expected content.
bool text_each_line(Text *text, int count, const char *what, TextLine read, const void *context, Error *error);
