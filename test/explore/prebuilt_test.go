//go:build linux

package explore

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/slipway-dev/slipway/platform"
)

// drawPrebuilt lets another builder have made an image for one operating system, or for all.
func (p *product) drawPrebuilt(t *rapid.T, i object) {
	if i["lifecycle"] != nil || !maybe(t, 4, "prebuilt") {
		return
	}
	systems := p.systems()
	if only, ok := i["platforms"].([]string); ok {
		systems = only
	}
	taken := pick(t, "prebuilt system", append(slices.Clone(systems), "all")...)
	if len(systems) == 1 {
		taken = "all"
	}
	var on []string
	for _, s := range p.platforms {
		system, _, _ := strings.Cut(s, "/")
		if slices.Contains(systems, system) && (taken == "all" || taken == system) {
			on = append(on, s)
		}
	}
	dir := "prebuilt/" + i["name"].(string)
	for name, text := range layout(on, pick(t, "prebuilt index", "plain", "plain", "nested", "lying")) {
		p.files[dir+"/"+name] = text
	}
	i["prebuilt"] = object{taken: "oci:" + dir + ":1"}
	if taken == "all" {
		for _, key := range []string{"go", "dockerfile", "bases", "source", "allowOtherPlatforms", "allowLibraries"} {
			delete(i, key)
		}
	}
}

// layout returns the files of an OCI layout with an image for each platform, in an index. That may
// be in another index, also in one that says that it is for another platform: configurations
// decide.
func layout(platforms []string, form string) map[string]string {
	files := map[string]string{"oci-layout": `{"imageLayoutVersion":"1.0.0"}`}
	put := func(kind, text string, more object) object {
		sum := sha256.Sum256([]byte(text))
		name := hex.EncodeToString(sum[:])
		files["blobs/sha256/"+name] = text
		d := object{"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + name, "size": len(text)}
		for key, value := range more {
			d[key] = value
		}
		return d
	}
	encode := func(v object) string {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	var all []object
	for _, s := range platforms {
		q, err := platform.Parse(s)
		if err != nil {
			panic(err)
		}
		on := object{"os": q.OS, "architecture": q.Architecture}
		if q.Variant != "" {
			on["variant"] = q.Variant
		}
		if q.OS == platform.Windows {
			if on["os.version"] = q.OSVersion; platform.Short(q.OSVersion) == q.OSVersion {
				on["os.version"] = q.OSVersion + ".7"
			}
		}
		content := put("layer.v1.tar", layerOf(s, q.OS), nil)
		config := object{"rootfs": object{"type": "layers", "diff_ids": []any{content["digest"]}}}
		for key, value := range on {
			config[key] = value
		}
		manifest := object{
			"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
			"config": put("config.v1+json", encode(config), nil), "layers": []object{content},
		}
		all = append(all, put("manifest.v1+json", encode(manifest), object{"platform": on}))
	}
	index := encode(object{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": all})
	if form != "plain" {
		more := object{}
		if form == "lying" {
			more["platform"] = object{"os": "linux", "architecture": "s390x"}
		}
		index = encode(object{
			"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
			"manifests": []object{put("index.v1+json", index, more)},
		})
	}
	named := put("index.v1+json", index, object{"annotations": object{"org.opencontainers.image.ref.name": "1"}})
	files["index.json"] = encode(object{"schemaVersion": 2, "manifests": []object{named}})
	return files
}

// layerOf returns a layer with one file, which has a text.
func layerOf(text, system string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	name := "motd"
	if system == platform.Windows {
		name = "Files/motd"
		w.WriteHeader(&tar.Header{Name: "Files", Typeflag: tar.TypeDir, Mode: 0o755}) //nolint:errcheck // in memory
	}
	w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}) //nolint:errcheck // in memory
	w.Write([]byte(text))                                                       //nolint:errcheck // in memory
	w.Close()                                                                   //nolint:errcheck // in memory
	return b.String()
}
