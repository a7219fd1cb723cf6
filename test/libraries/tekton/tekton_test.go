package tekton

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tektoncd/pipeline/pkg/apis/config"
	v1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"sigs.k8s.io/yaml"
)

// printed are the golden files of package jobs.
const printed = "../../../shard/jobs/testdata"

// run returns the PipelineRun of a file, as the API server stores it: decoded strictly, with
// defaults set.
func run(t *testing.T, text string) (*v1.PipelineRun, error) {
	t.Helper()
	for _, document := range strings.Split(text, "\n---\n") {
		b, err := yaml.YAMLToJSONStrict([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(b, []byte(`"PipelineRun"`)) {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		var r v1.PipelineRun
		if err := d.Decode(&r); err != nil {
			return nil, err
		}
		ctx := config.ToContext(t.Context(), &config.Config{
			Defaults:     config.DefaultConfig.DeepCopy(),
			FeatureFlags: config.DefaultFeatureFlags.DeepCopy(),
		})
		r.SetDefaults(ctx)
		if err := r.Validate(ctx); err != nil {
			return nil, err
		}
		return &r, nil
	}
	t.Fatal("it has no PipelineRun")
	return nil, nil
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(printed, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestValid checks that Tekton takes what is printed and makes a TaskRun for each shard.
func TestValid(t *testing.T) {
	for _, name := range []string{"tekton.yaml", "tekton.all.yaml"} {
		r, err := run(t, read(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tasks := r.Spec.PipelineSpec.Tasks
		var numbers []string
		for _, p := range tasks[0].Matrix.FanOut() {
			numbers = append(numbers, p[0].Value.StringVal)
		}
		if strings.Join(numbers, " ") != "0 1 2" || len(tasks) != 2 || tasks[1].RunAfter[0] != tasks[0].Name {
			t.Errorf("%s: shards %q in %d tasks", name, numbers, len(tasks))
		}
		if got := r.Spec.TaskRunTemplate.PodTemplate.SecurityContext; got == nil || !*got.RunAsNonRoot {
			t.Errorf("%s: its pods have the security context %v", name, got)
		}
	}
}

// TestMistakes checks that the test above could fail: each mistake is refused.
func TestMistakes(t *testing.T) {
	text := read(t, "tekton.all.yaml")
	for what, mistake := range map[string][2]string{
		"unknown field":      {"retries: 3", "retrys: 3"},
		"unknown parameter":  {"$(params.shard)", "$(params.shards)"},
		"no such task":       {"runAfter: [shard]", "runAfter: [shards]"},
		"Tekton's directory": {"mountPath: /work", "mountPath: /tekton/work"},
		"two of one name":    {"- name: merge\n        runAfter", "- name: shard\n        runAfter"},
		"no quantity":        {`cpu: "2"`, `cpu: "two"`},
	} {
		changed := strings.Replace(text, mistake[0], mistake[1], 1)
		if changed == text {
			t.Errorf("%s: nothing changed", what)
			continue
		}
		if _, err := run(t, changed); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	if !regexp.MustCompile(`(?m)^apiVersion: tekton.dev/v1$`).MatchString(text) {
		t.Error("it is not of the API v1")
	}
}
