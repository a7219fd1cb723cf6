package airgap

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/output"
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
		h, err := parseHead(bytes.NewReader(data))
		check(t, h, err)
	})
}

// FuzzBundle gives any bytes for a file.
func FuzzBundle(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := newBundle(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		check(t, b.head, nil)
		readAll(t, b)
	})
}

// FuzzContents gives any JSON for index.json and manifest.json over the blobs of a good bundle.
func FuzzContents(f *testing.F) {
	var good *head
	seeds(f, func(data []byte) {
		b, err := newBundle(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			f.Fatal(err)
		}
		good = b.head
		index, err := json.Marshal(good.index)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(index, good.docker)
	})
	f.Fuzz(func(t *testing.T, index, docker []byte) {
		h := &head{docker: docker, blobs: good.blobs}
		if decode("index.json", index, &h.index) != nil {
			return
		}
		check(t, h, nil)
	})
}

// check demands that what is accepted can be shown, and that it is consistent.
func check(t *testing.T, h *head, err error) {
	if err != nil {
		return
	}
	c, err := h.contents()
	if err != nil {
		return
	}
	for _, i := range c.Images {
		if err := imagename.Check(i.Name); err != nil || len(i.Children) == 0 {
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
	b := &Bundle{head: h, contents: c}
	b.arrange()
	plan, l, err := b.reread()
	if err != nil {
		return
	}
	if docker, _, err := plan.views(l); err != nil || len(docker) == 0 {
		t.Errorf("it cannot be packed again: %v", err)
	}
	for _, i := range c.Images {
		for _, format := range []string{FormatOCI, FormatDocker} {
			o := ExtractOptions{Format: format}
			if child, err := i.one(o); err == nil {
				b.members(i, child, o) //nolint:errcheck // an error, but no panic
			}
		}
	}
}

func seeds(f *testing.F, add func([]byte)) {
	st, l := demo(f, 100)
	for _, file := range pack(f, st, l, f.TempDir(), bundles(f)...) {
		data, err := os.ReadFile(file.Path)
		if err != nil {
			f.Fatal(err)
		}
		add(data)
	}
}
