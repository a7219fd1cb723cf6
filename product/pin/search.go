package pin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/workload"
)

// search gathers the references of a product.
type search struct {
	product *product.Product
	files   []*file
	places  []*place
	kept    []Kept
	errs    yamlfile.Errors
}

// all reads every file that has references, images.txt first: what a line of it pins, other files
// take over.
func (s *search) all() error {
	s.kept = []Kept{}
	if err := s.imageList(); err != nil {
		return err
	}
	if err := s.yaml(s.product.Path, filepath.Join(s.product.Dir, filepath.Base(s.product.Path)), true); err != nil {
		return err
	}
	for _, t := range slices.Concat(s.product.Release.Templates, s.product.Release.Kustomize) {
		dir, shown := s.product.Dir, filepath.Dir(s.product.Path)
		if t.Source != "" {
			source := s.product.Source(t.Source)
			if source.Directory == "" || !source.Own {
				continue // a third-party file
			}
			dir = source.Directory
			if rel, err := filepath.Rel(s.product.Dir, dir); err == nil {
				shown = filepath.Join(shown, rel)
			}
		}
		if err := s.template(filepath.Join(shown, filepath.FromSlash(t.Path)),
			filepath.Join(dir, filepath.FromSlash(t.Path))); err != nil {
			return err
		}
	}
	return s.errs.Err()
}

// imageList takes the lines of images.txt, which have been parsed.
func (s *search) imageList() error {
	var f *file
	for _, i := range s.product.Airgap.Images {
		if f == nil {
			f = &file{path: i.Pos.File, full: i.Pos.File, plain: true}
			if err := s.read(f); err != nil {
				return err
			}
		}
		if p := newPlace(i.Text, i.Pos); p != nil {
			p.file, p.list = f, true
			s.places = append(s.places, p)
		}
	}
	return nil
}

// template reads a file of templates, or those of a directory. Only YAML has references that can
// be distinguished from other text.
func (s *search) template(shown, full string) error {
	made := s.product.MadeIn(full)
	return filepath.WalkDir(full, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(full, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (slices.Contains(made, filepath.ToSlash(rel)) || d.Name() == ".git"):
			return filepath.SkipDir
		case slices.Contains(made, filepath.ToSlash(rel)), !workload.IsManifest(path):
			return nil
		case d.Type()&fs.ModeSymlink != 0 && path == full: // one that slipway.yaml names itself
		case !d.Type().IsRegular():
			return nil
		}
		return s.yaml(filepath.Join(shown, rel), path, false)
	})
}

// read reads a file, unless it was read before.
func (s *search) read(f *file) (err error) {
	if f.src, err = yamlfile.ReadText(f.full, workload.MaxFile); err != nil {
		return fmt.Errorf("reading %s: %w", f.path, cause(err))
	}
	s.files = append(s.files, f)
	return nil
}

// cause returns the error of an operation on a file without the path.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok { //nolint:errorlint // os returns it bare
		return p.Err
	}
	return err
}
