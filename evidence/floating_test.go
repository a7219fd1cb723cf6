package evidence_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
)

// floating gives the first image the floating tag latest, and signs that.
func (w *world) floating(t *testing.T) *world {
	t.Helper()
	i := &w.l.Images[0]
	i.FloatingTags = []lock.FloatingTag{{Tag: "latest", Repository: i.Repository}}
	return w.attach(t, bundletest.SignedStatement(t, w.key, w.statement(t, func(*provenance.Statement) {})))
}

const floatingMark = `"dev.slipway.image.floating":"true",`

// TestFloating: what floats is signed. No mark in a bundle gives an image another tag.
func TestFloating(t *testing.T) {
	path := newWorld(t).floating(t).pack(t)
	w := newWorld(t)
	r, err := verify(t, policy(w.key), path)
	if err != nil || len(r.Floating) != 1 || r.Floating[0] != "registry.example/me/agent:latest" {
		t.Fatalf("%v, %+v", err, r)
	}
	good := bundletest.Headers(t, path)
	for _, tc := range []struct{ name, from, to, says string }{
		{
			"the tag of a newer release", "me/agent:latest", "me/agent:1.2.4",
			"which gives it no such floating tag: the name was changed",
		},
		{
			"the tag of a channel", "me/agent:latest",
			"me/agent:stable", "which gives it no such floating tag: the name was changed",
		},
		{
			"of another image", "me/agent:latest", "me/other:latest",
			"which gives it no such floating tag: the name was changed",
		},
		{"what floats, not", floatingMark, "", "its tag floats by the signed statement, and not here"},
	} {
		e := bundletest.Clone(good)
		for _, n := range []int{0, 2} {
			e[n].Data = bytes.ReplaceAll(e[n].Data, []byte(tc.from), []byte(tc.to))
		}
		_, err := verify(t, policy(w.key), bundletest.Write(t, bundletest.Forge(t, e)))
		bundletest.Says(t, err, tc.says)
	}

	// the mark on what does not float: on a tag of the release, on a third-party image
	for name, says := range map[string]string{
		"registry.example/me/server:1.2.3": "its tag floats here, and never " +
			"moves by the signed statement",
		"docker.io/library/pause:3.9": "has a floating tag here, and by the signed statement none",
	} {
		l := *w.l
		w := newWorld(t)
		w.l = &l
		err := w.remarked(t, name, func(i *bundle.Image) { i.Floating = true })
		bundletest.Says(t, err, says)
	}

	// a layout under a floating tag
	dir := t.TempDir() + "/layout"
	if _, err := bundletest.Opened(t, path).Extract(t.Context(), "registry.example/me/agent:latest",
		bundle.ExtractOptions{To: dir, WithoutReferrers: true}); err != nil {
		t.Fatal(err)
	}
	layout, err := bundle.OpenImageLayout(dir)
	if err != nil {
		t.Fatal(err)
	}
	statement := bundletest.Write(t, bundletest.SignedStatement(t, w.key, w.statement(t, func(s *provenance.Statement) {
		s.Subjects[subjectOf(s, "registry.example/me/agent:1.2.3")].Annotations.Floating = []string{
			"registry.example/me/agent:latest",
		}
	})))
	r, err = evidence.Verify([]evidence.Material{evidence.FromLayout("layout", layout)}, policy(w.key), statement)
	if err != nil || len(r.Floating) != 1 {
		t.Errorf("%v, %+v", err, r)
	}
}

func subjectOf(s *provenance.Statement, name string) int {
	for n, sub := range s.Subjects {
		if sub.Name == name {
			return n
		}
	}
	return -1
}

// remarked is the verdict on the signed bundle with one of its images changed.
func (w *world) remarked(t *testing.T, name string, change func(*bundle.Image)) error {
	t.Helper()
	b := bundletest.Opened(t, w.attach(t, w.key64).pack(t))
	m := evidence.FromBundle("bundle", b)
	for n := range m.Images {
		if m.Images[n].Name == name {
			change(&m.Images[n])
		}
	}
	_, err := evidence.Verify([]evidence.Material{m}, policy(w.key))
	return err
}

// TestMarks: what a bundle says of itself without a digest agrees with the signed statement.
func TestMarks(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(m *evidence.Material)
		says   string // "": it is accepted
	}{
		{"as it is", func(*evidence.Material) {}, ""},
		{"product of nobody", func(m *evidence.Material) { m.Product = "" }, "says that it is \"\""},
		{"image of the release listed as one of others", func(m *evidence.Material) {
			m.Images[0].Listed = m.Images[0].Name
		}, "is marked as a third-party image"},
		{"image of others not listed", func(m *evidence.Material) {
			for n := range m.Images {
				m.Images[n].Listed = ""
			}
		}, "has neither the name nor"},
		{"for another platform", func(m *evidence.Material) {
			m.Platform = bundletest.Parse(t, "linux/arm64")
		}, "the platform of the bundle was forged"},
		{"omitted, and unknown", func(m *evidence.Material) {
			m.Omitted = []string{"registry.example/me/miner:1"}
		}, "which the signed statement does not know"},
		{"omitted, and here", func(m *evidence.Material) {
			m.Omitted = []string{m.Images[0].Name}
		}, "which it has: the list was forged"},
		{"omitted by the release", func(m *evidence.Material) {
			m.Omitted = append(m.Omitted, "registry.example/removed:1")
		}, ""},
	} {
		w := newWorld(t)
		text := w.statement(t, func(s *provenance.Statement) {
			p := &s.Predicate.BuildDefinition.ExternalParameters
			p.Omitted = append([]string{"registry.example/removed:1"}, p.Omitted...)
		})
		b := bundletest.Opened(t, w.attach(t, bundletest.SignedStatement(t, w.key, text)).pack(t))
		m := evidence.FromBundle("bundle", b)
		tc.change(&m)
		r, err := evidence.Verify([]evidence.Material{m}, policy(w.key))
		switch {
		case tc.says == "" &&
			(err != nil || strings.Join(r.Omitted, " ") != "registry.example/removed:1 registry.invalid/gone:1"):
			t.Errorf("%s: %v, %+v", tc.name, err, r)
		case tc.says != "":
			bundletest.Says(t, err, tc.says)
		}
	}
}
