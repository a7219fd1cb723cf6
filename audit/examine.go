package audit

import (
	"fmt"
	"maps"
	"path"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/entrypoint"
	layers "github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/platform/distribution"
)

// Bounds in bytes: of os-release, and of what Linux takes as a path.
const (
	maxRelease = 64 << 10
	maxPath    = 4096
)

// rules are those of the faults that an image may have.
var rules = map[entrypoint.Kind]string{
	entrypoint.Missing: "index-entrypoint-missing", entrypoint.Mode: "index-entrypoint-mode",
	entrypoint.Interpreter: "index-interpreter-missing", entrypoint.Differs: "index-program-differs",
}

// examine looks at the files of an image. whole means that its base is among them. program is the
// file that the image starts, if nothing is wrong with it.
func examine(t *tree.Tree, c *v1.ConfigFile, whole bool) (in *lint.Inside, program string, err error) {
	in = &lint.Inside{}
	add := func(rule, format string, args ...any) {
		in.Faults = append(in.Faults, lint.InsideFault{Rule: rule, What: fmt.Sprintf(format, args...)})
	}
	i := entrypoint.Image{Tree: t, Config: c.Config, On: platform.From(c.Platform()).Normal()}
	if i.On.OS == platform.Linux {
		if in.OS, err = osRelease(t); err != nil {
			return nil, "", err
		}
		why, err := i.User()
		if err != nil {
			return nil, "", err
		}
		if why != "" {
			add("index-user-unknown", "%s", why)
		}
	}
	if i.On.OS == platform.Linux {
		in, err := inPlaceOf(t, c.Config.WorkingDir)
		if err != nil {
			return nil, "", err
		}
		if in != "" {
			add("index-process", "the working directory is %.200s, and %.200s", c.Config.WorkingDir, in)
		}
	}
	if i.On.OS == platform.Windows {
		if why := otherName(t); why != "" {
			add("index-windows-name", "%s", why)
		}
	}
	if i.On.Architecture == "wasm" || i.On.OS != platform.Linux && i.On.OS != platform.Windows {
		return in, "", nil // how its runtime starts a program is not known
	}
	word, name, ok := i.Program()
	if !ok {
		return in, "", nil
	}
	f, file, err := i.Start(name)
	if err != nil {
		return nil, "", err
	}
	if f.Text != "" && (f.Certain || whole && !i.Outside(name)) { // and no base, which was not read, may have it
		add(rules[f.Kind], "%s %.200s: %.500s", word, name, f.Text)
	}
	return in, file, nil
}

// inPlaceOf returns the file in the place of a directory or one above it; "" for none.
func inPlaceOf(t *tree.Tree, dir string) (string, error) {
	if !path.IsAbs(dir) || len(dir) > maxPath {
		return "", nil // the first of which another rule is about
	}
	for p := path.Clean(dir); p != "/"; p = path.Dir(p) {
		at, n, err := tree.Resolve(t, p)
		switch {
		case tree.Loops(err):
		case err != nil:
			return "", err
		case n != nil && n.Kind != layers.Dir:
			return p + " is a file", nil
		case n == nil && at != p:
			if link, err := t.Lstat(p); err != nil || link != nil {
				return p + " is a link to nothing", err
			}
		}
	}
	return "", nil
}

// otherName returns the problem of the first file that cannot have its name on Windows; "" for
// none.
func otherName(t *tree.Tree) string {
	for _, p := range slices.Sorted(maps.Keys(t.Nodes)) {
		if err := layers.WindowsName(p); err != nil {
			return err.Error()
		}
	}
	return ""
}

// osRelease reads what the system of an image calls itself.
func osRelease(t *tree.Tree) (r distribution.OSRelease, err error) {
	for _, name := range distribution.Files {
		_, n, err := tree.Resolve(t, name)
		if err != nil && !tree.Loops(err) {
			return r, err
		}
		if n == nil || n.Kind != layers.Regular || n.Odd != "" {
			continue
		}
		c, err := n.Content()
		if err != nil {
			return r, err
		}
		if c.Size > maxRelease {
			continue
		}
		text, err := tree.ReadText(t, name)
		if err != nil {
			return r, err
		}
		return distribution.Parse(text), nil
	}
	return r, nil
}
