// Package workload reads Kubernetes manifests, such as release.yaml, and finds the pods in them.
//
// A pod is what some object makes pods of: the pod template of a built-in workload (Deployment,
// CronJob, …), a Pod itself, or kpack's Image and Build, whose fields for the scheduler kpack
// hands on to the build pod unchanged. Objects of these kinds are read as strictly as an
// apiserver with field validation does; all others are passed over, but must be Kubernetes
// objects. Lists are taken apart.
//
// Every pod keeps the YAML that it was read from, so that whoever finds something wrong in it can
// say file, line and column ([Pod.At]) and the field's path ([Pod.Path]). Aliases and merge keys
// are already put in, within bounds.
package workload

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Object is one Kubernetes object of a manifest.
type Object struct {
	APIVersion, Kind, Namespace, Name string // Name is metadata.generateName where there is no name

	File string     // as given to [Read]
	Path string     // where the object stands in its document: "" or, in a List, "items[2]"
	Node *yaml.Node // a mapping without aliases
	Pod  *Pod       // nil where the kind makes no pods
}

// Pod is what an object makes pods of.
type Pod struct {
	Kind PodKind
	// Meta is the metadata that the pods get: that of the template. Of a Pod it is the object's,
	// and kpack's kinds have none.
	Meta metav1.ObjectMeta
	// Spec is the pod's spec. Of kpack's kinds it has what they carry: nodeSelector, tolerations,
	// affinity, schedulerName, runtimeClassName, priorityClassName; no containers, since kpack
	// makes those.
	Spec corev1.PodSpec
	// Resources and Services are the fields of kpack's kinds of these names.
	Resources corev1.ResourceRequirements
	Services  []corev1.ObjectReference

	// MetaPath and SpecPath are the paths of Meta and Spec within the document:
	// spec.template.metadata, spec.template.spec.
	MetaPath, SpecPath string

	file               string
	object, meta, spec *yaml.Node // meta and spec are nil where the file has none
}

// PodKind says who makes the pods.
type PodKind int

// Kinds of pods.
const (
	Template PodKind = iota // Kubernetes, of a pod template or a Pod
	KpackImage
	KpackBuild
)

// String returns kind and name as kubectl users write them: Deployment kpack/kpack-controller.
func (o Object) String() string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Pos returns where the object begins.
func (o Object) Pos() Pos { return pos(o.File, o.Node) }

// Pos is a place in a file. Lines and columns count from 1.
type Pos struct {
	File         string
	Line, Column int
}

// String returns file:line:column.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

func pos(file string, n *yaml.Node) Pos { return Pos{file, max(n.Line, 1), max(n.Column, 1)} }

// Error is one thing wrong in a manifest.
type Error struct {
	Pos  Pos
	Text string // what is wrong and what to do
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Text }

func errorAt(p Pos, format string, args ...any) *Error {
	text := fmt.Sprintf(format, args...)
	const most = 2000 // bytes; nobody reads more
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return &Error{p, text}
}
