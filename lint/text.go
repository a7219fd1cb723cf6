package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// imageText is a string that has image references in it, or must be one because of its place.
type imageText struct {
	textKey
	pos   yamlfile.Pos
	value string
	refs  []string // in the value
	image bool     // the whole value must be a reference
	names []string // what the image is called: variables, keys of a ConfigMap, keys on the path
	ofPod bool     // a pod's image, which is checked as such
}

type textKey struct {
	object int
	path   string
}

// note returns the text at a place, which is added if it is new.
func (c *checker) note(key textKey, pos yamlfile.Pos, value string) *imageText {
	t := c.texts[key]
	if t == nil {
		t = &imageText{textKey: key, pos: pos, value: value}
		c.texts[key] = t
		c.order = append(c.order, t)
	}
	return t
}

// called records that the text is an image with these names.
func (t *imageText) called(names ...string) {
	t.image = true
	t.names = append(t.names, names...)
}

// collectTexts gathers the texts that name images in all objects.
func (c *checker) collectTexts() {
	for n, o := range c.objects {
		o.Texts(func(s workload.Text) {
			refs := c.images.Mentions(s.Name, s.Value)
			if c.release() {
				refs = append(refs, c.images.ProductMentions(s.Value)...)
			}
			image := workload.IsImageField(o.APIVersion, o.Kind, s.Keys, s.Value)
			if !image && len(refs) == 0 {
				return
			}
			t := c.note(textKey{n, s.Path()}, s.Pos, s.Value)
			t.refs = refs
			if image && o.Kind == "ConfigMap" {
				t.called(o.Name, s.Name)
			} else if image {
				t.called(slices.Clone(s.Keys)...)
			}
		})
	}
	for _, p := range c.pods {
		for _, ref := range workload.References(p.spec) {
			if t := c.texts[textKey{p.object, p.Path(ref.Path...)}]; t != nil {
				t.ofPod = true
			}
		}
	}
}

// text checks a text: in a release one that must be a reference as a whole, otherwise the
// references in it.
func (c *checker) text(t *imageText) {
	if t.image {
		c.windowsName(t)
	}
	if t.ofPod {
		return
	}
	if t.image && c.release() {
		c.reference(t, t.value, true)
		t.refs = lock.KoNames(t.value)
	}
	for _, ref := range t.refs {
		c.reference(t, ref, c.images.IsProduct(ref))
	}
}

// reference checks one reference in a text: that the lock has it, or its registry. In a release,
// one that is certain to be an image must be pinned and in the lock.
func (c *checker) reference(t *imageText, ref string, certain bool) {
	_, id, what := c.resolve(ref, certain)
	if id == "" || id != "image-ko" && !c.canResolve() {
		return
	}
	r := rule(id)
	f := c.newFinding(r, what, t.pos)
	if r.Strict && certain && c.release() {
		f.Severity = Error
	}
	c.inObject(f, t.object, t.path, ref)
}

// faultRules are the rules that references with a fault break.
var faultRules = map[lock.Fault]string{
	lock.Malformed: "image-reference", lock.KoName: "image-ko", lock.Unpinned: "image-unpinned",
	lock.TagAndDigest: "image-tag-and-digest", lock.OtherDigest: "image-digest", lock.Unknown: "image-unknown",
}

// resolve returns the image that a reference names, or the rule that it breaks and how. In a
// release a certain reference must have the form that the lock has.
func (c *checker) resolve(ref string, certain bool) (i lock.CatalogImage, id, what string) {
	if r, err := name.ParseReference(ref); err == nil {
		c.name(ref, r.Context().Name())
	}
	strict := certain && c.release()
	i, fault, what := c.images.Resolve(ref)
	if fault == lock.TagAndDigest && (!strict || c.options.chart) { // the form that values of charts have
		repository, digest, _ := strings.Cut(ref, "@")
		// runtimes ignore the tag
		i, fault, what = c.images.Resolve(repository[:strings.LastIndex(repository, ":")] + "@" + digest)
	}
	if k, ok := c.unpinnable(ref); ok && fault == lock.Unpinned {
		return k, "", ""
	}
	switch {
	case fault == lock.Malformed || fault == lock.KoName:
	case c.missing[ref]:
		return i, "image-digest", fmt.Sprintf("the registry does not have %s", ref)
	case strict && fault == lock.NoFault && i.Child && !strings.HasSuffix(i.Reference, ref[strings.LastIndex(ref, "@"):]):
		return i, "image-digest", fmt.Sprintf("%s is one platform's manifest of %s: write %s", ref, i.Name, i.Reference)
	}
	return i, faultRules[fault], what
}

// unpinnable returns the image of a reference by tag if a snapshot cannot pin it, since nothing has
// its digest. That is among what a release to a registry requires.
func (c *checker) unpinnable(ref string) (i lock.CatalogImage, ok bool) {
	if !c.release() || c.options.Lock == nil || !c.options.Lock.Snapshot {
		return i, false
	}
	i, ok = c.images.FindTagged(ref)
	return i, ok && i.Digest == "" && i.Unresolved != ""
}

// windowsName reports an image that is called by a name for Windows and has no files for it.
func (c *checker) windowsName(t *imageText) {
	if i, ok := c.images.Find(t.value); ok && slices.ContainsFunc(t.names, workload.IsWindowsName) && !i.Runs(platform.Windows) {
		c.inObject(c.newFinding(rule("image-windows-name"), noWindows(i), t.pos), t.object, t.path, "")
	}
}

func noWindows(i lock.CatalogImage) string {
	return fmt.Sprintf("it is named for Windows, but image %s has no files for windows", i.Name)
}

// values checks data values that are named for Windows. What else may be wrong with a value is
// found where a manifest uses it.
func (c *checker) values() {
	var walk func(v any, keys []string)
	walk = func(v any, keys []string) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				walk(e, append(slices.Clone(keys), k))
			}
		case []any:
			for i, e := range v {
				walk(e, append(slices.Clone(keys), fmt.Sprintf("[%d]", i)))
			}
		case string:
			i, ok := c.images.Find(v)
			if !ok || !slices.ContainsFunc(keys, workload.IsWindowsName) || i.Runs(platform.Windows) {
				return
			}
			path := strings.ReplaceAll(strings.Join(keys, "."), ".[", "[")
			f := c.newFinding(rule("image-windows-name"), noWindows(i), c.options.Product.Release.ValuePos[path])
			f.Path = "release.values." + path
			c.add(f, -1, v)
		}
	}
	if c.release() {
		walk(c.options.Values, nil)
	}
}

// name records that the manifests name an image: the one that a reference names, or every one of
// its repository.
func (c *checker) name(ref, repository string) {
	if k, ok := c.images.FindTagged(ref); ok {
		c.named[k.Name] = true
		return
	}
	for _, k := range c.images {
		if k.Repository.Name() == repository {
			c.named[k.Name] = true
		}
	}
}
