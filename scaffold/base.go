package scaffold

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// static are base images that the built-in bases stand for, by repository. docs/images.md lists the
// files in which they differ.
var static = lazyregexp.New(`^gcr\.io/distroless/static(?:-debian1[0-9])?$`)

// staticTag are their tags: those with nonroot run as that user. Others have a shell.
var staticTag = lazyregexp.New(`^(?:latest|nonroot)?(?:-?(?:amd64|arm64|arm|s390x|ppc64le))?$`)

// hostProcessBase is the base for HostProcess containers.
var hostProcessBase = lazyregexp.New(
	`^mcr\.microsoft\.com/oss/kubernetes/windows-host-process-containers-base-image:v1\.0\.0$`)

// exchange lets a built-in base take the place of a reference that it stands for, and returns its
// name; "" if there is none. A Dockerfile keeps the reference.
func (d *Draft) exchange(ref string, inDockerfile bool) string {
	repository, tag := splitReference(ref)
	if !static.MatchString(repository) || !staticTag.MatchString(tag) {
		return ""
	}
	if tag == "" {
		ref += ":latest"
	}
	b := base{name: "static-root", builtin: "static-root"}
	if strings.Contains(tag, "nonroot") {
		b = base{name: "static", builtin: "static"}
	}
	name := d.addBase(b)
	for i := range d.bases {
		if d.bases[i].name == name && inDockerfile {
			d.bases[i].inPlaceOf = appendNew(d.bases[i].inPlaceOf, ref)
		}
	}
	return name
}

// base declares the base of an image of one program for Linux, and returns its name.
func (d *Draft) base(ref string) string {
	if ref == "scratch" {
		return ref
	}
	if name := d.exchange(ref, false); name != "" {
		return name
	}
	repository, tag := splitReference(ref)
	b := base{name: nameOf(path.Base(repository)), images: map[string]string{}}
	if tag == "" {
		ref += ":latest"
	}
	for _, p := range d.platforms {
		if strings.HasPrefix(p, platform.Linux+"/") {
			b.images[p] = ref
		}
	}
	return d.addBase(b)
}

// addBase adds a base unless there is the same, and returns its name.
func (d *Draft) addBase(b base) string {
	for _, other := range d.bases {
		if cmp.Or(other.builtin, "-") == cmp.Or(b.builtin, "-") && other.microsoft == b.microsoft &&
			maps.Equal(other.images, b.images) {
			return other.name
		}
	}
	b.name = unique(b.name, func(name string) bool {
		return slices.ContainsFunc(d.bases, func(o base) bool { return o.name == name })
	})
	d.bases = append(d.bases, b)
	return b.name
}

// splitReference splits a reference into its repository and its tag, with the digest.
func splitReference(ref string) (repository, tag string) {
	name, digest, pinned := strings.Cut(ref, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, tag = name[:i], name[i+1:]
	}
	if pinned {
		tag += "@" + digest
	}
	return name, tag
}

// unique adds a number to a name that is taken.
func unique(name string, taken func(string) bool) string {
	first := name
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", first, n)
	}
	return name
}
