package handoff

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/lock"
)

// TestGivenParts takes parts by the references that shards printed, and not what somebody else has
// put under the tags.
func TestGivenParts(t *testing.T) {
	p := world(t)
	own := func(l *lock.Part) { l.Channel = "own" }
	push := func(p *Plan, number int, change func(*lock.Part)) string {
		t.Helper()
		ref, err := p.PushPart(t.Context(), number, part(t, p, number, change))
		if err != nil {
			t.Fatal(err)
		}
		return ref.String()
	}
	// A stranger was faster: the tags are his. The parts of the shards have no tag.
	stranger := push(p, 0, func(l *lock.Part) { l.Channel = "evil" })
	refs := []string{}
	for n := range 2 {
		dir := part(t, p, n, own)
		h, err := p.pushDir(t.Context(), typePart, p.tag(fmt.Sprint(".other-", n)), dir, []string{lock.PartName})
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, p.Ref.Context().Digest(h.String()).String())
	}
	elsewhere := world(t)
	foreign := push(elsewhere, 0, own)
	nobody, err := p.pushDir(t.Context(), typePart, p.tag(".other"), part(t, p, 0, func(l *lock.Part) { l.Shard = nil }),
		[]string{lock.PartName})
	if err != nil {
		t.Fatal(err)
	}
	other, err := p.pushDir(t.Context(), typePart, p.tag(".third"),
		part(t, p, 0, func(l *lock.Part) { l.Shard.Plan = strings.Repeat("0", 64) }), []string{lock.PartName})
	if err != nil {
		t.Fatal(err)
	}
	beyond, err := p.pushDir(t.Context(), typePart, p.tag(".beyond"),
		part(t, p, 0, func(l *lock.Part) { l.Shard.Number = 2 }), []string{lock.PartName})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		what string
		refs []string
		want string // of the error
	}{
		{"all", refs, ""},
		{"in another order", []string{refs[1], refs[0]}, ""},
		{"one twice", []string{refs[1], refs[0], refs[1]}, ""},
		{"one missing", refs[1:], "of 2 shards these are missing: 0: make each with slipway release"},
		{"two of one shard", []string{refs[0], stranger, refs[1]}, "are both shard 0: two machines made the same"},
		{"a tag", []string{refs[0], p.part(1).String()}, "is not a part in"},
		{"of another registry", []string{foreign, refs[1]}, "is not a part in"},
		{"the plan", []string{p.Ref.String(), refs[1]}, "make the shard again"},
		{"of no shard", []string{p.Ref.Context().Digest(nobody.String()).String()}, "is not of a shard"},
		{"of another plan", []string{p.Ref.Context().Digest(other.String()).String()}, "is not shard 0 of this plan"},
		{
			"of a number that the plan lacks",
			[]string{p.Ref.Context().Digest(beyond.String()).String()},
			"is not shard 2 of this plan",
		},
	} {
		parts, dirs, err := p.GivenParts(t.Context(), t.TempDir(), tc.refs)
		if tc.want != "" {
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %q", tc.what, err, tc.want)
			}
			continue
		}
		if err != nil || len(parts) != 2 || len(dirs) != 2 ||
			slices.ContainsFunc(parts, func(l *lock.Part) bool { return l.Channel != "own" }) {
			t.Errorf("%s: %d parts in %q: %v", tc.what, len(parts), dirs, err)
		}
	}
}

// TestFetchFit fetches files that are not those of the checksums: nothing is written.
func TestFetchFit(t *testing.T) {
	sum := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	for _, tc := range []struct {
		what, sums, want string
	}{
		{"as released", sum("a") + "  release.yaml\n", ""},
		{"exchanged", sum("b") + "  release.yaml\n", `its "release.yaml" is sha256:` + sum("a")},
		{"added", sum("a") + "  other\n", `it has "release.yaml", which its SHA256SUMS does not list`},
		{"removed", sum("a") + "  release.yaml\n" + sum("b") + "  gone\n", `it lacks "gone"`},
		{"not checksums", "release.yaml\n", "SHA256SUMS:1: it is not a line of sha256sum"},
	} {
		p := world(t)
		dir, to := t.TempDir(), t.TempDir()
		for name, text := range map[string]string{"release.yaml": "a", evidence.SumsName: tc.sums} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.pushDir(t.Context(), typeRelease, p.tag(".release"), dir,
			[]string{"release.yaml", evidence.SumsName}); err != nil {
			t.Fatal(err)
		}
		nothing := func([]string) error { return nil }
		_, err := p.FetchFiles(t.Context(), to, nothing, nothing)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.what, err, tc.want)
		}
		if left, err := os.ReadDir(to); err != nil || tc.want != "" && len(left) > 0 {
			t.Errorf("%s: %v was written (%v)", tc.what, left, err)
		}
	}
}
