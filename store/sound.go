package store

import (
	"io/fs"
	"os"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// sound remembers which files have the bytes of their digests: those that were written or read to
// their end since the store was opened. Nothing is hashed twice for that, unless something has
// touched the file.
type sound struct {
	mu    sync.Mutex
	files map[string]proof // by path
}

// proof is what a file was, and what it had.
type proof struct {
	file   fs.FileInfo
	digest v1.Hash
}

func (s *sound) has(path string, digest v1.Hash, now fs.FileInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.files[path]
	return ok && p.digest == digest && os.SameFile(p.file, now) && p.file.Size() == now.Size() && p.file.ModTime().Equal(now.ModTime())
}

func (s *sound) add(path string, digest v1.Hash, then fs.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]proof{}
	}
	s.files[path] = proof{then, digest}
}
