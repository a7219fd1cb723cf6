package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/subprocess"
	"github.com/slipway-dev/slipway/render/renderer"
)

// hurry is a variable of the environment by which the tests' slipway bounds the time of rendering
// sooner. Only they read it.
const hurry = "SLIPWAY_TEST_RENDER_CPU"

// impatience is a variable of the environment by which the tests' slipway takes a server for one
// that stalls sooner. Only they read it.
const impatience = "SLIPWAY_TEST_NETWORK_IDLE"

// shared is a variable of the environment by which the tests' slipway reproduces with a build cache
// that earlier runs of the test have filled: the standard library is compiled once. Only they read
// it.
const shared = "SLIPWAY_TEST_REPRODUCE_CACHE"

// hurried sets the bounds of the test, and its build cache.
func hurried() {
	rebuilt = os.Getenv(shared)
	subprocess.Grace = time.Second
	if d, err := time.ParseDuration(os.Getenv(hurry)); err == nil {
		renderer.Bounds.CPU = d
	}
	if d, err := time.ParseDuration(os.Getenv(impatience)); err == nil {
		network.Usual.Idle, network.Usual.GiveUp, network.Usual.Wait = d, d, d
	}
}

// hostile is an untrusted input that needs more memory or time than there is.
type hostile struct {
	name  string
	form  string // chart, templates, kustomize, or the command that reads the file
	files map[string]string
	place string // what the message starts with
	slow  bool   // it takes time, not memory
}

// template is a chart of one template.
func template(name, text string) hostile {
	return hostile{
		name: name, form: "chart", files: map[string]string{"templates/a.yaml": text},
		place: "app/templates/a.yaml",
	}
}

func slow(h hostile) hostile {
	h.slow = true
	return h
}

// with adds a file to an input whose message then starts with its path.
func (h hostile) with(path, text string) hostile {
	h.files[path] = text
	h.place = "app/" + path
	return h
}

func ytt(name, text string) hostile {
	return hostile{name: name, form: "templates", files: map[string]string{"a.yaml": text}, place: "app/a.yaml"}
}

func manifest(name, text string) hostile {
	return hostile{name: name, form: "lint", files: map[string]string{"a.yaml": text}, place: "app/a.yaml"}
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"

// hostiles returns the inputs. It is a function, since scripts start this program as slipway
// hundreds of times, and an archive of 100 MiB takes time to write.
func hostiles() []hostile {
	return []hostile{
		template("repeat", `a: {{ repeat 2000000000 "x" }}`),
		template("repeat twice", `a: {{ repeat 50000 (repeat 50000 "xy") }}`),
		template("until", `{{ range until 1000000000 }}{{ . }}{{ end }}`),
		template("untilStep", `{{ range untilStep 0 1000000000 1 }}{{ . }}{{ end }}`),
		template("seq", `a: {{ seq 1 1000000000 }}`),
		slow(template("nested loops",
			`{{ range $i := until 100000 }}{{ range $j := until 100000 }}{{ if eq $i -1 }}x{{ end }}{{ end }}{{ end }}`)),
		slow(template("quiet loops",
			`{{ range $i := until 1000000 }}{{ $x := sha256sum (print $i (repeat 100000 "x")) }}{{ end }}`)),
		template("doubling", `{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = print $s $s }}{{ end }}{{ $s }}`),
		template("doubling lists",
			`{{ $l := list 1 2 3 4 }}{{ range until 60 }}{{ $l = concat $l $l }}{{ end }}{{ len $l }}`),
		template("dictionaries",
			`{{ $d := dict }}{{ range $i := until 100000000 }}{{ $_ := set $d (print $i) (repeat 100 "x") }}{{ end }}`),
		template("itself in a dictionary", `{{ $d := dict "a" 1 }}{{ $_ := set $d "b" $d }}{{ print $d }}`),
		template("indent", `a: {{ indent 200000000 (repeat 10 "x\n") }}`),
		template("printf", `a: {{ range until 2000 }}{{ printf "%999999d" 1 }}{{ end }}`),
		template("replace",
			`a: {{ "xxxxxxxxxx" | replace "x" (repeat 1000 "x") | replace "x" (repeat 1000 "x") | replace "x" (repeat 1000 "x") }}`),
		template("a large regex",
			`{{ range $i := until 100000 }}{{ $x := regexMatch (print "(a{1000}|b{1000}){900}" $i) (repeat 1000000 "a") }}{{ end }}`),
		slow(template("a slow regex",
			`{{ range $i := until 1000 }}{{ $x := regexFindAll "(x+x+)+y" (repeat 1000000 "x") -1 }}{{ end }}`)),
		template("tpl that calls itself", `{{ $x := dict "t" "{{ tpl .t . }}" }}{{ tpl $x.t $x }}`),
		template("tpl and include", `{{ define "t" }}{{ tpl "{{ include \"t\" . }}" . }}{{ end }}{{ include "t" . }}`),
		template("template that calls itself", `{{ define "t" }}{{ template "t" . }}{{ end }}{{ template "t" . }}`),
		template("two templates",
			`{{ define "t" }}{{ template "u" . }}{{ template "u" . }}{{ end }}{{ define "u" }}{{ include "t" . }}{{ include "t" . }}{{ end }}{{ include "t" . }}`),
		slow(template("private keys", `{{ range until 2000 }}{{ genPrivateKey "rsa" }}{{ end }}`)),
		slow(template("certificates", `{{ range until 2000 }}{{ genSelfSignedCert "a" nil nil 1 }}{{ end }}`)),
		slow(template("bcrypt", `{{ range until 2000 }}{{ bcrypt "a" }}{{ end }}`)),
		slow(template("htpasswd", `{{ range until 2000 }}{{ htpasswd "a" "b" }}{{ end }}`)),
		slow(template("derivePassword", `{{ range until 2000 }}{{ derivePassword 1 "long" "a" "b" "c" }}{{ end }}`)),
		template("documents", `{{ range until 3000000 }}---
a: b
{{ end }}`),
		template("values", `a: [{{ repeat 3000000 "{}," }}]`),
		template("deep values", `{{ repeat 3000000 "[" }}`),
		template("aliases of values", `a`).with("values.yaml", laughs("a", 9)),
		template("large values", `a`).with("values.yaml", "a: ["+strings.Repeat("{},", 1_200_000)+"]\n"),
		template("a schema", configMap).with("values.schema.json", `{"$ref": "#/$defs/a0", "$defs": {`+schema(30)+`}}`),
		template("an archive", configMap).with("charts/b.tgz", archive(100<<20)),
		ytt("doubling",
			"#@ x = \"xxxxxxxx\"\n#@ for i in range(60):\n#@   x = x + x\n#@ end\n"+configMap+"data: {a: #@ x\n}\n"),
		slow(ytt("loops", "#@ def f():\n#@   n = 0\n#@   for i in range(1000000000):\n#@     n "+
			"= n + i*i\n#@   end\n#@   return n\n#@ end\n"+configMap+"data:\n  a: #@ f()\n")),
		ytt("a list", "#@ x = list(range(1000000000))\n"+configMap),
		ytt("repeated text", configMap+"data:\n  a: #@ \"x\" * 1000000000\n"),
		ytt("documents", "#@ for i in range(100000000):\n---\n"+configMap+"#@ end\n"),
		ytt("values", configMap+"data:\n  a:\n  #@ for i in range(100000000):\n  - a\n  #@ end\n"),
		ytt("aliases", laughs("a", 9)),
		ytt("large", "a: ["+strings.Repeat("{},", 1_200_000)+"]\n"),
		{name: "bases that double", form: "kustomize", files: doubling(24), place: "app/kustomization.yaml"},
		{name: "aliases", form: "kustomize", files: map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\n",
			"a.yaml":             laughs("a", 9),
		}, place: "app/"},
		{
			name: "aliases of itself", form: "kustomize",
			files: map[string]string{"kustomization.yaml": laughs("resources", 9)}, place: "app/kustomization.yaml",
		},
		{name: "large", form: "kustomize", files: map[string]string{
			"kustomization.yaml": "resources: [a.yaml]\n",
			"a.yaml":             configMap + "data: {a: [" + strings.Repeat("{},", 1_200_000) + "]}\n",
		}, place: "app/"},
		{
			name: "replacements", form: "kustomize", files: replacements(2000), place: "app/kustomization.yaml",
			slow: true,
		},
		manifest("aliases", laughs("a", 9)),
		manifest("values", "a: ["+strings.Repeat("{},", 1_200_000)+"]\n"),
		manifest("pairs", "a: {"+strings.Repeat("a,", 4_000_000)+"}\n"),
		manifest("documents", strings.Repeat("---\na: b\n", 1_500_000)),
		manifest("deep", strings.Repeat("[", 10_000_000)),
		manifest("deep blocks", strings.Repeat("- ", 5_000_000)),
		manifest("merges", merges(3000)),
		{
			name: "aliases", form: "check", files: map[string]string{"slipway.yaml": laughs("name", 9)},
			place: "slipway.yaml",
		},
		{
			name: "values",
			form: "check", files: map[string]string{"slipway.yaml": "a: [" + strings.Repeat("{},", 200_000) + "]\n"},
			place: "slipway.yaml",
		},
		{
			name: "deep", form: "check", files: map[string]string{"slipway.yaml": strings.Repeat("{a: ", 200_000)},
			place: "slipway.yaml",
		},
	}
}

// laughs is YAML that says something 9 times, n times over.
func laughs(key string, n int) string {
	var b strings.Builder
	b.WriteString("l0: &l0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "l%d: &l%d [%s]\n", i, i,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 9), ", "))
	}
	fmt.Fprintf(&b, "%s: *l%d\n", key, n)
	return b.String()
}

// merges is YAML whose merge keys name each of many fields many times.
func merges(n int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 {x0: 0}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d {<<: *a%d, x%d: 0}\n", i, i, i-1, i)
	}
	return b.String()
}

// schema returns definitions of which each refers twice to the next, and the last to the first.
func schema(n int) string {
	var all []string
	for i := range n {
		next := (i + 1) % n
		all = append(all,
			fmt.Sprintf(`"a%d": {"allOf": [{"$ref": "#/$defs/a%d"}, {"$ref": "#/$defs/a%d"}]}`, i, next, next))
	}
	return strings.Join(all, ",")
}

// doubling is a kustomization with n levels of bases, each of which has the one below twice.
func doubling(n int) map[string]string {
	files := map[string]string{
		"kustomization.yaml":         "resources: [d0/a, d0/b]\n",
		fmt.Sprintf("d%d/c.yaml", n): configMap,
	}
	for i := range n {
		for _, side := range []string{"a", "b"} {
			below := fmt.Sprintf("../../d%d/a, ../../d%d/b", i+1, i+1)
			if i == n-1 {
				below = "c.yaml"
				files[fmt.Sprintf("d%d/%s/c.yaml", i, side)] = configMap
			}
			files[fmt.Sprintf("d%d/%s/kustomization.yaml", i, side)] = fmt.Sprintf(
				"namePrefix: %s%d-\nresources: [%s]\n", side, i, below)
		}
	}
	return files
}

// replacements is a kustomization that replaces a field of each of many objects by one of each.
func replacements(n int) map[string]string {
	var objects, all strings.Builder
	for i := range n {
		fmt.Fprintf(&objects, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x%d}\ndata: {a: b}\n", i)
		fmt.Fprintf(&all, "- {source: {kind: ConfigMap, name: x%d, fieldPath: data.a}, targets: "+
			"[{select: {kind: ConfigMap}, fieldPaths: [data.a]}]}\n", i)
	}
	return map[string]string{
		"kustomization.yaml": "resources: [a.yaml]\nreplacements:\n" + all.String(),
		"a.yaml":             objects.String(),
	}
}

// archive is a packaged chart with a file of zeros.
func archive(size int) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range []struct {
		name string
		data []byte
	}{{"b/Chart.yaml", []byte("apiVersion: v2\nname: b\nversion: 1.0.0\n")}, {"b/x", make([]byte, size)}} {
		w.WriteHeader(&tar.Header{Name: f.name, Typeflag: tar.TypeReg, Size: int64(len(f.data)), Mode: 0o644}) //nolint:errcheck // memory does not fail
		w.Write(f.data)                                                                                        //nolint:errcheck // memory does not fail
	}
	w.Close() //nolint:errcheck // memory does not fail
	z.Close() //nolint:errcheck // memory does not fail
	return b.String()
}
