package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// exported is what the command exported makes.
type exported struct {
	form, compress, tag, seed, user, entrypoint string
	program, config                             string
	mode, zeros, files                          int
	referrer, cosign, attestation, unsaid       bool
}

// exportImage [FLAGS] PLACE PLATFORM… puts an image where another builder would leave it: an OCI
// layout, an archive, or a registry. It has the program /app. The variables IMAGE, CONFIG,
// SIGNATURE, REFERRER and ATTESTATION become the digests of what is there for the first platform.
func exportImage(ts *testscript.TestScript, neg bool, args []string) {
	var e exported
	f := flag.NewFlagSet("exported", flag.ContinueOnError)
	f.StringVar(&e.form, "form", "oci", "oci, oci-archive, docker-archive or registry")
	f.StringVar(&e.compress, "compress", "", "gzip or zstd, of an archive")
	f.StringVar(&e.tag, "tag", "", "org.opencontainers.image.ref.name, or names between commas for docker-archive")
	f.StringVar(&e.seed, "seed", "1", "a text in the image")
	f.StringVar(&e.user, "user", "", "user")
	f.StringVar(&e.entrypoint, "entrypoint", "/app", "entrypoint")
	f.StringVar(&e.program, "program", "", "a file that is /app")
	f.StringVar(&e.config, "config", "", "its configuration in JSON, in place of another")
	f.IntVar(&e.zeros, "zeros", 0, "MiB of zeros in a file")
	f.IntVar(&e.files, "files", 0, "empty files")
	f.IntVar(&e.mode, "mode", 0o755, "of the program")
	f.BoolVar(&e.referrer, "referrer", false, "with an SBOM that has the image as its subject")
	f.BoolVar(&e.cosign, "cosign", false, "with a tag of cosign")
	f.BoolVar(&e.attestation, "attestation", false, "with an attestation in the index, as of BuildKit")
	f.BoolVar(&e.unsaid, "unsaid", false, "without the platform in descriptors, as podman writes")
	if err := f.Parse(args); neg || err != nil || f.NArg() < 2 {
		ts.Fatalf("usage: exported [flags] place platform…: %v", err)
	}
	if e.program != "" {
		e.program = ts.ReadFile(e.program)
	}
	ts.Check(e.write(ts, f.Arg(0), f.Args()[1:]))
}

// write makes the image for the platforms.
func (e exported) write(ts *testscript.TestScript, place string, platforms []string) error {
	var images []mutate.IndexAddendum
	for n, text := range platforms {
		p, err := v1.ParsePlatform(text)
		if err != nil {
			return err
		}
		img, err := e.image(p, n)
		if err != nil {
			return err
		}
		images = append(images, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p}})
	}
	first, err := partial.Descriptor(images[0].Add)
	if err != nil {
		return err
	}
	config, err := images[0].Add.(v1.Image).ConfigName()
	if err != nil {
		return err
	}
	ts.Setenv("IMAGE", first.Digest.String())
	ts.Setenv("CONFIG", config.String())
	top := mutate.IndexMediaType(mutate.AppendManifests(empty.Index, images...), types.OCIImageIndex)
	if e.attestation {
		a, err := e.document(ts, "ATTESTATION", "application/vnd.in-toto+json", `{"predicateType":"https://slsa.dev/provenance/v1"}`)
		if err != nil {
			return err
		}
		top = mutate.AppendManifests(top, mutate.IndexAddendum{Add: a, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "unknown", Architecture: "unknown"},
			Annotations: map[string]string{
				"vnd.docker.reference.type": "attestation-manifest", "vnd.docker.reference.digest": first.Digest.String(),
			},
		}})
	}
	var proofs []mutate.IndexAddendum // with their tags
	if e.referrer {
		r, err := e.document(ts, "", "application/spdx+json", `{"spdxVersion":"SPDX-2.3"}`)
		if err != nil {
			return err
		}
		of := mutate.Subject(r, v1.Descriptor{
			MediaType: first.MediaType, Digest: first.Digest, Size: first.Size,
		}).(v1.Image)
		if err := setDigest(ts, "REFERRER", of); err != nil {
			return err
		}
		proofs = append(proofs, mutate.IndexAddendum{Add: of})
	}
	if e.cosign {
		s, err := e.document(ts, "SIGNATURE", "application/vnd.dev.cosign.simplesigning.v1+json",
			`{"critical":{"image":{"docker-manifest-digest":"`+first.Digest.String()+`"}}}`)
		if err != nil {
			return err
		}
		proofs = append(proofs, mutate.IndexAddendum{Add: s, Descriptor: refName("sha256-" + first.Digest.Hex + ".sig")})
	}
	if e.form == "registry" {
		return push(place, top, proofs)
	}
	if e.form == "docker-archive" {
		return save(ts.MkAbs(place), strings.Split(e.tag, ","), images)
	}
	return e.layout(ts, ts.MkAbs(place), top, images, proofs)
}

// image is the n-th image, with a program for its platform.
func (e exported) image(p *v1.Platform, n int) (v1.Image, error) {
	files := new(bytes.Buffer)
	w := tar.NewWriter(files)
	type file struct {
		name, text string
		mode       int
	}
	list := []file{
		{"app", program(p.Architecture), e.mode},
		{"etc/passwd", "root:x:0:0::/:/app\nnobody:x:65534:65534::/:/app\n", 0o644},
		{"etc/seed", fmt.Sprint(e.seed, n), 0o644},
	}
	config := v1.Config{Entrypoint: []string{e.entrypoint}, User: e.user}
	if p.OS == "windows" {
		list, config = []file{{"Files/seed", fmt.Sprint(e.seed, n), 0o644}}, v1.Config{}
	}
	if e.program != "" {
		list[0].text = e.program
	}
	if e.config != "" {
		config = v1.Config{}
		if err := json.Unmarshal([]byte(e.config), &config); err != nil {
			return nil, err
		}
	}
	if e.zeros > 0 {
		list = append(list, file{"zeros", string(make([]byte, e.zeros<<20)), 0o644})
	}
	for _, f := range list {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: int64(len(f.text))}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		io.WriteString(w, f.text) //nolint:errcheck // it is in memory
	}
	for n := range e.files {
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: fmt.Sprint("empty/", n), Mode: 0o644}) //nolint:errcheck // in memory
	}
	w.Close() //nolint:errcheck // in memory
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{
		OS: p.OS, Architecture: p.Architecture, Variant: p.Variant, OSVersion: p.OSVersion,
		Config: config,
	})
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(img, layer)
}

// program is a program of Linux that nothing starts.
func program(arch string) string {
	machine := map[string]uint16{"amd64": 62, "arm64": 183}[arch]
	b := make([]byte, 120)
	copy(b, "\x7fELF\x02\x01\x01")
	for at, v := range map[int]uint16{16: 2, 18: machine, 20: 1, 52: 64, 54: 56, 56: 1, 58: 64} {
		binary.LittleEndian.PutUint16(b[at:], v)
	}
	binary.LittleEndian.PutUint64(b[32:], 64) // where the program header is
	binary.LittleEndian.PutUint32(b[64:], 1)  // PT_LOAD
	return string(b)
}

// document is a manifest with a blob.
func (e exported) document(ts *testscript.TestScript, variable, mediaType, text string) (v1.Image, error) {
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.AppendLayers(img, static.NewLayer([]byte(text), types.MediaType(mediaType)))
	if err != nil || variable == "" {
		return img, err
	}
	return img, setDigest(ts, variable, img)
}

func setDigest(ts *testscript.TestScript, variable string, of partial.Describable) error {
	h, err := of.Digest()
	if err == nil {
		ts.Setenv(variable, h.String())
	}
	return err
}

func refName(tag string) v1.Descriptor {
	return v1.Descriptor{Annotations: map[string]string{"org.opencontainers.image.ref.name": tag}}
}

// layout writes an OCI layout, or an archive of one. An image for one platform has no index.
func (e exported) layout(ts *testscript.TestScript, place string, top v1.ImageIndex, images, proofs []mutate.IndexAddendum) error {
	entries := []mutate.IndexAddendum{{Add: top}}
	if len(images) == 1 && !e.attestation {
		entries = images[:1:1]
	}
	if e.tag != "" {
		entries[0].Annotations = refName(e.tag).Annotations
	}
	if e.unsaid {
		entries[0].Platform = nil
	}
	dir := place
	if e.form == "oci-archive" {
		dir = place + ".dir"
		defer os.RemoveAll(dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if _, err := layout.Write(dir, mutate.AppendManifests(empty.Index, append(entries, proofs...)...)); err != nil {
		return err
	}
	if e.form != "oci-archive" {
		return nil
	}
	f, err := os.Create(place)
	if err != nil {
		return err
	}
	defer f.Close()
	var to io.WriteCloser = f
	switch e.compress {
	case "gzip":
		to = gzip.NewWriter(f)
	case "zstd":
		if to, err = zstd.NewWriter(f); err != nil {
			return err
		}
	}
	w := tar.NewWriter(to)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return to.Close()
}

// save writes what docker save does: an image for each name.
func save(place string, names []string, images []mutate.IndexAddendum) error {
	if len(names) < len(images) {
		return fmt.Errorf("%d images and %d names", len(images), len(names))
	}
	all := map[name.Reference]v1.Image{}
	for n, text := range names {
		tag, err := name.NewTag(text)
		if err != nil {
			return err
		}
		all[tag] = images[min(n, len(images)-1)].Add.(v1.Image)
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return err
	}
	return tarball.MultiRefWriteToFile(place, all)
}

// push writes an index, and what refers to its images, to a registry.
func push(place string, top v1.ImageIndex, proofs []mutate.IndexAddendum) error {
	ref, err := name.ParseReference(place)
	if err != nil {
		return err
	}
	if err := remote.WriteIndex(ref, top); err != nil {
		return err
	}
	for _, p := range proofs {
		h, err := p.Add.Digest()
		if err != nil {
			return err
		}
		var at name.Reference = ref.Context().Digest(h.String())
		if tag := p.Annotations["org.opencontainers.image.ref.name"]; tag != "" {
			at = ref.Context().Tag(tag)
		}
		if err := remote.Write(at, p.Add.(v1.Image)); err != nil {
			return err
		}
	}
	return nil
}
