package scaffold

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/workload"
)

// newer compares the versions that two paths have in them.
func newer(a, b string) bool { return semver.Compare(versionIn(a), versionIn(b)) > 0 }

func versionIn(p string) string {
	for part := range strings.SplitSeq(p, "/") {
		if v := "v" + strings.TrimPrefix(part, "v"); semver.IsValid(v) {
			return v
		}
	}
	return ""
}

var (
	imageField = lazyregexp.New(
		`(?m)^[\s-]*(?:image|repository|newName):\s*["']?/?([A-Za-z0-9][A-Za-z0-9._/:@-]*)["']?\s*(?:#.*)?$`)
	baseRepo = lazyregexp.New(
		`(?m)^\s*(?:baseRepo|registry|baseRegistry):\s*["']?([a-z0-9.-]+\.[a-z]{2,}(?::[0-9]+)?(?:/[a-z0-9._/-]+)?)["']?\s*$`)
)

// publicName is a name under which manifests call an image of the product.
type publicName struct {
	registry, repository string
	count                int
}

// findNames finds under which names users know the images: those that manifests, charts and
// Makefiles have.
func (d *Draft) findNames() {
	seen := map[string]int{}
	tags := map[string][]string{}
	const manifest = 10 // a manifest counts for more than a build
	weight := func(n int) int {
		if n < len(d.references)+len(d.pushed()) {
			return 1
		}
		return manifest
	}
	for n, ref := range d.allReferences() {
		repository, tag := splitReference(promoted(ref))
		host, rest, ok := strings.Cut(repository, "/")
		if ok && d.own(host, rest) {
			repository, host, rest = "docker.io/"+repository, "docker.io", repository
		}
		if !ok || !strings.ContainsAny(host, ".:") || imagename.CheckRepository(repository) != nil || rest == "" {
			continue
		}
		seen[repository] += weight(n)
		tags[repository] = appendNew(tags[repository], tag)
	}
	best := map[int]publicName{}
	for n, i := range d.images {
		for _, repository := range sortedKeys(seen) {
			host, rest, _ := strings.Cut(repository, "/")
			if path.Base(rest) != i.name && path.Base(rest) != d.makeName(i) {
				continue
			}
			r := publicName{host, rest, seen[repository]}
			if r.better(best[n]) {
				best[n] = r
			}
		}
	}
	d.useNames(best)
	d.moreRegistries(seen)
	d.hostProcess(tags)
	d.prometheus()
}

// own reports whether a reference without a host is that of an image of the product at Docker Hub:
// the account is that of the repository.
func (d *Draft) own(account, name string) bool {
	u := strings.Split(d.source.url, "/")
	return !strings.ContainsAny(account, ".:") && len(u) > 3 && strings.EqualFold(u[3], account) && d.hasImage(name)
}

// makeName is the last part of the repository that a Makefile gives the product's only image.
func (d *Draft) makeName(i image) string {
	if d.images[0].name != i.name {
		return ""
	}
	return d.makeImage()
}

// makeImage is the name that the Makefile gives an image.
func (d *Draft) makeImage() string {
	return cmp.Or(d.make.value("IMAGE_NAME"), d.make.value("IMAGENAME"), d.make.value("DOCKER_IMAGE_NAME"))
}

// community are registries of Kubernetes' projects from which images are promoted to
// registry.k8s.io, or which it replaced.
var community = lazyregexp.New(`^(?:k8s\.gcr\.io/|gcr\.io/k8s-staging-)`)

// promoted returns the name by which users pull an image of Kubernetes' projects.
func promoted(ref string) string { return community.ReplaceAllString(ref, "registry.k8s.io/") }

// staging are registries that users do not pull from.
var staging = lazyregexp.New(`staging|e2e|test|k8scsi|local|example\.com`)

// better prefers registries that users pull from to those for staging, and then what is named
// more often.
func (r publicName) better(than publicName) bool {
	if than.repository == "" {
		return true
	}
	a, b := staging.MatchString(r.registry+"/"+r.repository), staging.MatchString(than.registry+"/"+than.repository)
	if a != b {
		return b
	}
	return r.count > than.count
}

var stagingRegistry = lazyregexp.New(`gcr\.io/k8s-staging-[a-z0-9-]+`)

// allReferences returns the names of images in manifests, charts and Makefiles.
func (d *Draft) allReferences() []string {
	list := append(slices.Clone(d.references), d.pushed()...)
	for _, f := range d.tree.files {
		if !workload.IsManifest(f) && path.Base(f) != "README.md" || isAside(path.Dir(f)) ||
			versionIn(f) != "" && versionIn(f) != d.version && d.version != "" {
			continue // of another version
		}
		text := d.tree.text(f)
		prefix := ""
		if m := baseRepo.FindSubmatch(text); m != nil {
			prefix = string(m[1]) + "/"
		}
		for _, m := range imageField.FindAllSubmatch(text, -1) {
			ref := string(m[1])
			if host, _, _ := strings.Cut(ref, "/"); !strings.ContainsAny(host, ".:") {
				ref = prefix + ref
			}
			list = append(list, ref)
		}
	}
	for _, v := range []string{"REGISTRY", "REGISTRY_NAME"} {
		for _, i := range d.images {
			if registry := d.make.value(v); d.make.values["CMDS"] != "" && registry != "" {
				list = append(list, registry+"/"+i.name)
			}
		}
	}
	for _, m := range stagingRegistry.FindAllString(string(d.tree.text("cloudbuild.yaml")), -1) {
		for _, i := range d.images {
			list = append(list, m+"/"+i.name)
		}
	}
	if image := d.makeImage(); image != "" {
		for _, v := range []string{"REGISTRY", "REGISTRY_NAME", "DOCKER_REPO", "ALL_DOCKER_REPOS"} {
			for _, registry := range strings.Fields(d.make.value(v)) {
				if strings.HasPrefix(registry, "#") {
					break
				}
				list = append(list, registry+"/"+image)
			}
		}
	}
	return list
}

var publicRegistry = lazyregexp.New(
	`\b(?:ghcr\.io|docker\.io|quay\.io|registry\.k8s\.io|[a-z0-9-]+\.azurecr\.io)/[a-z0-9][a-z0-9_-]*\b`)

// pushed returns the names of images below the registries that workflows for releases name.
func (d *Draft) pushed() (list []string) {
	for _, f := range d.tree.files {
		if !strings.HasPrefix(f, workflows) || !releaseName.MatchString(path.Base(f)) {
			continue
		}
		for _, m := range publicRegistry.FindAllString(string(d.tree.text(f)), -1) {
			for _, i := range d.images {
				list = append(list, m+"/"+i.name)
			}
		}
	}
	return list
}

// useNames writes the names down: one registry, and a repository for each image.
func (d *Draft) useNames(best map[int]publicName) {
	for n := range d.images {
		r, ok := best[n]
		if !ok {
			continue
		}
		if d.names.registry == "" {
			d.names.registry = r.registry
			d.found("users know the images below %s", r.registry)
		}
		if r.registry == d.names.registry {
			d.images[n].repository = r.repository
		}
	}
	d.sharePrefix()
}

// sharePrefix writes repositories that differ in the image's name only once, for all images.
func (d *Draft) sharePrefix() {
	prefix := ""
	for _, i := range d.images {
		if i.repository == "" && i.program != "" {
			continue // ko gives all the same prefix
		}
		p, ok := strings.CutSuffix(i.repository, "/"+i.name)
		if !ok || prefix != "" && p != prefix {
			return
		}
		prefix = p
	}
	if prefix == "" {
		return
	}
	d.names.repository = prefix + "/{{.Name}}"
	for n := range d.images {
		d.images[n].repository = ""
	}
}
