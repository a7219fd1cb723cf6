package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
)

// maxListed is how many files that checksums do not list a report names.
var maxListed = 10_000 // a variable for the test that has more

// compareFiles compares the files that are there with their digests.
func compareFiles(ctx context.Context, dir string, sums map[string]string, pr *progress.Printer) (*Files, error) {
	f := &Files{Count: Count{Of: len(sums)}}
	var errs []error
	task := pr.Start("comparing "+dir+" with "+SumsName, progress.Bytes, 0)
	defer task.Fail()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		got, err := digestFile(ctx, path, task)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist):
			f.Absent = append(f.Absent, name)
		case err != nil:
			errs = append(errs, err)
		case got != sums[name]:
			errs = append(errs, changed(path, got, sums[name]))
		default:
			f.Have++
			if strings.HasSuffix(name, distfile.BundleSuffix) {
				f.bundles = append(f.bundles, path)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	task.Done("%d files", f.Have)
	return f, f.find(dir, sums)
}

// find finds the files in a directory that sums do not list. Links are files: nothing is read
// behind them.
func (f *Files) find(dir string, sums map[string]string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		_, listed := sums[name]
		switch {
		case listed || slices.Contains([]string{SumsName, SumsBundle, SumsSignature}, name):
		case name == ".gitignore" && d.Type().IsRegular() && disk.Ignored(dir): // slipway's own
		case len(f.Unlisted) < maxListed:
			f.Unlisted = append(f.Unlisted, name)
		default:
			f.MoreUnlisted++
		}
		return nil
	})
}

// Lists returns a line for a person about the files that are not here, and one about those that the
// checksums do not list. Each is missing if there are none.
func (f *Files) Lists() (all []string) {
	if len(f.Absent) > 0 {
		all = append(all, "not here: "+strings.Join(f.Absent, ", "))
	}
	if len(f.Unlisted) > 0 {
		all = append(all, "not proven: files that the checksums do not list: "+strings.Join(shown(f.Unlisted, f.MoreUnlisted), ", "))
	}
	return all
}

// maxShown is how much of an untrusted list is shown to a person.
const maxShown = 20

// shown returns the first of a list, and how many more there are, besides those that it lacks.
func shown(list []string, more int) []string {
	list = slices.Clone(list)
	if len(list) > maxShown {
		list, more = list[:maxShown], more+len(list)-maxShown
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

// CheckListed checks that each of the files of a directory with these names, if it is there, has the
// digest that the checksums list. It verifies no signature.
func CheckListed(dir string, sums map[string]string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		got, err := digestFile(context.Background(), path, nil)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case sums[name] == "":
			return fmt.Errorf("%s: %s does not list it, so it is of another release: make the release again, or take it again from its maintainer", path, SumsName)
		case got != sums[name]:
			return changed(path, got, sums[name])
		}
	}
	return nil
}
