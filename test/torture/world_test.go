//go:build linux && amd64

package torture

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// scenario is a command and the directory it runs in.
type scenario struct {
	name string
	// before are commands that an undisturbed slipway runs to make the directory. "edit" stands for
	// a new version of the product, "others" for other files in out, "mv A B" renames, "save FILE"
	// keeps what a command prints.
	before []string
	// command is what the fault hits. REG is the registry of the scenario.
	command string
	// registry is empty where none is needed: the product is cut as a snapshot then.
	registry string
	// once marks a command that may refuse to run again after it has succeeded.
	once bool
	// stdout marks a command whose result is what it prints.
	stdout bool
	// only is the kind of faults that the command is tried with; empty is all.
	only string
	// keeps marks a command that may leave what an undisturbed run removes.
	keeps bool
	// input names a file that the command reads and cannot recreate.
	input string
	// scratch marks a command that evaluates Dockerfiles in a directory of TMPDIR. If it is killed,
	// or may not remove that, it stays: who else may use TMPDIR is not known.
	scratch bool
}

const (
	files  = " -product=src/slipway.yaml -store=store -out=out"
	stored = "release -q -binary=false" + files
	old    = "release -q -binary=false -product=src/slipway.yaml -store=store -out=old"
	bundle = "in/tiny-images.tar.zst"
	shipto = " -registry=REG/made"
	lock   = "pin bases -product=src/slipway.yaml"
)

// kinds of registries.
const (
	memory = "memory" // go-containerregistry's
	debian = "debian" // docker-registry 2.8, a process
	secure = "secure" // go-containerregistry's, by HTTPS and HTTP/2
)

var scenarios = []*scenario{
	{name: "release", command: stored},
	{name: "release-again", before: []string{stored}, command: stored},
	{name: "release-changed", before: []string{stored, "edit"}, command: stored},
	{name: "release-among-others", before: []string{"others", stored, "edit"}, command: stored},
	{name: "release-edited", before: []string{"edit"}, command: stored},
	{name: "release-binary", before: []string{stored}, command: "release -q" + files},
	{name: "release-to", registry: memory, before: []string{lock}, command: stored + shipto},
	{name: "release-to-again", registry: memory, before: []string{lock, stored + shipto}, command: stored + shipto},
	{name: "part", registry: memory, before: []string{lock}, command: stored + shipto + " -platforms=linux"},
	{name: "merge", registry: memory, before: []string{
		lock, strings.Replace(stored, "=out", "=a", 1) + shipto + " -platforms=linux",
		strings.Replace(stored, "=out", "=b", 1) + shipto + " -platforms=windows",
	}, command: "merge -q -binary=false" + files + shipto + " a/release.part.json b/release.part.json"},
	{
		name: "shard", registry: memory,
		before:  []string{lock, "save plan.json plan -json -shards=2 -product=src/slipway.yaml -store=store" + shipto},
		command: stored + shipto + " -plan=plan.json -shard=0",
	},
	{name: "build", command: "stage build -q" + files},
	{name: "publish", before: []string{"stage build -q" + files}, command: "stage publish -q" + files},
	{
		name: "publish-to", registry: memory, before: []string{lock, "stage build -q" + files + shipto},
		command: "stage publish -q" + files + shipto,
	},
	{name: "render", before: []string{"stage build -q" + files, "stage publish -q" + files}, command: "stage render -q" + files},
	{name: "pack", before: []string{"stage build -q" + files, "stage publish -q" + files}, command: "airgap pack -q" + files},
	{
		name: "pack-base", before: []string{old, "edit", stored},
		command: "airgap pack -q -base=old/tiny-images.tar.zst" + files,
	},
	{
		name: "split", before: []string{stored, "mv out in"}, command: "airgap split " + bundle + " -out=out",
		input: bundle,
	},
	{
		name: "split-again", before: []string{stored, "mv out in", "airgap split " + bundle + " -out=out"},
		command: "airgap split " + bundle + " -out=out -max-size=2MB", input: bundle,
	},
	{
		name: "extract", before: []string{stored, "mv out in"}, once: true, input: bundle,
		command: "airgap extract " + bundle + " slipway.local/tiny/tiny:1.0.0 -o=image",
	},
	{
		name: "extract-archive", before: []string{stored, "mv out in"}, once: true, input: bundle,
		command: "airgap extract " + bundle +
			" slipway.local/tiny/tiny:1.0.0 -o=image.tar -platforms=linux/amd64",
	},
	{
		name:    "apply",
		before:  []string{old, "edit", stored, "airgap pack -q -base=old/tiny-images.tar.zst" + files, "mv out in"},
		command: "airgap apply " + bundle + ".delta -base=old/tiny-images.tar.zst -o=made.tar.zst",
		input:   bundle + ".delta",
	},
	{
		name: "diff", before: []string{old, "edit", stored, "mv out in"}, stdout: true, input: bundle,
		command: "airgap diff old/tiny-images.tar.zst " + bundle,
	},
	{
		name: "push", registry: memory, before: []string{lock, stored + shipto, "mv out in"}, input: bundle,
		command: "airgap push -snapshot -q " + bundle + " -to=REG/mirror -release=in/release.yaml -release-to=release.yaml",
	},
	{
		name: "mirror-config", before: []string{stored, "mv out in"}, input: bundle,
		command: "airgap mirror-config " + bundle + " -to=registry.internal/mirror -out=out",
	},
	{name: "bases", registry: memory, command: lock, scratch: true},
	{name: "clean", before: []string{stored}, command: "store clean" + files},
	{name: "clean-old", only: "clock", before: []string{stored}, command: "store clean -older=7d" + files},
	{name: "clean-among-others", once: true, before: []string{"others", stored}, command: "store clean" + files},
	{name: "clean-part", registry: memory, once: true, keeps: true, only: "network", before: []string{
		lock, strings.Replace(stored, "=out", "=a", 1) + shipto + " -platforms=linux", stored + shipto,
	}, command: "store clean -older=1ms -store=none -out=none a/release.part.json"},
	{name: "store-verify", before: []string{stored}, command: "store verify -q -store=store"},
	{
		name: "release-to-secure", registry: secure, only: "early answer", before: []string{lock},
		command: stored + shipto,
	},
	{
		name: "push-to-secure", registry: secure,
		only: "early answer", before: []string{lock, stored + shipto, "mv out in"}, input: bundle,
		command: "airgap push -snapshot -q " + bundle + " -to=REG/mirror -release=in/release.yaml -release-to=release.yaml",
	},
	{name: "release-to-debian", registry: debian, before: []string{lock}, command: stored + shipto},
	{
		name: "publish-to-debian", registry: debian, before: []string{lock, "stage build -q" + files + shipto},
		command: "stage publish -q" + files + shipto,
	},
	{
		name: "push-to-debian", registry: debian, before: []string{lock, stored + shipto, "mv out in"}, input: bundle,
		command: "airgap push -snapshot -q " + bundle + " -to=REG/mirror -release=in/release.yaml -release-to=release.yaml",
	},
}

// find returns the scenario of a name.
func find(name string) *scenario {
	for _, s := range scenarios {
		if s.name == name {
			return s
		}
	}
	panic("no scenario " + name)
}

// writeProduct lays the product into dir. With a registry its bases and a third-party image come
// from there.
func writeProduct(dir, registry string) error {
	if err := os.CopyFS(dir, os.DirFS("testdata/tiny")); err != nil {
		return err
	}
	bases, images := "mcr.microsoft.com", "# none\n"
	if registry != "" {
		bases, images = registry, registry+"/third/pause:1\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "images.txt"), []byte(images), 0o644); err != nil {
		return err
	}
	return replace(filepath.Join(dir, "slipway.yaml"), "BASES", bases)
}

// replace changes a text in a file.
func replace(path, from, to string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), from) {
		return fmt.Errorf("%s has no %q", path, from)
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), from, to)), 0o644)
}

// copyTree copies a directory with modes and times. Hard links would not do: a fault may write
// into a file.
func copyTree(to, from string) error {
	var dirs []string
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := filepath.Join(to, strings.TrimPrefix(path, from))
		if d.IsDir() {
			dirs = append(dirs, path)
			return os.MkdirAll(at, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := os.WriteFile(at, data, info.Mode().Perm()); err != nil {
			return err
		}
		return os.Chtimes(at, info.ModTime(), info.ModTime())
	})
	return err
}

// age sets the time of every file an hour back, since slipway trusts no file that was just written.
func age(dir string) error {
	then := time.Now().Add(-time.Hour).Truncate(time.Second)
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, then, then)
	})
}
