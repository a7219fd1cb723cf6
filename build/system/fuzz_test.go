package system

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/pem"
	"os"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// FuzzLibrary reads files as libraries: no bytes may take long, or a panic.
func FuzzLibrary(f *testing.F) {
	f.Add(sharedLibrary(binary.LittleEndian), int64(elf.EM_X86_64))
	f.Add([]byte(elf.ELFMAG), int64(elf.EM_ARM))
	f.Fuzz(func(t *testing.T, b []byte, machine int64) {
		o, err := readObject(bytes.NewReader(b), int64(len(b)), binary.LittleEndian)
		if err != nil {
			return
		}
		if l, err := o.library(elf.Machine(machine)); err == nil && l.flags == 0 { //nolint:gosec // any machine
			t.Error("a library without flags")
		}
	})
}

// FuzzCertificate reads files as certificates.
func FuzzCertificate(f *testing.F) {
	ar, err := txtar.ParseFile("testdata/scenarios/certificates.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range ar.Files {
		if b, _ := pem.Decode(file.Data); b != nil {
			f.Add(b.Bytes)
		}
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		for _, revoked := range []bool{true, false} {
			if name, err := nameOf(b, revoked); err == nil {
				_, _ = nameHash(name)
			}
		}
	})
}

// FuzzAlternative reads a link group, and checks that what is written of it is read as the same.
func FuzzAlternative(f *testing.F) {
	f.Add("auto\n/usr/bin/a\nb\n/usr/bin/b\n\n/x\n10\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		tr := tree.New(nil)
		if err := tr.WriteText("/x", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		a := &alternative{s: &System{Tree: tr}, name: "a"}
		if a.parse(text) != nil {
			return
		}
		once := string(a.text())
		b := &alternative{s: a.s, name: "a"}
		if err := b.parse(once); err != nil || string(b.text()) != once {
			t.Errorf("%q is written as %q, and then as %q: %v", text, once, b.text(), err)
		}
	})
}

// FuzzCapabilities reads the text of setcap, and compares what getcap would print of it.
func FuzzCapabilities(f *testing.F) {
	f.Add("cap_net_bind_service=+ep")
	f.Add("all=eip cap_kill-p")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCapabilities(text)
		if err != nil {
			return
		}
		value, err := c.attribute()
		if err != nil {
			return
		}
		read, err := readAttribute(value)
		if err != nil || read != c && c.effective&^(c.permitted|c.inheritable) == 0 {
			t.Errorf("%q is %v, and read as %v: %v", text, c, read, err)
		}
	})
}

// FuzzTable reads a file of accounts and sets a line of it.
func FuzzTable(f *testing.F) {
	f.Add("root:x:0:\n# comment\n+::0:\n", "app")
	f.Fuzz(func(t *testing.T, text, name string) {
		if !validName(name) {
			return
		}
		tr := tree.New(nil)
		if err := tr.WriteText("/etc/group", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s := &System{Tree: tr}
		g, err := s.table("/etc/group", groupFields)
		if err != nil {
			t.Fatal(err)
		}
		g.set(name, name, "x", "7", "")
		if line := g.find(name); line == nil && name[0] != '#' || line != nil && line[2] != "7" {
			t.Errorf("%q with %q is %q", text, name, g.text())
		}
	})
}

// sharedLibrary returns the smallest library that the cache takes.
func sharedLibrary(order binary.ByteOrder) []byte {
	const headers, dynamic, text = 64, 64 + 2*56, 64 + 2*56 + 4*16
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Phoff: headers, Phnum: 2,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	if order == binary.ByteOrder(binary.BigEndian) {
		h.Ident[elf.EI_DATA] = byte(elf.ELFDATA2MSB)
		h.Machine = uint16(elf.EM_S390)
	}
	var b bytes.Buffer
	for _, v := range []any{
		h,
		elf.Prog64{Type: uint32(elf.PT_LOAD), Filesz: 1 << 12, Vaddr: 0},
		elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Off: dynamic, Filesz: 4 * 16},
		[]elf.Dyn64{
			{Tag: int64(elf.DT_STRTAB), Val: text},
			{Tag: int64(elf.DT_NEEDED), Val: 1},
			{Tag: int64(elf.DT_SONAME), Val: 11},
			{Tag: int64(elf.DT_NULL)},
		},
		[]byte("\x00libc.so.6\x00libtest.so.1\x00"),
	} {
		if err := binary.Write(&b, order, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// TestLdconfig makes the cache of two small libraries, by an ldconfig that is known by the texts
// in it, and compares it with what glibc's made of them.
func TestLdconfig(t *testing.T) {
	for name, order := range map[string]binary.ByteOrder{"amd64": binary.LittleEndian, "s390x": binary.BigEndian} {
		tr := tree.New(nil)
		lib := sharedLibrary(order)
		for p, text := range map[string][]byte{
			"/sbin/ldconfig": append(bytes.Clone(lib), "\x00ldconfig (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36\x00"+
				"\x00/lib/multi/\x00/usr/lib/multi/\x00/lib/\x00/usr/lib/\x00"...),
			"/lib/libtest.so.1.10": lib, "/lib/libtest.so.1.9": lib, "/opt/lib/libtest.so.1": lib,
			"/etc/ld.so.conf": []byte("include conf.d/*.conf\n"), "/etc/conf.d/a.conf": []byte("/opt/lib # here\n"),
			"/opt/lib/glibc-hwcaps/x86-64-v3/libtest.so.1": lib,
		} {
			if err := tr.WriteText(p, text, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		s := &System{Tree: tr}
		if err := Ldconfig(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		got, err := s.read("/etc/ld.so.cache")
		if err != nil {
			t.Fatal(err)
		}
		golden := "testdata/" + name + ".cache"
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the cache is\n%q, want\n%q", name, got, want)
		}
		if to, err := s.target("/lib/libtest.so.1"); to != "libtest.so.1.10" || err != nil {
			t.Errorf("%s: the soname leads to %q: %v", name, to, err)
		}
	}
}
