package containerfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/platform"
)

// TestCheckStart checks which programs an image can start, with and
// without the files of its base.
func TestCheckStart(t *testing.T) {
	for _, tc := range []struct {
		name, on, lines string
		says            string // part of the error
		note            string // the note if the base is unknown; "-" expects an error as well
	}{
		{name: "nothing to start", lines: "COPY a /"},
		{name: "an absolute path", lines: "COPY --chmod=0755 a /bin/\nENTRYPOINT [\"/bin/a\"]"},
		{name: "a command", lines: "COPY --chmod=0755 a /bin/\nCMD [\"/bin/a\", \"-x\"]"},
		{
			name:  "a command is an argument",
			lines: "COPY --chmod=0755 a /bin/\nENTRYPOINT [\"/bin/a\"]\nCMD [\"/none\"]",
		},
		{name: "by PATH", lines: "COPY --chmod=0755 a /usr/bin/\nENTRYPOINT [\"a\"]"},
		{name: "by its PATH", lines: "COPY --chmod=0755 a /opt/\nENV PATH=/x:/opt\nENTRYPOINT [\"a\"]"},
		{name: "by working directory", lines: "WORKDIR /opt\nCOPY --chmod=0755 a ./\nENTRYPOINT [\"./a\"]"},
		{name: "by a link", lines: "COPY --chmod=0755 a /opt/a\nCOPY links /\nENTRYPOINT [\"/toa\"]"},
		{name: "by a linked directory", lines: "COPY --chmod=0755 a /opt/a\nCOPY links /\nENTRYPOINT [\"/toopt/a\"]"},
		{name: "of its group", lines: "COPY --chmod=0050 a /a\nUSER 1000\nENTRYPOINT [\"/a\"]"},
		{name: "of an earlier stage", lines: "COPY --chmod=0755 a /a\nENTRYPOINT [\"/a\"]\nFROM first\nLABEL a=b"},

		{
			name: "empty", lines: "COPY a /\nENTRYPOINT [\"\"]",
			says: "3:1: ENTRYPOINT : the first word is empty: write the program there, or [] for none", note: "-",
		},
		{
			name: "an empty command", lines: "CMD [\"\", \"a\"]",
			says: "2:1: CMD : the first word is empty: write the program there, or [] for none", note: "-",
		},
		{
			name: "nowhere", lines: "COPY --chmod=0755 a /\nENTRYPOINT [\"/program\"]",
			says: `3:1: ENTRYPOINT /program: the image has no such file: copy it, or correct the name`,
			note: "3:1: ENTRYPOINT /program: no COPY or ADD adds it",
		},
		{
			name: "a command that is nowhere", lines: "CMD [\"/program\"]",
			says: `2:1: CMD /program: the image has no such file`, note: "2:1: CMD /program: no COPY",
		},
		{
			name: "elsewhere", lines: "COPY --chmod=0755 a /cnb/program\nENTRYPOINT [\"/bin/program\"]",
			says: "3:1: ENTRYPOINT /bin/program: the image has no such file: did you mean /cnb/program?",
			note: "3:1: ",
		},
		{
			name: "misspelled", lines: "COPY --chmod=0755 a /bin/program\nENTRYPOINT [\"/bin/progam\"]",
			says: "did you mean /bin/program?", note: "3:1: ",
		},
		{
			name: "case counts", lines: "COPY --chmod=0755 a /Program\nENTRYPOINT [\"/program\"]",
			says: "did you mean /Program?", note: "3:1: ",
		},
		{
			name: "not in PATH", lines: "COPY --chmod=0755 a /opt/program\nENTRYPOINT [\"program\"]",
			says: "no directory of PATH has it: did you mean /opt/program?", note: "3:1: ",
		},
		{
			name:  "not in the working directory",
			lines: "WORKDIR /opt\nCOPY --chmod=0755 a /program\nENTRYPOINT [\"./program\"]",
			says:  "did you mean /program?", note: "4:1: ",
		},
		{
			name: "a variable", lines: "ARG x=/a\nENTRYPOINT [\"$x/program\"]", says: "variables are not expanded here",
			note: "3:1: ",
		},
		{
			name: "no shell", lines: "ENTRYPOINT /program",
			says: "/bin/sh: the image has no such file, which the shell form needs: write a list", note: "2:1: ",
		},
		{
			name: "a directory", lines: "COPY a /program/a\nENTRYPOINT [\"/program\"]", says: "/program is not a file",
			note: "-",
		},
		{
			name: "not executable", lines: "COPY --chmod=0644 a /program\nENTRYPOINT [\"/program\"]",
			says: "/program has mode 0644, which does not let user root execute it: copy it with --chmod=0755",
			note: "-",
		},
		{
			name: "executable by others only", lines: "COPY --chmod=0700 a /program\nUSER 1000\nENTRYPOINT [\"/program\"]",
			says: "mode 0700, which does not let user 1000", note: "-",
		},
		{
			name:  "executable by all but the user",
			lines: "COPY --chmod=0077 --chown=1000 a /program\nUSER 1000\nENTRYPOINT [\"/program\"]",
			says:  "mode 0077", note: "-",
		},
		{
			name: "an unknown user", lines: "COPY --chmod=0755 a /a\nUSER web\nENTRYPOINT [\"/a\"]",
			says: "3:1: the user is \"web\", and /etc/passwd of the image does not have it: write the number",
		},
		{
			name: "root without a name", lines: "COPY --chmod=0755 a /a\nUSER root\nENTRYPOINT [\"/a\"]",
			says: "3:1: the user is \"root\", and /etc/passwd of the image does not have it",
		},
		{
			name: "a known user", lines: "COPY <<x /etc/passwd\nweb:x:7:7::/:\nx\nCOPY --chmod=0755 a /a\n" +
				"USER web:7\nENTRYPOINT [\"/a\"]",
		},
		{
			name: "a link to nothing", lines: "COPY links /\nENTRYPOINT [\"/toa\"]",
			says: "/toa is a symbolic link to opt/a, and nothing is there", note: "3:1: ",
		},
		{
			name: "a link to itself", lines: "COPY links /\nENTRYPOINT [\"/loop\"]", says: "symbolic links",
			note: "3:1: ",
		},
		{
			name:  "of a stage whose entrypoint was another's",
			lines: "COPY --chmod=0755 a /a\nENTRYPOINT [\"/b\"]\nFROM first\nLABEL a=b", says: "3:1: ENTRYPOINT /b",
			note: "3:1: ",
		},

		{
			name:  "a script whose shell is not there",
			lines: "COPY --chmod=0755 <<x /run.sh\n#! /bin/sh -e\nx\nENTRYPOINT [\"/run.sh\"]",
			says:  "ENTRYPOINT /run.sh: /run.sh needs /bin/sh to start, which the image does not have",
		},
		{name: "a script and its interpreter", lines: "COPY --chmod=0755 a /bin/sh\nCOPY --chmod=0755 " +
			"<<x /run.sh\n#!/bin/sh\nx\nENTRYPOINT [\"/run.sh\"]"},

		{
			name: "Windows, with backslashes", on: "windows/amd64:ltsc2022",
			lines: "COPY a /app/a.exe\nENTRYPOINT [\"C:\\\\app\\\\a.exe\"]",
		},
		{
			name: "Windows, with slashes in another case", on: "windows/amd64:ltsc2022",
			lines: "COPY a /app/a.exe\nENTRYPOINT [\"c:/App/A\"]",
		},
		{
			name: "Windows, by PATH", on: "windows/amd64:ltsc2022",
			lines: "COPY a /app/a.cmd\nENV Path=C:\\\\x;C:\\\\APP\nENTRYPOINT [\"a\"]",
		},
		{
			name: "Windows, by PATHEXT", on: "windows/amd64:ltsc2022",
			lines: "COPY a /app/a.ps1\nENV PATHEXT=.PS1\nENTRYPOINT [\"\\\\app\\\\a\"]",
		},
		{
			name: "Windows, by working directory", on: "windows/amd64:ltsc2022",
			lines: "WORKDIR /app\nCOPY a a.exe\nENTRYPOINT [\"a\"]",
		},
		{name: "Windows, cmd", on: "windows/amd64:ltsc2022", lines: "ENTRYPOINT echo hello"},
		{
			name: "Windows, nowhere", on: "windows/amd64:ltsc2022",
			lines: "COPY a /program.exe\nENTRYPOINT [\"C:\\\\app\\\\program.exe\"]",
			says:  "the image has no such file: did you mean /program.exe?", note: "3:1: ",
		},
		{
			name: "Windows, another extension", on: "windows/amd64:ltsc2022",
			lines: "COPY a /app/program.ps1\nENTRYPOINT [\"C:\\\\app\\\\program\"]", says: "the image has no such file",
			note: "3:1: ",
		},
		{
			name: "Windows, of the machine", on: "windows/amd64:ltsc2022", lines: "ENTRYPOINT [\"powershell.exe\"]",
			note: "2:1: ",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := started(t, tc.on, "FROM scratch AS first\n"+tc.lines)
			note, err := r.CheckStart(true)
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("the error is %v, want %q", err, tc.says)
			}
			if tc.says == "" && tc.note == "" && note != "" {
				t.Errorf("the note is %q", note)
			}
			note, err = r.CheckStart(false)
			if (tc.note == "-") != (err != nil) ||
				tc.note != "-" && (!strings.Contains(note, tc.note) || tc.note == "" && note != "") {
				t.Errorf("where the base is not known, the note is %q and the error %v, want %q", note, err, tc.note)
			}
		})
	}
}

// alone is a program that needs nothing.
var alone = string(programtest.ELF(programtest.Needs{}))

func started(t *testing.T, on, text string) containerfile.Result {
	t.Helper()
	if on == "" {
		on = "linux/amd64"
	}
	program := "MZ"
	if !strings.HasPrefix(on, "windows") {
		program = alone
	}
	c := dockerfiletest.Load(t,
		txtar.Parse([]byte("link context/links/toa opt/a\nlink context/links/toopt "+
			"opt\nlink context/links/loop loop\n-- Dockerfile --\n"+text+"\n-- context/a --\n"+program+"\n")))
	var err error
	c.Input.Platform, err = platform.Parse(on)
	must(t, err)
	r, err := build(t, c.Input)
	must(t, err)
	return r
}

// TestEmptied checks a COPY whose source has a variable without a value.
func TestEmptied(t *testing.T) {
	const text = "-- Dockerfile --\nFROM base\nARG FILES\nCOPY --chmod=0755 %s /app/\n%s\n-- context/daprd " +
		"--\n%s\n-- images/base --\nlayer\n"
	for _, c := range []struct{ source, entrypoint, note, err string }{
		{"/$FILES", "", "Dockerfile:3:19: /$FILES copies everything that is there, since FILES has no value: " +
			"give FILES a value under args", ""},
		{"${FILES}", "", "${FILES} copies everything that is there", ""},
		{"/$FILES", `ENTRYPOINT ["/app/daprd"]`, "copies everything", ""},
		{"/$FILES", `ENTRYPOINT ["/daprd"]`, "", "copies everything that is there"},
		{"/", "", "", ""},
		{"da$FILES*", "", "", ""},
	} {
		in := dockerfiletest.Load(t, txtar.Parse([]byte(fmt.Sprintf(text, c.source, c.entrypoint, alone)))).Input
		in.Platform, in.Shown = platform.Platform{OS: "linux", Architecture: "amd64"}, "Dockerfile"
		r, err := build(t, in)
		must(t, err)
		note, err := r.CheckStart(false)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)), c.err == "" && err != nil:
			t.Errorf("COPY %s: %v, want %q", c.source, err, c.err)
		case c.note == "" && note != "", !strings.Contains(note, c.note):
			t.Errorf("COPY %s: note %q, want %q", c.source, note, c.note)
		}
	}
}
