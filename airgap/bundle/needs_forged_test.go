package bundle_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
)

const (
	keyNeeds  = "dev.slipway.bundle.needs"
	keyGroups = "dev.slipway.bundle.groups"
)

// annotated is a forgery of the annotations of index.json, whose values are not those of slipway.
func annotated(t *testing.T, change func(a map[string]string)) func([]bundletest.Forged) []bundletest.Forged {
	return func(e []bundletest.Forged) []bundletest.Forged {
		t.Helper()
		var index v1.IndexManifest
		if err := json.Unmarshal(e[2].Data, &index); err != nil {
			t.Fatal(err)
		}
		change(index.Annotations)
		text, err := json.Marshal(index)
		if err != nil {
			t.Fatal(err)
		}
		e[2].Data = text
		return e
	}
}

// needing is a forgery of what a bundle lacks.
func needing(t *testing.T, change func(n *bundle.Needs)) func([]bundletest.Forged) []bundletest.Forged {
	return annotated(t, func(a map[string]string) {
		t.Helper()
		var n bundle.Needs
		if err := json.Unmarshal([]byte(a[keyNeeds]), &n); err != nil {
			t.Fatal(err)
		}
		change(&n)
		text, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		a[keyNeeds] = string(text)
	})
}

// sharing is the demo in two groups, whose images have a layer in common: that of core, the group
// more, which lacks it, and more with it.
func sharing(t *testing.T) (l *lock.Lock, core, sparse, more bundle.File) {
	t.Helper()
	st, l := bundletest.Demo(t, 100)
	for n := range l.Images {
		l.Images[n].Groups = []string{[]string{"core", "more"}[min(n, 1)]}
	}
	for n := range l.ThirdParty {
		l.ThirdParty[n].Groups = []string{"core", "more"}
	}
	p := bundletest.Parse(t, "linux/amd64")
	files := bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "all"}, airgap.Target{Name: "core", Platform: p, Groups: []string{"core"}},
		airgap.Target{Name: "sparse", Platform: p, Groups: []string{"more"}, Base: "core"},
		airgap.Target{Name: "more", Platform: p, Groups: []string{"more"}})
	return l, files[1], files[2], files[3]
}

// TestNeedsForged: what a bundle says that it lacks is what it lacks, and its groups are those of
// the lock.
func TestNeedsForged(t *testing.T) {
	t.Parallel()
	l, _, sparse, more := sharing(t)
	good, whole := bundletest.Headers(t, sparse.Path), bundletest.Headers(t, more.Path)
	needs := sparse.Contents.Needs
	layers := sparse.Contents.LayerSet()
	first := slices.IndexFunc(good, func(e bundletest.Forged) bool {
		h, err := v1.NewHash(strings.Replace(strings.TrimPrefix(e.Name, "blobs/"), "/", ":", 1))
		return err == nil && layers[h]
	})
	there := v1.Hash{Algorithm: "sha256", Hex: good[first].Name[len("blobs/sha256/"):]}
	text, err := json.Marshal(needs)
	if err != nil {
		t.Fatal(err)
	}
	absent := slices.IndexFunc(whole, func(e bundletest.Forged) bool {
		return e.Name == bundletest.BlobName(needs.Lacking[0])
	})
	for _, c := range []struct {
		name  string
		of    []bundletest.Forged
		forge func([]bundletest.Forged) []bundletest.Forged
		want  string
	}{
		{"unchanged", good, needing(t, func(*bundle.Needs) {}), ""},
		{
			"complete, unchanged", whole, annotated(t, func(map[string]string) {}), "",
		},
		{"of no image", good, needing(t, func(n *bundle.Needs) {
			n.Lacking = append(n.Lacking, v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)})
		}), "does not list layers of its images"},
		{"none of an image", good, needing(t, func(n *bundle.Needs) {
			n.Lacking = []v1.Hash{{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}}
		}), "does not list layers of its images"},
		{"twice", good, needing(t, func(n *bundle.Needs) {
			n.Lacking = append(n.Lacking, n.Lacking[0])
		}), "does not list layers of its images"},
		{"bytes", good, needing(t, func(n *bundle.Needs) { n.Bytes++ }), " bytes, and the layers "},
		{"what is there", good, needing(t, func(n *bundle.Needs) {
			n.Lacking = append(n.Lacking, there)
		}), "does not list layers of its images|bytes, and the layers"},
		{"a listed layer", whole, annotated(t, func(a map[string]string) { a[keyNeeds] = string(text) }), "form|damaged"},
		{"not said", good, annotated(t, func(a map[string]string) { delete(a, keyNeeds) }), "form|missing"},
		{"a layer missing", whole, func(e []bundletest.Forged) []bundletest.Forged {
			return slices.Delete(e, absent, absent+1)
		}, "damaged|missing|truncated"},
		{"without groups", good, annotated(t, func(a map[string]string) { delete(a, keyGroups) }), "are not of groups"},
		{"of no groups", good, needing(t, func(n *bundle.Needs) { n.Groups = nil }), "name|groups"},
		{"a path", good, needing(t, func(n *bundle.Needs) { n.Bundle = "../core.tar.zst" }), "does not name a bundle"},
		{"an unknown base", good, needing(t, func(n *bundle.Needs) {
			n.Groups = []string{"other"}
		}), "names group other, in which no image of the lock is"},
		{"an unknown group", whole, annotated(t, func(a map[string]string) {
			a[keyGroups] = "other"
		}), "names group other, in which no image of the lock is"},
		{"another group", whole, annotated(t, func(a map[string]string) {
			a[keyGroups] = "core"
		}), "in none of its groups"},
		{"more groups", whole, annotated(t, func(a map[string]string) {
			a[keyGroups] = "core more"
		}), "is in the lock, not in the bundle"},
		{"no groups", whole, annotated(t, func(a map[string]string) {
			delete(a, keyGroups)
		}), "is in the lock, not in the bundle"},
		{"no names", whole, annotated(t, func(a map[string]string) { a[keyGroups] = "../x" }), "not the names of groups"},
		{"many", whole, annotated(t, func(a map[string]string) {
			a[keyGroups] = strings.Repeat("a ", 2000) + strconv.Itoa(1)
		}), "not the names of groups"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := bundletest.Write(t, bundletest.Forge(t, c.forge(bundletest.Clone(c.of))))
			r := bundletest.Verify(t, path, bundle.VerifyOptions{Compare: airgap.Compare(l)})
			if c.want == "" && len(r.Problems) > 0 {
				t.Errorf("verifying it finds %v", r.Problems)
			}
			if c.want != "" && !slices.ContainsFunc(r.Problems, func(p bundle.Problem) bool {
				return slices.ContainsFunc(strings.Split(c.want, "|"), func(s string) bool {
					return strings.Contains(p.What, s)
				})
			}) {
				t.Errorf("verifying it finds %v, want %q", r.Problems, c.want)
			}
			if _, err := bundle.Inspect(path); c.want == "" && err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNeedsSplit checks that each volume of a sparse bundle lacks what its own images lack.
func TestNeedsSplit(t *testing.T) {
	t.Parallel()
	_, _, sparse, _ := sharing(t)
	dir := t.TempDir()
	v, err := bundle.Split(t.Context(), sparse.Path, bundle.SplitOptions{Dir: dir, MaxSize: 12_000})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Volumes) < 2 {
		t.Fatalf("there are %d volumes", len(v.Volumes))
	}
	lacking := map[v1.Hash]bool{}
	for _, one := range v.Volumes {
		path := filepath.Join(dir, one.File)
		if r := bundletest.Verify(t, path, bundle.VerifyOptions{}); len(r.Problems) > 0 {
			t.Errorf("%s: %v", one.File, r.Problems)
		} else if r.Needs != nil {
			for _, h := range r.Needs.Lacking {
				lacking[h] = true
			}
		}
	}
	if len(lacking) != len(sparse.Contents.Needs.Lacking) {
		t.Errorf("the volumes lack %d layers, the bundle %d", len(lacking), len(sparse.Contents.Needs.Lacking))
	}
}

// TestNeedsCompleted checks that a file completes a sparse bundle only if it is of the groups that
// this one names.
func TestNeedsCompleted(t *testing.T) {
	t.Parallel()
	_, core, sparse, _ := sharing(t)
	path := filepath.Join(t.TempDir(), "sparse.tar.zst")
	forged := needing(t, func(n *bundle.Needs) { n.Groups = []string{"more"} })(bundletest.Headers(t, sparse.Path))
	if err := os.WriteFile(path, bundletest.Forge(t, forged), 0o600); err != nil {
		t.Fatal(err)
	}
	reports := []bundle.Report{
		*bundletest.Verify(t, path, bundle.VerifyOptions{}),
		*bundletest.Verify(t, core.Path, bundle.VerifyOptions{}),
	}
	if wrong := bundle.Complete(reports); len(wrong) != 1 || !strings.Contains(wrong[0], "adds to group more") {
		t.Errorf("the bundle is of no such group: %q", wrong)
	}
}
