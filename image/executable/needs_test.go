package executable_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
)

// TestReadNeeds reads small PE and ELF programs, whole and cut at every byte.
func TestReadNeeds(t *testing.T) {
	le := binary.LittleEndian
	for _, tc := range []struct {
		name string
		file []byte
		want executable.Needs
		not  bool
	}{
		{
			name: "PE", file: programtest.PE(programtest.Needs{Libraries: []string{"KERNEL32.dll", "netapi32.dll"}}),
			want: executable.Needs{Libraries: []string{"KERNEL32.dll", "netapi32.dll"}},
		},
		{
			name: "delayed", file: programtest.PE(programtest.Needs{Delayed: []string{"a.dll", "b.dll"}}),
			want: executable.Needs{Delayed: []string{"a.dll", "b.dll"}},
		},
		{
			name: "DLL",
			file: programtest.PE(programtest.Needs{
				Library: true, Libraries: []string{"x.dll"},
				Delayed: []string{"y.dll"},
			}), want: executable.Needs{
				Library: true, Libraries: []string{"x.dll"},
				Delayed: []string{"y.dll"},
			},
		},
		{
			name: "ELF",
			file: programtest.ELF(programtest.Needs{
				Interpreter: "/lib/ld.so",
				Libraries:   []string{"libz.so.1", "libc.so.6"}, Runpath: "$ORIGIN/../lib:/opt",
			}),
			want: executable.Needs{
				Interpreter: "/lib/ld.so", Libraries: []string{"libz.so.1", "libc.so.6"},
				RunPath: []string{"$ORIGIN/../lib", "/opt"},
			},
		},
		{
			name: "shared library", file: programtest.ELF(programtest.Needs{Libraries: []string{"libc.so.6"}}),
			want: executable.Needs{Library: true, Libraries: []string{"libc.so.6"}},
		},
		{name: "static ELF", file: elf64(elf.ET_EXEC, elf.EM_X86_64, elf.ELFOSABI_NONE, le)},
		{name: "driver", file: image(amd64, 1, true, false, 128), not: true},
		{name: ".NET assembly", file: image(amd64, console, true, true, 128), not: true},
		{name: "script", file: []byte("#!/bin/sh\n"), not: true},
		{name: "empty", not: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := executable.ReadNeeds(bytes.NewReader(tc.file), int64(len(tc.file)))
			if ok == tc.not {
				t.Fatalf("it is a program: %t", ok)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
			for n := range tc.file {
				cut, _ := executable.ReadNeeds(bytes.NewReader(tc.file[:n]), int64(n))
				if len(cut.Libraries) > len(got.Libraries) || len(cut.Delayed) > len(got.Delayed) {
					t.Errorf("the first %d bytes need %+v", n, cut)
				}
			}
		})
	}
}

// TestNeedsOfThisTest compares the libraries of a real program with those that debug/elf finds.
func TestNeedsOfThisTest(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	e, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		t.Skip("not an ELF system")
	}
	want, err := e.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	got, ok := executable.ReadNeeds(bytes.NewReader(b), int64(len(b)))
	if !ok || got.Library || !slices.Equal(got.Libraries, want) {
		t.Errorf("%t %+v, want the libraries %v", ok, got, want)
	}
}

// TestMentions checks names in ASCII and UTF-16, in any case, also where two reads meet.
func TestMentions(t *testing.T) {
	wide := "n\x00E\x00t\x00a\x00p\x00i\x003\x002\x00"
	for _, tc := range []struct {
		text string
		want bool
	}{
		{"", false},
		{"NetApi32.DLL", true},
		{wide, true},
		{"net\x00api32", false},
		{strings.Repeat("x", 256<<10-3) + "netapi32", true},
		{strings.Repeat("x", 256<<10-5) + wide, true},
		{strings.Repeat("x", 600<<10) + "netapi3", false},
	} {
		got, err := executable.Mentions(strings.NewReader(tc.text), []string{"other", "netapi32"})
		if err != nil || got[0] || got[1] != tc.want {
			t.Errorf("%d bytes: %v %v, want %t", len(tc.text), got, err, tc.want)
		}
	}
}

// FuzzReadNeeds reads damaged programs.
func FuzzReadNeeds(f *testing.F) {
	f.Add(programtest.PE(programtest.Needs{Libraries: []string{"a.dll"}, Delayed: []string{"b.dll"}}))
	f.Add(programtest.ELF(programtest.Needs{
		Interpreter: "/lib/ld.so", Libraries: []string{"libz.so.1"},
		Runpath: "/opt",
	}))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, _ := executable.ReadNeeds(bytes.NewReader(b), int64(len(b)))
		for _, s := range slices.Concat(n.Libraries, n.Delayed) {
			if len(s) == 0 || strings.Contains(s, "\x00") {
				t.Errorf("a library %q", s)
			}
		}
		if len(n.Libraries) > 1024 || len(n.Delayed) > 1024 {
			t.Errorf("%d and %d libraries", len(n.Libraries), len(n.Delayed))
		}
	})
}
