package chart

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// depend adds the dependencies at file:// paths of the tree, and checks that all are there.
func (c *Chart) depend(l Location, depth int) (*Chart, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("chart %s: file:// dependencies nest too deep: does one depend on itself?", c.shown)
	}
	loaded, err := c.helm()
	if err != nil {
		return nil, err
	}
	files := c.files
	for i, d := range loaded.Metadata.Dependencies {
		dir, ok := strings.CutPrefix(d.Repository, "file://")
		if !ok || present(loaded, d) {
			continue
		}
		at, shown := path.Join(l.Path, dir), path.Join(c.shown, dir)
		if strings.HasPrefix(at, "..") || path.IsAbs(dir) {
			return nil, fmt.Errorf("%s: dependency %s at %s leads out of the tree of the chart: copy it into charts/",
				c.dependencyPlace(i), output.Line(d.Name), output.Line(d.Repository))
		}
		sub, err := load(Location{Tree: l.Tree, Path: at, Shown: shown}, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: dependency %s: %w", c.dependencyPlace(i), output.Line(d.Name), err)
		}
		files = append(slices.Clone(files), sub.below(subcharts+sub.Name())...)
	}
	if len(files) > maxFiles {
		return nil, tooLarge(c.shown)
	}
	if c, err = newChart(c.shown, files); err != nil {
		return nil, err
	}
	return c, c.complete()
}

// present reports whether a chart has a dependency.
func present(c *helm.Chart, d *helm.Dependency) bool {
	return slices.ContainsFunc(c.Dependencies(), func(s *helm.Chart) bool {
		return s.Name() == d.Name && util.IsCompatibleRange(d.Version, s.Metadata.Version)
	})
}

// complete reports dependencies that the chart lacks, and those that are not what Chart.lock has.
func (c *Chart) complete() error {
	loaded, err := c.helm()
	if err != nil {
		return err
	}
	for i, d := range loaded.Metadata.Dependencies {
		if !present(loaded, d) {
			from := ""
			if d.Repository != "" {
				from = " of " + output.Line(d.Repository)
			}
			return fmt.Errorf("%s: dependency %s %s%s is not in charts/: "+
				"run helm dependency build %s and keep charts/ with the chart",
				c.dependencyPlace(i), output.Line(d.Name), output.Line(d.Version), from, c.shown)
		}
	}
	if err := c.distinct(loaded); err != nil {
		return err
	}
	if loaded.Lock == nil || loaded.Lock.Digest == "" {
		return nil
	}
	return c.checkLock(loaded)
}

// distinct reports two subcharts that are one dependency, or that have one name without being one:
// Helm takes either, another one each time.
func (c *Chart) distinct(loaded *helm.Chart) error {
	first := map[string]*helm.Chart{}
	for _, s := range loaded.Dependencies() {
		if err := c.distinct(s); err != nil {
			return err
		}
		var are []string
		for _, d := range loaded.Metadata.Dependencies {
			if s.Name() == d.Name && util.IsCompatibleRange(d.Version, s.Metadata.Version) {
				are = append(are, fmt.Sprintf("the dependency %s %s", d.Name, d.Version))
			}
		}
		if are == nil {
			are = []string{"the name " + s.Name()}
		}
		for _, what := range are {
			if other, ok := first[what]; ok && other != s {
				versions := []string{other.Metadata.Version, s.Metadata.Version}
				slices.Sort(versions)
				return fmt.Errorf("chart %s has two charts for %s in charts/, %s: remove one", c.shown,
					output.Line(what), output.Line(strings.Join(versions, " and ")))
			}
			first[what] = s
		}
	}
	return nil
}

// checkLock compares Chart.lock with Chart.yaml, and the subcharts with Chart.lock.
func (c *Chart) checkLock(loaded *helm.Chart) error {
	lock := path.Join(c.shown, "Chart.lock")
	if loaded.Metadata.APIVersion == helm.APIVersionV1 {
		lock = path.Join(c.shown, "requirements.lock")
	}
	sum, err := json.Marshal([2][]*helm.Dependency{loaded.Metadata.Dependencies, loaded.Lock.Dependencies})
	if err != nil {
		return fmt.Errorf("%s: %w", lock, err)
	}
	if digest := fmt.Sprintf("sha256:%x", sha256.Sum256(sum)); strings.HasPrefix(loaded.Lock.Digest, "sha256:") &&
		digest != loaded.Lock.Digest {
		return fmt.Errorf("%s is not of the dependencies in %s: run helm dependency update %s", lock,
			chartFile, c.shown)
	}
	for _, d := range loaded.Lock.Dependencies {
		have := ""
		for _, s := range loaded.Dependencies() {
			if s.Name() == d.Name && (have == "" || s.Metadata.Version == d.Version) {
				have = s.Metadata.Version
			}
		}
		if strings.TrimPrefix(have, "v") != strings.TrimPrefix(d.Version, "v") && have != "" {
			return fmt.Errorf("%s has %s %s, but charts/ has %s: run helm dependency build %s", lock,
				output.Line(d.Name), output.Line(d.Version), output.Line(have), c.shown)
		}
	}
	return nil
}

// dependencyPlace returns the position of the i-th dependency.
func (c *Chart) dependencyPlace(i int) yamlfile.Pos {
	for _, name := range []string{chartFile, "requirements.yaml"} {
		f, ok := c.file(name)
		if !ok {
			continue
		}
		read := yamlfile.Read(f.Shown, f.Data, bounds)
		if len(read.Documents) > 0 && yamlfile.Value(read.Documents[0], "dependencies", i) != nil {
			return place(f, read.Documents[0], "dependencies", i)
		}
	}
	return yamlfile.Pos{File: path.Join(c.shown, chartFile), Line: 1, Column: 1}
}
