package audit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
)

// TestAmbiguousNames: two images of one name are two for two readers, in either document; two names
// of one image, and the signatures that hauler gives the name of their image, are not.
func TestAmbiguousNames(t *testing.T) {
	const (
		app, other = "docker.io/library/app:1", "docker.io/library/other:1"
		imageName  = "io.containerd.image.name"
		refName    = "org.opencontainers.image.ref.name"
	)
	for name, tc := range map[string]struct {
		key, second string // an annotation of the second image, and its value
		want        bool
	}{
		"two":         {imageName, other, false},
		"one":         {imageName, app, true},
		"in short":    {refName, "app:1", true},
		"a signature": {"kind", "dev.cosignproject.cosign/sigs", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := archivetest.Layout(t, map[string]mutate.Appendable{
				app:   indextest.Image(t, "linux/amd64", types.OCIManifestSchema1),
				other: indextest.Image(t, "linux/amd64", types.OCIManifestSchema1),
			})
			file := filepath.Join(dir, "index.json")
			raw, err := os.ReadFile(file)
			must(t, err)
			var top v1.IndexManifest
			must(t, json.Unmarshal(raw, &top))
			at := slices.IndexFunc(top.Manifests, func(d v1.Descriptor) bool { return d.Annotations[imageName] == other })
			top.Manifests[at].Annotations = map[string]string{imageName: app}
			if tc.key != "kind" {
				delete(top.Manifests[at].Annotations, imageName)
			}
			top.Manifests[at].Annotations[tc.key] = tc.second
			raw, err = json.Marshal(top)
			must(t, err)
			must(t, os.WriteFile(file, raw, 0o600))
			for _, arg := range []string{dir, archivetest.Pack(t, dir, "tar")} {
				if is := slices.Contains(found(t, arg), "error archive-ambiguous"); is != tc.want {
					t.Errorf("%s has %s", arg, found(t, arg))
				}
			}
		})
	}
}
