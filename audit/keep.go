package audit

import (
	"bufio"
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lint"
)

// kept is an archive whose files can be read in any order after it was read to its end once.
type kept struct {
	io.Reader // the archive, decompressed

	at    io.ReaderAt
	spool *bufio.Writer
	file  *disk.File
}

// keep returns an archive that f has and plain decompresses. A compressed one is written to the
// directory of layers; a tar is read where it is.
func (d *Deep) keep(f io.ReaderAt, plain io.Reader) (*kept, error) {
	if d == nil {
		return &kept{Reader: plain}, nil
	}
	const magic, at = "ustar", 257 // https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html
	head := make([]byte, len(magic))
	if n, err := f.ReadAt(head, at); n == len(head) && err == nil && string(head) == magic {
		return &kept{Reader: plain, at: f}, nil
	}
	file, err := d.layers.File()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", lint.ErrUnread, err)
	}
	w := bufio.NewWriterSize(spooling{file}, 1<<20)
	return &kept{Reader: io.TeeReader(plain, w), at: file, spool: w, file: file}, nil
}

// spooling marks the errors of writing, which are not about the archive.
type spooling struct{ io.Writer }

func (s spooling) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil {
		err = fmt.Errorf("%w: %w", lint.ErrUnread, err)
	}
	return n, err
}

// flush ends writing.
func (k *kept) flush() error {
	if k.spool == nil {
		return nil
	}
	return k.spool.Flush()
}

// close removes the written file.
func (k *kept) close() {
	if k.file != nil {
		k.file.Abort()
	}
}
