package executable

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// Needs is what a system looks for when it starts a program or loads a shared library.
type Needs struct {
	// Library is true for a DLL or a shared library, which nothing starts by itself.
	Library bool
	// Libraries are loaded at the start, which fails if one is not there. Delayed are loaded
	// when the program first calls them.
	Libraries, Delayed []string
	// Interpreter is the loader of an ELF program. RunPath and RPath are the directories where it
	// looks for libraries first, of which some begin with $ORIGIN: DT_RUNPATH for what the file
	// itself needs, and DT_RPATH, without a DT_RUNPATH, for what its libraries need, too.
	Interpreter    string
	RunPath, RPath []string
}

// maxLibraries bounds how many libraries and directories of a file are read, maxName the bytes of a
// name, and maxRead the bytes that are read of a file: its tables, which debug/elf holds in memory.
const (
	maxLibraries = 1024
	maxName      = 256
	maxRead      = 64 << 20
)

// bounded is a file of which no more than a number of bytes is read.
type bounded struct {
	io.ReaderAt

	left int
}

func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("its tables are too large")
	}
	return b.ReaderAt.ReadAt(p, at)
}

// ReadNeeds reads what a program or library needs. ok is false for what [Read] takes for no
// program, for drivers, and for files that are not complete.
func ReadNeeds(r io.ReaderAt, size int64) (n Needs, ok bool) {
	r = &bounded{r, maxRead}
	file := io.NewSectionReader(r, 0, size)
	s, ok, err := Read(file)
	switch {
	case err != nil || !ok:
		return Needs{}, false
	case s.Format == "PE":
		return peNeeds(r)
	}
	return elfNeeds(file)
}

// elfNeeds reads the dynamic section of an ELF file
// (https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.dynamic.html).
func elfNeeds(r *io.SectionReader) (n Needs, ok bool) {
	if namesCompressed(r) {
		return Needs{}, false
	}
	e, err := elf.NewFile(r)
	if err != nil || slices.ContainsFunc(e.Sections, func(s *elf.Section) bool {
		return (s.Type == elf.SHT_DYNAMIC || s.Type == elf.SHT_STRTAB) && s.Flags&elf.SHF_COMPRESSED != 0
	}) {
		return Needs{}, false
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return Needs{}, false
	}
	if n.Interpreter, _, err = Interpreter(r); err != nil {
		return Needs{}, false
	}
	n.Library = n.Interpreter == "" && e.Type == elf.ET_DYN
	libraries, err := e.ImportedLibraries()
	if err != nil {
		return n, true // without sections nothing is known
	}
	n.Libraries = libraries[:min(len(libraries), maxLibraries)]
	for tag, paths := range map[elf.DynTag]*[]string{elf.DT_RPATH: &n.RPath, elf.DT_RUNPATH: &n.RunPath} {
		lists, err := e.DynString(tag)
		if err != nil {
			continue
		}
		for _, list := range lists {
			*paths = append(*paths, strings.SplitN(list, ":", maxLibraries)...)
		}
	}
	return n, true
}

// namesCompressed reports whether the section with the names of the others is compressed, which no
// linker does: debug/elf would decompress it, however large it becomes.
func namesCompressed(r *io.SectionReader) bool {
	b := make([]byte, elf.EI_NIDENT+48)
	if _, err := r.ReadAt(b, 0); err != nil {
		return false
	}
	h, wide, order, ok := header(b)
	if !ok {
		return false
	}
	s := make([]byte, 64)
	n, err := r.ReadAt(s, int64(h.Shoff)+int64(h.Shstrndx)*int64(h.Shentsize)) //nolint:gosec // a bad one is no offset
	if n < 12 || err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	if flags := order.Uint32(s[8:]); !wide {
		return elf.SectionFlag(flags)&elf.SHF_COMPRESSED != 0
	}
	return n >= 16 && elf.SectionFlag(order.Uint64(s[8:]))&elf.SHF_COMPRESSED != 0 //nolint:gosec // 32 bits
}

// name reads a string that ends in a zero byte; "" if there is none.
func name(r io.ReaderAt, at int64) string {
	b := make([]byte, maxName)
	n, err := r.ReadAt(b, at)
	if n == 0 && err != nil {
		return ""
	}
	text, _, ok := bytes.Cut(b[:n], []byte{0})
	if !ok {
		return ""
	}
	return string(text)
}

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
