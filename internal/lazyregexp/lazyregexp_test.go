package lazyregexp

import (
	"reflect"
	"regexp"
	"testing"
)

func TestEager(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a malformed expression does not fail in a test program")
		}
	}()
	New("(")
}

func TestLazy(t *testing.T) {
	inTest = false
	defer func() { inTest = true }()
	r := New("(") // compiled, it would panic
	defer func() {
		if recover() == nil {
			t.Error("a malformed expression does not fail when it is used")
		}
	}()
	r.MatchString("")
}

// TestMethods calls each method, and the one of regexp with its name.
func TestMethods(t *testing.T) {
	const expr = `(?P<key>[a-z]+)=([0-9]*)`
	text := "a=1 b= c=33"
	lazy, plain := reflect.ValueOf(New(expr)), reflect.ValueOf(regexp.MustCompile(expr))
	for i := range lazy.NumMethod() {
		name := lazy.Type().Method(i).Name
		m, want := lazy.Method(i), plain.MethodByName(name)
		if !want.IsValid() {
			t.Errorf("regexp has no method %s", name)
			continue
		}
		if m.Type() != want.Type() {
			t.Errorf("%s is %v, not %v", name, m.Type(), want.Type())
			continue
		}
		var in []reflect.Value
		for n := range m.Type().NumIn() {
			switch m.Type().In(n) {
			case reflect.TypeFor[[]byte]():
				in = append(in, reflect.ValueOf([]byte(text)))
			case reflect.TypeFor[string]():
				in = append(in, reflect.ValueOf(text))
			case reflect.TypeFor[int]():
				in = append(in, reflect.ValueOf(2))
			case reflect.TypeFor[func(string) string]():
				in = append(in, reflect.ValueOf(func(s string) string { return "<" + s + ">" }))
			case reflect.TypeFor[func([]byte) []byte]():
				in = append(in, reflect.ValueOf(func(b []byte) []byte { return append([]byte("<"), b...) }))
			default:
				t.Fatalf("%s takes %v: add an argument", name, m.Type().In(n))
			}
		}
		if got, want := m.Call(in)[0].Interface(), want.Call(in)[0].Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s returns %v, not %v", name, got, want)
		}
	}
}
