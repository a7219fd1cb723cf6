package forge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// payload is an image of the forger's.
type payload struct {
	blobs  []entry
	index  string // its digest
	size   int    // of the index
	config string
	layer  string
	diff   string
	child  string // the digest of its manifest
}

func parse(text []byte, v any) {
	if err := json.Unmarshal(text, v); err != nil {
		panic(err)
	}
}

// newPayload makes an image with one file /evil.
func newPayload(t *testing.T) *payload {
	t.Helper()
	raw := tarOf(t, "evil", "evil")
	layer := gzipped(t, raw)
	config := fmt.Appendf(nil,
		`{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}`,
		sum(raw))
	const oci = "application/vnd.oci.image."
	manifest := fmt.Appendf(nil,
		`{"schemaVersion":2,"mediaType":"%smanifest.v1+json","config":{"mediaType":"%sconfig.v1+json","size":%d,"digest":"sha256:%s"},"layers":[{"mediaType":"%slayer.v1.tar+gzip","size":%d,"digest":"sha256:%s"}]}`,
		oci, oci, len(config), sum(config), oci, len(layer), sum(layer))
	index := fmt.Appendf(nil,
		`{"schemaVersion":2,"mediaType":"%sindex.v1+json","manifests":[{"mediaType":"%smanifest.v1+json","size":%d,"digest":"sha256:%s","platform":{"architecture":"amd64","os":"linux"}}]}`,
		oci, oci, len(manifest), sum(manifest))
	return &payload{
		blobs: []entry{blob(index), blob(manifest), blob(config), blob(layer)},
		index: sum(index), size: len(index), config: sum(config), layer: sum(layer), diff: sum(raw),
		child: sum(manifest),
	}
}

// image is a descriptor of index.json for the forger's image under a name.
func (p *payload) descriptor(name string) string {
	return fmt.Sprintf(
		`{"mediaType":"application/vnd.oci.image.index.v1+json","size":%d,"digest":"sha256:%s","annotations":{"io.containerd.image.name":%q,"org.opencontainers.image.ref.name":%q}}`, p.size, p.index, name, name)
}

// docker is the forger's image in manifest.json under a name.
func (p *payload) docker(name string) string {
	return fmt.Sprintf(
		`{"Config":"blobs/sha256/%s","RepoTags":[%q],"Layers":["blobs/sha256/%s"],"LayerSources":{"sha256:%s":{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","size":1,"digest":"sha256:%s"}}}`, p.config, name, p.layer, p.diff, p.layer)
}

// evilIndex is index.json in which hello is the forger's image.
func (a *archive) evilIndex() []byte {
	text := a.get("index.json").data
	old := a.descriptor(a.w.hello(newDir))
	return bytes.Replace(text, []byte(old), []byte(a.w.evil.descriptor(a.w.hello(newDir))), 1)
}

// evilManifest is manifest.json in which hello is the forger's image.
func (a *archive) evilManifest() []byte {
	text := a.get("manifest.json").data
	return bytes.Replace(text, []byte(a.docker(a.w.hello(newDir))), []byte(a.w.evil.docker(a.w.hello(newDir))), 1)
}

// descriptor is the descriptor of an image in index.json, as it is there.
func (a *archive) descriptor(name string) string {
	return element(a.get("index.json").data, "manifests", `"io.containerd.image.name":"`+name+`"`)
}

// docker is an image in manifest.json, as it is there.
func (a *archive) docker(name string) string {
	return element(a.get("manifest.json").data, "", `"RepoTags":["`+name+`"]`)
}

// element is the first element with a text of a list of objects: that of a key, or the document.
func element(text []byte, key, with string) string {
	var list []json.RawMessage
	if key == "" {
		parse(text, &list)
	} else {
		var all map[string]json.RawMessage
		parse(text, &all)
		parse(all[key], &list)
	}
	for _, l := range list {
		if strings.Contains(string(l), with) {
			return string(l)
		}
	}
	panic("no element has " + with)
}

// heads are an index.json and a manifest.json that name the forger's image.
func (a *archive) heads() []entry {
	return []entry{file("index.json", a.evilIndex()), file("manifest.json", a.evilManifest())}
}

// evil are all members of the forger's image and the documents that name it.
func (a *archive) evil() []entry { return append(a.heads(), a.w.evil.blobs...) }
