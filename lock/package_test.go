package lock_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
)

func deb(name, version string) lock.Package {
	return lock.Package{Type: lock.PackageDeb, Name: name, Version: version, Architecture: "amd64"}
}

// TestPartPackages reads parts whose packages no release has.
func TestPartPackages(t *testing.T) {
	path := t.TempDir() + "/" + lock.PartName
	with := func(change func(p *lock.Package)) []lock.Package {
		p := deb("a", "1")
		change(&p)
		return []lock.Package{p}
	}
	for _, tc := range []struct {
		packages []lock.Package
		want     string
	}{
		{[]lock.Package{deb("a", "1:2~rc1"), deb("a", "2"), deb("libstdc++6", "1")}, ""},
		{[]lock.Package{deb("b", "1"), deb("a", "1")}, "not in order at a"},
		{[]lock.Package{deb("a", "1"), deb("a", "1")}, "not in order at a"},
		{with(func(p *lock.Package) { p.Type = "rpm" }), `of type "rpm"`},
		{with(func(p *lock.Package) { p.Name = "a b" }), "not the name of a package"},
		{with(func(p *lock.Package) { p.Architecture = "" }), "lacks its version or its architecture"},
		{with(func(p *lock.Package) { p.Licenses = "MIT\nGPL" }), "cannot be printed"},
	} {
		v := &lock.Inventory{Contents: []lock.Content{{Digest: storetest.MadeUpDigest(1), Packages: tc.packages}}}
		if err := (&lock.Part{PartVersion: lock.PartVersion, Inventory: v}).Write(path); err != nil {
			t.Fatal(err)
		}
		_, err := lock.ReadPart(path)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%+v: the error is %v, want %q", tc.packages, err, tc.want)
		}
	}
}

// TestMergePackages joins parts that have the same image with other packages.
func TestMergePackages(t *testing.T) {
	of := func(p ...lock.Package) *lock.Part {
		return &lock.Part{
			PartVersion: lock.PartVersion,
			Inventory: &lock.Inventory{
				Contents: []lock.Content{{Digest: storetest.MadeUpDigest(1), Packages: p}},
			},
		}
	}
	got, err := lock.Merge(of(deb("a", "1")), of(deb("a", "1")))
	if err != nil || len(got.Inventory.Contents[0].Packages) != 1 {
		t.Errorf("the same packages: %v, %v", got, err)
	}
	if _, err := lock.Merge(of(deb("a", "1")), of(deb("a", "2"))); err == nil ||
		!strings.Contains(err.Error(), "describe the contents of") {
		t.Errorf("other packages: %v", err)
	}
}
