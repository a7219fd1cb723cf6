package shell

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown are calls as text: the line, the directory, the input and the words.
func shown(calls []Call) (list []string) {
	for _, c := range calls {
		where := fmt.Sprint(c.Line)
		if c.Dir != "." {
			where += " in " + c.Dir
		}
		if c.Input != "" {
			where += " of " + c.Input
		}
		list = append(list, where+": "+strings.Join(c.Words, "|"))
	}
	return list
}

// TestCalls: a command has its words without quotes, and what nothing gives stays in them.
func TestCalls(t *testing.T) {
	known := map[string]string{"KNOWN": "k", "WORDS": "a b", "EMPTY": ""}
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing":            {"", nil},
		"a comment":          {"# docker build\n", nil},
		"words":              {"docker build -t  x .", []string{"1: docker|build|-t|x|."}},
		"quotes":             {`a 'b c' "d e" f\ g "h"'i'`, []string{"1: a|b c|d e|f g|hi"}},
		"an empty word":      {`a "" b`, []string{"1: a||b"}},
		"lines":              {"a\n\nb; c\n", []string{"1: a", "3: b", "3: c"}},
		"a long line":        {"a \\\n  b \\\n  c\nd", []string{"1: a|b|c", "4: d"}},
		"operators":          {"a && b || c | d & e", []string{"1: a", "1: b", "1: c", "1: d", "1: e"}},
		"variables":          {`x $KNOWN ${KNOWN} "$KNOWN-$NONE" '$KNOWN' $EMPTY`, []string{"1: x|k|k|k-$NONE|$KNOWN|"}},
		"parts of variables": {`x ${KNOWN:-d} ${KNOWN/k/l} ${KNOWN:1} ${NONE}`, []string{"1: x|k|${KNOWN/k/l}|${KNOWN:1}|${NONE}"}},
		"make's":             {"$(DOCKER) build -f $< $^ $(KNOWN)", []string{"1: $(DOCKER)|build|-f|$*|$*|$(KNOWN)", "1: DOCKER", "1: KNOWN"}},
		"a workflow's":       {"x $(workflow) {{.Tag}}", []string{"1: x|$(workflow)|{{.Tag}}", "1: workflow"}},
		"its own variables":  {"A=1\nB=$A-2\nx $A $B", []string{"3: x|1|1-2"}},
		"of one command":     {"A=1 x\ny $A", []string{"1: x", "2: y|$A"}},
		"a value not known":  {"A=$NONE\nx $A", []string{"2: x|$A"}},
		"a directory":        {"cd a && x; cd b/../c\ny; cd ..\nz", []string{"1 in a: x", "2 in a/c: y", "3 in a: z"}},
		"a subshell":         {"(cd a; x); y", []string{"1 in a: x", "1: y"}},
		"subshells":          {"(cd a; (cd b; x); y); z", []string{"1 in a/b: x", "1 in a: y", "1: z"}},
		"one not known":      {"cd a; cd $NONE; x; cd b; y", []string{"1: x", "1 in b: y"}},
		"one outside":        {"cd /tmp; x", []string{"1: x"}},
		"one that is known":  {"cd $KNOWN; x", []string{"1 in k: x"}},
		"an input":           {"x - < a/b; y", []string{"1 of a/b: x|-", "1: y"}},
		"an input in there":  {"cd a; x < b", []string{"1 in a of a/b: x"}},
		"a pipe":             {"cat a | x -", []string{"1: cat|a", "1 of a: x|-"}},
		"another pipe":       {"sed a b | x -", []string{"1: sed|a|b", "1: x|-"}},
		"an output":          {"x > a 2>&1", []string{"1: x"}},
		"a text":             {"x <<E\ny\nE\nz", []string{"1: x", "4: z"}},
		"within others":      {`x "$(y a)"; A=$(z)`, []string{"1: x|$(y a)", "1: y|a", "1: z"}},
		"conditions":         {"if x; then y; else z; fi", []string{"1: x", "1: y", "1: z"}},
		"a case":             {"case $A in\na) x ;;\n*) y;;\nesac", []string{"2: x", "3: y"}},
		"a function":         {"f() {\n x\n}\nf", []string{"4: f", "2: x"}},
		"a function's words": {"f() { local a=$1\nx $a $2 $3\n}\nf b c; f d $NONE; y $1", []string{"4: f|b|c", "2: x|b|c|$3", "4: f|d|$NONE", "2: x|d|$2|$3", "4: y|$1"}},
		"one never called":   {"f() { x $1; }; y", []string{"1: y", "1: x|$1"}},
		"one after its call": {"f a; f() { x $1; }", []string{"1: f|a", "1: x|$1"}},
		"one within another": {"f() { g $1; }; g() { x $1; }; f a", []string{"1: f|a", "1: g|a", "1: x|a"}},
		"a loop":             {"for i in a b; do x $i-$KNOWN; done; y $i", []string{"1: x|a-k", "1: x|b-k", "1: y|$i"}},
		"a loop over one":    {"for i in $WORDS c; do x $i; done", []string{"1: x|a", "1: x|b", "1: x|c"}},
		"loops":              {"for i in a b; do for j in c d; do x $i$j; done; done", []string{"1: x|ac", "1: x|ad", "1: x|bc", "1: x|bd"}},
		"a loop not known":   {"for i in $NONE a; do x $i; done", []string{"1: x|$i"}},
		"a loop over files":  {"for i in *; do x $i; done", []string{"1: x|$i"}},
		"a loop's directory": {"for i in a b; do (cd $i && x); done; y", []string{"1 in a: x", "1 in b: x", "1: y"}},
		"while":              {"while read a; do x $a; done < b", []string{"1: read|a", "1: x|$a"}},
		"a mistake":          {"x; fi; y", []string{"1: x"}},
		"an open quote":      {"x; y 'a", []string{"1: x", "1: y|"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := shown(Calls(tc.text, known))
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	if want := (map[string]string{"KNOWN": "k", "WORDS": "a b", "EMPTY": ""}); !maps.Equal(known, want) {
		t.Errorf("the values of the caller are now %q", known)
	}
	if got := shown(Calls("A=1; x $A", nil)); !slices.Equal(got, []string{"1: x|1"}) {
		t.Errorf("without values it is %q", got)
	}
}

// TestEnv: a command has the variables that stand before it.
func TestEnv(t *testing.T) {
	calls := Calls("A=1\nB=$A C=$D x\ny", nil)
	if want := map[string]string{"B": "1", "C": "$D"}; len(calls) != 2 || !maps.Equal(calls[0].Env, want) || len(calls[1].Env) > 0 {
		t.Errorf("the calls are %+v", calls)
	}
	if got := len(Calls("f() { x; f; f; }; f", nil)); got < maxDepth || got > 1<<(maxDepth+2) {
		t.Errorf("a function that calls itself has %d calls", got)
	}
}

// TestBounds: what is too long is not read, and a loop over too many words once.
func TestBounds(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want int // calls
	}{
		"a long text":     {"x #" + strings.Repeat("a", maxText-3), 1},
		"a longer text":   {"x #" + strings.Repeat("a", maxText-2), 0},
		"a long loop":     {"for i in" + strings.Repeat(" a", maxWords) + "; do x; done", maxWords},
		"a longer loop":   {"for i in" + strings.Repeat(" a", maxWords+1) + "; do x; done", 1},
		"an endless loop": {"for ((;;)); do x; done", 1},
	} {
		if got := len(Calls(tc.text, nil)); got != tc.want {
			t.Errorf("%s has %d calls, not %d", name, got, tc.want)
		}
	}
}

// TestUnknown: what make, a shell, a workflow or a release puts in is not known.
func TestUnknown(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a{b}": false, "{ {": false, "}}": false, "$": true, "a$(b)": true, "${A}": true, "{{.Tag}}": true,
	} {
		if Unknown(text) != want {
			t.Errorf("%q is known: %v", text, want)
		}
	}
}

// FuzzCalls reads texts of shells. Each command has a word, a line of the text and a directory that
// is relative, and is the same each time.
func FuzzCalls(f *testing.F) {
	for _, text := range []string{
		"cd a && docker buildx build --build-arg A=\"$(x \\\n y)\" -f $D/Dockerfile . ; b\n", "A=1; A=$A$B; x ${A:-$A} \"${A[@]}\"",
		"for i in a $A \"b c\"; do (cd $i && x < y); done\n", "cat a | x - <<E\n$A\nE\n", "$(MAKE) $< $^ $+ $| $% $@ $* $$a",
		"if a; then b; elif c; then d; fi; case a in b) c;; esac; f() { g; }", "cat |", "a <", "for", "for i in", "((", "${", "[[ a", "`a `",
		"while a; do b; done < c\nselect i in a; do b; done\ncoproc a\ntime b\n", "x 'a\\n' $'b\\n' \"c\\n\" d\\\ne \\$f", "cd ..; cd -; cd; cd ''; x\n",
	} {
		f.Add(text, "a b")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		if len(text)+len(value) > 1<<10 {
			return
		}
		known := map[string]string{"A": value, "D": "d"}
		calls := Calls(text, known)
		if len(known) != 2 || known["A"] != value {
			t.Errorf("the values of the caller are now %q", known)
		}
		if again := Calls(text, known); cmp.Diff(calls, again) != "" {
			t.Error("it differs the second time")
		}
		for _, c := range calls {
			if len(c.Words) == 0 || c.Line < 1 || c.Line > strings.Count(text, "\n")+1 || c.Dir == "" {
				t.Errorf("%+v", c)
			}
		}
	})
}
