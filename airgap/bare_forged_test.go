package airgap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestBareForged: what a bundle says of bare manifests is held against what it has.
func TestBareForged(t *testing.T) {
	t.Parallel()
	b := part(t, "windows/amd64:ltsc2025")
	good, h := headers(t, b.closer.(*os.File).Name()), bare2025(t, b)
	key := fmt.Sprintf("%q:\"", annotationBare)
	var index v1.IndexManifest
	if err := json.Unmarshal(b.head.blobs[b.contents.Images[0].Digest], &index); err != nil {
		t.Fatal(err)
	}
	saying := func(text string) func([]forged) []forged {
		return func(e []forged) []forged {
			e[2].data = bytes.Replace(e[2].data, []byte(key), []byte(key+text), 1)
			return e
		}
	}
	at := slices.IndexFunc(good, func(e forged) bool { return e.Name == blobName(h) })
	for name, c := range map[string]struct {
		forge func([]forged) []forged
		want  string
	}{
		"unchanged":  {saying(""), ""},
		"said twice": {saying(h.String() + " "), ""},
		"before its format": {func(e []forged) []forged {
			e[2].data = bytes.Replace(e[2].data, []byte(`bundle.format":"2"`), []byte(`bundle.format":"1"`), 1)
			return e
		}, "it has bare manifests, which there are since format 2"},
		"no digest":     {saying("sha256:x "), "is no digest of a manifest"},
		"no child":      {saying("sha256:" + strings.Repeat("0", 64) + " "), "its index has no manifest sha256:000"},
		"not there":     {saying(index.Manifests[4].Digest.String() + " "), "manifest " + index.Manifests[4].Digest.String() + " is not in the bundle"},
		"what it holds": {saying(index.Manifests[2].Digest.String() + " "), "holds none of its manifests"},
		"not said": {func(e []forged) []forged {
			e[2].data = bytes.Replace(e[2].data, []byte(".bare"), []byte(".bear"), 1)
			return e
		}, "configuration"},
		"damaged": {func(e []forged) []forged { e[at].data[20] ^= 1; return e }, "the bundle is damaged: the bytes of blob " + h.String()},
		"missing": {func(e []forged) []forged {
			e[2].data = bytes.Replace(e[2].data, []byte(`bundle.head":"7"`), []byte(`bundle.head":"6"`), 1)
			return slices.Delete(e, at, at+1)
		}, "manifest " + h.String() + " is not in the bundle"},
		"very many": {func(e []forged) []forged {
			var many strings.Builder
			for n := range 200_000 {
				fmt.Fprintf(&many, "sha256:%064x ", n)
			}
			return saying(many.String())(e)
		}, "its index has no manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, forge(t, c.forge(clone(good))))
			_, err := Inspect(path)
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			r := verify(t, path, VerifyOptions{})
			if found := slices.ContainsFunc(r.Problems, func(p Problem) bool { return strings.Contains(p.What, c.want) }); c.want != "" && !found || c.want == "" && len(r.Problems) > 0 {
				t.Errorf("verifying it finds %v", r.Problems)
			}
		})
	}
}
