package provenance

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// LocalBuilder is the builder of a release without a named builder: the owner of the key, on an
// unknown machine. This is SLSA Build L1.
const LocalBuilder = BuildType + "#local"

// Inputs is what a statement has besides the lock.
type Inputs struct {
	// Files are files of dist/ that the lock does not have: release.yaml.
	Files []File
	// Materials are the inputs that build found. The archive of inputs is among them.
	Materials []lock.Material
	// Archive is the name of the archive of inputs.
	Archive string
	// SourceDateEpoch reports whether the time of the release was given to it, and dates every
	// image.
	SourceDateEpoch bool
	Builder         string // the builder's ID; "" is [LocalBuilder]
}

// File is a file of dist/.
type File struct {
	Name   string
	SHA256 string // hex
}

// Make returns the statement of a release: every index and manifest of its images, its charts,
// artifacts and files. Floating tags are in it as the release may move them; whether they move,
// each registry decides.
func Make(l *lock.Lock, in Inputs) (*Statement, error) {
	m := maker{subjects: map[string]*Subject{}}
	for _, i := range l.Images {
		m.image(i)
	}
	for _, c := range l.Charts {
		m.add(c.Digest.Hex, Subject{Name: c.Image().Tagged(), Annotations: Annotations{
			Kind: KindChart, Names: tagged(c.Image(), c.Tags...), Floating: floating(c.Image()),
		}})
		m.file(File{Name: c.File.Name, SHA256: c.File.Digest.Hex})
	}
	for _, a := range l.Artifacts {
		m.file(File{Name: a.File, SHA256: a.Digest.Hex})
	}
	for _, f := range in.Files {
		m.file(f)
	}
	p := Parameters{
		Name: l.Name, Version: l.Version, Channel: l.Channel, Created: l.Created.UTC(),
		SourceDateEpoch: in.SourceDateEpoch, Inputs: in.Archive,
	}
	if !l.Snapshot {
		p.Registries = l.Registries()
		p.Omitted = omitted(l)
	}
	for _, material := range in.Materials {
		if material.URI == in.Archive {
			p.Product = material.Path
		}
	}
	dependencies, err := dependencies(l, in.Materials)
	if err != nil {
		return nil, err
	}
	s := &Statement{
		Type: StatementType, Subjects: m.sorted(), PredicateType: PredicateType,
		Predicate: Predicate{
			BuildDefinition: BuildDefinition{
				BuildType: BuildType, ExternalParameters: p,
				ResolvedDependencies: dependencies,
			},
			RunDetails: RunDetails{Builder: Builder{ID: cmp.Or(in.Builder, LocalBuilder)}},
		},
	}
	for _, material := range in.Materials {
		if version, ok := strings.CutPrefix(material.URI, slipway+"@"); ok && material.Name == "" {
			s.Predicate.RunDetails.Builder.Version = map[string]string{"slipway": version}
		}
	}
	return s, s.check()
}

// maker gathers subjects by digest.
type maker struct{ subjects map[string]*Subject }

// image adds an image: its index, the indexes of its platform tags, and its manifests.
func (m *maker) image(i lock.Image) {
	indexes := map[string][]string{} // of a manifest, by its digest
	index := func(h v1.Hash, names, floating []string, has func(lock.Child) bool) {
		m.add(h.Hex,
			Subject{Name: names[0], Annotations: Annotations{Kind: KindIndex, Names: names, Floating: floating}})
		for _, c := range i.Children {
			if has(c) {
				indexes[c.Digest.Hex] = append(indexes[c.Digest.Hex], h.Hex)
			}
		}
	}
	all := tagged(i, i.Tags...)
	single, moving := map[string][]string{}, map[string][]string{} // names of manifests
	if i.MediaType.IsIndex() {
		index(i.Digest, all, floating(i), func(lock.Child) bool { return true })
	} else {
		single[i.Digest.Hex], moving[i.Digest.Hex] = all, floating(i)
	}
	for _, t := range i.PlatformTags {
		if names := tagged(i, t.Tag); t.MediaType.IsIndex() {
			index(t.Digest, names, nil, func(c lock.Child) bool { return t.Has(c.Platform) })
		} else {
			single[t.Digest.Hex] = append(single[t.Digest.Hex], names...)
		}
	}
	for _, c := range i.Children {
		p := c.Platform
		p.OSVersion = cmp.Or(c.OSVersion, p.OSVersion)
		m.add(c.Digest.Hex, Subject{Name: i.Tagged() + " " + p.String(), Annotations: Annotations{
			Kind: KindManifest, Names: single[c.Digest.Hex], Floating: moving[c.Digest.Hex], Platform: p.String(),
			Index: indexes[c.Digest.Hex],
		}})
	}
}

// file adds a file.
func (m *maker) file(f File) {
	m.add(f.SHA256, Subject{Name: f.Name, Annotations: Annotations{Kind: KindFile, Names: []string{f.Name}}})
}

// add adds a subject. One digest may be several things: its names are joined, and the first by name
// decides what it is called.
func (m *maker) add(sha256 string, s Subject) {
	s.Digest.SHA256 = sha256
	if have := m.subjects[sha256]; have != nil {
		if have.Name < s.Name {
			s.Name, s.Annotations.Kind, s.Annotations.Platform = have.Name, have.Annotations.Kind,
				have.Annotations.Platform
		}
		s.Annotations.Names = append(s.Annotations.Names, have.Annotations.Names...)
		s.Annotations.Floating = append(s.Annotations.Floating, have.Annotations.Floating...)
		s.Annotations.Index = append(s.Annotations.Index, have.Annotations.Index...)
	}
	s.Annotations.Names = distinct(s.Annotations.Names)
	s.Annotations.Floating = distinct(s.Annotations.Floating)
	s.Annotations.Index = distinct(s.Annotations.Index)
	m.subjects[sha256] = &s
}

func (m *maker) sorted() []Subject {
	all := []Subject{}
	for _, s := range m.subjects {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Subject) int { return cmp.Compare(a.Digest.SHA256, b.Digest.SHA256) })
	return all
}

// dependencies lists what the release was made from, sorted by URI, name and digest.
func dependencies(l *lock.Lock, materials []lock.Material) ([]Dependency, error) {
	var all []Dependency
	for _, m := range materials {
		all = append(all, material(m))
	}
	for _, i := range l.Images {
		for _, c := range i.Children {
			used := c.CopiedFrom
			if c.Base != nil {
				used = append([]lock.Base{*c.Base}, used...)
			}
			for _, b := range used {
				d, err := base(b, c.Platform)
				if err != nil {
					return nil, err
				}
				all = append(all, d)
			}
			if c.Prebuilt != nil {
				d, err := taken(i, c)
				if err != nil {
					return nil, err
				}
				all = append(all, d)
			}
		}
	}
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			continue
		}
		d, err := image(t.Reference, t.Digest)
		if err != nil {
			return nil, err
		}
		bundled, err := imagename.Bundled(t.Reference, t.Digest)
		if err != nil {
			return nil, err
		}
		d.Annotations = Annotations{Kind: KindImage, Names: []string{bundled}}
		all = append(all, d)
	}
	for _, c := range l.Compilers {
		all = append(all, Dependency{
			URI:         purl.Generic(path.Base(c.Command), c.Version, ""),
			Annotations: Annotations{Kind: KindCompiler, Platform: c.Platform.String(), Local: true},
		})
	}
	for _, p := range l.Prebuilt {
		all = append(all, prebuilt(p))
	}
	slices.SortFunc(all, compare)
	return slices.CompactFunc(all, func(a, b Dependency) bool { return compare(a, b) == 0 }), nil
}

func compare(a, b Dependency) int {
	x, y := a.Annotations, b.Annotations
	return cmp.Or(cmp.Compare(a.URI, b.URI), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Source, y.Source),
		cmp.Compare(x.Platform, y.Platform), cmp.Compare(a.Digest.SHA256, b.Digest.SHA256),
		slices.Compare(x.Names, y.Names))
}

func material(m lock.Material) Dependency {
	kind := ""
	switch {
	case m.Content != "":
		kind = KindDocument
	case m.Name != "":
		kind = KindSource
	case strings.HasPrefix(m.URI, toolchain):
		kind = KindToolchain
	case strings.HasPrefix(m.URI, slipway):
		kind = KindSlipway
	}
	d := Dependency{
		URI: m.URI, Digest: Digest{SHA256: m.SHA256, DirHash: m.DirHash, GitCommit: m.GitCommit},
		Content: m.Content,
	}
	d.Annotations = Annotations{
		Kind: kind, Source: m.Name, Own: m.Own, Revision: m.Revision, Proven: m.Proven,
		Local: m.Local,
	}
	if kind == KindSource {
		d.Annotations.Path = m.Path
	}
	if !m.Created.IsZero() {
		d.Annotations.Created = m.Created.UTC().Format(time.RFC3339)
	}
	return d
}

func base(b lock.Base, on platform.Platform) (Dependency, error) {
	if imagename.IsFile(b.Name) {
		return Dependency{
			URI: purl.ImageFile(b.Name), Digest: Digest{SHA256: b.Digest.Hex},
			Annotations: Annotations{Kind: KindBase, Platform: on.String(), Local: true},
		}, nil
	}
	if builtin, ok := strings.CutPrefix(b.Name, "builtin:"); ok {
		return Dependency{
			URI: slipway + "#image/base/" + builtin, Digest: Digest{SHA256: b.Digest.Hex},
			Annotations: Annotations{Kind: KindBase, Stub: b.Stub},
		}, nil
	}
	d, err := image(b.Name, b.Digest)
	d.Annotations = Annotations{Kind: KindBase, Stub: b.Stub}
	return d, err
}

// image returns the dependency of an image.
func image(reference string, h v1.Hash) (Dependency, error) {
	tag := ""
	text, _, _ := strings.Cut(reference, "@")
	ref, err := name.ParseReference(text, name.WithDefaultTag(""))
	if err != nil {
		return Dependency{}, fmt.Errorf("the provenance cannot name %s: %w", reference, err)
	}
	if t, ok := ref.(name.Tag); ok {
		tag = t.TagStr()
	}
	repository := ref.Context().Name()
	return Dependency{
		URI:    purl.OCI(repository, h.String(), map[string]string{"tag": tag}),
		Digest: Digest{SHA256: h.Hex},
	}, nil
}
