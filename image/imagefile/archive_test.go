package imagefile_test

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// packed writes the layout of one image as an archive that is not ended.
func packed(tb testing.TB) *pack {
	tb.Helper()
	b := build(tb)
	oneImage(b)
	p := newPack(tb)
	must(tb, p.w.AddFS(os.DirFS(b.dir)))
	return p
}

// simple is an archive of docker save with one layer, which has a name and a text.
func simple(tb testing.TB, layer, text string, tags ...string) (p *pack, config string) {
	tb.Helper()
	config = `{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:` +
		hexOf("layer") + `"]}}`
	p = newPack(tb).file("c.json", config).
		file("manifest.json", manifestJSON(tb, entry{"c.json", tags, []string{layer}}))
	if text != "" {
		p.file(layer, text)
	}
	return p, config
}

// cut removes the end of a file.
func cut(tb testing.TB, file string, n int64) string {
	tb.Helper()
	fi, err := os.Stat(file)
	must(tb, err)
	must(tb, os.Truncate(file, fi.Size()-n))
	return file
}

// TestHostileArchives: an archive that is damaged, or that readers understand in two ways, is an
// error of one line, and nothing of it is an image in the store.
func TestHostileArchives(t *testing.T) {
	for name, test := range map[string]struct {
		want string
		make func(tb testing.TB) string // a reference
	}{
		"a member twice": {`"index.json" is there twice`, func(tb testing.TB) string {
			return "oci-archive:" + packed(tb).file("./index.json", "{}").end()
		}},
		"backslashes": {`it has ".\\oci-layout" in place of "oci-layout": make it with a tar that`, func(tb testing.TB) string {
			return "oci-archive:" + newPack(tb).file(`.\oci-layout`, "{}").file(`.\index.json`, "{}").end()
		}},
		"capitals": {`it has "Index.json" in place of "index.json"`, func(tb testing.TB) string {
			return "oci-archive:" + newPack(tb).file("oci-layout", `{"imageLayoutVersion":"1.0.0"}`).file("Index.json", "{}").end()
		}},
		"capitals of docker save": {`it has "Manifest.JSON" in place of "manifest.json"`, func(tb testing.TB) string {
			return "docker-archive:" + newPack(tb).file("Manifest.JSON", "[]").end()
		}},
		"a link": {`"a\n" is a link, which`, func(tb testing.TB) string {
			return "oci-archive:" + packed(tb).link(tar.TypeSymlink, "a\n", "oci-layout").end()
		}},
		"a hard link": {`"a" is a link, which`, func(tb testing.TB) string {
			return "oci-archive:" + packed(tb).link(tar.TypeLink, "a", "oci-layout").end()
		}},
		"an absolute name": {`"/etc/passwd" is not a name inside`, func(tb testing.TB) string {
			return "oci-archive:" + packed(tb).file("/etc/passwd", "").end()
		}},
		"a name that leads out": {`"a/../../b" is not a name inside`, func(tb testing.TB) string {
			return "oci-archive:" + packed(tb).file("a/../../b", "").end()
		}},
		"a device": {`"a" is not a file, a directory or a link`, func(tb testing.TB) string {
			return "oci-archive:" + packed(tb).add(tar.Header{Name: "a", Typeflag: tar.TypeFifo}, "").end()
		}},
		"without its end": {"it is truncated", func(tb testing.TB) string {
			return "oci-archive:" + cut(tb, packed(tb).end(), 1024)
		}},
		"in the middle of a member": {"it is truncated", func(tb testing.TB) string {
			return "oci-archive:" + cut(tb, packed(tb).file("last", strings.Repeat("x", 5000)).end(), 1024+2000)
		}},
		"in the middle of a header": {"it is truncated", func(tb testing.TB) string {
			return "oci-archive:" + cut(tb, packed(tb).file("last", "").end(), 1024+200)
		}},
		"gzip in its middle": {"unpacking it: it ends in the middle", func(tb testing.TB) string {
			return "oci-archive:" + cut(tb, gzipped(tb, packed(tb).end()), 20)
		}},
		"empty": {"it is truncated", func(tb testing.TB) string { return "oci-archive:" + newPack(tb).save(nil) }},
		"text": {"it is not a tar archive", func(tb testing.TB) string {
			return "oci-archive:" + newPack(tb).save(bytes.Repeat([]byte("text "), 500))
		}},
		"a bomb": {"it unpacks to more than 256 MiB, and to more than 100 times its size", func(tb testing.TB) string {
			file := filepath.Join(tb.TempDir(), "app.tar.zst")
			f, err := os.Create(file)
			must(tb, err)
			z, err := zstd.NewWriter(f)
			must(tb, err)
			_, err = io.CopyN(z, zeros{}, 300<<20)
			must(tb, err)
			must(tb, z.Close())
			must(tb, f.Close())
			return "oci-archive:" + file
		}},
		"a layer that is damaged": {"is damaged: its bytes have the digest", func(tb testing.TB) string {
			b := build(tb)
			must(tb, archivetest.Flip(b.path(layer(b, oneImage(b)))))
			return "oci-archive:" + archivetest.Pack(tb, b.dir, "zst")
		}},
		"docker save of a layout": {"it has no file oci-layout", func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "layer")
			return "oci-archive:" + p.end()
		}},
		"an archive twice compressed": {"it is not a tar archive", func(tb testing.TB) string {
			return "oci-archive:" + gzipped(tb, gzipped(tb, packed(tb).end()))
		}},
		"a member twice in docker save": {`"l.tar" is there twice`, func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "layer")
			return "docker-archive:" + p.file("l.tar", "layer").end()
		}},
		"a link out": {`"a/l.tar" is a link to "../../l.tar", which leads out`, func(tb testing.TB) string {
			p, _ := simple(tb, "a/l.tar", "")
			return "docker-archive:" + p.link(tar.TypeSymlink, "a/l.tar", "../../l.tar").end()
		}},
		"an absolute link": {`"l.tar" is a link to "/etc/passwd", which leads out`, func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "")
			return "docker-archive:" + p.link(tar.TypeSymlink, "l.tar", "/etc/passwd").end()
		}},
		"a hard link out": {`"l.tar" is a link to "../passwd", which leads out`, func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "")
			return "docker-archive:" + p.link(tar.TypeLink, "l.tar", "../passwd").end()
		}},
		"links in a circle": {`"l.tar" is a link to links, more than 8 or in a circle`, func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "")
			return "docker-archive:" + p.link(tar.TypeSymlink, "l.tar", "m").link(tar.TypeSymlink, "m", "l.tar").end()
		}},
		"a link to nothing": {`"l.tar" is a link to "m", which is not there`, func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "")
			return "docker-archive:" + p.link(tar.TypeSymlink, "l.tar", "m").end()
		}},
		"a layer outside": {`"../l.tar" is not a name inside the archive`, func(tb testing.TB) string {
			p, _ := simple(tb, "../l.tar", "")
			return "docker-archive:" + p.end()
		}},
		"no layer": {`"l\n.tar": `, func(tb testing.TB) string {
			p, _ := simple(tb, "l\n.tar", "")
			return "docker-archive:" + p.end()
		}},
		"another layer": {`layer "l\n.tar": it is damaged: it unpacks to sha256:`, func(tb testing.TB) string {
			p, _ := simple(tb, "l\n.tar", "another")
			return "docker-archive:" + p.end()
		}},
		"another compressed layer": {`layer "l.tar": it is damaged: it unpacks to sha256:`, func(tb testing.TB) string {
			file := newPack(tb).save([]byte("another"))
			raw, err := os.ReadFile(gzipped(tb, file))
			must(tb, err)
			p, _ := simple(tb, "l.tar", string(raw))
			return "docker-archive:" + p.end()
		}},
		"a layer of gzip with something behind": {`layer "l.tar": `, func(tb testing.TB) string {
			file := newPack(tb).save([]byte("layer"))
			raw, err := os.ReadFile(gzipped(tb, file))
			must(tb, err)
			p, _ := simple(tb, "l.tar", string(raw)+"something")
			return "docker-archive:" + p.end()
		}},
		"a configuration of another name": {"is damaged: its bytes have the digest", func(tb testing.TB) string {
			_, config := simple(tb, "l.tar", "layer")
			name := hexOf("another") + ".json"
			p := newPack(tb).file(name, config).file("manifest.json", manifestJSON(tb, entry{name, nil, []string{"l.tar"}}))
			return "docker-archive:" + p.file("l.tar", "layer").end()
		}},
		"no configuration": {`reading the configuration: "c.json": `, func(tb testing.TB) string {
			return "docker-archive:" + newPack(tb).file("manifest.json", manifestJSON(tb, entry{Config: "c.json"})).end()
		}},
		"a configuration without layers": {"has 2 layers, and its configuration lists 1", func(tb testing.TB) string {
			_, config := simple(tb, "l.tar", "layer")
			p := newPack(tb).file("c.json", config).
				file("manifest.json", manifestJSON(tb, entry{"c.json", nil, []string{"l.tar", "l.tar"}}))
			return "docker-archive:" + p.file("l.tar", "layer").end()
		}},
		"manifest.json is not JSON": {"reading manifest.json: ", func(tb testing.TB) string {
			return "docker-archive:" + newPack(tb).file("manifest.json", "[").end()
		}},
		"manifest.json lists nothing": {"manifest.json lists no image", func(tb testing.TB) string {
			return "docker-archive:" + newPack(tb).file("manifest.json", "[]").end()
		}},
		"another name": {`manifest.json lists no image "app:2": use "app:1\n"`, func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "layer", "app:1\n")
			return "docker-archive:" + p.end() + " app:2"
		}},
		"no name": {"manifest.json names no image: omit the name", func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "layer")
			return "docker-archive:" + p.end() + " app:2"
		}},
		"index.json that is damaged": {"reading index.json: ", func(tb testing.TB) string {
			p, _ := simple(tb, "l.tar", "layer")
			return "docker-archive:" + p.file("index.json", "{").end()
		}},
		"a sparse file": {`"x" is a sparse file`, func(tb testing.TB) string {
			p := newPack(tb)
			h := tar.Header{
				Name: "a", Typeflag: tar.TypeReg, Format: tar.FormatPAX,
				PAXRecords: map[string]string{
					"GNU_sparse.major": "1", "GNU_sparse.minor": "0", "GNU_sparse.name": "x", "GNU_sparse.realsize": "0",
				},
			}
			p.add(h, "0\n"+strings.Repeat("\x00", 510))
			must(tb, p.w.Close())
			raw := bytes.ReplaceAll(p.b.Bytes(), []byte("GNU_sparse"), []byte("GNU.sparse"))
			return "oci-archive:" + p.save(raw)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			text := test.make(t)
			st := storetest.Open(t)
			_, err := take(t, text, "linux/amd64", st)
			refused(t, err, test.want, os.TempDir())
			if n := manifests(t, st); n != 0 {
				t.Errorf("the store has %d manifests", n)
			}
			if left, err := os.ReadDir(st.Temp()); err != nil || strings.HasPrefix(text, "oci-archive") && len(left) > 0 &&
				!strings.Contains(test.want, "digest") {
				t.Errorf("%v is left: %v", left, err)
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestUnpackedIsRemoved: a compressed archive leaves nothing behind once it is closed.
func TestUnpackedIsRemoved(t *testing.T) {
	b := build(t)
	oneImage(b)
	st := storetest.Open(t)
	t.Run("open", func(t *testing.T) {
		_, err := take(t, "oci-archive:"+archivetest.Pack(t, b.dir, "gz"), "linux/amd64", st)
		must(t, err)
		if left, err := os.ReadDir(st.Temp()); err != nil || len(left) != 1 {
			t.Errorf("%d files are unpacked: %v", len(left), err)
		}
	})
	if left, err := os.ReadDir(st.Temp()); err != nil || len(left) != 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}
