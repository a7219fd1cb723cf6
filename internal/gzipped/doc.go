// Package gzipped writes gzip files from blocks that several cores deflate, and reads gzip files
// that may be hostile.
//
// A file is one member (RFC 1952): a header without name and time, deflate blocks (RFC 1951), the
// CRC-32 and the size of all. As with pigz, each part of the contents that [Deflate] makes is
// deflated without what precedes it, and ends with an empty stored block, so that the next one
// begins at a byte. Package image/deflate makes others. Parts that are compressed already are
// stored, which costs 5 bytes in 65,535. Not pigz's is that the parts are as large as the frames of
// package seekable, so that they need no dictionary.
//
// Decoders differ in what may follow the first member: another member, zeros, anything. [Reader]
// takes nothing there.
package gzipped
