package reproduce

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// values names the fields in which two JSON documents differ.
func values(file string, a, b []byte) []Cause {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return []Cause{{File: file, Why: offset(a, b)}}
	}
	var causes []Cause
	differ("", x, y, func(path string, was, is any) {
		if len(causes) < maxCauses {
			causes = append(causes,
				Cause{File: file, Why: fmt.Sprintf("%s is %s, made here %s", path, short(was), short(is))})
		}
	})
	if len(causes) == 0 {
		causes = []Cause{{File: file, Why: "the same values are written in another way: " + offset(a, b)}}
	}
	return causes
}

func differ(path string, x, y any, found func(path string, was, is any)) {
	switch a := x.(type) {
	case map[string]any:
		if b, ok := y.(map[string]any); ok {
			for _, k := range keys(a, b) {
				differ(path+"."+k, a[k], b[k], found)
			}
			return
		}
	case []any:
		if b, ok := y.([]any); ok && len(a) == len(b) {
			for n := range a {
				differ(fmt.Sprintf("%s[%d]", path, n), a[n], b[n], found)
			}
			return
		}
	}
	if !reflect.DeepEqual(x, y) {
		found(path, x, y)
	}
}

// keys returns the keys of two maps, sorted.
func keys[V any](x, y map[string]V) []string {
	all := maps.Clone(x)
	maps.Copy(all, y)
	return slices.Sorted(maps.Keys(all))
}

func short(v any) string {
	if v == nil {
		return "missing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%.200s", text)
}

// offset says where two files differ first.
func offset(a, b []byte) string {
	for n := range min(len(a), len(b)) {
		if a[n] != b[n] {
			count := 0
			for k := n; k < min(len(a), len(b)); k++ {
				if a[k] != b[k] {
					count++
				}
			}
			return fmt.Sprintf("%d bytes differ, the first at offset %d: %q, made here %q",
				count+max(len(a), len(b))-min(len(a), len(b)), n, around(a, n), around(b, n))
		}
	}
	return fmt.Sprintf("it has %d bytes, made here %d", len(a), len(b))
}

// around returns some bytes at an offset.
func around(b []byte, n int) []byte { return b[n:min(n+32, len(b))] }
