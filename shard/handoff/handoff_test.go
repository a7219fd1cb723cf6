package handoff

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/store"
)

// world returns a plan of two shards in a registry.
func world(t *testing.T) *Plan {
	t.Helper()
	s := httptest.NewServer(registrytest.Handler())
	t.Cleanup(s.Close)
	return worldAt(t, strings.TrimPrefix(s.URL, "http://"), network.Options{Attempts: 1})
}

func worldAt(t *testing.T, host string, o network.Options) *Plan {
	t.Helper()
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.NewDigest(host + "/demo/hello-plans@sha256:" +
		strings.Repeat("12", 32))
	if err != nil {
		t.Fatal(err)
	}
	return &Plan{
		Plan: &shard.Plan{PlanVersion: 1, Name: "hello", Shards: []shard.Shard{{Number: 0}, {Number: 1}}},
		Ref:  ref, store: st, client: o,
	}
}

// part writes the part of a shard of a plan into a new directory.
func part(t *testing.T, p *Plan, number int, change func(*lock.Part)) string {
	t.Helper()
	of, err := p.Part(number)
	if err != nil {
		t.Fatal(err)
	}
	l := &lock.Part{PartVersion: lock.PartVersion, Release: lock.Release{Name: p.Name, Version: "1.0.0"}, Shard: of}
	change(l)
	dir := t.TempDir()
	if err := l.Write(filepath.Join(dir, lock.PartName)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestParts passes parts on. One that was made twice must be the same, and those of another plan or
// shard are refused.
func TestParts(t *testing.T) {
	p := world(t)
	same := func(*lock.Part) {}
	parts := func(want string) {
		t.Helper()
		got, dirs, err := p.Parts(t.Context(), t.TempDir(), 0, time.Hour)
		if want == "" && (err != nil || len(got) != 2 || len(dirs) != 2 || got[1].Shard.Number != 1) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d parts, error %v, want %q", len(got), err, want)
		}
	}
	push := func(number int, change func(*lock.Part), want string) {
		t.Helper()
		_, err := p.PushPart(t.Context(), number, part(t, p, number, change))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("shard %d: error %v, want %q", number, err, want)
		}
	}
	parts("of 2 shards these are missing: 0, 1: ")
	push(0, same, "")
	push(0, same, "")
	push(0, func(l *lock.Part) { l.Version = "1.0.1" }, "two machines made the same differently")
	parts("of 2 shards these are missing: 1: ")
	push(1, same, "")
	parts("")

	p = world(t)
	push(0, same, "")
	other := func(l *lock.Part) { l.Shard.Number = 0 }
	push(1, other, "is not shard 1 of this plan: another command has written it meanwhile")
	parts("of 2 shards these are missing: 1: ")
	if _, err := p.pushDir(t.Context(), typePart, p.part(1), part(t, p, 1, other), []string{lock.PartName}); err != nil {
		t.Fatal(err)
	}
	parts("is not shard 1 of this plan: it was written elsewhere")
	p = world(t)
	push(0, func(l *lock.Part) { l.Shard.Plan = strings.Repeat("0", 64) }, "is not shard 0 of this plan")
	push(0, func(l *lock.Part) { l.Shard = nil }, "is not shard 0 of this plan")
}

// TestPartFailures answers each request of passing parts on, and of reading them, with each
// failure.
func TestPartFailures(t *testing.T) {
	registrytest.EachFailure(t, func(t *testing.T, s *registrytest.Server) func() error {
		p := worldAt(t, s.Host(), registrytest.Impatient)
		var dirs []string
		for n := range 2 {
			dirs = append(dirs, part(t, p, n, func(*lock.Part) {}))
		}
		to := t.TempDir()
		return func() error {
			for n, dir := range dirs {
				if _, err := p.PushPart(t.Context(), n, dir); err != nil {
					return err
				}
			}
			parts, _, err := p.Parts(t.Context(), to, 0, time.Hour)
			if err == nil && len(parts) != 2 {
				err = fmt.Errorf("it gives %d parts", len(parts))
			}
			return err
		}
	})
}

// TestResigned pushes a release twice, whose checksums two machines signed: with one key it
// already exists, with another one, or with other files, it is another release.
func TestResigned(t *testing.T) {
	keys := make([]*signature.Signer, 2)
	for n := range keys {
		private, _, err := signature.Generate([]byte("x"))
		if err == nil {
			keys[n], err = signature.ParsePrivateKey(private, []byte("x"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	files := func(text string, s *signature.Signer) string {
		dir := t.TempDir()
		l := &lock.Lock{
			SchemaVersion: lock.SchemaVersion,
			Release:       lock.Release{Name: "hello", Sources: []lock.Source{}},
		}
		if err := l.Write(filepath.Join(dir, lock.Name)); err != nil {
			t.Fatal(err)
		}
		sums := fmt.Appendf(nil, "%x  release.yaml\n", sha256.Sum256([]byte(text)))
		bundle, err := signature.SignFile(t.Context(), s, sums)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := signature.SignPlain(t.Context(), s, sums)
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{
			"release.yaml": []byte(text), evidence.SumsName: sums,
			evidence.SumsBundle: bundle, evidence.SumsSignature: plain,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	p := world(t)
	if err := p.PushFiles(t.Context(), files("a", keys[0]), keys[0].Public); err != nil {
		t.Fatal(err)
	}
	again := files("a", keys[0]) // as by a signer whose signatures are random
	plain, err := os.ReadFile(filepath.Join(again, evidence.SumsSignature))
	if err == nil {
		err = os.WriteFile(filepath.Join(again, evidence.SumsSignature), append(plain, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := p.PushFiles(t.Context(), again, keys[0].Public); err != nil {
		t.Error(err)
	}
	if err := p.PushFiles(t.Context(), again, nil); err == nil {
		t.Error("without a key another signature was taken for the same")
	}
	for what, dir := range map[string]string{"another key": files("a", keys[1]), "another file": files("b", keys[0])} {
		key := keys[0].Public
		if what == "another key" {
			key = keys[1].Public
		}
		if err := p.PushFiles(t.Context(), dir, key); err == nil ||
			!strings.Contains(err.Error(), "two machines made the same differently") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestForeign reads artifacts that no slipway made: nothing is written outside of the directory.
func TestForeign(t *testing.T) {
	for title, want := range map[string]string{
		"../../out": "no slipway made it", "": "no slipway made it",
		"/etc/x": "no slipway made it", "a/../../x": "no slipway made it", "sbom/x": "",
	} {
		p := world(t)
		h, err := p.store.PutBytes([]byte("text"))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := pack(p.store, typePart, []file{{name: title, digest: h, size: 4}})
		if err != nil {
			t.Fatal(err)
		}
		ref := p.part(0)
		if err := push(t.Context(), p.store, p.client, ref, tree, nil); err != nil {
			t.Fatal(err)
		}
		files, err := fetch(t.Context(), p.store, p.client, ref, typePart, "remedy")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", title, err, want)
		}
		if _, err := fetch(t.Context(), p.store, p.client, ref, typePlan, "remedy"); err == nil ||
			!strings.HasSuffix(err.Error(), `not "`+typePlan+`": remedy`) {
			t.Errorf("a part as a plan: %v", err)
		}
		dir := t.TempDir()
		if err := write(p.store, dir, files); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "sbom", "x")); want == "" && (err != nil || string(b) != "text") {
			t.Errorf("the file has %q: %v", b, err)
		}
	}
	index := []byte(fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"artifactType":%q,"manifests":[]}`,
		types.OCIImageIndex, typePart))
	p := world(t)
	d := v1.Descriptor{MediaType: types.OCIImageIndex}
	d.Digest, d.Size, _ = v1.SHA256(bytes.NewReader(index))
	tree, err := oci.Parse(d, index)
	if err != nil {
		t.Fatal(err)
	}
	if err := push(t.Context(), p.store, p.client, p.part(0), tree, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), p.store, p.client, p.part(0), typePart, "remedy"); err == nil {
		t.Error("an index is taken for a part")
	}
}

// FuzzFiles reads untrusted manifests: no file is outside of the directory, and none is written
// over another.
func FuzzFiles(f *testing.F) {
	for _, names := range [][]string{
		{"a"},
		{"sbom/a", "b"},
		{"../a"},
		{"a", "a"},
		{"a", "./a"},
		{"/a"},
		{""},
		{"a", "a/b"},
	} {
		var layers []v1.Descriptor
		for _, n := range names {
			layers = append(layers,
				v1.Descriptor{
					MediaType: typeFile, Digest: v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)},
					Annotations: map[string]string{title: n, program: "true"},
				})
		}
		raw, err := oci.MakeArtifact(typePart, layers, nil, nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d := v1.Descriptor{MediaType: types.OCIManifestSchema1}
		d.Digest, d.Size, _ = v1.SHA256(bytes.NewReader(raw))
		tree, err := oci.Parse(d, raw)
		if err != nil {
			return
		}
		files, err := filesOf(tree)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, f := range files {
			path := filepath.Join("/dir", filepath.FromSlash(f.name))
			if !strings.HasPrefix(path, "/dir/") || seen[path] {
				t.Errorf("%q is %s", f.name, path)
			}
			seen[path] = true
		}
	})
}
