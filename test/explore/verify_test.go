//go:build linux

package explore

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// bundles returns the paths of the bundles in a directory.
func (w *world) bundles(dir string) []string { return w.files(dir, ".tar.zst") }

// verify verifies what was made.
func (w *world) verify() {
	args := []string{"verify"}
	if w.now.key != "" {
		args = append(args, "-key="+w.now.key, "out")
	} else {
		args = append(args, "-sums=out/SHA256SUMS", "-lock=out/release.lock.json")
		args = append(args, w.bundles("out")...)
	}
	if maybe(w.t, 2, "json") {
		args = append(args, "-json")
	}
	if len(w.bundles("out")) == 0 && w.now.key == "" {
		return
	}
	w.ok(w.reads(args...))
}

// damage changes a byte of a file that is verified.
func (w *world) damage() {
	all := w.bundles("out")
	if len(all) == 0 {
		return
	}
	path := pick(w.t, "bundle", all...)
	data, err := os.ReadFile(w.path(path))
	must(w.t, err)
	content := unpacked(w.t, data)
	at := rapid.IntRange(0, len(data)-1).Draw(w.t, "at")
	data[at] ^= byte(rapid.IntRange(1, 255).Draw(w.t, "by"))
	must(w.t, os.MkdirAll(w.path("damaged"), 0o755))
	must(w.t, os.WriteFile(w.path("damaged/"+filepath.Base(path)), data, 0o600))
	w.script = append(w.script, fmt.Sprintf("# byte %d of %s changed, in damaged/", at, path))
	args := []string{
		"verify", "-lock=out/release.lock.json", "-sums=out/SHA256SUMS",
		"damaged/" + filepath.Base(path),
	}
	if r := w.reads(args...); r.code == 0 {
		w.fail(r, "a changed byte is not noticed")
	}
	// zstd has bits that nobody reads, and several forms of one content
	if r := w.reads("verify", "damaged/"+filepath.Base(path)); r.code == 0 &&
		!bytes.Equal(unpacked(w.t, data), content) {
		w.fail(r, "a changed byte is not noticed without checksums")
	}
	remove(w.path("damaged"))
}

// unpacked decompresses a bundle; nil if it cannot be decompressed.
func unpacked(t *rapid.T, data []byte) []byte {
	d, err := zstd.NewReader(nil)
	must(t, err)
	defer d.Close()
	content, err := d.DecodeAll(data, nil)
	if err != nil {
		return nil
	}
	return content
}

// ask runs a command that only reads.
func (w *world) ask() {
	bundle := append(w.bundles("out"), "out/none.tar.zst")[0]
	json := map[bool][]string{true: {"-json"}}[rapid.Bool().Draw(w.t, "json")]
	asked := pick(w.t, "question",
		[]string{"check", "-product=src/slipway.yaml"},
		[]string{"plan", "-product=src/slipway.yaml", "-store=store", "-out=out"},
		[]string{"images", "-product=src/slipway.yaml"},
		[]string{"lint", "out/release.yaml"},
		[]string{"airgap", "inspect", bundle},
		[]string{"airgap", "inspect", "-format=names", bundle},
		[]string{"airgap", "inspect", "-format=digests", bundle},
		[]string{"airgap", "diff", bundle, bundle},
		[]string{"version"},
	)
	if asked[0] == "lint" && asked[1] == "out/release.yaml" && !w.exists("out/release.yaml") ||
		strings.HasSuffix(asked[len(asked)-1], ".zst") && !w.exists(bundle) {
		return
	}
	flags := json
	if slices.ContainsFunc(asked, func(a string) bool { return strings.HasPrefix(a, "-format=") }) {
		flags = nil // the JSON has all
	}
	if asked[0] == "check" || asked[0] == "plan" {
		flags = append(slices.Clone(json), w.now.flags...)
	}
	w.ok(w.reads(append(slices.Clone(asked), flags...)...))
}
