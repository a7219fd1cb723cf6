package main

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry"
	"github.com/slipway-dev/slipway/store"
)

// publish pushes all images to an empty registry, and then again. crane copies them
// image by image, as scripts do, from slipway's embedded registry. Each pushes to a
// docker-registry (Debian's) of its own. Bytes are those of the blobs sent: slipway
// sends each blob once and mounts it in other repositories; crane, which handles one
// image at a time, sends it to each.
func (b *bench) publish(ctx context.Context) (comparison, error) {
	l, st, err := readRelease(b.dist, b.store)
	if err != nil {
		return comparison{}, err
	}
	from := httptest.NewServer(registry.Handler(st, l))
	defer from.Close()

	mine, stop, err := b.registry(ctx, "ours")
	if err != nil {
		return comparison{}, err
	}
	defer stop()
	theirs, stopTheirs, err := b.registry(ctx, "theirs")
	if err != nil {
		return comparison{}, err
	}
	defer stopTheirs()

	self, err := os.Executable()
	if err != nil {
		return comparison{}, err
	}
	once, perImage, err := content(st, l)
	if err != nil {
		return comparison{}, err
	}
	push := []string{self, "publish", b.product, b.dist, b.store, mine}
	ours, err := measure(ctx, "slipway publish", push)
	if err != nil {
		return comparison{}, err
	}
	ours.bytes = once
	again, err := measure(ctx, "slipway publish, again", push)
	if err != nil {
		return comparison{}, err
	}
	var copies [][]string
	for _, i := range l.Images {
		path := strings.TrimPrefix(i.Repository, l.Registry+"/")
		copies = append(copies,
			[]string{b.crane, "copy", "--insecure", strings.TrimPrefix(from.URL, "http://") + "/" +
				path + ":" + i.Tags[0], theirs + "/" + path + ":" + i.Tags[0]})
	}
	crane, err := measure(ctx, "crane copy", copies...)
	if err != nil {
		return comparison{}, err
	}
	crane.bytes = perImage
	craneAgain, err := measure(ctx, "crane copy, again", copies...)
	return comparison{
		title: "Publishing all images to an empty registry",
		ours:  ours, other: []figure{crane, again, craneAgain},
	}, err
}

// publishTo runs in a subprocess of the benchmark, so that its memory
// can be measured separately.
func publishTo(ctx context.Context, path, dist, dir, registry string) error {
	p, err := product.Load(ctx, product.Options{Path: path, Registries: strings.Split(registry, ",")})
	if err != nil {
		return err
	}
	p.Airgap.Images = nil // do not measure third-party registries
	l, st, err := readRelease(dist, dir)
	if err != nil {
		return err
	}
	_, err = publish.Publish(ctx, p, st, storetest.Built(l), network.Options{})
	return err
}

// content returns the total size of the configs and layers of a release, counting each
// once, and counting each once per image.
func content(st *store.Store, l *lock.Lock) (once, perImage int64, err error) {
	all := map[v1.Hash]bool{}
	for _, i := range l.Images {
		own := map[v1.Hash]bool{}
		for _, c := range i.Children {
			img, err := st.Image(c.Digest)
			if err != nil {
				return 0, 0, err
			}
			m, err := img.Manifest()
			if err != nil {
				return 0, 0, err
			}
			for _, d := range append(m.Layers, m.Config) {
				if !own[d.Digest] {
					perImage += d.Size
				}
				if !all[d.Digest] {
					once += d.Size
				}
				own[d.Digest], all[d.Digest] = true, true
			}
		}
	}
	return once, perImage, nil
}

// nextRegistry starts a registry that is empty.
func (b *bench) nextRegistry(ctx context.Context) (addr string, stop func(), err error) {
	b.registries++
	return b.registry(ctx, "registry-"+strconv.Itoa(b.registries))
}

// registry starts Debian's docker-registry on a free loopback port.
func (b *bench) registry(ctx context.Context, name string) (addr string, stop func(), err error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	addr = l.Addr().String()
	if err := l.Close(); err != nil {
		return "", nil, err
	}
	root := filepath.Join(b.tmp, name)
	file := root + ".yml"
	text := fmt.Sprintf("version: 0.1\nlog: {level: error}\nstorage: {filesystem: "+
		"{rootdirectory: %s}}\nhttp: {addr: %s}\n", root, addr)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "docker-registry", "serve", file)
	if err := cmd.Start(); err != nil {
		cancel()
		return "", nil, err
	}
	stop = func() {
		cancel()
		cmd.Wait() //nolint:errcheck // it was killed
	}
	for range 100 {
		if c, err := new(net.Dialer).DialContext(ctx, "tcp", addr); err == nil {
			return addr, stop, c.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("docker-registry does not answer at %s", addr)
}
