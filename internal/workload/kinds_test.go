package workload_test

import (
	"encoding/json"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
)

// TestPodTemplate finds the pods of decoded objects: what PodTemplate returns stands where
// SpecPath leads.
func TestPodTemplate(t *testing.T) {
	for kind, object := range map[string]any{
		"Pod": &corev1.Pod{}, "PodTemplate": &corev1.PodTemplate{}, "ReplicationController": &corev1.ReplicationController{},
		"Deployment": &appsv1.Deployment{}, "StatefulSet": &appsv1.StatefulSet{}, "DaemonSet": &appsv1.DaemonSet{}, "ReplicaSet": &appsv1.ReplicaSet{},
		"Job": &batchv1.Job{}, "CronJob": &batchv1.CronJob{},
	} {
		path := workload.SpecPath(kind)
		text := `{"hostname":"here"}`
		for n := range path {
			text = `{"` + path[len(path)-1-n] + `":` + text + `}`
		}
		if err := json.Unmarshal([]byte(text), object); err != nil {
			t.Fatal(err)
		}
		if p := workload.PodTemplate(object); p == nil || p.Spec.Hostname != "here" {
			t.Errorf("%s: nothing of %s is in the template", kind, text)
		}
	}
	for _, object := range []any{&corev1.ConfigMap{}, &corev1.ReplicationController{}, nil} {
		if p := workload.PodTemplate(object); p != nil {
			t.Errorf("%T has a template", object)
		}
	}
	for _, kind := range []string{"Image", "Build", "Widget", ""} {
		if p := workload.SpecPath(kind); p != nil {
			t.Errorf("%q: the path is %q", kind, p)
		}
	}
}
