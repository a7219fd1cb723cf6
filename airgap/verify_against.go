package airgap

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// sums holds the file against what sha256sum wrote.
func (v *verifier) sums(ctx context.Context, path string) error {
	want, err := sumOf(path, filepath.Base(v.report.Path))
	if err != nil {
		return err
	}
	hash := sha256.New()
	r := v.b.archive.Raw()
	n, err := io.Copy(hash, progress.Reader(ctx, r, nil))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	got := hex.EncodeToString(hash.Sum(nil))
	switch {
	case err != nil:
		v.problem(Problem{What: err.Error(), at: -2})
	case want == "":
		v.problem(Problem{What: fmt.Sprintf("%s does not list it", path), at: -2})
	case got != want:
		v.problem(Problem{What: fmt.Sprintf("its %d bytes have the digest %s, %s says %s: copy it again", n, got, path, want), at: -2})
	}
	v.report.SHA256 = got
	return nil
}

// sumOf returns the digest that a file of sha256sum has for a name, or nothing.
func sumOf(path, name string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading checksums: %w", err)
	}
	defer f.Close()
	found := ""
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		sum, file, ok := strings.Cut(strings.TrimSuffix(lines.Text(), "\r"), " ")
		if b, err := hex.DecodeString(sum); !ok || err != nil || len(b) != sha256.Size || len(file) < 2 {
			return "", fmt.Errorf("%s:%d: no line of sha256sum", path, n)
		}
		if filepath.Base(filepath.FromSlash(file[1:])) == name { // behind a space, or a star
			found = strings.ToLower(sum)
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return found, nil
}

// disagreements says where a bundle is not of a release. Of a damaged bundle some images are not
// known: whole is false then, and none are missed. Nor are they of a volume, which has some of a
// bundle's images, says what the bundle lacks in the first one only, and has stand-ins or not as
// the bundle does.
func disagreements(c *Contents, l *lock.Lock, whole bool) []string {
	volume := c.Volume != ""
	missed := whole && !volume // an image that is not there should be
	var all []string
	differ := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if c.Product != l.Name || c.Version != l.Version || !c.Created.Equal(l.Created) {
		differ("it is a bundle of %s %s, made %s; the lock is of %s %s, made %s", c.Product, c.Version, c.Created, l.Name, l.Version, l.Created)
	}
	if c.Snapshot != l.Snapshot {
		differ("it says snapshot %v, the lock %v", c.Snapshot, l.Snapshot)
	}
	have := map[string]Image{}
	for _, i := range c.Images {
		have[i.Name] = i
	}
	leftOut := map[string]bool{}
	for _, o := range c.LeftOut {
		leftOut[o.Name] = true
	}
	standIn := false
	check := func(ref string, digest v1.Hash, children []lock.Child) {
		name, _, err := names(ref, digest)
		if err != nil {
			differ("the lock has an image without name: %v", err)
			return
		}
		i, ok := have[name]
		delete(have, name)
		switch {
		case !ok && missed && !leftOut[name] && !leftOut[ref]:
			differ("%s is in the lock, not in the bundle", name)
		case ok && i.Digest != digest:
			differ("%s is %s in the bundle, %s in the lock", name, i.Digest, digest)
		case ok && children != nil:
			s, problems := i.disagreements(children, c.Platform.IsZero())
			standIn = standIn || s
			all = append(all, problems...)
		}
	}
	for _, i := range l.Images {
		check(i.Tagged(), i.Digest, i.Children)
	}
	for _, t := range l.ThirdParty {
		switch {
		case t.Omitted == "":
			check(t.Reference, t.Digest, nil)
		case missed && !leftOut[t.Reference]:
			differ("%s is left out in the lock, and the bundle does not say so", t.Reference)
		}
	}
	for _, i := range c.Images {
		if _, extra := have[i.Name]; extra {
			differ("%s is in the bundle, not in the lock", i.Name)
		}
	}
	if whole && c.StandIn != standIn && (standIn || !volume) {
		differ("it says stand-in bases %v, the lock %v", c.StandIn, standIn)
	}
	return all
}

// disagreements holds an image against its children in a lock. It reports whether one that is in
// the bundle has a stand-in for a base.
func (i Image) disagreements(children []lock.Child, complete bool) (standIn bool, all []string) {
	have := map[v1.Hash]Child{}
	for _, c := range i.Children {
		have[c.Digest] = c
	}
	for _, want := range children {
		c, ok := have[want.Digest]
		delete(have, want.Digest)
		switch {
		case !ok && complete:
			all = append(all, fmt.Sprintf("%s for %s is in the lock, not in the bundle", i.Name, want.Platform))
		case ok && (!platform.Same(c.Platform, want.Platform) || c.Config != want.Config):
			all = append(all, fmt.Sprintf("%s: %s is for %s in the bundle, for %s in the lock", i.Name, c.Digest, c.Platform, want.Platform))
		}
		standIn = standIn || ok && want.StandIn() != ""
	}
	for _, c := range i.Children {
		if _, extra := have[c.Digest]; extra {
			all = append(all, fmt.Sprintf("%s for %s is in the bundle, not in the lock", i.Name, c.Platform))
		}
	}
	return standIn, all
}
