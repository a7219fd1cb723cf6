package bundle_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// first inserts text behind the first brace of a document.
func first(e []bundletest.Forged, n int, text string) {
	e[n].Data = bytes.Replace(e[n].Data, []byte("{"), []byte("{"+text), 1)
}

// forms are changes of what a bundle has without a digest. Each leaves a bundle whose contents
// slipway could decode; some readers of tar or JSON take it for another one.
var forms = map[string]func(e []bundletest.Forged) []bundletest.Forged{
	"space in manifest.json": func(e []bundletest.Forged) []bundletest.Forged {
		e[0].Data = append(e[0].Data,
			' ')
		return e
	},
	"space in index.json": func(e []bundletest.Forged) []bundletest.Forged {
		e[2].Data = append(e[2].Data,
			'\n')
		return e
	},
	"space in oci-layout": func(e []bundletest.Forged) []bundletest.Forged {
		e[1].Data = append(e[1].Data,
			' ')
		return e
	},
	"another key in oci-layout": func(e []bundletest.Forged) []bundletest.Forged {
		first(e,
			1, `"a":"b",`)
		return e
	},
	"a key twice in index.json": func(e []bundletest.Forged) []bundletest.Forged {
		first(e,
			2, `"manifests":[],`)
		return e
	},
	"a key in capitals in index": func(e []bundletest.Forged) []bundletest.Forged {
		first(e,
			2, `"Manifests":[],`)
		return e
	},
	"a key twice in manifest.json": func(e []bundletest.Forged) []bundletest.Forged {
		first(e,
			0, `"RepoTags":["evil:1"],`)
		return e
	},
	"unknown annotation": func(e []bundletest.Forged) []bundletest.Forged {
		first(e,
			2, `"a":"b",`)
		return e
	},
	"another owner in a header": func(e []bundletest.Forged) []bundletest.Forged { e[0].Uid = 1; return e },
	"another time in a header": func(e []bundletest.Forged) []bundletest.Forged {
		e[3].ModTime = time.Unix(1,
			0)
		return e
	},
	"another time of a layer":         func(e []bundletest.Forged) []bundletest.Forged { e[len(e)-1].ModTime = time.Unix(1, 0); return e },
	"a layer with a name of an owner": func(e []bundletest.Forged) []bundletest.Forged { e[len(e)-1].Uname = "root"; return e },
	"metadata in another order": func(e []bundletest.Forged) []bundletest.Forged {
		e[3], e[4] = e[4],
			e[3]
		return e
	},
	"layers in another order": func(e []bundletest.Forged) []bundletest.Forged {
		slices.Reverse(e[len(e)-2:])
		return e
	},
	"a second index.json": func(e []bundletest.Forged) []bundletest.Forged {
		return append(e,
			bundletest.Forged{Header: tar.Header{Name: "index.json", Typeflag: tar.TypeReg}, Data: e[2].Data})
	},
	"a second manifest.json by another name": func(e []bundletest.Forged) []bundletest.Forged {
		return append(e,
			bundletest.Forged{Header: tar.Header{Name: "./manifest.json", Typeflag: tar.TypeReg}, Data: e[0].Data})
	},
}

// TestForm: what a bundle has without a digest must be in the only form of it, for whoever opens or
// verifies a bundle, a volume or a delta.
func TestForm(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 500)
	for _, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		good := bundletest.Headers(t, f.Path)
		if err := accepted(t, bundletest.Forge(t, good)); err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		for name, change := range forms {
			if err := accepted(t, bundletest.Forge(t, change(bundletest.Clone(good)))); err == nil {
				t.Errorf("%s: it is verified", name)
			}
		}
		raw := bundletest.Decompress(t, bundletest.Forge(t, good))
		for name, at := range map[string]int{
			"padding of manifest.json": paddingOf(t, raw, "manifest.json"),
			"padding of index.json":    paddingOf(t, raw, "index.json"),
			"padding of a layer":       paddingOf(t, raw, good[len(good)-1].Name), "the end": len(raw) - 1,
		} {
			bad := bytes.Clone(raw)
			bad[at] = 1
			if err := accepted(t, bundletest.Compress(t, bad)); err == nil {
				t.Errorf("%s: it is verified", name)
			}
		}
	}
}

// accepted verifies a bundle; the error is the first problem.
func accepted(t *testing.T, data []byte) error {
	t.Helper()
	r, err := bundle.Verify(t.Context(), bundletest.Write(t, data), bundle.VerifyOptions{})
	if err == nil && len(r.Problems) > 0 {
		err = errors.New(r.Problems[0].String())
	}
	return err
}

// paddingOf returns where the last byte of the padding of a file is in a tar.
func paddingOf(t *testing.T, raw []byte, name string) int {
	t.Helper()
	for at := 0; ; {
		h, err := tar.NewReader(bytes.NewReader(raw[at:])).Next()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		at += 512 + int(h.Size+511)/512*512
		if h.Name == name {
			if h.Size%512 == 0 {
				t.Fatalf("%s has no padding", name)
			}
			return at - 1
		}
	}
}
