package workload

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
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

// candidate is a field that names an image.
type candidate struct {
	key, base string // the field, and the image without a tag
	certain   bool   // it is one, although no field completes it
	own       bool   // only fields that are called like it complete it
	tag       bool   // no version completes it, which may be that of something else
}

// named returns the fields of a group that name images. The first ones get the tag of the group.
func named(n *yaml.Node, path []any) (all []candidate) {
	text := scalars(n)
	all = repositories(text)
	for _, key := range otherNames {
		value := text(key)
		second := len(all) > 0
		if value == "" || second && (!strings.Contains(value, "/") || known(all, value)) {
			continue // it may be a part of the first one
		}
		all = append(all, candidate{
			key: key, base: value, certain: !second || hasHost(value),
			tag: slices.Contains([]string{"imageRepo", "imageName", "containerImage", "baseImage"}, key),
		})
	}
	inImages := len(path) > 1 && isPlural(path[len(path)-2])
	if len(all) == 0 && len(path) > 0 && (isImage(path[len(path)-1]) || inImages) {
		all = below(text, inImages)
		for i := range all {
			all[i].tag = path[len(path)-1] != "image" && path[len(path)-1] != "containerImage" ||
				all[i].key == "url" || all[i].key == "path"
		}
	}
	inImages = len(path) > 0 && isPlural(path[len(path)-1])
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		value := text(key)
		named := slices.ContainsFunc(all, func(c candidate) bool { return c.key == key })
		if named || value == "" || slices.Contains(otherNames, key) || key == "repository" || key == "image" {
			continue
		}
		if isImage(key) || inImages && !isPart(key) && strings.Contains(value, "/") {
			all = append(all, candidate{key: key, base: value, certain: hasHost(value), own: true})
		}
	}
	return all
}

// repositories returns what the fields repository, image and hub name.
func repositories(text func(string) string) []candidate {
	repository, image := text("repository"), text("image")
	plain := image != "" && !strings.ContainsAny(image, ":@") && !hasHost(image)
	hub := text("hub") // of Istio
	switch {
	case repository != "" && plain:
		return []candidate{{key: "image", base: strings.TrimSuffix(repository, "/") + "/" + image, certain: true}}
	case repository != "" && image != "":
		all := []candidate{{key: "image", base: image, certain: true}}
		if known(all, repository) {
			return all
		}
		return append(all, candidate{key: "repository", base: repository, certain: hasHost(repository)})
	case repository != "":
		return []candidate{{key: "repository", base: repository, certain: true}}
	case plain && hub != "":
		return []candidate{{key: "image", base: strings.TrimSuffix(hub, "/") + "/" + image, certain: true}}
	case image != "":
		return []candidate{{key: "image", base: image, certain: true}}
	}
	return nil
}

// below returns what names the image of a group that is called image, or is one of images.
func below(text func(string) string, one bool) []candidate {
	keys := []string{"repo", "name", "url", "path"}
	if one {
		keys = []string{"repo", "name"}
		if text("newTag")+text("digest") != "" { // of kustomize
			return []candidate{{key: "name", base: text("name"), certain: true}}
		}
	}
	for _, key := range keys {
		if value := text(key); hasHost(value) {
			return []candidate{{key: key, base: value, certain: true}}
		}
	}
	for _, key := range keys {
		if value := text(key); value != "" {
			certain := !one && key != "url" && key != "path" && strings.Contains(value, "/")
			return []candidate{{key: key, base: value, certain: certain}}
		}
	}
	return nil
}

// known reports whether a candidate names the image of a value, perhaps with its registry and tag.
func known(all []candidate, value string) bool {
	return slices.ContainsFunc(all, func(c candidate) bool {
		base, _, _ := strings.Cut(c.base, "@")
		if at := strings.LastIndexByte(base, ':'); at > strings.LastIndexByte(base, '/') {
			base = base[:at]
		}
		return base == value || strings.HasSuffix(base, "/"+value)
	})
}

// hasHost reports whether a text is the name of a repository that starts with its registry.
func hasHost(text string) bool {
	host, rest, _ := strings.Cut(text, "/")
	if !strings.ContainsAny(host, ".:") && host != "localhost" || rest == "" {
		return false
	}
	if at := strings.LastIndexByte(rest, '.'); at >= 0 && slices.Contains(pictures, rest[at+1:]) {
		return false
	}
	_, err := name.NewRepository(text)
	return err == nil
}

// pictures are the names of files that are called images, too.
var pictures = []string{"png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "iso", "img", "qcow2", "raw", "vmdk", "ova"}

// isImage and isPlural report whether a key of a path ends in the word image, or images.
func isImage(key any) bool  { return lastWord(key) == "image" }
func isPlural(key any) bool { return lastWord(key) == "images" }

// isPart reports whether a key is that of a part of a name, or of one of its neighbors.
func isPart(key string) bool {
	return slices.Contains([]string{
		"registry", "hub", "mirror", "prefix", "repository", "repo", "name", "url", "path", "tag", "digest", "version",
		"policy", "secret", "secrets", "command", "host", "server", "endpoint",
	}, lastWord(key))
}

func lastWord(key any) string {
	text, _ := key.(string)
	words := Words(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}
