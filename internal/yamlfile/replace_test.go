package yamlfile_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

func TestReplace(t *testing.T) {
	at := func(line, column int, old string) yamlfile.Replacement {
		return yamlfile.Replacement{Pos: yamlfile.Pos{File: "f", Line: line, Column: column}, Old: old, New: "new"}
	}
	const src = "a: &x one # one\nb: *x\nc: [\"two\", 't\"hree']\nd: \"f\\x6fur\"\n"
	got, err := yamlfile.Replace("f", []byte(src),
		[]yamlfile.Replacement{at(3, 12, `t"hree`), at(1, 4, "one"), at(3, 5, "two")})
	if want := "a: &x new # one\nb: *x\nc: [\"new\", 'new']\nd: \"f\\x6fur\"\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	_, err = yamlfile.Replace("f",
		[]byte(src), []yamlfile.Replacement{at(4, 4, "four"), at(2, 4, "one"), at(1, 4, "one")})
	if want := "f:2:4: one cannot be replaced in place: write it out here instead of an alias\nf:4:4: four " +
		"cannot be replaced in place: use a plain or quoted scalar without escapes"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := yamlfile.Replace("f", []byte("a: ["), nil); err == nil || !strings.HasPrefix(err.Error(), "f:1:1: ") {
		t.Errorf("not YAML: %v", err)
	}
}
