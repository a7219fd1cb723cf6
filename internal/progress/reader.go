package progress

import (
	"context"
	"io"
)

// Reader returns a reader of r that counts in t what it reads, and fails with the cause of ctx
// once that is done. A nil t counts nothing. Use it for one copy.
func Reader(ctx context.Context, r io.Reader, t *Task) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		n, err := r.Read(p)
		t.Add(int64(n))
		return n, err
	})
}

// Drain reads r to its end, as [Reader] does, and drops the bytes.
func Drain(ctx context.Context, r io.Reader, t *Task) error {
	_, err := io.Copy(io.Discard, Reader(ctx, r, t))
	return err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Meter counts the bytes of one attempt in a task, and subtracts them if the attempt fails.
type Meter struct {
	Task *Task
	n    int64
}

// Write counts len(p) bytes.
func (m *Meter) Write(p []byte) (int, error) {
	m.n += int64(len(p))
	return m.Task.Write(p)
}

// Rewind subtracts the bytes that were counted.
func (m *Meter) Rewind() {
	m.Task.Add(-m.n)
	m.n = 0
}
