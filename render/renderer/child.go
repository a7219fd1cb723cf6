package renderer

import (
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// processName is the name (argv[0]) under which the program is a child. Nothing else makes it one:
// the environment does not, and who starts it by this name gains nothing.
const processName = "slipway: rendering"

// The exit codes of a child that has exceeded a bound.
const (
	exitMemory = 71
	exitTime   = 72
	exitAnswer = 73
)

// hooked reports whether the program calls Main, so that a child of it renders.
var hooked bool

// Main makes the process a child, and does not return, if it was started as one. The main function
// of a program and TestMain of a test call it first.
func Main() {
	if len(os.Args) == 0 || os.Args[0] != processName {
		hooked = true
		return
	}
	os.Exit(serve(os.Args[1:]))
}

// current is the child's side of the connection.
var current struct {
	sync.Mutex
	out io.Writer // nil in the parent
}

// At reports to the parent the file that is rendered from now on.
func At(place string) {
	current.Lock()
	defer current.Unlock()
	if current.out != nil {
		send(current.out, begun, []byte(place)) //nolint:errcheck // without a parent the child ends
	}
}

// serve answers questions until standard input ends.
func serve(args []string) int {
	l := Bounds
	if len(args) == 2 {
		l.Memory, _ = strconv.ParseInt(args[0], 10, 64)
		n, _ := strconv.ParseInt(args[1], 10, 64)
		l.CPU = time.Duration(n)
	}
	out := os.Stdout
	silence()
	confine(l.Memory)
	current.out = out
	w := &watchdog{limits: l}
	go w.watch()
	questions := make(chan []byte)
	go func() {
		for {
			_, text, err := receive(os.Stdin, maxQuestion)
			if err != nil {
				os.Exit(0) // the parent has ended
			}
			questions <- text
		}
	}()
	for text := range questions {
		w.begin()
		answer, err := do(text, l.Answer)
		w.end()
		switch {
		case errors.Is(err, errTooLarge):
			return exitAnswer
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		kind := byte(answered)
		if memory() > l.Memory/4 {
			kind = last
		}
		current.Lock()
		err = send(out, kind, answer)
		current.Unlock()
		if err != nil || kind == last {
			return 0
		}
	}
	return 0
}

// silence keeps libraries from writing into the answers: they find a file that takes nothing.
func silence() {
	if sink, err := os.Open(os.DevNull); err == nil {
		os.Stdout = sink
	}
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

func do(text []byte, limit int) ([]byte, error) {
	d := newDecoder(text)
	var name string
	if err := d.Decode(&name); err != nil {
		return nil, err
	}
	task, ok := tasks.Load(name)
	if !ok {
		return nil, fmt.Errorf("unknown task %s", name)
	}
	return task.(served).serve(d, limit) //nolint:forcetypeassert // there is nothing else
}

// confine sets what the runtime and the system bound. A garbage collection on every core would
// count as processor time of the work.
func confine(most int64) {
	runtime.GOMAXPROCS(min(2, runtime.GOMAXPROCS(0)))
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(most / 4 * 3)
	debug.SetTraceback("none")
	limitMemory(most + most/4)
}

// watchdog ends the process when a question exceeds a bound.
type watchdog struct {
	limits Limits
	busy   atomic.Bool
	since  atomic.Int64 // processor time
}

func (w *watchdog) begin() {
	w.since.Store(int64(processorTime()))
	w.busy.Store(true)
}

func (w *watchdog) end() { w.busy.Store(false) }

func (w *watchdog) watch() {
	for range time.Tick(10 * time.Millisecond) {
		switch {
		case !w.busy.Load():
		case memory() > w.limits.Memory:
			os.Exit(exitMemory)
		case processorTime()-time.Duration(w.since.Load()) > w.limits.CPU && w.busy.Load():
			os.Exit(exitTime)
		}
	}
}
