package renderer

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// Answers has the answers of children from one run to the next. A [store.Store] is one.
//
// [store.Store]: https://pkg.go.dev/github.com/slipway-dev/slipway/store#Store
type Answers interface {
	// Recall fills v with the value recorded of a kind under a key, and reports whether one was.
	Recall(kind, key string, v any) (bool, error)
	Record(kind, key string, v any) error
}

type answersKey struct{}

// Keep returns a context in which [Task.Run] asks no child what a has the answer to, and adds to a
// what children answer. A child has no environment, opens no file and knows no other question: an
// answer follows from its question, the program, and the time zone. An answer with an error is not
// kept, and neither is any if the program does not say which build of it this is.
func Keep(ctx context.Context, a Answers) context.Context {
	return context.WithValue(ctx, answersKey{}, a)
}

// Kind is the kind under which answers are recorded.
const Kind = "answer"

// ask returns the reply to a question that was encoded, from ctx's answers or a child.
func (t Task[Q, A]) ask(ctx context.Context, place string, text []byte) (out reply[A], err error) {
	answers, _ := ctx.Value(answersKey{}).(Answers)
	build := identity()
	if answers == nil || build == "" {
		return t.askChild(ctx, place, text, nil)
	}
	key := fmt.Sprintf("%s\n%s\n%x", build, zone(), sha256.Sum256(text))
	var kept []byte
	if found, err := answers.Recall(Kind, key, &kept); err != nil {
		return out, err
	} else if found && newDecoder(kept).Decode(&out) == nil {
		return out, nil
	}
	return t.askChild(ctx, place, text, func(answer []byte) error { return answers.Record(Kind, key, answer) })
}

// askChild asks a child, and calls keep, if it is not nil, with an answer without an error.
func (t Task[Q, A]) askChild(ctx context.Context, place string, text []byte, keep func([]byte) error,
) (out reply[A], err error) {
	answer, err := ask(ctx, place, text)
	if err != nil {
		return out, err
	}
	if err := newDecoder(answer).Decode(&out); err != nil {
		return out, fmt.Errorf("%s: reading the answer of the process that renders: %w", place, err)
	}
	if keep != nil && out.Err == nil {
		err = keep(answer)
	}
	return out, err
}

// zone returns what tells time zones apart: the name and offsets of a winter and of a summer.
var zone = sync.OnceValue(func() string {
	at := func(m time.Month) string { return time.Date(2024, m, 1, 0, 0, 0, 0, time.UTC).Local().String() }
	return os.Getenv("TZ") + " " + at(time.January) + " " + at(time.July)
})

// identity returns Go's build ID of the program, which follows from its content. An unknown ID is
// empty: the answers of another build would then pass for those of this one.
var identity = sync.OnceValue(func() string {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	note := f.Section(".note.go.buildid")
	if note == nil || note.Size > 1<<10 {
		return ""
	}
	b, err := note.Data()
	if err != nil {
		return ""
	}
	return string(b)
})

// typed gives the types of all tasks their numbers in one order. An encoding has for a type the
// number that was free when the program first encoded it: without this, one question would have
// several texts.
var typed = sync.OnceFunc(func() {
	all := map[string]served{}
	tasks.Range(func(name, task any) bool {
		all[name.(string)] = task.(served) //nolint:forcetypeassert // there is nothing else
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		all[name].types(gob.NewEncoder(io.Discard)) //nolint:errcheck // Run has the error
	}
})

func types[Q, A any](e *gob.Encoder) error {
	var q Q
	return errors.Join(e.Encode(q), e.Encode(reply[A]{}))
}
