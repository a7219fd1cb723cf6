package cluster

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/registry"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/test/cluster/control"
	"github.com/slipway-dev/slipway/test/cluster/namespace"
	"github.com/slipway-dev/slipway/test/cluster/node"
)

// jobsNamespace admits restricted pods only.
const jobsNamespace = "release"

// jobs are two worlds with a registry at the same address: a cluster, and a machine on which
// `slipway release` makes all of it.
type jobs struct {
	*cluster

	slipway  string // the program
	product  string // slipway.yaml of hello
	registry http.Handler
	held     atomic.Pointer[corev1.Pod] // the first pod of shard 1, which can push nothing
}

// TestJobs releases examples/hello by what slipway shard kubernetes prints: the namespace admits
// restricted pods only, the pods share nothing but the registry, and one is deleted half-way. The
// files are those that one machine makes.
func TestJobs(t *testing.T) {
	t.Parallel()
	testprog.Need(t, "cluster")
	programs, err := built()
	if err != nil {
		t.Fatal(err)
	}
	j := newJobs(t, programs)
	one := filepath.Join(t.TempDir(), "one")
	j.alone(t, one)

	n := j.plane.Namespace
	store := "-store=" + filepath.Join(t.TempDir(), "store")
	ref := strings.TrimSpace(j.run(t, n, "plan", "-q", "-product="+j.product, "-registry="+registryAddress+"/demo",
		"-shards=2", "-push", store))
	manifest := j.run(t, n, "shard", "kubernetes", "-q", ref, store, "-job-name=hello", "-image="+registryAddress+"/slipway:test",
		"-registry-secret=registry",
		"-cpu=1", "-memory=2Gi", "-disk=8Gi", "-env=GOPROXY=off")
	j.apply(t, manifest)

	err = j.poll(t, func(ctx context.Context) (bool, error) {
		pod := j.held.Load()
		if pod == nil || !strings.Contains(j.agent.Log(pod), "compiling hello") {
			return false, nil
		}
		return true, j.kube.CoreV1().Pods(jobsNamespace).Delete(ctx, pod.Name, metav1.DeleteOptions{})
	})
	if err != nil {
		t.Fatal("waiting for shard 1: ", err)
	}
	j.finished(t, "hello-merge")
	shards := j.finished(t, "hello-shards")
	if s := shards.Status; s.CompletedIndexes != "0,1" || s.Failed != 1 {
		t.Errorf("indexes %s are complete, and %d pods failed: want 0,1 and the one that was deleted",
			s.CompletedIndexes, s.Failed)
	}
	j.unprivileged(t)

	fetched := filepath.Join(t.TempDir(), "fetched")
	j.run(t, n, "shard", "fetch", "-q", ref, store, "-out="+fetched)
	if d := cmp.Diff(tree(t, one), tree(t, fetched)); d != "" {
		t.Errorf("the cluster made another release than one machine (-one +cluster):\n%s", d)
	}
}

// newJobs starts a cluster with an agent that runs Jobs, and has the image of slipway in its
// registry.
func newJobs(t *testing.T, programs string) *jobs {
	t.Helper()
	dir := t.TempDir()
	plane, err := control.Start(t.Context(), programs, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	j := &jobs{
		cluster: &cluster{plane: plane}, slipway: filepath.Join(os.Getenv("SLIPWAY_DIST"), "bin", "slipway"),
		product: filepath.Join(dir, "hello", "slipway.yaml"), registry: newRegistry(),
	}
	if err := j.connect(); err != nil {
		t.Fatal(err)
	}
	j.serve(t, plane.Namespace, j.registry)
	j.describe(t)
	pushImage(t, plane.Namespace, registryAddress+"/slipway:test", j.image(t))
	if err := node.Register(t.Context(), j.kube, linux); err != nil {
		t.Fatal(err)
	}
	j.agent = &node.Agent{
		Client: j.kube, Net: plane.Namespace, Node: linux, Namespace: jobsNamespace,
		Dir: dir, Inside: func(pod *corev1.Pod, n *namespace.Namespace) error {
			j.serve(t, n, j.hold(pod))
			return nil
		},
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(j.agent.Failed(), j.agent.Logs())
		}
		j.agent.Stop()
	})
	if err := j.agent.Run(background); err != nil {
		t.Fatal(err)
	}
	return j
}

func newRegistry() http.Handler { return registry.New(registry.Logger(log.New(quiet{}, "", 0))) }

func (j *jobs) serve(t *testing.T, n *namespace.Namespace, h http.Handler) {
	t.Helper()
	s, err := serve(n, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
}

// hold is the registry as a pod sees it. The first pod of shard 1 gets no answer when it sends a
// blob, so that it is deleted before it is done, however fast it is.
func (j *jobs) hold(pod *corev1.Pod) http.Handler {
	first := pod.Annotations[batchv1.JobCompletionIndexAnnotation] == "1" && j.held.CompareAndSwap(nil, pod)
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if first && (q.Method == http.MethodPatch || q.Method == http.MethodPut) {
			<-q.Context().Done()
			return
		}
		j.registry.ServeHTTP(w, q)
	})
}

// describe copies examples/hello, with a base image for Windows that is in the registry.
func (j *jobs) describe(t *testing.T) {
	t.Helper()
	dir := filepath.Dir(j.product)
	if err := os.CopyFS(dir, os.DirFS("../../examples/hello")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(j.product)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	for n, line := range lines {
		if release, _, ok := strings.Cut(line, ": mcr.microsoft.com/"); ok {
			version := map[string]string{
				"ltsc2019": "10.0.17763.1", "ltsc2022": "10.0.20348.1",
				"ltsc2025": "10.0.26100.1",
			}[release[strings.LastIndex(release, ":")+1:]]
			h, err := windowsBase(t, version).Digest()
			if err != nil {
				t.Fatal(err)
			}
			lines[n] = release + ": " + registryAddress + "/base/nano:" + version + "@" + h.String()
			pushImage(t, j.plane.Namespace, registryAddress+"/base/nano:"+version, windowsBase(t, version))
		}
	}
	if err := os.WriteFile(j.product, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// alone makes the release on one machine, with a registry of its own at the same address.
func (j *jobs) alone(t *testing.T, out string) {
	t.Helper()
	n, err := namespace.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	own := newRegistry()
	j.serve(t, n, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/v2/base/") {
			j.registry.ServeHTTP(w, q)
			return
		}
		own.ServeHTTP(w, q)
	}))
	j.run(t, n, "release", "-q", "-product="+j.product, "-registry="+registryAddress+"/demo", "-out="+out,
		"-store="+filepath.Join(t.TempDir(), "store"))
}

// run runs slipway in a namespace and returns what it prints.
func (j *jobs) run(t *testing.T, n *namespace.Namespace, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), j.slipway, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := n.Run(cmd); err != nil {
		t.Fatalf("slipway %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String()
}

// apply applies manifests in a namespace with the level restricted. The apiserver must not warn.
func (j *jobs) apply(t *testing.T, manifest string) {
	t.Helper()
	kube := j.kube.CoreV1()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: jobsNamespace, Labels: map[string]string{
		"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted",
	}}}
	if _, err := kube.Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "registry"}, Type: corev1.SecretTypeDockerConfigJson,
		Data: map[string][]byte{corev1.DockerConfigJsonKey: []byte(`{"auths":{"` + registryAddress +
			`":{"auth":"bWU6c2VjcmV0"}}}`)},
	}
	if _, err := kube.Secrets(jobsNamespace).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "jobs.yaml")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--filename=../../shard/jobs/testdata/kubernetes.all.yaml", "--dry-run=server"}, // with every option
		{"--filename=" + file},
	} {
		args = append([]string{"apply", "--namespace=" + jobsNamespace, "--validate=strict", "--warnings-as-errors"},
			args...)
		if out, err := j.plane.Output(j.plane.Command(t.Context(), "kubectl", args...)); err != nil ||
			strings.Contains(out, "Warning") {
			t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// poll calls f until it is done, or a pod could not be run or failed by itself.
func (j *jobs) poll(t *testing.T, f wait.ConditionWithContextFunc) error {
	t.Helper()
	return wait.PollUntilContextTimeout(t.Context(), tick, patience, true, func(ctx context.Context) (bool, error) {
		if err := j.agent.Failed(); err != nil {
			return false, err
		}
		return f(ctx)
	})
}

// finished waits for the end of a Job.
func (j *jobs) finished(t *testing.T, name string) (job *batchv1.Job) {
	t.Helper()
	err := j.poll(t, func(ctx context.Context) (done bool, err error) {
		if job, err = j.kube.BatchV1().Jobs(jobsNamespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return false, err
		}
		for _, c := range job.Status.Conditions {
			if c.Status != corev1.ConditionTrue {
				continue
			}
			switch c.Type {
			case batchv1.JobComplete:
				return true, nil
			case batchv1.JobFailed:
				t.Fatalf("Job %s: %s: %s", name, c.Reason, c.Message)
			}
		}
		return false, nil
	})
	if err != nil {
		b, _ := json.Marshal(job)
		t.Fatalf("Job %s: %v\n%s", name, err, b)
	}
	return job
}

// unprivileged checks that no pod has a token for the API.
func (j *jobs) unprivileged(t *testing.T) {
	t.Helper()
	pods, err := j.kube.CoreV1().Pods(jobsNamespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) < 3 {
		t.Errorf("%d pods are left of three", len(pods.Items))
	}
	for _, pod := range pods.Items {
		for _, v := range pod.Spec.Volumes {
			if v.Projected != nil {
				t.Errorf("pod %s has the projected volume %s", pod.Name, v.Name)
			}
		}
	}
}
