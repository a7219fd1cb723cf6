package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/ignore"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Location is where a chart is.
type Location struct {
	Tree  string // the directory that the chart must not leave, such as that of a source
	Path  string // the chart in it, with slashes: a directory or a .tgz
	Shown string // what messages call the chart; Path if empty
}

// Load reads a chart. A link must not lead out of the tree.
func Load(l Location) (*Chart, error) { return load(l, 0) }

// load reads a chart that others depend on, depth levels down.
func load(l Location, depth int) (*Chart, error) {
	if l.Shown == "" {
		l.Shown = path.Clean(l.Path)
	}
	root, err := regular.OpenRoot(l.Tree)
	if err != nil {
		return nil, fmt.Errorf("reading chart %s: %w", l.Shown, err)
	}
	defer root.Close()
	r := &reader{tree: root.FS(), left: maxBytes}
	at := path.Clean(l.Path)
	fi, err := fs.Stat(r.tree, at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("chart %s does not exist: correct its path", l.Shown)
	case err != nil:
		return nil, fmt.Errorf("reading chart %s: %w", l.Shown, err)
	case !fi.IsDir():
		return r.archive(at, l.Shown)
	}
	if _, err := fs.Stat(r.tree, path.Join(at, chartFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: name the directory of a chart, or a .tgz", l.Shown, chartFile)
	}
	if err := r.directory(at, l.Shown); err != nil {
		return nil, err
	}
	if r.files, err = expand(r.files, 0, &r.left); err != nil {
		return nil, err
	}
	c, err := newChart(l.Shown, r.files)
	if err != nil {
		return nil, err
	}
	return c.depend(l, depth)
}

// reader reads the files of a chart.
type reader struct {
	tree  fs.FS
	left  int64
	files []File

	at, shown string
	rules     *ignore.Rules
}

// directory reads the files of a directory that .helmignore does not ignore.
func (r *reader) directory(at, shown string) error {
	r.at, r.shown, r.rules = at, shown, ignore.Empty()
	text, err := fs.ReadFile(r.tree, path.Join(at, ignore.HelmIgnore))
	if err == nil {
		if r.rules, err = ignore.Parse(bytes.NewReader(text)); err != nil {
			return fmt.Errorf("%s/%s: %w", shown, ignore.HelmIgnore, err)
		}
	}
	r.rules.AddDefaults()
	return r.walk("", 0)
}

func (r *reader) walk(dir string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s/%s: directories nest too deep: is a link to a directory above it?",
			r.shown, output.Line(dir))
	}
	entries, err := fs.ReadDir(r.tree, path.Join(r.at, dir))
	if err != nil {
		return fmt.Errorf("reading chart %s: %w", r.shown, err)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		shown := path.Join(r.shown, output.Line(name))
		fi, err := fs.Stat(r.tree, path.Join(r.at, name)) // which follows links
		switch {
		case err != nil && r.rules.Ignore(name, entryInfo(e)):
		case err != nil:
			return fmt.Errorf("%s: the link leads nowhere, or out of the tree: replace it by the file", shown)
		case r.rules.Ignore(name, fi):
		case fi.IsDir():
			if err := r.walk(name, depth+1); err != nil {
				return err
			}
		case !fi.Mode().IsRegular():
			return fmt.Errorf("%s is neither a file nor a directory: remove it, or list it in .helmignore", shown)
		default:
			if err := r.read(name, shown); err != nil {
				return err
			}
		}
	}
	return nil
}

// entryInfo returns the known facts about an entry whose link is broken.
func entryInfo(e fs.DirEntry) fs.FileInfo {
	fi, err := e.Info()
	if err != nil {
		return emptyInfo{}
	}
	return fi
}

// emptyInfo is that of a file that has disappeared.
type emptyInfo struct{ fs.FileInfo }

func (emptyInfo) IsDir() bool { return false }

func (r *reader) read(name, shown string) error {
	f, err := r.tree.Open(path.Join(r.at, name))
	if err != nil {
		return fmt.Errorf("reading chart %s: %w", r.shown, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, r.left+1))
	if err != nil {
		return fmt.Errorf("reading %s: %w", shown, err)
	}
	if r.left -= int64(len(data)); r.left < 0 || len(r.files) >= maxFiles {
		return tooLarge(r.shown)
	}
	r.files = append(r.files, File{name, shown, trimBOM(data)})
	return nil
}

func tooLarge(shown string) error {
	return fmt.Errorf("chart %s has more than %d MiB or %d files: list in .helmignore what does not belong to it",
		shown, maxBytes>>20, maxFiles)
}

// archive reads a chart that helm package made.
func (r *reader) archive(at, shown string) (*Chart, error) {
	f, err := r.tree.Open(at)
	if err != nil {
		return nil, fmt.Errorf("reading chart %s: %w", shown, err)
	}
	defer f.Close()
	return readArchive(f, shown, &r.left)
}

// Read reads a .tgz. The name is for messages.
func Read(name string, archive io.Reader) (*Chart, error) {
	left := int64(maxBytes)
	return readArchive(archive, name, &left)
}

func readArchive(f io.Reader, shown string, left *int64) (*Chart, error) {
	files, err := unpack(f, shown, left)
	if err != nil {
		return nil, err
	}
	if files, err = expand(files, 0, left); err != nil {
		return nil, err
	}
	c, err := newChart(shown, files)
	if err != nil {
		return nil, err
	}
	return c, c.complete()
}

// isArchive reports whether a path of a chart is that of a packaged subchart: charts/name.tgz at
// any level.
func isArchive(name string) bool {
	dir, base := path.Split(name)
	return strings.HasSuffix(base, archiveName) && !strings.HasPrefix(base, "_") && !strings.HasPrefix(base, ".") &&
		(dir == subcharts || strings.HasSuffix(dir, "/"+subcharts))
}
