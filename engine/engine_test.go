package engine_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/engine"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/shard"
)

var update = flag.Bool("update", false, "write the golden files anew")

var plan = &shard.Plan{Name: "hello", Version: "1.0.0+linux.ä", Shards: []shard.Shard{{Number: 0}, {Number: 1}, {Number: 2}}}

// options returns options with everything, or with the least.
func options(all bool) engine.Options {
	o := engine.Options{
		Plan: "registry.example/demo/hello-plans@sha256:" + strings.Repeat("12", 32), Image: "registry.example/slipway:1.0.0",
		Arch: "amd64", CPU: "2", Memory: "4Gi", Disk: "20Gi", Timeout: 90 * time.Minute,
	}
	if all {
		o.Registry, o.Key, o.Parallel, o.Name = "registry", "signing", 2, "release"
		o.Env = []string{"GOPROXY=https://proxy.example,off", `QUOTED=a "b" # {c} \ $(d)`}
	}
	return o
}

// TestManifests compares what is printed, which breaks no rule of lint.
func TestManifests(t *testing.T) {
	for _, tt := range []struct {
		file  string
		all   bool
		write func(*shard.Plan, engine.Options) ([]byte, error)
	}{
		{"kubernetes.yaml", false, engine.Kubernetes},
		{"kubernetes.all.yaml", true, engine.Kubernetes},
		{"tekton.yaml", false, engine.Tekton},
		{"tekton.all.yaml", true, engine.Tekton},
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

// TestBad checks that options are refused by the names of their flags.
func TestBad(t *testing.T) {
	for want, change := range map[string]func(*engine.Options){
		`-name="Upper": `:             func(o *engine.Options) { o.Name = "Upper" },
		`-image="": `:                 func(o *engine.Options) { o.Image = "" },
		`-image="a\nb": `:             func(o *engine.Options) { o.Image = "a\nb" },
		`-registry-secret="a/b": `:    func(o *engine.Options) { o.Registry = "a/b" },
		`-key-secret="a: b": `:        func(o *engine.Options) { o.Key = "a: b" },
		`-cpu="0": `:                  func(o *engine.Options) { o.CPU = "0" },
		`-memory="": `:                func(o *engine.Options) { o.Memory = "" },
		`-disk="4 GB": `:              func(o *engine.Options) { o.Disk = "4 GB" },
		`-arch="386": `:               func(o *engine.Options) { o.Arch = "386" },
		`-timeout="0s": `:             func(o *engine.Options) { o.Timeout = 0 },
		`-parallel="-1": `:            func(o *engine.Options) { o.Parallel = -1 },
		`-env="A B=c": write NAME=VA`: func(o *engine.Options) { o.Env = []string{"A B=c"} },
		`-env="A=b\nc": write NAME=V`: func(o *engine.Options) { o.Env = []string{"A=b\nc"} },
	} {
		o := options(true)
		change(&o)
		if _, err := engine.Kubernetes(plan, o); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
