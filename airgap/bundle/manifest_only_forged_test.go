package bundle_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// TestManifestOnlyForged: the manifest-only annotations of a bundle are compared with its contents.
func TestManifestOnlyForged(t *testing.T) {
	extent.Plain(t)
	t.Parallel()
	b, path := bundletest.PartFile(t, "windows/amd64:ltsc2025")
	good, h := bundletest.Headers(t, path), only2025(t, b)
	key := fmt.Sprintf("%q:\"", bundle.AnnotationManifestOnly)
	var index v1.IndexManifest
	if err := json.Unmarshal(b.Metadata()[b.Contents().Images[0].Digest()], &index); err != nil {
		t.Fatal(err)
	}
	saying := func(text string) func([]bundletest.Forged) []bundletest.Forged {
		return func(e []bundletest.Forged) []bundletest.Forged {
			e[2].Data = bytes.Replace(e[2].Data, []byte(key), []byte(key+text), 1)
			return e
		}
	}
	at := slices.IndexFunc(good, func(e bundletest.Forged) bool { return e.Name == bundletest.BlobName(h) })
	for name, c := range map[string]struct {
		forge func([]bundletest.Forged) []bundletest.Forged
		want  string
	}{
		"unchanged":  {saying(""), ""},
		"said twice": {saying(h.String() + " "), "is not in the form that slipway writes"},
		"no digest":  {saying("sha256:x "), "is not a digest of a manifest"},
		"no child":   {saying("sha256:" + strings.Repeat("0", 64) + " "), "its index lists no manifest sha256:000"},
		"not there": {
			saying(index.Manifests[4].Digest.String() + " "),
			"manifest " + index.Manifests[4].Digest.String() + " is not included",
		},
		"what it holds": {saying(index.Manifests[2].Digest.String() + " "), "includes none of its manifests"},
		"not said": {func(e []bundletest.Forged) []bundletest.Forged {
			e[2].Data = bytes.Replace(e[2].Data, []byte(".manifest-only"), []byte(".manifest-0nly"), 1)
			return e
		}, "configuration"},
		"damaged": {
			func(e []bundletest.Forged) []bundletest.Forged { e[at].Data[20] ^= 1; return e },
			"the bundle is damaged: the bytes of blob " + h.String(),
		},
		"missing": {func(e []bundletest.Forged) []bundletest.Forged {
			e[2].Data = bytes.Replace(e[2].Data, []byte(`bundle.metadata-blobs":"7"`),
				[]byte(`bundle.metadata-blobs":"6"`), 1)
			return slices.Delete(e, at, at+1)
		}, "manifest " + h.String() + " is not included"},
		"very many": {func(e []bundletest.Forged) []bundletest.Forged {
			var many strings.Builder
			for n := range 200_000 {
				fmt.Fprintf(&many, "sha256:%064x ", n)
			}
			return saying(many.String())(e)
		}, "its index lists no manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			path := bundletest.Write(t, bundletest.Forge(t, c.forge(bundletest.Clone(good))))
			_, err := bundle.Inspect(path)
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			r := bundletest.Verify(t, path, bundle.VerifyOptions{})
			if found := slices.ContainsFunc(r.Problems, func(p bundle.Problem) bool {
				return strings.Contains(p.What, c.want)
			}); c.want != "" && !found || c.want == "" && len(r.Problems) > 0 {
				t.Errorf("verifying it finds %v", r.Problems)
			}
		})
	}
}
