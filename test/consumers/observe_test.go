package consumers

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/platform"
)

// sight is what a consumer turned out to have of one bundle: a row of the page.
type sight struct {
	tags, pins count
	kinds      map[string]bool
	platforms  map[string]bool
	ran        count
}

// count is how many of how many.
type count struct{ n, of int }

func (c *count) add(ok bool) {
	c.of++
	if ok {
		c.n++
	}
}

// name notes by what digests the consumer knows an image under its tag and under
// repository@digest; empty where it does not know the name.
func (s *sight) name(t *testing.T, i image, p platform.Platform, byTag, byDigest string) {
	t.Helper()
	s.tags.add(byTag != "")
	s.pins.add(byDigest != "")
	for _, d := range []string{byTag, byDigest} {
		if d != "" {
			s.digest(t, i, p, d)
		}
	}
}

// digest notes what a digest that a consumer shows for an image is the digest of.
func (s *sight) digest(t *testing.T, i image, p platform.Platform, d string) {
	t.Helper()
	child, ok := i.child(t, p)
	var kind string
	switch {
	case d == i.digest.String():
		kind = "as pinned"
	case ok && d == child.Digest.String():
		kind = "the platform's"
	case ok && d == child.Config.String():
		kind = "image ID"
	case i.children == nil:
		return // the lock does not list the manifests of a third-party index
	default:
		t.Errorf("%s is %s, which is neither its digest %s nor that of its manifest %s or configuration %s",
			i.name, d, i.digest, child.Digest, child.Config)
		return
	}
	if s.kinds == nil {
		s.kinds = map[string]bool{}
	}
	s.kinds[kind] = true
}

// has notes that a consumer has all of an image for a platform.
func (s *sight) has(p string) {
	if s.platforms == nil {
		s.platforms = map[string]bool{}
	}
	s.platforms[p] = true
}

// record puts what was seen into the table.
func (s *sight) record(t *testing.T, consumer, call string, r release, b packedBundle) {
	t.Helper()
	if t.Failed() {
		return
	}
	names := "none"
	switch {
	case s.tags.n < s.tags.of && s.tags.n > 0 || s.pins.n < s.pins.of && s.pins.n > 0:
		names = fmt.Sprintf("tags %d of %d, digests %d of %d", s.tags.n, s.tags.of, s.pins.n, s.pins.of)
	case s.tags.n > 0 && s.pins.n > 0:
		names = "tag, digest"
	case s.tags.n > 0:
		names = "tag"
	case s.pins.n > 0:
		names = "digest"
	}
	container := "–"
	switch {
	case s.ran.of > 0 && s.ran.n == s.ran.of:
		container = "starts"
	case s.ran.of > 0:
		container = fmt.Sprintf("%d of %d start", s.ran.n, s.ran.of)
	}
	nodes.Record(t, consumer, code(call), b.kind(), names, orDash(sorted(s.kinds)), s.arrived(t, r, b), container)
}

// arrived says which platforms came, by what the bundle is for.
func (s *sight) arrived(t *testing.T, r release, b packedBundle) string {
	t.Helper()
	all := map[string]bool{}
	for _, i := range r.lock.Images {
		for _, c := range i.Children {
			all[c.Platform.String()] = true
		}
	}
	own := len(s.platforms) == 1
	for p := range s.platforms {
		own = own && platform.Same(parse(t, p), b.target())
	}
	switch {
	case own && !b.platform.IsZero():
		return "its own"
	case b.platform.IsZero() && maps.Equal(all, s.platforms):
		return "all"
	}
	return orDash(sorted(s.platforms))
}

// refused records what ctr says where it does not take a bundle.
func refused(t *testing.T, consumer, call string, b packedBundle, said string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(said), "\n")
	_, said, _ = strings.Cut(lines[len(lines)-1], "ctr: ")
	said = regexp.MustCompile(`sha256:[0-9a-f]{64}`).ReplaceAllString(said, "sha256:…")
	nodes.Record(t, consumer, code(call), b.kind(), "refused: "+said, "–", "–", "–")
}

func code(s string) string { return "`" + s + "`" }

func orDash(list []string) string {
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}

// kind is what a bundle is for, as the page has it.
func (b packedBundle) kind() string {
	switch {
	case b.platform.IsZero():
		return "all platforms"
	case b.platform.OS == platform.Windows && !b.exact:
		return "each Windows release"
	}
	return b.platform.String()
}

// label names a bundle in tests.
func (b packedBundle) label() string { return strings.TrimSuffix(filepath.Base(b.path), ".tar.zst") }
