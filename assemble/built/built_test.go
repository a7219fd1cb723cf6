package built_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

func result() *built.Result {
	child := lock.Child{
		Platform:  platform.Platform{OS: "linux", Architecture: "amd64"},
		MediaType: types.OCIManifestSchema1, Digest: storetest.MadeUpDigest(2),
		Size: 3, Config: storetest.MadeUpDigest(3),
	}
	return &built.Result{
		BuildVersion: stagefile.Build.Version, Name: "demo", Version: "1.0.0",
		Created: time.Date(2025, 1, 16, 21, 57, 50, 0, time.UTC), Selected: []string{"linux/amd64"},
		Sources: []lock.Source{},
		Images: []built.Image{{
			Name: "app", Kind: "go", MediaType: types.OCIImageIndex,
			Digest: storetest.MadeUpDigest(1), Size: 2, Children: []lock.Child{child},
		}},
	}
}

func TestRoundTrip(t *testing.T) {
	path, want := filepath.Join(t.TempDir(), stagefile.Build.Name), result()
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := built.Read(path)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if i, ok := got.Image("app"); !ok || i.Digest != storetest.MadeUpDigest(1) {
		t.Errorf("image app is %+v, %v", i, ok)
	}
	if _, ok := got.Image("other"); ok {
		t.Error("there is an image other")
	}
}

// TestReadFaults reads results that publish could not use.
func TestReadFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), stagefile.Build.Name)
	if err := result().Write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	one, two := storetest.MadeUpDigest(1).String(), storetest.MadeUpDigest(2).String()
	for old, change := range map[string]struct{ to, want string }{
		`"digest": "` + one + `",`: {"", `image "app": the digest is missing`},
		`"digest": "` + two + `",`: {"", `image "app": `},
		`linux/amd64`:              {"linux", `not what slipway stage build made`},
	} {
		changed := strings.ReplaceAll(string(text), old, change.to)
		if changed == string(text) {
			t.Fatalf("no %s in\n%s", old, text)
		}
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := built.Read(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") ||
			!strings.Contains(err.Error(), change.want) {
			t.Errorf("without %s: %v", old, err)
		}
	}
}
