package imagefile_test

import (
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// refused checks that an error is one line with a text, and that a store has no manifest.
func refused(t *testing.T, err error, want string, dir string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("there is no error, want %s", want)
	case strings.ContainsAny(err.Error(), "\n\r\x1b") || !strings.Contains(err.Error(), want):
		t.Errorf("the error is\n%q, want\n%s", err, want)
	case strings.Contains(err.Error(), dir):
		t.Errorf("the error has the path of the machine: %s", err)
	}
}

// TestChoose: only the image that a reference and a platform name is taken.
func TestChoose(t *testing.T) {
	// make returns the image that is expected, and what stands behind the path of the reference
	for name, test := range map[string]struct {
		on    string
		build func(b *builder) (want v1.Descriptor, which string)
	}{
		"the configuration decides, not the descriptor": {"linux/arm64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/arm64")
			b.list(listed(b.tb, d, "linux/amd64"))
			return d, ""
		}},
		"nested": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			b.list(b.index(b.index(b.index(b.index(b.on("linux/arm64"), d)))))
			return d, ""
		}},
		"one digest by two entries": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			b.list(named(d, "1"), named(d, "2"), b.index(d))
			return d, ""
		}},
		"a part of an index": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d, gone := b.on("linux/amd64"), b.on("linux/arm64")
			b.list(b.index(d, listed(b.tb, gone, "linux/arm64")))
			b.remove(gone.Digest)
			return d, ""
		}},
		"by a tag": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			b.list(named(d, "1"), named(b.on("linux/amd64"), "2"))
			return d, "1"
		}},
		"by containerd's name": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			b.list(with(d, "io.containerd.image.name", "localhost:5000/app:1"), named(b.on("linux/amd64"), "2"))
			return d, "localhost:5000/app:1"
		}},
		"by its tag": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			b.list(with(d, "io.containerd.image.name", "localhost:5000/app:1"), named(b.on("linux/amd64"), "2"))
			return d, "1"
		}},
		"by the digest of a nested index": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			i := b.index(d)
			b.list(b.index(i), b.on("linux/amd64"))
			return d, "@" + i.Digest.String()
		}},
		"by its digest": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			b.list(b.index(d, b.on("linux/amd64")))
			return d, "@" + d.Digest.String()
		}},
		"next to what is not an image": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			proof := b.image(indextest.Proof(b.tb, ".sig", d.Digest))
			b.list(d, b.blob("text", "text/plain"), listed(b.tb, b.on("linux/amd64"), "unknown/unknown"),
				b.changed(func(m *v1.Manifest) { m.Subject = &d }),
				b.changed(func(m *v1.Manifest) { m.Config.MediaType = "application/vnd.cncf.helm.config.v1+json" }),
				proof, named(b.on("linux/amd64"), "sha256-"+d.Digest.Hex+".sig"))
			return d, ""
		}},
		"Windows by its build": {"windows/amd64:ltsc2022", func(b *builder) (v1.Descriptor, string) {
			d := b.on("windows/amd64:10.0.20348.1")
			b.list(b.on(indextest.Windows2019), d, b.on(indextest.Windows2025))
			return d, ""
		}},
		"Windows by its revision": {"windows/amd64:10.0.20348.5", func(b *builder) (v1.Descriptor, string) {
			d := b.on("windows/amd64:10.0.20348.5")
			b.list(b.on("windows/amd64:10.0.20348.9"), d)
			return d, ""
		}},
		"a newer layout": {"linux/amd64", func(b *builder) (v1.Descriptor, string) {
			d := b.on("linux/amd64")
			b.list(d).write("oci-layout", `{"imageLayoutVersion":"1.1.0"}`)
			return d, ""
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			want, which := test.build(b)
			st := storetest.Open(t)
			for _, place := range []string{"oci:" + b.dir, "oci-archive:" + archivetest.Pack(t, b.dir, "tar")} {
				taken, err := take(t, place+" "+which, test.on, st)
				must(t, err)
				if taken.Manifest.Digest != want.Digest {
					t.Errorf("took %s, want %s", taken.Manifest.Digest, want.Digest)
				}
			}
		})
	}
}

// TestNotChosen: what is not clear is an error that says what to do.
func TestNotChosen(t *testing.T) {
	for name, test := range map[string]struct {
		on, want string
		build    func(b *builder) (which string)
	}{
		"none": {
			"linux/arm64", "oci:app has no image for linux/arm64, only for linux/amd64, linux/s390x: build it for this platform too, or take the platform out",
			func(b *builder) string { b.list(b.on("linux/amd64"), b.on("linux/s390x")); return "" },
		},
		"one for another platform": {
			"linux/amd64", "oci:app is an image for linux/arm64, not for linux/amd64: build it",
			func(b *builder) string { b.list(b.on("linux/arm64")); return "" },
		},
		"one for another platform, and a signature without its tag": {
			"linux/amd64", "oci:app is an image for linux/arm64, not for linux/amd64: build it",
			func(b *builder) string {
				d := b.on("linux/arm64")
				b.list(d, b.image(indextest.Proof(b.tb, ".sig", d.Digest)))
				return ""
			},
		},
		"two": {
			"linux/amd64", ": add :TAG or @DIGEST",
			func(b *builder) string { b.list(b.on("linux/amd64"), b.on("linux/amd64")); return "" },
		},
		"two below a tag": {
			"linux/amd64", ": add @DIGEST instead of the tag",
			func(b *builder) string {
				b.list(named(b.index(b.on("linux/amd64"), b.on("linux/amd64")), "1"))
				return "1"
			},
		},
		"not there": {
			"linux/arm64", "and its manifest or configuration is not there: export this platform, too",
			func(b *builder) string {
				d := b.on("linux/arm64")
				b.list(b.index(b.on("linux/amd64"), listed(b.tb, d, "linux/arm64")))
				b.remove(d.Digest)
				return ""
			},
		},
		"configuration not there": {
			"linux/arm64", "and its manifest or configuration is not there: export this platform, too",
			func(b *builder) string {
				img := indextest.Image(b.tb, "linux/arm64", types.OCIManifestSchema1)
				b.list(b.index(b.on("linux/amd64"), listed(b.tb, b.image(img), "linux/arm64")))
				h, err := img.ConfigName()
				must(b.tb, err)
				b.remove(h)
				return ""
			},
		},
		"nothing there": {
			"linux/arm64", "and its manifest or configuration is not there: export the image whole",
			func(b *builder) string { d := b.on("linux/amd64"); b.list(d).remove(d.Digest); return "" },
		},
		"empty": {
			"linux/amd64", "oci:app has no image: ", func(b *builder) string { b.list(); return "" },
		},
		"only an artifact": {
			"linux/amd64", "oci:app has no image: ",
			func(b *builder) string {
				b.list(b.changed(func(m *v1.Manifest) { m.Config.MediaType = "text/plain" }))
				return ""
			},
		},
		"no such tag": {
			"linux/amd64", `index.json lists no image as "3\n": use "1", "2"`,
			func(b *builder) string {
				b.list(named(b.on("linux/amd64"), "2"), named(b.on("linux/amd64"), "1"))
				return "3\n"
			},
		},
		"no tags": {
			"linux/amd64", `index.json names no image: omit the tag`,
			func(b *builder) string { b.list(b.on("linux/amd64")); return "3" },
		},
		"a part of a tag": {
			"linux/amd64", `index.json lists no image as "1": use "v1\x1b"`,
			func(b *builder) string { b.list(named(b.on("linux/amd64"), "v1\x1b")); return "1" },
		},
		"one tag, two images": {
			"linux/amd64", `index.json lists two images as "1", sha256:`,
			func(b *builder) string {
				b.list(named(b.on("linux/amd64"), "1"), named(b.on("linux/amd64"), "example.com/app:1"))
				return "1"
			},
		},
		"a tag of nothing": {
			"linux/amd64", ` as "1", and its bytes are not there`,
			func(b *builder) string {
				d := b.on("linux/amd64")
				b.list(named(d, "1")).remove(d.Digest)
				return "1"
			},
		},
		"no such digest": {
			"linux/amd64", "index.json lists no sha256:000",
			func(b *builder) string {
				b.list(b.on("linux/amd64"))
				return "@sha256:" + strings.Repeat("0", 64)
			},
		},
		"a digest of nothing": {
			"linux/amd64", ", whose bytes are not there",
			func(b *builder) string {
				d := b.on("linux/amd64")
				b.list(d).remove(d.Digest)
				return "@" + d.Digest.String()
			},
		},
		"Windows without a version": {
			indextest.Windows2022, `the os.version "" of sha256:`,
			func(b *builder) string { b.list(b.on("windows/amd64")); return "" },
		},
		"Windows without a revision": {
			indextest.Windows2022, "has not four parts, so no host can tell whether it runs",
			func(b *builder) string { b.list(b.on("windows/amd64:10.0.20348"), b.on("linux/amd64")); return "" },
		},
		"another Windows": {
			indextest.Windows2022, "oci:app is an image for windows/amd64:10.0.17763.6893, not for windows/amd64:10.0.20348.3091",
			func(b *builder) string { b.list(b.on(indextest.Windows2019)); return "" },
		},
		"a platform of two lines": {
			"linux/amd64", `is an image for linux\n✓/amd64, not`,
			func(b *builder) string { b.list(b.on("linux\n✓/amd64")); return "" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			which := test.build(b)
			st := storetest.Open(t)
			_, err := take(t, "oci:"+b.dir+" "+which, test.on, st)
			refused(t, err, test.want, b.dir)
			if n := manifests(t, st); n != 0 {
				t.Errorf("the store has %d manifests", n)
			}
		})
	}
}

// TestPlatforms lists what is there, for messages.
func TestPlatforms(t *testing.T) {
	b := build(t)
	gone := b.on("linux/s390x")
	b.list(b.index(b.on(indextest.Windows2022), b.on("linux/arm64"), b.on("linux/amd64"), gone), b.on("linux/amd64"))
	b.remove(gone.Digest)
	f, err := open(t, "oci:"+b.dir, storetest.Open(t))
	must(t, err)
	var names []string
	for _, p := range f.Platforms() {
		names = append(names, p.String())
	}
	if got, want := strings.Join(names, " "), "linux/amd64 linux/arm64 "+indextest.Windows2022; got != want {
		t.Errorf("the platforms are %s, want %s", got, want)
	}
}
