package airgap

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/golden"
)

// digest is a made-up one.
func digest(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }

// listed are the images that testdata/rename refers to.
func listed() []Image {
	return []Image{
		{Name: "ghcr.io/acme/kpack/build-init:0.16.1", Digest: digest("a"), Children: []Child{{Digest: digest("d")}}},
		{Name: "ghcr.io/acme/kpack/lifecycle:0.16.1", Digest: digest("b"), Children: []Child{{Digest: digest("b")}}},
		{Name: "ghcr.io/acme/kpack/controller:0.16.1", Digest: digest("c")},
		{Name: "registry.k8s.io/pause:3.9", Digest: digest("f")},
		{Name: "docker.io/library/busybox:1", Digest: digest("e")},
		{Name: "tools.example:5000/latest:latest", Digest: digest("1")},
	}
}

func TestRename(t *testing.T) {
	src, err := os.ReadFile("testdata/rename/release.yaml")
	if err != nil {
		t.Fatal(err)
	}
	to := newRenamer(listed(), "registry.internal:5000/mirror")
	r, err := rename(src, to)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/rename/release.golden.yaml", string(r.bytes))
	if r.References != 12 {
		t.Errorf("%d references were renamed", r.References)
	}
	if d := cmp.Diff([]string{"line 31: text with ghcr.io/acme/kpack/lifecycle in it"}, r.Untouched); d != "" {
		t.Errorf("untouched (-want +got):\n%s", d)
	}
	var pins []string
	for _, p := range r.pins {
		pins = append(pins, strings.TrimPrefix(p.Ref.Name(), "registry.internal:5000/mirror/")+" "+p.Digest.Hex[:1])
	}
	want := []string{
		"acme/kpack/build-init@" + digest("a").String() + " a", "acme/kpack/lifecycle@" + digest("b").String() + " b", "pause:3.9 f",
		"acme/kpack/controller:0.16.1 c", "acme/kpack/controller@" + digest("c").String() + " c", "acme/kpack/build-init@" + digest("d").String() + " d",
		"library/busybox:1 e", "library/busybox@" + digest("e").String() + " e", "latest:latest 1",
	}
	if d := cmp.Diff(want, pins); d != "" {
		t.Errorf("to be pulled (-want +got):\n%s", d)
	}

	// Line ends, a byte order mark and a missing final newline are formatting, too.
	for name, change := range map[string]func([]byte) []byte{
		"CRLF":          func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		"mark":          func(b []byte) []byte { return append([]byte("\ufeff"), b...) },
		"no final line": func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) },
	} {
		got, err := rename(change(src), to)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(string(change(r.bytes)), string(got.bytes)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestRenameErrors(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		{"digest", "a: ghcr.io/acme/kpack/controller@" + digest("9").String(), []string{"line 1: ghcr.io/acme/kpack/controller@sha256:999", "not in the bundle"}},
		{
			"all are listed", "image: gone.example/a:1\nb:\n- {image: gone.example/b}\n- ghcr.io/acme/kpack/controller:9\nc: other.example/x@" + digest("c").String(),
			[]string{"line 1: gone.example/a:1", "line 3: gone.example/b", "line 4: ghcr.io/acme/kpack/controller:9", "line 5: other.example/x@"},
		},
		{"same name elsewhere", "image: quay.io/pause:3.9", []string{"quay.io/pause:3.9"}},
		{"no YAML", "a: [", []string{"not YAML"}},
		{"a Helm template", "a: b\n{{- if .Values.a }}\nc: d\n{{- end }}\n", []string{"not YAML", "render a Helm template with helm template first"}},
		{"no UTF-8", "a: \xff", []string{"UTF-8"}},
		{"escapes", `image: "registry.k8s.io/pau\x73e:3.9"`, []string{"line 1", "write it plainly"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := rename([]byte(tt.src), newRenamer(listed(), "registry.internal"))
			says(t, err, tt.want...)
		})
	}
}

// TestRenameInPlace has a new name that YAML would read as something else.
func TestRenameInPlace(t *testing.T) {
	src := "image: registry.k8s.io/pause:3.9\n"
	_, err := rename([]byte(src), newRenamer(listed(), "[::1]:5000"))
	says(t, err, "YAML")
	r, err := rename([]byte(strings.ReplaceAll(src, "registry.k8s.io/pause:3.9", `"registry.k8s.io/pause:3.9"`)), newRenamer(listed(), "[::1]:5000"))
	if err != nil || string(r.bytes) != "image: \"[::1]:5000/pause:3.9\"\n" {
		t.Errorf("quoted: %v", err)
	}
}

// TestRenameLeaves has what looks like a reference and is none.
func TestRenameLeaves(t *testing.T) {
	for _, src := range []string{
		"", "---\n---\n", "pause: 3.9", "a: apps/v1", "a: localhost:8080", "a: ' registry.k8s.io/pause:3.9'", "a: git@github.com:acme/x",
		"a: x@sha256:abc", "a: https://registry.k8s.io/pause:3.9", "a: registry.k8s.io/pause", "image: {type: string}", "image: ''", "image: 'two words'",
		"a: quay.io/some/other:1", "a: 12:30:45", "image: null\n",
	} {
		r, err := rename([]byte(src), newRenamer(listed(), "registry.internal"))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if string(r.bytes) != src || r.References != 0 {
			t.Errorf("%q became %q", src, r.bytes)
		}
	}
}

// FuzzRename renames foreign bytes: what comes out is the same but for references, or an error.
func FuzzRename(f *testing.F) {
	src, err := os.ReadFile("testdata/rename/release.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	for _, s := range []string{
		"image: &a registry.k8s.io/pause:3.9\nb: *a", "? registry.k8s.io/pause:3.9\n: |2-\n  registry.k8s.io/pause:3.9", "[registry.k8s.io/pause:3.9, \"registry.k8s.io/pause:3.9\"]",
		"\ufeffa: registry.k8s.io/pause:3.9\u2028b: registry.k8s.io/pause:3.9\r", "image: !!str &x\n  registry.k8s.io/pause:3.9", "a: >\n\n\n registry.k8s.io/pause:3.9\n\n",
		"%YAML 1.1\n--- registry.k8s.io/pause:3.9\n...\n--- !t registry.k8s.io/pause:3.9", "<<: [*a]", "- - - - 'registry.k8s.io/pause:3.9'",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := rename(src, newRenamer(listed(), "registry.internal:5000/mirror"))
		if err != nil {
			return
		}
		back := bytes.ReplaceAll(r.bytes, []byte("registry.internal:5000/mirror/"), nil)
		if r.References == 0 && !bytes.Equal(r.bytes, src) {
			t.Errorf("%q became %q without a reference", src, r.bytes)
		}
		if len(back) > len(src) {
			t.Errorf("%q grew to %q", src, r.bytes)
		}
	})
}

func TestReadRelease(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "release.yaml")
	if err := os.WriteFile(path, []byte("image: registry.k8s.io/pause:3.9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := readRelease(PushOptions{To: "registry.internal:5000/mirror", Release: path}, listed())
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "release.registry.internal-5000.yaml"); r.Path != want {
		t.Errorf("it is to be written to %s, want %s", r.Path, want)
	}
	_, err = readRelease(PushOptions{To: "registry.internal", Release: path, Out: dir + "/./release.yaml"}, listed())
	says(t, err, "-out", "another name")
	_, err = readRelease(PushOptions{To: "registry.internal", Release: path + "x"}, listed())
	says(t, err, "release.yamlx")
	_, err = readRelease(PushOptions{To: "registry.internal", Release: path}, nil)
	says(t, err, path+": line 1: registry.k8s.io/pause:3.9 is not in the bundle")
}
