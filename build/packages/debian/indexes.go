package debian

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/archive"
)

// Index is a Packages file that a Release file names.
type Index struct {
	Component string
	Arch      string
	Path      string // below the directory of the Release file
	ByHash    string // where the same file is under its digest, or nothing
	Size      int64
	SHA256    string

	release string
	plain   *releaseFile // what it contains, if that is named too
}

// compressions are the suffixes of the files that Read can unpack.
var compressions = []string{"", ".xz", ".gz", ".bz2", ".zst"}

// Indexes returns the Packages files of some components for an architecture, each in the
// compression in which it is smallest. Without components the repository is flat.
func (r *Release) Indexes(components []string, arch string) ([]Index, error) {
	if len(components) == 0 {
		index, ok := r.index("", arch, "Packages")
		if !ok {
			return nil, fmt.Errorf("%s names no Packages file: correct the URL of the source", r.name)
		}
		return []Index{index}, nil
	}
	var found []Index
	for _, c := range components {
		if len(r.Components) > 0 && !slices.ContainsFunc(r.Components, func(have string) bool {
			return have == c || strings.HasSuffix(have, "/"+c)
		}) {
			return nil, fmt.Errorf("%s has no component %s: use %s", r.name, c, strings.Join(r.Components, ", "))
		}
		index, ok := r.index(c, arch, path.Join(c, "binary-"+arch, "Packages"))
		if !ok && len(r.Architectures) > 0 && !slices.Contains(r.Architectures, arch) {
			return nil, fmt.Errorf("%s has no packages for %s: it is for %s", r.name, arch,
				strings.Join(r.Architectures, ", "))
		}
		if ok {
			found = append(found, index)
		}
		if !r.noAll && slices.Contains(r.Architectures, "all") {
			if index, ok := r.index(c, "all", path.Join(c, "binary-all", "Packages")); ok {
				found = append(found, index)
			}
		}
		if !ok && (len(found) == 0 || found[len(found)-1].Component != c) {
			return nil, fmt.Errorf("%s names no Packages file of %s for %s: use another component", r.name, c, arch)
		}
	}
	return found, nil
}

// index returns the smallest compression of a file.
func (r *Release) index(component, arch, name string) (Index, bool) {
	best := Index{Size: -1}
	for _, suffix := range compressions {
		f, ok := r.files[name+suffix]
		if !ok || best.Size >= 0 && f.size >= best.Size {
			continue
		}
		best = Index{
			Component: component, Arch: arch, Path: name + suffix, Size: f.size, SHA256: f.sha256, release: r.name,
		}
	}
	if best.Size < 0 {
		return Index{}, false
	}
	if plain, ok := r.files[name]; ok {
		best.plain = &plain
	}
	if r.byHash {
		best.ByHash = path.Join(path.Dir(best.Path), "by-hash", "SHA256", best.SHA256)
	}
	return best, true
}

// maxIndex bounds the size of an unpacked index whose size is not known. Debian's largest has
// 60 MB.
const maxIndex = 1 << 30

// Read checks the bytes of an index against its size and digest, and unpacks them.
func (i Index) Read(data []byte) (string, error) {
	if int64(len(data)) != i.Size {
		return "", fmt.Errorf("%s has %d bytes, and %s says %d: try again, or use another mirror",
			i.Path, len(data), i.release, i.Size)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != i.SHA256 {
		return "", fmt.Errorf("%s has the digest sha256:%x, and %s says sha256:%s: try again, or use another mirror",
			i.Path, sum, i.release, i.SHA256)
	}
	limit := int64(maxIndex)
	if i.plain != nil {
		limit = min(limit, i.plain.size)
	}
	r, err := archive.Decompress(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("unpacking %s: %w", i.Path, err)
	}
	defer r.Close()
	var b strings.Builder
	if i.plain != nil {
		b.Grow(int(limit))
	}
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	if err != nil {
		return "", fmt.Errorf("unpacking %s: %w", i.Path, err)
	}
	if n > limit || i.plain != nil && n != limit {
		return "", fmt.Errorf("%s has another size unpacked than %s says: use another mirror", i.Path, i.release)
	}
	return b.String(), nil
}
