package layer_test

import (
	"testing"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
)

// TestNamesNotUTF8 writes layers that differ only in bytes that are not UTF-8: each is its own.
func TestNamesNotUTF8(t *testing.T) {
	st := storetest.Open(t)
	seen := map[string]string{}
	for what, e := range map[string]layer.Entry{
		"file e9": {Path: "/caf\xe9", Mode: 0o644, Content: layer.Bytes([]byte("x"))},
		"file e8": {Path: "/caf\xe8", Mode: 0o644, Content: layer.Bytes([]byte("x"))},
		"file":    {Path: "/caf\ufffd", Mode: 0o644, Content: layer.Bytes([]byte("x"))},
		"link e9": {Path: "/l", Type: layer.Symlink, Mode: 0o777, Linkname: "caf\xe9"},
		"link e8": {Path: "/l", Type: layer.Symlink, Mode: 0o777, Linkname: "caf\xe8"},
	} {
		l := write(t, st, []layer.Entry{e}, layer.Options{OS: platform.Linux})
		if other, twice := seen[l.Digest.Hex]; twice {
			t.Errorf("%s and %s have one layer", what, other)
		}
		seen[l.Digest.Hex] = what
	}
}
