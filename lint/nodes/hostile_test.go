package nodes

import (
	"strings"
	"testing"
)

// What a cluster calls its nodes and pods adds no row to the table.
func TestHostileNames(t *testing.T) {
	r := &Report{
		Nodes: []Node{{Name: "a\nb  linux/amd64", Notes: []string{"\x1b[2J"}}},
		Pods:  []Pod{{Object: "Pod x\t\nPod y", Verdicts: []Verdict{{Node: "a\nb", Runs: true}}}},
	}
	var out strings.Builder
	if err := r.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 5 || strings.Contains(out.String(), "\x1b") {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}
