package scaffold

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// findPlatforms decides what the release is for: what the project publishes for today.
func (d *Draft) findPlatforms() {
	if len(d.options.Platforms) > 0 {
		for _, p := range d.options.Platforms {
			d.platforms = appendNew(d.platforms, on(p)...)
		}
		return
	}
	linux, windows := d.runsOn()
	if linux {
		value := d.decide("platforms[linux]", "the architectures of Linux that the images are for", d.linuxClaims())
		d.platforms = append(d.platforms, splitList(value)...)
	}
	if windows {
		value := d.decide("platforms[windows]", "the releases of Windows that the images are for", d.windowsClaims())
		d.platforms = append(d.platforms, splitList(value)...)
	}
}

func splitList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// on returns a platform as slipway.yaml writes it, none for what no release is for.
func on(name string) []string {
	switch name {
	case "linux/arm":
		name += "/v7"
	case "linux/arm64/v8", "linux/arm64/8":
		name = "linux/arm64"
	case "linux/arm/6", "linux/arm/7": // as containerd reads it
		name = strings.Replace(name, "arm/", "arm/v", 1)
	}
	p, err := platform.Parse(name)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return nil
	}
	return []string{p.String()}
}

// usualLinux is what most projects build for.
const usualLinux = "linux/amd64,linux/arm64"

// linuxClaims are the architectures for Linux that files name: builds of images by their
// platforms, or else lists of nothing but architectures and platforms. A build that names none is
// for the machine that it runs on.
func (d *Draft) linuxClaims() []claim {
	published := d.publishedPlatforms()
	d.named = len(published) > 0
	all := slices.Concat(published, d.koClaims)
	if len(all) == 0 {
		lists := d.listClaims()
		all = slices.Concat(lists, d.buildClaims("", develops))
		for _, b := range d.dockerBuilds {
			if b.noPlatform && b.rank == publishes && !d.windowsBuild(b) {
				all = append(all, claim{"linux/amd64", publishes, b.at})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b claim) int { // what lacks something that another one has is behind it
		return cmp.Compare(strings.Count(b.value, ","), strings.Count(a.value, ","))
	})
	return append(all, claim{value: usualLinux}, claim{value: "linux/amd64"})
}

// publishedPlatforms are the platforms that what publishes builds images for: those of all
// Dockerfiles together, unless two files say different things of one.
func (d *Draft) publishedPlatforms() []claim {
	var set []string
	var whole, machines []claim
	var at place
	for _, f := range d.files {
		of := d.buildClaims(f, publishes)
		if b, ok := d.ofMachine(d.buildsOf(f)); ok && len(of) == 0 {
			machines = append(machines, claim{"linux/amd64", publishes, b.at})
		}
		if len(candidates(of)) > 1 {
			return d.buildClaims("", publishes)
		}
		if len(of) > 0 {
			whole = append(whole, of[0])
			set = appendNew(set, splitList(of[0].value)...)
			at = cmp.Or(at, of[0].at)
		}
	}
	if len(whole) == 0 {
		return nil
	}
	for _, c := range machines {
		set = appendNew(set, c.value)
	}
	if slices.ContainsFunc(d.dockerBuilds, d.platformsUnknown) {
		return append(d.listClaims(), claim{listOf(set), develops, at})
	}
	return []claim{{listOf(set), publishes, at}}
}

// ofMachine returns the first of the builds that publish, if all of them are for the machine that
// they run on.
func (d *Draft) ofMachine(builds []dockerBuild) (dockerBuild, bool) {
	for _, b := range builds {
		if b.rank != publishes || !b.noPlatform || d.make.Files[b.at.file] || d.windowsBuild(b) {
			return b, false
		}
	}
	if len(builds) == 0 {
		return dockerBuild{}, false
	}
	return builds[0], true
}

// platformsUnknown reports whether a release pushes a build for platforms that nothing here tells.
func (d *Draft) platformsUnknown(b dockerBuild) bool {
	return b.rank == publishes && !b.ofBranches && !b.noPlatform &&
		slices.Contains(d.files, b.file) && !d.windowsBuild(b) &&
		!slices.ContainsFunc(b.platforms, func(p string) bool { return len(on(p)) > 0 })
}

// buildClaims are the platforms for Linux that builds of a Dockerfile name, a claim for each file
// with a build. "" is any Dockerfile.
func (d *Draft) buildClaims(file string, r rank) []claim {
	return d.claimsOf(d.dockerBuilds, file, r)
}

// claimsOf are those of some builds.
func (d *Draft) claimsOf(builds []dockerBuild, file string, r rank) (all []claim) {
	sets, first := map[string][]string{}, map[string]place{}
	for _, b := range builds {
		if file != "" && b.file != file || b.platformRank() != r || d.helper(path.Base(b.file)) ||
			!b.counts() || d.windowsBuild(b) {
			continue
		}
		for _, p := range b.platforms {
			switch {
			case isForWindows(p) && b.rank == publishes:
				d.leave("Windows, for which a Dockerfile has no base that tells", "%s of %s (%s)", p, b.file, b.at)
			case len(on(p)) == 0 && !shell.Unknown(p) && !isForWindows(p) && platformForm.MatchString(p):
				d.leave("platforms of builds that no release has", "%s (%s)", p, b.at)
			}
			if strings.HasPrefix(p, platform.Linux+"/") {
				sets[b.at.file] = appendNew(sets[b.at.file], on(p)...)
				first[b.at.file] = cmp.Or(first[b.at.file], b.at)
			}
		}
	}
	for _, f := range sortedKeys(sets) {
		all = append(all, claim{listOf(sets[f]), r, first[f]})
	}
	return all
}

// platformForm matches a platform, as no piece of a shell's text is one.
var platformForm = lazyregexp.New(`^[a-z0-9]+/[a-z0-9_]+(?:/[a-z0-9]+)?$`)

// windowsBuild reports whether a build is of an image for Windows.
func (d *Draft) windowsBuild(b dockerBuild) bool {
	r := readDockerfile(b.file, d.tree.text(b.file))
	if r == nil {
		return isWindows.MatchString(b.file)
	}
	s := r.last()
	if of := r.find(b.target); of != nil {
		s = of
	}
	return r.windows(s)
}

// listOf writes platforms in the order of their names.
func listOf(set []string) string {
	return strings.Join(slices.Sorted(slices.Values(set)), ",")
}

var (
	// given is a name with a value: of make, a shell, an environment or an argument.
	given = lazyregexp.New(`^\s*-?\s*(?:export\s+|ARG\s+|ENV\s+|readonly\s+|local\s+)?["']?([A-Za-z_][A-Za-z0-9_.-]*)["']?\s*(?::-|[:?+]?=|:)\s*(.+)$`)
	// passed is the value of a flag.
	passed = lazyregexp.New(`--(?:platforms?|arch(?:es|s)?)[= ]["']?([^\s"']+)`)
	// tupleList is BUILD_PLATFORMS of csi-release-tools: os arch …; os arch …
	tupleList = lazyregexp.New(`["'=\s-]((?:linux|windows) [a-z0-9]+(?: [^;"']*)?(?:;\s*(?:linux|windows) [a-z0-9]+[^;"']*)+)`)
)

// runsOn reports for which operating systems there are images: those of the Dockerfiles, and
// where there are none, those of the programs.
func (d *Draft) runsOn() (linux, windows bool) {
	for _, f := range d.files {
		r := readDockerfile(f, d.tree.text(f))
		if r == nil {
			continue
		}
		for _, s := range d.targets(r) {
			linux, windows = linux || !r.windows(s), windows || r.windows(s)
		}
	}
	if linux || windows {
		return linux, windows
	}
	for _, m := range d.mains {
		linux = linux || m.linux
		windows = windows || m.windows && (!m.linux || d.koForWindows())
	}
	return linux, windows
}

// koForWindows reports whether a base image of .ko.yaml has Windows in it, as tekton's.
func (d *Draft) koForWindows() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(d.koBases)), func(ref string) bool {
		return strings.Contains(ref, "windows") || strings.Contains(ref, "nanoserver") ||
			strings.Contains(ref, "combined-base-image")
	})
}

// has reports whether the release is for an operating system.
func (d *Draft) has(os string) bool {
	return slices.ContainsFunc(d.platforms, func(p string) bool { return strings.HasPrefix(p, os+"/") })
}

// linux are the platforms of the release for Linux.
func (d *Draft) linux() []string {
	return slices.DeleteFunc(d.sortedPlatforms(), func(p string) bool {
		return !strings.HasPrefix(p, platform.Linux+"/")
	})
}

func (d *Draft) sortedPlatforms() []string { return slices.Sorted(slices.Values(d.platforms)) }

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
