package imagefile

import (
	"io"
	"sync"
)

// Count makes f note the names of the files that are opened from now on.
func (f *File) Count() (opened func() []string) {
	c := &counting{files: f.files}
	f.files = c
	return func() []string {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.names
	}
}

type counting struct {
	files

	mu    sync.Mutex
	names []string
}

func (c *counting) open(name string) (io.ReadCloser, int64, error) {
	r, size, err := c.files.open(name)
	if err != nil {
		return nil, 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &noting{r, c, name}, size, nil
}

// noting notes a file that is read further than its begin, which shows how it is compressed.
type noting struct {
	io.ReadCloser

	in   *counting
	name string
}

func (n *noting) Read(p []byte) (int, error) {
	if len(p) > 16 {
		n.in.mu.Lock()
		n.in.names = append(n.in.names, n.name)
		n.in.mu.Unlock()
	}
	return n.ReadCloser.Read(p)
}
