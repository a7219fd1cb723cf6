package containerfile_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// waiting returns in as a check that is kept: its programs are there when built is set.
func waiting(in containerfile.Input, built *bool) containerfile.Input {
	files := map[string]containerfile.File{}
	for name, f := range in.Contexts["binaries"].Files {
		content := f.Content
		files[name] = containerfile.File{Mode: f.Mode, Later: func() layer.Content {
			if *built {
				return content
			}
			return layer.Content{}
		}}
	}
	in.Contexts = maps.Clone(in.Contexts)
	in.Contexts["binaries"] = containerfile.Context{Files: files}
	return in
}

// TestComplete checks every testdata/*.txtar: what a check has found and is then read is what a
// build finds.
func TestComplete(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	read := 0
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		must(t, err)
		c := dockerfiletest.Load(t, a)
		for _, p := range c.Platforms {
			want := evaluate(t, c.Input, p)
			built := false
			in := waiting(c.Input, &built)
			in.Platform, err = platform.Parse(p)
			must(t, err)
			r, err := containerfile.Check(t.Context(), in)
			if err != nil {
				continue
			}
			built = true
			defer r.Close()
			done, ok := r.Complete()
			if !ok {
				continue
			}
			read++
			if got := dump(t, done); got != want {
				t.Errorf("%s for %s: a check that is read has\n%s\nand a build\n%s", f, p, got, want)
			}
		}
	}
	if read < 30 {
		t.Errorf("only %d checks could be read", read)
	}
}

// TestUnread checks that a check which has asked for bytes that it does not have, or has assumed
// files, is not read.
func TestUnread(t *testing.T) {
	for name, text := range map[string]string{
		"asked":   "FROM scratch\nCOPY --from=binaries /linux_amd64/build-init /app\nRUN test -s /app && chmod 755 /app\n",
		"added":   "FROM scratch\nADD out/app /app\n",
		"owner":   "FROM scratch\nCOPY --from=binaries /linux_amd64/build-init /etc/passwd\nCOPY --chown=app app.txt /\n",
		"archive": "FROM scratch\nADD --unpack --checksum=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef https://example.com/a.tar.gz /a/\n",
		"copied":  "FROM scratch\nCOPY --from=binaries /linux_amd64/build-init /app\nCOPY app.txt /\n",
	} {
		c := dockerfiletest.Load(t, txtar.Parse([]byte("-- Dockerfile --\n"+text+"-- context/app.txt --\napp\n")))
		built := false
		in := waiting(c.Input, &built)
		in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
		in.Outputs = map[string]map[string]containerfile.File{
			"": {"out/app": in.Contexts["binaries"].Files["linux_amd64/build-init"]},
		}
		r, err := containerfile.Check(t.Context(), in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		defer r.Close()
		if _, ok := r.Complete(); ok != (name == "copied") {
			t.Errorf("%s: it was read: %v", name, ok)
		}
	}
}
