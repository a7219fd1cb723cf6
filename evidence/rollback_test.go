package evidence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// oldDirectory is the directory of a release of scripts alone, without bundles, release.yaml and
// artifacts, and the signed statement of the next one by the same key.
func oldDirectory(t *testing.T, w *world) (dir, next string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, "load-images.sh", "#!/bin/sh\necho old\n")
	write(t, dir, "release.lock.json", `{"version":"1.2.3"}`)
	write(t, dir, "provenance.json", string(w.sealed))
	write(t, dir, "provenance.sigstore.json", string(w.key64))
	w.sums(t, dir)
	s := w.statement(t, func(s *provenance.Statement) {
		s.Predicate.BuildDefinition.ExternalParameters.Version = "1.2.4"
	})
	return dir, string(bundletest.SignedStatement(t, w.key, s))
}

// TestRollback: no statement of another release vouches for the files of a directory, whatever is
// missing there.
func TestRollback(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, w *world, dir, next string)
		says   string // "": it is verified as what it is
	}{
		{"as it is", func(*testing.T, *world, string, string) {}, ""},
		{"part of it", func(t *testing.T, _ *world, dir, _ string) {
			remove(t, dir, "release.lock.json", "provenance.json")
		}, ""},
		{"statement exchanged", func(t *testing.T, _ *world, dir, next string) {
			write(t, dir, "provenance.sigstore.json", next)
		}, "it was changed"},
		{"statement under another name", func(t *testing.T, _ *world, dir, next string) {
			remove(t, dir, "provenance.sigstore.json", "provenance.json", "release.lock.json")
			write(t, dir, "a.sigstore.json", next)
		}, "does not list the statement that is here"},
		{"statement besides", func(t *testing.T, _ *world, dir, next string) {
			write(t, dir, "a.sigstore.json", next)
		}, "statements of different releases: one is of"},
		{"checksums that list no statement", func(t *testing.T, w *world, dir, next string) {
			remove(t, dir, "provenance.sigstore.json", "provenance.json")
			w.sums(t, dir)
			write(t, dir, "provenance.sigstore.json", next)
		}, "does not list provenance.sigstore.json, which is here"},
		{"lock that the checksums do not list", func(t *testing.T, w *world, dir, _ string) {
			remove(t, dir, "release.lock.json")
			w.sums(t, dir)
			write(t, dir, "release.lock.json", `{"version":"1.2.4"}`)
		}, "does not list release.lock.json, which is here"},
		{"script that the checksums do not list", func(t *testing.T, _ *world, dir, _ string) {
			write(t, dir, "load-images.ps1", "evil")
		}, "does not list load-images.ps1, which is here"},
		{"no statement", func(t *testing.T, _ *world, dir, _ string) {
			remove(t, dir, "provenance.sigstore.json")
		}, "has no provenance.sigstore.json"},
		{"second builder's besides", func(t *testing.T, w *world, dir, _ string) {
			write(t, dir, "reproduced.sigstore.json", string(bundletest.SignedStatement(t, w.other, w.sealed)))
		}, ""},
		{"second builder's of another release", func(t *testing.T, w *world, dir, _ string) {
			s := w.statement(t, func(s *provenance.Statement) {
				s.Predicate.BuildDefinition.ExternalParameters.Version = "1.2.4"
			})
			write(t, dir, "reproduced.sigstore.json", string(bundletest.SignedStatement(t, w.other, s)))
		}, "differ: one is of"},
		{"second builder's alone", func(t *testing.T, w *world, dir, _ string) {
			remove(t, dir, "provenance.sigstore.json")
			write(t, dir, "reproduced.sigstore.json", string(bundletest.SignedStatement(t, w.other, w.sealed)))
		}, "does not list the statement that is here"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			dir, next := oldDirectory(t, w)
			tc.change(t, w, dir, next)
			p := policy(w.key, w.other)
			r, err := evidence.VerifyDir(t.Context(), dir, p, nil)
			// a directory is a floor by the same rule
			floor, floorErr := evidence.ReadDirStatements(dir, p)
			if tc.says == "" {
				if err != nil || r.Version != "1.2.3" || floorErr != nil || floor.Version != "1.2.3" ||
					r.Files.Have+len(r.Files.Absent) != r.Files.Of {
					t.Errorf("%v %v, %+v", err, floorErr, r)
				}
				return
			}
			bundletest.Says(t, err, tc.says)
			if err := floorErr; !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("as a floor: %v", err)
			}
		})
	}
}

// TestTwoBuilders verifies a directory that two have signed: the checksums of one are enough.
func TestTwoBuilders(t *testing.T) {
	w := newWorld(t)
	dir, _ := oldDirectory(t, w)
	second := w.statement(t, func(s *provenance.Statement) {
		s.Predicate.RunDetails.Builder.ID = "https://builder.example/second"
	})
	write(t, dir, "reproduced.sigstore.json", string(bundletest.SignedStatement(t, w.other, second)))
	p := policy(w.key, w.other)
	p.Threshold = 2
	r, err := evidence.VerifyDir(t.Context(), dir, p, nil)
	if err != nil || len(r.Signers) != 2 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestFloorOfFiles: a directory of statements alone is a floor if they are of one release.
func TestFloorOfFiles(t *testing.T) {
	w := newWorld(t)
	_, next := oldDirectory(t, w)
	dir := t.TempDir()
	write(t, dir, "old.sigstore.json", string(w.key64))
	if r, err := evidence.ReadDirStatements(dir, policy(w.key)); err != nil || r.Version != "1.2.3" {
		t.Errorf("%v, %+v", err, r)
	}
	write(t, dir, "next.sigstore.json", next)
	_, err := evidence.ReadDirStatements(dir, policy(w.key))
	bundletest.Says(t, err, "are of different releases: one is of")
}

// TestUnlisted: unsigned files are counted, however many there are.
func TestUnlisted(t *testing.T) {
	t.Cleanup(evidence.SetMaxListed(24))
	w := newWorld(t)
	dir := w.directory(t)
	for n := range 26 {
		write(t, dir, fmt.Sprintf("decoy%02d", n), "x")
	}
	write(t, dir, ".gitignore", "# not slipway's\n")
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "sub"), "evil", "x")
	r, err := evidence.VerifyDir(t.Context(), dir, policy(w.key), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files.Unlisted) != 24 || r.Files.MoreUnlisted != 4 || r.Files.Unlisted[0] != ".gitignore" {
		t.Errorf("%+v", r.Files)
	}
	var text strings.Builder
	if err := r.WriteTable(&text); err != nil || !strings.Contains(text.String(), "decoy18, and 8 more\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestOthers: artifacts that no statement of a key covers are counted by type.
func TestOthers(t *testing.T) {
	w := newWorld(t)
	bundletest.Prove(t, w.st, w.l, w.key)
	path := w.pack(t)
	r, err := verify(t, policy(w.key), path)
	if err != nil || len(r.Others) != 1 || r.Others[0].Type != "application/vnd.dev.cosign.simplesigning.v1+json" ||
		r.Others[0].Count != 9 {
		t.Fatalf("%v, %+v", err, r)
	}
	var text strings.Builder
	if err := r.WriteTable(&text); err != nil ||
		!strings.Contains(text.String(), "not looked at: artifacts that refer to the images, of the types: "+
			"application/vnd.dev.cosign.simplesigning.v1+json (9)\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestSince compares releases by their versions, and where these are equal, however they are
// written, by their times.
func TestSince(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		was, is string
		earlier bool // than was
		refused bool
	}{
		{"1.0.0", "1.0.0", false, false},
		{"1.0.0", "1.0.0", true, true},
		{"1.0.0", "1.0", true, true},
		{"1.0.0", "v1.0.0", true, true},
		{"v1.0.0", "1.0", false, false},
		{"1.0.0", "1.1.0", true, false},
		{"1.0.0", "0.9.0", false, true},
		{"blue", "green", true, true},
		{"blue", "green", false, false},
	} {
		r, old := &evidence.Report{Product: "demo", Version: c.is, Created: now}, &provenance.Statement{}
		p := &old.Predicate.BuildDefinition.ExternalParameters
		p.Name, p.Version, p.Created = "demo", c.was, now.Add(-time.Hour)
		if c.earlier {
			p.Created = now.Add(time.Hour)
		}
		if err := r.CheckSince(old); (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
