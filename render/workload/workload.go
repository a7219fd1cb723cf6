// Package workload reads Kubernetes manifests, such as release.yaml, and finds the pods in them.
//
// A [Pod] is the pod template of a built-in workload (Deployment, CronJob, …), a Pod itself, or
// kpack's Image and Build, whose fields for the scheduler kpack copies to the build pod. Objects of
// Kubernetes' own kinds are decoded as strictly as an API server with field validation decodes
// them ([Fault]); objects of all other kinds are kept as YAML. Lists are replaced by their items.
//
// Every object keeps the YAML that it was read from, so that a finding can name file, line and
// column ([Pod.At]) and the field's path ([Pod.Path]).
//
// The package also answers what several checks ask about a pod: what a cluster adds when it admits
// the pod ([Object.Admitted]), which operating systems it may run on ([OperatingSystems]), which
// nodes it selects ([Admits]), which images it names ([References]).
package workload

import (
	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Object is one Kubernetes object of a manifest.
type Object struct {
	APIVersion, Kind, Namespace, Name string // Name is metadata.generateName if metadata.name is missing

	File   string     // as given to [Read]
	Path   string     // of the object in its document: "", or "items[2]" in a List
	Node   *yaml.Node // a mapping without aliases
	Typed  any        // the decoded object (*corev1.ConfigMap); nil for other kinds and on errors
	Pod    *Pod       // nil for kinds that make no pods, and if the object cannot be decoded
	Faults []Fault

	values []string // the keys of its data that are values of Helm charts
	single []single // the values of its chart that it takes from other objects
}

// Pod is a pod that an object makes.
type Pod struct {
	Kind PodKind
	// Meta is the metadata of the pods: that of the template, of a Pod its own. The pods of kpack's
	// kinds have a namespace only.
	Meta metav1.ObjectMeta
	// Spec is the pod's spec. Of kpack's kinds it has the fields that kpack copies (nodeSelector,
	// tolerations, affinity, schedulerName, runtimeClassName, priorityClassName) and no
	// containers, since kpack makes those.
	Spec corev1.PodSpec
	// Resources and Services are the fields of kpack's kinds of these names.
	Resources corev1.ResourceRequirements
	Services  []corev1.ObjectReference

	// MetaPath and SpecPath are the paths of Meta and Spec within the document:
	// spec.template.metadata, spec.template.spec.
	MetaPath, SpecPath string

	object     Object
	meta, spec *yaml.Node // nil if the file lacks it
}

// PodKind states who makes the pods.
type PodKind int

// Kinds of pods.
const (
	Template   PodKind = iota // Kubernetes, from a pod template or a Pod
	KpackImage                // kpack, from an Image
	KpackBuild                // kpack, from a Build
)

func newPod(o Object, k podKind, spec []any) *Pod {
	return &Pod{
		Kind: k.maker, SpecPath: yamlfile.Path(o.Path, spec...),
		object: o, spec: yamlfile.Value(o.Node, spec...),
	}
}

// String returns kind and name as kubectl users write them: Deployment kpack/kpack-controller.
func (o Object) String() string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Pos returns where the object begins.
func (o Object) Pos() yamlfile.Pos { return o.pos(o.Node) }

// At returns the position of a field of the object, or of the nearest one around it.
func (o Object) At(path ...any) yamlfile.Pos {
	_, at, _ := yamlfile.Find(o.Node, path...)
	return o.pos(at)
}

func (o Object) pos(n *yaml.Node) yamlfile.Pos {
	return yamlfile.Pos{File: o.File, Line: max(n.Line, 1), Column: max(n.Column, 1)}
}

// At returns the position of a field of the pod's spec, or of the nearest one around it:
// At("containers", 0, "image"). Strings are keys, ints count from 0.
func (p *Pod) At(field ...any) yamlfile.Pos { return p.at(p.spec, field) }

// MetaAt is [Pod.At] for the pod's metadata.
func (p *Pod) MetaAt(field ...any) yamlfile.Pos { return p.at(p.meta, field) }

func (p *Pod) at(n *yaml.Node, field []any) yamlfile.Pos {
	if n == nil {
		return p.object.Pos()
	}
	_, at, _ := yamlfile.Find(n, field...)
	return p.object.pos(at)
}

// Path returns the path of a field of the pod's spec within the document:
// spec.template.spec.containers[0].image.
func (p *Pod) Path(field ...any) string { return yamlfile.Path(p.SpecPath, field...) }
