// Package executable finds out which platform a program is made for, by the head of its file: ELF
// for Linux and the like, PE for Windows, Mach-O for macOS.
//
// The package finds programs that are in an image by mistake, so it knows only files that a system
// starts or loads. Data in the same formats does not count: object files and eBPF (ELF without a
// type of program), .NET assemblies, which run wherever .NET does, and programs for firmware.
package executable

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/slipway-dev/slipway/platform"
)

// System is what a program is made for.
type System struct {
	Format       string // "ELF", "PE" or "Mach-O"
	OS           string // as GOOS
	Architecture string // as GOARCH, or "machine 0x…" where Go has no name for it
}

// String writes the system for a message: "a PE program for windows/amd64".
func (s System) String() string {
	article := "a"
	if s.Format == "ELF" {
		article = "an"
	}
	return fmt.Sprintf("%s %s program for %s/%s", article, s.Format, s.OS, s.Architecture)
}

// Head is how much of a file is looked at, in bytes: a PE header may follow a program for
// DOS.
const Head = 64 << 10

// Read reads the head of a file. ok is false for a file that is not a program; the error is only
// that of the reader.
func Read(r io.Reader) (s System, ok bool, err error) {
	b := make([]byte, 4)
	if n, err := io.ReadFull(r, b); n < len(b) {
		return System{}, false, ignoreEnd(err)
	}
	read := format(b)
	if read == nil {
		return System{}, false, nil
	}
	b, err = io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(b), r), Head))
	if err != nil {
		return System{}, false, err
	}
	s, ok = read(b)
	return s, ok, nil
}

// format returns the reader for a file by its first four bytes.
func format(b []byte) func([]byte) (System, bool) {
	switch {
	case bytes.Equal(b, []byte("\x7fELF")):
		return readELF
	case bytes.Equal(b[:2], []byte("MZ")):
		return readPE
	case isMachO(b):
		return readMachO
	}
	return nil
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// at returns n bytes of b from offset as a little-endian or big-endian number; 0 where b is too
// short.
func at(b []byte, order binary.ByteOrder, offset, n int) uint64 {
	if offset < 0 || offset+n > len(b) {
		return 0
	}
	switch n {
	case 2:
		return uint64(order.Uint16(b[offset:]))
	case 4:
		return uint64(order.Uint32(b[offset:]))
	}
	return uint64(b[offset])
}

// compatible are architectures whose programs a system runs besides its own. Many processors for
// arm64 run none for 32-bit ARM.
var compatible = map[string][]string{
	"linux/amd64": {"386"}, "windows/amd64": {"386"},
}

// Fits returns an error for a program that p does not run.
func Fits(s System, p platform.Platform) error {
	if s.RunsOn(p) {
		return nil
	}
	return fmt.Errorf("it is %s, and the image is for %s/%s", s, p.OS, p.Architecture)
}

// unmarked are systems whose programs ELF need not mark: Go does not, and they look as those of
// Linux.
var unmarked = []string{"dragonfly", "illumos", "solaris"}

// RunsOn reports whether a platform runs the program.
func (s System) RunsOn(p platform.Platform) bool {
	if s.Format == "ELF" && s.OS == platform.Linux && slices.Contains(unmarked, p.OS) {
		return s.Architecture == p.Architecture
	}
	return s.OS == p.OS && (s.Architecture == p.Architecture || s.Architecture == universal ||
		slices.Contains(compatible[p.OS+"/"+p.Architecture], s.Architecture))
}

// universal is the architecture of a file with programs for several.
const universal = "several architectures"

// javaClass is the least version that a Java class has where a universal file has the number of
// its programs: both begin with the same bytes.
const javaClass = 45

// cpus are Go's names for processors of Mach-O.
var cpus = map[macho.Cpu]string{
	macho.Cpu386: "386", macho.CpuAmd64: "amd64", macho.CpuArm: "arm",
	macho.CpuArm64: "arm64", macho.CpuPpc: "ppc", macho.CpuPpc64: "ppc64",
}

// isMachO reports whether a file may be one of macOS, by its first four bytes.
func isMachO(b []byte) bool {
	return binary.BigEndian.Uint32(b) == macho.MagicFat || machOrder(b) != nil
}

// machOrder returns the byte order of a file for one architecture.
func machOrder(b []byte) binary.ByteOrder {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if m := order.Uint32(b); m == macho.Magic32 || m == macho.Magic64 {
			return order
		}
	}
	return nil
}

// readMachO reads the header of a Mach-O file (mach-o/loader.h and mach-o/fat.h of
// https://github.com/apple-oss-distributions/xnu/tree/main/EXTERNAL_HEADERS).
func readMachO(b []byte) (System, bool) {
	const processor, kind, header = 4, 12, 16
	s := System{Format: "Mach-O", OS: "darwin"}
	order := machOrder(b)
	if order == nil {
		const programs = 4
		n := at(b, binary.BigEndian, programs, 4)
		s.Architecture = universal
		return s, n > 0 && n < javaClass
	}
	if len(b) < header {
		return System{}, false
	}
	switch macho.Type(at(b, order, kind, 4)) {
	case macho.TypeExec, macho.TypeDylib, macho.TypeBundle:
	default:
		return System{}, false
	}
	cpu := macho.Cpu(at(b, order, processor, 4)) //nolint:gosec // four bytes
	s.Architecture = cpus[cpu]
	if s.Architecture == "" {
		s.Architecture = fmt.Sprintf("machine %#x", uint32(cpu))
	}
	return s, true
}
