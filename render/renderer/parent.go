package renderer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/subprocess"
)

// child is a process that answers questions.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
	limits Limits
	stop   context.CancelFunc
	late   atomic.Bool
}

// idle is a child that waits for a question. There is one at most.
var idle atomic.Pointer[child]

// Close ends the child that waits. A process that is about to exit calls it; a child whose parent
// has ended ends by itself.
func Close() {
	if c := idle.Swap(nil); c != nil {
		c.end()
	}
}

// take returns a child that waits, or starts one.
func take() (*child, error) {
	c := idle.Swap(nil)
	if c != nil && c.limits == Bounds {
		return c, nil
	}
	if c != nil {
		c.end()
	}
	return start()
}

// keep makes the child wait for the next question.
func (c *child) keep() {
	if before := idle.Swap(c); before != nil {
		before.end()
	}
}

// start starts a child. Its environment is the time zone alone, by which templates write times.
func start() (*child, error) {
	path := "/proc/self/exe" // which is there even if the file was replaced
	if _, err := os.Stat(path); runtime.GOOS != "linux" || err != nil {
		if path, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("starting the process that renders: %w", err)
		}
	}
	ctx, stop := context.WithCancel(context.Background()) // it answers questions of several contexts
	c := &child{limits: Bounds, stderr: &tail{}, stop: stop}
	c.cmd = subprocess.Command(ctx, path)
	c.cmd.Args = []string{
		processName, strconv.FormatInt(c.limits.Memory, 10),
		strconv.FormatInt(int64(c.limits.CPU), 10),
	}
	c.cmd.Env = []string{"GOTRACEBACK=none"}
	if zone, ok := os.LookupEnv("TZ"); ok {
		c.cmd.Env = append(c.cmd.Env, "TZ="+zone)
	}
	c.cmd.Stderr = c.stderr
	in, err1 := c.cmd.StdinPipe()
	out, err2 := c.cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		stop()
		return nil, fmt.Errorf("starting the process that renders: %w", err)
	}
	if err := c.cmd.Start(); err != nil {
		stop()
		return nil, fmt.Errorf("starting the process that renders, %s: "+
			"%w: slipway renders charts, templates and kustomizations only in a process with bounds", path, err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	return c, nil
}

// end kills the child and waits for it.
func (c *child) end() {
	c.cmd.Process.Kill() //nolint:errcheck // usually it has not ended
	c.wait()             //nolint:errcheck // it was killed
}

func (c *child) wait() error {
	c.in.Close()
	err := c.cmd.Wait()
	c.stop()
	return err
}

// ask passes a question to a child and returns its answer.
func ask(ctx context.Context, place string, text []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	c, err := take()
	if err != nil {
		return nil, err
	}
	kill := func() { c.cmd.Process.Kill() } //nolint:errcheck // usually it has not ended
	stopped := context.AfterFunc(ctx, kill)
	timer := time.AfterFunc(c.limits.Wall, func() {
		c.late.Store(true)
		kill()
	})
	answer, kind, place, err := c.exchange(place, text)
	alive := stopped() // else it is being killed
	alive = timer.Stop() && alive
	switch {
	case err == nil && kind == answered && alive:
		c.keep()
		return answer, nil
	case err == nil:
		c.end()
		return answer, context.Cause(ctx)
	case errors.Is(err, errTooLarge):
		kill()
	}
	err = errors.Join(err, c.wait())
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, c.explain(place, err)
}

// exchange sends a question, reads messages up to the answer, and returns the place that the
// child reported last.
func (c *child) exchange(place string, text []byte) (answer []byte, kind byte, at string, err error) {
	sent := make(chan error, 1)
	go func() { sent <- send(c.in, question, text) }()
	for {
		kind, answer, err = receive(c.out, c.limits.Answer)
		if err != nil || kind != begun {
			break
		}
		place = string(answer)
	}
	if err == nil {
		err = <-sent
	}
	return answer, kind, place, err
}

// outOfMemory matches what a process without memory writes.
var outOfMemory = lazyregexp.New(`out of memory|cannot allocate memory|pthread_create failed|newosproc`)

// explain returns the error of a child that has ended without an answer.
func (c *child) explain(place string, err error) error {
	code := c.cmd.ProcessState.ExitCode()
	stderr := c.stderr.String()
	limit := func(format string, args ...any) error {
		return &LimitError{output.Line(place), fmt.Sprintf(format, args...)}
	}
	switch {
	case c.late.Load():
		return limit("rendering takes more than %s: take out loops, or run this on a machine that is less busy",
			c.limits.Wall)
	case code == exitTime || strings.Contains(stderr, "SIGXCPU"):
		return limit("rendering takes more than %s of processor time, the limit for foreign text: "+
			"take out loops, and what makes keys or certificates", c.limits.CPU)
	case strings.Contains(stderr, "stack overflow"):
		return limit("rendering calls itself without end: take the recursion out")
	case code == exitMemory || outOfMemory.MatchString(stderr):
		return limit("rendering needs more than %d MiB of memory, the limit for foreign text: "+
			"make loops and repeated text smaller", c.limits.Memory>>20)
	case code == exitAnswer || errors.Is(err, errTooLarge):
		return limit("it makes more than %d MiB of text: make loops and repeated text smaller", c.limits.Answer>>20)
	}
	first, _, _ := strings.Cut(stderr, "\n")
	return fmt.Errorf("%s: the process that renders has ended: %s", output.Line(place),
		output.Line(strings.TrimSpace(first+" ("+c.cmd.ProcessState.String()+")")))
}

// tail keeps the start of what a child writes to standard error.
type tail struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.Write(p[:min(len(p), max(0, 1<<14-t.b.Len()))])
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
