package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// audit reads on in the apiserver's record of what service accounts asked for.
type audit struct {
	file    string
	user    string // whose requests count: a prefix
	offset  int64
	seen    int
	refused []string
}

// check says which requests were forbidden: user, verb and resource, each once.
func (a *audit) check() error {
	f, err := os.Open(a.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil // no request was made yet
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(a.offset, io.SeekStart); err != nil {
		return err
	}
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // a line that is being written is read next time
		}
		if err != nil {
			return err
		}
		a.offset += int64(len(line))
		if err := a.read(line); err != nil {
			return fmt.Errorf("%s: %w", a.file, err)
		}
	}
	if len(a.refused) > 0 {
		return fmt.Errorf("the apiserver refused\n%s", strings.Join(a.refused, "\n"))
	}
	return nil
}

// read takes in one event.
func (a *audit) read(line []byte) error {
	var e struct {
		Verb, RequestURI string
		User             struct{ Username string }
		ObjectRef        struct{ Resource, Subresource, Namespace, APIGroup string }
		Annotations      map[string]string
	}
	if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil {
		return err
	}
	if !strings.HasPrefix(e.User.Username, a.user) {
		return nil
	}
	a.seen++
	if e.Annotations["authorization.k8s.io/decision"] != "forbid" {
		return nil
	}
	what := strings.Trim(e.ObjectRef.Resource+"."+e.ObjectRef.APIGroup, ".")
	if e.ObjectRef.Subresource != "" {
		what += "/" + e.ObjectRef.Subresource
	}
	what = fmt.Sprintf("%s: %s %s in namespace %q (%s)", e.User.Username, e.Verb, what, e.ObjectRef.Namespace,
		e.RequestURI)
	if !slices.Contains(a.refused, what) {
		a.refused = append(a.refused, what)
	}
	return nil
}
