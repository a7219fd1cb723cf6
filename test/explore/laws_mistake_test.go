//go:build linux

package explore

import (
	"maps"
	"os"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// edit is a change of slipway.yaml, with files that it needs. It returns false where it does not
// fit.
type edit struct {
	name  string
	files map[string]string
	do    func(p *product, o object) bool
}

// stageFile is a Dockerfile whose image is of a program that is compiled in a stage.
const stageFile = "FROM golang AS b\nWORKDIR /s\nCOPY . .\nRUN go build -o /out/x ./a\nFROM linux\nCOPY " +
	"--from=b /out/x /x\nENTRYPOINT [\"/x\"]\n"

// mistakes are edits after which nothing can be released.
var mistakes = []edit{
	{"an image of version git", nil, func(_ *product, o object) bool {
		return image(o, func(i object) { i["version"] = "git" })
	}},
	{"an artifact with the name of the inputs", nil, func(p *product, o object) bool {
		o["artifacts"] = []object{{
			"name": "wrong", "programs": p.program(), "platforms": []string{p.platforms[0]},
			"forms": []string{"archive"}, "formats": object{p.systems()[0]: "tar.gz"},
			"archiveName": "{{.Product}}-{{.Version}}.inputs",
		}}
		return true
	}},
	{
		"outputs of one file",
		map[string]string{"wrong/Dockerfile": "FROM scratch\nCOPY app /app\nENTRYPOINT [\"/app\"]\n"},
		func(p *product, o object) bool {
			return p.linux() &&
				add(o,
					object{
						"name": "wrong", "source": "here", "platforms": []string{"linux"},
						"dockerfile": object{
							"context": "wrong", "file": "wrong/Dockerfile",
							"outputs": object{"app": p.program()[0], "./app": p.program()[0]},
						},
					})
		},
	},
	{
		"a base for Linux on Windows",
		map[string]string{"wrong/Dockerfile": "FROM wrong-static\nCOPY motd /motd\nCMD [\"x\"]\n", "wrong/motd": "x\n"},
		func(p *product, o object) bool {
			o["bases"] = append(slices.Clone(o["bases"].([]object)),
				object{"name": "wrong-static", "builtin": "static"})
			return p.windows() &&
				add(o, object{
					"name": "wrong", "source": "here", "platforms": []string{"windows"},
					"dockerfile": object{"context": "wrong", "file": "wrong/Dockerfile"},
				})
		},
	},
	{"a bundle without images", nil, func(p *product, o object) bool {
		last := p.platforms[len(p.platforms)-1]
		o["airgap"] = object{"bundles": []object{{"name": "everything"}, {"name": "empty", "platform": last}}}
		delete(o, "release")
		for n, i := range o["images"].([]object) {
			only := maps.Clone(i)
			only["platforms"] = []string{"linux"}
			o["images"].([]object)[n] = only
		}
		return p.linux() && isWindows(last)
	}},
	{"a file that Windows cannot have", map[string]string{"wrong/aux.txt": "x\n"}, func(p *product, o object) bool {
		o["artifacts"] = []object{{
			"name": "wrong", "programs": p.program(), "platforms": []string{"windows"},
			"forms": []string{"archive"}, "files": object{"windows": "wrong"},
		}}
		return p.windows()
	}},
	{
		"a file that is not in the stage is compiled",
		map[string]string{
			"wrong/go.mod": "module example.com/wrong\n\ngo 1.24\n", "wrong/a/main.go": mainText,
			"wrong/a/extra.go": "package main\n\nfunc init() { println(1) }\n", "wrong/.dockerignore": "a/extra.go\n",
			"wrong/Dockerfile": stageFile,
		},
		func(p *product, o object) bool {
			return p.linux() &&
				add(o, object{
					"name": "wrong", "source": "here", "platforms": []string{"linux"},
					"dockerfile": object{"context": "wrong", "file": "wrong/Dockerfile"},
				})
		},
	},
}

// variations are edits after which a product can be released as before.
var variations = []edit{
	{
		"files behind a link",
		map[string]string{"wrong/LICENSE": "x\n", "linked": "LINK:wrong"},
		func(p *product, o object) bool {
			o["artifacts"] = []object{{
				"name": "varied", "programs": p.program(), "platforms": []string{p.systems()[0]},
				"forms": []string{"archive"}, "files": object{p.systems()[0]: "linked"},
			}}
			return true
		},
	},
}

// image changes a copy of the first image.
func image(o object, change func(object)) bool {
	i := maps.Clone(o["images"].([]object)[0])
	change(i)
	o["images"].([]object)[0] = i
	return true
}

func add(o, i object) bool {
	o["images"] = append(o["images"].([]object), i)
	return true
}

// program returns the name of a program that is compiled.
func (p *product) program() []string {
	return []string{p.yaml["programs"].([]object)[0]["name"].(string)}
}

// edited writes an edit beside slipway.yaml, and returns its path; "" where it does not fit.
func (w *world) edited(e edit) string {
	o := maps.Clone(w.p.yaml)
	o["images"] = slices.Clone(o["images"].([]object))
	if w.p.git || !e.do(w.p, o) {
		return ""
	}
	w.script = append(w.script, "# src/edited.yaml: "+e.name)
	for name, text := range e.files {
		if to, ok := strings.CutPrefix(text, "LINK:"); ok {
			must(w.t, os.Symlink(to, w.path("src/"+name)))
			continue
		}
		w.write("src/"+name, text)
	}
	w.write("src/edited.yaml", encode(o))
	return "src/edited.yaml"
}

// unedited takes the files of edits away.
func (w *world) unedited() {
	for _, name := range []string{"src/edited.yaml", "src/linked", "src/wrong", "edited"} {
		must(w.t, os.RemoveAll(w.path(name)))
	}
}

// mistake makes mistakes: check refuses each.
func (w *world) mistake() {
	for range rapid.IntRange(1, 4).Draw(w.t, "mistakes") {
		e := pick(w.t, "mistake", mistakes...)
		if path := w.edited(e); path != "" {
			if r := w.reads("check", "-product="+path); r.code == 0 {
				w.fail(r, "check takes %s", e.name)
			}
		}
		w.unedited()
	}
}

// vary makes an edit after which a product can be released as before.
func (w *world) vary() {
	e := pick(w.t, "variation", variations...)
	defer w.unedited()
	path := w.edited(e)
	if path == "" {
		return
	}
	w.ok(w.reads("check", "-product="+path))
	w.ok(w.run("release", "-product="+path, "-store=store", "-out=edited", "-binary=false"))
}
