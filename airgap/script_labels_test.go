package airgap_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// digestOf is a digest with a letter as its name.
func digestOf(letter string) string { return "sha256:" + strings.Repeat(letter, 64) }

// sourceOf is the key of the label for a registry.
func sourceOf(host string) string { return "containerd.io/distribution.source." + host }

// labeledBy runs load-images.sh for images of a bundle with a ctr that lists content, and returns
// its calls that set labels, and what was printed.
func labeledBy(t *testing.T, images map[string]string, content []string, env ...string) (string, string, error) {
	t.Helper()
	dir := t.TempDir()
	var all []bundle.Image
	for name, digest := range images {
		h, err := v1.NewHash(digest)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bundle.Image{Name: name + ":1", Tree: &oci.Tree{Desc: v1.Descriptor{Digest: h}}})
	}
	path := filepath.Join(dir, "demo.tar.zst")
	scripts, err := airgap.Scripts("demo", "1.2.3",
		[]airgap.Target{{Name: "demo", Platform: platform.Platform{OS: platform.Linux, Architecture: "amd64"}}},
		[]bundle.File{{Path: path, Contents: &bundle.Contents{Images: all}}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("SHA256SUMS", fmt.Sprintf("%x  demo.tar.zst\n", sha256.Sum256([]byte("not read"))))
	write("demo.tar.zst", "not read")
	write("content", "DIGEST\tSIZE\tAGE\tLABELS\n"+strings.Join(content, "\n")+"\n")
	script := write("load-images.sh", string(scripts[0].Data))
	write("bin/uname", "#!/bin/sh\necho x86_64\n")
	write("bin/ctr", `#!/bin/sh
cat >/dev/null
case "$*" in
*" content ls") cat "$DIR/content" ;;
*" content label "*) [ -z "${BROKEN-}" ] || { echo "$BROKEN" >&2; exit 1; }; echo "$*" >>"$DIR/labels" ;;
esac
`)
	cmd := exec.Command("sh", script)
	cmd.Env = append(append(os.Environ(), "SNAPSHOT=yes", "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "DIR="+dir), env...)
	out, err := cmd.CombinedOutput()
	labels, _ := os.ReadFile(filepath.Join(dir, "labels"))
	return string(labels), string(out), err
}

// row is a line of ctr content ls.
func row(letter string, labels ...string) string {
	of := strings.Join(labels, ",")
	if of == "" {
		of = "-"
	}
	return digestOf(letter) + "\t1.2kB\tAbout a minute\t" + of
}

// child is the label by which containerd keeps one blob for another.
func child(what, letter string) string {
	return "containerd.io/gc.ref.content." + what + "=" + digestOf(letter)
}

// TestSources: a blob that is here gets a label for each registry that its images name, with
// their repositories as containerd joins them, and only if it lacks one.
func TestSources(t *testing.T) {
	long := strings.Repeat("a", 200)
	var full []string
	for n := range 20 {
		full = append(full, string(rune('a'+n))+long)
	}
	for name, c := range map[string]struct {
		images  map[string]string
		content []string
		want    []string
	}{
		"everything below an image that is here": {
			map[string]string{"docker.io/library/pause": digestOf("a")},
			[]string{
				row("a", child("m.0", "b"), child("m.1", "c")), row("b", child("config", "d"), child("l.0", "e")),
				row("d"), row("e", "containerd.io/uncompressed="+digestOf("f")), row("f"),
			},
			[]string{
				digestOf("a") + " " + sourceOf("docker.io") + "=library/pause",
				digestOf("b") + " " + sourceOf("docker.io") + "=library/pause",
				digestOf("d") + " " + sourceOf("docker.io") + "=library/pause",
				digestOf("e") + " " + sourceOf("docker.io") + "=library/pause",
			},
		},
		"no image is here": {
			map[string]string{"docker.io/library/pause": digestOf("f")},
			[]string{row("a", child("m.0", "b")), row("b")},
			nil,
		},
		"what two repositories have": {
			map[string]string{
				"r.io/10": digestOf("a"), "r.io/9": digestOf("b"), "r.io/2": digestOf("c"), "s.io/x/y": digestOf("c"),
			},
			[]string{row("a", child("l.0", "d")), row("b", child("l.0", "d")), row("c", child("l.0", "d")), row("d")},
			[]string{
				digestOf("a") + " " + sourceOf("r.io") + "=10", digestOf("b") + " " + sourceOf("r.io") + "=9",
				digestOf("c") + " " + sourceOf("r.io") + "=2", digestOf("c") + " " + sourceOf("s.io") + "=x/y",
				digestOf("d") + " " + sourceOf("r.io") + "=10,2,9", digestOf("d") + " " + sourceOf("s.io") + "=x/y",
			},
		},
		"ports": {
			map[string]string{"r.io:5000/x": digestOf("a"), "[::1]:5000/y": digestOf("b"), "[::2]/z": digestOf("c")},
			[]string{row("a"), row("b"), row("c")},
			[]string{
				digestOf("a") + " " + sourceOf("r.io") + "=x", digestOf("b") + " " + sourceOf("::1") + "=y",
				digestOf("c") + " " + sourceOf("::2") + "=z",
			},
		},
		"what was pulled before": {
			map[string]string{"r.io/m": digestOf("a"), "r.io/q": digestOf("b")},
			[]string{
				row("a", sourceOf("r.io")+"=k", "z/z", "x=y"),
				row("b", sourceOf("r.io")+"=k", "q", sourceOf("other.io")+"=o"),
			},
			[]string{digestOf("a") + " " + sourceOf("r.io") + "=k,m,z/z"},
		},
		"a value of something else": {
			map[string]string{"r.io/m": digestOf("a")},
			[]string{row("a", sourceOf("r.io")+"='k", `"x`)},
			[]string{digestOf("a") + " " + sourceOf("r.io") + "=m"},
		},
		"longer than containerd allows": {
			map[string]string{"r.io/" + long: digestOf("a"), "r.io/0": digestOf("b")},
			[]string{
				row("a", append([]string{sourceOf("r.io") + "=" + full[0]}, full[1:]...)...),
				row("b", append([]string{sourceOf("r.io") + "=" + full[0]}, full[1:]...)...),
			},
			[]string{digestOf("b") + " " + sourceOf("r.io") + "=0," + strings.Join(full, ",")},
		},
		"a circle": {
			map[string]string{"r.io/m": digestOf("a")},
			[]string{row("a", child("m.0", "a"))},
			[]string{digestOf("a") + " " + sourceOf("r.io") + "=m"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, out, err := labeledBy(t, c.images, c.content)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range c.want {
				line := "--namespace k8s.io content label " + want + "\n"
				if !strings.Contains(got, line) {
					t.Errorf("%s was not set: got\n%s", want, got)
				}
				got = strings.Replace(got, line, "", 1)
			}
			if got != "" {
				t.Errorf("set besides:\n%s", got)
			}
		})
	}
}

// TestSourcesLeftOut: the labels can be left out, and a failure to set them is one of the script.
func TestSourcesLeftOut(t *testing.T) {
	images, content := map[string]string{"r.io/m": digestOf("a")}, []string{row("a")}
	got, out, err := labeledBy(t, images, content, "LABELS=no")
	if err != nil || got != "" || !strings.Contains(out, "done: 1 images") {
		t.Errorf("LABELS=no: %v, %s, %s", err, got, out)
	}
	got, out, err = labeledBy(t, images, content, "ADDRESS=/run/c.sock", "NAMESPACE=other")
	if err != nil || !strings.HasPrefix(got, "--namespace other --address /run/c.sock content label ") {
		t.Errorf("elsewhere: %v, %s, %s", err, got, out)
	}
	for env, want := range map[string]string{
		"LABELS=maybe":        "LABELS=maybe is neither yes nor no",
		"BROKEN=disk is full": "disk is full\nload-images.sh: the images are imported, but not all of their blobs are labeled",
	} {
		got, out, err := labeledBy(t, images, content, env)
		if err == nil || !strings.Contains(out, want) || got != "" || strings.Contains(out, "done:") {
			t.Errorf("%s: %v, %s, %s", env, err, got, out)
		}
	}
}
