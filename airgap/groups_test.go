package airgap_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// grouped puts the images of the demo release into two groups, and returns targets of both: all
// images, core, an addition that lacks what core has, and one that does not.
func grouped(t *testing.T, on string) (*store.Store, *lock.Lock, []airgap.Target) {
	t.Helper()
	st, l := bundletest.Demo(t, 1000)
	l.Groups = []lock.Group{{Name: "core"}, {Name: "more", AddsTo: "core"}}
	for n := range l.Images {
		l.Images[n].Groups = []string{"core"}
		if n > 0 {
			l.Images[n].Groups = []string{"more"}
		}
	}
	for n := range l.ThirdParty {
		l.ThirdParty[n].Groups = []string{"core", "more"}
	}
	p := bundletest.Parse(t, on)
	return st, l, []airgap.Target{
		{Name: "all", Platform: p},
		{Name: "core", Platform: p, Groups: []string{"core"}},
		{Name: "sparse", Platform: p, Groups: []string{"more"}, Base: "core"},
		{Name: "more", Platform: p, Groups: []string{"more"}},
		{Name: "everything"},
	}
}

// TestGroups checks what bundles of groups have, that a sparse one lacks the layers of its base and
// nothing else, and that both together have what the complete one has.
func TestGroups(t *testing.T) {
	st, l, targets := grouped(t, "linux/amd64")
	files, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	names := func(c *bundle.Contents) (all []string) {
		for _, i := range c.Images {
			all = append(all, i.Name)
		}
		return all
	}
	var read []*bundle.Contents
	for _, f := range files {
		c, err := bundle.Inspect(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := bundle.Verify(t.Context(), f.Path, bundle.VerifyOptions{Compare: airgap.Compare(l)})
		if err != nil || len(r.Problems) > 0 {
			t.Errorf("%s: %v %v", f.Path, r, err)
		}
		read = append(read, c)
	}
	all, core, sparse, more := read[0], read[1], read[2], read[3]
	if got := strings.Join(core.Groups, " "); got != "core" {
		t.Errorf("core is of %q", got)
	}
	if !slices.Equal(names(sparse), names(more)) || len(names(core)) == len(names(all)) {
		t.Errorf("core has %v, sparse %v, more %v of %v", names(core), names(sparse), names(more), names(all))
	}
	if sparse.Needs == nil || sparse.Needs.Bundle != "core.tar.zst" || core.Needs != nil {
		t.Fatalf("sparse needs %+v", sparse.Needs)
	}
	if sparse.LayerBytes+sparse.Needs.Bytes != more.LayerBytes || files[2].Size >= files[3].Size {
		t.Errorf("sparse has %d bytes and needs %d of %d", sparse.LayerBytes, sparse.Needs.Bytes, more.LayerBytes)
	}
	has := core.LayerSet()
	for _, h := range sparse.Needs.Lacking {
		if !has[h] {
			t.Errorf("core lacks %s", h)
		}
	}
	for _, d := range more.AllLayers() {
		if !has[d.Digest] && !sparse.LayerSet()[d.Digest] {
			t.Errorf("nothing has %s", d.Digest)
		}
	}
}

// TestSparseComplete verifies a sparse bundle alone, with its base, and with a base of another
// release.
func TestSparseComplete(t *testing.T) {
	st, l, targets := grouped(t, "linux/amd64")
	dir := t.TempDir()
	files, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	report := func(path string) bundle.Report {
		r, err := bundle.Verify(t.Context(), path, bundle.VerifyOptions{})
		if err != nil || len(r.Problems) > 0 {
			t.Fatalf("%s: %v %v", path, r, err)
		}
		return *r
	}
	core, sparse := report(files[1].Path), report(files[2].Path)
	alone, both := []bundle.Report{sparse}, []bundle.Report{sparse, core}
	if wrong := bundle.Complete(alone); wrong != nil || alone[0].CompletedBy != "" {
		t.Errorf("alone: %v %+v", wrong, alone[0])
	}
	if wrong := bundle.Complete(both); wrong != nil || both[0].CompletedBy != files[1].Path {
		t.Errorf("with its base: %v %+v", wrong, both[0])
	}
	_, _, elsewhere := grouped(t, "windows/amd64:ltsc2022")
	of := airgap.Target{Name: "core", Platform: elsewhere[0].Platform}
	packed, _, err := airgap.Pack(t.Context(), st, l, []airgap.Target{of}, airgap.PackOptions{Dir: t.TempDir(), Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	other := report(packed[0].Path)
	want := " of the " // the number of layers
	if wrong := bundle.Complete([]bundle.Report{sparse, other}); len(wrong) != 1 || !strings.Contains(wrong[0], want) ||
		!strings.Contains(wrong[0], filepath.Base(packed[0].Path)) {
		t.Errorf("with another base: %v", wrong)
	}
}

// TestSparseAlone checks that what needs a layer of the base says which bundle has it.
func TestSparseAlone(t *testing.T) {
	st, l, targets := grouped(t, "linux/amd64")
	files, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(files[2].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_, err = b.Open(b.Contents().Needs.Lacking[0])
	if err == nil || !strings.Contains(err.Error(), "are not in it but in core.tar.zst, which has group core") {
		t.Errorf("the error is %v", err)
	}
	for _, c := range []struct {
		name    string
		targets []airgap.Target
		want    string
	}{
		{"no image", append(targets, airgap.Target{Name: "none", Groups: []string{"none"}}), "would be empty"},
		{"only a list", []airgap.Target{{Name: "all", ListOnly: true}, targets[1], targets[2]}, "is in no bundle"},
		{"no base", targets[2:], "lacks what core has, which is not packed"},
	} {
		if _, _, err := airgap.Pack(t.Context(), st, l, c.targets, airgap.PackOptions{Dir: t.TempDir()}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := airgap.CheckTargets(l, c.targets); c.name != "no base" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, before it is packed: %v", c.name, err)
		}
	}
}

// TestGroupsLeftOut packs a snapshot that leaves out all images of a group, which has no bundle
// then, while a group without images for the platform is an error.
func TestGroupsLeftOut(t *testing.T) {
	st, l, _ := grouped(t, "linux/amd64")
	p := bundletest.Parse(t, "linux/amd64")
	targets := []airgap.Target{
		{Name: "core", Platform: p, Groups: []string{"core"}},
		{Name: "rest", Platform: p, Groups: []string{"more"}},
		{Name: "others", Platform: p, Groups: []string{"others"}},
		{Name: "all"},
	}
	for n := range l.ThirdParty {
		l.ThirdParty[n].Groups, l.ThirdParty[n].Omitted = []string{"others"}, lock.NoNetwork
	}
	if err := airgap.CheckTargets(l, targets); err != nil {
		t.Error(err)
	}
	files, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: t.TempDir()})
	if err != nil || len(files) != 3 {
		t.Fatalf("packed %d bundles: %v", len(files), err)
	}
	for n := range l.ThirdParty { // of a release to a registry, too
		l.ThirdParty[n].Omitted = "images.txt:3 removes it"
	}
	for _, err := range []error{
		airgap.CheckTargets(l, targets),
		func() error {
			_, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: t.TempDir()})
			return err
		}(),
	} {
		if err == nil || err.Error() != "bundle others would be empty: no image of group others is for linux/amd64" {
			t.Errorf("a group without images: %v", err)
		}
	}
}

// TestGroupsShell checks the shell script of a release with groups, which has the sparse bundle
// behind the complete ones, whatever their names are.
func TestGroupsShell(t *testing.T) {
	st, l, targets := grouped(t, "linux/amd64")
	targets[1], targets[2] = targets[2], targets[1]
	files, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	all, err := airgap.Scripts("demo", "1.2.3", targets, files)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	text := string(all[0].Data)
	for _, want := range []string{"parts='core.tar.zst more.tar.zst sparse.tar.zst'", `ONLY="core more"`, "all=all.tar.zst"} {
		if !strings.Contains(text, want) {
			t.Errorf("the script lacks %s", want)
		}
	}
	checkShell(t, text)
}

// TestGroupsCompared verifies bundles against a lock in which the group adds to another one, and a
// sparse bundle that is called one of all images.
func TestGroupsCompared(t *testing.T) {
	st, l, targets := grouped(t, "linux/amd64")
	files, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	sparse := *files[2].Contents
	if wrong := airgap.Compare(l)(&sparse, true); wrong != nil {
		t.Error(wrong)
	}
	l.Groups[1].AddsTo = ""
	want := "it lacks layers that group core has, and in the lock its group more adds to none"
	if wrong := airgap.Compare(l)(&sparse, true); !slices.Contains(wrong, want) {
		t.Errorf("another lock: %v", wrong)
	}
	all := *files[0].Contents
	all.Needs = sparse.Needs
	if wrong := airgap.Compare(l)(&all, true); !slices.Contains(wrong,
		"it has all images, and lacks layers that group core has") {
		t.Errorf("all images: %v", wrong)
	}
}

// TestGroupsListed: an image of a list that lacks the platform of its group's bundle is an error,
// before anything is pushed and when it is packed.
func TestGroupsListed(t *testing.T) {
	st, l, targets := grouped(t, "linux/arm64")
	l.ThirdParty[0].Listed, l.ThirdParty[0].From = []string{"core"}, []string{"core.txt:1"}
	l.ThirdParty[0].Platforms = []platform.Platform{bundletest.Parse(t, "linux/amd64")}
	_, _, packed := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: t.TempDir()})
	for _, err := range []error{airgap.CheckTargets(l, targets), packed} {
		if err == nil || !strings.Contains(err.Error(), " has no linux/arm64, and bundle core of group core is for it: "+
			"it has linux/amd64; take the line out") || !strings.Contains(err.Error(), "core.txt:1: ") {
			t.Errorf("the error is %v", err)
		}
	}
}
