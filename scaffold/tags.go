package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

var (
	stripsV = lazyregexp.New(
		`\$\{[A-Za-z_]+#(?:refs/tags/)?v\}|sed [^|;]*s[/|]\^?v[/|][/|]|TrimPrefix .*"v"|\$\((?:patsubst v%,%|VERSION:v%=%)`)
	archTag = lazyregexp.New(
		`-(?:linux-|windows-)?(?:amd64|arm64|armv?[67]|\$\(?\{?(?:ARCH|GOARCH|TARGETARCH|\*)\)?\}?)$`)
	floating = lazyregexp.New(`^(?:latest|stable|edge|nightly|main|master)$`)
)

// metadata reads the tags and the flavor of docker/metadata-action.
func (d *Draft) metadata(tags, flavor string) {
	for l := range strings.Lines(tags) {
		l = strings.TrimSpace(l)
		if strings.Contains(l, "{{version}}") && !strings.Contains(l, "v{{version}}") {
			d.tagPrefix = "v"
		}
		switch {
		case strings.Contains(l, "{{major}}.{{minor}}"):
			d.float("{{.Major}}.{{.Minor}}")
		case strings.Contains(l, "{{major}}"):
			d.float("{{.Major}}")
		case strings.Contains(l, "value=latest"):
			d.float("latest")
		}
	}
	if strings.Contains(tags, "type=semver") && !strings.Contains(flavor, "latest=false") {
		d.float("latest")
	}
}

func (d *Draft) float(tag string) {
	d.floatingTags = appendNew(d.floatingTags, tag)
}

// findTags takes from the builds which tags move, and names those that a release would not have.
func (d *Draft) findTags() {
	for _, b := range d.dockerBuilds {
		for _, ref := range b.names {
			_, tag := splitReference(ref)
			switch {
			case tag == "latest" && slices.ContainsFunc(b.names, func(o string) bool { return o != ref }) ||
				floating.MatchString(tag) && tag == "latest" && b.releaser:
				d.float("latest")
			case archTag.MatchString(tag):
				d.leave("%s tags an image for each architecture (%s): platformTags under names does", b.at, tag)
			}
			if b.releaser && strings.Contains(tag, ".Version") && !strings.HasPrefix(tag, "v") {
				d.tagPrefix = "v"
			}
		}
	}
	for _, r := range d.make.recipes {
		if push := pushes.FindStringSubmatch(d.make.expand(r)); push != nil {
			if _, tag := splitReference(push[1]); tag == "latest" {
				d.float("latest")
			} else if archTag.MatchString(tag) {
				d.leave("the Makefile tags an image for each architecture (%s): platformTags under names does", tag)
			}
		}
	}
	for _, f := range d.tree.files {
		if strings.HasPrefix(f, workflows) && stripsV.Match(d.tree.text(f)) && releaseName.MatchString(f) {
			d.tagPrefix = "v"
		}
	}
}

var (
	pushes      = lazyregexp.New(`\bdocker\s+(?:push|tag\s+\S+)\s+(\S+)`)
	releaseName = lazyregexp.New(`(?i)release|publish|image|docker|build`)
)

// leave notes what has no place in slipway.yaml, once.
func (d *Draft) leave(format string, args ...any) {
	d.left = appendNew(d.left, fmt.Sprintf(format, args...))
}

// moreRegistries returns the other registries that have an image of a name, which users pull from.
func (d *Draft) moreRegistries(seen map[string]int) {
	for _, repository := range sortedKeys(seen) {
		host, rest, _ := strings.Cut(repository, "/")
		for _, i := range d.images {
			own := d.repositoryOf(i)
			if host == d.names.registry || own == "" || own != rest || staging.MatchString(repository) ||
				imagename.CheckRepository(repository) != nil {
				continue
			}
			d.otherRegistries = appendNew(d.otherRegistries, host)
		}
	}
}

// cgo names the images whose programs are compiled with a C compiler today: slipway.yaml compiles
// without.
func (d *Draft) cgo() {
	for n, i := range d.images {
		for _, p := range i.parts {
			for _, b := range p.d.withCgo {
				if len(p.programs) > 0 && (b.os == "" || b.os == p.os) {
					d.images[n].missing = append(d.images[n].missing, b.from+" compiles with CGO_ENABLED=1: "+
						"name the C compiler under cc of the programs, or take this out if they need none")
				}
			}
			d.images[n].missing = append(d.images[n].missing, p.missing...)
		}
		slices.Sort(d.images[n].missing)
		d.images[n].missing = slices.Compact(d.images[n].missing)
	}
}

// cgoBuild is a command that compiles with a C compiler.
type cgoBuild struct{ from, os string }

func (d *Draft) noteCgo(from, line string) {
	b := cgoBuild{from: from}
	if strings.Contains(line, "GOOS="+platform.Windows) {
		b.os = platform.Windows
	} else if strings.Contains(line, "GOOS="+platform.Linux) {
		b.os = platform.Linux
	}
	d.withCgo = appendNew(d.withCgo, b)
}

// hostProcess gives an image of HostProcess the repository of the image it is a variant of, where
// manifests know it by a tag.
func (d *Draft) hostProcess(tags map[string][]string) {
	for n, i := range d.images {
		m := slices.IndexFunc(d.images, func(o image) bool {
			return !strings.HasSuffix(o.name, "-hostprocess") && (o.repository != "" || d.names.repository != "")
		})
		if !strings.HasSuffix(i.name, "-hostprocess") || m < 0 {
			continue
		}
		repository := d.repositoryOf(d.images[m])
		for _, tag := range tags[d.names.registry+"/"+repository] {
			if suffix := hostProcessTag.FindString(tag); suffix != "" && repository != "" {
				d.images[n].repository = repository
				d.images[n].tags = []string{"{{.Version}}" + suffix}
				break
			}
		}
	}
}

var hostProcessTag = lazyregexp.New(`-(?:windows-hp|windows-hostprocess|hpc|hostprocess|hp)$`)

// repositoryOf returns the repository by which users know an image, "" if none was found.
func (d *Draft) repositoryOf(i image) string {
	if d.names.repository != "" {
		return strings.ReplaceAll(d.names.repository, "{{.Name}}", i.name)
	}
	return i.repository
}

// prometheus names the images of Prometheus' projects as their Makefile does: each Dockerfile is a
// variant of one image, by a label whose value ends the tag. The image of the file without an
// ending has the plain tag, too.
func (d *Draft) prometheus() {
	for n, i := range d.images {
		if i.variant == "" {
			continue
		}
		tag := "{{.Version}}-" + i.variant
		main := slices.IndexFunc(d.images, func(o image) bool { return strings.HasPrefix(i.name, o.name+"-") })
		if main < 0 {
			d.images[n].tags = []string{"{{.Version}}", tag}
		} else if repository := d.repositoryOf(d.images[main]); repository != "" {
			d.images[n].repository, d.images[n].tags = repository, []string{tag}
		}
	}
}
