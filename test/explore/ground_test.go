//go:build linux

package explore

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// ground is what a command line can name: what is there when it runs.
type ground struct {
	dir                                  string // absolute, "" in an example
	host, prefix                         string // the registry, and where lines push to
	images, platforms, channels, dest    []string
	bundles, deltas, names, charts, olds []string // bundles are files of out, names are images in them
	git, signed, pushed                  bool
	flags                                []string // with which the release in out was made
	plan                                 string   // in the registry
	version                              string
}

// exampleGround has one of everything.
var exampleGround = &ground{
	host: "localhost:1", prefix: "p", images: []string{"a", "b"},
	platforms: []string{"linux/amd64", "windows/amd64:ltsc2022"},
	channels:  []string{"stable"}, dest: []string{"one"}, bundles: []string{"out/a.tar.zst"},
	names: []string{"localhost:1/a:1"},
	olds:  []string{"old0"}, git: true, signed: true, pushed: true, flags: []string{"-channel=stable"},
	version: "1.0.0",
}

// newGround looks at what a walk has in a directory.
func newGround(w *world, dir string) *ground {
	g := &ground{
		dir: w.path(dir), host: w.host, prefix: dir, images: w.p.images, platforms: w.p.platforms,
		channels: w.p.channels, dest: w.p.dest,
		git: w.p.git, version: w.at,
	}
	for _, b := range w.files(dir+"/out", ".tar.zst") {
		g.bundles = append(g.bundles, strings.TrimPrefix(b, dir+"/"))
	}
	for _, d := range w.files(dir+"/out", ".delta") {
		g.deltas = append(g.deltas, strings.TrimPrefix(d, dir+"/"))
	}
	for _, c := range w.files(dir+"/out", ".tgz") {
		g.charts = append(g.charts, strings.TrimPrefix(c, dir+"/"))
	}
	if w.now != nil {
		g.signed, g.pushed, g.flags = w.now.key != "", w.now.pushed != "", w.now.flags
	}
	for _, o := range w.older {
		g.olds = append(g.olds, o.dir)
	}
	var l struct {
		Images []struct {
			Repository, Digest string
			Tags               []string
		}
	}
	if text, err := os.ReadFile(filepath.Join(g.dir, "out/release.lock.json")); err == nil &&
		json.Unmarshal(text, &l) == nil {
		for _, i := range l.Images {
			for _, tag := range i.Tags {
				g.names = append(g.names, i.Repository+":"+tag)
			}
			g.names = append(g.names, i.Repository+"@"+i.Digest)
		}
	}
	return g
}

// place is a directory in which a command runs, and the way to paths from there.
type place struct {
	t   *rapid.T
	g   *ground
	dir string // relative to the ground
}

// at writes a path of the ground as a user may.
func (p *place) at(path string) string {
	up := map[string]string{".": "", "src": "../"}[p.dir]
	switch way := pick(p.t, "way", "plain", "plain", "dot", "absolute", "link", "around"); {
	case way == "dot":
		return "./" + up + path
	case way == "absolute" && p.g.dir != "":
		return filepath.Join(p.g.dir, path)
	case way == "link" && strings.HasPrefix(path, "src/"):
		return up + "link" + strings.TrimPrefix(path, "src")
	case way == "around":
		return up + "keys/../" + path
	}
	return up + path
}

// directory writes the path of a directory, also with a slash at its end.
func (p *place) directory(path string) string {
	return p.at(path) + pick(p.t, "end", "", "", "/", "/.")
}

// made are the flags that name the release in out.
func (p *place) made(only ...string) (args []string) {
	for _, f := range p.g.flags {
		if len(only) == 0 || slices.Contains(only, flagOf(f)) {
			args = append(args, f)
		}
	}
	return args
}
