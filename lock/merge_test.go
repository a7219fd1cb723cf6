package lock_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
)

// TestMergeReferrers: an image that was signed between the parts keeps its signature.
func TestMergeReferrers(t *testing.T) {
	a, b := example(), example()
	more := oci.Referrer{ArtifactType: "signature", Digest: hash("1"), Size: 1}
	b.ThirdParty[0].Referrers = append(slices.Clone(b.ThirdParty[0].Referrers), more)
	b.ThirdParty[0].Fallbacks = nil
	for name, locks := range map[string][]*lock.Lock{"in order": {a, b}, "turned": {b, a}} {
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
		t.Error("a lock that was given has changed")
	}
}

// parts cuts the example into what a Linux and a Windows job publish.
func parts() (linux, windows *lock.Lock) {
	linux, windows = example(), example()
	linux.Partial, windows.Partial = []string{"linux/amd64"}, []string{"windows/amd64:ltsc2019"}
	linux.Images[0].Children = linux.Images[0].Children[:1]
	windows.Images = windows.Images[:1]
	windows.Images[0].Children = windows.Images[0].Children[1:]
	linux.Images[0].Digest, windows.Images[0].Digest = hash("5"), hash("6")
	return linux, windows
}

func TestMerge(t *testing.T) {
	want := example()
	want.Partial = nil
	want.Images[0].Digest, want.Images[0].Size = v1.Hash{}, 0
	linux, windows := parts()
	windows.ThirdParty[1] = lock.ThirdParty{Reference: "registry.k8s.io/other:1", Digest: hash("7")}
	want.ThirdParty[1] = windows.ThirdParty[1]
	for name, locks := range map[string][]*lock.Lock{
		"in order": {linux, windows}, "turned": {windows, linux}, "twice": {linux, windows, linux},
	} {
		got, err := lock.Merge(locks...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(got.Partial) != 2 {
			t.Errorf("%s: partial is %v", name, got.Partial)
		}
		got.Partial = nil
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// The locks that were given are as they were.
	l, w := parts()
	w.ThirdParty[1] = windows.ThirdParty[1]
	if d := cmp.Diff(l, linux) + cmp.Diff(w, windows); d != "" {
		t.Error(d)
	}
	turned := example()
	slices.Reverse(turned.Images[0].Children)
	same, first := turned.Images[0].Children, turned.Images[0].Children[0].Platform
	if _, err := lock.Merge(turned, turned); err != nil || same[0].Platform != first {
		t.Errorf("the children of a lock that was given were sorted: %v", err)
	}
	one, err := lock.Merge(example())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(example(), one); d != "" {
		t.Errorf("one lock: %s", d)
	}
}

func TestMergeFails(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*lock.Lock)
		want   string
	}{
		"name":            {func(l *lock.Lock) { l.Name = "other" }, "name is kpack in one and other in another"},
		"version":         {func(l *lock.Lock) { l.Version = "2" }, "version is"},
		"registry":        {func(l *lock.Lock) { l.Registry = "quay.io" }, "registry is"},
		"snapshot":        {func(l *lock.Lock) { l.Snapshot = false }, "snapshot is"},
		"created":         {func(l *lock.Lock) { l.Created = l.Created.Add(time.Hour) }, "created is"},
		"source":          {func(l *lock.Lock) { l.Sources[0].Revision = "other" }, "sources is"},
		"kind":            {func(l *lock.Lock) { l.Images[0].Kind = "go" }, "completion: its kind"},
		"repository":      {func(l *lock.Lock) { l.Images[0].Repository = "x/y" }, "completion: its repository"},
		"annotations":     {func(l *lock.Lock) { l.Images[0].Annotations = nil }, "completion: its annotations"},
		"child":           {func(l *lock.Lock) { l.Images[0].Children[0].Digest = hash("9") }, "linux/amd64 is " + hash("1").String() + " in one lock and " + hash("9").String()},
		"base":            {func(l *lock.Lock) { l.Images[0].Children[1].Base = nil }, "describe windows/amd64:10.0.17763.6893 differently"},
		"single manifest": {func(l *lock.Lock) { l.Images[1].Digest, l.Images[1].Children = hash("9"), nil }, "one child only"},
		"third party":     {func(l *lock.Lock) { l.ThirdParty[0].Digest = hash("9") }, "pin it in images.txt"},
	} {
		other := example()
		tt.change(other)
		_, err := lock.Merge(example(), other)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "merging locks: ") {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if _, err := lock.Merge(); err == nil {
		t.Error("no lock at all was merged")
	}
}
