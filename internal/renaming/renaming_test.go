package renaming_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
)

// below returns names below a registry for the images that testdata/release.yaml refers to.
func below(tb testing.TB, to string) *renaming.Names {
	tb.Helper()
	n := &renaming.Names{Unknown: func(_, ref string) error { return fmt.Errorf("%s is not in the bundle", ref) }}
	add := func(old, digest string, manifests ...v1.Hash) {
		t, err := name.NewTag(old)
		if err != nil {
			tb.Fatal(err)
		}
		n.Add(t, to+"/"+t.RepositoryStr(), bundletest.Digest(digest), manifests...)
	}
	add("ghcr.io/acme/kpack/build-init:0.16.1", "a", bundletest.Digest("d"))
	add("ghcr.io/acme/kpack/lifecycle:0.16.1", "b", bundletest.Digest("b"))
	add("ghcr.io/acme/kpack/controller:0.16.1", "c")
	add("registry.k8s.io/pause:3.9", "f")
	add("docker.io/library/busybox:1", "e")
	add("tools.example:5000/latest:latest", "1")
	return n
}

var update = flag.Bool("update", false, "write golden files")

func TestRename(t *testing.T) {
	src, err := os.ReadFile("testdata/release.yaml")
	if err != nil {
		t.Fatal(err)
	}
	to := below(t, "registry.internal:5000/mirror")
	r, err := to.Rename("release.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/release.golden.yaml", string(r.Text))
	if r.References != 12 {
		t.Errorf("%d references were renamed", r.References)
	}
	if d := cmp.Diff([]string{"release.yaml:31:11: text with ghcr.io/acme/kpack/lifecycle in it"},
		r.Untouched); d != "" {
		t.Errorf("untouched (-want +got):\n%s", d)
	}
	var pins []string
	for _, p := range r.Pins {
		pins = append(pins, strings.TrimPrefix(p.Ref.Name(), "registry.internal:5000/mirror/")+" "+p.Digest.Hex[:1])
	}
	want := []string{
		"acme/kpack/build-init@" + bundletest.Digest("a").String() + " a",
		"acme/kpack/lifecycle@" + bundletest.Digest("b").String() + " b", "pause:3.9 f",
		"acme/kpack/controller:0.16.1 c", "acme/kpack/controller@" + bundletest.Digest("c").String() + " c",
		"acme/kpack/build-init@" + bundletest.Digest("d").String() + " d",
		"library/busybox:1 e", "library/busybox@" + bundletest.Digest("e").String() + " e", "latest:latest 1",
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
		got, err := to.Rename("release.yaml", change(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(string(change(r.Text)), string(got.Text)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestRenameErrors(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      []string
	}{
		{
			"digest", "a: ghcr.io/acme/kpack/controller@" + bundletest.Digest("9").String(),
			[]string{"release.yaml:1:4: ghcr.io/acme/kpack/controller@sha256:999", "not in the bundle"},
		},
		{
			"all are listed",
			"image: gone.example/a:1\nb:\n- {image: gone.example/b}\n- " +
				"ghcr.io/acme/kpack/controller:9\nc: other.example/x@" + bundletest.Digest("c").String(),
			[]string{
				"release.yaml:1:8: gone.example/a:1", "release.yaml:3:11: gone.example/b",
				"release.yaml:4:3: ghcr.io/acme/kpack/controller:9", "release.yaml:5:4: other.example/x@",
			},
		},
		{"same name elsewhere", "image: quay.io/pause:3.9", []string{"quay.io/pause:3.9"}},
		{"no YAML", "a: [", []string{"not YAML"}},
		{
			"a Helm template", "a: b\n{{- if .Values.a }}\nc: d\n{{- end }}\n",
			[]string{"release.yaml:2:1: this is a Helm template, not YAML", "helm template"},
		},
		{"no UTF-8", "a: \xff", []string{"UTF-8"}},
		{
			"escapes", `image: "registry.k8s.io/pau\x73e:3.9"`,
			[]string{"release.yaml:1:8", "use a plain or quoted scalar"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := below(t, "registry.internal").Rename("release.yaml", []byte(tt.src))
			bundletest.Says(t, err, tt.want...)
		})
	}
}

// TestRenameInPlace has a new name that YAML would read as something else.
func TestRenameInPlace(t *testing.T) {
	src := "image: registry.k8s.io/pause:3.9\n"
	_, err := below(t, "[::1]:5000").Rename("release.yaml", []byte(src))
	bundletest.Says(t, err, "YAML")
	r, err := below(t, "[::1]:5000").Rename("release.yaml",
		[]byte(strings.ReplaceAll(src, "registry.k8s.io/pause:3.9", `"registry.k8s.io/pause:3.9"`)))
	if err != nil || string(r.Text) != "image: \"[::1]:5000/pause:3.9\"\n" {
		t.Errorf("quoted: %v", err)
	}
}

// TestRenameLeaves has texts that look like references and are not.
func TestRenameLeaves(t *testing.T) {
	for _, src := range []string{
		"", "---\n---\n", "pause: 3.9", "a: apps/v1", "a: localhost:8080", "a: ' registry.k8s.io/pause:3.9'",
		"a: git@github.com:acme/x",
		"a: x@sha256:abc", "a: https://registry.k8s.io/pause:3.9", "a: registry.k8s.io/pause", "image: {type: string}",
		"image: ''", "image: 'two words'",
		"a: quay.io/some/other:1", "a: 12:30:45", "image: null\n",
	} {
		r, err := below(t, "registry.internal").Rename("release.yaml", []byte(src))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if string(r.Text) != src || r.References != 0 {
			t.Errorf("%q became %q", src, r.Text)
		}
	}
}

// FuzzRename renames untrusted bytes: what comes out is the same but for references, or an error.
func FuzzRename(f *testing.F) {
	src, err := os.ReadFile("testdata/release.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	for _, s := range []string{
		"image: &a registry.k8s.io/pause:3.9\nb: *a", "? registry.k8s.io/pause:3.9\n: |2-\n  registry.k8s.io/pause:3.9",
		"[registry.k8s.io/pause:3.9, \"registry.k8s.io/pause:3.9\"]",
		"\ufeffa: registry.k8s.io/pause:3.9\u2028b: registry.k8s.io/pause:3.9\r",
		"image: !!str &x\n  registry.k8s.io/pause:3.9", "a: >\n\n\n registry.k8s.io/pause:3.9\n\n",
		"%YAML 1.1\n--- registry.k8s.io/pause:3.9\n...\n--- !t registry.k8s.io/pause:3.9", "<<: [*a]",
		"- - - - 'registry.k8s.io/pause:3.9'",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := below(t, "registry.internal:5000/mirror").Rename("release.yaml", src)
		if err != nil {
			return
		}
		back := bytes.ReplaceAll(r.Text, []byte("registry.internal:5000/mirror/"), nil)
		if r.References == 0 && !bytes.Equal(r.Text, src) {
			t.Errorf("%q became %q without a reference", src, r.Text)
		}
		if len(back) > len(src) {
			t.Errorf("%q grew to %q", src, r.Text)
		}
	})
}

func TestReadRelease(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "release.yaml")
	if err := os.WriteFile(path, []byte("apiVersion: v1\nimage: registry.k8s.io/pause:3.9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := below(t, "registry.internal:5000/mirror").Read(path, "", "registry.internal:5000/mirror")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "release.registry.internal-5000-mirror.yaml"); r.Path != want {
		t.Errorf("it is to be written to %s, want %s", r.Path, want)
	}
	_, err = below(t, "registry.internal").Read(path, dir+"/./release.yaml", "registry.internal")
	bundletest.Says(t, err, "release.yaml is the release itself", "another name")
	_, err = below(t, "registry.internal").Read(path+"x", "", "registry.internal")
	bundletest.Says(t, err, "release.yamlx")
	none := &renaming.Names{Unknown: func(_, ref string) error { return fmt.Errorf("%s is not in the bundle", ref) }}
	_, err = none.Read(path, "", "registry.internal")
	bundletest.Says(t, err, path+":2:8: registry.k8s.io/pause:3.9 is not in the bundle")
	lock := filepath.Join(dir, "release.lock.json")
	if err := os.WriteFile(lock, []byte(`{"version": "1"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = below(t, "registry.internal").Read(lock, "", "registry.internal")
	bundletest.Says(t, err, lock+" has no object of Kubernetes: name the release.yaml of the release")
}
