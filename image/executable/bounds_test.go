package executable_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"testing"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
)

// zeros is a file that begins with a program, and goes on with zeros.
type zeros struct {
	head []byte
	read int
}

func (z *zeros) ReadAt(p []byte, at int64) (int, error) {
	z.read += len(p)
	clear(p)
	if at < int64(len(z.head)) {
		copy(p, z.head[at:])
	}
	return len(p), nil
}

// TestTables: tables that are larger than those of any program, and compressed ones, are not read.
func TestTables(t *testing.T) {
	sound := programtest.ELF(programtest.Needs{Libraries: []string{"liba.so"}, Interpreter: "/lib/ld.so"})
	if n, ok := executable.ReadNeeds(bytes.NewReader(sound), int64(len(sound))); !ok || len(n.Libraries) != 1 {
		t.Fatalf("a sound program: %+v, %v", n, ok)
	}
	var h elf.Header64
	if err := binary.Read(bytes.NewReader(sound), binary.LittleEndian, &h); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		section int
		change  func(s *elf.Section64)
	}{
		{"large names", 1, func(s *elf.Section64) { s.Size = 8 << 30 }},
		{"large list", 2, func(s *elf.Section64) { s.Size = 8 << 30 }},
		{"compressed names", 1, func(s *elf.Section64) { s.Flags |= uint64(elf.SHF_COMPRESSED) }},
		{"compressed list", 2, func(s *elf.Section64) { s.Flags |= uint64(elf.SHF_COMPRESSED) }},
		{"names of sections", 1, func(s *elf.Section64) { s.Flags |= uint64(elf.SHF_COMPRESSED); h.Shstrndx = 1 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := bytes.Clone(sound)
			at := int64(h.Shoff) + int64(tc.section)*int64(h.Shentsize)
			var s elf.Section64
			if err := binary.Read(io.NewSectionReader(bytes.NewReader(b), at, 64), binary.LittleEndian, &s); err != nil {
				t.Fatal(err)
			}
			tc.change(&s)
			var out bytes.Buffer
			if err := binary.Write(&out, binary.LittleEndian, s); err != nil {
				t.Fatal(err)
			}
			copy(b[at:], out.Bytes())
			binary.LittleEndian.PutUint16(b[62:], h.Shstrndx)
			z := &zeros{head: b}
			n, _ := executable.ReadNeeds(z, 16<<30)
			if len(n.Libraries) > 0 || z.read > 80<<20 {
				t.Errorf("%d bytes were read, and it needs %q", z.read, n.Libraries)
			}
		})
	}
}
