package bundle_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// FuzzHead gives any bytes for a decompressed head.
func FuzzHead(f *testing.F) {
	seeds(f, func(data []byte) {
		z, err := zstd.NewReader(nil)
		if err != nil {
			f.Fatal(err)
		}
		raw, err := z.DecodeAll(data, nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := bundle.ParseHead(bytes.NewReader(data))
		check(t, h, err)
	})
}

// FuzzBundle gives any bytes for a file.
func FuzzBundle(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := bundle.NewBundle(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		check(t, b.Head(), nil)
		readAll(t, b)
	})
}

// FuzzContents gives any JSON for index.json and manifest.json over the blobs of a good bundle.
func FuzzContents(f *testing.F) {
	var good *bundle.Head
	seeds(f, func(data []byte) {
		b, err := bundle.NewBundle(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			f.Fatal(err)
		}
		good = b.Head()
		index, docker := good.Documents(f)
		f.Add(index, docker)
	})
	f.Fuzz(func(t *testing.T, index, docker []byte) {
		if h, err := good.With(index, docker); err == nil {
			check(t, h, nil)
		}
	})
}

// check demands that what is accepted can be shown, and that it is consistent.
func check(t *testing.T, h *bundle.Head, err error) {
	if err != nil {
		return
	}
	c, err := h.Contents()
	if err != nil {
		return
	}
	for _, i := range c.Images {
		if err := imagename.Check(i.Name); err != nil || len(i.Included()) == 0 {
			t.Errorf("accepted %+v: %v", i, err)
		}
		for _, r := range i.Referrers {
			if r.Tag != "" && !imagename.IsCosignTag(r.Tag) {
				t.Errorf("accepted %+v", r)
			}
		}
	}
	var table strings.Builder
	if err := c.WriteTable(&table); err != nil {
		t.Error(err)
	}
	if text := table.String(); !output.IsLine(strings.ReplaceAll(text, "\n", "")) {
		t.Errorf("a table that is not printable: %q", text)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
	if _, err := bundle.NewLayout(c); err != nil && !strings.Contains(err.Error(), "larger than a reader accepts") {
		t.Errorf("it cannot be packed again: %v", err)
	}
	for _, i := range c.Images {
		for _, format := range []string{bundle.FormatOCI, bundle.FormatDocker} {
			h.ExtractFiles(i, bundle.ExtractOptions{Format: format}) //nolint:errcheck // an error, but no panic
		}
	}
}

func seeds(f *testing.F, add func([]byte)) {
	st, l := bundletest.Demo(f, 100)
	for _, file := range bundletest.Pack(f, st, l, f.TempDir(), bundletest.Targets(f)...) {
		data, err := os.ReadFile(file.Path)
		if err != nil {
			f.Fatal(err)
		}
		add(data)
	}
}
