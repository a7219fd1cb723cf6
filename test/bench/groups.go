package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/crane"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// groupNames are the groups of the part groups, with as many images each.
var groupNames = []struct {
	name   string
	images int
}{{"core", 5}, {"canal", 2}, {"calico", 3}, {"cilium", 3}, {"multus", 2}}

// groupLayer is the size of each layer before it is compressed. An image has two layers: that of
// its base, which a third of the images have, and its own.
const groupLayer = 16 << 20

// groups compares packing the bundles of all groups with RKE2's recipe for each group, as its
// scripts have it at 6ce1a8019: crane pull, bsdtar twice, and then zstd -16 or pigz. The images are
// in a registry on loopback for the one, and in the store for the other, where a release has them.
func (b *bench) groups(ctx context.Context) (comparison, error) {
	addr, stop, err := b.nextRegistry(ctx)
	if err != nil {
		return comparison{}, err
	}
	defer stop()
	dir := filepath.Join(b.tmp, "groups")
	if err := groupImages(ctx, dir, addr); err != nil {
		return comparison{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return comparison{}, err
	}
	ours, err := measure(ctx, "slipway airgap pack, all groups, .tar.zst",
		[]string{self, "pack-groups", dir, filepath.Join(dir, "store"), filepath.Join(dir, "out")})
	if err != nil {
		return comparison{}, err
	}
	var pull, zst, gz [][]string
	n := 0
	for _, g := range groupNames {
		at := filepath.Join(dir, g.name+".tar")
		names := []string{b.crane, "pull", "--insecure"}
		for range g.images {
			names = append(names, fmt.Sprintf("%s/groups/image-%02d:1", addr, n))
			n++
		}
		pull = append(pull, append(names, at+".tmp", "--platform=linux/amd64"),
			[]string{"bsdtar", "-c", "-f", at, "--include=manifest.json", "--include=repositories", "@" + at + ".tmp"},
			[]string{"bsdtar", "-r", "-f", at, "--exclude=manifest.json", "--exclude=repositories", "@" + at + ".tmp"})
		zst = append(zst, []string{"zstd", "-T0", "-16", "-f", "--long=25", "--no-progress", at, "-o", at + ".zst"})
		gz = append(gz, []string{"pigz", "-k", "-f", at})
		ours.bytes += size(filepath.Join(dir, "out", g.name+".tar.zst"))
	}
	var all []figure
	for _, row := range []struct {
		name, suffix string
		commands     [][]string
	}{
		{"crane pull, bsdtar, bsdtar -r, for each group", "", pull},
		{"and then zstd -T0 -16 --long=25", ".zst", zst},
		{"or pigz", ".gz", gz},
	} {
		f, err := measure(ctx, row.name, row.commands...)
		if err != nil {
			return comparison{}, err
		}
		for _, g := range groupNames {
			f.bytes += size(filepath.Join(dir, g.name+".tar"+row.suffix))
		}
		all = append(all, f)
	}
	return comparison{
		title: fmt.Sprintf("Packing %d images in %d groups, against RKE2's recipe", n, len(groupNames)), ours: ours,
		other: all,
	}, nil
}

// groupImages makes the images in a store and in a registry, and the lock of a release of them.
func groupImages(ctx context.Context, dir, registry string) error {
	st, err := store.Open(filepath.Join(dir, "store"))
	if err != nil {
		return err
	}
	l := &lock.Lock{SchemaVersion: lock.SchemaVersion, Release: lock.Release{
		Name: "groups", Version: "1", Created: time.Unix(0, 0).UTC(), Registry: registry,
		Sources: []lock.Source{{Name: "groups"}},
	}}
	for _, g := range groupNames {
		for range g.images {
			n := len(l.Images)
			img, err := groupImage(n)
			if err != nil {
				return err
			}
			name := fmt.Sprintf("image-%02d", n)
			if err := errors.Join(addImage(st, img), crane.Push(img, registry+"/groups/"+name+":1", crane.Insecure,
				crane.WithContext(ctx))); err != nil {
				return err
			}
			d, err := partial.Descriptor(img)
			if err != nil {
				return err
			}
			config, err := img.ConfigName()
			if err != nil {
				return err
			}
			l.Images = append(l.Images, lock.Image{
				Name: name, Kind: "go", MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Groups: []string{g.name},
				Repository: registry + "/groups/" + name, Tags: []string{"1"},
				Children: []lock.Child{{
					Platform:  platform.Platform{OS: platform.Linux, Architecture: "amd64"},
					MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Config: config,
				}},
			})
		}
	}
	return l.Write(filepath.Join(dir, lock.Name))
}

// groupImage is an image with its own layer and that of one of three bases.
func groupImage(n int) (v1.Image, error) {
	base, err := textLayer(uint64(n % 3))
	if err != nil {
		return nil, err
	}
	own, err := textLayer(uint64(100 + n))
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(empty.Image, base, own)
	if err != nil {
		return nil, err
	}
	cf, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture = "linux", "amd64"
	return mutate.ConfigFile(img, cf)
}

// textLayer is a layer that gzip halves, as it does most programs.
func textLayer(seed uint64) (v1.Layer, error) {
	raw := make([]byte, groupLayer/2)
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // no secret
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	if err := t.WriteHeader(&tar.Header{Name: fmt.Sprint("file-", seed), Mode: 0o644, Size: groupLayer}); err != nil {
		return nil, err
	}
	if _, err := io.Copy(t, strings.NewReader(hex.EncodeToString(raw))); err != nil {
		return nil, err
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
}

// packGroups runs in a subprocess, as packAll.
func packGroups(ctx context.Context, dist, dir, out string) error {
	l, st, err := readRelease(dist, dir)
	if err != nil {
		return err
	}
	var targets []airgap.Target
	for _, g := range groupNames {
		targets = append(targets, airgap.Target{
			Name: g.name, Groups: []string{g.name}, Platform: platform.Platform{OS: platform.Linux, Architecture: "amd64"},
		})
	}
	_, _, err = airgap.Pack(ctx, st, l, targets, airgap.PackOptions{Dir: out})
	return err
}
