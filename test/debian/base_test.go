package debian

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/internal/testing/cache"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

const (
	archive  = "http://deb.debian.org"
	bookworm = "bookworm"
	trixie   = "trixie"
)

// dates returns when the index of a suite was made, which says whether a base is current.
var dates = [2]func() (string, error){sync.OnceValues(dated(bookworm)), sync.OnceValues(dated(trixie))}

func dated(suite string) func() (string, error) {
	return func() (string, error) {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, archive+"/debian/dists/"+suite+"/InRelease", http.NoBody)
		if err != nil {
			return "", err
		}
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			return "", err
		}
		defer a.Body.Close()
		b, err := io.ReadAll(io.LimitReader(a.Body, 1<<20))
		if err != nil {
			return "", err
		}
		for l := range strings.Lines(string(b)) {
			if date, ok := strings.CutPrefix(l, "Date: "); ok {
				t, err := time.Parse(time.RFC1123, strings.TrimSpace(date))
				return t.Format("20060102T150405"), err
			}
		}
		return "", fmt.Errorf("%s: %s has no Date", q.URL, a.Status)
	}
}

// hook makes a base that of debian-base. Its name counts in every checkout.
const hook = "testdata/debian-base.sh"

// base returns the archive of a base: a suite as debian-base is, or, without a hook, packages that
// are unpacked as in distroless images. It is made once for each date of the suite.
func base(t *testing.T, suite string, whole bool) string {
	t.Helper()
	if whole {
		return bootstrapped(t, suite, "debian-base.tar", "--variant=minbase", "--customize-hook="+hook)
	}
	return bootstrapped(t, suite, "distroless.tar",
		"--variant=extract", "--include=base-files,netbase,tzdata,libc6,libssl3t64,ca-certificates")
}

// bootstrapped returns an archive that mmdebstrap makes, once for each date of the suite.
func bootstrapped(t *testing.T, suite, name string, args ...string) string {
	t.Helper()
	testprog.Need(t, "mmdebstrap")
	date, err := dates[map[string]int{bookworm: 0, trixie: 1}[suite]]()
	if err != nil {
		testprog.Missing(t, "mmdebstrap", fmt.Errorf("asking Debian's archive: %w", err))
	}
	text, err := os.ReadFile(hook)
	must(t, err)
	dir := fmt.Sprintf("debian/%s-%s-%.4x", suite, date, sha256.Sum256(append(text, strings.Join(args, " ")...)))
	p, err := cache.Program(t.Context(), dir, name, func(ctx context.Context, dir string) error {
		fmt.Fprintf(os.Stderr, "making %s of %s into the user's cache, once: minutes\n", name, suite)
		args := append([]string{"--mode=root", "--format=tar"}, args...)
		args = append(args, suite, filepath.Join(dir, name), "deb "+archive+"/debian "+suite+" main",
			"deb "+archive+"/debian-security "+suite+"-security main", "deb "+archive+"/debian "+suite+"-updates main")
		if out, err := exec.CommandContext(ctx, "mmdebstrap", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("mmdebstrap: %w\n%s", err, out)
		}
		return nil
	})
	must(t, err)
	return p
}

// pushed puts the archive of a base into a registry, and returns its reference.
func pushed(t *testing.T, r *registrytest.Server, file, tag string) string {
	t.Helper()
	layer, err := tarball.LayerFromFile(file)
	must(t, err)
	img, err := mutate.AppendLayers(empty.Image, layer)
	must(t, err)
	cf, err := img.ConfigFile()
	must(t, err)
	cf = cf.DeepCopy()
	cf.OS, cf.Architecture, cf.Created = "linux", "amd64", v1.Time{Time: time.Unix(1700000000, 0)}
	cf.Config.Cmd = []string{"/bin/sh"}
	img, err = mutate.ConfigFile(img, cf)
	must(t, err)
	must(t, remote.Write(r.Repo(t, "base").Tag(tag), img))
	return r.Host() + "/base:" + tag
}

// unpacked unpacks what a function writes as an archive, as root.
func unpacked(t *testing.T, dir string, from io.Reader) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	cmd := exec.CommandContext(t.Context(), "tar", "-C", dir, "-xpf", "-", "--xattrs", "--xattrs-include=*",
		"--numeric-owner")
	cmd.Stdin = from
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("unpacking: %v\n%s", err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var errNoSource = errors.New("neither the module proxy nor SLIPWAY_SNAPSHOTS has it")
