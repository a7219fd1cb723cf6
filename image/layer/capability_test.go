package layer_test

import (
	"archive/tar"
	"testing"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/store"
)

// TestCapability checks the PAX record of a file's capabilities, on its hard links, too, and that
// a layer is another one with it.
func TestCapability(t *testing.T) {
	const value = "\x01\x00\x00\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	with := func(value string) layer.Layer {
		l, err := layer.Write(t.Context(), st, []layer.Entry{
			{Path: "/a", Mode: 0o755, Content: layer.Bytes([]byte("x")), Capability: value},
			{Path: "/b", Type: layer.Hardlink, Linkname: "/a"},
		}, layer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := with(value)
	// bytes that are no UTF-8 count, too
	one, other := with(value[1:]+"\xff"), with(value[1:]+"\xfe")
	if l.Digest == with("").Digest || one.Digest == other.Digest {
		t.Error("the layer is the same with other capabilities")
	}
	records := map[string]string{}
	each(t, untar(t, st, l), func(h *tar.Header, _ []byte) { records[h.Name] = h.PAXRecords[layer.CapabilityRecord] })
	if records["a"] != value || records["b"] != value {
		t.Errorf("the records are %q", records)
	}
}
