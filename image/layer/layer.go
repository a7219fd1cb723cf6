// Package layer writes image layers: one streaming pass from the files to a compressed blob in
// the store.
//
// A layer is a list of entries, the same for Linux and Windows; the writer puts them into the
// form the system reads. For Linux that is a plain tar. For Windows everything lies under Files/
// next to an empty Hives/, and PAX records have the security descriptor and the file attributes
// (MSWINDOWS.rawsd, MSWINDOWS.fileattr), as github.com/Microsoft/hcsshim/pkg/ociwclayer and
// github.com/Microsoft/go-winio/backuptar read them.
//
// Equal entries give equal bytes: entries are sorted, parent directories are added, and times are
// those the caller names.
package layer

import (
	"io"
	"io/fs"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Type is the type of an entry.
type Type uint8

// The types of an entry.
const (
	Regular  Type = iota
	Dir           // an explicit directory; parents of other entries need none
	Symlink       // Linkname is the target, as the link has it
	Hardlink      // Linkname is the absolute path of another entry of the same layer
	Whiteout      // removes what lower layers have at the path
)

// Entry is one file of a layer.
type Entry struct {
	Path     string // absolute, slash-separated, clean: "/cnb/process/build-init"; on Windows without a drive letter
	Type     Type
	Mode     fs.FileMode // permission bits and setuid, setgid, sticky
	UID, GID int         // Linux only
	Linkname string
	// Capability is the extended attribute security.capability of a regular file, as Linux stores
	// it; empty for none. A hard link has that of its target.
	Capability string
	// ModTime of the entry; zero means Options.ModTime.
	ModTime time.Time
	// Content of a regular file.
	Content Content
}

// Content is the content of a regular file. Open is called at most once per layer; a reader that
// gives more or fewer than Size bytes is an error.
type Content struct {
	// sha256 of the bytes: entries with equal digests need not be read again to know the layer
	Digest v1.Hash
	Size   int64 // bytes
	Open   func() (io.ReadCloser, error)
}

// Compression of a layer.
type Compression string

// The compressions that OCI image layers have.
const (
	Gzip Compression = "gzip"
	Zstd Compression = "zstd"
)

// Options configure how a layer is written. The zero value writes a gzip layer for Linux.
type Options struct {
	OS          string // "linux" (also for "") or "windows"
	Compression Compression
	// of entries without one, also of added parent directories; zero is 1970-01-01
	ModTime time.Time
	// Series names layers that follow one another, such as those of an image for one platform:
	// what has not changed since the last one is not compressed again. Bytes do not depend on it.
	Series string
}

// Layer is a layer in the store.
type Layer struct {
	MediaType types.MediaType `json:"mediaType"`
	Digest    v1.Hash         `json:"digest"` // of the compressed blob
	Size      int64           `json:"size"`   // bytes of the compressed blob
	DiffID    v1.Hash         `json:"diffID"` // of the uncompressed tar
	// Seconds of a processor that it takes to write the layer with an empty store. Blocks of
	// another layer count with the time that they took then.
	Seconds float64 `json:"seconds,omitempty"`
}

// Epoch is the modification time of files in our layers: one second after 1980 began, as the
// Cloud Native Buildpacks set it. Every version of a product has the same, so that an unchanged
// program keeps its layer's digest; not zero, since zip tools and Windows explorers show such times
// as errors.
var Epoch = time.Date(1980, time.January, 1, 0, 0, 1, 0, time.UTC)
