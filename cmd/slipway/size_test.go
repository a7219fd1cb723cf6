package main

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]size{
		"4GiB": 4 << 30, "700MB": 700e6, "1.5MiB": 3 << 19, "2 kB": 2000, "10": 10, "10B": 10, "1TB": 1e12,
		"3TiB": 3 << 40, "5KiB": 5 << 10,
		"": 0, "x": 0, "0": 0, "-1": 0, "1XB": 0, "NaN": 0, "9e30GB": 0, "GiB": 0,
	} {
		var s size
		switch err := s.Set(text); {
		case want == 0 && err == nil:
			t.Errorf("%q is read as %d", text, s)
		case want != 0 && (err != nil || s != want):
			t.Errorf("%q is read as %d (%v), want %d", text, s, err, want)
		}
	}
	for s, want := range map[size]string{4 << 30: "4GiB", 1 << 40: "1TiB", 1000: "1000", 3 << 19: "1536KiB"} {
		if got := s.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(s), got, want)
		}
	}
}
