package bundletest

import (
	"bytes"
	"testing"
)

// Relabelled is a bundle of entries in whose index.json the first place that says from says to.
func Relabelled(t *testing.T, good []Forged, from, to string) string {
	t.Helper()
	e := Clone(good)
	e[2].Data = bytes.Replace(e[2].Data, []byte(from), []byte(to), 1)
	if bytes.Equal(e[2].Data, good[2].Data) {
		t.Fatalf("index.json has no %q", from)
	}
	return Write(t, Forge(t, e))
}
