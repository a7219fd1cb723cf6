package promote_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/publish/promote"
)

func digest(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }

// listed is a lock of two images that share a repository, and one of its own.
func listed() *lock.Lock {
	const at = "gcr.io/k8s-staging-sig-storage"
	image := func(name string, h v1.Hash, tags ...string) lock.Image {
		return lock.Image{Name: name, Repository: at + "/" + name, Digest: h, Tags: tags}
	}
	plugin, hostProcess := image("smbplugin", digest("a"), "v1.21.0"),
		image("smbplugin", digest("b"), "v1.21.0-windows-hp")
	plugin.PlatformTags = []lock.PlatformTag{{Tag: "v1.21.0-linux-amd64", Digest: digest("c")}}
	plugin.FloatingTags = []lock.FloatingTag{{Tag: "latest", Repository: plugin.Repository}}
	return &lock.Lock{
		Release: lock.Release{Name: "smb", Version: "v1.21.0", Registry: at},
		Images:  []lock.Image{plugin, hostProcess, image("livenessprobe", digest("d"), "v2.0.0")},
	}
}

const asKpromo = `- name: livenessprobe
  dmap:
    "sha256:dddd": ["v2.0.0"]
- name: smbplugin
  dmap:
    "sha256:aaaa": ["v1.21.0"]
    "sha256:cccc": ["v1.21.0-linux-amd64"]
    "sha256:bbbb": ["v1.21.0-windows-hp"]
`

// TestImagesYAML writes a new file, adds to one with older releases, and changes nothing the second
// time.
func TestImagesYAML(t *testing.T) {
	long := func(s string) string {
		for _, c := range "abcdef" {
			s = strings.ReplaceAll(s, "sha256:"+strings.Repeat(string(c), 4)+`"`, digest(string(c)).String()+`"`)
		}
		return s
	}
	for name, tt := range map[string]struct{ before, after, err string }{
		"new":   {after: asKpromo},
		"again": {before: asKpromo, after: asKpromo},
		"older": {
			before: "# Do not edit.\n\n# Ask sig-storage.\n- name: zebra\n  dmap: {}\n- name: " +
				"smbplugin # moved\n  dmap:\n    \"sha256:eeee\": [\"v1.9.0\", \"v1.10.0\"]\n    \"sha256:aaaa\": " +
				"[\"stable\"]\n- name: livenessprobe\n  dmap: {\"sha256:ffff\": []}\n",
			after: `# Do not edit.

# Ask sig-storage.
- name: livenessprobe
  dmap:
    "sha256:ffff": []
    "sha256:dddd": ["v2.0.0"]
- name: smbplugin
  dmap:
    "sha256:aaaa": ["stable","v1.21.0"]
    "sha256:eeee": ["v1.10.0","v1.9.0"]
    "sha256:cccc": ["v1.21.0-linux-amd64"]
    "sha256:bbbb": ["v1.21.0-windows-hp"]
- name: zebra
  dmap:
`,
		},
		"spaces": { // as the scripts of sig-storage write it
			before: "- name: smbplugin\n  dmap:\n    \"sha256:eeee\": [ \"v1.9.0\", \"v1.9.0-0\" ]\n",
			after: strings.NewReplacer("[\"", "[ \"", "\"]", "\" ]").Replace(strings.Replace(asKpromo, "v1.21.0-windows-hp\"]\n",
				"v1.21.0-windows-hp\"]\n    \"sha256:eeee\": [\"v1.9.0\", \"v1.9.0-0\"]\n", 1)),
		},
		"only comments": {before: "# nothing yet\n", after: "# nothing yet\n" + asKpromo},
		"other digest": {
			before: "- name: smbplugin\n  dmap:\n    \"sha256:eeee\": [\"v1.21.0\"]\n",
			err:    "images.yaml: smbplugin:v1.21.0 is sha256:eeee",
		},
		"other file":  {before: "images: []\n", err: "images.yaml:1:1"},
		"no YAML":     {before: "- [", err: "images.yaml:1"},
		"unknown key": {before: "- name: a\n  tags: []\n", err: "images.yaml:2:3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "images.yaml")
			if tt.before != "" {
				if err := os.WriteFile(path, []byte(long(tt.before)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			link := filepath.Join(t.TempDir(), "link.yaml")
			if err := os.Symlink(path, link); err != nil {
				t.Fatal(err)
			}
			got, err := promote.ImagesYAML(listed(), promote.Options{}, path)
			if tt.err != "" {
				says(t, err, tt.err)
				return
			}
			named := path
			if tt.before != "" {
				named = link
			}
			if err := promote.WriteImagesYAML(t.Context(), listed(), promote.Options{}, named, nil); err != nil {
				t.Fatal(err)
			}
			if written, err := os.ReadFile(path); err != nil || string(written) != string(got) {
				t.Errorf("the file is %v\n%s\nwant\n%s", err, written, got)
			}
			if err != nil || string(got) != long(tt.after) {
				t.Errorf("%v\n%s\nwant\n%s", err, got, long(tt.after))
			}
		})
	}
}

// TestProofs compares the text for a pull request with a golden: several images, of which one has
// Windows builds and tags for some platforms, and one is a single manifest.
func TestProofs(t *testing.T) {
	l := listed()
	windows := platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.4773"}
	linux, arm := platform.Platform{OS: "linux", Architecture: "amd64"}, platform.Platform{
		OS: "linux", Architecture: "arm", Variant: "v7",
	}
	l.Images[0].Children = []lock.Child{
		{Platform: linux, Digest: digest("1"), Size: 700},
		{Platform: arm, Digest: digest("2"), Size: 701},
		{Platform: windows, OSVersion: windows.OSVersion, Digest: digest("3"), Size: 1200},
	}
	l.Images[0].Tags = append(l.Images[0].Tags, "v1.21.0-full")
	l.Images[0].PlatformTags[0].Platforms = []platform.Platform{linux}
	l.Images[2].Children = []lock.Child{{Platform: linux, Digest: digest("d"), Size: 9}}
	all, err := promote.Proofs(l, promote.Options{From: "gcr.io/k8s-staging-sig-storage"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (&promote.Promoted{ImagesYAML: "images.yaml", Proofs: all}).WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/proofs.golden", b.String())
}
