//go:build windows

// Command reencode reads a layer from standard input and does with each entry what Windows does when it imports a layer: it turns the entry
// into a backup stream with go-winio's backuptar. Then it turns the stream back and prints what came out, one line per entry: name,
// size, attributes, security descriptor as text, content's length.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/Microsoft/go-winio"
	"github.com/Microsoft/go-winio/backuptar"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	r := tar.NewReader(in)
	h, err := r.Next()
	for err == nil {
		if h.Typeflag == tar.TypeLink {
			fmt.Fprintf(out, "%s link %s\n", h.Name, h.Linkname)
			h, err = r.Next()
			continue
		}
		name, size, info, infoErr := backuptar.FileInfoFromHeader(h)
		if infoErr != nil {
			return fmt.Errorf("%s: %w", h.Name, infoErr)
		}
		var stream bytes.Buffer
		h, err = backuptar.WriteBackupStreamFromTarFile(&stream, r, h)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", name, err)
		}
		back, backErr := reverse(&stream, name, size, info)
		if backErr != nil {
			return fmt.Errorf("%s: turning it back: %w", name, backErr)
		}
		fmt.Fprintln(out, back)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func reverse(stream io.Reader, name string, size int64, info *winio.FileBasicInfo) (string, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	if err := errors.Join(backuptar.WriteTarFileFromBackupStream(t, stream, name, size, info), t.Close()); err != nil {
		return "", err
	}
	r := tar.NewReader(&b)
	h, err := r.Next()
	if err != nil {
		return "", err
	}
	n, err := io.Copy(io.Discard, r)
	if err != nil {
		return "", err
	}
	sd, err := backuptar.SecurityDescriptorFromTarHeader(h)
	if err != nil {
		return "", err
	}
	sddl := "-"
	if len(sd) > 0 {
		if sddl, err = winio.SecurityDescriptorToSddl(sd); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s %d %s %s %d", h.Name, h.Size, h.PAXRecords["MSWINDOWS.fileattr"], sddl, n), nil
}
