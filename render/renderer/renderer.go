// Package renderer runs work on untrusted text, such as rendering a chart, in a process of its
// own with bounds on memory and time that hold.
//
// A template can ask for any amount of memory, loop, or recurse until the stack overflows, which
// ends a Go program without a chance to clean up. So [Task.Run] passes its question to a child
// process, which is the same program under another name ([Main]), and reads the answer. The child
// gets no environment and opens no file. Its process ends when it exceeds a bound, when the
// context of the question ends, and when its parent does; the parent then has a [LimitError] with
// the file that was rendered. A child answers one question after another, so that a run pays for
// one start.
package renderer

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits bound what one question may use.
type Limits struct {
	Memory int64         // bytes of the child process
	CPU    time.Duration // processor time of a question
	Wall   time.Duration // for a machine that gives the child no processor time
	Answer int           // bytes
}

// Bounds are the limits of children that start from now on. Real charts need a tenth of them. Only
// tests change them.
var Bounds = Limits{Memory: 640 << 20, CPU: 6 * time.Second, Wall: 3 * time.Minute, Answer: 32 << 20}

// maxStack bounds the stack of a goroutine in the child.
const maxStack = 64 << 20

// LimitError is work that exceeded a bound.
type LimitError struct {
	Place string // the file that was rendered
	What  string // that it did, and what to do
}

// Error returns the place and what exceeded the bound.
func (e *LimitError) Error() string { return e.Place + ": " + e.What }

// Exceeded reports whether err is about work that exceeded a bound. Its caller does not try again
// in another way.
func Exceeded(err error) bool {
	limit := (*LimitError)(nil)
	return errors.As(err, &limit)
}

// Task is work of one kind. Question and answer are values that [encoding/gob] encodes.
type Task[Q, A any] struct {
	name string
	do   func(Q) (A, error)
}

// tasks has the program's tasks as [served], by name.
var tasks sync.Map

// served is a task of any types.
type served struct {
	// serve decodes a question, does the task and encodes the answer in at most limit bytes.
	serve func(d *gob.Decoder, limit int) ([]byte, error)
	types func(*gob.Encoder) error // encodes a question, and an answer
}

// Register makes a task. Callers are package variables, so that the child has the task, too. do
// calls [At] with the file that it begins to render.
func Register[Q, A any](name string, do func(Q) (A, error)) Task[Q, A] {
	t := Task[Q, A]{name, do}
	if _, twice := tasks.LoadOrStore(name, served{t.serve, types[Q, A]}); twice {
		panic("renderer: two tasks are called " + name)
	}
	return t
}

// Run does the task in a child, or takes its answer from those that [Keep] gave ctx. place names
// the work in messages until do has called [At]. In a program that does not call [Main], and in the
// child itself, it calls do.
func (t Task[Q, A]) Run(ctx context.Context, place string, q Q) (a A, err error) {
	if !hooked {
		return t.do(q)
	}
	typed()
	text, err := encode(t.name, q)
	if err != nil {
		return a, fmt.Errorf("%s: passing it to the process that renders: %w", place, err)
	}
	out, err := t.ask(ctx, place, text)
	if err != nil {
		return a, err
	}
	return out.Answer, out.Err.err()
}

func (t Task[Q, A]) serve(d *gob.Decoder, limit int) ([]byte, error) {
	var q Q
	if err := d.Decode(&q); err != nil {
		return nil, err
	}
	a, err := t.do(q)
	return encodeReply(reply[A]{a, fault(err)}, limit)
}
