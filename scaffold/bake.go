package scaffold

import (
	"cmp"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

var (
	bakeBlock  = lazyregexp.New(`(?m)^\s*(target|variable)\s+"([^"]+)"\s*\{`)
	bakeString = lazyregexp.New(`(?m)^\s*"?([A-Za-z_][A-Za-z0-9_-]*)"?\s*[=:]\s*"([^"]*)"`)
	bakeList   = lazyregexp.New(`(?ms)^\s*(tags|platforms|inherits)\s*=\s*\[(.*?)\]`)
	bakeArgs   = lazyregexp.New(`(?ms)^\s*args\s*=\s*\{(.*?)^?\s*\}`)
	inQuotes   = lazyregexp.New(`"([^"]*)"`)
	bakeVar    = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// bake adds the builds of a bake file, as far as its values are plain.
func (d *Draft) bake(name string) {
	if path.Ext(name) == ".json" {
		for _, doc := range d.yaml(name) {
			d.bakeJSON(name, yamlfile.Value(doc, "target"))
		}
		return
	}
	text := string(d.tree.text(name))
	known, blocks, order := map[string]string{}, map[string]string{}, []string{}
	for _, m := range bakeBlock.FindAllStringSubmatchIndex(text, -1) {
		kind, label, body := text[m[2]:m[3]], text[m[4]:m[5]], block(text[m[1]:])
		if kind == "variable" {
			for _, f := range bakeString.FindAllStringSubmatch(body, -1) {
				if f[1] == "default" {
					known[label] = f[2]
				}
			}
			continue
		}
		blocks[label] = body
		order = append(order, label)
	}
	value := func(s string) string {
		return bakeVar.ReplaceAllStringFunc(s, func(v string) string {
			if k, ok := known[bakeVar.FindStringSubmatch(v)[1]]; ok && k != "" {
				return k
			}
			return v
		})
	}
	for _, label := range order {
		if strings.HasPrefix(label, "_") {
			continue
		}
		b := dockerBuild{at: name, args: map[string]string{}}
		readBake(&b, blocks, label, value, 0)
		d.addBake(b)
	}
}

// addBake adds a target, whose Dockerfile is in its context.
func (d *Draft) addBake(b dockerBuild) {
	b.context, b.file = cmp.Or(b.context, "."), cmp.Or(b.file, "Dockerfile")
	if in := path.Join(b.context, b.file); d.tree.has(in) {
		b.file = in
	}
	d.addBuild(b)
}

// block returns the text of a block up to its brace.
func block(s string) string {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}

// readBake reads a target after those that it inherits.
func readBake(b *dockerBuild, blocks map[string]string, label string, value func(string) string, depth int) {
	const deepest = 5
	body, ok := blocks[label]
	if !ok || depth > deepest {
		return
	}
	for _, l := range bakeList.FindAllStringSubmatch(body, -1) {
		for _, item := range inQuotes.FindAllStringSubmatch(l[2], -1) {
			switch l[1] {
			case "inherits":
				readBake(b, blocks, item[1], value, depth+1)
			case "tags":
				b.names = append(b.names, value(item[1]))
			case "platforms":
				b.platforms = append(b.platforms, splitPlatforms(value(item[1]))...)
			}
		}
	}
	if a := bakeArgs.FindStringSubmatch(body); a != nil {
		for _, kv := range bakeString.FindAllStringSubmatch(strings.ReplaceAll(a[1], ",", "\n"), -1) {
			b.args[kv[1]] = value(kv[2])
		}
		body = strings.Replace(body, a[0], "", 1)
	}
	for _, kv := range bakeString.FindAllStringSubmatch(body, -1) {
		switch kv[1] {
		case "dockerfile":
			b.file = value(kv[2])
		case "context":
			b.context = value(kv[2])
		case "target":
			b.target = value(kv[2])
		}
	}
}

func (d *Draft) bakeJSON(name string, targets *yaml.Node) {
	for _, t := range pairs(targets) {
		b := dockerBuild{
			at: name, file: yamlfile.Text(t, "dockerfile"), context: yamlfile.Text(t, "context"),
			target: yamlfile.Text(t, "target"), args: map[string]string{}, names: texts(t, "tags"),
			platforms: texts(t, "platforms"),
		}
		scalars(yamlfile.Value(t, "args"), "", b.args)
		d.addBake(b)
	}
}
