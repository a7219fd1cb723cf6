package executable_test

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/platform"
)

// elf64 and elf32 return the headers of ELF files. The headers have a fixed size, so
// writing them cannot fail.
func elf64(kind elf.Type, m elf.Machine, abi elf.OSABI, order binary.ByteOrder) []byte {
	h := elf.Header64{Type: uint16(kind), Machine: uint16(m), Version: uint32(elf.EV_CURRENT)}
	h.Ident = ident(elf.ELFCLASS64, abi, order)
	b, _ := binary.Append(nil, order, h)
	return b
}

func elf32(kind elf.Type, m elf.Machine, order binary.ByteOrder) []byte {
	h := elf.Header32{Type: uint16(kind), Machine: uint16(m), Version: uint32(elf.EV_CURRENT)}
	h.Ident = ident(elf.ELFCLASS32, elf.ELFOSABI_NONE, order)
	b, _ := binary.Append(nil, order, h)
	return b
}

func ident(class elf.Class, abi elf.OSABI, order binary.ByteOrder) (id [elf.EI_NIDENT]byte) {
	copy(id[:], elf.ELFMAG)
	id[elf.EI_CLASS], id[elf.EI_DATA], id[elf.EI_VERSION], id[elf.EI_OSABI] = byte(class), byte(elf.ELFDATA2LSB),
		byte(elf.EV_CURRENT), byte(abi)
	if order == binary.ByteOrder(binary.BigEndian) {
		id[elf.EI_DATA] = byte(elf.ELFDATA2MSB)
	}
	return id
}

// image returns the header of a PE file after a DOS stub of the given size.
func image(machine, subsystem uint16, wide, managed bool, dos int) []byte {
	b := bytes.Repeat([]byte{0}, dos)
	copy(b, "MZ")
	binary.LittleEndian.PutUint32(b[0x3c:], uint32(dos))
	b = append(b, "PE\x00\x00"...)
	h := pe.FileHeader{Machine: machine, SizeOfOptionalHeader: 240, Characteristics: pe.IMAGE_FILE_EXECUTABLE_IMAGE}
	b, _ = binary.Append(b, binary.LittleEndian, h)
	var dirs [16]pe.DataDirectory
	if managed {
		dirs[pe.IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR] = pe.DataDirectory{VirtualAddress: 0x2000, Size: 72}
	}
	if wide {
		o := pe.OptionalHeader64{Magic: 0x20b, Subsystem: subsystem, NumberOfRvaAndSizes: 16, DataDirectory: dirs}
		b, _ = binary.Append(b, binary.LittleEndian, o)
	} else {
		o := pe.OptionalHeader32{Magic: 0x10b, Subsystem: subsystem, NumberOfRvaAndSizes: 16, DataDirectory: dirs}
		b, _ = binary.Append(b, binary.LittleEndian, o)
	}
	return b
}

// mach returns the header of a Mach-O file.
func mach(magic uint32, cpu macho.Cpu, kind macho.Type, order binary.ByteOrder) []byte {
	b, _ := binary.Append(nil, order, macho.FileHeader{Magic: magic, Cpu: cpu, Type: kind})
	return b
}

const (
	amd64, arm64, i386 = pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_MACHINE_ARM64, pe.IMAGE_FILE_MACHINE_I386
	console, window    = pe.IMAGE_SUBSYSTEM_WINDOWS_CUI, pe.IMAGE_SUBSYSTEM_WINDOWS_GUI
)

func TestRead(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	for _, tc := range []struct {
		name string
		file []byte
		want string // empty for a file that is not a program
	}{
		{"amd64", elf64(elf.ET_EXEC, elf.EM_X86_64, elf.ELFOSABI_NONE, le), "an ELF program for linux/amd64"},
		{
			"marked as Linux", elf64(elf.ET_EXEC, elf.EM_X86_64, elf.ELFOSABI_LINUX, le),
			"an ELF program for linux/amd64",
		},
		{
			"position-independent", elf64(elf.ET_DYN, elf.EM_AARCH64, elf.ELFOSABI_NONE, le),
			"an ELF program for linux/arm64",
		},
		{"FreeBSD", elf64(elf.ET_EXEC, elf.EM_X86_64, elf.ELFOSABI_FREEBSD, le), "an ELF program for freebsd/amd64"},
		{"386", elf32(elf.ET_EXEC, elf.EM_386, le), "an ELF program for linux/386"},
		{"arm", elf32(elf.ET_EXEC, elf.EM_ARM, le), "an ELF program for linux/arm"},
		{"riscv64", elf64(elf.ET_EXEC, elf.EM_RISCV, elf.ELFOSABI_NONE, le), "an ELF program for linux/riscv64"},
		{"ppc64le", elf64(elf.ET_EXEC, elf.EM_PPC64, elf.ELFOSABI_NONE, le), "an ELF program for linux/ppc64le"},
		{"ppc64", elf64(elf.ET_EXEC, elf.EM_PPC64, elf.ELFOSABI_NONE, be), "an ELF program for linux/ppc64"},
		{"s390x", elf64(elf.ET_EXEC, elf.EM_S390, elf.ELFOSABI_NONE, be), "an ELF program for linux/s390x"},
		{"loong64", elf64(elf.ET_EXEC, elf.EM_LOONGARCH, elf.ELFOSABI_NONE, le), "an ELF program for linux/loong64"},
		{"mips64le", elf64(elf.ET_EXEC, elf.EM_MIPS, elf.ELFOSABI_NONE, le), "an ELF program for linux/mips64le"},
		{"mips", elf32(elf.ET_EXEC, elf.EM_MIPS, be), "an ELF program for linux/mips"},
		{
			"unknown machine", elf64(elf.ET_EXEC, elf.EM_VAX, elf.ELFOSABI_NONE, le),
			"an ELF program for linux/machine 0x4b",
		},
		{"object file", elf64(elf.ET_REL, elf.EM_X86_64, elf.ELFOSABI_NONE, le), ""},
		{"eBPF", elf64(elf.ET_REL, elf.EM_BPF, elf.ELFOSABI_NONE, le), ""},
		{"core", elf64(elf.ET_CORE, elf.EM_X86_64, elf.ELFOSABI_NONE, le), ""},
		{"cut ELF", elf64(elf.ET_EXEC, elf.EM_X86_64, elf.ELFOSABI_NONE, le)[:19], ""},

		{"console", image(amd64, console, true, false, 128), "a PE program for windows/amd64"},
		{"window", image(amd64, window, true, false, 128), "a PE program for windows/amd64"},
		{"arm64 PE", image(arm64, console, true, false, 128), "a PE program for windows/arm64"},
		{"386 PE", image(i386, console, false, false, 128), "a PE program for windows/386"},
		{"arm PE", image(pe.IMAGE_FILE_MACHINE_ARMNT, console, false, false, 128), "a PE program for windows/arm"},
		{
			"ia64 PE", image(pe.IMAGE_FILE_MACHINE_IA64, console, true, false, 128),
			"a PE program for windows/machine 0x200",
		},
		{"driver", image(amd64, pe.IMAGE_SUBSYSTEM_NATIVE, true, false, 128), "a PE program for windows/amd64"},
		{"behind much", image(amd64, console, true, false, 60_000), "a PE program for windows/amd64"},
		{"behind too much", image(amd64, console, true, false, 70_000), ""},
		{".NET assembly", image(i386, console, false, true, 128), ""},
		{"64-bit .NET assembly", image(amd64, console, true, true, 128), ""},
		{"firmware", image(amd64, pe.IMAGE_SUBSYSTEM_EFI_APPLICATION, true, false, 128), ""},
		{"DOS", []byte("MZ" + strings.Repeat("\x00", 200)), ""},
		{"cut PE", image(amd64, console, true, false, 128)[:140], ""},
		{"offset into itself", append([]byte("MZ"), bytes.Repeat([]byte{1, 0, 0, 0}, 40)...), ""},
		{"macOS", mach(macho.Magic64, macho.CpuArm64, macho.TypeExec, le), "a Mach-O program for darwin/arm64"},
		{
			"library of macOS", mach(macho.Magic64, macho.CpuAmd64, macho.TypeDylib, le),
			"a Mach-O program for darwin/amd64",
		},
		{"PowerPC", mach(macho.Magic32, macho.CpuPpc, macho.TypeExec, be), "a Mach-O program for darwin/ppc"},
		{"object file of macOS", mach(macho.Magic64, macho.CpuArm64, macho.TypeObj, le), ""},
		{"cut Mach-O", mach(macho.Magic64, macho.CpuArm64, macho.TypeExec, le)[:15], ""},
		{"universal", []byte("\xca\xfe\xba\xbe\x00\x00\x00\x02"), "a Mach-O program for darwin/several architectures"},
		{"Java class", []byte("\xca\xfe\xba\xbe\x00\x00\x00\x34"), ""},
		{"script", []byte("#!/bin/sh\n"), ""},
		{"two letters", []byte("MZ"), ""},
		{"empty", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, r := range []io.Reader{bytes.NewReader(tc.file), iotest.OneByteReader(bytes.NewReader(tc.file))} {
				s, ok, err := executable.Read(r)
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if ok {
					got = s.String()
				}
				if got != tc.want {
					t.Errorf("it is %q, want %q", got, tc.want)
				}
			}
		})
	}
}

// TestReal reads programs written by the Go linker: this test, and one for Windows.
func TestReal(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "main.exe")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", exe, filepath.Join(dir, "main.go"))
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for file, want := range map[string]executable.System{
		self: {Format: "ELF", OS: "linux", Architecture: runtime.GOARCH},
		exe:  {Format: "PE", OS: "windows", Architecture: "amd64"},
	} {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if s, ok, err := executable.Read(f); err != nil || !ok || s != want {
			t.Errorf("%s is %+v %t %v, want %+v", file, s, ok, err, want)
		}
		f.Close()
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, before := range []string{"", "\x7fE", "\x7fELF", "MZ\x00\x00\x00"} {
		if _, ok, err := executable.Read(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))); ok ||
			!errors.Is(err, broken) {
			t.Errorf("after %q: %t %v", before, ok, err)
		}
	}
}

func TestFits(t *testing.T) {
	for _, tc := range []struct {
		program, image string
		fits           bool
	}{
		{"linux/amd64", "linux/amd64", true},
		{"linux/386", "linux/amd64", true},
		{"linux/amd64", "linux/386", false},
		{"linux/arm", "linux/arm64", false},
		{"linux/arm64", "linux/amd64", false},
		{"freebsd/amd64", "linux/amd64", false},
		{"linux/amd64", "windows/amd64", false},
		{"windows/amd64", "linux/amd64", false},
		{"windows/386", "windows/amd64", true},
		{"windows/arm64", "windows/amd64", false},
		{"windows/amd64", "windows/arm64", false},
		{"windows/arm64", "windows/arm64", true},
	} {
		os, arch, _ := strings.Cut(tc.program, "/")
		on, with, _ := strings.Cut(tc.image, "/")
		err := executable.Fits(executable.System{Format: "PE", OS: os, Architecture: arch},
			platform.Platform{OS: on, Architecture: with, OSVersion: "10.0.20348.1"})
		if (err == nil) != tc.fits || err != nil && (!strings.Contains(err.Error(), "for "+tc.program) ||
			!strings.Contains(err.Error(), "image is for "+tc.image)) {
			t.Errorf("%s in an image for %s: %v", tc.program, tc.image, err)
		}
	}
	for _, os := range []string{"dragonfly", "illumos", "solaris"} { // Go's programs for these are not marked
		s := executable.System{Format: "ELF", OS: "linux", Architecture: "amd64"}
		if !s.RunsOn(platform.Platform{OS: os, Architecture: "amd64"}) ||
			s.RunsOn(platform.Platform{OS: os, Architecture: "arm64"}) {
			t.Errorf("%s on %s: %v", s, os, s.RunsOn(platform.Platform{OS: os, Architecture: "amd64"}))
		}
	}
}

// FuzzRead compares the results for files that debug/elf, debug/pe or debug/macho accept with
// theirs.
func FuzzRead(f *testing.F) {
	f.Add(elf64(elf.ET_EXEC, elf.EM_X86_64, elf.ELFOSABI_NONE, binary.LittleEndian))
	f.Add(elf32(elf.ET_DYN, elf.EM_MIPS, binary.BigEndian))
	f.Add(image(amd64, console, true, false, 128))
	f.Add(image(i386, window, false, true, 64))
	f.Add(mach(macho.Magic64, macho.CpuArm64, macho.TypeExec, binary.LittleEndian))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, ok, err := executable.Read(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if e, err := elf.NewFile(bytes.NewReader(b)); err == nil {
			if want := e.Type == elf.ET_EXEC || e.Type == elf.ET_DYN; ok != want || ok && s.Format != "ELF" {
				t.Errorf("debug/elf reads %s for %s; %t %+v", e.Type, e.Machine, ok, s)
			}
		}
		if end := executable.End(b); end < 0 || end > 0 && !bytes.HasPrefix(b, []byte("\x7fELF")) {
			t.Errorf("it ends at %d", end)
		}
		by, _, err := executable.Interpreter(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if e, err := elf.NewFile(bytes.NewReader(b)); err == nil && by != "" {
			if at := slices.IndexFunc(e.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }); at < 0 {
				t.Errorf("debug/elf finds no interpreter; %q", by)
			}
		}
		if m, err := macho.NewFile(bytes.NewReader(b)); err == nil {
			if want := m.Type == macho.TypeExec || m.Type == macho.TypeDylib ||
				m.Type == macho.TypeBundle; ok != want ||
				ok && (s.Format != "Mach-O" || m.Cpu == macho.CpuArm64 && s.Architecture != "arm64") {
				t.Errorf("debug/macho reads %s for %s; %t %+v", m.Type, m.Cpu, ok, s)
			}
		}
		if p, err := pe.NewFile(bytes.NewReader(b)); err == nil && bytes.HasPrefix(b, []byte("MZ")) && ok {
			if s.Format != "PE" || p.Machine == amd64 && s.Architecture != "amd64" {
				t.Errorf("debug/pe reads %#x; %+v", p.Machine, s)
			}
		}
	})
}
