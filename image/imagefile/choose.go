package imagefile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// Annotations with the name of an image in index.json: that of the OCI specification, which may
// have the tag alone, and that of containerd with the whole name.
const (
	refName   = "org.opencontainers.image.ref.name"
	imageName = "io.containerd.image.name"
)

// names returns the names of an entry of index.json.
func names(d v1.Descriptor) (all []string) {
	for _, key := range []string{refName, imageName} {
		if name := d.Annotations[key]; name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// tagOf returns the tag of a name, or the name if that is a tag.
func tagOf(name string) string {
	last := name[strings.LastIndexByte(name, '/')+1:]
	if _, tag, ok := strings.Cut(last, ":"); ok {
		return tag
	}
	return last
}

// isNamed reports whether an entry has a name, or a name with that tag.
func isNamed(d v1.Descriptor, name string) bool {
	return slices.ContainsFunc(names(d), func(n string) bool {
		return n == name || strings.HasSuffix(n, ":"+name) && tagOf(n) == name
	})
}

// cosignTag returns the tag of cosign by which an entry is found, or "".
func cosignTag(d v1.Descriptor) string {
	for _, n := range names(d) {
		if tag := tagOf(n); imagename.IsCosignTag(tag) {
			return tag
		}
	}
	return ""
}

// choose returns the entries that a reference names: without a name or digest, all.
func (l *layout) choose(ref Reference) ([]entry, error) {
	switch {
	case ref.Digest != v1.Hash{}:
		return l.byDigest(ref.Digest)
	case ref.Name != "":
		return l.byName(ref.Name)
	}
	return l.top, nil
}

func (l *layout) byDigest(h v1.Hash) ([]entry, error) {
	for e := range below(l.top) {
		if e.Digest != h {
			continue
		}
		if e.absent() {
			return nil, fmt.Errorf("index.json lists %s, whose bytes are not there: export the image whole", h)
		}
		return []entry{e}, nil
	}
	return nil, fmt.Errorf("index.json lists no %s: use the digest that the builder printed", h)
}

func (l *layout) byName(name string) ([]entry, error) {
	var found []entry
	var all []string
	for _, e := range l.top {
		same := func(o entry) bool { return o.Digest == e.Digest }
		if isNamed(e.Descriptor, name) && !slices.ContainsFunc(found, same) {
			found = append(found, e)
		}
		if cosignTag(e.Descriptor) == "" {
			all = append(all, names(e.Descriptor)...)
		}
	}
	switch {
	case len(found) == 1 && found[0].absent():
		return nil, fmt.Errorf("index.json lists %s as %.200q, and its bytes are not there: export the image whole",
			found[0].Digest, name)
	case len(found) == 1:
		return found, nil
	case len(found) > 1:
		return nil, fmt.Errorf("index.json lists two images as %.200q, %s and %s: use @DIGEST instead to name one",
			name, found[0].Digest, found[1].Digest)
	case len(all) == 0:
		return nil, errors.New("index.json names no image: omit the tag, or add @DIGEST")
	}
	return nil, fmt.Errorf("index.json lists no image as %.200q: use %s", name, quoted(all))
}

// quoted lists names, a few of many.
func quoted(names []string) string {
	const most = 5
	slices.Sort(names)
	names = slices.Compact(names)
	more := ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], fmt.Sprintf(", or one of %d others", n)
	}
	var all []string
	for _, n := range names {
		all = append(all, fmt.Sprintf("%.200q", n))
	}
	return strings.Join(all, ", ") + more
}
