package imagefile_test

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestChanged: what changes between Open and Put is an error, never another image.
func TestChanged(t *testing.T) {
	for _, test := range []struct {
		transport, want string
		change          func(file string) error // of a blob, or of the archive
	}{
		{"oci", "is damaged: its bytes have the digest", archivetest.Flip},
		{"oci", "bytes, and is listed with", func(blob string) error { return os.Truncate(blob, 1) }},
		{"oci", "is listed, and not there", os.Remove},
		{"docker-archive", "it is damaged: it unpacks to sha256:", func(file string) error {
			raw, err := os.ReadFile(file)
			must(t, err)
			return os.WriteFile(file, []byte(strings.ReplaceAll(string(raw), "aaaa", "abba")), 0o600)
		}},
		{"docker-archive", "it unpacks to sha256:", func(file string) error { return os.Truncate(file, 2048) }},
	} {
		b := build(t)
		place, changed := b.dir, b.path(layer(b, oneImage(b)))
		if test.transport != "oci" {
			place = docker113(t, three(t, "linux/amd64")).end()
			changed = place
		}
		st := storetest.Open(t)
		f, err := open(t, test.transport+":"+place, st)
		must(t, err)
		i, err := f.Image(parse(t, "linux/amd64"))
		must(t, err)
		must(t, test.change(changed))
		i.Look = func(_ v1.Descriptor, r io.Reader) {
			r.Read(make([]byte, 3)) //nolint:errcheck // it looks at what there is
		}
		_, err = i.Put(context.Background(), st)
		refused(t, err, test.want, b.dir)
		if n := manifests(t, st); n != 0 {
			t.Errorf("the store has %d manifests", n)
		}
	}
}

// TestSecondPut reads no blob that the store has, and one that it has lost.
func TestSecondPut(t *testing.T) {
	b := build(t)
	img := oneImage(b)
	d := b.top[0]
	b.list(b.referrer("example/sbom", d))
	st := storetest.Open(t)
	f, err := open(t, "oci:"+b.dir, st)
	must(t, err)
	i, err := f.Image(parse(t, "linux/amd64"))
	must(t, err)
	var looked sync.Map
	i.Look = func(blob v1.Descriptor, r io.Reader) {
		n, err := r.Read(make([]byte, 3))
		looked.Store(blob.Digest, n)
		must(t, err)
	}
	_, err = i.Put(context.Background(), st)
	must(t, err)
	if _, ok := looked.Load(layer(b, img)); !ok {
		t.Error("the layer was not looked at")
	}
	taken, read := again(t, "oci:"+b.dir, "linux/amd64", st)
	if taken.Digest != d.Digest || len(read) != 0 {
		t.Errorf("took %s, want %s, and read %q", taken.Digest, d.Digest, read)
	}
	lost := layer(b, img)
	must(t, os.Remove(st.Path(lost)))
	if _, read = again(t, "oci:"+b.dir, "linux/amd64", st); !slices.Contains(read, "blobs/sha256/"+lost.Hex) {
		t.Errorf("read %q, and not the layer that was lost", read)
	}
	must(t, os.Truncate(st.Path(lost), 1))
	f, err = open(t, "oci:"+b.dir, st)
	must(t, err)
	i, err = f.Image(parse(t, "linux/amd64"))
	must(t, err)
	if _, err = i.Put(context.Background(), st); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a damaged layer of the store: %v", err)
	}
}

// TestCanceled: a run that is stopped leaves no image.
func TestCanceled(t *testing.T) {
	b := build(t)
	oneImage(b)
	for _, text := range []string{"oci:" + b.dir, "docker-archive:" + docker113(t, three(t, "linux/amd64")).end()} {
		st := storetest.Open(t)
		f, err := open(t, text, st)
		must(t, err)
		i, err := f.Image(parse(t, "linux/amd64"))
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = i.Put(ctx, st)
		refused(t, err, "context canceled", b.dir)
		if n := manifests(t, st); n != 0 {
			t.Errorf("the store has %d manifests", n)
		}
	}
}

// TestProgress shows what is copied, and nothing the second time.
func TestProgress(t *testing.T) {
	b := build(t)
	oneImage(b)
	st := storetest.Open(t)
	for _, want := range []string{"✓ reading oci:app: ", ""} {
		var log strings.Builder
		f, err := open(t, "oci:"+b.dir, st)
		must(t, err)
		f.Progress = progress.New(&log)
		i, err := f.Image(parse(t, "linux/amd64"))
		must(t, err)
		_, err = i.Put(context.Background(), st)
		must(t, err)
		f.Progress.Close()
		if got := log.String(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("the log is %q, want %q", got, want)
		}
	}
}
