package executable

import (
	"bytes"
	"debug/elf"
	"io"
	"strings"
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

// maxLibraries bounds how many libraries of a file are read, and maxName the bytes of a name.
const (
	maxLibraries = 1024
	maxName      = 256
)

// ReadNeeds reads what a program or library needs. ok is false for what [Read] takes for no
// program, for drivers, and for files that are not complete.
func ReadNeeds(r io.ReaderAt, size int64) (n Needs, ok bool) {
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
	e, err := elf.NewFile(r)
	if err != nil {
		return Needs{}, false
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return Needs{}, false
	}
	if n.Interpreter, err = Interpreter(r); err != nil {
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
			*paths = append(*paths, strings.Split(list, ":")...)
		}
	}
	return n, true
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
