package lock_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
)

// TestMergeReferrers checks that an image that was signed between the parts keeps its
// signature.
func TestMergeReferrers(t *testing.T) {
	a, b := partOf(example()), partOf(example())
	more := oci.Referrer{ArtifactType: "signature", Digest: hash("1"), Size: 1}
	b.ThirdParty[0].Referrers = append(slices.Clone(b.ThirdParty[0].Referrers), more)
	b.ThirdParty[0].Fallbacks = nil
	for name, locks := range map[string][]*lock.Part{"in order": {a, b}, "turned": {b, a}} {
		got, err := lock.Merge(locks...)
		if err != nil {
			t.Fatal(err)
		}
		want := example().ThirdParty[0]
		want.Referrers = append(want.Referrers, more)
		if d := cmp.Diff(want, got.ThirdParty[0]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if len(a.ThirdParty[0].Referrers) != 1 {
		t.Error("a part that was given has changed")
	}
}

// partOf returns a part that has everything of a lock.
func partOf(l *lock.Lock) *lock.Part {
	p := &lock.Part{
		PartVersion: lock.PartVersion, Selected: []string{"linux/amd64"}, Release: lock.Release{
			Name: l.Name, Version: l.Version, Created: l.Created,
			Registry: l.Registry, Go: l.Go, Snapshot: l.Snapshot, Sources: l.Sources,
		}, ThirdParty: l.ThirdParty, Artifacts: l.Artifacts,
	}
	for _, i := range l.Images {
		p.Images = append(p.Images, lock.PartImage{
			Name: i.Name, Kind: i.Kind, Repository: i.Repository, Tags: i.Tags, MediaType: i.MediaType,
			Children:    i.Children,
			Annotations: map[string]string{"org.opencontainers.image.title": "<" + i.Name + ">"},
		})
	}
	return p
}

// parts returns the example as a Linux job and a Windows job publish it.
func parts() (linux, windows *lock.Part) {
	linux, windows = partOf(example()), partOf(example())
	linux.Selected, windows.Selected = []string{"linux/amd64"}, []string{"windows/amd64:ltsc2019"}
	linux.Images[0].Children = linux.Images[0].Children[:1]
	windows.Images = windows.Images[:1]
	windows.Images[0].Children = windows.Images[0].Children[1:]
	return linux, windows
}

func TestMerge(t *testing.T) {
	want := partOf(example())
	want.Selected = nil
	linux, windows := parts()
	windows.ThirdParty[1] = lock.ThirdParty{Reference: "registry.k8s.io/other:1", Digest: hash("7")}
	want.ThirdParty[1] = windows.ThirdParty[1]
	for name, locks := range map[string][]*lock.Part{
		"in order": {linux, windows}, "turned": {windows, linux}, "twice": {linux, windows, linux},
	} {
		got, err := lock.Merge(locks...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got.Selected) != 2 {
			t.Errorf("%s: selected is %v", name, got.Selected)
		}
		got.Selected = nil
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// Merge must not change its arguments.
	l, w := parts()
	w.ThirdParty[1] = windows.ThirdParty[1]
	if d := cmp.Diff(l, linux) + cmp.Diff(w, windows); d != "" {
		t.Error(d)
	}
	turned := partOf(example())
	slices.Reverse(turned.Images[0].Children)
	same, first := turned.Images[0].Children, turned.Images[0].Children[0].Platform
	if _, err := lock.Merge(turned, turned); err != nil || same[0].Platform != first {
		t.Errorf("the children of a part that was given were sorted: %v", err)
	}
	one, err := lock.Merge(partOf(example()))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(partOf(example()), one); d != "" {
		t.Errorf("one lock: %s", d)
	}
}

func TestMergeFails(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*lock.Part)
		want   string
	}{
		"name":        {func(l *lock.Part) { l.Name = "other" }, "name is kpack in one and other in another"},
		"version":     {func(l *lock.Part) { l.Version = "2" }, "version is"},
		"registry":    {func(l *lock.Part) { l.Registry = "quay.io" }, "registry is"},
		"snapshot":    {func(l *lock.Part) { l.Snapshot = false }, "snapshot is"},
		"created":     {func(l *lock.Part) { l.Created = l.Created.Add(time.Hour) }, "created is"},
		"source":      {func(l *lock.Part) { l.Sources[0].Revision = "other" }, "sources is"},
		"kind":        {func(l *lock.Part) { l.Images[0].Kind = "go" }, "completion: its kind"},
		"repository":  {func(l *lock.Part) { l.Images[0].Repository = "x/y" }, "completion: its repository"},
		"annotations": {func(l *lock.Part) { l.Images[0].Annotations = nil }, "completion: its annotations"},
		"child": {func(l *lock.Part) {
			l.Images[0].Children[0].Digest = hash("9")
		}, "linux/amd64 is " + hash("1").String() + " in one part and " + hash("9").String()},
		"base": {func(l *lock.Part) {
			l.Images[0].Children[1].Base = nil
		}, "describe windows/amd64:10.0.17763.6893 differently"},
		"single manifest": {func(l *lock.Part) { l.Images[1].Children[0].Digest = hash("9") }, "one child only"},
		"third party":     {func(l *lock.Part) { l.ThirdParty[0].Digest = hash("9") }, "pin it in images.txt"},
	} {
		other := partOf(example())
		tt.change(other)
		_, err := lock.Merge(partOf(example()), other)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "merging parts: ") {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	a, b := partOf(example()), partOf(example())
	a.Images[0].Children[0].Prebuilt = &lock.Taken{From: "oci:a"}
	b.Images[0].Children[0].Digest, b.Images[0].Children[0].Prebuilt = hash("9"), &lock.Taken{From: "oci:b"}
	want := "one part, taken from oci:a, and " + hash("9").String() + " in another, from oci:b: make both from one image"
	if _, err := lock.Merge(a, b); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("two prebuilt images: %v, want %q", err, want)
	}
	if _, err := lock.Merge(); err == nil {
		t.Error("no lock at all was merged")
	}
}
