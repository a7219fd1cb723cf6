// Package seekable reads and writes zstd files that can be read from any place on, in the format
// of https://github.com/facebook/zstd/blob/dev/contrib/seekable_format.
//
// Such a file is a sequence of zstd frames that are independent of each other. A table at its end
// has the size and the checksum of each. The table is in a skippable frame, which other decoders
// ignore, so that zstd itself decompresses the file.
//
// The file may be untrusted. Most programs decompress it from its start and ignore the table, so
// reading by the table must give the same bytes: every byte of the file belongs to one entry
// of the table, and every entry is one frame that has the size in the table. Frames are
// decompressed as a stream, and no window is above [MaxWindow]. A file of one frame without a
// table can be read, from its start only.
package seekable
