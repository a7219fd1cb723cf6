package renderer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/render/renderer"
)

// answers are kept in memory, as a store keeps them.
type answers map[string][]byte

func (a answers) Recall(kind, key string, v any) (bool, error) {
	b, ok := a[kind+"\n"+key]
	return ok && json.Unmarshal(b, v) == nil, nil
}

func (a answers) Record(kind, key string, v any) (err error) {
	a[kind+"\n"+key], err = json.Marshal(v)
	return err
}

// TestKeep asks again with what was answered before: the process that answered tells who it was.
func TestKeep(t *testing.T) {
	all := answers{}
	ctx := renderer.Keep(t.Context(), all)
	run := func(ctx context.Context, text string) int {
		t.Helper()
		renderer.Close()
		pid, err := whoami.Run(ctx, "chart", text)
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	first := run(ctx, "question")
	if second := run(ctx, "question"); second != first {
		t.Errorf("the same question was asked twice, of %d and %d", first, second)
	}
	if other := run(ctx, "another question"); other == first {
		t.Error("another question has the answer of the first")
	}
	if without := run(t.Context(), "question"); without == first {
		t.Error("a context without answers has one")
	}
	before := len(all)
	if _, err := fail.Run(ctx, "chart", "question"); err == nil {
		t.Fatal("there is no error")
	}
	if len(all) != before {
		t.Error("an answer with an error was kept")
	}
	for key := range all {
		all[key] = []byte(`"bm9uc2Vuc2U="`)
	}
	if again := run(ctx, "question"); again == first {
		t.Error("a damaged answer was not asked for again")
	}
}

type pair struct{ Left, Right renderer.Value }

var (
	left  = renderer.Register("left", func(p pair) (renderer.Value, error) { return p.Left, nil })
	wraps = renderer.Register("wraps", func(p struct{ Inner pair }) (pair, error) { return p.Inner, nil })
)

// TestKeysAgree asks the same questions in two processes in another order: which type a process
// encodes first does not change what they are kept by.
func TestKeysAgree(t *testing.T) {
	const variable = "SLIPWAY_TEST_ORDER"
	value, err := renderer.Pack(map[string]any{"a": 1, "b": "two", "c": []any{3.0}, "d": nil, "e": true})
	if err != nil {
		t.Fatal(err)
	}
	if order := os.Getenv(variable); order != "" {
		all := answers{}
		ctx := renderer.Keep(t.Context(), all)
		for _, one := range order {
			var err error
			if one == 'l' {
				_, err = left.Run(ctx, "", pair{value, value})
			} else {
				_, err = wraps.Run(ctx, "", struct{ Inner pair }{pair{value, value}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		fmt.Printf("keys: %q\n", slices.Sorted(maps.Keys(all)))
		return
	}
	var keys []string
	for _, order := range []string{"lw", "wl"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKeysAgree$")
		cmd.Env = append(os.Environ(), variable+"="+order)
		out, err := cmd.CombinedOutput()
		_, line, ok := strings.Cut(string(out), "keys: ")
		if err != nil || !ok {
			t.Fatalf("%v\n%s", err, out)
		}
		line, _, _ = strings.Cut(line, "\n")
		keys = append(keys, line)
	}
	if keys[0] != keys[1] {
		t.Errorf("the keys are\n%s\nand\n%s", keys[0], keys[1])
	}
}
