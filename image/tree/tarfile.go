package tree

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/archive"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/store"
)

// tarEntry has the parts of a tar header by which the file is found again in the uncompressed tar,
// recorded as JSON.
type tarEntry struct {
	Kind     layer.Type  `json:"kind,omitempty"`
	Odd      string      `json:"odd,omitempty"`
	Mode     fs.FileMode `json:"mode"`
	UID      int         `json:"uid,omitempty"`
	GID      int         `json:"gid,omitempty"`
	Link     string      `json:"link,omitempty"`
	Offset   int64       `json:"offset,omitempty"`
	Size     int64       `json:"size,omitempty"`
	Name     string      `json:"name"`
	Hardlink bool        `json:"hardlink,omitempty"`
	SHA256   string      `json:"sha256,omitempty"` // of the content, in hex
	// the value of the extended attribute security.capability
	Capability []byte `json:"capability,omitempty"`
	// Name and Link in records where one of them is not UTF-8, which JSON does not have
	RawName []byte `json:"rawName,omitempty"`
	RawLink []byte `json:"rawLink,omitempty"`
}

// header reads a tar header whose content begins at offset.
func header(h *tar.Header, offset int64) tarEntry {
	const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	e := tarEntry{
		Name: h.Name, Mode: h.FileInfo().Mode() & (fs.ModePerm | special), UID: h.Uid,
		GID: h.Gid, Link: h.Linkname, Offset: offset, Size: h.Size,
	}
	switch h.Typeflag {
	case tar.TypeReg:
		e.Capability = []byte(h.PAXRecords[layer.CapabilityRecord])
	case tar.TypeDir:
		e.Kind = layer.Dir
	case tar.TypeSymlink:
		e.Kind, e.Mode = layer.Symlink, 0o777
	case tar.TypeLink:
		e.Hardlink = true
	case tar.TypeGNUSparse:
		e.Odd = "a sparse file"
	default:
		e.Odd = "a device or pipe"
	}
	if _, ok := h.PAXRecords["GNU.sparse.major"]; ok {
		e.Odd = "a sparse file"
	}
	return e
}

// windows takes over what only the PAX records of a Windows layer state
// (github.com/Microsoft/go-winio/backuptar): Microsoft's own layers have no permissions, and the
// targets of their links are paths of Windows.
func (e *tarEntry) windows(h *tar.Header) {
	const readOnly = 0x1
	attr, err := strconv.ParseUint(h.PAXRecords["MSWINDOWS.fileattr"], 10, 32)
	if err != nil {
		return
	}
	if e.Kind == layer.Symlink {
		e.Link = fromWindows(e.Link)
	}
	switch {
	case e.Mode.Perm() != 0:
	case e.Kind == layer.Dir:
		e.Mode |= 0o755
	case attr&readOnly != 0:
		e.Mode |= 0o444
	default:
		e.Mode |= 0o644
	}
}

// fromWindows turns the target of a link into a path of the tree: the system drive is its root.
func fromWindows(link string) string {
	link = strings.ReplaceAll(link, `\`, "/")
	for _, prefix := range []string{"//?/", "/??/"} {
		link = strings.TrimPrefix(link, prefix)
	}
	if len(link) >= 2 && (link[0]|0x20) == 'c' && link[1] == ':' {
		return path.Clean("/" + link[2:])
	}
	return link
}

// empty is the content of an empty file.
var empty = layer.Bytes(nil)

// node returns the entry as a file whose content is in an uncompressed tar that the store keeps;
// file reports where.
func (e tarEntry) node(st *store.Store, file func() (string, error)) *Node {
	return &Node{
		Kind: e.Kind, Odd: e.Odd, Mode: e.Mode, UID: e.UID, GID: e.GID, Link: e.Link, size: e.Size,
		Capability: string(e.Capability),
		Content: func() (layer.Content, error) {
			if e.Size == 0 {
				return empty, nil // nothing is opened for it
			}
			h := v1.Hash{Algorithm: "sha256", Hex: e.SHA256}
			return layer.Content{Digest: h, Size: e.Size, Open: func() (io.ReadCloser, error) {
				name, err := file()
				if err != nil {
					return nil, err
				}
				return st.OpenKeptPart(name, e.Offset, e.Size, h)
			}}, nil
		},
	}
}

// maxPath bounds names in archives, as Linux does. Each directory of a name is looked up.
const maxPath = 4096

// scan calls do for every file of an uncompressed tar, with the offset and the digest of its
// content, and reads to the end, where a reader compares the bytes with a digest.
func scan(ctx context.Context, r io.Reader, do func(e tarEntry, h *tar.Header) error) error {
	c := &counter{r: bufio.NewReaderSize(progress.Reader(ctx, r, nil), 1<<16)}
	t := tar.NewReader(c)
	sum, buf := sha256.New(), make([]byte, 1<<15) // an archive may have a million small files
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading archive: %w", archive.Damaged(err))
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		if longest := max(len(h.Name), len(h.Linkname)); longest > maxPath {
			return fmt.Errorf("reading archive: it has a file whose name or link has %d bytes, "+
				"and no system takes more than %d: make the archive again without it", longest, maxPath)
		}
		e := header(h, c.n)
		switch {
		case e.Kind != layer.Regular || e.Odd != "" || e.Hardlink:
		case e.Size == 0:
			e.SHA256 = empty.Digest.Hex // without a buffer for each
		default:
			sum.Reset()
			if _, err := io.CopyBuffer(sum, t, buf); err != nil {
				return fmt.Errorf("reading archive: %s: %w", h.Name, archive.Damaged(err))
			}
			e.SHA256 = oci.Sum(sum).Hex
		}
		if err := do(e, h); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, c); err != nil {
		return fmt.Errorf("reading archive: %w", archive.Damaged(err))
	}
	return nil
}

// counter counts the bytes read, and cannot seek, so that the tar reader reads what it skips.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
