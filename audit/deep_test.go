package audit_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lint"
)

type files = indextest.Files

const (
	trixie   = "etc/os-release=ID=debian\nVERSION_ID=\"13\"\n"
	bookworm = "etc/os-release -> ../usr/lib/os-release"
)

var (
	alone   = string(programtest.ELF(programtest.Needs{}))
	dynamic = string(programtest.ELF(programtest.Needs{
		Interpreter: "/lib64/ld-linux-x86-64.so.2", Libraries: []string{"libc.so.6", "libssl.so.3"},
	}))
	loader = "lib64/ld-linux-x86-64.so.2=" + alone
	exe    = string(programtest.PE(programtest.Needs{Libraries: []string{"KERNEL32.dll"}}))
	cpp    = string(programtest.PE(programtest.Needs{
		Libraries: []string{"KERNEL32.dll", "MSVCP140.dll", "api-ms-win-crt-heap-l1-1-0.dll"}, Delayed: []string{"late.dll"},
	}))
	dll   = string(programtest.PE(programtest.Needs{Library: true, Libraries: []string{"other.dll"}}))
	micro = files{"Files/Windows/System32/kernel32.dll=", "Hives/"}
)

const lacksCPP = "error index-library-missing MSVCP140.dll, which /app.exe imports, is not in the image: copy it from an " +
	"image that has it (COPY --from), or use another base"

// gpu is a program that is linked with NVIDIA's driver, and more.
func gpu(more ...string) string {
	return string(programtest.ELF(programtest.Needs{
		Interpreter: "/lib64/ld-linux-x86-64.so.2", Libraries: append([]string{"libcuda.so.1", "libnvidia-ml.so.1"}, more...),
	}))
}

func linux(entrypoint ...string) v1.ConfigFile {
	return v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: entrypoint}}
}

func windows(entrypoint ...string) v1.ConfigFile {
	return v1.ConfigFile{
		OS: "windows", Architecture: "amd64", OSVersion: "10.0.26100.2894", Config: v1.Config{Entrypoint: entrypoint},
	}
}

func user(c v1.ConfigFile, name string) v1.ConfigFile { c.Config.User = name; return c }

// escaped is an image of Docker's builder for Windows, whose command line is one word.
func escaped(c v1.ConfigFile) v1.ConfigFile { c.Config.ArgsEscaped = true; return c }

func pathed(c v1.ConfigFile, path string) v1.ConfigFile {
	c.Config.Env = []string{"Path=" + path}
	return c
}

// based adds to a configuration what Microsoft's bases have in theirs.
func based(c v1.ConfigFile) v1.ConfigFile {
	made := time.Date(2026, 11, 8, 0, 0, 0, 0, time.UTC)
	c.History = []v1.History{{Created: v1.Time{Time: made}, CreatedBy: "Apply image 10.0.26100.2894"}}
	return c
}

var insideCases = []struct {
	name   string
	config v1.ConfigFile
	layers []files
	want   []string
}{
	{"healthy", user(linux("/app"), "me"), []files{{trixie, "etc/passwd=me:x:7:7::/:\n"}, {"app=" + alone}}, nil},
	{"starts-nothing", linux(), []files{{trixie}}, nil},
	{"healthy-dynamic", linux("app"), []files{
		{trixie, loader, "usr/lib/x86_64-linux-gnu/libc.so.6=", "usr/lib/x86_64-linux-gnu/libssl.so.3=", "usr/bin/app=" + dynamic},
	}, nil},
	{"extended", linux(), []files{{"usr/lib/os-release=ID=debian\nVERSION_ID=12\n", bookworm}}, []string{
		"note index-base-extended its base is Debian 12 by os-release: the regular support of Debian 12 ended on 2026-06-10, " +
			"and the extended one ends on 2028-06-30 (https://www.debian.org/releases/)",
	}},
	{"ended", linux(), []files{{"usr/lib/os-release=ID=debian\nVERSION_ID=11\n", bookworm}}, []string{
		"warning index-base-ended its base is Debian 11 by os-release: the support of Debian 11 ended on 2026-08-31 " +
			"(https://www.debian.org/releases/)",
	}},
	{"rolling", linux(), []files{{"etc/os-release=ID=wolfi\nVERSION_ID=20230201\n"}}, nil},
	{"missing", linux("/manger"), []files{{"manager=" + alone}}, []string{
		"error index-entrypoint-missing ENTRYPOINT /manger: the image has no such file: did you mean /manager?",
	}},
	{"no-layers", linux("/app"), nil, []string{
		"error index-entrypoint-missing ENTRYPOINT /app: the image has no such file: copy it, or correct the name",
	}},
	{"name-of-windows", windows(`C:\app.exe`), []files{{"Files/app.exe=" + exe, "Files/a:b=x"}}, []string{
		`error index-windows-name path /a:b: "a:b" has a character that Windows names cannot have: rename the file`,
	}},
	{"name-in-two-cases", windows(`C:\app.exe`), []files{{"Files/app.exe=" + exe, "Files/Dir/a=x", "Files/dir/A=y"}}, []string{
		`error index-windows-name "/Files/Dir/a" and "/Files/dir/A" are in one layer, and one file on Windows: take one out, or rename it`,
	}},
	{"healthy-cases", windows(`C:\app.exe`), []files{{"Files/app.exe=" + exe, "Files/Dir/a=x"}, {"Files/dir/", "Files/DIR/A=y"}}, nil},
	{"healthy-directories", windows(`C:\app.exe`), []files{{"Files/app.exe=" + exe, "Files/Dir/", "Files/dir/", "Files/dir/a=x"}}, nil},
	{"healthy-cases-of-linux", linux("/app"), []files{{"app=" + alone, "a=x", "A=y"}}, nil},
	{"removed", linux("/app"), []files{{"app=" + alone}, {".wh.app="}}, []string{
		"error index-entrypoint-missing ENTRYPOINT /app: the image has no such file: copy it, or correct the name",
	}},
	{"dangling", linux("/app"), []files{{"app -> usr/bin/app"}}, []string{
		"error index-entrypoint-missing ENTRYPOINT /app: /app is a symbolic link to usr/bin/app, and nothing is there: " +
			"copy that file, too",
	}},
	{"circle", linux("/app"), []files{{"app -> app"}}, []string{
		"error index-entrypoint-missing ENTRYPOINT /app: it cannot be found: /app leads through more than 255 symbolic links",
	}},
	{"mode", linux("/app"), []files{{"app:0644=" + alone}}, []string{
		"error index-entrypoint-mode ENTRYPOINT /app: /app has mode 0644, which does not let user root execute it: " +
			"copy it with --chmod=0755",
	}},
	{
		"closed",
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: []string{"/d/app"}, User: "7"}},
		[]files{{"d:0700/", "d/app=" + alone}},
		[]string{
			"error index-entrypoint-mode ENTRYPOINT /d/app: the directory /d has mode 0700, which does not let user 7 enter it: " +
				"give it mode 0755",
		},
	},
	{
		"closed-to-a-link",
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: []string{"/d/app"}, User: "7"}},
		[]files{{"d:0700/", "d/app -> /app", "app=" + alone}},
		[]string{
			"error index-entrypoint-mode ENTRYPOINT /d/app: the directory /d has mode 0700, which does not let user 7 enter it: " +
				"give it mode 0755",
		},
	},
	{"healthy-closed", linux("/d/app"), []files{{"d:0700/", "d/app=" + alone}}, nil}, // to all but root
	{"directory", v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{WorkingDir: `C:\app`}}, nil, []string{
		`error index-process the working directory is "C:\\app", which is not an absolute path of Linux`,
	}},
	{
		"directory-is-a-file",
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{WorkingDir: "/l/x"}},
		[]files{{"app=x", "l -> app"}},
		[]string{
			"error index-process the working directory is /l/x, and /l is a file",
		},
	},
	{"variable", v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Env: []string{"=x", "a=b\x00", "none", ""}}}, nil, []string{
		`error index-process Env has "=x", a variable without a name`,
		`error index-process Env has "a=b\x00", with a byte 0, which ends a variable`,
	}},
	{"healthy-process", v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{WorkingDir: "/x", Env: []string{"a="}}}, nil, nil},
	{"healthy-directory-of-windows", windows("cmd"), nil, nil},
	{"script-relative", linux("/run.sh"), []files{{"run.sh=#!sh\n", "bin/sh=" + alone}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: /run.sh needs /sh to start, which the image does not have: " +
			"name a base that has it, or build the program so that it needs none (CGO_ENABLED=0 in Go)",
	}},
	{"script-mode", linux("/run.sh"), []files{{"run.sh=#!/bin/sh\n", "bin/sh:0644=" + alone}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: /run.sh needs /bin/sh to start, and /bin/sh has mode 0644, " +
			"which does not let user root execute it: copy it with --chmod=0755",
	}},
	{"script-env", linux("/run.sh"), []files{{"run.sh=#!/usr/bin/env bash\n", "usr/bin/env=" + alone, "opt/bash=" + alone}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: /run.sh needs bash to start, which no directory of PATH has: " +
			"name a base that has it",
	}},
	{"script-env-words", linux("/run.sh"), []files{{"run.sh=#!/usr/bin/env bash -e\n", "usr/bin/env=" + alone, "bin/bash=" + alone}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: /run.sh needs \"bash -e\" to start, which no directory of PATH has: " +
			"Linux gives env the words as one, so write #!/usr/bin/env -S",
	}},
	{"script-env-path", linux("/run.sh"), []files{{"run.sh=#!/usr/bin/env /bin/bash\n", "usr/bin/env=" + alone}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: /run.sh needs /bin/bash to start, which the image does not have: " +
			"name a base that has it, or build the program so that it needs none (CGO_ENABLED=0 in Go)",
	}},
	{"script-env-nothing", linux("/run.sh"), []files{{"run.sh=#!/usr/bin/env\n", "usr/bin/env=" + alone}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: /run.sh names no program for env: write #!/usr/bin/env and its name",
	}},
	{"healthy-env-sets-path", linux("/run.sh"), []files{{"run.sh=#!/usr/bin/env -S PATH=/opt x\n", "usr/bin/env=" + alone, "opt/x=" + alone}}, nil},
	{"script-unread", user(linux("/run.sh"), "7"), []files{{"run.sh:0711=#!/bin/sh\n", "bin/sh=" + alone}}, []string{
		"error index-entrypoint-mode ENTRYPOINT /run.sh: /run.sh has mode 0711, which does not let user 7 read it, as the " +
			"interpreter of a script does: copy it with --chmod=0755",
	}},
	{"interpreter-is-a-text", linux("/run.sh"), []files{{"run.sh=#!/bin/sh\n", "bin/sh=text"}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: /run.sh needs /bin/sh to start: it is neither a program nor a script whose " +
			"first line is #! and its interpreter: Linux does not start it",
	}},
	{"scripts-of-scripts", linux("/run.sh"), []files{{"run.sh=#!/run.sh\n"}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: " + strings.Repeat("/run.sh needs /run.sh to start: ", 5) +
			"it leads through more than 5 scripts",
	}},
	{"healthy-scripts", linux("/1"), []files{{"1=#!/2\n", "2=#!/3\n", "3=#!/4\n", "4=#!/5\n", "5=#!/6\n", "6=" + alone}}, nil},
	{"mounted", linux("/dev/app"), []files{{"dev/app=" + alone}}, []string{
		"error index-entrypoint-missing ENTRYPOINT /dev/app: runtimes mount a file system of their own over /dev/app: " +
			"move it elsewhere",
	}},
	{"slash", linux("/app/"), []files{{"app=" + alone}}, []string{
		"error index-entrypoint-missing ENTRYPOINT /app/: a program has no slash at its end: leave it out",
	}},
	{"relative-path", v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{
		Entrypoint: []string{"app"}, WorkingDir: "/opt", Env: []string{"PATH=."},
	}}, []files{{"opt/app=" + alone}}, []string{
		"error index-entrypoint-missing ENTRYPOINT app: no directory of PATH has it: did you mean /opt/app?",
	}},
	{"zero-in-a-word", linux("/app", "a\x00b"), []files{{"app=" + alone}}, []string{
		`error index-process the command has "a\x00b", with a byte 0, which ends a word`,
	}},
	{
		"directory-is-a-dead-link",
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{WorkingDir: "/l/x"}},
		[]files{{"l -> none"}},
		[]string{
			"error index-process the working directory is /l/x, and /l is a link to nothing",
		},
	},
	{"root-unknown", user(linux("/app"), "root:root"), []files{{"app=" + alone}}, []string{
		"error index-user-unknown the user is \"root:root\", and /etc/passwd of the image does not have it: write the number",
	}},
	{"user-of-three", user(linux("/app"), "1:2:3"), []files{{"app=" + alone}}, []string{
		"error index-user-unknown the user is \"1:2:3\": write USER, or USER:GROUP",
	}},
	{"user-too-large", user(linux("/app"), "4294967296"), []files{{"app=" + alone}}, []string{
		"error index-user-unknown the user is \"4294967296\", and numbers of users go from 0 to 2147483647",
	}},
	{"healthy-command-line", escaped(windows(`C:\Dir x\app.exe -a`)), []files{{"Files/Dir x/app.exe=" + exe}}, nil},
	{"healthy-name-with-a-blank", escaped(windows(`C:\Dir x\app.exe`)), []files{{"Files/Dir x/app.exe=" + exe}}, nil},
	{"healthy-quoted-command-line", escaped(windows(`"C:\Dir x\app.exe" -a`)), []files{{"Files/Dir x/app.exe=" + exe}}, nil},
	{"command-line", escaped(windows(`"C:\Dir x\app.exe" -a`)), []files{{"Files/app.exe=" + exe}}, []string{
		`error index-entrypoint-missing ENTRYPOINT C:\Dir x\app.exe: the image has no such file: did you mean /app.exe?`,
	}},
	{"healthy-env", linux("/run.sh"), []files{{"usr/local/bin/bash -> bash", "run.sh=#! /usr/bin/env\t-S A=b bash -e\n", "usr/bin/env=" + alone, "bin/bash=" + alone}}, nil},
	{"healthy-script", linux("/run.sh"), []files{{"run.sh=#!/bin/sh -e\n", "bin/sh=" + alone}}, nil},
	{"script-without-a-line", linux("/run.sh"), []files{{"run.sh=#!\n"}}, []string{
		"error index-program-differs ENTRYPOINT /run.sh: its first line is #! without an interpreter: name one, such as #!/bin/sh",
	}},
	{"script-of-windows", linux("/run.sh"), []files{{"run.sh=#!/bin/sh\r\n", "bin/sh=" + alone}}, []string{
		"error index-program-differs ENTRYPOINT /run.sh: its first line ends with a carriage return, which Linux takes for a part " +
			"of it: save it with the line ends of Unix",
	}},
	{"script-with-a-mark", linux("/run.sh"), []files{{"run.sh=\xef\xbb\xbf#!/bin/sh\n", "bin/sh=" + alone}}, []string{
		"error index-program-differs ENTRYPOINT /run.sh: a byte order mark is before its #!: save it without one",
	}},
	{"text", linux("/app"), []files{{"app=exec /bin/app\n"}}, []string{
		"error index-program-differs ENTRYPOINT /app: it is neither a program nor a script whose first line is #! and its interpreter: " +
			"Linux does not start it",
	}},
	{"empty", linux("/app"), []files{{"app="}}, []string{
		"error index-program-differs ENTRYPOINT /app: the file is empty: copy the program itself",
	}},
	{"cut", linux("/app"), []files{{"app=" + alone[:100]}}, []string{
		"error index-program-differs ENTRYPOINT /app: it has 100 bytes, and its headers name 120: it was cut short, so make it anew",
	}},
	{"cut-in-its-header", linux("/app"), []files{{"app=" + alone[:30]}}, []string{
		"error index-program-differs ENTRYPOINT /app: it has 30 bytes, and its headers name 64: it was cut short, so make it anew",
	}},
	{"object", linux("/app"), []files{{"app=" + alone[:16] + "\x01" + alone[17:]}}, []string{
		"error index-program-differs ENTRYPOINT /app: it is an ELF file, but no program: an object file, or one that was cut short",
	}},
	{"text-for-windows", windows(`C:\app.exe`), []files{{"Files/app.exe=text"}}, []string{
		`error index-program-differs ENTRYPOINT C:\app.exe: it is not a program for Windows, although it ends in .exe: copy the program itself`,
	}},
	{"healthy-batch", windows(`C:\app.cmd`), []files{{"Files/app.cmd=@echo off"}}, nil},
	{"script", linux("/run.sh"), []files{{"run.sh=#!/bin/bash\n"}}, []string{
		"error index-interpreter-missing ENTRYPOINT /run.sh: /run.sh needs /bin/bash to start, which the image does not have: " +
			"name a base that has it, or build the program so that it needs none (CGO_ENABLED=0 in Go)",
	}},
	{"loader", linux("/app"), []files{{"app=" + dynamic}}, []string{
		"error index-interpreter-missing ENTRYPOINT /app: /app needs /lib64/ld-linux-x86-64.so.2 to start, which the image " +
			"does not have: name a base that has it, or build the program so that it needs none (CGO_ENABLED=0 in Go)",
	}},
	{"library", linux("/app"), []files{{loader, "lib/x86_64-linux-gnu/libc.so.6=", "app=" + dynamic}}, []string{
		"error index-library-missing libssl.so.3, which /app needs, is not in the image: copy it from an image that has it, " +
			"or link the program statically (CGO_ENABLED=0 in Go)",
	}},
	// what NVIDIA's runtime mounts, next to what nobody does
	{"healthy-gpu", linux("/app"), []files{{loader, "app=" + gpu()}}, nil},
	{"library-and-gpu", linux("/app"), []files{{loader, "app=" + gpu("libz.so.1")}}, []string{
		"error index-library-missing libz.so.1, which /app needs, is not in the image: copy it from an image that has it, " +
			"or link the program statically (CGO_ENABLED=0 in Go)",
	}},
	// its runtime reads the file, and executes nothing
	{
		"healthy-wasm",
		v1.ConfigFile{OS: "wasip1", Architecture: "wasm", Config: v1.Config{Entrypoint: []string{"/app.wasm"}}},
		[]files{{"app.wasm:0644=\x00asm"}},
		nil,
	},
	{"program-of-windows", linux("/app"), []files{{"app=" + exe}}, []string{
		"error index-program-differs ENTRYPOINT /app: it is a PE program for windows/amd64, and the image is for linux/amd64",
	}},
	{
		"program-of-amd64",
		v1.ConfigFile{OS: "linux", Architecture: "arm64", Config: v1.Config{Cmd: []string{"/app"}}},
		[]files{{"app=" + alone}},
		[]string{
			"error index-program-differs CMD /app: it is an ELF program for linux/amd64, and the image is for linux/arm64",
		},
	},
	{"program-of-dotnet", linux("/app"), []files{{"app=MZ"}}, []string{
		"error index-program-differs ENTRYPOINT /app: it is a program for DOS, Windows or .NET, and the image is for linux/amd64",
	}},
	{"empty-entrypoint", linux(""), []files{{"app=" + alone}}, []string{
		"error index-entrypoint-missing ENTRYPOINT : the first word is empty: write the program there, or [] for none",
	}},
	{
		"empty-command",
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Cmd: []string{"", "x"}}},
		[]files{{"app=" + alone}},
		[]string{"error index-entrypoint-missing CMD : the first word is empty: write the program there, or [] for none"},
	},
	{"user", user(linux("/app"), "me"), []files{{"etc/passwd=you:x:7:7::/:\n", "app=" + alone}}, []string{
		"error index-user-unknown the user is \"me\", and /etc/passwd of the image does not have it: write the number",
	}},
	{"layers-of-windows", linux("/app"), []files{{"Files/", "Files/app=" + alone, "Hives/"}}, []string{
		"error index-layers-differ its layers have the directory Files: they are those of a Windows image",
	}},
	// as the image of kpack's lifecycle, which is read and never started
	{"both", linux(), []files{{"app=" + alone}, {"Files/", "Files/app=" + exe, "Hives/"}}, nil},
	{"healthy-windows", windows(`C:\app.exe`), []files{{"Files/", "Files/app.exe=" + exe, "Hives/"}}, nil},
	// what eStargz adds to a layer is of no system
	{"healthy-lazy", windows(`C:\app.exe`), []files{
		{"Files/app.exe=" + exe, "Hives/", ".no.prefetch.landmark=\x0f", "stargz.index.json={}"},
	}, nil},
	{"layers-of-linux", windows(`C:\app.exe`), []files{{"app.exe=" + exe}}, []string{
		"error index-layers-differ none of its layers has the directory Files: they are those of a Linux image",
	}},
	{"a-layer-of-linux", windows(`C:\app.exe`), []files{{"Files/app.exe=" + exe, "Hives/"}, {}, {"app.conf=a"}}, []string{
		"error index-layers-differ 1 of its layers lack the directory Files: no container has their files",
	}},
	{"program-of-linux", windows("app"), []files{{"Files/app.exe=" + alone}}, []string{
		"error index-program-differs ENTRYPOINT app: it is an ELF program for linux/amd64, and the image is for windows/amd64",
	}},
	// the base, which is not read, may have it
	{"of-the-base", based(windows(`C:\none.exe`)), []files{{"Files/Windows/x="}, {"Files/app.exe=" + exe}}, nil},
	{"of-no-base", windows(`C:\none.exe`), []files{{"Files/app.exe=" + exe}}, []string{
		"error index-entrypoint-missing ENTRYPOINT C:\\none.exe: the image has no such file: copy it, or correct the name",
	}},
	{"library-of-windows", based(windows(`C:\app.exe`)), []files{micro, {"Files/app.exe=" + cpp}}, []string{lacksCPP}},
	{"healthy-beside", based(windows(`C:\app\app.exe`)), []files{micro, {"Files/app/app.exe=" + cpp, "Files/app/msvcp140.DLL="}}, nil},
	{"healthy-system", based(windows(`C:\app.exe`)), []files{
		{"Files/Windows/System32/kernel32.dll=", "Files/Windows/System32/msvcp140.dll="}, {"Files/app.exe=" + cpp},
	}, nil},
	{"healthy-path", pathed(based(windows(`C:\app.exe`)), `C:\Windows;D:\x;C:\Lib`), []files{
		micro, {"Files/app.exe=" + cpp, "Files/lib/msvcp140.dll="},
	}, nil},
	{"library-removed", based(windows(`C:\app.exe`)), []files{
		{"Files/Windows/System32/kernel32.dll=", "Files/Windows/System32/msvcp140.dll="},
		{"Files/Windows/System32/.wh.msvcp140.dll=", "Files/app.exe=" + cpp},
	}, []string{lacksCPP}},
	// a library of the base needs what is not there: that is not looked at
	{"healthy-base", based(windows(`C:\app.exe`)), []files{
		{"Files/Windows/System32/kernel32.dll=", "Files/Windows/System32/msvcp140.dll=" + dll}, {"Files/app.exe=" + cpp},
	}, nil},
	{"library-of-library", based(windows(`C:\app.exe`)), []files{
		micro, {"Files/app.exe=" + cpp, "Files/msvcp140.dll=" + dll},
	}, []string{strings.NewReplacer("MSVCP140", "other", "/app.exe", "/msvcp140.dll").Replace(lacksCPP)}},
	// it is no base: the host has the libraries
	{"hostprocess", based(windows(`C:\app.exe`)), []files{{"Files/x="}, {"Files/app.exe=" + cpp}}, nil},
}

// foreign is a layer that clients do not push.
type foreign struct{ v1.Layer }

func (foreign) MediaType() (types.MediaType, error) { return types.OCIRestrictedLayer, nil }

// TestNoBase: of an image whose base the registry lacks no library is missed.
func TestNoBase(t *testing.T) {
	r := registrytest.Serve(t)
	img := indextest.Filled(t, based(windows(`C:\app.exe`)), micro, files{"Files/app.exe=" + cpp})
	list, err := img.Layers()
	must(t, err)
	base, err := mutate.AppendLayers(empty.Image, foreign{list[0]}, list[1])
	must(t, err)
	c, err := base.ConfigFile()
	must(t, err)
	full := based(windows(`C:\app.exe`))
	full.RootFS = c.RootFS
	base, err = mutate.ConfigFile(base, &full)
	must(t, err)
	ref := r.Repo(t, "foreign").Tag("1")
	must(t, remote.Write(ref, base))
	got := inside(t, ref.String())
	if len(got) != 1 || !strings.HasPrefix(got[0], "note index-foreign-layer") {
		t.Errorf("findings: %q", got)
	}
}

// TestInsideEvidence reads no archive in evidence, which has documents as its layers.
func TestInsideEvidence(t *testing.T) {
	r := registrytest.Serve(t)
	about := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("a", 64)}
	for _, form := range []string{".sig", ".att", "bundle"} {
		img := indextest.Proof(t, form, about)
		ref := r.Repo(t, "evidence").Tag("1")
		must(t, remote.Write(ref, img))
		dir := filepath.Join(t.TempDir(), "layout")
		_, err := layout.Write(dir, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: img}))
		must(t, err)
		for _, arg := range []string{ref.String(), dir} {
			for _, found := range inside(t, arg) {
				if strings.Contains(found, "index-unreadable") {
					t.Errorf("%s of %s: %s", arg, form, found)
				}
			}
		}
	}
}

// TestInsideEncrypted: layers that are neither archives nor evidence are not passed over.
func TestInsideEncrypted(t *testing.T) {
	r := registrytest.Serve(t)
	img, err := mutate.AppendLayers(indextest.Filled(t, v1.ConfigFile{OS: "linux", Architecture: "amd64"}),
		static.NewLayer([]byte("secret"), types.OCILayer+"+encrypted"))
	must(t, err)
	ref := r.Repo(t, "encrypted").Tag("1")
	must(t, remote.Write(ref, img))
	if found := inside(t, ref.String()); !strings.Contains(strings.Join(found, " "), "index-unreadable") {
		t.Errorf("an encrypted image: %q", found)
	}
}

// TestInside reads the layers of each image from a registry, a directory, archives and docker save.
func TestInside(t *testing.T) {
	r := registrytest.Serve(t)
	for _, tc := range extent.Some(insideCases, 3) {
		t.Run(tc.name, func(t *testing.T) {
			img := indextest.Filled(t, tc.config, tc.layers...)
			ref := r.Repo(t, tc.name).Tag("1")
			must(t, remote.Write(ref, img))
			dir := filepath.Join(t.TempDir(), "layout")
			_, err := layout.Write(dir, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: img}))
			must(t, err)
			saved := filepath.Join(t.TempDir(), "saved.tar")
			must(t, tarball.WriteToFile(saved, ref, img))
			all := []string{ref.String(), dir, saved, archivetest.Pack(t, dir, "tar"), archivetest.Pack(t, dir, "zst")}
			for _, arg := range all {
				if diff := cmp.Diff(tc.want, inside(t, arg)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", arg, diff)
				}
			}
		})
	}
}

// inside returns the findings of an argument whose layers are read, without those about Windows
// images without an index.
func inside(t *testing.T, arg string) (all []string) {
	t.Helper()
	deep, err := audit.NewDeep()
	must(t, err)
	defer func() { must(t, deep.Close()) }()
	reader := audit.NewReader(network.Options{Wait: time.Millisecond, Jobs: 4})
	reader.Deep = deep
	list, _, err := reader.Read(t.Context(), arg)
	must(t, err)
	for _, f := range lint.CheckIndexes(list, lint.IndexOptions{Now: now}).Findings {
		occurred.Store(f.Rule, true)
		if f.Rule != "index-single" {
			all = append(all, string(f.Severity)+" "+f.Rule+" "+f.What)
		}
	}
	return all
}

// TestLayersOnce reads two images over one base: each layer once, and none of Microsoft's.
func TestLayersOnce(t *testing.T) {
	r := registrytest.Serve(t)
	base, micro := files{trixie, "etc/passwd=me:x:7:7::/:\n"}, files{"Files/Windows/notepad.exe=" + exe}
	one := indextest.Filled(t, user(linux("/app"), "me"), base, files{"app=" + alone})
	two := indextest.Filled(t, user(linux("/other"), "me"), base, files{"other=" + alone})
	on := indextest.Filled(t, based(windows(`C:\app.exe`)), micro, files{"Files/app.exe=" + exe})
	i := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, img := range []v1.Image{one, two, on} {
		cf, err := img.ConfigFile()
		must(t, err)
		p := cf.Platform()
		if img == two {
			p.Variant = "v2"
		}
		i = mutate.AppendManifests(i, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p}})
	}
	ref := r.Repo(t, "sample").Tag("1")
	must(t, remote.WriteIndex(ref, i))
	r.Reset()
	if got := inside(t, ref.String()); slices.ContainsFunc(got, func(f string) bool { return !strings.HasPrefix(f, "note ") }) {
		t.Errorf("findings: %q", got)
	}
	layers, bytes := map[v1.Hash]int{}, int64(0)
	for _, img := range []v1.Image{one, two, on} {
		list, err := img.Layers()
		must(t, err)
		for n, l := range list {
			d, err := l.Digest()
			must(t, err)
			size, err := l.Size()
			must(t, err)
			if img == on && n == 0 {
				layers[d] = 0
				continue
			}
			if layers[d] == 0 {
				bytes += size
			}
			layers[d] = 1
		}
	}
	for d, want := range layers {
		if got := r.Count(http.MethodGet, d.String()); got != want {
			t.Errorf("layer %s was read %d times, not %d", d, got, want)
		}
	}
	calls, _ := r.Reset()
	t.Logf("%d requests, %d bytes of layers", len(calls), bytes)
	// The index, a manifest and a configuration of each, four layers, tags and referrers.
	if len(calls) > 1+2*3+4+2 {
		t.Errorf("%d requests: %q", len(calls), calls)
	}
}

// TestDamagedLayer: a layer that is not there, or damaged, is a finding.
func TestDamagedLayer(t *testing.T) {
	img := indextest.Filled(t, linux("/app"), files{"app=" + alone})
	list, err := img.Layers()
	must(t, err)
	d, err := list[0].Digest()
	must(t, err)
	for want, do := range damages {
		dir := filepath.Join(t.TempDir(), "layout")
		_, err = layout.Write(dir, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: img}))
		must(t, err)
		must(t, do(filepath.Join(dir, "blobs", "sha256", d.Hex)))
		for _, arg := range []string{dir, archivetest.Pack(t, dir, "tar"), archivetest.Pack(t, dir, "zst")} {
			got := inside(t, arg)
			if len(got) != 1 || !strings.HasPrefix(got[0], want) {
				t.Errorf("%s: %q, not %s", arg, got, want)
			}
		}
	}
}
