package workload

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// scalars returns the values of a group of fields, as a cluster and Helm read them: 1.10 is 1.1.
func scalars(n *yaml.Node) func(key string) string {
	return func(key string) string {
		v := yamlfile.Value(n, key)
		if v == nil || v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
			return ""
		}
		return strings.TrimSpace(yamlfile.Key(v))
	}
}

// otherNames are the keys that name an image and are not called repository or image.
var otherNames = []string{"imageRepository", "imageRepo", "imageName", "containerImage", "baseImage", "newName"}

// named returns the field that names an image, and the image without a tag; "" for none. certain
// means that it is one, although no field completes it.
func named(text func(string) string, path []any) (key, base string, certain bool) {
	repository, image := text("repository"), text("image")
	plain := image != "" && !strings.ContainsAny(image, "/:@")
	hub := text("hub") // of Istio
	switch {
	case repository != "" && plain:
		return "image", strings.TrimSuffix(repository, "/") + "/" + image, true
	case repository != "":
		return "repository", repository, true
	case plain && hub != "":
		return "image", strings.TrimSuffix(hub, "/") + "/" + image, true
	case image != "":
		return "image", image, true
	}
	for _, key := range otherNames {
		if value := text(key); value != "" {
			return key, value, true
		}
	}
	switch {
	case below(path, "image") || below(path, "containerImage"):
		for _, key := range []string{"repo", "name"} {
			if value := text(key); value != "" {
				return key, value, strings.Contains(value, "/")
			}
		}
	case len(path) > 1 && below(path[:len(path)-1], "images") && text("newTag")+text("digest") != "": // of kustomize
		return "name", text("name"), true
	}
	return "", "", false
}

// below reports whether a path ends in a key.
func below(path []any, key string) bool { return len(path) > 0 && path[len(path)-1] == key }

// version returns the tag and the digest of the image that a field names.
func version(text func(string) string, key string) (tag, digest string) {
	keys := []string{"tag", "version", "imageTag", "newTag"}
	if slices.Contains([]string{"imageRepo", "imageName", "containerImage", "baseImage"}, key) {
		keys = []string{"tag", "imageTag"} // the version may be that of something else
	}
	for _, k := range keys {
		if tag = text(k); tag != "" {
			break
		}
	}
	if digest = text("digest"); digest == "" {
		digest = text("imageDigest")
	}
	if at := strings.IndexByte(tag, '@'); at >= 0 {
		tag, digest = tag[:at], tag[at+1:]
	}
	if strings.HasPrefix(tag, "sha256:") {
		tag, digest = "", tag
	}
	return tag, digest
}
