package changes_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/report/changes"
)

func TestInputs(t *testing.T) {
	hash := func(digit string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(digit, 64)} }
	parse := func(s string) platform.Platform {
		p, err := platform.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	child := func(on string, base *lock.Base, from ...lock.Base) lock.Child {
		return lock.Child{Platform: parse(on), Base: base, CopiedFrom: from}
	}
	alpine := &lock.Base{Name: "alpine:3@sha256:1"}
	old := &lock.Lock{
		Release: lock.Release{
			Name: "a", Version: "1", Created: time.Unix(0, 0).UTC(), Go: "go1.25.0",
			Sources: []lock.Source{
				{Name: "gone", Revision: "abc"}, {Name: "module", Module: "m@v1", Sum: "h1:x"},
			},
		},
		Prebuilt: []lock.Prebuilt{
			{Name: "gone", Digest: hash("1")},
			{Name: "p", Platform: parse("linux/amd64"), Digest: hash("2")},
		},
		Images: []lock.Image{
			{Name: "gone", Digest: hash("3")},
			{Name: "app", Children: []lock.Child{
				child("linux/amd64", nil), child("linux/arm64", alpine),
				child("linux/s390x", nil),
			}},
			{Name: "taken", Children: []lock.Child{child("linux/amd64", alpine)}},
		},
		Charts: []lock.Chart{{Name: "gone", Version: "1"}, {Name: "c", Version: "1"}},
	}
	now := &lock.Lock{
		Release: lock.Release{
			Name: "a", Version: "2", Created: time.Unix(60, 0).UTC(), Go: "go1.26.0",
			Sources: []lock.Source{
				{Name: "module", Module: "m@v2", Sum: "h1:y"}, {Name: "new"},
			},
		},
		Prebuilt: []lock.Prebuilt{
			{Name: "new", Platform: parse("linux/amd64"), Digest: hash("4")},
			{Name: "p", Platform: parse("linux/amd64"), Digest: hash("5")},
		},
		Images: []lock.Image{
			{Name: "app", Children: []lock.Child{
				child("linux/amd64", &lock.Base{Name: "builtin:static", Digest: hash("6")}, *alpine),
				child("linux/arm64", alpine),
				child("windows/amd64:ltsc2022", &lock.Base{Name: "w:1", Stub: true}),
			}},
			{Name: "new", Children: []lock.Child{child("linux/amd64", nil)}},
			{Name: "taken", Children: []lock.Child{
				{Platform: parse("linux/amd64"), Digest: hash("7"), Prebuilt: &lock.Taken{From: "oci:a"}},
			}},
		},
		Charts: []lock.Chart{{Name: "c", Version: "2"}, {Name: "new", Version: "1"}},
	}
	want := func(gone ...string) string {
		return fmt.Sprintf(`version: 1 → 2
go: go1.25.0 → go1.26.0
time: 1970-01-01T00:00:00Z → 1970-01-01T00:01:00Z
source module: m@v1 h1:x → m@v2 h1:y
source new: new, commit unknown
source gone: gone, was commit abc
program new for linux/amd64: new, %[1]s
program p for linux/amd64: %[2]s → %[3]s
image app for linux/amd64: base: scratch → builtin:static@%[4]s
image app for linux/amd64: files: new, from alpine:3@sha256:1
image app for windows/amd64:ltsc2022: new, platform
%[5]simage new: new, for 1 platforms
image taken for linux/amd64: base: alpine:3@sha256:1 → not known
image taken for linux/amd64: taken: new, oci:a@%[7]s
%[6]s`, hash("4"), hash("2"), hash("5"), hash("6"), gone[0], gone[1], hash("7"))
	}
	for _, tc := range []struct {
		whole bool
		want  string
	}{
		{false, want("", "")},
		{true, want("image app for linux/s390x: gone, was platform\n",
			"chart c: 1 → 2\nchart new: new, 1\nchart gone: gone, was 1\nimage gone: gone, was "+
				hash("3").String()+"\n")},
	} {
		var got strings.Builder
		for _, i := range changes.Inputs(old, now, tc.whole) {
			fmt.Fprintln(&got, i)
		}
		if got.String() != tc.want {
			t.Errorf("whole %v: the changes are\n%swant\n%s", tc.whole, &got, tc.want)
		}
	}
	if same := changes.Inputs(old, old, true); len(same) > 0 {
		t.Errorf("a release differs from itself: %v", same)
	}
}
