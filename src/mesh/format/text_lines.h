// Reads many lines of one structure, such as a list of nodes, from a text file on several cores.
#pragma once
#include "mesh/format/text.h"

/// Callback that reads line number k, from 0 on, and stores the result for index k. `line` is positioned at the line's
/// beginning.
typedef bool (*TextLine)(const void *context, int k, Text *line, Error *error);

/// Reads the next `count` lines that are not blank: calls `read` for each, on all cores and in any order. Afterwards
/// `text` is positioned at the end of the last one. Returns false if `read` fails or leaves words unread, or if there
/// are fewer lines; then the position is unchanged, and no error is set, because the first bad line is not known.
bool text_lines(Text *text, int count, TextLine read, const void *context);

/// As text_lines, but if it fails, reads the lines again one after the other, and sets the error of the first bad line.
/// `what` is the expected content, for messages.
bool text_each_line(Text *text, int count, const char *what, TextLine read, const void *context, Error *error);
