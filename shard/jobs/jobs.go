// Package jobs writes a plan of shards for engines that run jobs. Kubernetes and Tekton have
// schedulers, retries, limits and logs.
//
// The plan is in a registry (package handoff), by digest, and so are the parts that the shards
// make: jobs need no shared disk, no git, and no rights in the cluster. Every pod is one that Pod
// Security Standards admit in a namespace with the level restricted.
package jobs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/shard"
)

// Options say how jobs run. Strings are checked by [Options.Check].
type Options struct {
	Name  string // of the objects; "" is made from the product's name and version
	Plan  string // reference of the plan in its registry
	Image string // of slipway, with a Go toolchain
	// Registry is the name of a secret of the type kubernetes.io/dockerconfigjson, with the
	// credentials for the registry, or "".
	Registry string
	// ShardsOnly leaves the merge to another machine, which may have a key: the pods share nothing
	// but the registry, where others may put parts, so none of them can sign.
	ShardsOnly bool
	// Arch is the architecture of the nodes, that of the slipway that made the plan: amd64.
	Arch string
	// CPU, Memory and Disk are what a pod requests, and its limits, as quantities of Kubernetes.
	CPU, Memory, Disk string
	// Timeout is how long the release may take in all.
	Timeout time.Duration
	// Parallel is how many shards are made at a time; 0 is all of them.
	Parallel int
	// Env has variables of all containers, as NAME=VALUE.
	Env []string
}

var (
	nameForm     = lazyregexp.New(`^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)
	secretForm   = lazyregexp.New(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
	quantityForm = lazyregexp.New(`^[1-9][0-9]*(\.[0-9]+)?(m|[kMGT]i?)?$`)
	envForm      = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=[^\x00-\x1f\x7f]*$`)
	others       = lazyregexp.New(`[^a-z0-9]+`)
)

// Check returns an error that names all options that no engine accepts.
func (o *Options) Check() error {
	var errs []error
	check := func(ok bool, flag, value, what string) {
		if !ok {
			errs = append(errs, fmt.Errorf("-%s=%.100q: %s", flag, value, what))
		}
	}
	check(o.Name == "" || nameForm.MatchString(o.Name),
		"job-name", o.Name, "a name has up to 52 lower-case letters, digits and hyphens")
	const such = "name the image of slipway, such as ghcr.io/me/slipway@sha256:…"
	if o.Image == "" {
		errs = append(errs, errors.New("-image is missing: "+such))
	}
	check(!strings.ContainsAny(o.Image, " \t\n\"'"), "image", o.Image, such)
	check(o.Registry == "" || secretForm.MatchString(o.Registry), "registry-secret", o.Registry,
		"it is not the name of a secret")
	check(o.Arch == "amd64" || o.Arch == "arm64", "arch", o.Arch, "write amd64 or arm64")
	for _, q := range []struct{ flag, value string }{{"cpu", o.CPU}, {"memory", o.Memory}, {"disk", o.Disk}} {
		check(quantityForm.MatchString(q.value), q.flag, q.value, "write a quantity such as 2, 500m or 4Gi")
	}
	check(o.Timeout >= time.Second, "timeout", o.Timeout.String(),
		"a release takes a second at least: write a duration such as 2h")
	check(o.Parallel >= 0, "parallel", fmt.Sprint(o.Parallel), "write how many shards are made at a time, or 0 for all")
	for _, e := range o.Env {
		check(envForm.MatchString(e), "env", e, "write NAME=VALUE")
	}
	return errors.Join(errs...)
}

//go:embed kubernetes.yaml
var kubernetesText string

//go:embed tekton.yaml
var tektonText string

var functions = template.FuncMap{
	"quote":   quote,
	"seconds": func(d time.Duration) int64 { return int64(d / time.Second) },
	"wait":    func(d time.Duration) time.Duration { return d - min(d/10, 10*time.Minute) },
}

// templates are parsed when they are first used.
var templates = sync.OnceValue(func() *template.Template {
	kubernetes := template.Must(template.New("kubernetes").Funcs(functions).Parse(kubernetesText))
	return template.Must(kubernetes.New("tekton").Parse(tektonText))
})

// quote returns a string in JSON, which YAML reads as that string.
func quote(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// Kubernetes returns a ServiceAccount without rights, an Indexed Job with a pod for each shard, and
// a Job that waits for their parts and merges them, unless another machine does.
func Kubernetes(p *shard.Plan, o Options) ([]byte, error) { return render("kubernetes", p, o) }

// Tekton returns a PipelineRun with the shards as the matrix of a task, and a task that merges,
// unless another machine does.
func Tekton(p *shard.Plan, o Options) ([]byte, error) { return render("tekton", p, o) }

func render(name string, p *shard.Plan, o Options) ([]byte, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Name == "" {
		var err error
		if o.Name, err = objectName(p); err != nil {
			return nil, err
		}
	}
	if o.Parallel == 0 || o.Parallel > len(p.Shards) {
		o.Parallel = len(p.Shards)
	}
	var b bytes.Buffer
	err := templates().ExecuteTemplate(&b, name, struct {
		Options

		Plan      *shard.Plan
		Reference string
		Variables []variable
	}{o, p, o.Plan, variables(o.Env)})
	return b.Bytes(), err
}

// maxName leaves space for what Kubernetes adds to the name of a Job, up to 63 characters.
const maxName = 52

// objectName makes a name for objects from the product and its version. One that is too long ends
// in digits of the plan, so that two versions have two names.
func objectName(p *shard.Plan) (string, error) {
	s := strings.Trim(others.ReplaceAllString(strings.ToLower(p.Name+"-"+p.Version), "-"), "-")
	if len(s) <= maxName {
		return s, nil
	}
	digest, err := p.Digest()
	if err != nil {
		return "", err
	}
	const digits = 8
	return strings.TrimRight(s[:maxName-digits-1], "-") + "-" + digest[:digits], nil
}

// variable is a variable of the environment.
type variable struct{ Name, Value string }

func variables(list []string) (all []variable) {
	for _, e := range list {
		name, value, _ := strings.Cut(e, "=")
		all = append(all, variable{name, value})
	}
	return all
}
