package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
)

// buildDaemon is a buildkitd that has the base of a product.
type buildDaemon struct {
	*aptProduct
	client, root string
	cmd          *exec.Cmd
}

// buildkit starts buildkitd, and lets it fetch the base.
func (p *aptProduct) buildkit(ctx context.Context, prefix []string) (*buildDaemon, error) {
	c, ok := consumer.Find("buildkit")
	if !ok {
		return nil, errors.New("package consumer has no entry buildkit")
	}
	server, err := c.Build(ctx, "buildkitd")
	if err != nil {
		return nil, err
	}
	d := &buildDaemon{aptProduct: p}
	if d.client, err = c.Build(ctx, "buildctl"); err != nil {
		return nil, err
	}
	if d.root, err = os.MkdirTemp("", "bk"); err != nil { // a socket's path may not be long
		return nil, err
	}
	args := slices.Concat(prefix, []string{
		server, "--root=" + filepath.Join(d.root, "root"), "--addr=" + d.address(),
		"--config=" + os.DevNull, "--otel-socket-path=" + filepath.Join(d.root, "otel"), "--containerd-worker=false",
		"--oci-worker=true", "--oci-worker-net=host", "--oci-worker-gc=false",
	})
	d.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(syscall.SIGTERM) }
	out, err := d.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "running server on") {
			go func() {
				for lines.Scan() { // so that it never waits for us
				}
			}()
			return d, nil
		}
	}
	d.stop()
	return nil, errors.New("buildkitd did not start")
}

func (d *buildDaemon) address() string { return "unix://" + filepath.Join(d.root, "s") }

// stop ends the daemon.
func (d *buildDaemon) stop() {
	d.cmd.Cancel() //nolint:errcheck // it has ended then
	d.cmd.Wait()   //nolint:errcheck // it ends by a signal
	os.RemoveAll(d.root)
}

// build measures an OCI archive of the image, of a base that is there and without any cache.
func (d *buildDaemon) build(ctx context.Context, _ []string) (figure, error) {
	before := processorSeconds(d.cmd.Process.Pid)
	f, err := measure(ctx, "BuildKit", []string{
		d.client, "--addr=" + d.address(), "build", "--frontend=dockerfile.v0", "--no-cache",
		"--local=context=" + d.upstream, "--local=dockerfile=" + filepath.Dir(filepath.Join(d.upstream, smbDockerfile)),
		"--opt=context:" + smbBase + "=docker-image://" + d.base, "--opt=build-arg:http_proxy=" + d.mirror,
		"--output=type=oci,dest=" + filepath.Join(d.tmp, "packages-buildkit.tar"),
	})
	f.processors += processorSeconds(d.cmd.Process.Pid) - before
	f.peak = highWater(d.cmd.Process.Pid)
	if err != nil {
		err = fmt.Errorf("BuildKit: %w", err)
	}
	return f, err
}

// processorSeconds reads the processor time of a process and of those that it has waited for, in
// seconds.
func processorSeconds(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	const ticks = 100 // a second, on every Linux
	_, rest, _ := strings.Cut(string(text), ") ")
	total := 0.0
	for _, f := range strings.Fields(rest)[11:15] {
		n, _ := strconv.ParseFloat(f, 64)
		total += n / ticks
	}
	return total
}
