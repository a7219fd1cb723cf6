// Package chart reads Helm charts, renders them and packages them, without a cluster, a network,
// plugins or Helm's configuration.
//
// [Load] reads a directory or a .tgz into a [Chart], which is a value: a method that changes a
// chart returns another one. [Chart.Render] makes the Kubernetes objects by Helm's own engine and
// knows the template and line of each line that it makes. [Chart.SetVersion] changes Chart.yaml at
// the places of the values; comments and order stay. [Chart.Package] writes a .tgz whose bytes
// depend on the chart only.
//
// Subcharts have to be in the tree: in charts/, or at a file:// path of the same tree. What a
// chart asks a cluster for (lookup) is empty, as with "helm template", and names are not resolved
// (getHostByName). A JSON schema of values that is elsewhere than in the chart is not fetched and
// takes every value.
package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Chart is a chart with its subcharts.
type Chart struct {
	shown    string // how messages call it
	files    []File // sorted by path; subcharts are directories below charts/
	loaded   Loaded // what Helm reads in the files
	metadata metadata
	known    *known // what it was rendered to
	here     bool   // whether this process renders it
}

// metadata is what Slipway uses of Chart.yaml in JSON.
type metadata struct {
	Name, Version, AppVersion, Description, Home string
	Sources                                      []string
	Maintainers                                  []struct{ Name, Email string }
	Annotations                                  map[string]string
}

// File is a file of a chart.
type File struct {
	Path  string // from the chart's root, with slashes
	Shown string // as messages name it
	Data  []byte
}

// Bounds of a chart, far beyond real ones.
const (
	maxBytes = 64 << 20 // of all files
	maxFiles = 20_000
	maxDepth = 20 // of directories, and of subcharts
)

const (
	chartFile   = "Chart.yaml"
	valuesFile  = "values.yaml"
	subcharts   = "charts/"
	archiveName = ".tgz"
)

// Name returns the chart's name.
func (c *Chart) Name() string { return c.metadata.Name }

// Version returns the chart's version.
func (c *Chart) Version() string { return c.metadata.Version }

// AppVersion returns the version of the program that the chart installs; "" if Chart.yaml lacks
// it.
func (c *Chart) AppVersion() string { return c.metadata.AppVersion }

// String returns how messages call the chart: its path.
func (c *Chart) String() string { return c.shown }

// newChart returns a chart of files after it has checked Chart.yaml.
func newChart(shown string, files []File) (*Chart, error) {
	if engine == nil {
		panic("render/chart: the program does not import package engine, which loads charts")
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	c := &Chart{shown: shown, files: files, known: &known{}}
	for i := 1; i < len(files); i++ {
		if files[i].Path == files[i-1].Path {
			return nil, fmt.Errorf("%s has %s twice: keep one", shown, output.Line(files[i].Path))
		}
	}
	if err := c.bounded(); err != nil {
		return nil, err
	}
	if err := c.checkMetadata(); err != nil {
		return nil, err
	}
	var err error
	if c.loaded, err = engine.Load(shown, files); err != nil {
		if at := c.malformed(); at != nil {
			return nil, at
		}
		return nil, err
	}
	if err := json.Unmarshal(c.loaded.Config, &c.metadata); err != nil {
		return nil, fmt.Errorf("%s: reading what Helm makes of Chart.yaml: %w", shown, err)
	}
	return c, nil
}

// isYAML reports whether Helm reads a file as YAML when it loads a chart.
func isYAML(f File) bool {
	switch path.Base(f.Path) {
	case chartFile, valuesFile, "Chart.lock", "requirements.yaml", "requirements.lock":
		return true
	}
	return false
}

// bounded reports a YAML file that is too large to be read.
func (c *Chart) bounded() error {
	for _, f := range c.files {
		if !isYAML(f) {
			continue
		}
		if len(f.Data) > bounds.MaxBytes {
			return fmt.Errorf("%s has more than %d MiB: is it the right file?", f.Shown, bounds.MaxBytes>>20)
		}
		if err := (&yamlfile.Size{}).Add(f.Shown, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// malformed returns the first place where a file that Helm reads is not YAML.
func (c *Chart) malformed() error {
	for _, f := range c.files {
		if isYAML(f) {
			if err := yamlfile.Read(f.Shown, f.Data, bounds).Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// file returns the file at a path.
func (c *Chart) file(name string) (File, bool) {
	i, ok := slices.BinarySearchFunc(c.files, name, func(f File, name string) int {
		return strings.Compare(f.Path, name)
	})
	if !ok {
		return File{}, false
	}
	return c.files[i], true
}

// with returns the chart with other data for a file that it has.
func (c *Chart) with(name string, data []byte) *Chart {
	changed := *c
	changed.known = &known{}
	changed.files = slices.Clone(c.files)
	for i := range changed.files {
		if changed.files[i].Path == name {
			changed.files[i].Data = data
		}
	}
	return &changed
}

// below returns the files of a chart as those of a subchart of another one.
func (c *Chart) below(dir string) []File {
	moved := make([]File, 0, len(c.files))
	for _, f := range c.files {
		f.Path = path.Join(dir, f.Path)
		moved = append(moved, f)
	}
	return moved
}

// trimBOM removes the mark that Helm removes, too.
func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\ufeff")) }
