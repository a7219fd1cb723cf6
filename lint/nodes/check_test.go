package nodes_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render/workload"
)

var update = flag.Bool("update", false, "write the golden files anew")

func hash(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }

// parse reads a platform as a lock has it.
func parse(s string) (p platform.Platform) {
	if err := p.UnmarshalText([]byte(s)); err != nil {
		panic(err)
	}
	return p
}

// image makes an image of the lock; the digest of its index is c, those of its children 1, 2, ….
func image(name, c string, platforms ...string) lock.Image {
	i := lock.Image{Name: name, Repository: "registry.example/" + name, Tags: []string{"1"}, Digest: hash(c)}
	for n, p := range platforms {
		i.Children = append(i.Children, lock.Child{Platform: parse(p), Digest: hash(string(rune('1' + n)))})
	}
	return i
}

// release is the lock that every case is held against.
func release() *lock.Lock {
	return &lock.Lock{
		Images: []lock.Image{
			image("web", "a", "linux/amd64"),
			image("tool", "b", "linux/amd64", "windows/amd64:10.0.26100.32370", "windows/amd64:10.0.20348.4773",
				"windows/amd64:10.0.17763.8389"),
			image("old", "c", "windows/amd64:10.0.17763.8389"),
			image("small", "d", "linux/arm64", "linux/arm/v7"),
		},
		ThirdParty: []lock.ThirdParty{
			{
				Reference: "registry.k8s.io/pause:3.10", Digest: hash("e"),
				Platforms: []platform.Platform{{OS: "linux", Architecture: "amd64"}, {
					OS:           "windows",
					Architecture: "amd64", OSVersion: "10.0.20348.1",
				}, {OS: "windows", Architecture: "arm64"}},
			},
			{Reference: "registry.k8s.io/other:1", Omitted: "no network"},
		},
	}
}

// TestCheck holds the cases of testdata/check, each a manifest and nodes, to the table that is
// kept beside them. What is the same for all is in a case of its own, so that the others show
// pods only.
func TestCheck(t *testing.T) {
	files, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d cases: %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			part := func(name string) []byte {
				n := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
				if n < 0 {
					t.Fatalf("%s has no %s", path, name)
				}
				return a.Files[n].Data
			}
			objects, err := workload.Read("release.yaml", part("release.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			list, err := nodes.Read("nodes.json", part("nodes.json"))
			if err != nil {
				t.Fatal(err)
			}
			l := release()
			r := nodes.Check([]nodes.Source{{Objects: objects}}, l, list)
			if !strings.Contains(path, "images") {
				r.Images = nil
			}
			var got bytes.Buffer
			if err := r.WriteTable(&got); err != nil {
				t.Fatal(err)
			}
			for _, err := range r.Unmet() {
				got.WriteString(err.Error() + "\n")
			}
			if *update {
				a.Files[len(a.Files)-1] = txtar.File{Name: "table", Data: got.Bytes()}
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(part("table")), got.String()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestEveryPair holds every LTSC image against every LTSC node: what package platform says, the
// report says.
func TestEveryPair(t *testing.T) {
	for _, host := range platform.LTSC {
		for _, release := range platform.LTSC {
			text := `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"nodeInfo":
				{"operatingSystem": "windows", "architecture": "amd64", "kernelVersion": "` + host.Version + `.1"}}}`
			list, err := nodes.Read("nodes.json", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			r := nodes.Check(nil,
				&lock.Lock{Images: []lock.Image{image("a", "a", "windows/amd64:"+release.Version+".99")}}, list)
			want := platform.Runs(platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: host.Version},
				platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: release.Version})
			if got := r.Images[0].Verdicts[0]; got.Runs != want || !want && got.Reasons[0].Kind != "windows-build" {
				t.Errorf("a node of %s runs an image of %s: %+v, want %v", host.Name, release.Name, got, want)
			}
		}
	}
}

// TestFeatures has images that need a feature which nodes do not report.
func TestFeatures(t *testing.T) {
	list, err := nodes.Read("nodes.json", []byte(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
		"status": {"nodeInfo": {"operatingSystem": "linux", "architecture": "amd64"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r := nodes.Check(nil, &lock.Lock{Images: []lock.Image{
		image("only", "a", "linux(+erofs)/amd64"), image("both", "b", "linux(+erofs)/amd64", "linux/amd64"),
		image("variant", "c", "linux/amd64/v2"), image("other", "d", "linux(+erofs)/arm64"),
	}}, list)
	for n, want := range []string{"os-features", "", "", "architecture"} {
		got := r.Images[n].Verdicts[0]
		if got.Runs != (want == "") || want != "" && got.Reasons[0].Kind != want {
			t.Errorf("%s: %+v, want %q", r.Images[n].Name, got, want)
		}
	}
}

// TestJSON holds the report that scripts read.
func TestJSON(t *testing.T) {
	a, err := txtar.ParseFile("testdata/check/windows.txtar")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := workload.Read("release.yaml", a.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	list, err := nodes.Read("nodes.json", a.Files[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(nodes.Check([]nodes.Source{{Objects: objects}}, release(), list), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/report.json"
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
