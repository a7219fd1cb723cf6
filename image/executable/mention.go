package executable

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf16"
)

// Mentions reports for each name whether a file has it as text, in ASCII or UTF-16 and in any
// case. A program that loads a library by name has that name. Names are of ASCII letters, and
// shorter than 4096 bytes.
func Mentions(r io.Reader, names []string) ([]bool, error) {
	found := make([]bool, len(names))
	var ascii, wide [][]byte
	for _, s := range names {
		b := lower([]byte(s))
		ascii = append(ascii, b)
		var w []byte
		for _, u := range utf16.Encode([]rune(string(b))) {
			w = append(w, byte(u), byte(u>>8))
		}
		wide = append(wide, w)
	}
	const chunk, overlap = 256 << 10, 8 << 10
	buffer, kept := make([]byte, chunk), 0
	for {
		n, err := io.ReadFull(r, buffer[kept:])
		b := buffer[:kept+n]
		lower(b[kept:])
		for i := range names {
			found[i] = found[i] || bytes.Contains(b, ascii[i]) || bytes.Contains(b, wide[i])
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		kept = copy(buffer, b[len(b)-overlap:])
	}
}

// lower changes ASCII letters to lower case, in place.
func lower(b []byte) []byte {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}
