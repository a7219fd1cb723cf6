// Package control runs a Kubernetes control plane: etcd, kube-apiserver, kube-scheduler and the
// controllers that a release needs, in a network namespace of its own, at their usual ports. A
// kubelet is not included.
package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/slipway-dev/slipway/test/cluster/namespace"
)

// Addresses of the namespace: the node's, on the bridge to its pods, and that of the Service
// kubernetes, to which no kube-proxy leads. The apiserver is at both.
const (
	NodeAddress    = "192.0.2.1"
	serviceAddress = "10.96.0.1"
	serviceRange   = "10.96.0.0/24"
)

// SecondScheduler is a scheduler's name that pods may ask for, besides default-scheduler.
const SecondScheduler = "build-scheduler"

// Plane is a control plane that runs.
type Plane struct {
	Namespace  *namespace.Namespace
	Config     *rest.Config // of an administrator, for this process
	Kubeconfig string       // the same as a file, for programs in the namespace
	Audit      string       // file of audit events, one JSON object a line
	Dir        string       // of logs and keys

	programs  string
	processes []*namespace.Process
}

// Start starts a control plane whose programs are in a directory, and returns when it is ready.
// Its files go to dir.
func Start(ctx context.Context, programs, dir string) (p *Plane, err error) {
	n, err := namespace.New(serviceAddress + "/32")
	if err != nil {
		return nil, err
	}
	p = &Plane{Namespace: n, Audit: filepath.Join(dir, "audit.log"), Dir: dir, programs: programs}
	defer func() {
		if err != nil {
			p.Stop()
		}
	}()
	if err := n.Bridge(NodeAddress + "/24"); err != nil {
		return nil, err
	}
	if err := p.keys(); err != nil {
		return nil, err
	}
	if err := p.configure(); err != nil {
		return nil, err
	}
	for _, args := range [][]string{p.etcd(), p.apiserver()} {
		if err := p.start(args...); err != nil {
			return nil, err
		}
	}
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	for _, args := range [][]string{p.controllers(), p.scheduler()} {
		if err := p.start(args...); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Stop ends the control plane and whatever else runs in its namespace.
func (p *Plane) Stop() {
	for _, s := range p.processes {
		s.Stop()
	}
	p.Namespace.Close()
}

// Command is a program of the control plane's, or another by its path, to be run in the namespace
// as an administrator.
func (p *Plane) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.programs, name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+p.Kubeconfig, "HOME="+p.Dir)
	return cmd
}

// Output runs a command in the namespace and returns what it prints, both streams as one.
func (p *Plane) Output(cmd *exec.Cmd) (string, error) {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := p.Namespace.Run(cmd)
	return out.String(), err
}

// Logs returns the last lines of every program, for a test that fails.
func (p *Plane) Logs() string {
	var b strings.Builder
	for _, s := range p.processes {
		fmt.Fprintf(&b, "%s:\n%s\n", s.Name, s.Log())
	}
	return b.String()
}

func (p *Plane) start(args ...string) error {
	cmd := exec.Command(filepath.Join(p.programs, args[0]), args[1:]...) //nolint:noctx // it ends with the namespace
	s, err := p.Namespace.Start(args[0], p.Dir, cmd)
	if err != nil {
		return err
	}
	p.processes = append(p.processes, s)
	return nil
}

// ready waits until the apiserver says that it is.
func (p *Plane) ready(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(p.Config)
	if err != nil {
		return err
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 5*time.Minute,
		true, func(ctx context.Context) (bool, error) {
			for _, s := range p.processes {
				select {
				case <-s.Exited:
					return false, fmt.Errorf("%s ended: %w\n%s", s.Name, s.Err, s.Log())
				default:
				}
			}
			last = client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
			return last == nil, nil
		})
	if err != nil {
		return fmt.Errorf("waiting for kube-apiserver: %w", errors.Join(err, last))
	}
	return nil
}

// keys makes the authority and the certificates of all who take part.
func (p *Plane) keys() error {
	a, err := newAuthority(p.Dir)
	if err != nil {
		return err
	}
	ip := net.ParseIP
	return errors.Join(
		a.server("apiserver", []net.IP{ip("127.0.0.1"), ip(NodeAddress), ip(serviceAddress)},
			[]string{"kubernetes.default.svc"}),
		a.client("admin", "kubernetes-admin", "system:masters"),
		a.client("scheduler", "system:kube-scheduler"),
		a.client("controllers", "system:kube-controller-manager"),
		a.client("serviceaccounts", "serviceaccounts"), // of which only the key is used
	)
}
