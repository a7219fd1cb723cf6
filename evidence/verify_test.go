package evidence_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
)

// TestVerify verifies what is right: every form in which a release travels.
func TestVerify(t *testing.T) {
	w := newWorld(t).attach(t, made.key64)
	all := bundletest.Pack(t, w.st, w.l, t.TempDir(), bundletest.Targets(t)...)
	for _, f := range all {
		r, err := verify(t, policy(w.key), f.Path)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		if r.Images.Have != r.Images.Of || r.Images.Have == 0 || r.Manifests == 0 || len(r.Absent) > 0 ||
			len(r.Signers) != 1 || r.Signers[0].Key != w.key.Public.Fingerprint() {
			t.Errorf("%s: %+v", filepath.Base(f.Path), r)
		}
	}
	var text bytes.Buffer
	r, err := verify(t, policy(w.key), all[5].Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/report.golden", plain(text.String()))
}

// TestVolumes verifies volumes one by one and together, and extracted images.
func TestVolumes(t *testing.T) {
	w := newWorld(t).attach(t, made.key64)
	whole, dir := w.pack(t), t.TempDir()
	v, err := bundle.Split(t.Context(), whole, bundle.SplitOptions{MaxSize: 60_000, Dir: dir})
	if err != nil || len(v.Volumes) < 2 {
		t.Fatalf("%v, %+v", err, v)
	}
	var paths []string
	lone := 0
	for _, vol := range v.Volumes {
		paths = append(paths, filepath.Join(dir, vol.File))
		r, err := verify(t, policy(w.key), paths[len(paths)-1])
		if onlyThirdParty(vol) {
			bundletest.Says(t, err, "has only third-party images", "provenance.sigstore.json")
			r, err = verifyWith(t, policy(w.key), bundletest.Write(t, w.key64), paths[len(paths)-1])
			lone++
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Images.Have+len(r.Absent) != r.Images.Of {
			t.Errorf("%s: %+v", vol.File, r)
		}
	}
	if lone == 0 {
		t.Error("no volume has third-party images only")
	}
	r, err := verify(t, policy(w.key), paths...)
	if err != nil || r.Images.Have != r.Images.Of || len(r.Absent) > 0 {
		t.Errorf("all volumes: %v, %+v", err, r)
	}
	b := bundletest.Opened(t, whole)
	for _, i := range b.Contents().Images {
		if i.Listed != "" {
			continue
		}
		for k, system := range []string{"", "linux/amd64"} {
			o := bundle.ExtractOptions{To: filepath.Join(t.TempDir(), "layout")}
			if k > 0 {
				o.Platform = bundletest.Parse(t, system)
			}
			if _, err := b.Extract(t.Context(), i.Name, o); err != nil {
				t.Fatal(err)
			}
			layout, err := bundle.OpenImageLayout(o.To)
			if err != nil {
				t.Fatal(err)
			}
			r, err := evidence.Verify([]evidence.Material{evidence.FromLayout("layout", layout)}, policy(w.key))
			if err != nil || r.Images.Have != 1 || len(r.Absent) != r.Images.Of-1 {
				t.Errorf("%s %s: %v, %+v", i.Name, system, err, r)
			}
			if n, _, err := layout.Verify(t.Context(), nil); err != nil || n < 4 {
				t.Errorf("%s: %d blobs, %v", i.Name, n, err)
			}
		}
	}
}

func onlyThirdParty(v bundle.Volume) bool {
	return !slices.ContainsFunc(v.Images, func(name string) bool {
		return strings.HasPrefix(name, "registry.example/me/")
	})
}

// TestDelta verifies a delta, and the bundle that it makes.
func TestDelta(t *testing.T) {
	w := newWorld(t)
	old := w.attach(t, made.key64).pack(t)
	later := bundletest.Later(t, w.st, newWorld(t).l)
	s := bundletest.Statement(t, later)
	bundletest.Attach(t, w.st, later, bundletest.SignedStatement(t, w.key, bundletest.Encoded(t, s)))
	deltas, err := airgap.PackDelta(t.Context(), w.st, later, []airgap.Target{{Name: "demo-images"}},
		[]string{old}, airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := verify(t, policy(w.key), deltas[0].Path); err != nil || r.Version != "1.3.0" {
		t.Fatalf("%v, %+v", err, r)
	}
	out := filepath.Join(t.TempDir(), "made.tar.zst")
	if _, err := bundle.Apply(t.Context(), deltas[0].Path, old, out, bundle.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	r, err := verify(t, policy(w.key), out)
	if err != nil {
		t.Fatal(err)
	}
	before, err := verify(t, policy(w.key), old)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.CheckSince(before.Statement); err != nil || r.Since.Same {
		t.Errorf("%v, %+v", err, r.Since)
	}
	if err := before.CheckSince(before.Statement); err != nil || !before.Since.Same {
		t.Errorf("%v, %+v", err, before.Since)
	}
}

// TestThreshold verifies what two builders have signed, and what another key has signed besides.
func TestThreshold(t *testing.T) {
	w := newWorld(t).attach(t, made.key64)
	second := w.statement(t, func(s *provenance.Statement) {
		s.Predicate.RunDetails.Builder.ID = "https://builder.example/second"
	})
	path := w.attach(t, bundletest.SignedStatement(t, w.other, second)).pack(t)
	p := policy(w.key, w.other)
	p.Threshold = 2
	r, err := verify(t, p, path)
	if err != nil || len(r.Signers) != 2 || r.Signers[1].Builder != "https://builder.example/second" {
		t.Fatalf("%v, %+v", err, r)
	}
	r, err = verify(t, policy(w.other), path)
	if err != nil || r.Foreign != 1 {
		t.Errorf("%v, %+v", err, r)
	}
	third := bundletest.Key(t)
	p = policy(third, w.other)
	if r, err = verify(t, p, path); err != nil || len(r.Signers) != 1 {
		t.Errorf("one of two keys is enough: %v, %+v", err, r)
	}
}

// TestClock: a release of 1970 and one of 2100 verify, since no clock is asked.
func TestClock(t *testing.T) {
	for _, year := range []int{1970, 2100} {
		w := newWorld(t)
		w.l.Created = w.l.Created.AddDate(year-w.l.Created.Year(), 0, 0)
		text := w.statement(t, func(*provenance.Statement) {})
		if err := w.signed(t, bundletest.SignedStatement(t, w.key, text)); err != nil {
			t.Errorf("%d: %v", year, err)
		}
	}
}

// directory is the directory of the release with signed checksums.
func (w *world) directory(t *testing.T) string {
	t.Helper()
	path := w.attach(t, w.key64).pack(t)
	dir := filepath.Dir(path)
	write(t, dir, "release.yaml", "kind: Namespace\n")
	write(t, dir, "provenance.json", string(w.sealed))
	write(t, dir, "provenance.sigstore.json", string(w.key64))
	w.sums(t, dir)
	return dir
}

// sums signs the checksums of a directory.
func (w *world) sums(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"SHA256SUMS", "SHA256SUMS.sig", "SHA256SUMS.sigstore.json"} {
		os.Remove(filepath.Join(dir, name)) //nolint:errcheck // it may not be there
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var sums strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sums.WriteString(bundletest.Sum(text) + "  " + f.Name() + "\n")
	}
	w.signSums(t, dir, sums.String())
}

func (w *world) signSums(t *testing.T, dir, sums string) {
	t.Helper()
	write(t, dir, "SHA256SUMS", sums)
	sigstore, err := signature.SignFile(context.Background(), w.key, []byte(sums))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "SHA256SUMS.sigstore.json", string(sigstore))
	plain, err := signature.SignPlain(context.Background(), w.key, []byte(sums))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "SHA256SUMS.sig", string(plain))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDirectory verifies the directory of a release.
func TestDirectory(t *testing.T) {
	w := newWorld(t)
	dir := w.directory(t)
	write(t, dir, "notes.txt", "not of the release")
	r, err := evidence.VerifyDir(t.Context(), dir, policy(w.key), nil)
	if err != nil || r.Files.Have != 5 || r.Files.Of != 5 || len(r.Files.Absent) > 0 || len(r.Files.Unlisted) != 1 ||
		r.Files.Unlisted[0] != "notes.txt" {
		t.Fatalf("%v, %+v %+v", err, r, r.Files)
	}
	if err := os.Remove(filepath.Join(dir, "release.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "SHA256SUMS.sig")); err != nil {
		t.Fatal(err)
	}
	r, err = evidence.VerifyDir(t.Context(), dir, policy(w.key), nil)
	if err != nil || r.Files.Have != 4 || len(r.Files.Absent) != 1 {
		t.Errorf("%v, %+v", err, r.Files)
	}
}
