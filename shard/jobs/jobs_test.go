package jobs_test

import (
	"errors"
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/shard/jobs"
)

var update = flag.Bool("update", false, "write the golden files anew")

var plan = &shard.Plan{
	Name: "hello", Version: "1.0.0+linux.ä",
	Shards: []shard.Shard{{Number: 0}, {Number: 1}, {Number: 2}},
}

// options returns options with everything, or with the least.
func options(all bool) jobs.Options {
	o := jobs.Options{
		Plan:  "registry.example/demo/hello-plans@sha256:" + strings.Repeat("12", 32),
		Image: "registry.example/slipway:1.0.0",
		Arch:  "amd64", CPU: "2", Memory: "4Gi", Disk: "20Gi", Timeout: 90 * time.Minute,
	}
	if all {
		o.Registry, o.Parallel, o.Name = "registry", 2, "release"
		o.Env = []string{"GOPROXY=https://proxy.example,off", `QUOTED=a "b" # {c} \ $(d)`}
	}
	return o
}

// TestManifests compares what is printed, which breaks no rule of lint.
func TestManifests(t *testing.T) {
	for _, tt := range []struct {
		file  string
		all   bool
		write func(*shard.Plan, jobs.Options) ([]byte, error)
	}{
		{"kubernetes.yaml", false, jobs.Kubernetes},
		{"kubernetes.all.yaml", true, jobs.Kubernetes},
		{"tekton.yaml", false, jobs.Tekton},
		{"tekton.all.yaml", true, jobs.Tekton},
	} {
		t.Run(tt.file, func(t *testing.T) {
			text, err := tt.write(plan, options(tt.all))
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, *update, filepath.Join("testdata", tt.file), string(text))
			r, err := lint.Check(t.Context(), []lint.File{{Name: tt.file, Text: text}}, lint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestShardsOnly checks that manifests without a merge are those with one, and end before it.
func TestShardsOnly(t *testing.T) {
	for name, write := range map[string]func(*shard.Plan, jobs.Options) ([]byte, error){
		"kubernetes": jobs.Kubernetes,
		"tekton":     jobs.Tekton,
	} {
		o := options(true)
		all, err := write(plan, o)
		if err != nil {
			t.Fatal(err)
		}
		o.ShardsOnly = true
		only, err := write(plan, o)
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := strings.CutPrefix(string(all), strings.TrimSpace(string(only)))
		if !ok || strings.Contains(string(only), "merge") || !strings.Contains(rest, "merge") {
			t.Errorf("%s: without a merge it is\n%s", name, only)
		}
	}
}

// TestBad checks that options are refused by the names of their flags.
func TestBad(t *testing.T) {
	for want, change := range map[string]func(*jobs.Options){
		`-job-name="Upper": `:         func(o *jobs.Options) { o.Name = "Upper" },
		`-image is missing: `:         func(o *jobs.Options) { o.Image = "" },
		`-image="a\nb": `:             func(o *jobs.Options) { o.Image = "a\nb" },
		`-registry-secret="a/b": `:    func(o *jobs.Options) { o.Registry = "a/b" },
		`-cpu="0": `:                  func(o *jobs.Options) { o.CPU = "0" },
		`-memory="": `:                func(o *jobs.Options) { o.Memory = "" },
		`-disk="4 GB": `:              func(o *jobs.Options) { o.Disk = "4 GB" },
		`-arch="386": `:               func(o *jobs.Options) { o.Arch = "386" },
		`-timeout="0s": `:             func(o *jobs.Options) { o.Timeout = 0 },
		`-parallel="-1": `:            func(o *jobs.Options) { o.Parallel = -1 },
		`-env="A B=c": write NAME=VA`: func(o *jobs.Options) { o.Env = []string{"A B=c"} },
		`-env="A=b\nc": write NAME=V`: func(o *jobs.Options) { o.Env = []string{"A=b\nc"} },
	} {
		o := options(true)
		change(&o)
		if _, err := jobs.Kubernetes(plan, o); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestNames checks that versions which differ at their end have objects of their own.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, version := range []string{"v0.0.0-20261121093000-abcdefabcdef", "v0.0.0-20261122093000-bbbbbbabcdef"} {
		p := &shard.Plan{Name: "secrets-store-csi-driver-provider-azure", Version: version, Shards: plan.Shards}
		text, err := jobs.Kubernetes(p, options(false))
		if err != nil {
			t.Fatal(err)
		}
		name := regexp.MustCompile(`(?m)^  name: "([a-z0-9-]{1,52})-merge"$`).FindSubmatch(text)
		if name == nil || seen[string(name[1])] {
			t.Errorf("%s: the name is %q", version, name)
			continue
		}
		seen[string(name[1])] = true
	}
}

// TestWords checks that names which YAML takes for numbers and booleans stay names.
func TestWords(t *testing.T) {
	o := options(true)
	o.Name, o.Registry, o.Env = "true", "123", []string{"NO=1"}
	for name, write := range map[string]func(*shard.Plan, jobs.Options) ([]byte, error){
		"kubernetes": jobs.Kubernetes,
		"tekton":     jobs.Tekton,
	} {
		text, err := write(plan, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(string(text), "\n---\n") {
			var v any
			if err := yaml.Unmarshal([]byte(document), &v); err != nil {
				t.Fatal(err)
			}
			names(t, name, v)
		}
	}
}

// names reports each value of a key that ends in name and is not a string.
func names(t *testing.T, at string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if _, ok := value.(string); !ok && strings.HasSuffix(strings.ToLower(key), "name") {
				t.Errorf("%s.%s is %v", at, key, value)
			}
			names(t, at+"."+key, value)
		}
	case []any:
		for _, value := range v {
			names(t, at, value)
		}
	}
}

// TestMerge checks that the Job which waits for the shards ends before Kubernetes ends it, so that
// it can name what is missing, and leaves the nodes to the shards.
func TestMerge(t *testing.T) {
	for _, timeout := range []time.Duration{time.Second, 90 * time.Minute, 24 * time.Hour} {
		o := options(false)
		o.Timeout = timeout
		text, err := jobs.Kubernetes(plan, o)
		if err != nil {
			t.Fatal(err)
		}
		documents := strings.Split(string(text), "\n---\n")
		var shards, merge batchv1.Job
		if err := errors.Join(yaml.UnmarshalStrict([]byte(documents[1]), &shards),
			yaml.UnmarshalStrict([]byte(documents[2]), &merge)); err != nil {
			t.Fatal(err)
		}
		container := merge.Spec.Template.Spec.Containers[0]
		i := slices.IndexFunc(container.Args, func(a string) bool { return strings.HasPrefix(a, "-wait=") })
		wait, err := time.ParseDuration(strings.TrimPrefix(container.Args[i], "-wait="))
		if deadline := time.Duration(*merge.Spec.ActiveDeadlineSeconds) * time.Second; err != nil ||
			wait <= 0 || wait > deadline-min(timeout/10, 10*time.Minute) {
			t.Errorf("it waits %v, and Kubernetes ends it after %v (%v)", wait, deadline, err)
		}
		for resource, amount := range shards.Spec.Template.Spec.Containers[0].Resources.Requests {
			if asks := container.Resources.Requests[resource]; asks.IsZero() ||
				4*asks.MilliValue() > amount.MilliValue() {
				t.Errorf("it requests %s of %s, a shard %s", &asks, resource, &amount)
			}
		}
	}
}
