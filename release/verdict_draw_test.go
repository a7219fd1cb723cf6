package release_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/product"
)

// drawnImage is an image that is right or wrong in some way. Each has a text of its own in it, so
// that no two are one.
type drawnImage struct {
	fault string
	make  func(t *testing.T, text string) mutate.Appendable
	gone  string // what the registry loses of it: "image" or "child"
}

// tool is an image that starts /tool.
func tool(t *testing.T, text, on string, c v1.Config, files ...string) v1.Image {
	t.Helper()
	p, err := v1.ParsePlatform(on)
	if err != nil {
		t.Fatal(err)
	}
	c.Labels = map[string]string{"text": text}
	if c.Entrypoint == nil {
		c.Entrypoint = []string{"/tool"}
	}
	if files == nil {
		files = []string{"tool=" + string(programtest.ELF(programtest.Needs{}))}
	}
	return indextest.Filled(t, v1.ConfigFile{OS: p.OS, Architecture: p.Architecture, Config: c},
		append(indextest.Files{"etc/", "etc/passwd:0644=root:x:0:0::/:/tool\n"}, files...))
}

// listed is an index that lists an image for a platform.
func listed(t *testing.T, i v1.ImageIndex, add mutate.Appendable, on string) v1.ImageIndex {
	t.Helper()
	p, err := v1.ParsePlatform(on)
	if err != nil {
		t.Fatal(err)
	}
	return mutate.AppendManifests(i, mutate.IndexAddendum{Add: add, Descriptor: v1.Descriptor{Platform: p}})
}

const amd64, arm64, s390x = "linux/amd64", "linux/arm64", "linux/s390x"

// one returns an image that makes an index over one image.
func one(c v1.Config, files ...string) func(t *testing.T, text string) mutate.Appendable {
	return func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		return listed(t, empty.Index, tool(t, text, amd64, c, files...), amd64)
	}
}

// nested returns an image that makes an index in an index, both for amd64, over one for a platform.
func nested(is string) func(t *testing.T, text string) mutate.Appendable {
	return func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		return listed(t, empty.Index, listed(t, empty.Index, tool(t, text, is, v1.Config{}), amd64), amd64)
	}
}

// lying returns an image that makes an index over a right image, and one of which it says that it
// is for another platform.
func lying(as string) func(t *testing.T, text string) mutate.Appendable {
	return func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		i := listed(t, empty.Index, tool(t, text, amd64, v1.Config{}), amd64)
		return listed(t, i, tool(t, text+" lies", arm64, v1.Config{}), as)
	}
}

func withoutDiffIDs(t *testing.T, text string) mutate.Appendable {
	t.Helper()
	i, err := mutate.ConfigFile(tool(t, text, amd64, v1.Config{}), &v1.ConfigFile{OS: "linux", Architecture: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	return listed(t, empty.Index, i, amd64)
}

var drawnImages = []drawnImage{
	{"none", one(v1.Config{}), ""},
	{"none, with a user", one(v1.Config{User: "1000"}), ""},
	{"none, without an index", func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		return tool(t, text, amd64, v1.Config{})
	}, ""},
	{"none, for two platforms", func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		return listed(t, one(v1.Config{})(t, text).(v1.ImageIndex), tool(t, text, arm64, v1.Config{}), arm64)
	}, ""},
	{"none, for a platform by another name", func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		return listed(t, empty.Index, tool(t, text, "linux/x86_64", v1.Config{}), amd64)
	}, ""},
	{"none, with an entry for Windows whose image has no version", func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		return listed(t, one(v1.Config{})(t, text).(v1.ImageIndex),
			tool(t, text+" windows", "windows/amd64", v1.Config{}), "windows/amd64:10.0.20348.1")
	}, ""},
	{"mode", one(v1.Config{User: "1000"}, "tool:0644="+string(programtest.ELF(programtest.Needs{}))), ""},
	{"no program", one(v1.Config{Entrypoint: []string{"/absent"}}), ""},
	{"no such user", one(v1.Config{User: "nobody"}), ""},
	{"working directory", one(v1.Config{WorkingDir: "relative"}), ""},
	{"no diff_ids", withoutDiffIDs, ""},
	{"another platform", func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		return listed(t, empty.Index, tool(t, text, arm64, v1.Config{}), arm64)
	}, ""},
	{"nested", nested(amd64), ""},
	{"nested, another platform", nested(arm64), ""},
	{"nested and empty", func(t *testing.T, _ string) mutate.Appendable {
		t.Helper()
		return listed(t, empty.Index, empty.Index, amd64)
	}, ""},
	{"empty", func(_ *testing.T, text string) mutate.Appendable {
		return mutate.Annotations(empty.Index, map[string]string{"text": text}).(mutate.Appendable)
	}, ""},
	{"lies for a node", lying(amd64), ""},
	{"lies for others", lying(s390x), ""},
	{"for no platform", func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		i, err := mutate.ConfigFile(tool(t, text, amd64, v1.Config{}), &v1.ConfigFile{
			RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}, ""},
	{"an artifact", func(t *testing.T, text string) mutate.Appendable {
		t.Helper()
		return mutate.ConfigMediaType(mutate.MediaType(tool(t, text, amd64, v1.Config{}), types.OCIManifestSchema1),
			"application/vnd.example+json")
	}, ""},
	{"gone", one(v1.Config{}), "image"},
	{"manifest gone", one(v1.Config{}), "child"},
}

// right are the first of drawnImages, which nothing is wrong with.
const right = 6

// drawing draws a product with few faults, so that each is seen alone, too.
type drawing struct {
	*rand.Rand
	faults int // that may still be drawn
	next   int // the number of the next fault of an image, so that every fault is drawn
}

func (d *drawing) wrong(n int) bool {
	is := d.faults > 0 && d.IntN(n) == 0
	if is {
		d.faults--
	}
	return is
}

func (d *drawing) image() drawnImage {
	if d.wrong(2) {
		d.next++
		return drawnImages[right+d.next%(len(drawnImages)-right)]
	}
	return drawnImages[d.IntN(right)]
}

// put pushes an image, and lets the registry lose what it lacks. It returns the reference.
func (s *small) put(t *testing.T, path string, i drawnImage) string {
	t.Helper()
	made := i.make(t, path)
	ref := s.push(t, path, made.(remote.Taggable))
	gone := ref
	if i.gone == "child" {
		m, err := made.(v1.ImageIndex).IndexManifest()
		if err != nil {
			t.Fatal(err)
		}
		gone = "@" + m.Manifests[0].Digest.String()
	}
	if i.gone != "" {
		s.lose(t, strings.TrimSuffix(path, ":1")+"/manifests/"+gone[strings.LastIndex(gone, "@")+1:])
	}
	return ref
}

// lose deletes a manifest.
func (s *small) lose(t *testing.T, path string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.registry.URL+"/v2/"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if a.Body.Close(); a.StatusCode != http.StatusAccepted {
		t.Fatalf("%s: %s", path, a.Status)
	}
}

// drawnProduct is a product of one or two images, with up to two of others.
type drawnProduct struct {
	*small
	what  string
	based bool // app has a base, of which a snapshot has a stub
}

// drawProduct draws the product of a number.
func drawProduct(t *testing.T, seed, n uint64) (s drawnProduct) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, n))
	d := &drawing{r, r.IntN(3), int(n)}
	s.small = newSmall(t, nil)
	add := func(format string, args ...any) { s.what += "\n  " + fmt.Sprintf(format, args...) }
	yaml := read(t, filepath.Join(s.dir, product.File))
	var list, dockerfile strings.Builder
	for n := range d.IntN(3) {
		i := d.image()
		fmt.Fprintln(&list, s.put(t, fmt.Sprintf("up/third%d:1", n), i))
		add("third-party image: %s", i.fault)
	}
	if s.based = d.IntN(2) == 0; s.based {
		i := d.image()
		add("base: %s", i.fault)
		fmt.Fprintf(&dockerfile, "FROM %s\n", s.put(t, "up/base:1", i))
	} else {
		dockerfile.WriteString("FROM scratch\nCOPY --chmod=755 tool /tool\n")
		if d.IntN(4) > 0 {
			dockerfile.WriteString("ENTRYPOINT [\"/tool\"]\n")
		}
	}
	if d.IntN(2) == 0 { // which reads a base
		dockerfile.WriteString("COPY greeting /greeting\n")
	}
	for _, line := range []string{
		"USER 1000", "USER nobody", "COPY --chmod=644 tool /tool", "ENTRYPOINT [\"/absent\"]", "WORKDIR /tool",
	} {
		if d.wrong(8) {
			dockerfile.WriteString(line + "\n")
			add("%s", line)
		}
	}
	switch kind := d.IntN(3); kind {
	case 0:
		i := d.image()
		add("prebuilt, in the registry: %s", i.fault)
		yaml = strings.Replace(yaml, "airgap:", "- name: tool\n  prebuilt: {all: \""+s.put(t, "up/prebuilt:1", i)+
			"\"}\nairgap:", 1)
	case 1:
		i := d.image() // all of which the archive has
		add("prebuilt, in an archive: %s", i.fault)
		archive := archivetest.Pack(t, archivetest.Layout(t, map[string]mutate.Appendable{"tool:1": i.make(t, "archive")}), "tar")
		if err := os.Rename(archive, filepath.Join(s.dir, "tool.tar")); err != nil {
			t.Fatal(err)
		}
		yaml = strings.Replace(yaml, "airgap:", "- name: tool\n  prebuilt: {all: \"oci-archive:tool.tar\"}\nairgap:", 1)
	}
	s.write(t, map[string]string{
		product.File: yaml, "images.txt": list.String() + "# end\n", "Dockerfile": dockerfile.String(),
		"files/tool": string(programtest.ELF(programtest.Needs{})),
	})
	return s
}
