//go:build mage

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// more matches what tells a test how much to do, or that it may use a program.
var more = regexp.MustCompile(`\bextent\.[A-Z]|\btestprog\.[A-Z]|\bEachFailure\(`)

// top matches the beginning of a function.
var top = regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)`)

// extents returns, by directory, the tests that do more in Suites: those that call package extent,
// or ask for a program, directly or by a function of their package.
func extents(dirs []string) (map[string][]string, error) {
	found := map[string][]string{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			return nil, err
		}
		bodies := map[string]string{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			starts := top.FindAllStringSubmatchIndex(string(text), -1)
			for n, s := range starts {
				end := len(text)
				if n+1 < len(starts) {
					end = starts[n+1][0]
				}
				name := string(text[s[2]:s[3]])
				bodies[name] += string(text[s[3]:end])
			}
		}
		for name := range tells(bodies) {
			if strings.HasPrefix(name, "Test") && name != "TestMain" {
				found[dir] = append(found[dir], name)
			}
		}
	}
	return found, nil
}

// calls matches the calls of functions.
var calls = regexp.MustCompile(`\b(\w+)\(`)

// tells returns the functions that match more, directly or by those that they call.
func tells(bodies map[string]string) map[string]bool {
	all, callers := map[string]bool{}, map[string][]string{}
	var next []string
	for name, body := range bodies {
		if more.MatchString(body) {
			next = append(next, name)
		}
		for _, m := range calls.FindAllStringSubmatch(body, -1) {
			callers[m[1]] = append(callers[m[1]], name)
		}
	}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if !all[name] {
			all[name] = true
			next = append(next, callers[name]...)
		}
	}
	return all
}
