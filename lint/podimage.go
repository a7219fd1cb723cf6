package lint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render/workload"
)

// podImages checks the images of pods: that each exists, and runs wherever its pod may land.
func (k *known) podImages(pods []*pod) (all []problem) {
	for _, p := range pods {
		for _, ref := range workload.References(p.spec) {
			at := p.place(ref.Path)
			i, wrong := k.resolve(at, ref.Image, true)
			switch {
			case wrong.rule == "image-reference" || wrong.rule == "image-ko" || wrong.rule != "" && k.sources:
				all = append(all, wrong)
				// a registry says what a tag names, whatever is wrong with naming it so
				if t, ok := k.images.FindTagged(ref.Image); ok && k.Remote != nil && wrong.rule == "image-unpinned" &&
					ref.Runs && t.Unresolved == "" {
					all = append(all, k.everywhere(p, ref, t)...)
				}
			case k.sources && ref.Runs && i.Unresolved == "":
				all = append(all, k.everywhere(p, ref, i)...)
			}
		}
	}
	return all
}

// everywhere checks that an image runs on each operating system that its pod may run on.
func (k *known) everywhere(p *pod, ref workload.Reference, i lock.CatalogImage) (all []problem) {
	for _, os := range []string{linux, windows} {
		either := p.os == nil && !i.Product && slices.ContainsFunc(i.Platforms, on(os))
		if either || slices.Contains(p.os, os) {
			all = append(all, k.runs(p, p.place(ref.Path), i, os, hostProcessAt(p.spec, ref.Path))...)
		}
	}
	return all
}

// on returns whether a platform has an operating system.
func on(os string) func(platform.Platform) bool {
	return func(p platform.Platform) bool { return p.OS == os }
}

// runs checks that an image runs on every node of an operating system that the pod may run on: on
// every such platform of the release or, if the release is not known, on at least one platform.
// With anyBuild, as for HostProcess containers, an older Windows build will do.
func (k *known) runs(p *pod, at place, i lock.CatalogImage, os string, anyBuild bool) (all []problem) {
	report := func(id, what string, args ...any) {
		all = append(all, problem{place: at, rule: id, what: fmt.Sprintf(what, args...)})
	}
	may := func(h platform.Platform) bool { return h.OS == os && admits(p, h) }
	hosts := slices.DeleteFunc(slices.Clone(k.nodes), func(h platform.Platform) bool { return !may(h) })
	image := "the image"
	if !i.Product && k.Lock != nil {
		image = "third-party image " + i.Name
	}
	switch {
	case !slices.ContainsFunc(i.Platforms, on(os)):
		report("image-os", "the pod runs on %s, and the image is made for %s", os, format(i.Platforms))
		return all
	case len(hosts) == 0 && p.os != nil && !slices.ContainsFunc(append(ltsc(), i.Platforms...), runsOn(i, may)):
		report("image-architecture", "the image has no platform for the nodes that the pod selects: %s",
			format(i.Platforms))
		return all
	}
	var archs, builds, older []platform.Platform
	for _, h := range hosts {
		sameArch := slices.ContainsFunc(i.Platforms, func(o platform.Platform) bool {
			o.OSVersion = h.OSVersion
			return platform.Same(o, h)
		})
		switch {
		case !sameArch:
			archs = append(archs, h)
		case platform.Best(h, i.Platforms) < 0:
			builds = append(builds, h)
		case os == windows && k.release && !anyBuild && !i.Product && !madeFor(i, h):
			older = append(older, h)
		}
	}
	if len(archs) > 0 {
		report("image-architecture", "the pod may run on nodes with %s, and %s is made for %s", format(archs),
			image, format(i.Platforms))
	}
	if len(builds) > 0 {
		report("image-windows-build", "no manifest of %s runs on nodes with %s: it is made for %s",
			image, format(builds), format(i.Platforms))
	}
	if os == windows && len(builds) == 0 {
		if others := otherBuilds(p, i); len(others) > 0 {
			report("image-windows-selector", "%s is made for one Windows build, %s, and the pod may run on nodes "+
				"with %s, where it fails", image, format(i.Platforms), formatReleases(others))
		}
	}
	if len(older) > 0 {
		report("image-windows-fallback", "%s has no manifest for %s: nodes of that build run an older one, of %s",
			image, formatReleases(older), format(i.Platforms))
	}
	return all
}

// otherBuilds returns the LTSC releases of Windows that an image for one build does not run on and
// that the pod may be placed on.
func otherBuilds(p *pod, i lock.CatalogImage) []platform.Platform {
	var builds []string
	for _, of := range i.Platforms {
		if build := platform.Short(of.OSVersion); of.OS == windows && !slices.Contains(builds, build) {
			builds = append(builds, build)
		}
	}
	if len(builds) != 1 || builds[0] == "" {
		return nil
	}
	return slices.DeleteFunc(ltsc(), func(h platform.Platform) bool {
		return !admits(p, h) || platform.Best(h, i.Platforms) >= 0
	})
}

// ltsc returns the hosts that Kubernetes has nodes of: the LTSC releases of Windows.
func ltsc() (all []platform.Platform) {
	for _, r := range platform.LTSC {
		all = append(all, platform.Platform{OS: windows, Architecture: "amd64", OSVersion: r.Version})
	}
	return all
}

// runsOn returns whether a host is among those that the pod may run on, and runs the image.
func runsOn(i lock.CatalogImage, may func(platform.Platform) bool) func(platform.Platform) bool {
	return func(h platform.Platform) bool { return may(h) && platform.Best(h, i.Platforms) >= 0 }
}

// format lists platforms for a message.
func format(list []platform.Platform) string {
	if len(list) == 0 {
		return "no platform"
	}
	var all []string
	for _, p := range list {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}

// madeFor reports whether an image has a manifest for a platform or, without an os.version, for
// all.
func madeFor(i lock.CatalogImage, h platform.Platform) bool {
	return slices.ContainsFunc(i.Platforms, func(p platform.Platform) bool {
		return platform.Same(p, h) || p.OS == h.OS && p.Architecture == h.Architecture && p.OSVersion == ""
	})
}

// formatReleases lists Windows releases by name and build: ltsc2025 (10.0.26100).
func formatReleases(list []platform.Platform) string {
	var all []string
	for _, p := range list {
		text := p.String()
		for _, r := range platform.LTSC {
			if r.Version == platform.Short(p.OSVersion) {
				text = r.Name + " (" + r.Version + ")"
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// labelArchBeta is the name of [corev1.LabelArchStable] before Kubernetes 1.14. The kubelet still
// sets both to the same value.
const labelArchBeta = "beta.kubernetes.io/arch"

// admits reports whether a pod may run on nodes of a platform.
func admits(p *pod, h platform.Platform) bool {
	n := workload.Node{
		Labels: map[string]string{
			corev1.LabelOSStable: h.OS, workload.LabelOSBeta: h.OS,
			corev1.LabelArchStable: h.Architecture, labelArchBeta: h.Architecture,
		},
		Without: nil,
	}
	switch {
	case h.OS != windows:
		n.Without = []string{corev1.LabelWindowsBuild}
	case h.OSVersion != "":
		n.Labels[corev1.LabelWindowsBuild] = platform.Short(h.OSVersion)
	}
	return workload.Admits(p.spec, n)
}
