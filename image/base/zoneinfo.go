package base

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/image/layer"
)

// The time zones of the static base are the files of a package of Debian, as those of Google's
// distroless images are. Because they are part of this program, no toolchain and no machine decides
// which ones an image gets. TestDebian writes the archive with -update; then these follow.
const (
	// zoneinfoVersion is that of Debian's tzdata.
	zoneinfoVersion = "2026f-0+deb12u1"
	// zoneinfoSum is the SHA-256 of the archive.
	zoneinfoSum = "8b53b4b023b53b3efbe4b13cefdb6ee96501ca4ab11d817baa8dfa05e10d0b78"
	// zoneinfoDir is where the files go.
	zoneinfoDir = "/usr/share/zoneinfo"
)

//go:embed zoneinfo.tar.zst
var zoneinfoArchive []byte

// zoneinfo returns the directory with the time zones.
var zoneinfo = sync.OnceValue(func() []layer.Entry {
	all, err := readZoneinfo(zoneinfoArchive)
	if err != nil {
		panic(fmt.Sprintf("reading the time zones in this program: %v", err)) // as a damaged program does
	}
	return all
})

// IsZone reports whether an entry of a built-in base is made from tzdata.zi, the text that has all
// time zones.
func IsZone(e layer.Entry) bool {
	return strings.HasPrefix(e.Path, zoneinfoDir+"/") && e.Path != zoneinfoDir+"/tzdata.zi"
}

func readZoneinfo(archive []byte) ([]layer.Entry, error) {
	z, err := zstd.NewReader(bytes.NewReader(archive), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var all []layer.Entry
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		e := layer.Entry{Path: path.Join(zoneinfoDir, h.Name), Mode: fs.FileMode(h.Mode)} //nolint:gosec // of our own archive
		switch h.Typeflag {
		case tar.TypeDir:
			e.Type = layer.Dir
		case tar.TypeSymlink:
			e.Type, e.Linkname = layer.Symlink, h.Linkname
		default:
			text, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			e.Content = layer.Bytes(text)
		}
		all = append(all, e)
	}
}
