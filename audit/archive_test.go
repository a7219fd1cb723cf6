package audit_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lint"
)

// messages returns what findings of an argument say, by their rules.
func messages(t *testing.T, arg string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, f := range report(t, reader(), lint.IndexOptions{Now: now}, arg).Findings {
		all[f.Rule] = append(all[f.Rule], f.File+": "+f.What)
	}
	return all
}

// TestLayout takes from a layout what an image lists, changes it, and adds to it. The directory and
// the archives have the same findings.
func TestLayout(t *testing.T) {
	const name = "docker.io/library/app:1"
	img, err := random.Image(100, 2)
	must(t, err)
	cf, err := img.ConfigFile()
	must(t, err)
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{OS: "linux", Architecture: "amd64", RootFS: cf.RootFS})
	must(t, err)
	img, err = mutate.Append(img, mutate.Addendum{
		Layer: static.NewLayer([]byte("a base of Windows"), types.DockerForeignLayer), MediaType: types.DockerForeignLayer,
	})
	must(t, err)
	layers := archivetest.Layers(t, img)
	other := indextest.Image(t, "linux/amd64", types.OCIManifestSchema1)
	config, err := img.ConfigName()
	must(t, err)
	write := func(file string, text []byte) error { return os.WriteFile(file, text, 0o644) }
	docker := func(dir string, images map[string]v1.Image) error {
		return write(filepath.Join(dir, "manifest.json"), archivetest.DockerList(t, images))
	}
	for label, tc := range map[string]struct {
		do   func(dir string) error
		want []string
	}{
		"whole":            {func(string) error { return nil }, nil},
		"a layer removed":  {func(dir string) error { return os.Remove(archivetest.Blob(dir, layers[1])) }, []string{"error archive-missing"}},
		"a foreign layer":  {func(dir string) error { return os.Remove(archivetest.Blob(dir, layers[2])) }, nil},
		"a byte of it":     {func(dir string) error { return archivetest.Flip(archivetest.Blob(dir, layers[0])) }, []string{"error archive-damaged"}},
		"a layer cut":      {func(dir string) error { return os.Truncate(archivetest.Blob(dir, layers[0]), 7) }, []string{"error archive-damaged"}},
		"the config":       {func(dir string) error { return os.Remove(archivetest.Blob(dir, config)) }, []string{"error index-missing"}},
		"the config wrong": {func(dir string) error { return archivetest.Flip(archivetest.Blob(dir, config)) }, []string{"error index-unreadable"}},
		"more": {
			func(dir string) error {
				return write(filepath.Join(dir, "blobs", "sha256", strings.Repeat("a", 64)), []byte("?"))
			},
			[]string{"note archive-unused"},
		},
		"a snapshot": {
			func(dir string) error {
				file := filepath.Join(dir, "index.json")
				text, err := os.ReadFile(file)
				return errors.Join(err, write(file, bytes.Replace(text, []byte("{"), []byte(
					`{"annotations":{"dev.slipway.bundle.snapshot":"true","dev.slipway.bundle.product":"demo"},`), 1)))
			},
			[]string{"warning archive-snapshot"},
		},
		"both lists": {func(dir string) error { return docker(dir, map[string]v1.Image{name: img}) }, nil},
		"another image": {
			func(dir string) error { return docker(dir, map[string]v1.Image{name: other}) },
			[]string{"error archive-differs"},
		},
		"another layer": {
			func(dir string) error {
				text := bytes.ReplaceAll(archivetest.DockerList(t, map[string]v1.Image{name: img}), []byte(layers[0].Hex), []byte(layers[1].Hex))
				return write(filepath.Join(dir, "manifest.json"), text)
			},
			[]string{"error archive-differs"},
		},
		"one more there": {
			func(dir string) error {
				return docker(dir, map[string]v1.Image{name: img, "docker.io/library/more:1": other})
			},
			[]string{"warning archive-index-lacks"},
		},
		"none there": {
			func(dir string) error { return write(filepath.Join(dir, "manifest.json"), []byte("[]")) },
			[]string{"note archive-docker-lacks"},
		},
	} {
		t.Run(label, func(t *testing.T) {
			dir := archivetest.Layout(t, map[string]mutate.Appendable{name: img})
			must(t, tc.do(dir))
			for _, arg := range []string{dir, archivetest.Pack(t, dir, "tar"), archivetest.Pack(t, dir, "gz"), archivetest.Pack(t, dir, "zst")} {
				got := slices.DeleteFunc(found(t, arg), func(f string) bool { return f == "note index-foreign-layer" })
				if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s (-want +got):\n%s%v", arg, diff, messages(t, arg))
				}
			}
		})
	}
}

// TestLayerSize: a manifest gives a layer's digest, and another size.
func TestLayerSize(t *testing.T) {
	const config = `{"os":"linux","architecture":"amd64","rootfs":{"type":"layers","diff_ids":[]}}`
	describe := func(kind, text string, size int) string {
		return fmt.Sprintf(`{"mediaType":"application/vnd.oci.image.%s","digest":"sha256:%s","size":%d}`, kind, sum(text), size)
	}
	manifest := `{"schemaVersion":2,"config":` + describe("config.v1+json", config, len(config)) + `,"layers":[` +
		describe("layer.v1.tar", "a layer", 8) + `]}`
	dir := write(t, map[string]string{
		"index.json":                     `{"manifests":[` + describe("manifest.v1+json", manifest, len(manifest)) + `]}`,
		"blobs/sha256/" + sum(manifest):  manifest,
		"blobs/sha256/" + sum(config):    config,
		"blobs/sha256/" + sum("a layer"): "a layer",
	})
	if diff := cmp.Diff([]string{"error archive-damaged"}, found(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// member is a file of an archive, or a link to another one.
type member struct{ name, text, link string }

// archiveOf writes files as an archive of docker save.
func archiveOf(t *testing.T, name string, members []member) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Typeflag: tar.TypeReg, Size: int64(len(m.text)), Mode: 0o644}
		if m.link != "" {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, m.link, 0
		}
		must(t, w.WriteHeader(h))
		_, err := w.Write([]byte(m.text))
		must(t, err)
	}
	must(t, w.Close())
	file := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(file, b.Bytes(), 0o644))
	return file
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// TestSavedLayers: docker save wrote layers as directories, and links for those that it had
// written. What has other bytes than the configuration says is damaged.
func TestSavedLayers(t *testing.T) {
	config := `{"os":"linux","architecture":"amd64","rootfs":{"type":"layers","diff_ids":["sha256:` + sum("one") +
		`","sha256:` + sum("two") + `","sha256:` + sum("one") + `"]}}`
	id := sum(config)
	manifest := `[{"Config":"` + id + `.json","RepoTags":["app:1"],"Layers":["a/layer.tar","b/layer.tar","c/layer.tar"]}]`
	whole := []member{
		{"manifest.json", manifest, ""},
		{id + ".json", config, ""},
		{"a/layer.tar", "one", ""},
		{"b/layer.tar", "two", ""},
		{"c/layer.tar", "", "../a/layer.tar"},
	}
	with := func(m member) []member {
		all := slices.Clone(whole)
		at := slices.IndexFunc(all, func(o member) bool { return o.name == m.name })
		all[at] = m
		return all
	}
	for label, tc := range map[string]struct {
		members []member
		want    []string
	}{
		"whole":       {whole, nil},
		"other bytes": {with(member{"b/layer.tar", "owt", ""}), []string{"error archive-damaged"}},
		"beside": {
			append(with(member{"b/layer.tar", "", "other.tar"}), member{"b/other.tar", "two", ""}), nil,
		},
		"compressed": {with(member{"b/layer.tar", "\x1f\x8b\x08\x00", ""}), nil},
		"absent":     {with(member{"b/layer.tar", "", "../d/layer.tar"}), []string{"error archive-missing"}},
		"a circle":   {with(member{"b/layer.tar", "", "layer.tar"}), []string{"error archive-missing"}},
		"out of it": {
			with(member{"b/layer.tar", "", "../../../../etc/passwd"}),
			[]string{"error archive-ambiguous", "error archive-missing"},
		},
		"config": {with(member{id + ".json", strings.Replace(config, "amd64", "arm64", 1), ""}), []string{"error index-unreadable"}},
		"fewer layers": {
			with(member{"manifest.json", strings.Replace(manifest, `,"c/layer.tar"`, "", 1), ""}),
			[]string{"error index-unreadable"},
		},
	} {
		t.Run(label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, found(t, archiveOf(t, "app.tar", tc.members))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNames compares the names of archives with their images. The first is RKE2's: its script
// filled the archive of 2025 with the image of 2022.
func TestNames(t *testing.T) {
	on := func(p string) mutate.Appendable { return indextest.Image(t, p, types.OCIManifestSchema1) }
	for name, tc := range map[string]struct {
		image mutate.Appendable
		want  []string
	}{
		"rke2-windows-2025-amd64-images":     {on(w2022), []string{"error archive-name", "note index-single"}},
		"rke2-windows-ltsc2025-amd64-images": {on(w2022), []string{"error archive-name", "note index-single"}},
		"rke2-windows-ltsc2022-amd64-images": {on(w2022), []string{"note index-single"}},
		"rke2-windows-1809-amd64-images":     {on(w2019), []string{"note index-single"}},
		"rke2-images.linux-arm64":            {on("linux/amd64"), []string{"error archive-name"}},
		"k3s-airgap-images-arm64":            {indextest.Index(t, "linux/arm64", "linux/amd64"), nil},
		"k3s-airgap-images-arm":              {indextest.Index(t, "linux/arm64", "linux/amd64"), []string{"error archive-name"}},
		"windows-exporter-2025-11-12":        {on("linux/amd64"), nil},
		"app-windows-2025-11-12":             {on("linux/amd64"), nil},
		"app-linux-amd64-arm64":              {on("linux/amd64"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			file := archivetest.Pack(t, archivetest.Layout(t, map[string]mutate.Appendable{"docker.io/library/app:1": tc.image}), "zst")
			as := filepath.Join(filepath.Dir(file), name+".tar.zst")
			must(t, os.Rename(file, as))
			if diff := cmp.Diff(tc.want, found(t, as)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestListNames: the name of a list says for what its images are, too.
func TestListNames(t *testing.T) {
	ref := push(t, registrytest.Serve(t).Repo(t, "app"), "1", "linux/amd64")
	dir := write(t, map[string]string{
		"images.linux-amd64.txt": ref, "images.linux-arm64.txt": ref, "images-arm64.txt": ref, "images.txt": ref,
	})
	for name, want := range map[string][]string{
		"images.linux-amd64.txt": nil, "images.linux-arm64.txt": {"error index-platform-absent"}, "images-arm64.txt": nil,
		"images.txt": nil,
	} {
		if diff := cmp.Diff(want, found(t, filepath.Join(dir, name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	nested := mutate.AppendManifests(indextest.Index(t, "linux/s390x"),
		mutate.IndexAddendum{Add: indextest.Index(t, "linux/amd64")})
	in := registrytest.Serve(t).Repo(t, "nested").Tag("1")
	must(t, remote.WriteIndex(in, nested))
	dir = write(t, map[string]string{"images.linux-amd64.txt": in.String()})
	want := []string{"note manifests[1] index-nested"}
	if diff := cmp.Diff(want, found(t, filepath.Join(dir, "images.linux-amd64.txt"))); diff != "" {
		t.Error(diff)
	}
}

// TestNoConfig: an image of manifest.json without a configuration is a fault of the archive, packed
// and unpacked.
func TestNoConfig(t *testing.T) {
	dir := write(t, map[string]string{"manifest.json": `[{"Config":"","RepoTags":null,"Layers":null}]`})
	for _, arg := range []string{dir, archivetest.Pack(t, dir, "tar")} {
		if got := found(t, arg); !slices.Contains(got, "error index-unreadable") {
			t.Errorf("%s has %s", arg, got)
		}
	}
}

// TestSubset: an archive of one platform has its index whole, and so has docker save those
// manifests whose layers the machine lacks.
func TestSubset(t *testing.T) {
	i := indextest.Index(t, "linux/amd64", "linux/arm64", "attestation")
	m, err := i.IndexManifest()
	must(t, err)
	dir := archivetest.Layout(t, map[string]mutate.Appendable{"docker.io/library/app:1": i})
	img, err := i.Image(m.Manifests[1].Digest)
	must(t, err)
	config, err := img.ConfigName()
	must(t, err)
	must(t, os.Remove(archivetest.Blob(dir, config)))
	must(t, os.Remove(archivetest.Blob(dir, archivetest.Layers(t, img)[0])))
	want := []string{"note archive-subset", "note manifests[2] index-attestation"}
	if diff := cmp.Diff(want, found(t, dir)); diff != "" {
		t.Errorf("without the layers: %s", diff)
	}
	must(t, os.Remove(archivetest.Blob(dir, m.Manifests[1].Digest)))
	if diff := cmp.Diff(want, found(t, archivetest.Pack(t, dir, "gz"))); diff != "" {
		t.Errorf("without the manifest: %s", diff)
	}
}

// TestLayoutsOfOthers reads archives that cannot be made here, by their documented layout: the
// stores of hauler with images, signatures and charts, and packages of zarf, whose layout is in
// images/.
func TestLayoutsOfOthers(t *testing.T) {
	i := indextest.Index(t, "linux/amd64", "linux/arm64")
	h, err := i.Digest()
	must(t, err)
	chart := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), "application/vnd.cncf.helm.config.v1+json")
	signature := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
	signature = mutate.Annotations(signature, map[string]string{"is": "a signature"}).(v1.Image)
	store := map[string]mutate.Appendable{
		"docker.io/library/app:1": i, "hauler/chart:1.0.0": chart,
		"docker.io/library/app:sha256-" + h.Hex + ".sig": signature,
	}
	t.Run("hauler", func(t *testing.T) {
		if got := found(t, archivetest.Pack(t, archivetest.Layout(t, store), "zst")); len(got) > 0 {
			t.Errorf("%q", got)
		}
	})
	t.Run("hauler without the image", func(t *testing.T) {
		lost := map[string]mutate.Appendable{"docker.io/library/app:sha256-" + h.Hex + ".sig": signature}
		if diff := cmp.Diff([]string{"warning evidence-lost"}, found(t, archivetest.Pack(t, archivetest.Layout(t, lost), "zst"))); diff != "" {
			t.Error(diff)
		}
	})
	for label, damage := range map[string]bool{"zarf": false, "zarf damaged": true} {
		t.Run(label, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.Rename(archivetest.Layout(t, map[string]mutate.Appendable{"docker.io/library/app:1": i}), filepath.Join(dir, "images")))
			must(t, os.Mkdir(filepath.Join(dir, "components"), 0o755))
			must(t, os.WriteFile(filepath.Join(dir, "zarf.yaml"), []byte("kind: ZarfPackageConfig\n"), 0o644))
			must(t, os.WriteFile(filepath.Join(dir, "components", "app.tar"), []byte("a component"), 0o644))
			var want []string
			if damage {
				m, err := i.IndexManifest()
				must(t, err)
				img, err := i.Image(m.Manifests[1].Digest)
				must(t, err)
				must(t, archivetest.Flip(archivetest.Blob(filepath.Join(dir, "images"), archivetest.Layers(t, img)[0])))
				want = []string{"error manifests[1] archive-damaged"}
			}
			file := archivetest.Pack(t, dir, "zst")
			as := filepath.Join(filepath.Dir(file), "zarf-package-app-amd64-1.0.0.tar.zst")
			must(t, os.Rename(file, as))
			if diff := cmp.Diff(want, found(t, as)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHostileArchives: an archive that unpacks without end, nests too deep or names what is outside
// it is an error or a finding, on one line without codes of terminals.
func TestHostileArchives(t *testing.T) {
	bomb := func(t *testing.T) string {
		file := filepath.Join(t.TempDir(), "bomb.tar.zst")
		f, err := os.Create(file)
		must(t, err)
		z, err := zstd.NewWriter(f)
		must(t, err)
		w := tar.NewWriter(z)
		const size = 300 << 20
		must(t, w.WriteHeader(&tar.Header{Name: "blobs/sha256/" + strings.Repeat("0", 64), Size: size, Mode: 0o644}))
		_, err = w.Write(make([]byte, size))
		must(t, err)
		must(t, w.Close())
		must(t, z.Close())
		must(t, f.Close())
		return file
	}
	text := func(name, text string) func(t *testing.T) string {
		return func(t *testing.T) string { return archiveOf(t, "app.tar", []member{{name, text, ""}}) }
	}
	escape := `[{"Config":"` + "\\u001b[31mred\\n" + `","RepoTags":["` + "\\u001b]0;title\\u0007" + `"],"Layers":[]}]`
	for label, tc := range map[string]struct {
		file  func(t *testing.T) string
		want  string
		finds bool
	}{
		"a bomb":    {bomb, "more than 100 times its size", false},
		"deep":      {text("index.json", strings.Repeat("[", 100)), "nests more than", false},
		"wide":      {text("manifest.json", "["+strings.Repeat("{},", 2<<20)+"{}]"), "more than", false},
		"no images": {text("index.json", `{"schemaVersion":2,"manifests":[]}`), "lists no image", false},
		"slashes":   {text(`.\index.json`, "{}"), `it has ".\\index.json" in place of "index.json": make it with a tar that`, false},
		"capitals":  {text("Manifest.json", "[]"), `it has "Manifest.json" in place of "manifest.json"`, false},
		"capitals of a directory": {func(t *testing.T) string {
			return write(t, map[string]string{"Index.json": "{}"})
		}, `it has "Index.json" in place of "index.json"`, false},
		"marked": {text("index.json", "\ufeff{}"), "reading index.json: it begins with a byte order mark", false},
		"marked old": {
			text("manifest.json", "\ufeff[]"), "reading manifest.json: it begins with a byte order mark", false,
		},
		"escapes": {text("manifest.json", escape), "", true},
		"outside": {text("manifest.json", `[{"Config":"../../../../etc/hostname","Layers":["/etc/passwd"]}]`), "", true},
		"no name": {text("index.json", `{"manifests":[{"digest":"sha256:..","size":1}]}`), "", false},
	} {
		t.Run(label, func(t *testing.T) {
			list, _, err := reader().Read(t.Context(), tc.file(t))
			if !tc.finds {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, not %q", err, tc.want)
				}
				return
			}
			must(t, err)
			var b strings.Builder
			must(t, lint.CheckIndexes(list, lint.IndexOptions{Now: now}).WriteTable(&b))
			if strings.ContainsAny(b.String(), "\x1b\x07") || !strings.Contains(b.String(), "[index-missing]") {
				t.Errorf("%q", b.String())
			}
		})
	}
}

// TestArchiveAsAWhole: what is found about an archive is about none of its images.
func TestArchiveAsAWhole(t *testing.T) {
	img, err := random.Image(100, 1)
	must(t, err)
	dir := archivetest.Layout(t, map[string]mutate.Appendable{"docker.io/library/app:1": img})
	must(t, os.WriteFile(filepath.Join(dir, "blobs", "sha256", "unused"), []byte("x"), 0o600))
	for _, f := range report(t, reader(), lint.IndexOptions{Now: now}, dir).Findings {
		if f.Rule == "archive-unused" && f.Image == dir {
			return
		}
	}
	t.Error("no finding about the archive")
}
