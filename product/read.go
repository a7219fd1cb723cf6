package product

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// maxFile bounds slipway.yaml and images.txt in bytes. Real ones have a few thousand.
const maxFile = 1 << 20

// readText reads a text file. What is wrong with it as a text goes into m.
func readText(m *mistakes, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	checkText(m, path, b)
	return b, nil
}

// checkText reports a file that is too long, and the first place where it is no text.
func checkText(m *mistakes, file string, b []byte) {
	if len(b) > maxFile {
		m.at(Pos{file, 1, 1}, "the file has more than %d bytes: is it the right one?", maxFile)
		return
	}
	line, column := 1, 1
	for rest := b; len(rest) > 0; column++ {
		r, n := utf8.DecodeRune(rest)
		what := ""
		switch {
		case r == utf8.RuneError && n == 1:
			what = fmt.Sprintf("byte 0x%02x is not UTF-8: save the file as UTF-8", rest[0])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85:
			what = fmt.Sprintf("control character %U: take it out", r)
		}
		if what != "" {
			m.at(Pos{file, line, column}, "%s", what)
			return
		}
		if r == '\n' {
			line, column = line+1, 0
		}
		rest = rest[n:]
	}
}

// firstColumn is where the text of a line starts.
func firstColumn(b []byte, line int) int {
	for range line - 1 {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	b, _, _ = bytes.Cut(b, []byte("\n"))
	return len(b) - len(bytes.TrimLeft(b, " \t")) + 1
}
