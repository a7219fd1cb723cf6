package draft

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// static are base images that a release makes itself, by repository: the built-in base of its
// tags with nonroot, and of all others.
var static = map[string][2]string{
	"gcr.io/distroless/static":               {"static", "static-root"},
	"gcr.io/distroless/static-debian11":      {"static", "static-root"},
	"gcr.io/distroless/static-debian12":      {"static", "static-root"},
	"gcr.io/distroless/static-debian13":      {"static", "static-root"},
	"ghcr.io/tektoncd/plumbing/static-base":  {"static-root", "static-root"},
	"cgr.dev/chainguard/static":              {"static", "static"},
	"registry.k8s.io/build-image/distroless": {"static", "static-root"},
}

// microsoft are Microsoft's bases, and copies of them, by what their names contain.
var microsoft = []struct {
	name string
	has  *regexp.Regexp
}{
	{"hostprocess", regexp.MustCompile(`windows-host-process-containers-base-image`)},
	{"nanoserver", regexp.MustCompile(`mcr\.microsoft\.com/windows/nanoserver`)},
	{"servercore", regexp.MustCompile(`mcr\.microsoft\.com/windows/servercore|windows-servercore-cache`)},
}

// base declares the base of stages, which are one for each Windows release or just one, and
// returns its name for FROM. r is their Dockerfile, nil for a reference without variables.
func (d *Draft) base(r *recipe, os string, of []*stage, notes *[]string) string {
	ref := of[0].base
	repository, tag := splitReference(ref)
	b := base{name: nameOf(path.Base(repository))}
	builtin, ok := static[repository]
	switch {
	case ref == "scratch":
		return "scratch"
	case ok && os == platform.Linux:
		b.builtin = builtin[1]
		if strings.Contains(tag, "nonroot") || builtin[0] == builtin[1] {
			b.builtin = builtin[0]
		}
		b.name = b.builtin
		b.notes = append(b.notes, "In place of "+ref+": it is made for the same programs, and needs no registry.")
	case repository == "" && os == platform.Linux:
		b.name, b.builtin = "static-root", "static-root"
		*notes = append(*notes, fmt.Sprintf("FROM %s is empty unless a build gives it: static-root is in its place", of[0].BaseName))
	case os == platform.Linux:
		d.linuxImages(&b, r, of[0])
	default:
		b = d.windowsBase(b, of)
	}
	return d.addBase(b)
}

// windowsBase completes a base for Windows.
func (d *Draft) windowsBase(b base, of []*stage) base {
	for _, m := range microsoft {
		if m.has.MatchString(of[0].base) {
			b.name, b.microsoft = m.name, m.name
			if strings.Contains(of[0].base, "-cache") {
				b.notes = append(b.notes, "In place of "+of[0].base+", a copy of its files for buildx.")
			}
			return b
		}
	}
	b.images = map[string]string{}
	for _, s := range of {
		_, tag := splitReference(s.base)
		v := platform.TagVersion(strings.SplitN(tag, "@", 2)[0])
		for _, p := range d.platforms {
			if now, err := platform.Parse(p); err == nil && now.OS == platform.Windows && (now.OSVersion == v || v == "" && len(of) == 1) {
				b.images[p] = s.base
			}
		}
	}
	for _, p := range d.platforms {
		if strings.HasPrefix(p, "windows/") && b.images[p] == "" {
			d.hand("base %s: no image for %s is known: add it to slipway.yaml, or take the platform out", b.name, p)
		}
	}
	return b
}

// linuxImages gives a base the image of each of the release's Linux platforms: the same for all,
// unless a variable for the architecture is in its name.
func (d *Draft) linuxImages(b *base, r *recipe, s *stage) {
	b.images = map[string]string{}
	var last string
	differ := false
	for _, text := range d.platforms {
		p, err := platform.Parse(text)
		if err != nil || p.OS != platform.Linux {
			continue
		}
		ref := s.base
		if r != nil {
			ref = r.baseFor(s, p.Architecture, cmp.Or(d.dockerArchs[text], p.Architecture))
		}
		if _, tag := splitReference(ref); tag == "" {
			ref += ":latest"
		}
		b.images[text] = ref
		differ = differ || last != "" && ref != last
		last = ref
	}
	if differ {
		repository, _ := splitReference(r.baseFor(s, "", ""))
		b.name = cmp.Or(nameOf(path.Base(repository)), b.name)
	}
}

// addBase adds a base unless there is the same, and returns its name.
func (d *Draft) addBase(b base) string {
	for _, other := range d.bases {
		if cmp.Or(other.builtin, "-") == cmp.Or(b.builtin, "-") && other.microsoft == b.microsoft && maps.Equal(other.images, b.images) {
			return other.name
		}
	}
	for n, name := 2, b.name; slices.ContainsFunc(d.bases, func(o base) bool { return o.name == b.name }); n++ {
		b.name = fmt.Sprintf("%s-%d", name, n)
	}
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
