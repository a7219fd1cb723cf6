// Package seekable reads and writes zstd files that can be read from any place on, in the format
// of https://github.com/facebook/zstd/blob/dev/contrib/seekable_format.
//
// Such a file is a sequence of zstd frames that are independent of each other. A table at its end
// has the size and the checksum of each. The table is in a skippable frame, which other decoders
// ignore, so that zstd itself decompresses the file.
//
// The file may come from anybody: the table is checked against the file, frames are decompressed as
// a stream, and no window is above [MaxWindow]. A file without a table can be read, from its start
// only.
package seekable
