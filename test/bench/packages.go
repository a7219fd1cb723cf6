package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/product"
)

// The product whose packages are compared: upstream's Dockerfile for Linux as it is.
const (
	smbModule     = "github.com/kubernetes-csi/csi-driver-smb@v1.20.1"
	smbDockerfile = "cmd/smbplugin/Dockerfile"
	smbBase       = "registry.k8s.io/build-image/debian-base:bookworm-v1.0.7"
	smbPackages   = "ca-certificates,cifs-utils,util-linux,e2fsprogs,mount,udev,xfsprogs"
	smbPlugin     = "_output/amd64/smbplugin"
)

// aptProduct is the product, with all that its image is made of.
type aptProduct struct {
	*bench
	dir, upstream  string
	baseTar        string // the base
	host, base     string // of a registry on loopback, and the reference of the base there
	mirror         string // URL of a proxy that has every file of the archive
	ready          string // a store with all downloads, before a release
	store, release string // of a release
	count          int    // packages in packages.lock.yaml
}

// packages compares a release of an image with Debian packages, which are in the store, with what
// mmdebstrap and BuildKit make of them on the same base, where a proxy on loopback has all files
// of the archive. All are run on all processors, then on one.
func (b *bench) packages(ctx context.Context) error {
	p, stop, err := b.aptProduct(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, on := range []struct {
		title  string
		prefix []string
	}{
		{"", nil},
		{", on one processor", []string{"taskset", "-c", "0", "env", "GOMAXPROCS=1"}},
	} {
		c, err := p.compare(ctx, on.prefix)
		if err != nil {
			return err
		}
		c.title = fmt.Sprintf("An image with %d Debian packages, which are there%s", p.count, on.title)
		b.found(c)
	}
	return nil
}

// compare measures all, in turns: the best of two runs, behind one that is not measured.
func (p *aptProduct) compare(ctx context.Context, prefix []string) (comparison, error) {
	daemon, err := p.buildkit(ctx, prefix)
	if err != nil {
		return comparison{}, err
	}
	defer daemon.stop()
	all := make([]figure, 4)
	for n := range 3 {
		for i, run := range []func(context.Context, []string) (figure, error){
			p.fresh, p.again, p.mmdebstrap, daemon.build,
		} {
			f, err := run(ctx, prefix)
			if err != nil {
				return comparison{}, err
			}
			if n > 0 {
				all[i] = all[i].best(f)
			}
		}
	}
	return comparison{ours: all[0], other: all[1:]}, nil
}

// fresh measures a release by a store that has the packages, the program, and the files of the
// base.
func (p *aptProduct) fresh(ctx context.Context, prefix []string) (figure, error) {
	if err := errors.Join(os.RemoveAll(p.store), os.RemoveAll(p.release)); err != nil {
		return figure{}, err
	}
	if _, err := measure(ctx, "", []string{"cp", "-a", p.ready, p.store}); err != nil {
		return figure{}, err
	}
	return measure(ctx, "slipway release", p.releasing(prefix, p.store, "out"))
}

// again measures a release in which nothing changed.
func (p *aptProduct) again(ctx context.Context, prefix []string) (figure, error) {
	return measure(ctx, "slipway release, again", p.releasing(prefix, p.store, "out"))
}

func (p *aptProduct) releasing(prefix []string, store, to string) []string {
	return slices.Concat(prefix, []string{
		p.slipway, "release", "-q", "-binary=false",
		"-product=" + filepath.Join(p.dir, product.File), "-store=" + store, "-out=" + p.release,
		"-registry=" + p.host + "/" + to,
	})
}

// mmdebstrap measures an archive of the base with the packages.
func (p *aptProduct) mmdebstrap(ctx context.Context, prefix []string) (figure, error) {
	return measure(ctx, "mmdebstrap", slices.Concat(prefix, []string{
		"mmdebstrap", "--mode=root", "--variant=custom", "--setup-hook=tar-in " + p.baseTar + " /",
		"--include=" + smbPackages, `--aptopt=Acquire::http::Proxy "` + p.mirror + `"`,
		`--aptopt=APT::Install-Recommends "false"`, "bookworm", filepath.Join(p.tmp, "packages.tar"),
		"deb http://deb.debian.org/debian bookworm main",
		"deb http://deb.debian.org/debian-security bookworm-security main",
		"deb http://deb.debian.org/debian bookworm-updates main",
	}))
}
