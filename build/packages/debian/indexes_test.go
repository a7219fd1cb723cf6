package debian_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// TestIndexes checks which files are fetched, and that their bytes are compared.
func TestIndexes(t *testing.T) {
	plain := packages("amd64", "a 1") + strings.Repeat("\n", 300)
	var gz, x bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write([]byte(plain)) //nolint:errcheck // into memory
	g.Close()              //nolint:errcheck // as above
	w, err := xz.NewWriter(&x)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(plain)) //nolint:errcheck // as above
	w.Close()              //nolint:errcheck // as above
	line := func(name string, data []byte) string {
		return fmt.Sprintf(" %x %d %s\n", sha256.Sum256(data), len(data), name)
	}
	text := releaseText + line("main/binary-amd64/Packages", []byte(plain)) +
		line("main/binary-amd64/Packages.gz", gz.Bytes()) + line("main/binary-amd64/Packages.xz", x.Bytes()) +
		line("main/binary-all/Packages", []byte("\n")) + line("Packages.gz", gz.Bytes())
	r, err := debian.ReadUnsigned("R", []byte(text), debian.Check{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	smallest, name := gz.Bytes(), "gz"
	if x.Len() < gz.Len() {
		smallest, name = x.Bytes(), "xz"
	}
	found, err := r.Indexes([]string{"main"}, "amd64")
	if err != nil || len(found) != 2 || found[0].Path != "main/binary-amd64/Packages."+name || found[1].Arch != "all" {
		t.Fatalf("the indexes are %+v, %v", found, err)
	}
	i := found[0]
	if want := fmt.Sprintf("main/binary-amd64/by-hash/SHA256/%x", sha256.Sum256(smallest)); i.ByHash != want {
		t.Errorf("the path by digest is %s, want %s", i.ByHash, want)
	}
	if got, err := i.Read(smallest); err != nil || got != plain {
		t.Errorf("the index has %d bytes, %v", len(got), err)
	}
	changed := bytes.Clone(smallest)
	changed[len(changed)-1]++
	if _, err := i.Read(changed); err == nil || !strings.Contains(err.Error(), "has the digest sha256:") {
		t.Errorf("a changed index: %v", err)
	}
	if _, err := i.Read(smallest[1:]); err == nil || !strings.Contains(err.Error(), "bytes, and R says") {
		t.Errorf("a short index: %v", err)
	}
	flat, err := r.Indexes(nil, "amd64")
	if err != nil || len(flat) != 1 || flat[0].Path != "Packages.gz" {
		t.Errorf("the index of a flat repository is %+v, %v", flat, err)
	}
	for _, c := range []struct{ component, arch, want string }{
		{"main", "arm64", "R has no packages for arm64: it is for all, amd64"},
		{"new", "amd64", "R has no component new: use main, contrib"},
		{"contrib", "amd64", "R names no Packages file of contrib for amd64: use another component"},
	} {
		if _, err := r.Indexes([]string{c.component}, c.arch); err == nil || err.Error() != c.want {
			t.Errorf("%s for %s: %v, want %s", c.component, c.arch, err, c.want)
		}
	}
}
