package maintainer

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// tr translates or deletes characters.
func tr(c *call) (int, error) {
	from, err := trSet(c.args[0])
	if err != nil {
		return 0, err
	}
	text := c.In.All()
	in := map[byte]int{}
	for n := len(from) - 1; n >= 0; n-- {
		in[from[n]] = n
	}
	has := func(b byte) bool { _, ok := in[b]; return ok != c.has("c", "C") }
	var to []byte
	if len(c.args) > 1 {
		if to, err = trSet(c.args[1]); err != nil {
			return 0, err
		}
	}
	var out []byte
	for _, b := range text {
		hit := has(b)
		switch {
		case hit && c.has("d"):
			continue
		case hit && len(to) > 0:
			n := len(to) - 1
			if !c.has("c", "C") {
				n = min(in[b], n)
			}
			b = to[n]
		}
		if c.has("s") && hit && len(out) > 0 && out[len(out)-1] == b {
			continue
		}
		out = append(out, b)
	}
	_, err = c.Out.Write(out)
	return 0, err
}

// trSet reads a set of characters.
func trSet(s string) ([]byte, error) {
	classes := map[string]string{
		"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:alpha:]": "A-Za-z", "[:alnum:]": "0-9A-Za-z",
		"[:space:]": "\t\n\v\f\r ", "[:blank:]": "\t ",
	}
	for class, set := range classes {
		s = strings.ReplaceAll(s, class, set)
	}
	if strings.Contains(s, "[:") || strings.Contains(s, "[=") {
		return nil, fmt.Errorf("the set %s is not known here", s)
	}
	var raw []byte
	var plain []bool
	for n := 0; n < len(s); n++ {
		b, quoted := s[n], false
		if b == '\\' && n+1 < len(s) {
			n++
			quoted = true
			if at := strings.IndexByte("ntr0", s[n]); at >= 0 {
				b = "\n\t\r\x00"[at]
			} else {
				b = s[n]
			}
		}
		raw, plain = append(raw, b), append(plain, !quoted)
	}
	var out []byte
	for n := 0; n < len(raw); n++ {
		if n+2 < len(raw) && raw[n+1] == '-' && plain[n+1] {
			for b := int(raw[n]); b <= int(raw[n+2]); b++ {
				out = append(out, byte(b))
			}
			n += 2
			continue
		}
		out = append(out, raw[n])
	}
	return out, nil
}

func wc(c *call) (int, error) {
	text, status, err := c.all(c.args)
	if err != nil {
		return 0, err
	}
	var counts []string
	if all := !c.has("l", "w", "c"); all || c.has("l", "w", "c") {
		for _, k := range []struct {
			key string
			n   int
		}{{"l", bytes.Count(text, []byte("\n"))}, {"w", len(bytes.Fields(text))}, {"c", len(text)}} {
			if all || c.has(k.key) {
				counts = append(counts, strconv.Itoa(k.n))
			}
		}
	}
	if len(c.args) > 0 {
		counts = append(counts, strings.Join(c.args, " "))
	}
	_, err = c.print(strings.Join(counts, " ") + "\n")
	return status, err
}
