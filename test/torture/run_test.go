//go:build linux && amd64

package torture

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is how long a run may take. An undisturbed one takes less than a second on an idle
// machine.
const patience = 2 * time.Minute

// outcome is how a run ended.
type outcome struct {
	code   int // -1 where a signal ended it
	killed bool
	hung   bool // it was killed after the time it may take
	told   bool // it was sent a signal to end
	stdout string
	stderr string
	took   time.Duration
	hits   []call
	ending time.Duration // how long it ran after the signal
	judged bool          // what is wrong with it is known:
	wrong  []string
}

// process is a run that has begun.
type process struct {
	worker  *worker
	pid     int
	began   time.Time
	told    time.Time
	logs    [2]*os.File
	tracer  *tracer
	status  chan syscall.WaitStatus
	started chan int
}

// begin starts slipway in the worker's directory. With a tracer, this decides about its system
// calls.
func (w *worker) begin(command string, t *tracer) *process {
	p := &process{
		worker: w, began: time.Now(), tracer: t, status: make(chan syscall.WaitStatus, 1),
		started: make(chan int, 1),
	}
	for n := range p.logs {
		f, err := os.CreateTemp(w.logs, "log")
		w.must(err)
		w.must(os.Remove(f.Name()))
		p.logs[n] = f
	}
	null, err := os.Open(os.DevNull)
	w.must(err)
	defer null.Close()
	attr := &syscall.ProcAttr{
		Dir:   w.dir,
		Env:   w.environment(),
		Files: []uintptr{null.Fd(), p.logs[0].Fd(), p.logs[1].Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	}
	args := append([]string{slipway}, strings.Fields(strings.ReplaceAll(command, "REG", w.host))...)
	if t == nil {
		apart(func() { p.pid, err = syscall.ForkExec(slipway, args, attr) })
		w.must(err)
		go func() {
			var ws syscall.WaitStatus
			for {
				if _, err := syscall.Wait4(p.pid, &ws, 0, nil); err != syscall.EINTR {
					break
				}
			}
			p.status <- ws
		}()
		return p
	}
	go func() {
		ws, err := t.run(args, attr, func(pid int) { p.started <- pid })
		if err != nil {
			w.fail <- err
			p.started <- 0
		}
		p.status <- ws
	}()
	p.pid = <-p.started
	return p
}

// forks does what starts untraced processes on a thread of its own: a tracer waits for all
// children of its thread, and must not have these.
var forks = sync.OnceValue(func() chan func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

func apart(do func()) {
	done := make(chan struct{})
	forks() <- func() { do(); close(done) }
	<-done
}

// environment is what a run sees: nothing of the user's but where Go's things are.
func (w *worker) environment() []string {
	env := []string{
		"HOME=" + w.home, "TMPDIR=" + filepath.Join(w.dir, "tmp"), "GOPROXY=off", "GOENV=off",
		"GOTELEMETRY=off", "GOTOOLCHAIN=local", "SSL_CERT_FILE=" + os.Getenv("SSL_CERT_FILE"),
	}
	for _, name := range []string{"PATH", "GOROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, goEnvironment...)
}

// tell sends a signal to the run.
func (p *process) tell(s syscall.Signal) {
	p.told = time.Now()
	syscall.Kill(p.pid, s) //nolint:errcheck // it may have ended
}

// wait waits for the run and for all that it has started, and kills what takes too long.
func (p *process) wait() outcome {
	var o outcome
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	var ws syscall.WaitStatus
	select {
	case ws = <-p.status:
	case <-deadline.C:
		o.hung = true
		killSession(p.pid)
		ws = <-p.status
	}
	o.took = time.Since(p.began)
	if !p.told.IsZero() {
		o.told, o.ending = true, time.Since(p.told)
	}
	// a compiler that outlives a killed slipway
	for since := time.Now(); len(session(p.pid)) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(since) > patience {
			o.hung = true
			killSession(p.pid)
		}
	}
	o.code, o.killed = ws.ExitStatus(), ws.Signaled() && ws.Signal() == syscall.SIGKILL
	o.stdout, o.stderr = p.log(0), p.log(1)
	if p.tracer != nil {
		o.hits = p.tracer.hits
	}
	return o
}

func (p *process) log(n int) string {
	defer p.logs[n].Close()
	info, err := p.logs[n].Stat()
	p.worker.must(err)
	b := make([]byte, min(info.Size(), 1<<20))
	p.logs[n].ReadAt(b, 0) //nolint:errcheck // the file is as long as that
	return string(b)
}

// run runs a command without a fault.
func (w *worker) run(command string) outcome { return w.begin(command, nil).wait() }
