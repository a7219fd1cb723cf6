package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// Agent runs the pods of a Kubernetes namespace that are bound to a Linux node, until it is
// stopped.
type Agent struct {
	Client    kubernetes.Interface
	Net       *namespace.Namespace
	Node      Spec
	Namespace string // whose pods it runs; those of other namespaces stay as they were scheduled
	Dir       string // of root directories and logs
	// Inside, if any, is called with the network of every pod before its programs start.
	Inside func(*corev1.Pod, *namespace.Namespace) error
	// Transport is how images are pulled; nil is by HTTP in the network of Net.
	Transport http.RoundTripper

	stop     func()         // ends Run's watch and waits for its end
	attempts sync.WaitGroup // to run pods that were seen
	mu       sync.Mutex
	started  map[types.UID]bool
	killed   map[types.UID]chan struct{} // closed for pods of Jobs that are deleted
	images   map[string]func() (string, *v1.ConfigFile, error)
	running  []*namespace.Process
	networks []*namespace.Namespace
	waiting  map[types.UID]error // why pods do not run yet, for which it is tried again
	failures []error
}

// patience is how long it is tried to run a pod: what it needs must come, however slow the
// machine is.
const patience = 4 * time.Minute

// Run returns once the agent watches.
func (a *Agent) Run(ctx context.Context) error {
	a.started, a.waiting = map[types.UID]bool{}, map[types.UID]error{}
	a.images = map[string]func() (string, *v1.ConfigFile, error){}
	f := informers.NewSharedInformerFactoryWithOptions(a.Client, 0, informers.WithNamespace(a.Namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", a.Node.Name).String()
		}))
	ctx, cancel := context.WithCancel(ctx)
	a.stop = func() {
		cancel()
		f.Shutdown()
	}
	pods := f.Core().V1().Pods().Informer()
	see := func(o any) {
		if pod, ok := o.(*corev1.Pod); ok {
			a.see(ctx, pod)
			if pod.DeletionTimestamp != nil {
				a.kill(pod)
			}
		}
	}
	if _, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: see, UpdateFunc: func(_, o any) {
		see(o)
	}}); err != nil {
		return err
	}
	f.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced) {
		return ctx.Err()
	}
	return nil
}

// Err returns why a pod does not run.
func (a *Agent) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.failures) > 0 {
		return a.failures[0]
	}
	for _, p := range a.running {
		select {
		case <-p.Exited:
			return fmt.Errorf("%s ended: %w\n%s", p.Name, p.Err, p.Log())
		default:
		}
	}
	return nil
}

// Trouble returns why pods do not run yet, which may pass.
func (a *Agent) Trouble() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(a.waiting)) {
		errs = append(errs, a.waiting[id])
	}
	return errors.Join(errs...)
}

// Logs returns the last lines of all processes.
func (a *Agent) Logs() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for _, p := range a.running {
		fmt.Fprintf(&b, "%s:\n%s\n", p.Name, p.Log())
	}
	return b.String()
}

// Stop kills what runs, and returns when nothing of it is left: no pod is seen anymore, and no
// attempt to run one goes on.
func (a *Agent) Stop() {
	if a.stop != nil {
		a.stop()
	}
	a.attempts.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.running {
		p.Stop()
	}
	for _, n := range a.networks {
		n.Close()
	}
	a.running, a.networks = nil, nil
}

// see starts a pod that it has not seen before.
func (a *Agent) see(ctx context.Context, pod *corev1.Pod) {
	address := a.address(pod)
	if address == "" {
		return
	}
	a.attempts.Go(func() {
		if err := a.attempt(ctx, pod, address); err != nil && ctx.Err() == nil {
			a.mu.Lock()
			a.failures = append(a.failures, fmt.Errorf("running pod %s: %w", pod.Name, err))
			a.mu.Unlock()
		}
	})
}

// address gives a pod one, the first time.
func (a *Agent) address(pod *corev1.Pod) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.started[pod.UID] {
		return ""
	}
	a.started[pod.UID] = true
	if a.killed == nil {
		a.killed = map[types.UID]chan struct{}{}
	}
	a.killed[pod.UID] = make(chan struct{})
	return fmt.Sprintf("192.0.2.%d", 10+len(a.started))
}

// attempt runs a pod at an address. As the kubelet does, it tries again for a while: a controller
// may not have made yet what the pod needs.
func (a *Agent) attempt(ctx context.Context, pod *corev1.Pod, address string) error {
	network, err := a.network(pod, address)
	if err != nil {
		return err
	}
	if pod.Spec.RestartPolicy == corev1.RestartPolicyNever {
		return a.job(ctx, pod, address, network)
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		last = a.run(ctx, pod, address, network)
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.waiting, pod.UID)
		if last != nil {
			a.waiting[pod.UID] = fmt.Errorf("pod %s: %w", pod.Name, last)
		}
		return last == nil, nil
	})
	if err != nil {
		return last
	}
	return nil
}

// network makes the network of a pod.
func (a *Agent) network(pod *corev1.Pod, address string) (*namespace.Namespace, error) {
	n, err := a.Net.Pod(address+"/24", a.Node.Address)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.networks = append(a.networks, n)
	a.mu.Unlock()
	if a.Inside != nil {
		return n, a.Inside(pod, n)
	}
	return n, nil
}

// run starts the container of a pod in its network and reports that it runs.
func (a *Agent) run(ctx context.Context, pod *corev1.Pod, address string, network *namespace.Namespace) error {
	if len(pod.Spec.InitContainers) > 0 || len(pod.Spec.Containers) != 1 {
		return fmt.Errorf("it has %d init containers and %d others: this agent runs one container",
			len(pod.Spec.InitContainers), len(pod.Spec.Containers))
	}
	c := &pod.Spec.Containers[0]
	p, err := a.container(ctx, pod, c, network)
	if err != nil {
		return fmt.Errorf("container %s: %w", c.Name, err)
	}
	a.mu.Lock()
	a.running = append(a.running, p)
	a.mu.Unlock()
	started := true
	return a.report(ctx, pod, address, corev1.ContainerStatus{
		Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: true, Started: &started,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
	})
}

// report marks a pod as running, which makes it an endpoint of its Services.
func (a *Agent) report(ctx context.Context, pod *corev1.Pod, address string, container corev1.ContainerStatus) error {
	now := metav1.Now()
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, PodIP: address, PodIPs: []corev1.PodIP{{IP: address}}, HostIP: a.Node.Address,
		HostIPs: []corev1.HostIP{{IP: a.Node.Address}}, StartTime: &now,
		ContainerStatuses: []corev1.ContainerStatus{container},
	}
	for _, c := range []corev1.PodConditionType{
		corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady,
		corev1.PodReady,
	} {
		status.Conditions = append(status.Conditions,
			corev1.PodCondition{Type: c, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	pod = pod.DeepCopy()
	pod.Status = status
	_, err := a.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}
