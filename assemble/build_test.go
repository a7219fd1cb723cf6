package assemble_test

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/image/deflate"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestExample builds examples/hello and compares the images' configurations and files
// with a golden file. It omits digests, which change with Go versions.
func TestExample(t *testing.T) {
	p, st := load(t, copied(t, "../examples/hello")), storetest.Open(t)
	l := result(t, p, st)
	if l.Name != "hello" || l.Version != "1.0.0" || l.BuildVersion != stagefile.Build.Version || l.Selected != nil {
		t.Errorf("the result is %+v", l)
	}
	var all strings.Builder
	for _, i := range l.Images {
		if i.MediaType != types.OCIImageIndex {
			t.Errorf("%s is %s", i.Name, i.MediaType)
		}
		idx, err := storetest.OpenIndex(st, i.Digest)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(idx); err != nil {
			t.Errorf("%s: %v", i.Name, err)
		}
		all.WriteString(describe(t, st, i, idx))
	}
	golden.Compare(t, *update, "testdata/example.golden", all.String())
}

// TestChildren checks that index, manifests and lock agree, and that a Windows program is
// one layer shared by three bases.
func TestChildren(t *testing.T) {
	p, st := load(t, copied(t, "../examples/hello")), storetest.Open(t)
	for _, i := range result(t, p, st).Images {
		var order []string
		windows := map[string]bool{}
		for n, d := range children(t, st, i) {
			c := i.Children[n]
			order = append(order, platform.From(d.Platform).String())
			if c.Digest != d.Digest || c.Size != d.Size || c.Platform.String() != platform.From(d.Platform).String() ||
				c.OSVersion != d.Platform.OSVersion {
				t.Errorf("%s: the lock says %+v, the index %+v", i.Name, c, d.Descriptor)
			}
			check(t, d.Image, c)
			if d.Platform.OS == platform.Windows {
				windows[strings.Join(digests(t, d.Image)[1:], " ")] = true
			}
		}
		want := []string{
			"linux/amd64", "windows/amd64:10.0.26100.1", "windows/amd64:10.0.20348.1",
			"windows/amd64:10.0.17763.1",
		}
		if !slices.Equal(order, want) {
			t.Errorf("%s: the children are %q, want %q", i.Name, order, want)
		}
		if len(windows) != 1 {
			t.Errorf("%s: the Windows children have %d sets of layers: %v", i.Name, len(windows), windows)
		}
	}
}

// check compares a manifest with its entry in the lock.
func check(t *testing.T, img v1.Image, c lock.Child) {
	t.Helper()
	cf, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	var content int64
	for _, l := range m.Layers {
		content += l.Size
	}
	if cf.OSVersion != c.OSVersion || config != c.Config || content != c.LayerBytes ||
		m.MediaType != types.OCIManifestSchema1 {
		t.Errorf("%s: version %q, config %s, %d bytes; the lock says %+v", c.Platform, cf.OSVersion, config, content, c)
	}
	windows := strings.HasPrefix(c.Platform.String(), "windows/")
	if c.Base == nil || c.Base.Stub != windows || windows == (c.Base.Name == "builtin:static") {
		t.Errorf("%s: the base is %+v", c.Platform, c.Base)
	}
}

// TestSameBytes builds in two directories with two stores and compares the results.
func TestSameBytes(t *testing.T) {
	one := result(t, load(t, copied(t, "../examples/hello")), storetest.Open(t))
	two := result(t, load(t, copied(t, "../examples/hello")), storetest.Open(t))
	if d := cmp.Diff(one, two); d != "" {
		t.Errorf("the second lock is another (-one +two):\n%s", d)
	}
}

// TestAgain checks that building an unchanged product writes no blob, and that a changed
// file changes only the blobs that contain it, of which what has not changed is not compressed
// again.
func TestAgain(t *testing.T) {
	dir, st := copied(t, "../examples/hello"), storetest.Open(t)
	first := result(t, load(t, dir), st)
	before := blobs(t, st)
	if again := result(t, load(t, dir), st); cmp.Diff(first, again) != "" {
		t.Errorf("the second lock is another (-first +second):\n%s", cmp.Diff(first, again))
	}
	if d := cmp.Diff(before, blobs(t, st)); d != "" {
		t.Errorf("blobs were written (-before +after):\n%s", d)
	}

	replace(t, filepath.Join(dir, "cmd", "hello", "main.go"), `Printf("%s, %s`, `Printf("%s; %s`)
	compressed := deflate.Blocks()
	changed := result(t, load(t, dir), st)
	// Of a program's blocks, that of the build ID and that of the text are others, once for the layer
	// and the archive of a system. One more is of the inputs.
	if compressed = deflate.Blocks() - compressed; compressed == 0 || compressed > 2*3 {
		t.Errorf("%d blocks were compressed, want about 2 for each system", compressed)
	}
	// For the next process: two layers of each image and the archive, for two systems, and the inputs.
	series, err := filepath.Glob(filepath.Join(st.Dir(), "cache", "deflated", "*"))
	if err != nil || len(series) != (2+2+1)*2+1 {
		t.Errorf("the blocks of %d blobs are remembered, %v", len(series), err)
	}
	if clean := result(t, load(t, dir), storetest.Open(t)); cmp.Diff(changed, clean) != "" {
		t.Errorf("from an empty store come others (-changed +clean):\n%s", cmp.Diff(changed, clean))
	}
	for n, i := range changed.Images {
		if same := i.Digest == first.Images[n].Digest; same != (i.Name != "hello") {
			t.Errorf("image %s is the same: %t", i.Name, same)
		}
		for c := range i.Children {
			was, is := layers(t, st, first.Images[n].Children[c]), layers(t, st, i.Children[c])
			// The program's layer is the last; base and kodata are below it.
			if i.Name == "hello" &&
				(!slices.Equal(was[:len(was)-1], is[:len(is)-1]) || was[len(was)-1] == is[len(is)-1]) {
				t.Errorf("%s: the layers are %q, before %q", i.Children[c].Platform, is, was)
			}
		}
	}
	// One program layer per operating system, one configuration and one manifest per child,
	// and one index; for download, the program and an archive per operating system; the inputs.
	if n := len(blobs(t, st)) - len(before); n != 2+2*4+1+2*2+1 {
		t.Errorf("%d blobs were written, want 16", n)
	}
}

func TestSourceDateEpoch(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	st := storetest.Open(t)
	l := result(t, load(t, copied(t, "../examples/hello")), st)
	const want = "2023-11-14T22:13:20Z"
	if got := l.Created.Format("2006-01-02T15:04:05Z07:00"); got != want {
		t.Errorf("the release is of %s", got)
	}
	for _, i := range l.Images {
		for _, c := range i.Children {
			img, err := st.Image(c.Digest)
			if err != nil {
				t.Fatal(err)
			}
			cf, err := img.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			if got := cf.Created.Format("2006-01-02T15:04:05Z07:00"); got != want ||
				cf.Config.Labels["org.opencontainers.image.created"] != want {
				t.Errorf("%s for %s is of %s, its label says %s", i.Name,
					c.Platform, got, cf.Config.Labels["org.opencontainers.image.created"])
			}
		}
	}
}
