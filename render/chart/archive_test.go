package chart_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/render/chart"
)

// read calls visit for the members of the package of a chart.
func read(t *testing.T, c *chart.Chart, visit func(h *tar.Header, r io.Reader)) {
	t.Helper()
	var b bytes.Buffer
	if err := c.Package(&b, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		visit(h, archive)
	}
}

func members(t *testing.T, c *chart.Chart) (names []string) {
	t.Helper()
	read(t, c, func(h *tar.Header, _ io.Reader) { names = append(names, h.Name) })
	return names
}

func content(t *testing.T, c *chart.Chart, name string) (text string) {
	t.Helper()
	read(t, c, func(h *tar.Header, r io.Reader) {
		if h.Name == name {
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
	})
	return text
}

// packed returns an archive of members.
func packed(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		data := h.PAXRecords["SLIPWAY.data"]
		h.PAXRecords = nil
		h.Size = int64(len(data))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func member(name, data string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, PAXRecords: map[string]string{"SLIPWAY.data": data}}
}

func TestReadBad(t *testing.T) {
	yaml := member("app/Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.0.0\n")
	for name, test := range map[string]struct {
		archive []byte
		want    string
	}{
		"not gzip": {
			[]byte("hello, this is text"),
			"app.tgz is not a chart: gzip: invalid header: name a .tgz that helm package made",
		},
		"truncated": {packed(t, yaml)[:60], "app.tgz is damaged: unexpected EOF: package the chart again"},
		"empty":     {packed(t), "app.tgz has no files: package the chart again"},
		"root": {
			packed(t, member("Chart.yaml", "x")),
			"app.tgz: member Chart.yaml is not in the chart's directory: package the chart with helm package",
		},
		"above": {
			packed(t, yaml, member("app/../../x", "x")),
			"app.tgz: member app/../../x leads out of the chart: package the chart again",
		},
		"link": {
			packed(t, yaml, tar.Header{Name: "app/x", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}),
			"app.tgz: member app/x is not a file: package the chart again without links",
		},
		"twice": {packed(t, yaml, yaml), "app.tgz has Chart.yaml twice: keep one"},
		"large": {
			packed(t, yaml, member("app/x", strings.Repeat("x", 65<<20))),
			"chart app.tgz has more than 64 MiB or 20000 files: list in .helmignore what does not belong to it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chart.Read("app.tgz", bytes.NewReader(test.archive))
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}
