package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/product"
)

// aptProduct makes the product and all that its releases and builds need.
func (b *bench) aptProduct(ctx context.Context) (p *aptProduct, stop func(), err error) {
	dir, err := os.MkdirTemp(b.tmp, "packages-")
	if err != nil {
		return nil, nil, err
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	p = &aptProduct{
		bench: b, dir: at("product"), upstream: at("product/upstream"), baseTar: at("base.tar"),
		ready: at("ready"), store: at("store"), release: at("dist"),
	}
	if err := errors.Join(
		os.MkdirAll(p.dir, 0o755), os.Mkdir(at("mirror"), 0o755), os.Mkdir(at("registry"), 0o755),
	); err != nil {
		return nil, nil, err
	}
	var stopMirror func()
	p.mirror, stopMirror = serveMirror(at("mirror"))
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)),
		registry.WithBlobHandler(registry.NewDiskBlobHandler(at("registry")))))
	stop = func() {
		s.Close()
		stopMirror()
	}
	p.host = strings.TrimPrefix(s.URL, "http://")
	p.base = p.host + "/base:bookworm"
	for _, step := range []func(context.Context) error{p.makeBase, p.writeFiles, p.pin} {
		if err := step(ctx); err != nil {
			stop()
			return nil, nil, err
		}
	}
	return p, stop, nil
}

// makeBase makes the base as the suite test/debian does, and puts it into the registry.
func (p *aptProduct) makeBase(ctx context.Context) error {
	hook, err := filepath.Abs("test/debian/testdata/debian-base.sh")
	if err != nil {
		return err
	}
	if _, err := measure(ctx, "", []string{
		"mmdebstrap", "--mode=root", "--variant=minbase", "--customize-hook=" + hook, "bookworm", p.baseTar,
		"deb http://deb.debian.org/debian bookworm main",
		"deb http://deb.debian.org/debian-security bookworm-security main",
		"deb http://deb.debian.org/debian bookworm-updates main",
	}); err != nil {
		return err
	}
	return p.pushBase(ctx)
}

// pushBase puts the base into the registry.
func (p *aptProduct) pushBase(ctx context.Context) error {
	layer, err := tarball.LayerFromFile(p.baseTar)
	if err != nil {
		return err
	}
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: "amd64", RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{Cmd: []string{"/bin/sh"}},
	})
	if err != nil {
		return err
	}
	if img, err = mutate.AppendLayers(img, layer); err != nil {
		return err
	}
	ref, err := name.ParseReference(p.base)
	if err != nil {
		return err
	}
	return remote.Write(ref, img, remote.WithContext(ctx))
}

// writeFiles writes the product: upstream's files, a stand-in for its program, and slipway.yaml.
func (p *aptProduct) writeFiles(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", smbModule)
	cmd.Dir = p.dir // so that no other go.mod is asked
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("downloading %s: %w", smbModule, err)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(m.Dir, smbDockerfile))
	if err != nil {
		return err
	}
	type object = map[string]any
	source := func(name, dir string) object {
		return object{"name": name, "directory": dir, "revision": "abc", "created": "2024-01-01T00:00:00Z"}
	}
	config, err := json.Marshal(object{
		"apiVersion": "slipway/v1", "name": "smb", "version": "1.0.0", "platforms": []string{"linux/amd64"},
		"sources":  []object{source("here", "."), source("upstream", "upstream")},
		"bases":    []object{{"name": "debian", "inPlaceOf": []string{smbBase}, "images": object{"linux/amd64": p.base}}},
		"programs": []object{{"name": "standin", "source": "here", "package": "."}},
		"images": []object{{"name": "smb", "source": "upstream", "dockerfile": object{
			"source": "upstream", "file": smbDockerfile, "context": ".", "outputs": object{smbPlugin: "standin"},
		}}},
	})
	if err != nil {
		return err
	}
	const program = "package main\n\nfunc main() { println(\"stand-in\") }\n"
	for name, text := range map[string]string{
		product.File: string(config), "go.mod": "module example.com/standin\n\ngo 1.24\n", "main.go": program,
		"upstream/" + smbDockerfile: string(text),
		"upstream/" + smbPlugin:     "stand-in", // BuildKit has it in the context
	} {
		path := filepath.Join(p.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// pin locks the product, and makes a store of what a release of it downloads: the packages and the
// base, whose files are unpacked, as those of BuildKit are before a build.
func (p *aptProduct) pin(ctx context.Context) error {
	path, dockerfile := filepath.Join(p.dir, product.File), filepath.Join(p.upstream, smbDockerfile)
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		return err
	}
	few := "FROM " + smbBase + "\nRUN sed -i s/12/13/ /etc/debian_version\n"
	if err := os.WriteFile(dockerfile, []byte(few), 0o644); err != nil {
		return err
	}
	if _, err := measure(ctx, "", []string{p.slipway, "bases", "-product=" + path},
		p.releasing(nil, p.ready, "prepared")); err != nil {
		return err
	}
	if err := os.WriteFile(dockerfile, text, 0o644); err != nil {
		return err
	}
	if _, err := measure(ctx, "", []string{
		"env", "http_proxy=" + p.mirror, p.slipway, "pin", "-product=" + path, "-store=" + p.store,
	}, p.releasing(nil, p.store, "out")); err != nil {
		return err
	}
	lock, err := os.ReadFile(filepath.Join(p.dir, product.PackagesLock))
	if err != nil {
		return err
	}
	for _, m := range regexp.MustCompile(`path: .* sha256: ([0-9a-f]{64})`).FindAllSubmatch(lock, -1) {
		p.count++
		blob := filepath.Join("blobs", "sha256", string(m[1]))
		if err := os.Link(filepath.Join(p.store, blob), filepath.Join(p.ready, blob)); err != nil {
			return err
		}
	}
	return nil
}
