package cache

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// conversation is what the go command sends for a put and a get, with its empty lines.
const conversation = `{"ID":1,"Command":"put","ActionID":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=","OutputID":"LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=","BodySize":5}

"aGVsbG8="
{"ID":2,"Command":"get","ActionID":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="}

{"ID":3,"Command":"close"}

`

// TestConversation answers wrong requests with an error, and stops where the input makes no sense.
func TestConversation(t *testing.T) {
	for name, c := range map[string]struct {
		change func(string) string
		answer string // a part of what is answered
		err    string
	}{
		"right": {func(s string) string {
			return s
		}, `"OutputID":"LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=","Size":5,`, ""},
		"other bytes": {func(s string) string {
			return strings.Replace(s, "aGVsbG8=", "aGVsbG9=", 1)
		}, "", "illegal base64"},
		"poisoned": {
			func(s string) string {
				return strings.Replace(s, "aGVsbG8=", "SGVsbG8=", 1)
			},
			`{"ID":1,"Err":"keeping object 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824: its bytes do not have the digest that names it"}` + "\n" + `{"ID":2,"Miss":true}`, "",
		},
		"short": {func(s string) string {
			return strings.Replace(s, "aGVsbG8=", "aGVs", 1)
		}, "", "illegal base64|unexpected EOF|a line ends"},
		"no quotes": {func(s string) string {
			return strings.Replace(s, `"aGVs`, `aGVs`, 1)
		}, "", `'a' is where a body should have '"'`},
		"killed": {
			func(s string) string { before, _, _ := strings.Cut(s, `{"ID":3`); return before }, `"Size":5,`,
			"",
		},
		"command": {func(s string) string {
			return strings.Replace(s, `"get"`, `"get2"`, 1)
		}, `{"ID":2,"Err":"\"get2\" is not a known command"}`, ""},
		"short names": {func(s string) string {
			return strings.Replace(s, "AQEB", "", 1)
		}, `{"ID":1,"Err":"an action or an object is not a SHA-256"}`, ""},
		"no JSON": {func(string) string { return "get\n" }, "", "a request is not JSON"},
		"no end": {func(string) string {
			return strings.Repeat("x", maxLine+1)
		}, "", "a request has more than 65536 bytes"},
		"size": {func(s string) string {
			return strings.Replace(s, `"BodySize":5`, `"BodySize":-5`, 1)
		}, "", "a request has a body of -5 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := Serve(context.Background(), machine(t, nil), strings.NewReader(c.change(conversation)), &out)
			ok := c.err == ""
			for part := range strings.SplitSeq(c.err, "|") {
				ok = ok || err != nil && strings.Contains(err.Error(), part)
			}
			if !ok || c.err == "" && err != nil || !strings.Contains(out.String(), c.answer) {
				t.Errorf("answered %s\n%v, want %s\n%s", out.String(), err, c.answer, c.err)
			}
		})
	}
}

// FuzzServe sends anything. The cache answers or stops; it never has an object under another name.
func FuzzServe(f *testing.F) {
	f.Add([]byte(conversation))
	f.Add([]byte(strings.Replace(conversation, "aGVsbG8=", "aGVsbG8h", 1)))
	f.Add([]byte(conversation[:len(conversation)/2]))
	dir := f.TempDir() // of all inputs, so that none waits for the disk
	f.Fuzz(func(t *testing.T, in []byte) {
		c := machine(t, nil, func(o *Options) { o.Dir = dir })
		Serve(context.Background(), c, bytes.NewReader(in), io.Discard) //nolint:errcheck // any is right
		objects, err := filepath.Glob(filepath.Join(c.local.dir, "??", "*-d"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range objects {
			text, err := os.ReadFile(path)
			if err != nil || hex.EncodeToString(sum(string(text)))+"-d" != filepath.Base(path) {
				t.Errorf("%s has %q, %v", path, text, err)
			}
			os.RemoveAll(filepath.Dir(path))
		}
	})
}

// TestTrim removes from the disk objects that are old or exceed the size, but none of the last
// hours.
func TestTrim(t *testing.T) {
	c := machine(t, nil)
	old := func(s string, d time.Duration) string {
		e := entry{output: id(sum(s)), size: int64(len(s))}
		if err := c.local.keep(e, strings.NewReader(s)); err != nil {
			t.Fatal(err)
		}
		path := c.local.object(e.output)
		when := time.Now().Add(-d)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := []string{old("old", 50*24*time.Hour), old(strings.Repeat("x", 500), 20*24*time.Hour)}
	there := []string{old(strings.Repeat("y", 500), 10*24*time.Hour), old(strings.Repeat("z", 5000), 2*time.Hour)}
	for _, name := range []string{"notes.txt", "mine/thesis.txt", "ab/thesis.txt"} { // of other programs
		path := filepath.Join(c.local.dir, name)
		when := time.Now().Add(-50 * 24 * time.Hour)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644),
			os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
		there = append(there, path)
	}
	if err := c.local.trim(40*24*time.Hour, 5600); err != nil {
		t.Fatal(err)
	}
	for _, path := range gone {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is there", path)
		}
	}
	for _, path := range there {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	later := time.Now().Add(48 * time.Hour) // a clock was ahead
	if err := os.Chtimes(filepath.Join(c.local.dir, trimmed), later, later); err != nil {
		t.Fatal(err)
	}
	ahead := old("ahead", -48*time.Hour)
	gone = []string{old("old a third time", 50*24*time.Hour)}
	if err := c.local.trim(40*24*time.Hour, 1<<20); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(ahead); err != nil || fi.ModTime().After(time.Now()) {
		t.Errorf("a file was last used in the future: %v", err)
	}
	if _, err := os.Stat(gone[0]); err == nil {
		t.Error("the disk is not trimmed before a time that is still to come")
	}
	young := old("old again", 50*24*time.Hour)
	if err := c.local.trim(time.Hour, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the disk was looked through twice a day: %v", err)
	}
}
