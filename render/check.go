package render

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/lock"
)

// Check holds rendered objects against the lock and against what a cluster with Linux and Windows
// nodes needs:
//
//   - a document has its Kubernetes type's fields and no others, and no object is there twice;
//   - every image is repository@sha256:…, of the lock with the lock's digest: in containers, in "image" keys of other objects, in
//     variables and ConfigMap keys whose name ends in "image", and wherever a repository of the lock is named;
//   - nothing has a name that ko is to resolve (ko://…);
//   - what is named for Windows (a variable, ConfigMap, container or data value with the word) has files for Windows, and the
//     images of a pod have files for the systems it may run on;
//   - a ConfigMap that a container's environment takes from is in the release and has the key: kpack's controller, like most
//     programs, takes a missing variable for an empty one;
//   - every pod selects its operating system.
//
// All findings come in one error, a line each, with file, line, object and field.
func Check(docs []Document, l *lock.Lock) error {
	return (&checker{lock: l, docs: docs}).check(nil)
}

func (c *checker) check(values []use) error {
	l, docs := c.lock, c.docs
	c.images, c.byLeaf = l.Catalog(), map[string]*use{}
	for _, v := range values {
		c.value(v)
	}
	c.duplicates()
	for n, d := range docs {
		c.document(n, d)
	}
	for _, u := range c.uses {
		c.use(u)
	}
	if len(c.findings) == 0 {
		return nil
	}
	slices.SortStableFunc(c.findings, func(a, b finding) int { return a.doc - b.doc })
	var errs []error
	for _, f := range c.findings {
		errs = append(errs, errors.New(f.text))
	}
	return fmt.Errorf("checking the manifest of %s %s:\n%w", l.Name, l.Version, errors.Join(errs...))
}

// checker gathers what is wrong with a manifest.
type checker struct {
	lock     *lock.Lock
	docs     []Document
	images   lock.Catalog
	uses     []*use
	byLeaf   map[string]*use
	findings []finding
	// ko says that slipway.yaml allows names that ko is to resolve: package lint then judges where.
	ko bool
}

// finding is one mistake; doc is the number of its document, by which findings are sorted.
type finding struct {
	doc  int
	text string
}

// add records a finding about a field of a document; what says what is wrong and what to do about
// it.
func (c *checker) add(n int, l leaf, what string, args ...any) {
	d := c.docs[n]
	field := ""
	if len(l.path) > 0 {
		field = l.String() + ": "
	}
	if l.pos == nil {
		l.pos = d.yaml.Position
	}
	c.findings = append(c.findings, finding{n, fmt.Sprintf("%s: %s: %s", d.position(l.pos), d, field+fmt.Sprintf(what, args...))})
}

func (c *checker) duplicates() {
	first := map[string]Document{}
	for n, d := range c.docs {
		id := d.group() + " " + d.String()
		if other, ok := first[id]; ok {
			c.add(n, leaf{}, "the object is there already, at %s: drop one", other.position(other.yaml.Position))
			continue
		}
		first[id] = d
	}
}

func (c *checker) document(n int, d Document) {
	obj, findings, err := decode(d)
	if err != nil {
		findings = append(findings, err.Error())
	}
	for _, f := range findings {
		c.add(n, leaf{}, "%s", f)
	}
	d.leaves(func(l leaf) {
		c.unresolved(n, l)
		if image, names := imageLeaf(d, l); image || len(mentions(c.images, l.value)) > 0 {
			c.note(n, l, image, names)
		}
	})
	if t := workload.PodTemplate(obj); t != nil && err == nil {
		c.pod(n, d, &t.Spec)
	}
}

// pod checks a pod's systems and its containers.
func (c *checker) pod(n int, d Document, spec *corev1.PodSpec) {
	path := workload.SpecPath(d.Kind)
	_, pos := d.node(path)
	systems := c.systems(n, leaf{path: path, pos: pos}, spec)
	at := map[string]leaf{}
	d.leaves(func(l leaf) { at[l.String()] = l })
	for _, container := range workload.Containers(spec) {
		p := append(slices.Clone(path), container.Path[0].(string), bracket(container.Path[1].(int), container.Name))
		c.runs(n, at[fieldPath(append(p, "image"))], container.Image, systems)
		c.environment(n, d, p, pos, at, container.Container)
	}
}
