package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// guide FILE OLD=NEW… runs the shell commands of a guide in order, one per line, after
// replacing some texts. Every command must succeed.
func guide(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: guide file [old=new…]")
	}
	text, err := os.ReadFile(args[0])
	ts.Check(err)
	var replace []string
	for _, a := range args[1:] {
		from, to, _ := strings.Cut(a, "=")
		if !strings.Contains(string(text), from) {
			ts.Fatalf("%s has no %s", args[0], from)
		}
		replace = append(replace, from, to)
	}
	script := "set -eux\n"
	for _, block := range shellBlock.FindAllSubmatch(text, -1) {
		script += string(block[1])
	}
	ts.Check(ts.Exec("sh", "-c", strings.NewReplacer(replace...).Replace(script)))
}
