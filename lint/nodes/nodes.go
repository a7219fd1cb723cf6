// Package nodes finds out which nodes of a cluster run the pods and images of a release, and why
// the others do not.
//
// The package repeats the decisions of the scheduler, the kubelet and the container runtime, with
// the code of Kubernetes if it is public (k8s.io/component-helpers): node selector and required
// affinity, taints without tolerations, the pod's requests and the node's allocatable resources,
// the pod's os, and for every image whether it has a manifest that the node's runtime accepts
// (package platform). Facts that change constantly are ignored: free capacity, ports, volumes,
// other pods.
//
// Nodes come from a file ([Read]) or from a cluster ([List]).
package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/render/workload"
)

// Report is the result of [Check].
type Report struct {
	// Snapshot means that the lock is of a snapshot, which no registry got.
	Snapshot bool    `json:"snapshot"`
	Nodes    []Node  `json:"nodes"`
	Pods     []Pod   `json:"pods"`
	Images   []Image `json:"images"`
	// Unknown lists manifests and charts of the release that were not judged.
	Unknown []string `json:"unknown,omitempty"`
}

// Source is a manifest, or what a chart makes.
type Source struct {
	Chart   string // the chart's name; "" for a manifest
	Objects []workload.Object
	// Origin returns the template and line that a line of the objects' file is of, or ""; nil if
	// the file is the manifest itself.
	Origin func(line int) string
}

// Pod is the pod of an object of the release.
type Pod struct {
	Object string `json:"object"`          // kind namespace/name
	Chart  string `json:"chart,omitempty"` // that makes the object
	Place  string `json:"place"`           // file:line:column, or the line of a chart's template
	Path   string `json:"path"`            // of the pod's spec in the document
	// Notes are circumstances outside of the release that the answer depends on.
	Notes    []string  `json:"notes,omitempty"`
	Verdicts []Verdict `json:"nodes"`
}

// Image is an image of the lock.
type Image struct {
	Name      string    `json:"name"`
	Reference string    `json:"reference"` // repository@digest
	Platforms []string  `json:"platforms"`
	Notes     []string  `json:"notes,omitempty"`
	Verdicts  []Verdict `json:"nodes"` // empty if nothing is known of its platforms
}

// Verdict is whether a node runs a pod or image.
type Verdict struct {
	Node string `json:"node"`
	Runs bool   `json:"runs"`
	// Fails is true for a pod that the scheduler may place on the node, whose kubelet or runtime
	// then cannot run it.
	Fails   bool     `json:"fails"`
	Reasons []Reason `json:"reasons,omitempty"` // why it does not run, all of them
}

// Reason is why a node does not run a pod or an image.
type Reason struct {
	// Kind is one of os, architecture, os-features, windows-build, selector, affinity, taint,
	// unschedulable, resources and node-name.
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Unmet is the error for a pod or image without a node. A caller that has printed the report, with
// the reasons, recognizes it by errors.As.
type Unmet struct {
	What string // the pod or image
	Why  string
}

func (u *Unmet) Error() string { return u.What + " has no node that can run it" + u.Why }

// Failing is the error for a pod that the scheduler may place on nodes that cannot run it. A caller
// that has printed the report recognizes it as [Unmet].
type Failing struct {
	What  string // the pod
	Nodes []string
	Every bool // it is placed on each of the nodes, as a pod of a DaemonSet
}

func (f *Failing) Error() string {
	placed := "may be placed"
	if f.Every {
		placed = "is placed"
	}
	return fmt.Sprintf("%s %s on %s, and fails there: let it select other nodes, or give the image what they need",
		f.What, placed, some(f.Nodes))
}

// Check finds out which nodes run the pods of sources and the images of their lock. The cluster is
// taken to have all of them, and so the runtime classes of all.
func Check(sources []Source, l *lock.Lock, list []Node) *Report {
	var all []workload.Object
	for _, s := range sources {
		all = append(all, s.Objects...)
	}
	c := checker{images: l.Catalog(), classes: workload.NewRuntimeClasses(all), nodes: list}
	r := &Report{Snapshot: l.Snapshot, Nodes: list, Pods: []Pod{}, Images: []Image{}}
	for _, s := range sources {
		for _, o := range s.Objects {
			if o.Pod == nil {
				continue
			}
			p := c.pod(o)
			p.Chart = s.Chart
			if s.Origin != nil {
				p.Place = cmp.Or(s.Origin(o.Pod.At().Line), p.Place)
			}
			r.Pods = append(r.Pods, p)
		}
	}
	for _, i := range c.images {
		r.Images = append(r.Images, c.image(i))
	}
	return r
}

// title is what tables and errors call a pod.
func (p Pod) title() string {
	if p.Chart == "" {
		return p.Object
	}
	return "chart " + p.Chart + ": " + p.Object
}

type checker struct {
	images  lock.Catalog
	classes workload.RuntimeClasses
	nodes   []Node
}

// Unmet returns an error for each pod and image that no node runs, and for each pod that fails
// where it is placed.
func (r *Report) Unmet() []error {
	var errs []error
	why := ""
	if len(r.Nodes) == 0 {
		why = ": the list of nodes is empty"
	}
	add := func(what string, verdicts []Verdict) {
		if !slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Runs }) {
			errs = append(errs, &Unmet{what, why})
		}
	}
	for _, p := range r.Pods {
		what := fmt.Sprintf("%s (%s)", p.title(), p.Place)
		add(what, p.Verdicts)
		f := &Failing{What: what, Every: strings.HasPrefix(p.Object, "DaemonSet ")}
		for _, v := range p.Verdicts {
			if v.Fails {
				f.Nodes = append(f.Nodes, v.Node)
			}
		}
		if len(f.Nodes) > 0 {
			errs = append(errs, f)
		}
	}
	for _, i := range r.Images {
		if len(i.Platforms) > 0 {
			add("image "+i.Name, i.Verdicts)
		}
	}
	return errs
}
