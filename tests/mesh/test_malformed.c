// Malformed mesh files are refused with a message that has the line, the fault and the expected content.
#include <sys/stat.h>
#include <zlib.h>

#include "mesh_testing.h"

#define FILE_ROW(ending, text, part) \
  { ending, text, sizeof(text) - 1, part }
#define ROW(text, part) FILE_ROW(".msh", text, part)
#define VTK "# vtk DataFile Version 3.0\nt\n"
#define VTU(attributes, body) \
  "<VTKFile type=\"UnstructuredGrid\" " attributes "><UnstructuredGrid>" body "</UnstructuredGrid></VTKFile>"
#define PIECE "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">"
#define POINTS_VTU                                                                                       \
  "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 " \
  "1</DataArray></Points>"
#define CELLS_VTU(connectivity, offsets, types)                                           \
  "<Cells><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">" connectivity \
  "</DataArray><DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">" offsets      \
  "</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">" types "</DataArray></Cells></Piece>"
#define INP_NODES "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"
#define INP_TET "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n"
// ROW(content, message): a .msh file with this content must be refused with this message. FILE_ROW(ending, content,
// message): the same for a file with another ending. Messages begin with "@", which stands for the path, and with the
// line, counted from 1. So "@:4:" means line 4. The macros FORMAT_41, NODES_41 and so on are sections of valid files.
static const struct {
  const char *ending, *content;
  size_t size;
  const char *message;  // part of the message; "@" stands for the file's path
} cases[] = {
  // ---- files that are no MSH files
  ROW("", "@: the file is empty"),
  ROW("\n \r\n", "@: the file is empty"),
  ROW("solid cube\n",
      "@:1: \"solid\", expected the beginning of a section, such as $MeshFormat (is this an MSH file?)"),
  ROW("\x1f\x8b\x08\x00\x01", "@: cannot be read: the compressed data end too early"),
  ROW("$NOD\n1\n1 0 0 0\n$ENDNOD\n", "@:1: MSH version 1 is not supported; supported: 2.2 and 4.1"),
  ROW("$MeshFormat\n", "@:2: the file ends, expected version, file type and data size"),
  ROW("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "@:2: MSH version 4 is not supported; supported: 2.2 and 4.1"),
  ROW("$MeshFormat\n4.10 0 8\n$EndMeshFormat\n", "@:2: MSH version 4.10 is not supported"),
  ROW("$MeshFormat\n4.1 1 8\n\x01\0\0\0$EndMeshFormat\n", "@:3: the file ends without $Nodes"),
  ROW("$MeshFormat\n2.2 1 8\n\x02\0\0\0\n$EndMeshFormat\n", "@: byte 20: the integer is 0x00000002, expected 1"),
  ROW("$MeshFormat\n2.2 1 4\n\x01\0\0\0\n$EndMeshFormat\n", "@:2: data size is 4, expected 8 in a binary file"),
  ROW("$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n1000000\n\1\2\3\4",
      "@:6: node count is 1000000, but only"),
  ROW("$MeshFormat\n4.1 1 "
      "8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n\1\0\0\0\0\0\0\0\377\377\377\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0",
      "expected nodes (16777215 times 32 bytes), but only 0 bytes are left in the file"),
  ROW("$MeshFormat\n4.1 1 "
      "8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0",
      "node count is \"-9223372036854775808\", expected 1 to 715827882"),
  ROW("$MeshFormat\n4.1 0\n$EndMeshFormat\n", "@:2: the line ends, expected data size"),
  ROW("$MeshFormat\n4.1 0 8\n$Nodes\n", "@:3: \"$Nodes\", expected $EndMeshFormat"),

  // ---- sections of MSH files
  ROW(FORMAT_41, "@:3: the file ends without $Nodes"),
  ROW(FORMAT_41 NODES_41, "@:17: the file ends without $Elements"),
  ROW(FORMAT_41 ELEMENTS_41, "@:4: $Elements must come after $Nodes"),
  ROW(NODES_41, "@:1: $Nodes must come after $MeshFormat"),
  ROW(FORMAT_41 FORMAT_41, "@:4: the file has a second section $MeshFormat"),
  ROW(FORMAT_41 NODES_41 NODES_41, "@:18: the file has a second section $Nodes"),
  ROW(FORMAT_41 NODES_41 ELEMENTS_41 ELEMENTS_41, "a second section $Elements"),
  ROW(FORMAT_41 "$Comments\nno end\n", "@:4: the file ends before a line $EndComments"),
  ROW(FORMAT_41 NODES_41 "1 2 3\n", "@:18: \"1\", expected the beginning of a section, such as $Nodes"),

  // ---- nodes of MSH 2.2
  ROW(FORMAT_22 "$Nodes\n", "@:5: the file ends, expected node count"),
  ROW(FORMAT_22 "$Nodes\n-3\n", "@:5: node count is \"-3\", expected 4 to 715827882"),
  ROW(FORMAT_22 "$Nodes\n5.0\n", "@:5: node count is \"5.0\", expected 4"),
  ROW(FORMAT_22 "$Nodes\n700000000\n1 0 0 0\n", "@:5: node count is 700000000, but only 9 bytes are left in the file"),
  ROW(FORMAT_22 "$Nodes\n99999999999999999999\n", "@:5: node count is \"99999999999999999999\", expected 4"),
  ROW(FORMAT_22 "$Nodes\n5\n1 0 0 0\n2 1 0\n3 0 1 0\n4 0 0 1\n5 1 1 1.0\n", "@:7: the line ends, expected node's z"),
  ROW(FORMAT_22 "$Nodes\n5\n1 0 0 0\n2 1 0 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n",
      "@:7: \"0\", expected the end of the line"),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 nan 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n",
      "@:6: node's y is \"nan\", expected a finite number"),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1e999 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:7: node's x is \"1e999\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 0x10 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:7: node's x is \"0x10\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1,5 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:7: node's x is \"1,5\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1\0 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:7: node's x is \"1?\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n-2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n",
      "@:7: node tag is \"-2\", expected 0 to"),
  ROW(FORMAT_22 "$Nodes\n4\n7 0 0 0\n2 1 0 0\n3 0 1 0\n7 0 0 1\n$EndNodes\n", "two nodes have the number 7"),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n",
      "@:10: \"5\", expected $EndNodes"),
  ROW(FORMAT_22 "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "@:10: node tag is \"$EndNodes\""),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0 0 0\n4 0 0", "@:8: \"0\", expected the end of the line"),

  // ---- nodes of MSH 4.1
  ROW(FORMAT_41 "$Nodes\n1 5 1\n", "@:5: node count is 5, but only 3 bytes are left in the file"),
  ROW(FORMAT_41 "$Nodes\n1 5 1\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n",
      "@:5: the line ends, expected largest tag"),
  ROW(FORMAT_41 "$Nodes\n1 5 1 5\n4 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n",
      "@:6: entity dimension is \"4\", expected 0 to 3"),
  ROW(FORMAT_41 "$Nodes\n1 5 1 5\n3 1 0 6\n1\n2\n3\n4\n5\n6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n",
      "@:6: count of nodes in this block is \"6\", expected 0 to 5"),
  ROW(FORMAT_41 "$Nodes\n1 5 1 5\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n",
      "the blocks of $Nodes contain 4 nodes, but the first line of $Nodes gives 5"),
  ROW(FORMAT_41 "$Nodes\n2 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n",
      "@:17: entity dimension is \"$EndNodes\""),
  ROW(FORMAT_41 "$Nodes\n1 4 1 4\n2 1 1 4\n1\n2\n3\n4\n0.25 0 0 1\n",
      "@:11: the line ends, expected node's parametric"),
  ROW(FORMAT_41 "$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0.25 0 0\n1 0.25 0\n0 1",
      "@:14: the line ends, expected node's z"),

  // ---- elements of MSH files
  ROW(FORMAT_22 NODES_22 "$Elements\n0\n$EndElements\n", "@:13: element count is \"0\", expected 1 to 536870911"),
  ROW(FORMAT_22 NODES_22 "$Elements\n500000000\n1 4 0 1 2 3 4\n", "@:13: element count is 500000000, but only"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n77 4 0 1 2 3 9\n$EndElements\n",
      "@:14: element 77 has the node 9, which the file does not define"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n77 4 0 1 2 3 0\n$EndElements\n", "@:14: element 77 has the node 0, which"),
  ROW(FORMAT_41 NODES_41 "$Elements\n1 1 1 1\n3 1 4 1\n78 1 2 3 6\n$EndElements\n",
      "@:21: element 78 has the node 6, which the file does not define"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3\n$EndElements\n",
      "@:14: the line ends, expected the number of a node of the element"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 4 5\n$EndElements\n", "@:14: \"5\", expected the end of the line"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 -1 1 2 3 4\n$EndElements\n", "@:14: count of tags is \"-1\", expected 0"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 9 1 2 3 4\n$EndElements\n", "@:14: the line ends, expected tag"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 141 0 1 2 3 4\n", "@:14: element type is \"141\", expected 1 to 140"),
  ROW(FORMAT_22 NODES_22 "$Elements\n3\n1 4 0 1 2 3 4\n2 4 0 2 3 4 5\n", "@:16: the file ends, expected an element"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 4\n", "@:15: the file ends, expected $EndElements"),
  ROW(FORMAT_41 NODES_41 "$Elements\n1 2 1 2\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
      "the blocks of $Elements contain 1 elements, but the first line of $Elements gives 2"),
  ROW(FORMAT_41 NODES_41 "$Elements\n1 1 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n$EndElements\n",
      "@:20: count of elements in this block is \"2\", expected 0 to 1"),

  // ---- files without valid tets
  ROW(FORMAT_22 NODES_22 "$Elements\n2\n1 2 0 1 2 3\n2 11 0 1 2 3 9 5 1 2 3 4 5\n$EndElements\n",
      "@:15: element 2 has the node 9, which the file does not define"),
  ROW(FORMAT_22 NODES_22 "$Elements\n2\n1 2 0 1 2 3\n2 3 0 1 2 3 4\n$EndElements\n",
      "@: no tetrahedra; the file has 1 triangle, 1 quadrangle, so it describes a surface; if the surface is closed, "
      "fill it with `pliant tetrahedralize`"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 6 0 1 2 3 4 5 1\n$EndElements\n",
      "@: no tetrahedra; the file has 1 prism, but Pliant needs tetrahedra, or hexahedra of 8 nodes; split the "
      "cells"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 5 0 1 2 3 4 5 1 2 3\n$EndElements\n", "has the same node at two corners"),
  ROW(FORMAT_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 2\n$EndElements\n",
      "@: the tet with nodes 2, 1, 3, 2 has the same node at two corners"),
  ROW(FORMAT_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
      "is flat: it has no volume"),
  // ---- Medit files
  FILE_ROW(".mesh", "", "@:1: the file ends, expected MeshVersionFormatted"),
  FILE_ROW(".mesh", "OFF\n4 4 6\n", "@:1: \"OFF\", expected MeshVersionFormatted"),
  FILE_ROW(".mesh", "MeshVersionFormatted 9\n", "@:1: version is \"9\", expected 1 to 4"),
  FILE_ROW(".mesh", "MeshVersionFormatted 1\nDimension 2\n", "@:2: dimension is \"2\", expected 3"),
  FILE_ROW(".mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 900000000\n0 0 0 0\n",
           "@:3: vertex count is \"900000000\""),
  FILE_ROW(".mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 90000000\n0 0 0 0\n",
           "@:3: vertex count is 90000000, but only"),
  FILE_ROW(".mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0 1 0 0 0 0 1 0 0 0 0\n",
           "@:3: vertex count is 4, but only 29 bytes are left in the file"),
  FILE_ROW(".mesh", "MeshVersionFormatted 1\nDimension 3\nTetrahedra 1\n1 2 3 4 0\n",
           "@:3: Tetrahedra must come after Vertices"),
  FILE_ROW(".mesh", "MeshVersionFormatted 1\nVertices 4\n0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0\nTetrahedra 1\n1 2 3 5 0\n",
           "@:5: element 1 has the node 5"),
  FILE_ROW(".mesh", "MeshVersionFormatted 1\nVertices 4\n0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0\nTriangles 1\n1 2 3 5\nEnd\n",
           "@: no tetrahedra; the file has 1 triangle, so it describes a surface"),
  FILE_ROW(".mesh", "MeshVersionFormatted 1\nVertices 4\n0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0\n7 7\n",
           "@:4: \"7\", expected a keyword"),
  FILE_ROW(".meshb", "\1\0\0", "@: byte 0: expected the number 1 in binary (1 times 4 bytes), but only 3"),
  FILE_ROW(".meshb", "MeshVersionFormatted 1\n",
           "@: byte 0: the integer is 0x6873654d, expected 1 in either byte order"),
  FILE_ROW(".meshb", "\1\0\0\0\7\0\0\0", "@: byte 4: version is \"7\", expected 1 to 4"),
  FILE_ROW(".meshb", "\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\3\0\0\0",
           "@: byte 12: the next keyword's position is 4, expected a later byte"),
  FILE_ROW(".meshb", "\1\0\0\0\2\0\0\0\4\0\0\0\24\0\0\0\0\0\0\1",
           "@: byte 20: expected vertices (16777216 times 28 bytes), but only 0"),

  // ---- .node files of TetGen, without their .ele files
  FILE_ROW(".node", "4 2 0 0\n1 0 0\n2 1 0\n3 0 1\n4 1 1\n# a flat one\n", ".node:1: dimension is \"2\", expected 3"),
  FILE_ROW(".node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n",
           ".node:1: node count is 4, but only 31 bytes are left in the file"),
  FILE_ROW(".node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n3 0 0 1\n", "two nodes have the number 3"),
  FILE_ROW(".node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n", ".node:6: \"5\" follows the last record"),
  FILE_ROW(".node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n",
           ".ele, cannot be opened: No such file or directory"),

  // ---- legacy VTK files
  FILE_ROW(".vtk", "solid\n", "@:1: expected \"# vtk DataFile Version\" and a number from 1 to 5"),
  FILE_ROW(".vtk", "# vtk DataFile Version 9.0\nt\nASCII\n",
           "@:1: expected \"# vtk DataFile Version\" and a number from 1 to 5"),
  FILE_ROW(".vtk", VTK "UTF8\n", "@:3: \"UTF8\", expected ASCII or BINARY"),
  FILE_ROW(".vtk", VTK "ASCII\nDATASET POLYDATA\n",
           "@:4: the dataset has the type POLYDATA, expected UNSTRUCTURED_GRID"),
  FILE_ROW(".vtk", VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 quaternion\n0 0 0 1 0 0 0 1 0 0 0 1\n",
           "@:5: data type \"quaternion\", expected"),
  FILE_ROW(".vtk", VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4000000 float\n0 0 0\n",
           "@:5: point count is 4000000, but only"),
  FILE_ROW(".vtk", VTK "BINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n012345678901234567890123",
           "byte 78: expected points (4 times 24 bytes), but only 24"),
  FILE_ROW(".vtk",
           VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\n",
           "@: the file ends without CELL_TYPES"),
  FILE_ROW(".vtk",
           VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 "
               "3\nCELL_TYPES 2\n10 10\n",
           "@: CELL_TYPES has 2 entries, but the number of cells in CELLS is 1"),
  FILE_ROW(".vtk",
           VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n7 0 1 2 "
               "3\nCELL_TYPES 1\n10\n",
           "@: CELLS has 5 numbers; the node count of cell 0 is missing or wrong"),
  FILE_ROW(".vtk",
           VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 "
               "4\nCELL_TYPES 1\n10\n",
           "@: element 0 has the node 4"),
  FILE_ROW(".vtk",
           VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 4\n3 0 1 "
               "2\nCELL_TYPES 1\n10\n",
           "@: cell 0 is a tetrahedron of 3 nodes, expected 4"),
  FILE_ROW(".vtk", VTK "ASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 1 90000000000\n3 0 1 2\n",
           "90000000000 numbers for cells, but only"),
  FILE_ROW(".vtk",
           "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 "
           "1\nCELLS 2 4\nOFFSETS vtktypeint64\n0 9\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n",
           "@: the offsets of cell 0 are 0 and 9, expected ascending offsets up to 4"),

  // ---- VTU files
  FILE_ROW(".vtu", "", "@:1: no element found"),
  FILE_ROW(".vtu", "<html></html>", "@:1: the first element is \"html\", expected VTKFile"),
  FILE_ROW(".vtu", "<VTKFile type=\"PolyData\"></VTKFile>",
           "@:1: VTKFile type is \"PolyData\", expected UnstructuredGrid"),
  FILE_ROW(".vtu", "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "@:1: document type is \"a\", expected none"),
  FILE_ROW(".vtu", VTU("byte_order=\"Middle\"", ""),
           "@:1: byte_order is \"Middle\", expected LittleEndian or BigEndian"),
  FILE_ROW(".vtu", VTU("header_type=\"UInt8\"", ""), "@:1: header_type is \"UInt8\", expected UInt32 or UInt64"),
  FILE_ROW(".vtu", VTU("", ""), "@: the file has no <Piece>"),
  FILE_ROW(".vtu", VTU("", "<Piece NumberOfPoints=\"-4\" NumberOfCells=\"1\"></Piece>"),
           "@:1: NumberOfPoints is \"-4\""),
  FILE_ROW(".vtu", VTU("", PIECE "</Piece>"), "@: a <Piece> has no points"),
  FILE_ROW(".vtu", VTU("", PIECE POINTS_VTU "</Piece>"), "@: a <Piece> has no offsets"),
  FILE_ROW(".vtu", VTU("", "<Piece NumberOfPoints=\"400000000\" NumberOfCells=\"1\">" POINTS_VTU "</Piece>"),
           "@: the data of points are too short for 1200000000 values"),
  FILE_ROW(".vtu", VTU("", PIECE POINTS_VTU CELLS_VTU("0 1 2 x", "4", "10")),
           "@: value 3 of connectivity is \"x\", expected a whole number"),
  FILE_ROW(".vtu", VTU("", PIECE POINTS_VTU CELLS_VTU("0 1 2 3", "-4", "10")),
           "@: the offset of cell 0 is -4, expected at least 0"),
  FILE_ROW(".vtu", VTU("", PIECE POINTS_VTU CELLS_VTU("0 1 2 3", "99999999", "10")),
           "@: the data of connectivity are too short for 99999999 values"),
  FILE_ROW(".vtu", VTU("", PIECE POINTS_VTU CELLS_VTU("0 1 2 9", "4", "10")),
           "@: connectivity has the node 9, expected 0 to 3"),
  FILE_ROW(".vtu", VTU("", PIECE POINTS_VTU CELLS_VTU("0 1 2", "3", "5")),
           "@: no tetrahedra; the file has 1 triangle, so it describes a surface"),
  FILE_ROW(".vtu",
           VTU("", PIECE "<Points><DataArray type=\"Float64\" format=\"appended\" offset=\"0\"/></Points>" CELLS_VTU(
                       "0 1 2 3", "4", "10")),
           "@: the data of points begin at offset 0 of <AppendedData>, which is missing"),
  FILE_ROW(
      ".vtu",
      VTU("", PIECE "<Points><DataArray type=\"Float32\" format=\"binary\">YAAAAA==</DataArray></Points>" CELLS_VTU(
                  "0 1 2 3", "4", "10")),
      "@: the data of points are too short for 12 values; the file is cut off or has wrong counts"),
  FILE_ROW(".vtu", "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>", "@:1: no element found"),

  // ---- files of Vega and Abaqus
  FILE_ROW(".veg", "tets\n", "@:1: \"tets\", expected the beginning of a section, such as *VERTICES"),
  FILE_ROW(".veg", "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n", "@:1: *ELEMENTS must come after *VERTICES"),
  FILE_ROW(".veg", "*INCLUDE other.veg\n", "@:1: *INCLUDE is not supported: insert the included file here"),
  FILE_ROW(".inp", "", "@: the file is empty"),
  FILE_ROW(".inp", "node\n", "@:1: \"node\", expected a keyword such as *NODE"),
  FILE_ROW(".inp", "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", "@: the file has no *NODE lines"),
  FILE_ROW(".inp", "*NODE\n1, 0, 0, 0\nx, 0, 0, 0\n", "@:3: node number is \"x\", expected a whole number, 0 or more"),
  FILE_ROW(".inp", "*NODE\n1, 0, 1e999, 0\n", "@:2: node's y is \"1e999\", expected a finite number"),
  FILE_ROW(".inp", "*NODE\n1, 0, 0, 0\n", "node count is \"1\", expected 4 to"),
  FILE_ROW(".inp", "*INCLUDE, INPUT=b.inp\n", "@:1: *INCLUDE is not supported: write all nodes and elements into the"),
  FILE_ROW(".inp", INP_NODES "*ELEMENT\n1, 1, 2, 3, 4\n", "@:6: *ELEMENT needs the parameter TYPE"),
  FILE_ROW(".inp", INP_NODES "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n",
           "@:7: an element has only 3 of the 4 nodes of its type"),
  FILE_ROW(".inp", INP_NODES "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 5\n", "@:7: an element has more than the 4 nodes"),
  FILE_ROW(".inp", INP_NODES "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 9\n",
           "@:7: element 1 has the node 9, which the file does not define"),
  FILE_ROW(".inp", INP_NODES INP_TET "1, 2, 1, 3, 4\n", "@: two elements have the number 1"),
  FILE_ROW(".inp", INP_NODES "*ELEMENT, TYPE=C3D20\n1, 1,2,3,4,\n5\n", "@: no tetrahedra; the file has 1 hexahedron"),
  FILE_ROW(".inp", INP_NODES INP_TET "*NSET\n1\n", "@:8: *NSET needs NSET=NAME"),
  FILE_ROW(".inp", INP_NODES INP_TET "*NSET, NSET=\n1\n", "@:8: the name of a set has 0 characters, expected 1 to 127"),
  FILE_ROW(".inp", INP_NODES INP_TET "*NSET, NSET=a\n1, 8\n", "@:9: the set \"a\" has the node 8, which the file does"),
  FILE_ROW(".inp", INP_NODES INP_TET "*ELSET, ELSET=a\n3\n", "@:9: the set \"a\" has the element 3, which the file"),
  FILE_ROW(".inp", INP_NODES INP_TET "*ELSET, ELSET=a\nb\n", "@:9: the set \"b\" is not defined"),
  FILE_ROW(".inp", INP_NODES INP_TET "*ELSET, ELSET=a\na\n", "@:9: the set \"a\" contains itself"),
  FILE_ROW(".inp", INP_NODES INP_TET "*ELSET, ELSET=a\nb\n*ELSET, ELSET=b\n1\n",
           "@:9: the set \"b\" is not defined before line 11; move its definition up"),
  FILE_ROW(".inp", INP_NODES INP_TET "*ELSET, ELSET=b\n1\n*NSET, NSET=a\nb\n*NSET, NSET=b\n1\n",
           "@:11: the set \"b\" is not defined before line 13; move its definition up"),
  FILE_ROW(".inp", INP_NODES INP_TET "*ELSET, ELSET=b\n1\n*NSET, NSET=a\nb\n",
           "@:11: the set \"b\" has only elements or faces, but *NSET needs a set of nodes"),
  FILE_ROW(".inp", INP_NODES INP_TET "*NSET, NSET=b\n1\n*ELSET, ELSET=a\nb\n",
           "@:11: the set \"b\" has only nodes, but *ELSET or *SURFACE needs a set of elements"),
  FILE_ROW(".inp", INP_NODES INP_TET "*NSET, NSET=a, ELSET=b\n", "@:8: the set \"b\" is not defined"),
  FILE_ROW(".inp", INP_NODES INP_TET "*NSET, NSET=b\n1\n*NSET, NSET=a, ELSET=b\n",
           "@:10: the set \"b\" has only nodes, but *NSET with ELSET needs a set of elements"),
  FILE_ROW(".inp", INP_NODES INP_TET "*NSET, NSET=a, GENERATE\n3, 1\n", "@:9: last number is \"1\", expected a whole"),
  FILE_ROW(".inp", INP_NODES INP_TET "*NSET, NSET=a, GENERATE\n1, 3, 0\n", "@:9: step is \"0\", expected a whole"),
  FILE_ROW(".inp", INP_NODES INP_TET "*SURFACE, NAME=a\n1, S5\n",
           "@:9: a surface names face S5 of element 1, which has only the faces S1 to S4"),
  FILE_ROW(".inp", INP_NODES INP_TET "*SURFACE, NAME=a\n1, top\n",
           "@:9: the face of a surface is \"top\", expected S1 to S6"),
  FILE_ROW(".inp", "*PART, NAME=A\n" INP_NODES "*END PART\n*PART, NAME=B\n" INP_NODES,
           "@:9: the file has a second part with nodes, but Pliant reads only one; write each part to a file"),
  FILE_ROW(".inp", "*INSTANCE, NAME=A, PART=B\n1, 0, 0\n", "@:2: the instance is moved or rotated; use \"place\""),
  FILE_ROW(".inp", "*INSTANCE, NAME=A\n*END INSTANCE\n*INSTANCE, NAME=B\n",
           "@:3: the file has a second instance, but Pliant reads only one"),
  FILE_ROW(".veg", "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 nan\n",
           "@:6: vertex's coordinate is \"nan\", expected a finite number"),
  FILE_ROW(".veg", "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nHEX\n",
           "@:8: the elements have the type \"HEX\", expected TET or CUBIC"),
  FILE_ROW(".veg", "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 5 0\n1 1 2 3 4 5\n",
           "@:9: node count of an element is \"5\", expected 4"),
  FILE_ROW(".veg", "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nCUBIC\n1 8 0\n1 1 2 3 4 1 2\n",
           "@:10: the line ends, expected the number of a node of the element"),
  FILE_ROW(".veg",
           "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nCUBIC\n1 8 0\n1 1 2 3 4 1 2 3 9\n",
           "@:10: element 1 has the node 9, which the file does not define"),

  // ---- files compressed by gzip
  FILE_ROW(".msh.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0", "@: the file is empty"),
  FILE_ROW(".msh.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3\377\377\377\377", "@: cannot be read: "),
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

// Reads a file that must be refused. shown: the message, in which "@" replaces the file's path.
static void refuse(const char *ending, const char *content, size_t size, char shown[ERROR_LENGTH]) {
  char path[PATH_LENGTH], ignored[NOTICE_LENGTH];
  TetMesh mesh = { .node_count = -7 };
  Error error = { 0 };
  write_temporary(content, size, ending, path);
  Notices caught = catch_notices();
  bool ok = mesh_read(path, 1, &mesh, &error);
  take_notices(&caught, ignored);
  remove(path);
  if (ok) fail_msg("accepted: %s", content);
  assert_int_equal(mesh.node_count, -7);  // the reader has not changed the mesh
  size_t length = strlen(path);
  if (strcmp(ending, ".node") == 0) length -= 5;  // the path may be that of the .ele file
  if (strncmp(error.message, path, length) != 0) fail_msg("\"%s\" does not begin with the path", error.message);
  snprintf(shown, ERROR_LENGTH, "@%s", error.message + length);
}

static void malformed_files_are_refused_with_file_and_line(void **state) {
  (void)state;
  int wrong = 0;
  for (int k = 0; k < CASE_COUNT; k++) {
    char shown[ERROR_LENGTH];
    refuse(cases[k].ending, cases[k].content, cases[k].size, shown);
    if (strstr(shown, cases[k].message)) continue;
    print_error("\"%s\" is not in \"%s\"\n", cases[k].message, shown);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

static void a_range_of_one_number_is_shown_as_this_number(void **state) {
  (void)state;
  const char content[] = "MeshVersionFormatted 1\nDimension 2\n";
  char shown[ERROR_LENGTH];
  refuse(".mesh", content, sizeof content - 1, shown);
  assert_string_equal(shown, "@:2: dimension is \"2\", expected 3");
}

static void files_cut_off_anywhere_are_refused(void **state) {
  (void)state;
  static const char *const whole[] = { FORMAT_41 NODES_41 ELEMENTS_41, FORMAT_22 NODES_22 ELEMENTS_22 };
  for (int k = 0; k < 2; k++)
    // a file without its last line end is complete, so it is not tested
    for (size_t size = 0; size + 1 < strlen(whole[k]); size++) {
      char shown[ERROR_LENGTH];
      refuse(".msh", whole[k], size, shown);
    }
}

static void files_with_a_byte_changed_do_no_harm(void **state) {
  (void)state;
  static const char *const whole[] = { FORMAT_41 NODES_41 ELEMENTS_41, FORMAT_22 NODES_22 ELEMENTS_22 };
  static const char bytes[] = { '\0', '\n', ' ', '-', '$', '9', 'e', '\x80' };
  for (int k = 0; k < 2; k++) {
    char content[512];
    size_t size = strlen(whole[k]);
    assert_true(size <= sizeof content);
    for (size_t at = 0; at < size; at += 3)  // tries every third position only, since sanitizers are slow
      for (size_t b = 0; b < sizeof bytes; b++) {
        TetMesh mesh = { 0 };
        Error error = { 0 };
        memcpy(content, whole[k], size);
        content[at] = bytes[b];
        bool ok = read_content(content, size, &mesh, NULL, &error);
        assert_true(ok != (error.message[0] != 0));
        mesh_destroy(&mesh);
      }
  }
}

// Returns the error of reading this file. The test fails if the file is accepted.
static Error refused(const char *path) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  if (mesh_read(path, 1, &mesh, &error)) fail_msg("%s was accepted", path);
  return error;
}

static void files_that_would_fill_the_memory_are_refused(void **state) {
  (void)state;
  char path[PATH_LENGTH];

  // a small file that unpacks to 300 MiB of zeros
  enum { MEBIBYTE = 1 << 20 };
  static const char zeros[MEBIBYTE];
  write_temporary("", 0, ".msh.gz", path);
  gzFile packed = gzopen(path, "wb1");
  for (int k = 0; k < 300; k++) assert_int_equal(gzwrite(packed, zeros, MEBIBYTE), MEBIBYTE);
  gzclose(packed);
  assert_contains(refused(path).message, ".msh.gz: unpacks to more than 200 times its size");

  // a limit on memory set by the user
  setenv("PLIANT_MEMORY_MIB", "64", 1);
  assert_contains(refused(path).message, ".msh.gz: is larger than 16 MiB (a quarter of the free memory)");
  remove(path);

  // a large file is refused by its size, before it is read
  write_temporary("", 0, ".vtu", path);
  assert_int_equal(truncate(path, INT64_C(17) << 20), 0);
  assert_contains(refused(path).message, ".vtu: is larger than 16 MiB");
  unsetenv("PLIANT_MEMORY_MIB");
  assert_int_equal(truncate(path, INT64_C(1) << 40), 0);
  assert_contains(refused(path).message, " MiB");
  remove(path);
  assert_int_equal(symlink("/dev/zero", path), 0);
  assert_contains(refused(path).message, ".vtu: is a device, expected a file or a pipe");
  remove(path);
}

static void a_tag_or_comment_of_a_vtu_file_has_an_end(void **state) {
  (void)state;
  enum { LENGTH = 8 << 20 };
  static const char *const begins[] = { "<VTKFile type=\"UnstructuredGrid\" name=\"",
                                        "<VTKFile type=\"UnstructuredGrid\"><!--" };
  char *content = malloc(LENGTH), shown[ERROR_LENGTH];
  assert_non_null(content);
  for (int k = 0; k < 2; k++) {
    memset(content, 'a', LENGTH);
    memcpy(content, begins[k], strlen(begins[k]));
    refuse(".vtu", content, LENGTH, shown);
    assert_string_equal(shown, "@:1: a tag or a comment has more than 1048576 bytes, the limit");
  }
  free(content);
}

static void the_missing_half_of_a_tetgen_pair_is_named(void **state) {
  (void)state;
  char path[PATH_LENGTH];
  write_temporary("1 4 0\n1 1 2 3 4\n", 16, ".ele", path);
  char expected[2 * PATH_LENGTH], *dot = strrchr(path, '.');
  snprintf(expected, sizeof expected, "%s: the second file of this mesh, %.*s.node, cannot be opened: No such file",
           path, (int)(dot - path), path);
  assert_contains(refused(path).message, expected);
  remove(path);
  snprintf(expected, sizeof expected, "%s: No such file", path);
  assert_contains(refused(path).message, expected);
}

static void files_that_cannot_be_read_say_why(void **state) {
  (void)state;
  TetMesh mesh = { 0 };
  Error missing = { 0 }, folder = { 0 }, unknown = { 0 }, none = { 0 }, packed = { 0 };
  assert_false(mesh_read("/nowhere/at/all.msh", 1, &mesh, &missing));
  assert_string_equal(missing.message, "/nowhere/at/all.msh: No such file or directory");

  char path[64];
  snprintf(path, sizeof path, "/tmp/pliant_folder_%d.msh", (int)getpid());
  assert_int_equal(mkdir(path, 0700), 0);
  assert_false(mesh_read(path, 1, &mesh, &folder));
  assert_contains(folder.message, "is a folder, expected a file or a pipe");
  rmdir(path);

  assert_false(mesh_read("mesh.d/hand.obj", 1, &mesh, &unknown));
  assert_contains(unknown.message,
                  "mesh.d/hand.obj: is a surface, and Pliant needs tetrahedra; if it is closed, fill it");
  assert_false(mesh_read("mesh.msh/hand", 1, &mesh, &none));
  assert_contains(none.message, "mesh.msh/hand: the name of a mesh file must end with .msh .mesh");
  assert_contains(none.message, ".veg .inp, each also with .gz");
  assert_false(mesh_read("/nowhere/hand.msh.gz", 1, &mesh, &packed));
  assert_contains(packed.message, "/nowhere/hand.msh.gz: No such file");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(malformed_files_are_refused_with_file_and_line),
    cmocka_unit_test(a_range_of_one_number_is_shown_as_this_number),
    cmocka_unit_test(files_cut_off_anywhere_are_refused),
    cmocka_unit_test(files_with_a_byte_changed_do_no_harm),
    cmocka_unit_test(files_that_would_fill_the_memory_are_refused),
    cmocka_unit_test(a_tag_or_comment_of_a_vtu_file_has_an_end),
    cmocka_unit_test(the_missing_half_of_a_tetgen_pair_is_named),
    cmocka_unit_test(files_that_cannot_be_read_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
