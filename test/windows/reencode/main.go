//go:build windows

// Command reencode reads a layer from standard input and does with each entry what Windows does
// when it imports a layer and exports it again (github.com/Microsoft/hcsshim/pkg/ociwclayer):
// go-winio's backuptar turns the entry into the attributes and the backup stream of a file, and
// these back into an entry. The layer that comes out goes into the file that the argument names,
// and each entry's security descriptor as text to standard output.
package main

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"strings"

	"github.com/Microsoft/go-winio"
	"github.com/Microsoft/go-winio/backuptar"
)

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	b := bufio.NewWriterSize(f, 1<<20)
	if err := errors.Join(run(bufio.NewReaderSize(os.Stdin, 1<<20), b, os.Stdout), b.Flush(), f.Close()); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out, text io.Writer) error {
	r, w := tar.NewReader(in), tar.NewWriter(out)
	h, err := r.Next()
	for err == nil {
		switch {
		case strings.HasPrefix(path.Base(h.Name), ".wh."):
			if err := w.WriteHeader(&tar.Header{Name: h.Name}); err != nil {
				return err
			}
			h, err = r.Next()
		case h.Typeflag == tar.TypeLink:
			if err := link(w, h); err != nil {
				return err
			}
			h, err = r.Next()
		default:
			h, err = file(w, r, h, text)
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return w.Close()
}

// link writes a hard link as ociwclayer exports it.
func link(w *tar.Writer, h *tar.Header) error {
	name, _, info, err := backuptar.FileInfoFromHeader(h)
	if err != nil {
		return err
	}
	back := backuptar.BasicInfoHeader(name, 0, info)
	back.Mode, back.Typeflag, back.Linkname = h.Mode, tar.TypeLink, h.Linkname
	return w.WriteHeader(back)
}

// file passes one entry through a backup stream and returns the header after it.
func file(w *tar.Writer, r *tar.Reader, h *tar.Header, text io.Writer) (*tar.Header, error) {
	name, size, info, err := backuptar.FileInfoFromHeader(h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	const permissions = 0o7777 // Windows lacks them: they are for readers of the layer elsewhere
	mode := h.Mode & permissions
	stream, streamed := io.Pipe()
	var next *tar.Header
	var nextErr error
	read := make(chan struct{})
	go func() {
		defer close(read)
		next, nextErr = backuptar.WriteBackupStreamFromTarFile(streamed, r, h)
		if errors.Is(nextErr, io.EOF) {
			streamed.Close()
			return
		}
		streamed.CloseWithError(nextErr)
	}()
	again, written := io.Pipe()
	go func() {
		t := tar.NewWriter(written)
		written.CloseWithError(errors.Join(backuptar.WriteTarFileFromBackupStream(t, stream, name, size, info),
			t.Close()))
	}()
	back := tar.NewReader(again)
	out, err := back.Next()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	sd, err := backuptar.SecurityDescriptorFromTarHeader(out)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	sddl := "-"
	if len(sd) > 0 {
		if sddl, err = winio.SecurityDescriptorToSddl(sd); err != nil {
			return nil, fmt.Errorf("%s: %w", h.Name, err)
		}
	}
	fmt.Fprintf(text, "%q %s\n", out.Name, sddl)
	out.Mode |= mode
	if err := w.WriteHeader(out); err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	if _, err := io.Copy(w, back); err != nil {
		return nil, fmt.Errorf("%s: %w", h.Name, err)
	}
	if _, err := back.Next(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one entry came back: %v", h.Name, err) //nolint:errorlint // it may be nil
	}
	<-read
	return next, nextErr
}
