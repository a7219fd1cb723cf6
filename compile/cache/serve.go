package cache

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// waiting is how many requests may wait for the registry at the same time.
const waiting = 64

// Serve answers the go command until it closes the cache or its input ends. Requests that need the
// registry are answered when it has answered; the order does not matter.
func Serve(ctx context.Context, c *Cache, in io.Reader, out io.Writer) error {
	s := &server{cache: c, out: bufio.NewWriter(out), slots: make(chan struct{}, waiting)}
	if err := s.write(response{KnownCommands: []string{cmdGet, cmdPut, cmdClose}}); err != nil {
		return err
	}
	r := newReader(in)
	for {
		q, err := r.next()
		if errors.Is(err, io.EOF) { // the go command was killed
			s.pending.Wait()
			return c.Close(ctx)
		}
		if err != nil {
			return fmt.Errorf("reading from the go command: %w", err)
		}
		if err := s.handle(ctx, r, q); err != nil {
			return fmt.Errorf("answering the go command: %w", err)
		}
		if q.Command == cmdClose {
			return nil
		}
	}
}

// server is one conversation with the go command.
type server struct {
	cache   *Cache
	slots   chan struct{}
	pending sync.WaitGroup

	mu  sync.Mutex
	out *bufio.Writer
	err error // of writing, in the background
}

func (s *server) write(r response) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := json.Marshal(r)
	if err == nil {
		_, err = s.out.Write(append(text, '\n'))
	}
	return errors.Join(err, s.out.Flush())
}

// handle answers a request. Its error ends the conversation.
func (s *server) handle(ctx context.Context, r *reader, q *request) error {
	switch q.Command {
	case cmdPut:
		return s.put(r, q)
	case cmdGet:
		return s.get(ctx, q)
	case cmdClose:
		s.pending.Wait()
		err := s.cache.Close(ctx)
		return errors.Join(s.err, err, s.write(response{ID: q.ID}))
	}
	return s.write(response{ID: q.ID, Err: fmt.Sprintf("%.40q is not a known command", q.Command)})
}

func (s *server) put(r *reader, q *request) error {
	body, end, err := r.body(q.BodySize)
	if err != nil {
		return err
	}
	e, putErr := s.cache.put(q, body)
	if _, err := io.Copy(io.Discard, body); err != nil {
		return err
	}
	if err := end(); err != nil {
		return err
	}
	if putErr != nil {
		return s.write(response{ID: q.ID, Err: putErr.Error()})
	}
	return s.write(response{ID: q.ID, DiskPath: s.cache.local.object(e.output)})
}

func (s *server) get(ctx context.Context, q *request) error {
	if len(q.ActionID) != len(id{}) {
		return s.write(response{ID: q.ID, Err: "an action is not a SHA-256"})
	}
	action := id(q.ActionID)
	if e, ok := s.cache.onDisk(action); ok || s.cache.remote == nil {
		return s.write(s.answer(q.ID, e, ok))
	}
	s.slots <- struct{}{}
	s.pending.Go(func() {
		e, ok := s.cache.inRegistry(ctx, action)
		if err := s.write(s.answer(q.ID, e, ok)); err != nil {
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
		}
		<-s.slots
	})
	return nil
}

func (s *server) answer(number int64, e entry, ok bool) response {
	if !ok {
		return response{ID: number, Miss: true}
	}
	return response{
		ID: number, OutputID: e.output[:], Size: e.size, Time: &e.time,
		DiskPath: s.cache.local.object(e.output),
	}
}
