package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
)

// mirror is an HTTP proxy on loopback that keeps what it has fetched, so that all programs of a
// comparison get the same files, and none waits for an archive.
type mirror struct {
	dir string
	mu  sync.Mutex // one download at a time: it is over before anything is measured
}

// serveMirror serves a mirror that keeps its files in dir, and returns its URL.
func serveMirror(dir string) (url string, stop func()) {
	s := httptest.NewServer(&mirror{dir: dir})
	return s.URL, s.Close
}

// ServeHTTP implements http.Handler.
func (m *mirror) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method != http.MethodGet || !q.URL.IsAbs() {
		http.Error(w, "this is a proxy for GET", http.StatusMethodNotAllowed)
		return
	}
	sum := sha256.Sum256([]byte(q.URL.String()))
	path := filepath.Join(m.dir, hex.EncodeToString(sum[:]))
	status, err := m.fetch(q, path)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	case status != http.StatusOK:
		w.WriteHeader(status)
	default:
		http.ServeFile(w, q, path)
	}
}

// fetch keeps the file of a request at path, unless it is there.
func (m *mirror) fetch(q *http.Request, path string) (status int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return http.StatusOK, err
	}
	to, err := http.NewRequestWithContext(q.Context(), http.MethodGet, q.URL.String(), http.NoBody)
	if err != nil {
		return 0, err
	}
	a, err := http.DefaultClient.Do(to)
	if err != nil {
		return 0, err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return a.StatusCode, nil
	}
	f, err := os.Create(path + ".part")
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(f, a.Body)
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return http.StatusOK, os.Rename(path+".part", path)
}
