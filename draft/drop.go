package draft

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/product"
)

// leftOut begins the comment of what was taken out.
const leftOut = "Left out, since "

var (
	// optional are instructions that an image may do without.
	optional  = regexp.MustCompile(`(?i)^\s*(?:RUN|ADD|COPY)\s`)
	binaries  = regexp.MustCompile(`--from=binaries\s`)
	makesUser = regexp.MustCompile(`\b(?:adduser|useradd|addgroup|groupadd)\b`)
	ownsFiles = regexp.MustCompile(`(?i)^\s*RUN\s+(?:chown|chgrp)\s`)
)

// dropRun makes a comment of the instruction that has a line of a Dockerfile of the draft, unless
// it copies a program of the release.
func (d *Draft) dropRun(name string, line int, why string, done map[string][]int) bool {
	i := slices.IndexFunc(d.files, func(f file) bool { return f.path == name })
	if i < 0 || line < 1 || line > len(d.files[i].lines) {
		return false
	}
	lines := d.files[i].lines
	first := line - 1
	for first > 0 && !optional.MatchString(lines[first]) && strings.HasSuffix(strings.TrimSpace(lines[first-1]), `\`) {
		first--
	}
	if !optional.MatchString(lines[first]) || binaries.MatchString(lines[first]) {
		return false
	}
	if slices.Contains(done[name], first) {
		return true
	}
	done[name] = append(done[name], first)
	d.files[i].lacks = d.files[i].lacks || slices.ContainsFunc(lines[first:], func(l string) bool { return strings.HasPrefix(l, "FROM ") })
	last := first
	for last < len(lines)-1 && strings.HasSuffix(strings.TrimSpace(lines[last]), `\`) {
		last++
	}
	why, _, _ = strings.Cut(why, ": declare programs in slipway.yaml and use COPY")
	d.hand("%s:%d: %s is left out: %s", name, first+1, excerpt(lines[first]), why)
	// The lines stay as many until all faults of this round are placed; removeDropped splits them.
	text := strings.Join(lines[first:last+1], "\n")
	all := comment(leftOut+why, lines[first:last+1])
	for n := first; n <= last; n++ {
		lines[n] = ""
	}
	lines[first] = strings.Join(all, "\n")
	if of := slices.IndexFunc(d.images, func(i image) bool {
		return i.dropped == "" && slices.Contains(slices.Collect(maps.Values(i.dockerfiles)), name)
	}); of >= 0 && d.files[i].lacks {
		d.dropImage(of, "an earlier stage of it needs RUN: "+why)
	}
	if last > first {
		d.files[i].gone = append(d.files[i].gone, [2]int{first + 1, last})
	}
	if makesUser.MatchString(text) {
		for n := range lines {
			if n > last && ownsFiles.MatchString(lines[n]) {
				d.dropRun(name, n+1, "it may name a user that a RUN makes which is left out", done)
			}
		}
	}
	return true
}

func excerpt(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 60 {
		s = s[:57] + "..."
	}
	return s
}

// removeDropped makes lines of what dropRun replaced.
func (d *Draft) removeDropped() {
	for i := range d.files {
		f := &d.files[i]
		slices.SortFunc(f.gone, func(a, b [2]int) int { return b[0] - a[0] })
		for _, g := range f.gone {
			f.lines = slices.Delete(f.lines, g[0], g[1]+1)
		}
		f.gone = nil
		f.lines = strings.Split(strings.Join(f.lines, "\n"), "\n")
	}
}

// dropManifest makes a comment of a file of manifests.
func (d *Draft) dropManifest(name, why string) bool {
	why, _, _ = strings.Cut(why, "\n")
	for i := range d.templates {
		e := &d.templates[i]
		rel, in := within(name, e.path)
		switch {
		case !in:
		case rel != "." && !e.kustomize:
			d.expand(i)
			return d.dropManifest(name, why)
		case e.dropped != "":
			return true
		default:
			if e.kustomize {
				name = e.path
			}
			if other := sameObject.FindStringSubmatch(why); other != nil && len(other[1]) > len(name) && other[1] != name {
				return d.dropManifest(other[1], "the same object is in "+name+", which is for another way to run it")
			}
			e.dropped = leftOut + why
			d.hand("%s: not in release.yaml: %s", name, why)
			return true
		}
	}
	return false
}

// named returns the path of the entry of release on a line of slipway.yaml, and other files as they
// are.
func (d *Draft) named(file string, line int) string {
	lines := strings.Split(string(d.YAML()), "\n")
	if file != product.File || line < 1 || line > len(lines) {
		return file
	}
	for _, e := range slices.Concat(d.templates, d.chart) {
		if e.dropped == "" && strings.Contains(lines[line-1]+"}", "path: "+scalar(e.path)+"}") {
			return e.path
		}
	}
	for _, c := range d.chart {
		if c.dropped == "" && strings.HasPrefix(lines[line-1], "  - name: "+scalar(c.name)) {
			return c.path
		}
	}
	return file
}

// dropChart makes a comment of a chart that has a file.
func (d *Draft) dropChart(name, why string) bool {
	for i := range d.chart {
		c := &d.chart[i]
		if _, in := within(name, c.path); in && c.dropped == "" {
			c.dropped = leftOut + why
			d.hand("chart %s: %s", c.name, why)
			return true
		}
	}
	return false
}

var sameObject = regexp.MustCompile(`the same object is at ([^:\s]+):`)

// expand replaces a directory by what is in it.
func (d *Draft) expand(i int) {
	var inner []entry
	dir := d.templates[i].path
	for _, f := range d.tree.files {
		rel, ok := within(f, dir)
		if !ok || !isYAML(f) {
			continue
		}
		first, _, _ := strings.Cut(rel, "/")
		if e := (entry{path: path.Join(dir, first)}); !slices.Contains(inner, e) {
			inner = append(inner, e)
		}
	}
	d.templates = slices.Replace(d.templates, i, i+1, inner...)
}

// dropImages makes comments of images whose Dockerfiles lack what a RUN would have made, as long
// as another image is left.
func (d *Draft) dropImages(faults []string) bool {
	changed := false
	for _, f := range faults {
		m := place.FindStringSubmatch(strings.SplitN(f, "\n", 2)[0])
		if m == nil {
			continue
		}
		i := slices.IndexFunc(d.images, func(i image) bool {
			return i.dropped == "" && slices.Contains(slices.Collect(maps.Values(i.dockerfiles)), m[1])
		})
		file := slices.IndexFunc(d.files, func(f file) bool { return f.path == m[1] })
		if i >= 0 && file >= 0 && d.files[file].lacks {
			changed = d.dropImage(i, m[3]) || changed
		}
	}
	return changed
}

// dropImage makes a comment of an image, unless it is the only one.
func (d *Draft) dropImage(i int, why string) bool {
	if d.onlyOne() {
		return false
	}
	d.images[i].dropped = "left out, since " + why
	d.hand("image %s: %s", d.images[i].name, why)
	return true
}

// onlyOne reports whether only one image is left.
func (d *Draft) onlyOne() bool {
	n := 0
	for _, i := range d.images {
		if i.dropped == "" {
			n++
		}
	}
	return n < 2
}
