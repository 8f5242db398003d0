// Reads many lines of one structure, such as a list of nodes, from a text file on several cores.
#pragma once
#include "mesh/format/text.h"

/// Callback that reads line number k of a list, from 0 on, and stores the result for index k. `line` is positioned at
/// the beginning of the line.
typedef bool (*TextLine)(const void *context, int k, Text *line, Error *error);

/// Reads the next `count` lines: calls `read` for each, on all cores and in any order. Afterwards `text` is positioned
/// at the end of the last line. Returns false if `read` fails, if it does not read a whole line, or if there are fewer
/// lines. Also returns false if several threads would not help: for few lines, or on a single core. The position is
/// then unchanged, and no error is set, because it is not known which invalid line is the first.
bool text_lines(Text *text, int count, TextLine read, const void *context);

/// Reads lines as text_lines does. If this fails, reads them again one after the other, and sets the error of the first
/// invalid line. `what` describes the expected content in messages.
bool text_each_line(Text *text, int count, const char *what, TextLine read, const void *context, Error *error);
