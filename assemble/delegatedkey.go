package assemble

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/slipway-dev/slipway/assemble/builder"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/store"
)

// buildKey gathers all that decides what a builder makes: words of settings, and the files of
// contexts with their modes and digests. File names need not be UTF-8.
type buildKey map[[2]string]string

// newKey returns a key without files.
func (d *delegated) newKey(epoch time.Time, labels map[string]string) (buildKey, error) {
	text, err := regular.Read(d.Files[d.platform.OS])
	if err != nil {
		return nil, err
	}
	k := buildKey{
		{"", "dockerfile"}: string(text), {"", "builder"}: d.tool.Version, {"", "target"}: d.Target,
		{"", "platform"}: d.platform.String(), {"", "epoch"}: epoch.UTC().Format(time.RFC3339),
	}
	for name, value := range d.Args {
		k[[2]string{"arg", name}] = value
	}
	for name, value := range labels {
		k[[2]string{"label", name}] = value
	}
	for name, ref := range d.contexts {
		k[[2]string{"image", name}] = ref
	}
	return k, nil
}

// ofCopies returns the key of a request, whose directories are copies.
func (d *delegated) ofCopies(r builder.Request) (string, error) {
	k, err := d.newKey(r.Epoch, r.Labels)
	if err != nil {
		return "", err
	}
	dirs := map[string]string{}
	if r.Context != "" {
		dirs[""] = r.Context
	}
	for name, at := range r.Contexts {
		if _, image := d.contexts[name]; !image {
			dirs[name] = at
		}
	}
	for name, dir := range dirs {
		if err := k.walk(d.Store, name, dir, nil, os.DevNull, tree.DiskMode, nil); err != nil {
			return "", err
		}
	}
	return k.sum(), nil
}

// walk adds the files of a context, but for those that programs replace.
func (k buildKey) walk(st *store.Store, context, dir string, except []string, ignore string, mode tree.ModeOf,
	programs map[string]layer.Content,
) error {
	return tree.Walk(dir, except, []string{ignore}, func(p string, fi fs.FileInfo) error {
		if _, ok := programs[p]; ok {
			return nil
		}
		full := filepath.Join(dir, filepath.FromSlash(p))
		m, err := mode(full, fi)
		if err != nil {
			return err
		}
		text := (m & (fs.ModePerm | fs.ModeDir | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)).String()
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(full)
			if err != nil {
				return err
			}
			text = "link " + link
		case fi.Mode().IsRegular():
			c, err := layer.File(st, full)
			if err != nil {
				return err
			}
			text += " " + c.Digest.String()
		}
		k[[2]string{"in " + context, p}] = text
		return nil
	})
}

// add adds programs as files of a context.
func (k buildKey) add(context string, programs map[string]layer.Content) {
	for p, c := range programs {
		k[[2]string{"in " + context, p}] = fs.FileMode(0o755).String() + " " + c.Digest.String()
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			at := [2]string{"in " + context, dir}
			if _, ok := k[at]; !ok {
				k[at] = (fs.ModeDir | 0o755).String()
			}
		}
	}
}

// sum returns the key as a text of fixed length.
func (k buildKey) sum() string {
	h := sha256.New()
	keys := slices.SortedFunc(maps.Keys(k), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, at := range keys {
		for _, text := range []string{at[0], at[1], k[at]} {
			fmt.Fprintf(h, "%d %s\n", len(text), text)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
