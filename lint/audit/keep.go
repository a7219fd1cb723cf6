package audit

import (
	"bufio"
	"io"
	"os"
)

// kept is an archive whose files can be read in any order after it was read to its end once.
type kept struct {
	io.Reader // the archive, decompressed

	at    io.ReaderAt
	spool *bufio.Writer
	file  *os.File
}

// keep returns an archive that f has and plain decompresses. What is compressed is written to the
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
	file, err := os.CreateTemp(d.dir, "archive-*.tar")
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	return &kept{Reader: io.TeeReader(plain, w), at: file, spool: w, file: file}, nil
}

// flush ends writing.
func (k *kept) flush() error {
	if k.spool == nil {
		return nil
	}
	return k.spool.Flush()
}

// Close removes what was written.
func (k *kept) Close() error {
	if k.file == nil {
		return nil
	}
	k.file.Close()
	return os.Remove(k.file.Name())
}
