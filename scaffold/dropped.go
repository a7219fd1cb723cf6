package scaffold

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/scaffold/shell"
)

// isLocal reports whether all names of a build are known, and none has a registry or an account.
func (b *dockerBuild) isLocal() bool {
	return len(b.names) > 0 && !slices.ContainsFunc(b.names, func(n string) bool {
		return strings.Contains(n, "/") || shell.Unknown(n)
	})
}

// dropBranches takes what branches, pull requests and clocks alone build from what publishes, and
// says its names, where a release builds the same Dockerfile.
func (d *Draft) dropBranches() {
	released, pushed := map[string]bool{}, map[string]bool{}
	for _, b := range d.dockerBuilds {
		released[b.file] = released[b.file] || b.rank == publishes && !b.ofBranches
		pushed[b.file] = pushed[b.file] || b.rank == publishes && !b.ofBranches && !b.isLocal()
	}
	for n := range d.dockerBuilds {
		switch b := &d.dockerBuilds[n]; {
		case b.rank != publishes:
		case b.ofBranches && released[b.file]:
			b.rank = develops
			for _, name := range b.names {
				d.leave("images built for branches, pull requests or a schedule only", "%s (%s)", name, b.at)
			}
		case b.isLocal() && pushed[b.file]:
			b.rank = develops
		}
	}
	for n := range d.pushed {
		if b := &d.pushed[n]; b.ofBranches && d.forTags {
			b.rank = develops
		}
	}
	if d.forTags {
		d.dropRepositories()
	}
}

// dropRepositories notes the repositories that branches alone have.
func (d *Draft) dropRepositories() {
	d.dropped = map[string]bool{}
	others := map[string]bool{}
	for _, b := range slices.Concat(d.dockerBuilds, d.pushed) {
		of := others
		if b.ofBranches && b.rank != publishes {
			of = d.dropped
		}
		for _, n := range b.names {
			if name, ok := d.wholeName(n); ok {
				repository, _ := splitReference(name)
				of[repository] = true
			}
		}
	}
	maps.DeleteFunc(d.dropped, func(repository string, _ bool) bool { return others[repository] })
}
