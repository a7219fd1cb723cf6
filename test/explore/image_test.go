//go:build linux

package explore

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

func (p *product) drawImages(t *rapid.T, programs []string) {
	var all []object
	for n := range pick(t, "images", 1, 1, 1, 2, 2, 3) {
		i := object{"name": pick(t, "image", "main", "x", "helper-1", "dot.ted") +
			map[bool]string{true: fmt.Sprint(n)}[n > 0]}
		p.images = append(p.images, i["name"].(string))
		if n > 0 && maybe(t, 3, "image platforms") {
			i["platforms"] = some(t, "image system", 1, p.systems()...)
		}
		kind := pick(t, "kind", "go", "dockerfile", "lifecycle")
		if kind == "lifecycle" && n == 0 {
			kind = "dockerfile" // an image for all platforms comes first: no bundle is empty
		}
		switch kind {
		case "go":
			i["go"] = object{"program": pick(t, "image program", programs...)}
			if i["go"].(object)["program"] == "made" {
				i["source"] = "here"
			}
			i["bases"] = p.base()
			if maybe(t, 3, "allow") {
				i["allowOtherPlatforms"] = []string{"/downloads"}
				i["allowLibraries"] = []string{"none*.so"}
			}
		case "dockerfile":
			i["dockerfile"] = p.drawDockerfile(t, n, programs)
		case "lifecycle":
			if !p.linux() || !slices.Contains(p.platforms, "linux/amd64") {
				i["go"], i["bases"] = object{"program": programs[0]}, p.base()
				break
			}
			delete(i, "platforms")
			for path, text := range lifecycle {
				p.files["lifecycle/"+path] = text
			}
			i["lifecycle"] = object{"source": "lifecycle", "version": "0.20.5"}
			if sources := p.yaml["sources"].([]object); sources[len(sources)-1]["name"] != "lifecycle" {
				p.yaml["sources"] = append(sources, object{
					"name": "lifecycle", "directory": "lifecycle",
					"revision": "abc", "created": "2025-01-01T00:00:00Z",
				})
			}
		}
		p.drawPrebuilt(t, i)
		p.drawImage(t, i)
		all = append(all, i)
	}
	p.yaml["images"] = all
}

// drawImage draws what images of all kinds have.
func (p *product) drawImage(t *rapid.T, i object) {
	if maybe(t, 8, "image version") {
		i["version"] = "9.8.7"
	}
	if maybe(t, 10, "image repository") {
		i["repository"] = "other/" + i["name"].(string)
	}
	if maybe(t, 10, "image tags") {
		i["tags"] = []string{"t-{{.Version}}"}
	}
	if maybe(t, 10, "image floating tags") {
		i["floatingTags"] = []string{"newest"}
	}
	if maybe(t, 10, "image platform tags") {
		i["platformTags"] = []string{"{{.Version}}-{{.OS}}"}
	}
	if maybe(t, 6, "image description") {
		i["description"] = "An image — with a dash"
	}
	if _, ok := i["dockerfile"]; ok {
		i["source"] = "here"
	}
	if maybe(t, 10, "undecided") {
		key := fmt.Sprintf("images[%s]", i["name"])
		p.undecided = append(p.undecided, object{"key": key, "what": "whether users need the debugger", "candidates": []object{
			{"value": "no", "seen": []string{"Makefile:3"}}, {"value": "yes"},
		}})
		p.allowed = append(p.allowed, object{"rule": "product-undecided", "path": key, "reason": "not for users"})
	}
	if i["go"] == nil && i["dockerfile"] == nil && i["lifecycle"] == nil {
		return // nothing is added to what is taken as it is
	}
	if maybe(t, 5, "labels") {
		i["labels"] = object{"com.example.drawn": "x=\"1\" ü"}
	}
	if maybe(t, 4, "compression") && i["lifecycle"] == nil {
		i["compression"] = pick(t, "compression", "gzip", "zstd")
	}
}

// drawDockerfile draws a Dockerfile with its context.
func (p *product) drawDockerfile(t *rapid.T, n int, programs []string) object {
	dir := fmt.Sprintf("ctx%d", n)
	p.files[dir+"/motd"], p.files[dir+"/deep/er/file"] = "hello\n", "deep\n"
	program := pick(t, "dockerfile program", programs...)
	o := object{"context": dir, "programs": []string{program}}
	if maybe(t, 8, "several files") && len(p.systems()) == 2 {
		o["files"] = object{}
		for _, os := range p.systems() {
			file := fmt.Sprintf("%s/%s.Dockerfile", dir, os)
			o["files"].(object)[os] = file
			p.files[file] = p.dockerfile(t, o, program, os)
		}
		return o
	}
	file := dir + "/Dockerfile"
	if maybe(t, 3, "file elsewhere") {
		file = fmt.Sprintf("build/%d.Dockerfile", n)
	}
	o["file"] = file
	if maybe(t, 5, "dockerfile source") {
		o["source"] = "here"
	}
	p.files[file] = p.dockerfile(t, o, program, "")
	if maybe(t, 5, "limits") {
		o["maxMiB"], o["maxFiles"] = 100, 1000
	}
	return o
}

// dockerfile draws the text of a Dockerfile for an operating system, or for all.
func (p *product) dockerfile(t *rapid.T, o object, program, system string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if maybe(t, 4, "syntax") {
		line("# syntax=docker/dockerfile:1")
	}
	linux, windows := p.linux() && system != "windows", p.windows() && system != "linux"
	both := linux && windows
	if maybe(t, 3, "stage") {
		line("FROM scratch AS files\nCOPY motd /from/stage\nCOPY deep /from/deep")
	}
	staged := strings.Contains(b.String(), "AS files")
	switch {
	case both:
		line("ARG TARGETOS\nFROM linux AS on-linux\nFROM win AS on-windows\nFROM on-${TARGETOS} AS last")
	case linux:
		line("FROM linux AS last")
	default:
		line("FROM win AS last")
	}
	if maybe(t, 3, "arg") {
		line("ARG MODE=usual\nENV MODE=$MODE")
		if maybe(t, 2, "args") {
			o["args"] = object{"MODE": pick(t, "arg", "a b", "x=1", "ü")}
		}
	}
	if maybe(t, 3, "labels of the file") {
		line("LABEL one=1 \"two\"=\"a b\"")
	}
	if maybe(t, 3, "workdir") {
		line("WORKDIR %s", pick(t, "workdir", "/work", "/deep/work"))
	}
	if staged {
		line("COPY --from=files /from %s", pick(t, "to", "/got/", "/etc/got"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "copies") {
		line("%s", pick(t, "copy", "COPY motd /etc/motd", "COPY . /all/", "COPY deep/ /deep/", `COPY ["motd", "/a b"]`,
			"ADD motd /added/", "COPY --chown=5:6 motd /owned", "COPY --chmod=755 motd /script"))
	}
	if maybe(t, 4, "context") {
		o["contexts"] = object{"more": "extra"}
		p.files["extra/LICENSE"] = "license\n"
		line("COPY --from=more LICENSE /LICENSE")
	}
	if base := p.yaml["bases"].([]object)[0]; linux && !both && base["builtin"] != "static" {
		for range rapid.IntRange(0, 3).Draw(t, "runs") {
			line("RUN %s",
				pick(t, "run", "mkdir -p /ran/by/run", "mkdir -p /ran/x && touch /ran/x/empty",
					"mkdir -p /ran/d; ln -s /ran/d /ran/e", "echo text > /text",
					"set -e; mkdir -p /mode && chmod 700 /mode"))
		}
	}
	exe := "/" + program
	line("ARG TARGETOS\nARG TARGETARCH\nCOPY --from=binaries ${TARGETOS}_${TARGETARCH}/ /")
	if maybe(t, 3, "outputs") && !both && linux {
		b.Reset()
		line("FROM golang AS builder\nRUN make all\nFROM linux AS last")
		line("COPY --from=builder /out/app /%s", program)
		o["outputs"] = object{"builder:/out/app": program}
		delete(o, "programs")
		if o["source"] == nil && o["files"] == nil {
			o["programs"] = []string{program}
			line("COPY --from=binaries linux_*/%s /copy", program)
		}
	}
	if maybe(t, 3, "user") && !windows {
		line("USER %s", pick(t, "user", "1000", "1000:1000", "0"))
	}
	if maybe(t, 3, "expose") {
		line("EXPOSE 8080/tcp\nSTOPSIGNAL SIGTERM")
	}
	if maybe(t, 4, "volume") {
		line("VOLUME /data")
	}
	if windows {
		exe += ".exe"
	}
	if both {
		exe = "/" + program
	}
	line("%s", pick(t, "entrypoint", fmt.Sprintf("ENTRYPOINT [%q]", exe),
		fmt.Sprintf("ENTRYPOINT [%q, \"-v\"]\nCMD [\"x\"]", exe), fmt.Sprintf("CMD [%q]", exe)))
	if maybe(t, 4, "target") {
		o["target"] = "last"
		line("FROM scratch\nCOPY nothing-of-that-name /")
	}
	return b.String()
}

// lifecycle is a module with the structure of the buildpacks lifecycle, whose programs compile
// quickly.
var lifecycle = map[string]string{
	"go.mod":                "module example.com/lifecycle\n\ngo 1.24\n",
	"cmd/lifecycle/main.go": "package main\n\nfunc main() {}\n",
	"cmd/launcher/main.go":  "package main\n\nfunc main() {}\n",
	"lifecycle.toml":        "[api]\n  platform = \"0.7\"\n  buildpack = \"0.9\"\n",
	"api/apis.go": `package api

var (
	Platform  = newApisMustParse([]string{"0.7", "0.8"}, []string{"0.7"})
	Buildpack = newApisMustParse([]string{"0.9"}, []string{})
)

func newApisMustParse(supported, deprecated []string) int { return len(supported) + len(deprecated) }
`,
}
