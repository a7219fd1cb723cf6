//go:build linux

package explore

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// drawOdd gives a product what is valid and seldom: empty lists, odd names of files, and thirty of
// everything.
func (p *product) drawOdd(t *rapid.T, programs []string) {
	if maybe(t, 8, "empty lists") {
		for _, key := range some(t, "empty", 1, "artifacts", "charts", "destinations", "channels") {
			if p.yaml[key] == nil {
				p.yaml[key] = []object{}
			}
		}
		if p.yaml["airgap"] == nil {
			p.yaml["airgap"] = object{}
		}
		if p.yaml["names"] == nil && maybe(t, 2, "empty names") {
			p.yaml["names"] = object{"floatingTags": []string{}}
		}
	}
	if maybe(t, 4, "odd files") {
		for _, path := range p.paths() {
			if strings.HasPrefix(path, "ctx") {
				dir, _, _ := strings.Cut(path, "/")
				name := pick(t, "odd file", "-rf", "ünï çödé", "a b", strings.Repeat("l", 200), "..odd",
					"$HOME", "a'b\"c", "{{.Version}}", "#hash", "~", "%41")
				if p.windows() {
					name = strings.ReplaceAll(name, `"`, "") // Windows cannot have it
				}
				p.files[dir+"/deep/"+name] = "odd\n"
				break
			}
		}
	}
	if maybe(t, 40, "thirty of everything") {
		p.drawThirty(programs)
	}
}

// drawThirty adds images until there are thirty, with a chart for each.
func (p *product) drawThirty(programs []string) {
	images := p.yaml["images"].([]object)
	charts, _ := p.yaml["charts"].([]object)
	for n := len(images); n < 30; n++ {
		name := fmt.Sprintf("one-of-thirty-%d", n)
		images = append(images, object{"name": name, "go": object{"program": programs[0]}, "bases": p.base()})
		chart := fmt.Sprintf("chart-%d", n)
		p.files["charts/"+chart+"/Chart.yaml"] = "apiVersion: v2\nname: " + chart + "\nversion: 0.0.1\n"
		p.files["charts/"+chart+"/values.yaml"] = fmt.Sprintf("image: %s/%s:old\n", host, name)
		p.files["charts/"+chart+"/templates/main.yaml"] = deployment("{{ .Release.Name }}", `"{{ .Values.image }}"`,
			p.systems()[0])
		charts = append(charts, object{
			"name": chart, "path": "charts/" + chart, "images": object{"image": name},
			"version": "1.0.0", "repository": "helm/{{.Name}}",
		})
		p.images = append(p.images, name)
	}
	p.yaml["images"], p.yaml["charts"] = images, charts
}
