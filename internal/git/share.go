package git

import (
	"context"
	"errors"
	"sync"
)

// views are the views of repositories that one caller's questions share.
type views struct {
	mu   sync.Mutex
	made map[place]*view
}

type viewsKey struct{}

// Share returns a context in which all questions about a repository have one view of it, until end
// is called: the answers are about one state, and the view is made once. The questions are asked
// one after the other.
func Share(ctx context.Context) (shared context.Context, end func()) {
	s := &views{made: map[place]*view{}}
	return context.WithValue(ctx, viewsKey{}, s), s.end
}

// view returns the view of a repository.
func (s *views) view(ctx context.Context, p place) (*view, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		return nil, errors.New("git: the question is asked behind the end of those that it belongs to")
	}
	if v, ok := s.made[p]; ok {
		return v, nil
	}
	v, err := newView(ctx, p)
	if err == nil {
		s.made[p] = v
	}
	return v, err
}

func (s *views) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.made {
		v.close()
	}
	s.made = nil
}
