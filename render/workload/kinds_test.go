package workload_test

import (
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/render/workload"
)

// TestSpecPath names the keys that lead to the pods' spec.
func TestSpecPath(t *testing.T) {
	template := []string{"spec", "template", "spec"}
	for kind, want := range map[string][]string{
		"Pod": {"spec"}, "PodTemplate": {"template", "spec"}, "ReplicationController": template, "Deployment": template,
		"StatefulSet": template,
		"DaemonSet":   template, "ReplicaSet": template, "Job": template,
		"CronJob": {"spec", "jobTemplate", "spec", "template", "spec"},
		"Image":   nil, "Build": nil, "Widget": nil, "": nil,
	} {
		if p := workload.SpecPath(kind); !slices.Equal(p, want) {
			t.Errorf("%q: the path is %q", kind, p)
		}
	}
}
