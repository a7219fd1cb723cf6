//go:build linux

package explore

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"pgregory.net/rapid"
)

// group draws flags that belong together, or nothing where the ground has nothing for them.
type group func(p *place) []string

// commandLine says how to draw command lines of a command.
type commandLine struct {
	always []group
	often  []group // each is in one line of three, or of two if there are few
	rarely []group // each is in one line of eight: they take long, or are errors mostly
	args   group
	writes bool // it may write files
	slow   bool // it takes seconds
	more   int  // how many times more it is drawn, since it is quick and few lines have its flags
}

// drawn is a command line, and the directory to run it in.
type drawn struct {
	dir  string
	args []string
}

// drawLine draws lines of a command.
func drawLine(name string, g *ground) *rapid.Generator[drawn] {
	return rapid.Custom(func(t *rapid.T) drawn {
		l := lines[name]
		p := &place{t, g, pick(t, "directory", ".", ".", "src")}
		args := strings.Fields(name)
		for _, f := range l.always {
			args = append(args, f(p)...)
		}
		share := 3
		if len(l.often) < 6 {
			share = 2
		}
		for n, among := range [][]group{l.often, l.rarely} {
			for _, f := range among {
				if maybe(t, share+n*(8-share), "flag") {
					args = append(args, f(p)...)
				}
			}
		}
		if slices.Contains(commands()[name], "ca-file") && maybe(t, 8, "authorities") {
			args = append(args, "-ca-file="+p.at("keys/ca.pem"))
		}
		if l.args != nil {
			if maybe(t, 3, "arguments first") {
				args = slices.Concat(strings.Fields(name), l.args(p), args[len(strings.Fields(name)):])
			} else {
				args = append(args, l.args(p)...)
			}
		}
		return drawn{p.dir, once(args)}
	})
}

// many are flags that may be repeated.
var many = []string{"key", "repository", "env", "to", "rename", "base", "values"}

// once drops a flag that was drawn a second time.
func once(args []string) (out []string) {
	seen := map[string]bool{}
	for _, a := range args {
		if f := flagOf(a); f == "" || !seen[f] || slices.Contains(many, f) {
			seen[f] = true
			out = append(out, a)
		}
	}
	return out
}

// lineNames are the names of the commands that have lines, quick ones with many flags several
// times.
var lineNames = sync.OnceValue(func() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		times := 1 + len(lines[name].often)/5 + lines[name].more
		if lines[name].slow {
			times = 1
		}
		names = append(names, slices.Repeat([]string{name}, times)...)
	}
	return names
})

// sw is a switch.
func sw(names ...string) group {
	return func(p *place) []string {
		return []string{pick(p.t, "dashes", "-", "-", "--") + pick(p.t, "switch", names...) +
			pick(p.t, "on", "", "", "=true", "=false")}
	}
}

// one is a flag with one of some values.
func one(name string, values ...string) group {
	return func(p *place) []string { return []string{"-" + name + "=" + pick(p.t, name, values...)} }
}

// file is a flag with the path of a file or of one of some.
func file(name string, paths ...string) group {
	return func(p *place) []string { return []string{"-" + name + "=" + p.at(pick(p.t, name, paths...))} }
}

// directory is a flag with the path of a directory.
func directory(name string, paths ...string) group {
	return func(p *place) []string { return []string{"-" + name + "=" + p.directory(pick(p.t, name, paths...))} }
}

// known is a flag with one or some of the values that the ground has.
func known(name string, most int, of func(g *ground) []string) group {
	return func(p *place) []string {
		all := of(p.g)
		if len(all) == 0 {
			return nil
		}
		return []string{"-" + name + "=" + strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(all),
			1, min(most, len(all)), rapid.ID).Draw(p.t, name), ",")}
	}
}

// ofProduct names slipway.yaml, where it is not the one of the directory.
func ofProduct(p *place) []string {
	if p.dir == "src" && maybe(p.t, 2, "default product") {
		return nil
	}
	return []string{"-product=" + p.at("src/slipway.yaml")}
}

// store and out name the directories of the release, or new ones.
func store(p *place) []string {
	return []string{"-store=" + p.directory(pick(p.t, "store", "store", "store", "new-store"))}
}

func out(p *place) []string {
	return []string{"-out=" + p.directory(pick(p.t, "out", "out", "out", "new-out", "src/dist", "deep/er/out"))}
}

// there is the directory of the release.
func there(p *place) []string { return []string{"-out=" + p.directory("out")} }

// registry names a place of the registry, or a destination.
func registry(p *place) []string {
	at := append([]string{
		p.g.host + "/" + p.g.prefix,
		p.g.host + "/" + p.g.prefix + "/" + pick(p.t, "registry", "a", "b/c"),
	}, p.g.dest...)
	return []string{"-registry=" +
		pick(p.t, "registry", append(at, p.g.host+"/"+p.g.prefix+","+p.g.host+"/"+p.g.prefix+"/second")...)}
}

// same are the flags of the release in out.
func same(p *place) []string { return p.made() }

// sameProduct are those of them by which its version and channel are chosen.
func sameProduct(p *place) []string { return p.made("version", "channel") }

// verifies are the keys of one who verifies.
func verifies(p *place) []string {
	args := []string{"-key=" + p.at("home/keys/k.pub")}
	if maybe(p.t, 2, "other key") {
		args = append(args, "-key="+p.at("keys/one.pub"))
	}
	if maybe(p.t, 2, "threshold") {
		args = append(args, "-threshold="+pick(p.t, "threshold", "1", "2", "3"))
	}
	return args
}

// bundle is a bundle of the release.
func bundle(p *place) []string {
	return []string{
		p.at(pick(p.t, "bundle", append(slices.Clone(p.g.bundles), "out/none.tar.zst")[:max(1, len(p.g.bundles))]...)),
	}
}
