package sbom

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
)

// CycloneDX returns the document of a release in CycloneDX 1.6 as JSON
// (https://cyclonedx.org/docs/1.6/json/), with the properties that BSI TR-03183-2 asks for
// (https://github.com/BSI-Bund/tr-03183-cyclonedx-property-taxonomy).
func CycloneDX(l *lock.Lock, v *lock.Inventory) ([]byte, error) {
	if v == nil {
		return nil, errors.New("writing the bill of materials: the release has no inventory")
	}
	g := newGraph(l, v)
	top, err := g.release()
	if err != nil {
		return nil, fmt.Errorf("writing the bill of materials of %s %s: %w", l.Name, l.Version, err)
	}
	doc := g.cyclonedx(top)
	unique, err := identify(doc)
	if err != nil {
		return nil, err
	}
	doc.Serial = "urn:uuid:" + unique
	return encode(doc)
}

// release adds everything that the release consists of.
func (g *graph) release() (string, error) {
	l := g.lock
	c := component{
		id: "Release", kind: release, name: l.Name, version: l.Version, known: true,
		purl: purl.Generic(l.Name, l.Version, ""), comment: "release of " + l.Name, archive: true,
	}
	var sources []string
	for _, s := range l.Sources {
		sources = append(sources, s.Name)
	}
	if c.license, _ = g.declared(sources...); len(sources) > 0 {
		c.source = l.Sources[0].URL
	}
	top := g.add(c)
	for _, i := range l.Images {
		id, err := g.image(i)
		if err != nil {
			return "", err
		}
		g.relate(top, contains, id, "")
	}
	for _, a := range l.Artifacts {
		id, err := g.artifact(a)
		if err != nil {
			return "", err
		}
		g.relate(top, contains, id, "")
	}
	for _, c := range l.Charts {
		g.relate(top, contains, g.chart(c), "")
	}
	for _, t := range l.ThirdParty {
		g.relate(top, dependsOn, g.thirdParty(t), "")
	}
	return top, nil
}

// thirdParty adds an image that the release needs and has not built.
func (g *graph) thirdParty(t lock.ThirdParty) string {
	tagged := reference(t.Reference)
	repository, tag := tagged, ""
	if before, after, ok := strings.Cut(path.Base(tagged), ":"); ok {
		repository, tag = path.Join(path.Dir(tagged), before), after
	}
	if full, err := name.NewRepository(repository); err == nil {
		repository = full.Name()
	}
	c := component{
		id: id("Base", tagged, "third-party "+t.Reference+" "+t.Digest.String()), kind: base, name: repository,
		version: tag, sha256: t.Digest.Hex,
		comment: "an image of others that the release needs; " + notListed,
	}
	for _, r := range t.Referrers {
		if strings.Contains(r.ArtifactType, "spdx") || strings.Contains(r.ArtifactType, "cyclonedx") {
			c.comment += "; its own bill of materials refers to it: " + r.Digest.String()
		}
	}
	digest := t.Digest.String()
	if t.Omitted != "" {
		digest = ""
		c.comment += "; the release omits it: " + t.Omitted
	}
	c.purl = purl.OCI(repository, digest, map[string]string{"tag": tag})
	return g.add(c)
}

// cyclonedx returns the document of the graph, whose main component is top.
func (g *graph) cyclonedx(top string) *cdxDocument {
	main := g.cdxOf(g.components[top])
	doc := &cdxDocument{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: cdxMetadata{
			Timestamp: g.lock.Created.UTC().Format(time.RFC3339), Lifecycles: []cdxPhase{{"build"}},
			Tools:     cdxTools{[]cdxComponent{{Type: "application", Name: "slipway"}}},
			Component: main, Manufacturer: main.Manufacturer,
		},
		Components: []cdxComponent{},
	}
	complete, unknown := cdxComposition{Aggregate: "complete"}, cdxComposition{Aggregate: "unknown"}
	needs := g.needs()
	whole := g.complete(needs)
	for _, c := range g.sorted() {
		if c.id != top {
			doc.Components = append(doc.Components, g.cdxOf(c))
		}
		doc.Dependencies = append(doc.Dependencies, cdxDependency{c.id, needs[c.id]})
		if c.kind == module {
			continue
		}
		if whole[c.id] {
			complete.Dependencies = append(complete.Dependencies, c.id)
		} else {
			unknown.Dependencies = append(unknown.Dependencies, c.id)
		}
	}
	for _, c := range []cdxComposition{complete, unknown} {
		if len(c.Dependencies) > 0 {
			doc.Compositions = append(doc.Compositions, c)
		}
	}
	return doc
}

// complete reports of which components everything is listed that they consist of, at any depth.
func (g *graph) complete(needs map[string][]string) map[string]bool {
	all := map[string]bool{}
	var visit func(id string) bool
	visit = func(id string) bool {
		if known, ok := all[id]; ok {
			return known
		}
		known := g.components[id].known
		all[id] = known // nothing needs itself
		for _, to := range needs[id] {
			known = visit(to) && known
		}
		all[id] = known
		return known
	}
	for id := range g.components {
		visit(id)
	}
	return all
}

// needs returns what each component contains, is built on or depends on, each once and sorted.
func (g *graph) needs() map[string][]string {
	all := map[string][]string{}
	for e := range g.edges {
		switch e.relation {
		case contains, descendantOf, dependsOn, generatedFrom:
			all[e.from] = append(all[e.from], e.to)
		case buildDependency:
			all[e.to] = append(all[e.to], e.from)
		case variantOf, buildToolOf: // the reverse of another, or not a part
		}
	}
	tidy(all)
	return all
}
