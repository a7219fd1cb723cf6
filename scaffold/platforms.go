package scaffold

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

var buildPlatforms = lazyregexp.New(`BUILD_PLATFORMS\S*\s*=?\s*["']((?:linux|windows) [A-Za-z0-9_;:./ -]+)["']`)

// findPlatforms decides what the release is for: what the project builds for today.
func (d *Draft) findPlatforms() {
	d.variantArch = strings.Contains(d.make.value("DOCKER_ARCHS"), "armv")
	if len(d.options.Platforms) > 0 {
		for _, p := range d.options.Platforms {
			d.addPlatform(p)
		}
		return
	}
	from := ""
	switch tuples := d.make.value("BUILD_PLATFORMS"); {
	case tuples != "":
		d.tuples(tuples)
		from = "BUILD_PLATFORMS of the Makefile"
	case d.architectures():
		from = "the lists of architectures and Windows versions in the Makefile"
	case d.dockerArchitectures():
		from = "DOCKER_ARCHS of the Makefile"
	case d.baseImageFiles():
		from = "the BASEIMAGE file"
	case len(d.mains) > 0 && d.make.values["CMDS"] != "" && d.prow():
		from = "BUILD_PLATFORMS of release-tools/prow.sh"
	default:
		for _, p := range d.toolPlatforms {
			d.addPlatform(p)
		}
		d.buildPlatforms()
	}
	d.defaultPlatforms()
	if from != "" {
		d.found("platforms from %s", from)
	}
}

// addPlatform adds a platform as upstream writes it, if a release can be for it. Windows without
// a version means the LTSC releases that the Dockerfiles decide on, and is added there.
func (d *Draft) addPlatform(s string) {
	os, rest, _ := strings.Cut(s, "/")
	if os == platform.Windows && !strings.Contains(rest, ":") {
		if rest == "amd64" {
			d.wantWindows = true
		}
		return
	}
	switch s {
	case platform.Linux: // as promu writes all that it knows
		d.platformNotes = append(d.platformNotes,
			"All architectures of linux are built today: add those that users need.")
		d.addPlatform("linux/amd64")
		s = "linux/arm64"
	case "linux/arm":
		s += "/v7"
	}
	p, err := platform.Parse(s)
	if err == nil {
		err = p.Check()
	}
	switch {
	case err != nil && (os == platform.Linux || os == platform.Windows):
		d.platformNotes = append(d.platformNotes, s+" is built today and left out: "+err.Error())
	case err != nil: // darwin and others are for downloads only
	default:
		d.platforms = appendNew(d.platforms, p.String())
	}
}

// windowsVersion adds a Windows release by any of its names.
func (d *Draft) windowsVersion(name string) {
	v := platform.TagVersion(name)
	if v == "" {
		d.platformNotes = append(d.platformNotes,
			"Windows "+name+" is built today and left out: no release of that name is known")
		return
	}
	if r := platform.Release(v); !slices.ContainsFunc(platform.LTSC, func(l platform.WindowsRelease) bool {
		return l.Name == r
	}) {
		d.platformNotes = append(d.platformNotes,
			"Windows "+name+" is built today and left out: it is out of support; write windows/amd64:"+v+" to keep it")
		return
	}
	d.addPlatform("windows/amd64:" + platform.Release(v))
}

// tuples reads BUILD_PLATFORMS of csi-release-tools: os arch buildx_platform suffix base_image
// addon_image; …
func (d *Draft) tuples(s string) bool {
	for t := range strings.SplitSeq(s, ";") {
		f := strings.Fields(t)
		switch {
		case len(f) < 2:
		case f[0] == platform.Windows && len(f) >= 5:
			d.windowsVersion(f[4][strings.LastIndexByte(f[4], ':')+1:])
		case f[0] == platform.Windows:
			d.wantWindows = true
		case len(f) >= 3 && !strings.HasPrefix(f[2], "-") && !strings.HasPrefix(f[2], "."):
			d.addPlatform(f[0] + "/" + f[2])
		default:
			d.addPlatform(f[0] + "/" + f[1])
		}
	}
	return len(d.platforms) > 0
}

func (d *Draft) prow() bool {
	m := buildPlatforms.FindSubmatch(d.tree.text("release-tools/prow.sh"))
	return m != nil && d.tuples(string(m[1]))
}

var (
	archList    = lazyregexp.New(`^ALL_ARCH(?:ITECTURES|S)?[._](linux|windows)$`)
	versionList = lazyregexp.New(`^ALL_OS_?VERSIONS?[._](windows)$`)
	osArch      = lazyregexp.New(`^linux-([a-z0-9]+)(?:-(v[0-9]))?$`)
)

// architectures reads the variables of the Makefiles of Kubernetes' projects: ALL_ARCH.linux,
// ALL_OS_ARCH.linux, ALL_OSVERSIONS.windows.
func (d *Draft) architectures() bool {
	for _, name := range sortedKeys(d.make.values) {
		value := d.make.value(name)
		m := archList.FindStringSubmatch(name)
		switch {
		case m != nil && m[1] == platform.Windows:
			d.wantWindows = true
		case m != nil && d.make.value("ALL_OS_ARCH.linux") == "" &&
			!strings.Contains(d.make.value("ALL_OS_ARCH"), "linux-"):
			for _, arch := range strings.Fields(value) {
				d.addPlatform("linux/" + arch)
			}
		case versionList.MatchString(name):
			for _, v := range strings.Fields(value) {
				d.windowsVersion(v)
			}
		case name == "ALL_OS_ARCH.linux" || name == "ALL_OS_ARCH":
			for _, f := range strings.Fields(value) {
				if a := osArch.FindStringSubmatch(f); a != nil {
					d.addPlatform(strings.TrimSuffix("linux/"+a[1]+"/"+a[2], "/"))
				}
			}
		}
	}
	return len(d.platforms) > 0
}

// dockerArchitectures reads DOCKER_ARCHS of the Makefiles of Prometheus' projects: amd64 armv7.
func (d *Draft) dockerArchitectures() bool {
	for _, arch := range strings.Fields(d.make.value("DOCKER_ARCHS")) {
		name := "linux/" + arch
		if v, ok := strings.CutPrefix(arch, "armv"); ok {
			name = "linux/arm/v" + v
		}
		d.addPlatform(name)
	}
	return len(d.platforms) > 0
}

// baseImageFiles reads files of lines windows/amd64/1809=mcr.microsoft.com/….
func (d *Draft) baseImageFiles() bool {
	for _, f := range d.tree.files {
		if path.Base(f) != "BASEIMAGE" || isAside(f) {
			continue
		}
		for line := range strings.Lines(string(d.tree.text(f))) {
			key, _, ok := strings.Cut(strings.TrimSpace(line), "=")
			parts := strings.Split(key, "/")
			switch {
			case !ok || len(parts) < 2:
			case parts[0] == platform.Windows && len(parts) == 3:
				d.windowsVersion(parts[2])
			default:
				d.addPlatform(key)
			}
		}
	}
	return len(d.platforms) > 0
}

// defaultPlatforms completes the platforms by those that Dockerfiles and programs ask for.
func (d *Draft) defaultPlatforms() {
	linux, windows := d.runsOn()
	if !d.has(platform.Linux) && linux {
		d.platforms = append(d.platforms, "linux/amd64", "linux/arm64")
		d.platformNotes = append(d.platformNotes, "Nothing names the architectures for Linux in the Makefile, "+
			".goreleaser.yaml, workflows and bake files: these are the usual ones.")
	}
	if !d.has(platform.Windows) && windows && !d.namedReleases() {
		for _, r := range platform.LTSC {
			d.addPlatform("windows/amd64:" + r.Name)
		}
		d.platformNotes = append(d.platformNotes, "Nothing names the Windows releases in the Dockerfiles for Windows, "+
			"variables of the Makefile, workflows and bake files: these are all with long-term servicing.")
	}
	d.platforms = slices.DeleteFunc(d.platforms, func(p string) bool {
		return !linux && strings.HasPrefix(p, "linux/") || !windows && strings.HasPrefix(p, "windows/")
	})
}

// buildPlatforms takes the platforms for which the builds of images are.
func (d *Draft) buildPlatforms() {
	var all []string
	for _, b := range d.dockerBuilds {
		if !helper(path.Base(b.file)) && b.counts() {
			all = append(all, b.platforms...)
		}
	}
	for _, name := range []string{
		"PLATFORMS", "PLATFORM", "IMAGE_PLATFORMS", "DOCKER_PLATFORMS",
		"TARGET_PLATFORMS", "BUILDX_PLATFORMS", "DOCKER_BUILDX_PLATFORMS",
	} {
		all = append(all, splitPlatforms(d.make.expand(d.make.values[name]))...)
	}
	for _, p := range all {
		if strings.HasPrefix(p, platform.Linux+"/") {
			d.addPlatform(strings.TrimSuffix(p, "/v8"))
		}
	}
}

// has reports whether the release is for an operating system.
func (d *Draft) has(os string) bool {
	return slices.ContainsFunc(d.platforms, func(p string) bool { return strings.HasPrefix(p, os+"/") })
}

// runsOn reports for which operating systems there are images: those of the Dockerfiles, and
// where there are none, those of the programs.
func (d *Draft) runsOn() (linux, windows bool) {
	list, _ := d.dockerfileNames()
	for _, f := range list {
		r := readDockerfile(f, d.tree.text(f))
		if r == nil {
			continue
		}
		chosen, _ := d.targets(r)
		for _, s := range chosen {
			linux, windows = linux || !r.windows(s), windows || r.windows(s)
		}
	}
	if linux || windows {
		return linux, windows
	}
	for _, m := range d.mains {
		linux = linux || m.linux
		windows = windows || m.windows && (d.wantWindows || !m.linux || d.koForWindows())
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

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
