//go:build linux

package explore

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// deployment is a manifest of a Deployment with an image.
func deployment(name, image, os string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: %[1]s
  namespace: drawn
  labels: {app: %[1]s}
spec:
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      os: {name: %[3]s}
      nodeSelector: {kubernetes.io/os: %[3]s}
      containers:
      - name: main
        image: %[2]s
`, name, image, os)
}

// inJSON writes YAML as JSON.
func inJSON(text string) string {
	out, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	return string(out)
}

// dashed is a template of repositories that charts cannot have: Helm takes the last part of the
// path for the name.
const dashed = "sig/{{.Product}}-{{.Name}}"

func (p *product) drawCharts(t *rapid.T) {
	if !maybe(t, 2, "charts") {
		return
	}
	c := object{"name": "drawn-chart", "path": "charts/drawn-chart"}
	image := p.images[0]
	p.files["charts/drawn-chart/Chart.yaml"] = "apiVersion: v2\nname: drawn-chart\nversion: 0.0.1\n"
	p.files["charts/drawn-chart/values.yaml"] = fmt.Sprintf("image:\n  repository: %s/%s\n  tag: old\nreplicas: 1\n",
		host, image)
	p.files["charts/drawn-chart/templates/main.yaml"] = deployment("{{ .Release.Name }}",
		`"{{ .Values.image.repository }}:{{ .Values.image.tag }}"`, p.systems()[0])
	c["images"] = object{"image": image}
	if maybe(t, 3, "chart version") || !p.semantic() {
		c["version"], c["appVersion"] = "1.2.3", "{{.Version}}"
	}
	if maybe(t, 3, "chart source") {
		c["source"] = "here"
	}
	if names, _ := p.yaml["names"].(object); maybe(t, 3, "chart repository") || names["repository"] == dashed {
		c["repository"] = "helm/{{.Name}}"
	}
	if all, ok := p.yaml["destinations"].([]object); ok {
		delete(all[1], "repository") // as with dashed
	}
	if maybe(t, 2, "chart tags") {
		c["floatingTags"] = []string{"latest"}
		if maybe(t, 2, "chart fixed tags") {
			c["tags"] = []string{"{{.Version}}"}
		}
	}
	if maybe(t, 3, "chart values") {
		c["values"], c["releaseName"], c["namespace"] = object{"replicas": 2}, "rel", "ns"
	}
	if maybe(t, 3, "image annotations") {
		c["imageAnnotations"] = true
	}
	if maybe(t, 3, "cases") {
		c["cases"] = []object{{"name": "more", "values": object{"replicas": 3}}}
		if maybe(t, 2, "values file") {
			c["cases"] = append(c["cases"].([]object),
				object{"name": "file", "valuesFile": "charts/drawn-chart/ci.yaml"})
			p.files["charts/drawn-chart/ci.yaml"] = "replicas: 4\n"
		}
	}
	p.yaml["charts"] = []object{c}
}

func (p *product) drawRelease(t *rapid.T) {
	o := object{}
	var templates []object
	for n, i := range p.images {
		system, amd64 := p.systems()[0], false
		for _, image := range p.yaml["images"].([]object) {
			amd64 = amd64 || image["name"] == i && image["lifecycle"] != nil
			if only, ok := image["platforms"].([]string); ok && image["name"] == i {
				system = only[0]
			}
		}
		if amd64 && slices.ContainsFunc(p.platforms, func(s string) bool { return isLinux(s) && s != "linux/amd64" }) {
			continue // its pods would need a selector of the architecture
		}
		path := fmt.Sprintf("deploy/%d.yaml", n)
		switch pick(t, "manifest", "", "plain", "ytt", "named") {
		case "plain":
			text := deployment("d"+fmt.Sprint(n), "example.com/old/"+i+":1", system)
			if maybe(t, 3, "a manifest in JSON") {
				path = fmt.Sprintf("deploy/%d.%s", n, pick(t, "ending", "json", "JSON"))
				text = inJSON(text)
			}
			p.files[path] = text
			images, _ := o["images"].(object)
			if images == nil {
				images = object{}
			}
			images["example.com/old/"+i] = i
			o["images"] = images
		case "ytt":
			p.files[path] = "#@ load(\"@ytt:data\", \"data\")\n" +
				deployment("d"+fmt.Sprint(n), "#@ data.values.image"+fmt.Sprint(n), system)
			p.files["deploy/values.yaml"] += fmt.Sprintf("image%d: \"\"\n", n)
			values, _ := o["values"].(object)
			if values == nil {
				values = object{}
			}
			values["image"+fmt.Sprint(n)] = fmt.Sprintf("{{image %q}}", i)
			o["values"] = values
		case "named":
			p.files[path] = deployment("d"+fmt.Sprint(n), "ko://example.com/drawn/"+i, system)
			images, _ := o["images"].(object)
			if images == nil {
				images = object{}
			}
			images["ko://example.com/drawn/"+i] = i
			o["images"] = images
		default:
			continue
		}
		if n == 0 && maybe(t, 3, "env") {
			o["env"] = []object{{
				"kind": "Deployment", "namespace": "drawn", "name": "d0", "container": "main",
				"variables": []object{{"name": "SELF", "value": fmt.Sprintf("{{image %q}} {{.Version}}", i)}},
			}}
		}
	}
	for path := range p.files {
		if strings.HasPrefix(path, "deploy/") && len(templates) == 0 {
			templates = []object{{"path": "deploy"}}
		}
	}
	if text := p.files["deploy/values.yaml"]; text != "" {
		p.files["deploy/values.yaml"] = "#@data/values\n---\n" + text
	}
	if len(templates) > 0 && maybe(t, 4, "template source") {
		templates[0]["source"] = "here"
	}
	if len(templates) > 0 {
		o["templates"] = templates
	}
	if maybe(t, 5, "kustomize") {
		p.files["kustomize/kustomization.yaml"] = "resources: [one.yaml]\nnamespace: kustomized\n"
		p.files["kustomize/one.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata: {a: b}\n"
		k := object{"path": "kustomize"}
		if maybe(t, 2, "kustomize source") {
			k["source"] = "here"
		}
		o["kustomize"] = []object{k}
	}
	if charts, ok := p.yaml["charts"].([]object); ok && maybe(t, 2, "helm of a chart") {
		o["helm"] = []object{{"chart": charts[0]["name"], "namespace": "charted", "values": object{"replicas": 5}}}
	} else if maybe(t, 6, "helm of a path") {
		p.files["helm/plain/Chart.yaml"] = "apiVersion: v2\nname: plain\nversion: 0.0.1\n"
		p.files["helm/plain/templates/cm.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n " +
			" name: {{ .Release.Name }}-cm\n"
		o["helm"] = []object{{"source": "here", "path": "helm/plain", "name": "plain-one"}}
	}
	if len(o) > 0 {
		p.yaml["release"] = o
	}
	if maybe(t, 6, "allow lint") {
		p.allowed = append(p.allowed, object{
			"rule": "windows-resource-requests", "object": "Deployment drawn/d0",
			"path": "spec.template.spec.containers[0]", "reason": "small",
		})
	}
	if len(p.undecided) > 0 {
		p.yaml["undecided"] = p.undecided
	}
	if len(p.allowed) > 0 {
		p.yaml["lint"] = object{"allow": p.allowed}
	}
}
