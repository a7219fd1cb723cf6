// Package cache keeps what the go command compiles, on the local disk and in a repository of
// an OCI registry that several machines share.
//
// The package is a cache program of the go command (GOCACHEPROG, cmd/go/internal/cacheprog):
// [Serve] speaks the protocol, a [Cache] has the objects.
//
// The registry has one artifact for each toolchain and platform: an index, which maps actions to
// objects, and packs, blobs of a few MiB with the objects of one run after another, compressed.
// A pack is read completely, with one request, the first time that one of its objects is needed,
// since objects that are compiled together are needed together. So tens of thousands of objects are
// some dozen blobs, and no registry needs to support ranges.
//
// An object is named after the SHA-256 of its bytes. What a pack has is compared with that before
// it is used; one wrong object discards the pack, which counts as a miss. Who may write to the
// repository decides which object belongs to an action, so it must be as trusted as the sources.
//
// A registry that fails, or is slow for longer than a budget, is not asked again in this run, nor
// by other runs for a few minutes. Everything then is as with an empty cache.
package cache
