package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

var errHead = errors.New("it names neither a ref nor a commit")

// maxPatterns bounds files of patterns in a repository, and maxIndex those that share an index.
const (
	maxPatterns = 64 << 20
	maxIndex    = 1 << 30
)

// view is a repository as git may see it: refs, objects and index, without its settings.
type view struct {
	place    place
	dir      string // temporary
	work     string // where git runs
	settings *settings
	revealed string // an index of the view in place of the repository's; "" for none
	shared   bool   // it is removed by others
}

// open makes a view of the repository that a directory belongs to, or takes the one of [Share].
func open(ctx context.Context, dir string) (*view, error) {
	p, err := locate(dir)
	if err != nil {
		return nil, err
	}
	work, err := filepath.Abs(dir)
	if err == nil {
		work, err = filepath.EvalSymlinks(work)
	}
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	s, share := ctx.Value(viewsKey{}).(*views)
	if !share {
		v, err := newView(ctx, p)
		if err == nil {
			v.work = work
		}
		return v, err
	}
	v, err := s.view(ctx, p)
	if err != nil {
		return nil, err
	}
	return &view{place: p, dir: v.dir, work: work, settings: v.settings, shared: true}, nil
}

func newView(ctx context.Context, p place) (*view, error) {
	at, err := disk.Scratch("")
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	v := &view{place: p, dir: at}
	if v.settings, err = fill(ctx, p, at, func(*settings) {}); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

func (v *view) close() {
	if !v.shared {
		os.RemoveAll(v.dir)
	}
}

// run runs git in the view and returns what it prints, without the last line break.
func (v *view) run(ctx context.Context, args ...string) (string, error) {
	out, err := v.output(ctx, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

func (v *view) output(ctx context.Context, args ...string) ([]byte, error) {
	if v.place.root != "" {
		if fi, err := os.Stat(v.index()); err == nil && regular.Check(v.index(), fi.Mode()) != nil {
			return nil, fmt.Errorf("git: %w", regular.Check(v.index(), fi.Mode()))
		}
	}
	return output(ctx, v.work, v.env(), "", args...)
}

// index returns the file with the index of the repository.
func (v *view) index() string { return cmp.Or(v.revealed, filepath.Join(v.place.git, "index")) }

// env returns the environment of git in the view.
func (v *view) env() []string {
	env := []string{"GIT_DIR=" + v.dir}
	if v.place.root != "" {
		env = append(env, "GIT_WORK_TREE="+v.place.root, "GIT_INDEX_FILE="+v.index())
	}
	return clean(env)
}

// fill makes a repository in the directory at, which has what another one has and none of its
// settings but those that adjust leaves.
func fill(ctx context.Context, p place, at string, adjust func(*settings)) (*settings, error) {
	head, err := p.head()
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	refs, err := p.refs()
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	if err := begin(at, head, "[core]\n\trepositoryformatversion = 0\n"); err != nil {
		return nil, err
	}
	s, err := readSettings(ctx, p, at)
	if err != nil {
		return nil, err
	}
	adjust(s)
	objects := filepath.Join(p.common, "objects")
	if err := checkObjects(ctx, objects); err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	err = errors.Join(
		write(filepath.Join(at, "config"), []byte(s.config(p.root == ""))),
		write(filepath.Join(at, "packed-refs"), refs),
		write(filepath.Join(at, "objects", "info", "alternates"), []byte(filepath.ToSlash(objects)+"\n")),
		adopt(p.common, at, "shallow", maxRefs),
		adopt(p.common, at, filepath.Join("info", "exclude"), maxPatterns),
		adopt(p.common, at, filepath.Join("info", "attributes"), maxPatterns),
		adopt(p.git, at, filepath.Join("info", "sparse-checkout"), maxPatterns),
	)
	shared, globErr := filepath.Glob(filepath.Join(p.git, "sharedindex.*"))
	if err := errors.Join(err, globErr); err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	for _, name := range shared {
		if err := adopt(p.git, at, filepath.Base(name), maxIndex); err != nil {
			return nil, fmt.Errorf("git: %w", err)
		}
	}
	return s, nil
}

// begin makes an empty repository.
func begin(at, head, config string) error {
	if err := errors.Join(
		disk.MkdirAll(filepath.Join(at, "refs")), disk.MkdirAll(filepath.Join(at, "objects", "info")),
		disk.MkdirAll(filepath.Join(at, "info")),
		write(filepath.Join(at, "HEAD"), []byte(head+"\n")), write(filepath.Join(at, "config"), []byte(config)),
	); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	return nil
}

// adopt copies a file of a repository, if it has that.
func adopt(from, to, name string, limit int64) error {
	b, err := regular.ReadMost(filepath.Join(from, name), limit)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return write(filepath.Join(to, name), b)
}

func write(name string, b []byte) error {
	f, err := disk.Create(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Place(name, disk.ModeFile)
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
