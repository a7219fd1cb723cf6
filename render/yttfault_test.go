package render

import (
	"errors"
	"testing"
)

// TestYTTFault: an error of ytt is one line that begins with a place.
func TestYTTFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{
			"\n- struct has no .x field or method\n    in <toplevel>\n      a.yaml:2 | a: #@ data.values.x\n",
			"config/a.yaml:2: a: #@ data.values.x: struct has no .x field or method: " +
				"correct the template, or the values that it is given",
		},
		{"\n- real division by zero\n    in f\n      b.yaml:2 | #@   return 1/0\n    in <toplevel>\n " +
			"     b.yaml:4 | a: #@ f()\n", "b.yaml:2: #@   return 1/0: real division by zero: " +
			"correct the template, or the values that it is given"},
		{"\n- one\n  two\n", "one two"},
		{"Document on line a.yaml:5: no", "Document on line a.yaml:5: no"},
	} {
		if got := yttFault(errors.New(c.in), map[string]string{"a.yaml": "config/a.yaml"}).Error(); got != c.want {
			t.Errorf("%q is\n%s, want\n%s", c.in, got, c.want)
		}
	}
}
