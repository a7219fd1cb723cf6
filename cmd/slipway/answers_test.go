package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slipway-dev/slipway/render/renderer"
	"github.com/slipway-dev/slipway/store"
)

// forge STORE OLD NEW replaces a text by one of the same length in what was rendered and is kept in
// a store: who then sees the new one has not rendered.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || len(args[1]) != len(args[2]) {
		ts.Fatalf("usage: forge store old new")
	}
	answers := filepath.Join(ts.MkAbs(args[0]), "cache", renderer.Kind)
	names, err := os.ReadDir(answers)
	ts.Check(err)
	forged := 0
	for _, n := range names {
		path := filepath.Join(answers, n.Name())
		b, err := os.ReadFile(path)
		ts.Check(err)
		var record struct {
			Sum   string `json:"sum"`
			Value []byte `json:"value"`
		}
		ts.Check(json.Unmarshal(b, &record))
		forged += bytes.Count(record.Value, []byte(args[1]))
		record.Value = bytes.ReplaceAll(record.Value, []byte(args[1]), []byte(args[2]))
		value, err := json.Marshal(record.Value)
		ts.Check(err)
		record.Sum = store.Checksum(renderer.Kind, n.Name(), value)
		b, err = json.Marshal(record)
		ts.Check(err)
		ts.Check(os.WriteFile(path, b, 0o600))
	}
	if forged == 0 {
		ts.Fatalf("no answer has %q", args[1])
	}
}
