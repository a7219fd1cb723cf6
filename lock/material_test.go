package lock_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/lock"
)

// TestMergeMaterials joins parts that were made from the same inputs, and from others.
func TestMergeMaterials(t *testing.T) {
	inputs := lock.Material{URI: "kpack.inputs.tar.gz", SHA256: "aa"}
	source := lock.Material{URI: "pkg:golang/a@v1.0.0", Name: "a", DirHash: "bb", Revision: "c1"}
	proven := source
	proven.GitCommit, proven.Proven = "c1c1", true
	linux := lock.Material{URI: "pkg:golang/golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64", Local: true}
	arm := lock.Material{URI: "pkg:golang/golang.org/toolchain@v0.0.1-go1.26.8.linux-arm64", DirHash: "dd"}
	merge := func(one, two []lock.Material, change func(a, b *lock.Part)) (*lock.Part, error) {
		a, b := parts()
		a.Materials, b.Materials = one, two
		if change != nil {
			change(a, b)
		}
		return lock.Merge(a, b)
	}
	got, err := merge([]lock.Material{inputs, source, linux}, []lock.Material{arm, inputs, proven}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]lock.Material{inputs, proven, linux, arm}, got.Materials); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	otherInputs, otherLocal := inputs, linux
	otherInputs.SHA256, otherLocal.DirHash, otherLocal.Local = "ee", "ff", false
	otherCommit := proven
	otherCommit.GitCommit = "d2d2"
	directory := lock.Material{URI: "git+https://example.com", Name: "own", GitCommit: "c1", Proven: true}
	otherDirectory := directory
	otherDirectory.GitCommit = "d2"
	for _, tt := range []struct {
		a, b lock.Material
		want string
	}{
		{inputs, otherInputs, "kpack.inputs.tar.gz is sha256:aa in one part and sha256:ee in another: " +
			"make all parts from the same inputs"},
		{linux, otherLocal, "golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64 is not known by " +
			"a hash in one part and the module with hash ff in another"},
		{proven, otherCommit, "source a is commit c1c1 in one part and commit d2d2 in another"},
		{directory, otherDirectory, "source own is commit c1 in one part and commit d2 in another"},
	} {
		if _, err := merge([]lock.Material{tt.a}, []lock.Material{tt.b}, nil); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	_, err = merge(nil, nil, func(a, b *lock.Part) { a.Go, b.Go = "go1.26.8", "go1.26.7" })
	if err == nil || !strings.Contains(err.Error(), "compiled by go1.26.8 and another by go1.26.7") {
		t.Errorf("another Go: %v", err)
	}
	got, err = merge(nil, nil, func(a, b *lock.Part) {
		a.Go, b.Go = "go1.27.4", "go1.26.8, go1.27.4" // as a plan has them
		a.Shard, b.Shard = &lock.Shard{Of: 2}, &lock.Shard{Number: 1, Of: 2}
	})
	if err != nil || got.Go != "go1.26.8, go1.27.4" {
		t.Errorf("shards with two versions of Go: %+v, %v", got, err)
	}
	unproven := directory
	unproven.Proven = false
	if got, err := merge([]lock.Material{directory}, []lock.Material{unproven}, nil); err != nil ||
		got.Materials[0].Proven {
		t.Errorf("a directory that only one part has proven: %+v, %v", got, err)
	}
	got, err = merge(nil, nil, func(a, b *lock.Part) { a.Go, b.Go = "", "go1.26.8" })
	if err != nil || got.Go != "go1.26.8" {
		t.Errorf("a part without programs: %v, %v", got, err)
	}
}
