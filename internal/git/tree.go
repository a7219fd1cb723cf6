package git

import (
	"context"
	"crypto/sha1" //nolint:gosec // git names its objects by it
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Tree is the files of a commit, next to the work tree where it is checked out.
type Tree struct {
	root  string
	files map[string]object // by path in the repository
	dirs  map[string]bool
}

// object is a file of a commit.
type object struct{ mode, hash string }

// ReadTree returns the files of the commit that is checked out in a directory.
func ReadTree(ctx context.Context, dir string) (*Tree, error) {
	v, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer v.close()
	out, err := v.run(ctx, "ls-tree", "-r", "-z", "--full-tree", "HEAD")
	if err != nil {
		return nil, err
	}
	t := &Tree{root: v.place.root, files: map[string]object{}, dirs: map[string]bool{".": true}}
	for entry := range strings.SplitSeq(out, "\x00") {
		info, name, ok := strings.Cut(entry, "\t")
		f := strings.Fields(info) // mode, type, hash
		if !ok || len(f) != 3 {
			continue
		}
		t.files[name] = object{f[0], f[2]}
		for d := path.Dir(name); !t.dirs[d]; d = path.Dir(d) {
			t.dirs[d] = true
		}
	}
	return t, nil
}

// Has reports whether the commit has the file at an absolute path of the work tree, byte for
// byte. No setting and no filter counts. Of directories only whether the commit has one is
// compared.
func (t *Tree) Has(name string) (bool, error) {
	rel, ok, err := t.place(name)
	if err != nil || !ok {
		return false, err
	}
	fi, err := os.Lstat(name)
	switch {
	case err != nil:
		return false, err
	case fi.IsDir():
		return t.dirs[rel], nil
	}
	o := t.files[rel]
	switch {
	case fi.Mode()&fs.ModeSymlink != 0 && o.mode == "120000":
		to, err := os.Readlink(name)
		return err == nil && o.is(strings.NewReader(to), int64(len(to))) == nil, err
	case !fi.Mode().IsRegular() || !strings.HasPrefix(o.mode, "100") || (o.mode == "100755") != (fi.Mode()&0o100 != 0):
		return false, nil
	}
	f, err := regular.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = o.is(f, fi.Size())
	if errors.Is(err, errOther) {
		return false, nil
	}
	return err == nil, err
}

// place returns the path of a file in the repository. Links that lead to it must be the commit's.
func (t *Tree) place(name string) (rel string, ok bool, err error) {
	dir := filepath.Dir(name)
	for d := dir; filepath.Dir(d) != d; d = filepath.Dir(d) {
		fi, err := os.Lstat(d)
		if err != nil {
			return "", false, err
		}
		if fi.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if above, err := filepath.EvalSymlinks(filepath.Dir(d)); err != nil || !disk.Within(t.root, above) {
			continue // on the way to the repository
		}
		if ok, err := t.Has(d); !ok || err != nil {
			return "", false, err
		}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", false, err
	}
	rel, err = filepath.Rel(t.root, filepath.Join(dir, filepath.Base(name)))
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel), nil
}

// Absent returns a file of the commit that a directory of the work tree lacks, or a repository
// within it, whose files no commit of this one has; "" for none.
func (t *Tree) Absent(dir string) (string, error) {
	prefix, ok, err := t.place(filepath.Join(dir, "x"))
	if err != nil || !ok {
		return dir, err
	}
	prefix = strings.TrimSuffix(prefix, "x")
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		o := t.files[name]
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		full := filepath.Join(t.root, filepath.FromSlash(name))
		_, err := os.Lstat(full)
		if o.mode == "160000" {
			if _, inner := os.Lstat(filepath.Join(full, ".git")); inner == nil {
				return full, nil
			}
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			return full, nil
		}
	}
	return "", nil
}

var errOther = errors.New("other bytes")

// is compares bytes with the object.
func (o object) is(r io.Reader, size int64) error {
	h := sha1.New() //nolint:gosec // as above
	if len(o.hash) == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	if _, err := io.Copy(h, r); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != o.hash {
		return errOther
	}
	return nil
}
