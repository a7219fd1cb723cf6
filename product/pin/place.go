package pin

import (
	"cmp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// place is a reference in a file.
type place struct {
	pos    yamlfile.Pos
	text   string // as written
	tag    name.Tag
	digest string // sha256:…; "" if there is none
	list   bool   // it is a line of images.txt
	locked bool   // its digest is in images.lock.yaml, since its file is not ours
	// tagOnly means that the reference stays without a digest, since it only names a line of
	// images.txt.
	tagOnly bool
	file    *file
}

// newPlace reads a reference, and returns nil for a text that is not one with a tag.
func newPlace(text string, pos yamlfile.Pos) *place {
	base, digest, _ := strings.Cut(text, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil || t.TagStr() == "" || output.Account(text) || strings.Contains(text, "://") {
		return nil
	}
	if digest != "" {
		if _, err := name.NewDigest(text); err != nil || !strings.HasPrefix(digest, "sha256:") {
			return nil
		}
	}
	return &place{pos: pos, text: text, tag: t, digest: digest}
}

// with returns the text of the reference with another tag and digest and, unless repository is "",
// in another repository.
func (p *place) with(repository, tag, digest string) string {
	text := cmp.Or(repository, strings.TrimSuffix(withoutDigest(p.text), ":"+p.tag.TagStr())) + ":" + tag
	if p.tagOnly && p.digest == "" {
		return text
	}
	return text + "@" + digest
}

func withoutDigest(text string) string {
	base, _, _ := strings.Cut(text, "@")
	return base
}

// file is a file with references in it.
type file struct {
	path  string // as messages show it
	full  string // absolute
	src   []byte
	plain bool // images.txt, not YAML
}
